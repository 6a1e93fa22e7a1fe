use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use winclaw_model::{ChatRequest, Format, Image, Message, Sealed, WireCall};
use winclaw_tool::ToolSpec;

use super::schema::{self, Root, SchemaRules};
use super::{Accepted, Checked, Fault, Names, What, is_name, only, seal, tools as listed};

const FIELDS: [&str; 14] = [
    "model",
    "max_tokens",
    "stream",
    "cache_control",
    "tools",
    "tool_choice",
    "system",
    "messages",
    "metadata",
    "temperature",
    "thinking",
    "stop_sequences",
    "top_p",
    "service_tier",
];
/// The documented limit on tools where some are deferred.
const MAX_TOOLS: usize = 10_000;
const NAMES: Names = Names { letter_first: false, also: Some(""), shortest: 1, longest: 128 };

/// A plain object; `input_schema` is demanded and held against JSON Schema draft 2020-12. Names of properties match
/// `^[a-zA-Z0-9_.-]{1,64}$`.
fn schemas() -> SchemaRules {
    let keys = Some(Names { letter_first: false, also: Some("."), shortest: 1, longest: 64 });
    SchemaRules { optional: false, root: Root::PlainObject, keys, ..SchemaRules::default() }
}

/// Reads a body of Anthropic's Messages, or says which rule it breaks.
pub(super) fn read(body: &Value) -> Checked<Accepted> {
    only(body, "body", &FIELDS)?;
    let model = body["model"].as_str().filter(|model| !model.is_empty()).ok_or("model: Field required")?;
    body["max_tokens"].as_u64().filter(|most| *most > 0).ok_or("max_tokens: Field required")?;
    cache_marks(body)?;
    let (tools, deferred) = tools(body)?;
    let system = system(body)?;
    let messages = Reader { tools: &tools, deferred: &deferred, out: Vec::new(), ids: BTreeSet::new() }.read(body)?;
    let stream = body["stream"].as_bool().unwrap_or(false);
    let request = ChatRequest { system, tools, deferred, messages, ..ChatRequest::default() };
    Ok(Accepted { format: Format::Messages, model: model.into(), stream, usage: true, request })
}

/// At most four breakpoints, wherever they stand.
fn cache_marks(body: &Value) -> Checked<()> {
    fn marks(value: &Value, all: &mut Vec<Value>) {
        match value {
            Value::Object(fields) => {
                all.extend(fields.get("cache_control").filter(|mark| !mark.is_null()).cloned());
                fields
                    .iter()
                    .filter(|(name, _)| !["input", "input_schema"].contains(&name.as_str()))
                    .for_each(|(_, field)| marks(field, all));
            }
            Value::Array(items) => items.iter().for_each(|item| marks(item, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    marks(body, &mut all);
    match all.len() {
        0..=4 if all.iter().all(|mark| mark["type"] == "ephemeral") => Ok(()),
        0..=4 => Err("cache_control.type: Input should be 'ephemeral'".into()),
        many => Err(format!("A maximum of 4 blocks with cache_control may be provided. Found {many}.").into()),
    }
}

/// The tools that are ready, and those that are held back.
type Specs = (Vec<Arc<ToolSpec>>, Vec<Arc<ToolSpec>>);

fn tools(body: &Value) -> Checked<Specs> {
    let (mut ready, mut deferred, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    let all = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    listed::few(all.len(), MAX_TOOLS)?;
    for (at, each) in all.iter().enumerate() {
        let spec = Arc::new(tool(at, each)?);
        if !names.insert(spec.name.clone()) {
            return Err(Fault::new(What::Twice { name: spec.name.clone() }, "tools: Tool names must be unique."));
        }
        let held_back = each["defer_loading"] == true;
        if held_back && !each["cache_control"].is_null() {
            return Err(format!(
                "Tool '{}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
                spec.name
            ).into());
        }
        if held_back { deferred.push(spec) } else { ready.push(spec) }
    }
    if ready.is_empty() && !deferred.is_empty() {
        return Err("All tools have defer_loading set. At least one tool must be non-deferred.".into());
    }
    Ok((ready, deferred))
}

fn tool(at: usize, tool: &Value) -> Checked<ToolSpec> {
    let place = format!("tools.{at}.custom");
    only(tool, &place, &["type", "name", "description", "input_schema", "cache_control", "defer_loading"])?;
    let name = tool["name"].as_str().unwrap_or("");
    listed::name(name, &NAMES, at, &format!("{place}.name"))?;
    let schema = &tool["input_schema"];
    schema::check(schema, &schemas()).map_err(|(place, why)| Fault::schema(at, name, place, why))?;
    let description = tool["description"].as_str().unwrap_or("").to_owned();
    Ok(ToolSpec { name: name.into(), description, parameters: schema.clone() })
}

fn system(body: &Value) -> Checked<String> {
    match &body["system"] {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(blocks) => blocks.iter().map(|block| text(block, "system")).collect(),
        _ => Err("system: Input should be a string or a list of text blocks".into()),
    }
}

fn text(block: &Value, place: &str) -> Checked<String> {
    if block["type"] != "text" {
        return Err(format!("{place}: Input tag '{}' is not expected here", block["type"]).into());
    }
    match block["text"].as_str() {
        None => Err(format!("{place}.text: Field required").into()),
        Some("") => Err("messages: text content blocks must be non-empty".into()),
        Some(text) if text.trim().is_empty() => {
            Err("messages: text content blocks must contain non-whitespace text".into())
        }
        Some(text) => Ok(text.to_owned()),
    }
}

struct Reader<'a> {
    tools: &'a [Arc<ToolSpec>],
    deferred: &'a [Arc<ToolSpec>],
    out: Vec<Message>,
    /// Ids of all calls so far.
    ids: BTreeSet<String>,
}

impl Reader<'_> {
    fn read(mut self, body: &Value) -> Checked<Vec<Message>> {
        let all = body["messages"].as_array().filter(|all| !all.is_empty());
        let all = all.ok_or("messages: at least one message is required")?;
        let mut open: Vec<String> = Vec::new();
        for (at, message) in all.iter().enumerate() {
            only(message, &format!("messages.{at}"), &["role", "content"])?;
            match (at, message["role"].as_str()) {
                (0, Some("assistant")) => return Err("messages: first message must use the \"user\" role".into()),
                (_, Some("assistant")) if open.is_empty() => open = self.assistant(at, &message["content"])?,
                (_, Some("user")) => self.user(at, &message["content"], std::mem::take(&mut open))?,
                (_, Some("assistant")) => return Err(unanswered(at - 1, &open)),
                _ => return Err(format!("messages.{at}.role: Input should be 'user' or 'assistant'").into()),
            }
        }
        match (open.is_empty(), all.last().is_some_and(|last| last["role"] == "assistant")) {
            (false, _) => Err(unanswered(all.len() - 1, &open)),
            (true, true) => Err("messages: the conversation must end with a user message here".into()),
            (true, false) => Ok(self.out),
        }
    }

    /// A message of the model; gives the ids of its calls.
    fn assistant(&mut self, at: usize, content: &Value) -> Checked<Vec<String>> {
        let (mut said, mut calls, mut sealed) = (String::new(), Vec::new(), Vec::new());
        for (place, block) in blocks(content).iter().enumerate() {
            let place = format!("messages.{at}.content.{place}");
            match block["type"].as_str() {
                Some("tool_use") => calls.push(self.call(&place, block)?),
                Some("thinking" | "redacted_thinking") => {
                    proved(&place, block)?;
                    let before = if calls.is_empty() { usize::from(!said.is_empty()) } else { calls.len() + 1 };
                    sealed.push(Sealed { before, block: block.clone() });
                }
                _ => said.push_str(&text(block, &place)?),
            }
        }
        if blocks(content).last().is_some_and(|last| last["type"] == "thinking") {
            return Err(format!("messages.{at}: The final block in an assistant message cannot be `thinking`.").into());
        }
        if said.is_empty() && calls.is_empty() {
            return Err(format!("messages.{at}: all messages must have non-empty content").into());
        }
        let ids = calls.iter().map(|call| call.id.clone()).collect();
        self.out.push(Message::Assistant { text: said, reasoning: None, calls, sealed });
        Ok(ids)
    }

    fn call(&mut self, place: &str, block: &Value) -> Checked<WireCall> {
        only(block, place, &["type", "id", "name", "input", "cache_control"])?;
        let (id, name) = (block["id"].as_str().unwrap_or(""), block["name"].as_str().unwrap_or(""));
        if !is_name(id, usize::MAX) {
            return Err(format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'").into());
        }
        if !is_name(name, 200) {
            return Err(format!("{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'").into());
        }
        if !self.ids.insert(id.to_owned()) {
            return Err("messages: `tool_use` ids must be unique".into());
        }
        if !block["input"].is_object() {
            return Err(format!("{place}.tool_use.input: Input should be an object").into());
        }
        Ok(WireCall { id: id.into(), name: name.into(), arguments: block["input"].to_string() })
    }

    /// A message of the person, which begins with exactly one result for each of `open`.
    fn user(&mut self, at: usize, content: &Value, mut open: Vec<String>) -> Checked<()> {
        let (mut results, mut words, mut images) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (number, block) in blocks(content).iter().enumerate() {
            let place = format!("messages.{at}.content.{number}");
            match block["type"].as_str() {
                Some("tool_result") => {}
                Some("image") => {
                    images.push(image(block, &place)?);
                    continue;
                }
                _ => {
                    words.push(text(block, &place)?);
                    continue;
                }
            }
            let id = block["tool_use_id"].as_str().unwrap_or("").to_owned();
            let Some(found) = open.iter().position(|open| *open == id).filter(|_| words.is_empty()) else {
                return Err(stray(&place, &id, results.contains_key(&id), !words.is_empty()).into());
            };
            open.remove(found);
            results.insert(id.clone(), self.out.len());
            let (content, reveals) = self.result(&place, block)?;
            self.out.push(Message::Tool { call_id: id, content, reveals });
        }
        if !open.is_empty() {
            return Err(unanswered(at - 1, &open));
        }
        if results.is_empty() && words.is_empty() && images.is_empty() {
            return Err(format!("messages.{at}: all messages must have non-empty content").into());
        }
        self.place(&results, words, images);
        Ok(())
    }

    fn result(&self, place: &str, block: &Value) -> Checked<(String, Vec<ToolSpec>)> {
        only(block, place, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
        let parts = match &block["content"] {
            Value::Null => return Ok((String::new(), Vec::new())),
            Value::String(text) => return Ok((text.clone(), Vec::new())),
            Value::Array(parts) => parts,
            _ => return Err(format!("{place}.tool_result.content: Input should be a string or a list").into()),
        };
        let (references, others): (Vec<&Value>, Vec<&Value>) =
            parts.iter().partition(|part| part["type"] == "tool_reference");
        if !references.is_empty() && !others.is_empty() {
            return Err(format!("{place}.tool_result: tool_reference blocks stand alone here").into());
        }
        let content = others.into_iter().map(|part| text(part, place)).collect::<Checked<String>>()?;
        let reveals = references.into_iter().map(|part| self.reference(part)).collect::<Checked<_>>()?;
        Ok((content, reveals))
    }

    fn reference(&self, part: &Value) -> Checked<ToolSpec> {
        let name = part["tool_name"].as_str().unwrap_or("");
        let known = |specs: &[Arc<ToolSpec>]| specs.iter().find(|spec| spec.name == name).map(|spec| (**spec).clone());
        match (known(self.deferred), known(self.tools)) {
            (Some(spec), _) => Ok(spec),
            (None, Some(_)) => Err(format!("Tool reference '{name}' must have defer_loading set here").into()),
            (None, None) => Err(format!("Tool reference '{name}' has no corresponding tool definition").into()),
        }
    }

    /// Words behind results belong to those that could hold none, in order; what is left is the person's.
    fn place(&mut self, results: &BTreeMap<String, usize>, words: Vec<String>, images: Vec<Image>) {
        let mut words = words.into_iter();
        let mut places: Vec<usize> = results.values().copied().collect();
        places.sort_unstable();
        for place in places {
            if let Message::Tool { content, reveals, .. } = &mut self.out[place]
                && !reveals.is_empty()
            {
                *content = words.next().unwrap_or_default();
            }
        }
        if !images.is_empty() {
            self.out.push(Message::User { text: words.by_ref().collect(), images });
        }
        self.out.extend(words.map(Message::user));
    }
}

/// Content as blocks; a string is one block of text.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks.clone(),
        other => vec![serde_json::json!({"type": "text", "text": other})],
    }
}

/// A picture that stands in the message, of a kind that is documented.
fn image(block: &Value, place: &str) -> Checked<Image> {
    only(block, place, &["type", "source", "cache_control"])?;
    let source = &block["source"];
    let kind = source["media_type"].as_str().unwrap_or("");
    let data = source["data"].as_str().filter(|data| !data.is_empty());
    match data.filter(|_| source["type"] == "base64") {
        Some(data) if ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&kind) => {
            Ok(Image { media_type: kind.into(), data: data.into() })
        }
        _ => Err(format!("{place}.image.source: a base64 source of a known media type is expected here").into()),
    }
}

fn unanswered(at: usize, open: &[String]) -> Fault {
    let said = format!(
        "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        open.join(", ")
    );
    Fault::new(What::Unanswered { ids: open.to_vec() }, said)
}

fn stray(place: &str, id: &str, twice: bool, late: bool) -> String {
    match (twice, late) {
        (true, _) => format!(
            "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
        ),
        (false, true) => format!("{place}: `tool_result` blocks must come first in the content: {id}"),
        (false, false) => format!(
            "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
        ),
    }
}

fn proved(place: &str, block: &Value) -> Checked<()> {
    let proof = match block["type"].as_str() {
        Some("thinking") => block["signature"] == seal(block["thinking"].as_str().unwrap_or("")).as_str(),
        _ => block["data"].as_str().is_some_and(|data| !data.is_empty()),
    };
    if proof { Ok(()) } else { Err(format!("{place}: Invalid `signature` in `thinking` block").into()) }
}
