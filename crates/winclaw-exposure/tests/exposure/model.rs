//! A scripted model that knows what it wants and otherwise only what it was shown, and the little of a host it needs.

use serde_json::{Map, Value, json};
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_exposure::{Because, Exposure, Prefix, Signal};
use winclaw_tool::ToolSpec;

/// What the model wants: a tool that does `need`, which it would recognise by `name` and expects in `category`.
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

pub(crate) struct Host<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) exposure: Exposure,
    pub(crate) search: Search,
}

/// What one call led to.
enum Outcome {
    Ran(ToolIx),
    Answer(String),
}

impl Host<'_> {
    fn answer(&mut self, name: &str, arguments: &Value) -> Outcome {
        match self.exposure.parse_meta(name, arguments) {
            None => self.tool(name, arguments),
            Some(Err(failure)) => Outcome::Answer(failure.message),
            Some(Ok(MetaCall::Call { name, arguments })) => self.tool(&name, &arguments),
            Some(Ok(MetaCall::Ask { .. })) => Outcome::Answer("nobody is there".into()),
            Some(Ok(MetaCall::Details { names })) => {
                let resolved: Vec<_> =
                    names.into_iter().map(|name| (name.clone(), self.catalog.resolve(&name))).collect();
                Outcome::Answer(self.exposure.details_answer(self.catalog, &resolved).text)
            }
            Some(Ok(MetaCall::Search { queries, category, .. })) => {
                let found = match &self.search {
                    Search::Finds(found) => found.clone(),
                    Search::Nothing => Vec::new(),
                };
                let found = meta::within(self.catalog, found, category.as_deref());
                Outcome::Answer(self.exposure.search_answer(self.catalog, &found, &queries.join(" ")).text)
            }
        }
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Outcome {
        let tool = match self.catalog.resolve(name) {
            Resolution::One(tool) => tool,
            Resolution::Many(tools) => {
                return Outcome::Answer(self.exposure.ambiguous_answer(self.catalog, name, &tools).message);
            }
            Resolution::Unknown { nearest } => {
                return Outcome::Answer(self.exposure.unknown_answer(self.catalog, name, &nearest).message);
            }
        };
        if let Some(failure) = self.exposure.state_answer(self.catalog, tool) {
            return Outcome::Answer(failure.message);
        }
        if required(&self.catalog.get(tool).manifest.parameters).iter().all(|key| arguments.get(key).is_some()) {
            return Outcome::Ran(tool);
        }
        self.exposure.learn(self.catalog, Signal::CalledUnshown(tool));
        let schema = self.exposure.reveal(self.catalog, &[tool], Because::CalledUnshown).text;
        Outcome::Answer(format!("wrong arguments\n{schema}"))
    }
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Runs the model until it has called what it wants; the number of turns it took before that, or what it last saw.
pub(crate) fn extra_turns(mut host: Host<'_>, wanted: &Wanted<'_>) -> Result<u32, String> {
    let mut conversation = String::new();
    let mut searched = false;
    for turn in 0..5 {
        let surface = host.exposure.surface(host.catalog);
        conversation.extend(surface.tail.iter().map(|tail| format!("\n{tail}")));
        let (name, arguments) = decide(&surface.prefix, &conversation, wanted, &mut searched)
            .ok_or_else(|| format!("nothing to do on turn {turn}; conversation: {conversation}"))?;
        match host.answer(&name, &arguments) {
            Outcome::Ran(tool) if tool == wanted.tool => return Ok(turn),
            Outcome::Ran(tool) => return Err(format!("ran {} instead", host.catalog.get(tool).id)),
            Outcome::Answer(text) => conversation.push_str(&format!("\n{text}")),
        }
    }
    Err(format!("gave up; system: {}; conversation: {conversation}", host.exposure.surface(host.catalog).prefix.system))
}

/// The next call: the tool if its schema is known, else its details if its name is, else a search.
fn decide(prefix: &Prefix, conversation: &str, wanted: &Wanted<'_>, searched: &mut bool) -> Option<(String, Value)> {
    let has = |name: &str| prefix.tools.iter().any(|tool| tool.name == name);
    let read = read_schemas(conversation);
    let known = prefix.tools.iter().chain(&read).find(|spec| does(spec, &wanted.need));
    let through = |name: &str, arguments: Value| match has("tool_call") && !has(name) {
        true => ("tool_call".to_owned(), json!({"name": name, "arguments": arguments})),
        false => (name.to_owned(), arguments),
    };
    if let Some(spec) = known {
        let arguments: Map<String, Value> =
            required(&spec.parameters).into_iter().map(|key| (key, json!("something"))).collect();
        return Some(through(&spec.name, arguments.into()));
    }
    if names(&prefix.system, wanted.name) || names(conversation, wanted.name) {
        return Some(match has("tool_details") {
            true => ("tool_details".to_owned(), json!({"names": [wanted.name]})),
            false => through(wanted.name, json!({})),
        });
    }
    let knows_category = prefix.system.contains(wanted.category);
    let first = !std::mem::replace(searched, true);
    (has("tool_search") && first && knows_category)
        .then(|| ("tool_search".to_owned(), json!({"queries": [wanted.need], "category": wanted.category})))
}

fn does(spec: &ToolSpec, need: &str) -> bool {
    spec.description.contains(&format!("Does {need} "))
}

/// Whether `text` has `name` as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Every schema that stands in the conversation as JSON.
fn read_schemas(conversation: &str) -> Vec<ToolSpec> {
    let lines = conversation.lines().map(|line| line.trim_start_matches("Schema: "));
    let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.flat_map(|value| specs_in(&value)).collect()
}

fn specs_in(value: &Value) -> Vec<ToolSpec> {
    let lists = ["found", "tools"].into_iter().filter_map(|key| value.get(key)?.as_array());
    let inner = lists.flatten().flat_map(specs_in);
    serde_json::from_value(value.clone()).into_iter().chain(inner).collect()
}
