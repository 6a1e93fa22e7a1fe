use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::parts::{Part, Revealed, arguments, legal_id, object, parts, picture, text_for};
use crate::names::wire_name;
use crate::plan::{Plan, Planned};
use crate::{ChatRequest, Image, Message, Profile, Sealed, WireCall};

/// The tool that is written as the format's own search. The meta tool of that name is the only tool that can have it.
pub(crate) const SEARCH: &str = "tool_search";
/// Sealed thoughts of this format.
const SEALED: [&str; 1] = ["reasoning"];

/// The body of a request in OpenAI's Responses format.
///
/// A pure function: same input, same bytes, and all bytes up to the first new item are those of the request before.
/// Nothing is stored by the vendor (`store: false`), so encrypted thoughts are asked for and go back unchanged where they
/// stood. What the vendor documents, and how it is kept:
///
/// - The tool `tool_search` is sent as `{"type": "tool_search", "execution": "client", …}`. Its calls are
///   `tool_search_call` items, whose `arguments` are an object, and each has its `tool_search_output` with the tools it
///   revealed, whole and with `defer_loading: true`; none when it revealed nothing.
/// - That output has no room for words. They follow as a message behind the outputs, as the person's: any other role that
///   may stand there has more say than a tool should.
/// - All other tools are functions with `strict: false`, since the default would change their schemas.
/// - [`ChatRequest::deferred`] is not sent: with a search that runs here, a schema need not be known before it is found.
/// - A tool that stands in `tools` already is not revealed again; its schema follows as text.
///
/// Not confirmed by the documentation: that a conversation may hold a search the model did not ask for. That is how the
/// tools are written that another result reveals (`tool_search_call` and `tool_search_output` behind the outputs), as
/// other implementers do. The newer `additional_tools` item says the same, but is not known to work with every model
/// that can search. Without `tool_search` among the tools, all this is plain text.
pub fn responses_body(request: &ChatRequest, model: &str, profile: &Profile, stream: bool) -> Value {
    write(request, &Plan::of(request, model, profile), model, profile, stream)
}

pub(crate) fn write(request: &ChatRequest, plan: &Plan<'_>, model: &str, profile: &Profile, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), stream.into());
    body.insert("store".into(), false.into());
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    if let Some(most) = profile.max_output {
        body.insert("max_output_tokens".into(), most.into());
    }
    if !request.system.is_empty() {
        body.insert("instructions".into(), request.system.as_str().into());
    }
    for (name, value) in &profile.extra {
        body.entry(name.clone()).or_insert_with(|| value.clone());
    }
    if !plan.tools.is_empty() {
        let searches = plan.native.is_some();
        body.insert("tools".into(), plan.tools.iter().map(|planned| tool(planned, searches)).collect());
        if let Some(parallel) = profile.parallel_tool_calls {
            body.insert("parallel_tool_calls".into(), parallel.into());
        }
    }
    let sees = profile.reads_images(model);
    body.shift_remove("input");
    body.insert("input".into(), Input::of(request, plan, profile, sees).items.into());
    Value::Object(body)
}

fn tool(tool: &Planned<'_>, searches: bool) -> Value {
    let mut fields = tool.fields("parameters");
    let mut out = Map::new();
    if tool.spec.name == SEARCH && searches {
        fields.shift_remove("name");
        out.insert("type".into(), "tool_search".into());
        out.insert("execution".into(), "client".into());
        out.extend(fields);
    } else {
        out.insert("type".into(), "function".into());
        out.extend(fields);
        out.insert("strict".into(), false.into());
    }
    Value::Object(out)
}

fn found(planned: &Planned<'_>) -> Value {
    let mut tool = tool(planned, false);
    tool["defer_loading"] = true.into();
    tool
}

struct Input<'a> {
    items: Vec<Value>,
    plan: &'a Plan<'a>,
    profile: &'a Profile,
    sees: bool,
    /// Names in the tools array.
    tools: BTreeSet<&'a str>,
    /// Ids of the calls that were searches.
    searches: BTreeSet<&'a str>,
}

impl<'a> Input<'a> {
    fn of(request: &'a ChatRequest, plan: &'a Plan<'a>, profile: &'a Profile, sees: bool) -> Self {
        let tools = plan.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
        let mut input = Input { items: Vec::new(), plan, profile, sees, tools, searches: BTreeSet::new() };
        let results = |a: &Message, b: &Message| matches!((a, b), (Message::Tool { .. }, Message::Tool { .. }));
        for turn in request.messages.chunk_by(results) {
            match turn {
                [Message::User { text, images }] => input.asked(text, images),
                [Message::Assistant { text, calls, sealed, .. }] => input.said(text, calls, sealed),
                results => input.results(results),
            }
        }
        input
    }

    fn can_search(&self) -> bool {
        self.plan.native.is_some() && self.tools.contains(SEARCH)
    }

    fn asked(&mut self, text: &str, images: &[Image]) {
        if images.is_empty() || !self.sees {
            return self.items.push(message("user", &text_for(text, images)));
        }
        let words = (!text.is_empty()).then(|| json!({"type": "input_text", "text": text}));
        let pictures = images.iter().map(|image| json!({"type": "input_image", "image_url": picture(image)}));
        let content: Vec<Value> = words.into_iter().chain(pictures).collect();
        self.items.push(json!({"type": "message", "role": "user", "content": content}));
    }

    fn said(&mut self, text: &'a str, calls: &'a [WireCall], sealed: &'a [Sealed]) {
        for part in parts(text, calls, sealed, &SEALED) {
            let item = match part {
                Part::Sealed(block) => block.clone(),
                Part::Words(text) => message("assistant", text),
                Part::Call(call) => self.call(call),
            };
            self.items.push(item);
        }
    }

    fn call(&mut self, call: &'a WireCall) -> Value {
        let id = legal_id(&call.id);
        if call.name == SEARCH && self.can_search() {
            self.searches.insert(&call.id);
            return search_call(&id, &object(&call.arguments));
        }
        let (name, arguments) = (wire_name(&call.name, &self.profile.names), arguments(&call.arguments));
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    }

    /// The outputs of one turn, then what else they reveal, then the words that have no place in an output.
    fn results(&mut self, results: &'a [Message]) {
        let (mut reveals, mut words) = (Vec::new(), Vec::new());
        for result in results {
            let Message::Tool { call_id, content, reveals: all } = result else { continue };
            let can = |name: &str| self.can_search() && !self.tools.contains(name);
            let revealed = Revealed::new(self.plan, content, all, can);
            let id = legal_id(call_id);
            if self.searches.contains(call_id.as_str()) {
                self.items.push(search_output(&id, &revealed.native));
                words.extend((!revealed.text.trim().is_empty()).then(|| message("user", &revealed.text)));
                continue;
            }
            self.items.push(json!({"type": "function_call_output", "call_id": id, "output": revealed.text}));
            if !revealed.native.is_empty() {
                let id = legal_id(&format!("{call_id}_reveals")).into_owned();
                let names: Vec<&str> = revealed.native.iter().map(|tool| tool.name.as_ref()).collect();
                let call = search_call(&id, &json!({"queries": names}));
                reveals.extend([call, search_output(&id, &revealed.native)]);
            }
        }
        self.items.extend(reveals.into_iter().chain(words));
    }
}

fn message(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": text})
}

fn search_call(id: &str, arguments: &Value) -> Value {
    json!({
        "type": "tool_search_call", "call_id": id, "execution": "client", "status": "completed", "arguments": arguments
    })
}

fn search_output(id: &str, tools: &[Planned<'_>]) -> Value {
    let tools: Vec<Value> = tools.iter().map(found).collect();
    json!({
        "type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed", "tools": tools
    })
}
