use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use winclaw_model::{ChatRequest, Format, Image, Message, Sealed, WireCall};
use winclaw_tool::ToolSpec;

use super::schema::{self, SchemaRules};
use super::{Accepted, Checked, Fault, Names, is_name, seal, tools as listed};

const FIELDS: [&str; 18] = [
    "model",
    "stream",
    "store",
    "include",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "input",
    "max_output_tokens",
    "reasoning",
    "metadata",
    "temperature",
    "top_p",
    "text",
    "truncation",
    "prompt_cache_key",
    "service_tier",
];
const MAX_TOOLS: usize = 128;
const NAMES: Names = Names { letter_first: false, also: Some(""), shortest: 1, longest: 64 };

/// What OpenAI demands of a schema of a function; of a search less is known.
fn plain(name: &str, at: usize, parameters: &Value, function: bool) -> Checked<()> {
    let rules = SchemaRules { properties: function, items: true, ..SchemaRules::default() };
    schema::check(parameters, &rules).map_err(|(place, why)| Fault::schema(at, name, place, why))
}

/// What the id of a search that was made up for another result ends with.
const REVEALS: &str = "_reveals";

/// Reads a body of OpenAI's Responses, or says which rule it breaks.
pub(super) fn read(body: &Value) -> Checked<Accepted> {
    known(body, "", &FIELDS)?;
    let model = body["model"].as_str().filter(|model| !model.is_empty()).ok_or("you must provide a model parameter")?;
    let tools = tools(body)?;
    let mut reader = Reader {
        stored: body["store"] != false,
        searches: tools.iter().any(|spec| spec.name == "tool_search"),
        ..Reader::default()
    };
    match &body["input"] {
        Value::String(text) => reader.out.push(Message::user(text.clone())),
        Value::Array(items) if !items.is_empty() => reader.read(items)?,
        _ => return Err("Missing required parameter: 'input'.".into()),
    }
    let stream = body["stream"].as_bool().unwrap_or(false);
    let system = body["instructions"].as_str().unwrap_or("").to_owned();
    let request = ChatRequest { system, tools, messages: reader.out, ..ChatRequest::default() };
    Ok(Accepted { format: Format::Responses, model: model.into(), stream, usage: true, request })
}

fn known(fields: &Value, place: &str, names: &[&str]) -> Checked<()> {
    let object = fields.as_object().ok_or_else(|| format!("Invalid type for '{place}': expected an object"))?;
    match object.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => Err(format!("Unknown parameter: '{place}{key}'.").into()),
        None => Ok(()),
    }
}

fn tools(body: &Value) -> Checked<Vec<Arc<ToolSpec>>> {
    let all = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    listed::few(all.len(), MAX_TOOLS)?;
    let mut specs = Vec::new();
    for (at, each) in all.iter().enumerate() {
        let place = format!("tools[{at}].");
        specs.push(Arc::new(match each["type"].as_str() {
            Some("function") => function(each, at, &place)?,
            Some("tool_search") => search(each, at, &place)?,
            _ => return Err(format!("Invalid value for '{place}type': {}", each["type"]).into()),
        }));
    }
    listed::unlike(&specs)?;
    let searches = specs.iter().any(|spec| spec.name == "tool_search");
    if all.iter().any(|tool| tool["defer_loading"] == true) && !searches {
        return Err("Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.".into());
    }
    Ok(specs)
}

fn search(tool: &Value, at: usize, place: &str) -> Checked<ToolSpec> {
    known(tool, place, &["type", "execution", "description", "parameters"])?;
    if tool["execution"] != "client" {
        return Err(format!("Invalid value for '{place}execution': only 'client' here").into());
    }
    plain("tool_search", at, &tool["parameters"], false)?;
    let description =
        tool["description"].as_str().ok_or(format!("Missing required parameter: '{place}description'"))?;
    Ok(ToolSpec { name: "tool_search".into(), description: description.into(), parameters: tool["parameters"].clone() })
}

fn function(tool: &Value, at: usize, place: &str) -> Checked<ToolSpec> {
    known(tool, place, &["type", "name", "description", "parameters", "strict", "defer_loading"])?;
    let name = tool["name"].as_str().unwrap_or("");
    listed::name(name, &NAMES, at, &format!("{place}name"))?;
    let parameters = &tool["parameters"];
    plain(name, at, parameters, true)?;
    // What is not said is strict.
    if tool["strict"] != false && parameters["additionalProperties"] != false {
        return Err(format!(
            "Invalid schema for function '{name}': In context=(), 'additionalProperties' is required to be supplied and to be false."
        ).into());
    }
    let description = tool["description"].as_str().unwrap_or("").to_owned();
    Ok(ToolSpec { name: name.into(), description, parameters: parameters.clone() })
}

#[derive(Default)]
struct Reader {
    stored: bool,
    searches: bool,
    out: Vec<Message>,
    /// The kind of every call so far, by its id.
    calls: BTreeMap<String, &'static str>,
    /// Calls without an output, in order.
    open: Vec<String>,
    /// Searches whose words have not come yet, as places in `out`.
    wordless: Vec<usize>,
    /// Thoughts that what they belong to must follow.
    thoughts: Vec<Value>,
}

impl Reader {
    fn read(&mut self, items: &[Value]) -> Checked<()> {
        for (at, item) in items.iter().enumerate() {
            let place = format!("input[{at}]");
            let kind = item["type"].as_str().unwrap_or("message");
            let said = kind.ends_with("_call") || kind == "message" && item["role"] == "assistant";
            if !said && kind != "reasoning" {
                self.follows()?;
            }
            match kind {
                "message" => self.message(item, &place)?,
                "reasoning" => self.reasoning(item, &place)?,
                "function_call" => self.call(item, &place, "function call")?,
                "tool_search_call" => self.call(item, &place, "tool search call")?,
                "function_call_output" => self.output(item, &place)?,
                "tool_search_output" => self.found(item, &place)?,
                other => return Err(format!("Invalid value: '{other}' for '{place}.type'.").into()),
            }
        }
        self.follows()?;
        match (self.open.first(), self.out.last()) {
            (Some(id), _) => Err(format!("No tool output found for {} {id}.", self.calls[id]).into()),
            (None, Some(Message::Assistant { .. })) => {
                Err("the input must end with the person or an output here".into())
            }
            (None, _) => Ok(()),
        }
    }

    fn follows(&mut self) -> Checked<()> {
        match self.thoughts.first() {
            None => Ok(()),
            Some(item) => Err(format!(
                "Item '{}' of type 'reasoning' was provided without its required following item.",
                item["id"].as_str().unwrap_or("")
            )
            .into()),
        }
    }

    fn message(&mut self, item: &Value, place: &str) -> Checked<()> {
        known(item, &format!("{place}."), &["type", "role", "content", "id", "status", "phase"])?;
        let text = words(&item["content"]).ok_or(format!("Invalid type for '{place}.content'"))?;
        if let Some(id) = self.open.first() {
            return Err(format!("No tool output found for {} {id}.", self.calls[id]).into());
        }
        match item["role"].as_str() {
            Some("assistant") => {
                self.begin();
                if let Some(Message::Assistant { text: said, .. }) = self.out.last_mut() {
                    said.push_str(&text);
                }
                self.belong(0);
            }
            Some("user" | "developer" | "system") if self.wordless.is_empty() => {
                let images = images(&item["content"], place)?;
                self.out.push(Message::User { text, images });
            }
            Some("user" | "developer" | "system") => {
                let place = self.wordless.remove(0);
                if let Message::Tool { content, .. } = &mut self.out[place] {
                    *content = text;
                }
            }
            _ => return Err(format!("Invalid value for '{place}.role': {}", item["role"]).into()),
        }
        Ok(())
    }

    /// Opens a message of the model unless one is open.
    fn begin(&mut self) {
        if !matches!(self.out.last(), Some(Message::Assistant { .. })) {
            self.wordless.clear();
            let calls = Vec::new();
            self.out.push(Message::Assistant { text: String::new(), reasoning: None, calls, sealed: Vec::new() });
        }
    }

    /// Gives the thoughts that waited to the part that now stands at `before`.
    fn belong(&mut self, before: usize) {
        let thoughts = std::mem::take(&mut self.thoughts);
        if let Some(Message::Assistant { sealed, .. }) = self.out.last_mut() {
            sealed.extend(thoughts.into_iter().map(|block| Sealed { before, block }));
        }
    }

    fn reasoning(&mut self, item: &Value, place: &str) -> Checked<()> {
        known(item, &format!("{place}."), &["type", "id", "summary", "content", "encrypted_content", "status"])?;
        let summary = item["summary"].as_array().ok_or(format!("Missing required parameter: '{place}.summary'."))?;
        let text: String = summary.iter().filter_map(|piece| piece["text"].as_str()).collect();
        match item["encrypted_content"].as_str() {
            Some(proof) if proof == seal(&text) => {}
            Some(_) => {
                return Err(format!("The encrypted content for item {} could not be verified.", item["id"]).into());
            }
            None if self.stored => {}
            None => {
                return Err(format!(
                    "Item with id '{}' not found. Items are not persisted when `store` is set to false.",
                    item["id"].as_str().unwrap_or("")
                )
                .into());
            }
        }
        self.thoughts.push(item.clone());
        Ok(())
    }

    fn call(&mut self, item: &Value, place: &str, kind: &'static str) -> Checked<()> {
        let fields = ["type", "id", "call_id", "name", "arguments", "execution", "status"];
        known(item, &format!("{place}."), &fields)?;
        let id = item["call_id"].as_str().unwrap_or("").to_owned();
        if id.is_empty() || id.len() > 64 {
            return Err(format!("Invalid '{place}.call_id': string of 1 to 64 characters expected.").into());
        }
        let call = match kind {
            "function call" => function_call(item, place, &id)?,
            _ => self.search_call(item, place, &id)?,
        };
        if self.calls.insert(id.clone(), kind).is_some() {
            return Err(format!("Duplicate call_id '{id}' at '{place}' here").into());
        }
        self.open.push(id.clone());
        if self.answered(&id).is_some() {
            return Ok(());
        }
        self.begin();
        let mut before = 0;
        if let Some(Message::Assistant { calls, .. }) = self.out.last_mut() {
            calls.push(call);
            before = calls.len();
        }
        self.belong(before);
        Ok(())
    }

    fn search_call(&self, item: &Value, place: &str, id: &str) -> Checked<WireCall> {
        if !self.searches {
            return Err(format!("'{place}': a tool_search_call needs the tool_search tool here").into());
        }
        if item["execution"] != "client" {
            return Err(format!("Invalid value for '{place}.execution': only 'client' here").into());
        }
        if !item["arguments"].is_object() {
            return Err(format!("Invalid type for '{place}.arguments': expected an object").into());
        }
        Ok(WireCall { id: id.into(), name: "tool_search".into(), arguments: item["arguments"].to_string() })
    }

    /// The place of the result that a made-up search with this id belongs to.
    fn answered(&self, id: &str) -> Option<usize> {
        let base = id.strip_suffix(REVEALS)?;
        self.out.iter().rposition(|message| matches!(message, Message::Tool { call_id, .. } if call_id == base))
    }

    fn close(&mut self, item: &Value, kind: &str) -> Checked<String> {
        let id = item["call_id"].as_str().unwrap_or("").to_owned();
        if self.calls.get(&id).is_none_or(|known| *known != kind) {
            return Err(format!("No tool call found for {kind} output with call_id {id}.").into());
        }
        match self.open.iter().position(|open| *open == id) {
            Some(place) => drop(self.open.remove(place)),
            None => return Err(format!("Duplicate output for the {kind} {id} here").into()),
        }
        Ok(id)
    }

    fn output(&mut self, item: &Value, place: &str) -> Checked<()> {
        known(item, &format!("{place}."), &["type", "id", "call_id", "output", "status"])?;
        let content = words(&item["output"]).ok_or(format!("Invalid type for '{place}.output'"))?;
        let call_id = self.close(item, "function call")?;
        self.out.push(Message::Tool { call_id, content, reveals: Vec::new() });
        Ok(())
    }

    fn found(&mut self, item: &Value, place: &str) -> Checked<()> {
        known(item, &format!("{place}."), &["type", "id", "call_id", "execution", "status", "tools"])?;
        if item["execution"] != "client" {
            return Err(format!("Invalid value for '{place}.execution': only 'client' here").into());
        }
        let tools = item["tools"].as_array().ok_or(format!("Missing required parameter: '{place}.tools'."))?;
        let mut found = Vec::new();
        for (at, tool) in tools.iter().enumerate() {
            let place = format!("{place}.tools[{at}].");
            if tool["type"] != "function" || tool["defer_loading"] != true {
                return Err(format!("'{place}': a found tool is a function with defer_loading here").into());
            }
            found.push(function(tool, at, &place)?);
        }
        let call_id = self.close(item, "tool search call")?;
        match self.answered(&call_id) {
            Some(place) => {
                if let Message::Tool { reveals, .. } = &mut self.out[place] {
                    *reveals = found;
                }
            }
            None => {
                self.wordless.push(self.out.len());
                self.out.push(Message::Tool { call_id, content: String::new(), reveals: found });
            }
        }
        Ok(())
    }
}

fn function_call(item: &Value, place: &str, id: &str) -> Checked<WireCall> {
    let name = item["name"].as_str().unwrap_or("");
    if !is_name(name, 64) {
        return Err(format!("Invalid '{place}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.").into());
    }
    let arguments =
        item["arguments"].as_str().ok_or(format!("Invalid type for '{place}.arguments': expected a string"))?;
    Ok(WireCall { id: id.into(), name: name.into(), arguments: arguments.into() })
}

/// The pictures of a list of parts, each standing in the message.
fn images(content: &Value, place: &str) -> Checked<Vec<Image>> {
    let parts = content.as_array().map_or(&[][..], Vec::as_slice);
    let pictures = parts.iter().filter(|part| part["type"] == "input_image");
    let image = |part: &Value| {
        let url = part["image_url"].as_str().and_then(|url| url.strip_prefix("data:"));
        let (media_type, data) = url.and_then(|rest| rest.split_once(";base64,"))?;
        Some(Image { media_type: media_type.into(), data: data.into() })
    };
    let wrong = || Fault::from(format!("Invalid '{place}.content': an image_url with data is expected here"));
    pictures.map(|part| image(part).ok_or_else(wrong)).collect()
}

/// Content as text: a string, or the texts of a list of parts.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        _ => None,
    }
}
