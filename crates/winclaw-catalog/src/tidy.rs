use unicode_normalization::char::is_combining_mark;
use winclaw_tool::{DetailFault, Problem, Text, ToolId, ToolManifest};

use crate::names::fold;
use crate::resolve::is_reserved;
use crate::schema::{self, Shape};
use crate::text::{cut, has_hidden, one_line, one_line_each, visible, visible_own};
use crate::{CatalogTool, State, ToolEntry, problems, wire};

/// Caps in characters.
const MAX_SUMMARY: usize = 160;
const MAX_DESCRIPTION: usize = 2_000;
const MAX_FULL_DESCRIPTION: usize = 100_000;
const MAX_LABEL: usize = 60;
const MAX_WORD: usize = 60;
const MAX_EXAMPLE: usize = 200;
const MAX_STATE: usize = 400;
const MAX_GUIDANCE: usize = 400;

/// Largest schema of the parameters, in bytes of JSON: about a quarter of a usual context window.
const MAX_SCHEMA: usize = 128 * 1_024;

/// Caps in number: aliases a language, example requests, actions, stated edges, paths of parameters in one list.
const MAX_EDGES: usize = 256;
const MAX_KEYS: usize = 64;
const MAX_ALIASES: usize = 32;
const MAX_EXAMPLES: usize = 32;
const MAX_ACTIONS: usize = 256;

/// The category of a tool that names none.
const NO_CATEGORY: &str = "other";

const CUT_DESCRIPTION: &str = "… [cut, tool_details shows the rest]";

/// The entry with clean, capped texts and only claims that hold by themselves.
pub(crate) fn tidy(entry: ToolEntry, found: &mut Vec<Problem>) -> CatalogTool {
    let ToolEntry { id, mut manifest, state } = entry;
    look(&id, &manifest, found);
    let written = parameters(&id, &mut manifest, found);
    let uncut = description(&id, &mut manifest, found);
    texts(&id, &mut manifest);
    words(&id, &mut manifest, found);
    let mut tool = CatalogTool {
        id,
        manifest,
        state: clean_state(state),
        wire_name: String::new(),
        fingerprint: String::new(),
        uncut,
    };
    tool.fingerprint = fingerprint(&tool, &written);
    tool
}

/// Cleans and caps the description; the whole of it, if it had to be cut.
fn description(id: &ToolId, manifest: &mut ToolManifest, found: &mut Vec<Problem>) -> Option<String> {
    let given = visible_own(std::mem::take(&mut manifest.description));
    let full = cut(given, MAX_FULL_DESCRIPTION, CUT_DESCRIPTION);
    if full.len() <= MAX_DESCRIPTION || full.chars().count() <= MAX_DESCRIPTION {
        manifest.description = full;
        return None;
    }
    found.push(problems::cut_description(id, MAX_DESCRIPTION));
    manifest.description = cut(full.clone(), MAX_DESCRIPTION, CUT_DESCRIPTION);
    Some(full)
}

/// Warns of what a reader would not see.
fn look(id: &ToolId, manifest: &ToolManifest, found: &mut Vec<Problem>) {
    if has_hidden(id.name()) {
        found.push(problems::hidden(id, "name"));
    }
    let texts =
        [("description", &manifest.description), ("summary", &manifest.summary.en), ("summary", &manifest.summary.zh)];
    found.extend(texts.into_iter().find(|(_, text)| has_hidden(text)).map(|(field, _)| problems::hidden(id, field)));
    if is_reserved(&fold(id.name())) {
        found.push(problems::reserved(id));
    }
}

/// Makes the parameters a schema that can be shown, and keeps the keys that name some of them. The schema as JSON.
fn parameters(id: &ToolId, manifest: &mut ToolManifest, found: &mut Vec<Problem>) -> String {
    let is_deep = read_schema(id, manifest, found);
    keep_keys(id, manifest, found);
    if is_deep {
        return hide_schema(manifest);
    }
    // Twice as fast as `to_string`, which goes through a formatter.
    let written = serde_json::to_string(&manifest.parameters).unwrap_or_default();
    if written.len() > MAX_SCHEMA {
        found.push(problems::too_large(id, MAX_SCHEMA / 1_024));
        return hide_schema(manifest);
    }
    written
}

/// Mends the schema where it can be; whether it was left as it is for being too deep.
fn read_schema(id: &ToolId, manifest: &mut ToolManifest, found: &mut Vec<Problem>) -> bool {
    let (shape, faults) = schema::tidy(std::mem::take(&mut manifest.parameters));
    found.extend(faults.mended.iter().map(|place| problems::mended_schema(id, place)));
    found.extend(faults.hidden_name.iter().map(|_| problems::hidden_parameter(id)));
    let is_deep = matches!(shape, Shape::TooDeep(_));
    let (schema, problem) = match shape {
        Shape::Object(schema) => (schema, None),
        Shape::Mended(schema) => (schema, Some(problems::made_an_object(id))),
        Shape::Other(kind, stand_in) => (stand_in, Some(problems::not_an_object(id, &kind))),
        Shape::TooDeep(schema) => (schema, Some(problems::too_deep(id, schema::MAX_DEPTH))),
    };
    found.extend(problem);
    manifest.parameters = schema;
    is_deep
}

/// Puts an open object in the place of the schema, and gives it as JSON. A call that only the schema's defaults make
/// destructive stays so.
fn hide_schema(manifest: &mut ToolManifest) -> String {
    manifest.side_effect = manifest.side_effect_of(&serde_json::json!({}));
    manifest.parameters = schema::unshown();
    manifest.parameters.to_string()
}

fn keep_keys(id: &ToolId, manifest: &mut ToolManifest, found: &mut Vec<Problem>) {
    let mut keep = |field: &str, mut keys: Vec<String>| {
        at_most(id, field, &mut keys, MAX_KEYS, found);
        keys.retain(|key| {
            let fault = fault_of(manifest, field, key);
            found.extend(fault.map(|fault| problems::bad_key(id, field, key, fault)));
            fault.is_none()
        });
        keys
    };
    let detail_keys = keep("detail_keys", manifest.detail_keys.clone());
    let volatile_keys = keep("volatile_keys", manifest.volatile_keys.clone());
    let destructive_if = keep("destructive_if", manifest.destructive_if.clone());
    (manifest.detail_keys, manifest.volatile_keys) = (detail_keys, volatile_keys);
    manifest.destructive_if = destructive_if;
}

fn fault_of(manifest: &ToolManifest, field: &str, key: &str) -> Option<DetailFault> {
    match field {
        "detail_keys" => manifest.detail_fault(key),
        _ => (!manifest.has_parameter(key)).then_some(DetailFault::NoParameter),
    }
}

fn texts(id: &ToolId, manifest: &mut ToolManifest) {
    manifest.name = one_line(id.name(), id.name().len());
    manifest.title = one_line_each(&manifest.title, MAX_LABEL);
    manifest.emoji = one_line(&manifest.emoji, 4);
    manifest.category = category(&manifest.category);
    manifest.guidance = one_line(&manifest.guidance, MAX_GUIDANCE);
    let stated = one_line_each(&manifest.summary, MAX_SUMMARY);
    manifest.summary = if stated.is_empty() { first_line(&manifest.description) } else { stated };
}

fn category(stated: &str) -> String {
    // A category is a heading among headings, so it has no signs with which one could be imitated.
    let is_plain = |c: char| c.is_alphanumeric() || is_combining_mark(c) || "-_&/.'".contains(c);
    let stated: String = visible(stated).chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
    let tidy = one_line(&stated, MAX_LABEL).to_lowercase();
    if tidy.is_empty() { NO_CATEGORY.to_owned() } else { tidy }
}

/// A summary for a tool that states none.
fn first_line(description: &str) -> Text {
    let line = one_line(description.lines().next().unwrap_or(""), MAX_SUMMARY);
    Text::new(line.clone(), line)
}

fn words(id: &ToolId, manifest: &mut ToolManifest, found: &mut Vec<Problem>) {
    let mut cap = |field: &str, words: &mut Vec<String>, length: usize, number: usize| {
        *words = words.iter().map(|word| one_line(word, length)).filter(|word| !word.is_empty()).collect();
        at_most(id, field, words, number, found);
    };
    cap("aliases.en", &mut manifest.aliases.en, MAX_WORD, MAX_ALIASES);
    cap("aliases.zh", &mut manifest.aliases.zh, MAX_WORD, MAX_ALIASES);
    cap("examples", &mut manifest.examples, MAX_EXAMPLE, MAX_EXAMPLES);
    cap("actions", &mut manifest.actions, MAX_WORD, MAX_ACTIONS);
    at_most(id, "depends_on", &mut manifest.depends_on, MAX_EDGES, found);
}

fn at_most<T>(id: &ToolId, field: &str, list: &mut Vec<T>, number: usize, found: &mut Vec<Problem>) {
    if list.len() > number {
        list.truncate(number);
        found.push(problems::too_many(id, field, number));
    }
}

fn clean_state(state: State) -> State {
    let tidy = |text: Text| one_line_each(&text, MAX_STATE);
    match state {
        State::Ready => State::Ready,
        State::Disabled { why } => State::Disabled { why: tidy(why) },
        State::Unavailable { why, retryable } => State::Unavailable { why: tidy(why), retryable },
        State::NeedsConfig { what } => State::NeedsConfig { what: tidy(what) },
    }
}

fn fingerprint(tool: &CatalogTool, parameters: &str) -> String {
    let mut hex = wire::digest(&[tool.id.as_str(), tool.full_description(), parameters]);
    hex.truncate(16);
    hex
}
