use std::collections::BTreeSet;

use serde_json::{Map, Value};
use winclaw_model::{ChatRequest, Format, Image, Message, WireCall};

use super::fault::Form;
use super::{
    Accepted, Checked, Fault, Limit, Pictures, Rules, Thoughts, Unique, What, seal, thinks_only_streaming, tools,
};

/// Signatures that Gemini takes in place of its own, for histories that another model wrote; the first is documented at
/// ai.google.dev/gemini-api/docs/thought-signatures.
const ANY_SIGNATURE: [&str; 2] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/// Reads a body of chat completions, or says which rule it breaks.
pub(super) fn read(body: &Value, rules: &Rules) -> Checked<Accepted> {
    let model = body["model"].as_str().filter(|model| !model.is_empty()).ok_or("you must provide a model parameter")?;
    let stream = body["stream"].as_bool().unwrap_or(false);
    fields(body, rules, stream)?;
    let tools = tools::read(body, rules)?;
    if tools.is_empty() && body.get("parallel_tool_calls").is_some() {
        return Err("'parallel_tool_calls' is only allowed when 'tools' are specified".into());
    }
    if rules.thinking_streams && !stream && thinks_only_streaming(model) && body["enable_thinking"] != false {
        let said = "parameter.enable_thinking must be set to false for non-streaming calls";
        return Err(Fault::new(What::Thinking, said));
    }
    let (system, messages) = Reader::new(rules).read(body)?;
    let usage = body["stream_options"]["include_usage"].as_bool().unwrap_or(false);
    let request = ChatRequest { system, tools, messages, ..ChatRequest::default() };
    Ok(Accepted { format: Format::Chat, model: model.into(), stream, usage, request })
}

fn fields(body: &Value, rules: &Rules, stream: bool) -> Checked<()> {
    let refused = |field: &str, said: String| Err(Fault::new(What::Field(field.into()), said));
    let object = body.as_object().ok_or("the body must be an object")?;
    let known = |field: &str| rules.fields.is_none_or(|known| known.contains(&field));
    if let Some(field) = object.keys().find(|field| !known(field)) {
        return refused(field, format!("Unrecognized request argument supplied: {field}"));
    }
    if object.contains_key("parallel_tool_calls") && !rules.parallel_tool_calls {
        return refused("parallel_tool_calls", "Parallel tool calls are not supported.".into());
    }
    if object.contains_key("max_tokens") && rules.limit == Limit::Completion {
        let said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        return refused("max_tokens", said.into());
    }
    if !stream && !rules.stream_options_anyhow && object.contains_key("stream_options") {
        let said = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return refused("stream_options", said.into());
    }
    Ok(())
}

struct Reader<'a> {
    rules: &'a Rules,
    system: String,
    out: Vec<Message>,
    /// Ids of calls without results.
    open: BTreeSet<String>,
    /// Ids of all calls so far.
    ids: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn new(rules: &'a Rules) -> Self {
        Reader { rules, system: String::new(), out: Vec::new(), open: BTreeSet::new(), ids: BTreeSet::new() }
    }

    fn read(mut self, body: &Value) -> Checked<(String, Vec<Message>)> {
        let all = body["messages"].as_array().filter(|all| !all.is_empty()).ok_or("[] is too short - 'messages'")?;
        for (at, each) in all.iter().enumerate() {
            let role = each["role"].as_str().ok_or(format!("'messages[{at}].role' is missing"))?;
            if role != "tool" {
                self.answered()?;
            }
            self.message(at, role, each)?;
        }
        self.answered()?;
        if self.rules.signatures {
            signed(all)?;
        }
        if self.rules.person && !all.iter().any(|each| each["role"] == "user") {
            return Err(Fault::new(What::Nobody, "there must be a message with role 'user'"));
        }
        Ok((self.system, self.out))
    }

    fn answered(&self) -> Checked<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = self.open.iter().cloned().collect();
        let said = format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            ids.join(", ")
        );
        Err(Fault::new(What::Unanswered { ids }, said))
    }

    fn message(&mut self, at: usize, role: &str, each: &Value) -> Checked<()> {
        if !self.rules.roles.contains(&role) {
            let known = self.rules.roles;
            let said = format!("Invalid value: '{role}' at 'messages[{at}].role'. Supported values are: {known:?}.");
            return Err(Fault::new(What::Role { at, role: role.into(), known }, said));
        }
        match role {
            "system" | "developer" => self.system.push_str(&words(each, at, role)?),
            "user" => {
                let message = self.user(at, each)?;
                self.out.push(message);
            }
            "assistant" => {
                let message = self.assistant(at, each)?;
                self.out.push(message);
            }
            _ => {
                let message = self.result(at, each)?;
                self.out.push(message);
            }
        }
        Ok(())
    }

    fn user(&self, at: usize, message: &Value) -> Checked<Message> {
        let Some(parts) = message["content"].as_array().filter(|_| self.rules.pictures != Pictures::Refused) else {
            return Ok(Message::user(words(message, at, "user")?));
        };
        let (mut text, mut images) = (String::new(), Vec::new());
        for (number, part) in parts.iter().enumerate() {
            match part["type"].as_str() {
                Some("text") => text.push_str(part["text"].as_str().unwrap_or("")),
                Some("image_url") => images.extend(self.picture(&format!("messages[{at}].content[{number}]"), part)?),
                other => {
                    return Err(format!("Invalid value: {other:?} at 'messages[{at}].content[{number}].type'").into());
                }
            }
        }
        Ok(Message::User { text, images })
    }

    /// A picture that stands in the message; a link gives none.
    fn picture(&self, place: &str, part: &Value) -> Checked<Option<Image>> {
        let url = part["image_url"]["url"].as_str().ok_or_else(|| format!("'{place}.image_url.url' is missing"))?;
        let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match (inline, self.rules.pictures) {
            (None, Pictures::Linked) if url.starts_with("https://") => Ok(None),
            (Some((kind, _)), Pictures::Inline(kinds)) if !kinds.is_empty() && !kinds.contains(&kind) => {
                Err(format!("invalid image input: {kind} at {place}").into())
            }
            (Some((media_type, data)), _) if kind_of_picture(media_type) && !data.is_empty() => {
                Ok(Some(Image { media_type: media_type.into(), data: data.into() }))
            }
            _ => Err(format!("Invalid image data at '{place}.image_url.url'").into()),
        }
    }

    fn result(&mut self, at: usize, message: &Value) -> Checked<Message> {
        let content = words(message, at, "tool")?;
        let id = message["tool_call_id"].as_str().unwrap_or("").to_owned();
        if !self.open.remove(&id) {
            let said = "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
            return Err(Fault::new(
                What::Stray { id: id.clone() },
                format!("{said} '{id}' at messages[{at}] is none."),
            ));
        }
        Ok(Message::Tool { call_id: id, content, reveals: Vec::new() })
    }

    fn assistant(&mut self, at: usize, message: &Value) -> Checked<Message> {
        let fields = message.as_object().ok_or("a message must be an object")?;
        let calls = match fields.get("tool_calls") {
            None => Vec::new(),
            Some(calls) => {
                let some = calls.as_array().filter(|calls| !calls.is_empty());
                let some = some.ok_or(format!("'messages[{at}].tool_calls': [] is too short"))?;
                some.iter().enumerate().map(|(n, each)| self.call(at, n, each)).collect::<Checked<Vec<_>>>()?
            }
        };
        let text = self.said(fields, at, !calls.is_empty())?;
        let reasoning = self.thoughts(fields, at, !calls.is_empty())?;
        Ok(Message::Assistant { text, reasoning, calls, sealed: Vec::new() })
    }

    fn said(&self, fields: &Map<String, Value>, at: usize, calls: bool) -> Checked<String> {
        let ways = &self.rules.content;
        let (form, allowed) = match fields.get("content") {
            Some(Value::String(text)) if !text.is_empty() => return Ok(text.clone()),
            Some(Value::String(_)) => (Form::Empty, ways.empty),
            Some(Value::Null) => (Form::Null, ways.null),
            None => (Form::Absent, ways.absent),
            Some(_) => (Form::Other, false),
        };
        let said = match (form, calls) {
            (Form::Other, _) => format!("'messages[{at}].content' must be a string or null"),
            (_, false) => {
                let said = format!("messages[{at}]: content or tool_calls must be set");
                return Err(Fault::new(What::Empty { at }, said));
            }
            _ if allowed => return Ok(String::new()),
            _ => format!("Invalid value for 'messages[{at}].content': not as {form:?}"),
        };
        Err(Fault::new(What::Content { at, role: "assistant".into(), form }, said))
    }

    fn thoughts(&self, fields: &Map<String, Value>, at: usize, calls: bool) -> Checked<Option<String>> {
        let named = ["reasoning_content", "reasoning"].into_iter().find_map(|name| fields.get(name));
        let thoughts = named.and_then(Value::as_str).map(str::to_owned);
        let plain = fields.get("reasoning_content").is_some_and(Value::is_string);
        let spoken = plain && thoughts.as_deref().is_some_and(|thoughts| !thoughts.is_empty());
        match self.rules.thoughts {
            Thoughts::Demanded | Thoughts::Spoken
                if calls && !(spoken || plain && self.rules.thoughts == Thoughts::Demanded) =>
            {
                let said = "The `reasoning_content` in the thinking mode must be passed back to the API.";
                Err(Fault::new(What::Thoughts { at }, said))
            }
            Thoughts::Refused if named.is_some() => {
                let place = format!("messages[{at}].reasoning_content");
                let said = format!("Unknown parameter: '{place}' here.");
                Err(Fault::new(What::Field(place), said))
            }
            _ => Ok(thoughts),
        }
    }

    fn call(&mut self, at: usize, number: usize, call: &Value) -> Checked<WireCall> {
        let place = format!("messages[{at}].tool_calls[{number}]");
        let id = call["id"].as_str().filter(|id| !id.is_empty()).ok_or(format!("'{place}.id' is missing"))?;
        if call["type"] != "function" {
            return Err(format!("Invalid value: '{place}.type' must be 'function'").into());
        }
        let function = &call["function"];
        let name = function["name"].as_str().unwrap_or("");
        tools::name(name, &self.rules.names, number, &format!("{place}.function.name"))?;
        let arguments = function["arguments"].as_str().unwrap_or("");
        if let Err(error) = serde_json::from_str::<Map<String, Value>>(arguments) {
            return Err(format!("'{place}.function.arguments' must be an object written as a string: {error}").into());
        }
        if id.chars().count() > self.rules.longest_id {
            let most = self.rules.longest_id;
            return Err(format!(
                "Invalid '{place}.id': string too long. Expected a string with maximum length {most}."
            )
            .into());
        }
        let before = !self.ids.insert(id.to_owned());
        let again = before && self.rules.unique == Unique::InConversation;
        if !self.open.insert(id.to_owned()) || again {
            let said = format!("Duplicate value for 'tool_call_id' of '{id}' in message[{at}]");
            return Err(Fault::new(What::SameId { id: id.into() }, said));
        }
        Ok(WireCall { id: id.to_owned(), name: name.into(), arguments: arguments.to_owned() })
    }
}

fn kind_of_picture(media_type: &str) -> bool {
    media_type.strip_prefix("image/").is_some_and(|kind| !kind.is_empty())
}

fn words(message: &Value, at: usize, role: &str) -> Checked<String> {
    let form = match &message["content"] {
        Value::String(text) => return Ok(text.clone()),
        Value::Null if message.get("content").is_none() => Form::Absent,
        Value::Null => Form::Null,
        _ => Form::Other,
    };
    let said = format!("'messages[{at}].content' must be a string, got {}", message["content"]);
    Err(Fault::new(What::Content { at, role: role.into(), form }, said))
}

/// The first call of each message since the person spoke carries the signature that the server gave it.
fn signed(all: &[Value]) -> Checked<()> {
    let since = all.iter().rposition(|each| each["role"] == "user").unwrap_or(0);
    for (at, message) in all.iter().enumerate().skip(since) {
        let call = &message["tool_calls"][0];
        let Some(name) = call["function"]["name"].as_str() else { continue };
        let signature = call["extra_content"]["google"]["thought_signature"].as_str().unwrap_or("");
        if signature != seal(name) && !ANY_SIGNATURE.contains(&signature) {
            let said =
                format!("Function call is missing a thought_signature in functionCall parts: `{name}`, position {at}");
            return Err(Fault::new(What::Signature { at, name: name.into() }, said));
        }
    }
    Ok(())
}
