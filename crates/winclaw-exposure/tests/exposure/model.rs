//! Scripted models that know what they want and otherwise only what they were shown, and the little of a host they need.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_exposure::{Answer, Because, Exposure, Prefix, Signal};
use winclaw_tool::ToolSpec;

use crate::task::{has_word, schemas_in};

/// What the model wants: a tool that does `need`, which it would recognise by `name` and expects in `category`.
#[derive(Clone)]
pub(crate) struct Wanted<'a> {
    pub(crate) tool: ToolIx,
    pub(crate) need: String,
    pub(crate) name: &'a str,
    pub(crate) category: &'a str,
}

/// How the host's search answers: with these, whatever was asked, or only by category.
pub(crate) enum Search {
    Finds(Vec<ToolIx>),
    Nothing,
}

/// How a model behaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mind {
    /// Does the best it can with what it sees.
    Plain,
    /// Before each kind of right step, takes a wrong one of the same kind.
    WrongFirst,
    /// First calls by a name from its memory, with these arguments.
    Remembers(String, Value),
    /// Searches first with words that find nothing, in another language than the tools.
    Chinese,
    /// Uses names, and never `tool_search`.
    NeverSearches,
}

pub(crate) struct Host<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) exposure: Exposure,
    pub(crate) search: Search,
    /// What was said to the model before it set out for what it wants.
    pub(crate) conversation: Conversation,
}

/// What the model can read behind the prefix.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    pub(crate) text: String,
    pub(crate) revealed: Vec<ToolSpec>,
}

impl Conversation {
    fn add(&mut self, answer: Answer) {
        self.text.push('\n');
        self.text.push_str(&answer.text);
        self.revealed.extend(answer.reveals);
    }
}

/// What one call led to.
enum Outcome {
    Ran(ToolIx),
    Answer(Answer),
}

fn said(text: String) -> Outcome {
    Outcome::Answer(Answer { text, reveals: Vec::new() })
}

impl Host<'_> {
    fn answer(&mut self, name: &str, arguments: &Value) -> Outcome {
        match self.exposure.parse_meta(name, arguments) {
            None => self.tool(name, arguments),
            Some(Err(failure)) => said(failure.message),
            Some(Ok(MetaCall::Call { name, arguments })) => self.tool(&name, &arguments),
            Some(Ok(MetaCall::Ask { .. })) => said("nobody is there".into()),
            Some(Ok(MetaCall::Details { names })) => {
                let resolved: Vec<_> =
                    names.into_iter().map(|name| (name.clone(), self.catalog.resolve(&name))).collect();
                Outcome::Answer(self.exposure.details_answer(self.catalog, &resolved))
            }
            Some(Ok(MetaCall::Search { queries, category, .. })) => {
                let found = match &self.search {
                    Search::Finds(found) => found.clone(),
                    Search::Nothing => Vec::new(),
                };
                let found = meta::within(self.catalog, found, category.as_deref());
                Outcome::Answer(self.exposure.search_answer(self.catalog, &found, &queries.join(" ")))
            }
        }
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Outcome {
        let tool = match self.catalog.resolve(name) {
            Resolution::One(tool) => tool,
            Resolution::Many(tools) => {
                return said(self.exposure.ambiguous_answer(self.catalog, name, &tools).message);
            }
            Resolution::Unknown { nearest } => {
                return said(self.exposure.unknown_answer(self.catalog, name, &nearest).message);
            }
        };
        if let Some(failure) = self.exposure.state_answer(self.catalog, tool) {
            return said(failure.message);
        }
        if required(&self.catalog.get(tool).manifest.parameters).iter().all(|key| arguments.get(key).is_some()) {
            self.exposure.learn(self.catalog, Signal::Used(tool));
            return Outcome::Ran(tool);
        }
        self.exposure.learn(self.catalog, Signal::CalledUnshown(tool));
        let mut answer = self.exposure.reveal(self.catalog, &[tool], Because::CalledUnshown);
        answer.text = format!("wrong arguments\n{}", answer.text);
        Outcome::Answer(answer)
    }
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Something for every parameter the schema requires.
pub(crate) fn arguments_for(schema: &Value) -> Value {
    required(schema).into_iter().map(|key| (key, json!("something"))).collect::<Map<String, Value>>().into()
}

/// How a search for what is wanted ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Turns before the call that ran.
    pub(crate) turns: u32,
    /// Turns of these that the model took on purpose in the wrong direction.
    pub(crate) astray: u32,
    /// Turns of these in which it read a further page of a list that did not fit one answer.
    pub(crate) pages: u32,
}

impl Reached {
    /// Whether it took no more than was promised beside what it had to take.
    pub(crate) fn keeps(&self, promised: Option<u32>) -> bool {
        promised.is_some_and(|promised| self.turns <= promised + self.astray + self.pages)
    }
}

/// Runs the model until it has called what it wants; what it took, or what it last saw.
pub(crate) fn reach(mut host: Host<'_>, wanted: &Wanted<'_>, mind: &Mind) -> Result<Reached, String> {
    let mut model = Model { mind: mind.clone(), searched: false, astray: BTreeSet::new(), pages: 0 };
    let mut conversation = std::mem::take(&mut host.conversation);
    for turns in 0..9 {
        let surface = host.exposure.surface(host.catalog);
        conversation.add(Answer { text: surface.tail.unwrap_or_default(), reveals: Vec::new() });
        let (name, arguments) = model
            .decide(&surface.prefix, &conversation, wanted)
            .ok_or_else(|| format!("nothing to do on turn {turns}; conversation: {}", conversation.text))?;
        match host.answer(&name, &arguments) {
            Outcome::Ran(tool) if tool == wanted.tool => {
                let astray = model.astray.len() as u32;
                return Ok(Reached { turns, astray, pages: model.pages });
            }
            Outcome::Ran(tool) if model.astray.is_empty() => return Err(format!("ran {}", host.catalog.get(tool).id)),
            Outcome::Ran(_) => conversation.add(Answer { text: "done".into(), reveals: Vec::new() }),
            Outcome::Answer(answer) => conversation.add(answer),
        }
    }
    let system = &host.exposure.surface(host.catalog).prefix.system;
    Err(format!("gave up; system: {system}; conversation: {}", conversation.text))
}

struct Model {
    mind: Mind,
    searched: bool,
    /// Kinds of wrong steps it has taken.
    astray: BTreeSet<&'static str>,
    pages: u32,
}

type Call = (String, Value);

impl Model {
    fn decide(&mut self, prefix: &Prefix, conversation: &Conversation, wanted: &Wanted<'_>) -> Option<Call> {
        let had_searched = self.searched;
        let right = self.best(prefix, conversation, wanted);
        let searches = right.as_ref().is_some_and(|call| call.0 == "tool_search");
        match &self.mind {
            Mind::Plain => right,
            Mind::NeverSearches => right.filter(|_| !searches),
            Mind::Chinese if searches && self.astray.insert("words") => {
                self.searched = had_searched;
                Some(("tool_search".to_owned(), json!({"queries": ["请帮我把这件事办好"]})))
            }
            Mind::Chinese => right,
            Mind::Remembers(name, arguments) if self.astray.insert("memory") => {
                let call = through(prefix, conversation, name, arguments.clone());
                self.searched = had_searched;
                Some(call)
            }
            Mind::Remembers(..) => right,
            Mind::WrongFirst => {
                let right = right?;
                let wrong = wrong(&right, prefix, conversation, wanted);
                if !self.astray.insert(wrong.0) {
                    return Some(right);
                }
                self.searched = had_searched;
                Some(wrong.1)
            }
        }
    }

    /// The tool if its schema is known, else its details if its name is, else a search.
    fn best(&mut self, prefix: &Prefix, conversation: &Conversation, wanted: &Wanted<'_>) -> Option<Call> {
        let has = |name: &str| prefix.tools.iter().any(|tool| tool.name == name);
        // What was said last holds.
        let read =
            schemas_in(&conversation.text).into_iter().rev().filter_map(|schema| serde_json::from_value(schema).ok());
        let read: Vec<ToolSpec> = read.collect();
        let mut known =
            read.iter().chain(conversation.revealed.iter().rev()).chain(prefix.tools.iter().map(AsRef::as_ref));
        if let Some(spec) = known.find(|spec| spec.description.contains(&format!("Does {} ", wanted.need))) {
            return Some(through(prefix, conversation, &spec.name, arguments_for(&spec.parameters)));
        }
        if has_word(&prefix.system, wanted.name) || has_word(&conversation.text, wanted.name) {
            return Some(match has("tool_details") {
                true => ("tool_details".to_owned(), json!({"names": [wanted.name]})),
                false => through(prefix, conversation, wanted.name, json!({})),
            });
        }
        let knows_category = prefix.system.contains(wanted.category) || conversation.text.contains(wanted.category);
        let first = !std::mem::replace(&mut self.searched, true);
        let last = conversation.text.lines().rfind(|line| line.starts_with('{')).unwrap_or_default();
        let goes_on = !first && last.contains("\"and_more\":");
        self.pages += u32::from(goes_on);
        let search = json!({"queries": [wanted.need], "category": wanted.category});
        let can = has("tool_search") || conversation.text.contains("\"name\":\"tool_search\"");
        (can && (first || goes_on) && knows_category).then(|| ("tool_search".to_owned(), search))
    }
}

/// A call by name, or through `tool_call` if the name is in no list of the vendor's.
fn through(prefix: &Prefix, conversation: &Conversation, name: &str, arguments: Value) -> Call {
    let listed =
        |name: &str| prefix.tools.iter().map(AsRef::as_ref).chain(&conversation.revealed).any(|tool| tool.name == name);
    match listed("tool_call") && !listed(name) {
        true => ("tool_call".to_owned(), json!({"name": name, "arguments": arguments})),
        false => (name.to_owned(), arguments),
    }
}

/// A wrong step of the same kind as the right one.
fn wrong(right: &Call, prefix: &Prefix, conversation: &Conversation, wanted: &Wanted<'_>) -> (&'static str, Call) {
    match right.0.as_str() {
        "tool_search" => {
            ("search", (right.0.clone(), json!({"queries": ["something else"], "category": "no such thing"})))
        }
        "tool_details" => ("details", (right.0.clone(), json!({"names": ["no_such_tool"]}))),
        _ => {
            let mut others = prefix.tools.iter().filter(|spec| !meta::is_meta(&spec.name) && spec.name != wanted.name);
            let name = others.next().map_or("no_such_tool", |spec| spec.name.as_str());
            ("call", through(prefix, conversation, name, json!({})))
        }
    }
}
