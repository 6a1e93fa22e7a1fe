use serde_json::{Map, Value, json};

use super::parts::{Part, Revealed, legal_id, object, parts, text_for};
use crate::names::wire_name;
use crate::plan::{Plan, Planned};
use crate::{ChatRequest, Image, Message, Profile, Sealed, WireCall};

/// What is sent as `max_tokens`, which the format demands, where the profile says nothing. Every model that knows
/// deferred tools takes so many.
const MAX_OUTPUT: u32 = 16_384;
/// Sealed thoughts of this format.
const SEALED: [&str; 2] = ["thinking", "redacted_thinking"];

/// The body of a request in Anthropic's Messages format.
///
/// A pure function: same input, same bytes, and all bytes up to the first new message are those of the request before.
/// It keeps the rules that the vendor documents:
///
/// - `tools` holds the request's tools, then the deferred ones whole with `defer_loading: true`. These stay out of the
///   prompt until a `tool_result` holds a `tool_reference` to them, which the server expands in every later request.
///   At least one tool must not be deferred, so without any ordinary tool none is.
/// - A result that reveals deferred tools has nothing but references as its content, as in the documentation's example;
///   its words stand as text behind all results of the same message. (The SDK's types would allow text beside the
///   references; implementers report that the server refuses it.) What is revealed but does not stand among the
///   deferred tools is written out as text, since a reference to it would be refused.
/// - All results of one message with calls stand in the one message that follows it, before any text.
/// - Text is never blank. Signed thoughts go back unchanged where they stood.
/// - `cache_control` at the top moves with the end of the conversation; a second one marks the prefix: the system prompt,
///   else the last ordinary tool. A deferred tool must not carry one.
///
/// Not confirmed by a live server: the behaviour at 10 000 tools, the documented limit.
pub fn anthropic_body(request: &ChatRequest, model: &str, profile: &Profile, stream: bool) -> Value {
    write(request, &Plan::of(request, model, profile), model, profile, stream)
}

pub(crate) fn write(request: &ChatRequest, plan: &Plan<'_>, model: &str, profile: &Profile, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("max_tokens".into(), profile.max_output.unwrap_or(MAX_OUTPUT).into());
    body.insert("stream".into(), stream.into());
    body.insert("cache_control".into(), ephemeral());
    for (name, value) in &profile.extra {
        body.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let tools = tools(request, plan);
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
        if let Some(parallel) = profile.parallel_tool_calls {
            body.insert("tool_choice".into(), json!({"type": "auto", "disable_parallel_tool_use": !parallel}));
        }
    }
    if !is_blank(&request.system) {
        let system = json!([{"type": "text", "text": request.system, "cache_control": ephemeral()}]);
        body.insert("system".into(), system);
    }
    let writer = Writer { plan, profile, sees: profile.reads_images(model) };
    body.shift_remove("messages");
    body.insert("messages".into(), writer.messages(request).into());
    Value::Object(body)
}

fn ephemeral() -> Value {
    json!({"type": "ephemeral"})
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn tools(request: &ChatRequest, plan: &Plan<'_>) -> Vec<Value> {
    let mut tools: Vec<Value> = plan.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut().filter(|_| is_blank(&request.system)) {
        last["cache_control"] = ephemeral();
    }
    let defer = !tools.is_empty();
    tools.extend(plan.deferred.iter().map(|planned| {
        let mut tool = tool(planned);
        if defer {
            tool["defer_loading"] = true.into();
        }
        tool
    }));
    tools
}

fn tool(tool: &Planned<'_>) -> Value {
    Value::Object(tool.fields("input_schema"))
}

struct Writer<'a> {
    plan: &'a Plan<'a>,
    profile: &'a Profile,
    sees: bool,
}

impl Writer<'_> {
    fn messages(&self, request: &ChatRequest) -> Vec<Value> {
        let results = |a: &Message, b: &Message| matches!((a, b), (Message::Tool { .. }, Message::Tool { .. }));
        request.messages.chunk_by(results).filter_map(|turn| self.message(turn)).collect()
    }

    /// One message of any kind, or all results that stand in a row.
    fn message(&self, turn: &[Message]) -> Option<Value> {
        match turn {
            [Message::User { text, images }] => Some(json!({"role": "user", "content": self.asked(text, images)})),
            [Message::Assistant { text, calls, sealed, .. }] => self.assistant(text, calls, sealed),
            results => Some(json!({"role": "user", "content": self.results(results)})),
        }
    }

    fn asked(&self, text: &str, images: &[Image]) -> Value {
        if images.is_empty() || !self.sees {
            let text = text_for(text, images);
            return if is_blank(&text) { "(nothing)".into() } else { text.into() };
        }
        let picture = |image: &Image| {
            let source = json!({"type": "base64", "media_type": image.media_type, "data": image.data});
            json!({"type": "image", "source": source})
        };
        let words = (!is_blank(text)).then(|| json!({"type": "text", "text": text}));
        images.iter().map(picture).chain(words).collect()
    }

    fn assistant(&self, text: &str, calls: &[WireCall], sealed: &[Sealed]) -> Option<Value> {
        let blocks: Vec<Value> = parts(text, calls, sealed, &SEALED).into_iter().map(|part| self.block(part)).collect();
        (!blocks.is_empty()).then(|| json!({"role": "assistant", "content": blocks}))
    }

    fn block(&self, part: Part<'_>) -> Value {
        match part {
            Part::Sealed(block) => block.clone(),
            Part::Words(text) => json!({"type": "text", "text": text}),
            Part::Call(WireCall { id, name, arguments }) => {
                let name = wire_name(name, &self.profile.names);
                json!({"type": "tool_use", "id": legal_id(id), "name": name, "input": object(arguments)})
            }
        }
    }

    fn results(&self, results: &[Message]) -> Vec<Value> {
        let held = |name: &str| self.plan.deferred.iter().any(|tool| tool.spec.name == name);
        let deferred = |name: &str| !self.plan.tools.is_empty() && held(name);
        let (mut blocks, mut words) = (Vec::new(), Vec::new());
        for result in results {
            let Message::Tool { call_id, content, reveals } = result else { continue };
            let revealed = Revealed::new(self.plan, content, reveals, deferred);
            let mut block = json!({"type": "tool_result", "tool_use_id": legal_id(call_id)});
            let refer = |tool: &Planned<'_>| json!({"type": "tool_reference", "tool_name": tool.name});
            match (revealed.native.is_empty(), is_blank(&revealed.text)) {
                (true, true) => {}
                (true, false) => block["content"] = revealed.text.into(),
                (false, blank) => {
                    block["content"] = revealed.native.iter().map(refer).collect();
                    words.extend((!blank).then(|| json!({"type": "text", "text": revealed.text})));
                }
            }
            blocks.push(block);
        }
        blocks.extend(words);
        blocks
    }
}
