use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use winclaw_tool::ToolSpec;

use super::fill;
use crate::{ChatReply, ChatRequest, Message, ModelError, NativeTools, WireCall};

/// Longest part of a request that a mismatch quotes, in characters.
const MAX_QUOTE: usize = 300;

/// Replies in the order they are given, each with what the request must hold. Its file is JSON:
///
/// ```
/// let script = winclaw_model::Script::parse(r#"{
///   "schema": 1, "name": "sky",
///   "steps": [
///     { "expect": { "tools": ["sky__forecast"], "last_contains": "sky" },
///       "reply": { "calls": [ { "name": "sky__forecast", "arguments": { "place": "Oslo" } } ] } },
///     { "expect": { "results": 1 },
///       "reply": { "text": "It has {{result:0:/degrees}} degrees." } }
///   ]
/// }"#);
/// assert_eq!(script.expect("a script").steps.len(), 2);
/// ```
///
/// Unknown fields are errors, so that a mistyped demand does not pass unnoticed. Strings in a reply may hold
/// `{{result:N:/pointer}}`: the value at that JSON pointer in the first JSON of the N-th tool result of the conversation,
/// counted from 0 over the whole conversation. Inside a longer string a value that is no string is written as JSON; a
/// string of `arguments` that is nothing but one such mark becomes the value itself. With an empty pointer, a result
/// that holds no JSON is taken as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Version of this form; 1.
    pub schema: u32,
    /// What people and traces call it, after `replay/`.
    pub name: String,
    /// What the model says of its window. Default 128 000 tokens.
    #[serde(default = "default_window")]
    pub window_tokens: u32,
    /// How the model says tools can be revealed to it, `references` or `search_result`. Default not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<NativeTools>,
    /// The replies in order.
    pub steps: Vec<Step>,
}

fn default_window() -> u32 {
    128_000
}

/// One reply, or the same reply several times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What the request must hold for the step to be taken at all; one that holds something else passes it over, for good.
    /// So a script can listen: the same model goes on otherwise where it was told something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expect>,
    /// What the request must hold; nothing by default.
    #[serde(default)]
    pub expect: Expect,
    /// What is answered.
    pub reply: Reply,
    /// How many requests in a row are answered so. Default 1.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: usize,
}

fn once() -> usize {
    1
}

fn is_once(times: &usize) -> bool {
    *times == 1
}

/// What a request must hold for a step to answer it. In JSON each list may be written as one string.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Names that stand in the tools array.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Names that do not stand in the tools array.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub not_tools: Vec<String>,
    /// Names that stand among the deferred tools.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<String>,
    /// Names that some result so far reveals.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub revealed: Vec<String>,
    /// Texts that the system prompt holds.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub system_contains: Vec<String>,
    /// Texts that some message holds, as its words, thoughts, arguments, result or the schemas it reveals.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub messages_contain: Vec<String>,
    /// Texts that the last message holds.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub last_contains: Vec<String>,
    /// How many tool results the conversation has so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<usize>,
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Repr {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Repr::deserialize(deserializer)? {
        Repr::One(one) => vec![one],
        Repr::Many(many) => many,
    })
}

/// What a step answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// The thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The tool calls in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ScriptCall>,
    /// Whether the reply was cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
}

/// A tool call of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptCall {
    /// The call's id; made from step and place when absent or already used in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's wire name, or any other name.
    pub name: String,
    /// The arguments: an object, or a string that is sent as it is, well-formed or not. Default `{}`.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

/// How far a script has been played. The default is its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    step: usize,
    times: usize,
    asked: usize,
}

impl Cursor {
    /// How many replies were given.
    pub fn asked(&self) -> usize {
        self.asked
    }
}

impl Script {
    /// Reads a script from JSON. The error says what is wrong and in which line.
    pub fn parse(json: &str) -> Result<Self, String> {
        let script: Script = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match script.schema {
            1 => Ok(script),
            other => Err(format!("schema is {other}, and 1 is what can be read")),
        }
    }

    /// The reply to the next request. `at` moves on only where there is one.
    ///
    /// Errors: [`ModelError::ReplayMismatch`] when the script has no step left, the request does not hold what the step
    /// demands, or a mark points at nothing; it says what was demanded and what the request had.
    pub fn next(&self, at: &mut Cursor, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let taken = |step: &Step| step.when.as_ref().is_none_or(|when| when.check(request).is_ok());
        let mut new = *at;
        while let Some(step) = self.steps.get(new.step) {
            // A step that is under way was taken.
            if new.times < step.times && (new.times > 0 || taken(step)) {
                let answer = step.expect.check(request).and_then(|()| step.reply.fill(new.asked, request));
                let reply = answer.map_err(|message| self.mismatch(new.step + 1, message))?;
                *at = Cursor { times: new.times + 1, asked: new.asked + 1, ..new };
                return Ok(reply);
            }
            new = Cursor { step: new.step + 1, times: 0, ..new };
        }
        let message = format!("the script has no reply left, and this is request {}", at.asked + 1);
        Err(self.mismatch(self.steps.len() + 1, message))
    }

    fn mismatch(&self, step: usize, message: String) -> ModelError {
        ModelError::ReplayMismatch { name: self.name.clone(), step, message }
    }
}

impl Expect {
    fn check(&self, request: &ChatRequest) -> Result<(), String> {
        let names = names(&request.tools);
        all_named("tools", &self.tools, &names)?;
        if let Some(name) = self.not_tools.iter().find(|name| names.contains(&name.as_str())) {
            return Err(format!("the tools must not hold `{name}`; they are: {}", quote(&names.join(", "))));
        }
        all_named("deferred tools", &self.deferred, &self::names(&request.deferred))?;
        all_named("revealed tools", &self.revealed, &revealed(request))?;
        let results = results(request).len();
        if let Some(demanded) = self.results.filter(|demanded| *demanded != results) {
            return Err(format!("there must be {demanded} tool results; there are {results}"));
        }
        let words: Vec<String> = request.messages.iter().map(words).collect();
        let last = words.last().map_or("", String::as_str);
        all_in("the system prompt", &self.system_contains, &request.system)?;
        all_in("some message", &self.messages_contain, &words.join("\n"))?;
        all_in("the last message", &self.last_contains, last)
    }
}

fn names<T: Borrow<ToolSpec>>(tools: &[T]) -> Vec<&str> {
    tools.iter().map(|tool| tool.borrow().name.as_str()).collect()
}

fn revealed(request: &ChatRequest) -> Vec<&str> {
    let mut all = Vec::new();
    for message in &request.messages {
        if let Message::Tool { reveals, .. } = message {
            all.extend(names(reveals));
        }
    }
    all
}

fn all_named(what: &str, demanded: &[String], names: &[&str]) -> Result<(), String> {
    match demanded.iter().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(format!("the {what} must hold `{name}`; they are: {}", quote(&names.join(", ")))),
    }
}

fn all_in(place: &str, demanded: &[String], text: &str) -> Result<(), String> {
    match demanded.iter().find(|part| !text.contains(part.as_str())) {
        None => Ok(()),
        Some(part) => Err(format!("{place} must hold `{part}`; there is: {}", quote(text))),
    }
}

/// The end of a text, where what a test looks for most often stands.
fn quote(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_QUOTE {
        return format!("\"{text}\"");
    }
    format!("\"…{}\"", text.chars().skip(count - MAX_QUOTE).collect::<String>())
}

fn words(message: &Message) -> String {
    match message {
        Message::User { text, .. } => text.clone(),
        Message::Tool { content, reveals, .. } if reveals.is_empty() => content.clone(),
        Message::Tool { content, reveals, .. } => {
            let schemas = reveals.iter().map(|spec| format!("{} {} {}", spec.name, spec.description, spec.parameters));
            std::iter::once(content.clone()).chain(schemas).collect::<Vec<_>>().join("\n")
        }
        Message::Assistant { text, reasoning, calls, .. } => {
            let calls = calls.iter().flat_map(|call| [call.name.as_str(), call.arguments.as_str()]);
            let parts = [text.as_str(), reasoning.as_deref().unwrap_or("")].into_iter().chain(calls);
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        }
    }
}

fn results(request: &ChatRequest) -> Vec<&str> {
    let mut results = Vec::new();
    for message in &request.messages {
        if let Message::Tool { content, .. } = message {
            results.push(content.as_str());
        }
    }
    results
}

impl Reply {
    fn fill(&self, asked: usize, request: &ChatRequest) -> Result<ChatReply, String> {
        let results = results(request);
        let mut taken = taken(request);
        let mut calls = Vec::new();
        for (place, call) in self.calls.iter().enumerate() {
            let arguments = match &call.arguments {
                Value::String(raw) => fill::text(raw, &results)?,
                other => fill::value(other, &results)?.to_string(),
            };
            let made = || format!("call_{asked}_{place}");
            let mut id = call.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(made);
            if taken.contains(&id) {
                id = format!("{id}_{asked}_{place}");
            }
            taken.insert(id.clone());
            calls.push(WireCall { id, name: call.name.clone(), arguments });
        }
        Ok(ChatReply {
            text: fill::text(&self.text, &results)?,
            reasoning: self.reasoning.clone(),
            calls,
            cut_off: self.cut_off,
            ..ChatReply::default()
        })
    }
}

fn taken(request: &ChatRequest) -> BTreeSet<String> {
    let calls = |message: &Message| match message {
        Message::Assistant { calls, .. } => calls.iter().map(|call| call.id.clone()).collect(),
        _ => Vec::new(),
    };
    request.messages.iter().flat_map(calls).collect()
}
