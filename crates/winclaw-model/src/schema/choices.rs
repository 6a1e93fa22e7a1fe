use serde_json::{Map, Value, json};
use winclaw_tool::Text;

/// Choices that become one object, and what is said of them.
const CHOICES: [(&str, &str); 2] =
    [("anyOf", "Give one of these sets of arguments"), ("oneOf", "Give exactly one of these sets of arguments")];
/// Conditions that only the check of the call knows how to hold.
const CONDITIONS: [&str; 9] =
    ["enum", "const", "not", "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"];
/// Most branches that the description names.
const MAX_NAMED: usize = 8;

/// One object without choices at its top, which allows whatever the given one allows.
///
/// Errors: none of the branches is about an object.
pub(super) fn flatten(mut top: Map<String, Value>) -> Result<Map<String, Value>, Text> {
    for part in branches(top.shift_remove("allOf")) {
        merge_all(&mut top, part);
    }
    for key in ["then", "else"] {
        if let Some(Value::Object(branch)) = top.get(key).cloned() {
            add_properties(&mut top, &branch);
        }
    }
    for (key, words) in CHOICES {
        let given = top.shift_remove(key);
        let asked = given.is_some();
        let branches: Vec<_> = branches(given).into_iter().filter(is_object).collect();
        match branches.is_empty() {
            true if asked => {
                return Err(Text::new(
                    "none of the choices in its schema is an object",
                    "参数格式的各个选项都不是对象",
                ));
            }
            true => {}
            false => choose(&mut top, &branches, words),
        }
    }
    CONDITIONS.iter().for_each(|key| drop(top.shift_remove(*key)));
    match top.get("type") {
        Some(kind) if !may_be_object(kind) => {
            Err(Text::new("its schema is for something else than an object", "参数格式描述的不是对象"))
        }
        _ => Ok(top),
    }
}

fn branches(given: Option<Value>) -> Vec<Map<String, Value>> {
    let Some(Value::Array(branches)) = given else { return Vec::new() };
    let object = |branch| match branch {
        Value::Object(map) => Some(map),
        _ => None,
    };
    // A branch may itself be a choice.
    branches.into_iter().filter_map(object).filter_map(|branch| flatten(branch).ok()).collect()
}

fn is_object(branch: &Map<String, Value>) -> bool {
    branch.get("type").is_none_or(may_be_object)
}

fn may_be_object(kind: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.contains(&json!("object")),
        Value::String(kind) => kind == "object",
        _ => true,
    }
}

/// Everything of `part` holds as well.
fn merge_all(top: &mut Map<String, Value>, part: Map<String, Value>) {
    add_properties(top, &part);
    let required = names(top).into_iter().chain(names(&part)).fold(Vec::new(), |mut all: Vec<String>, name| {
        if !all.contains(&name) {
            all.push(name);
        }
        all
    });
    set_required(top, required);
    for (key, value) in part {
        // Two parts may each forbid what the other allows.
        if key != "required" && key != "properties" && key != "additionalProperties" {
            top.entry(key).or_insert(value);
        }
    }
}

/// One of `branches` holds: all their properties may stand, those that every branch demands must.
fn choose(top: &mut Map<String, Value>, branches: &[Map<String, Value>], words: &str) {
    let own = names(top);
    let said = branches.iter().take(MAX_NAMED).map(|branch| set_of(branch, &own)).collect::<Vec<_>>();
    branches.iter().for_each(|branch| add_properties(top, branch));
    let common = |name: &String| branches.iter().all(|branch| names(branch).contains(name));
    let shared: Vec<String> =
        names(&branches[0]).into_iter().filter(common).filter(|name| !own.contains(name)).collect();
    set_required(top, own.into_iter().chain(shared).collect());
    if said.iter().any(|set| !set.is_empty()) {
        let sets =
            said.iter().map(|set| if set.is_empty() { "nothing else" } else { set }).collect::<Vec<_>>().join("; or ");
        describe(top, &format!("{words}: {sets}."));
    }
}

/// The arguments a branch is about: those it demands, else those it has.
fn set_of(branch: &Map<String, Value>, own: &[String]) -> String {
    let demanded: Vec<String> = names(branch).into_iter().filter(|name| !own.contains(name)).collect();
    let all = || properties(branch).map(|(name, _)| name.clone()).collect();
    let names: Vec<String> = if demanded.is_empty() { all() } else { demanded };
    names.join(", ")
}

/// Adds a sentence to the description of a schema.
pub(super) fn describe(schema: &mut Map<String, Value>, sentence: &str) {
    let before = schema.get("description").and_then(Value::as_str).unwrap_or("").trim_end().to_owned();
    if before.contains(sentence) {
        return;
    }
    let gap = if before.is_empty() { "" } else { " " };
    schema.insert("description".into(), format!("{before}{gap}{sentence}").into());
}

fn add_properties(top: &mut Map<String, Value>, branch: &Map<String, Value>) {
    if properties(branch).next().is_none() {
        return;
    }
    let slot = top.entry("properties").or_insert_with(|| json!({}));
    let Some(slot) = slot.as_object_mut() else { return };
    for (name, schema) in properties(branch) {
        match slot.get_mut(name) {
            None => drop(slot.insert(name.clone(), schema.clone())),
            Some(there) if there == schema => {}
            Some(there) => either(there, schema),
        }
    }
}

/// A property that two branches see differently may be as either wants it.
fn either(there: &mut Value, schema: &Value) {
    match there.as_object_mut().filter(|map| map.len() == 1).and_then(|map| map.get_mut("anyOf")) {
        Some(Value::Array(all)) if all.contains(schema) => {}
        Some(Value::Array(all)) => all.push(schema.clone()),
        _ => *there = json!({"anyOf": [there.clone(), schema]}),
    }
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn names(schema: &Map<String, Value>) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn set_required(schema: &mut Map<String, Value>, required: Vec<String>) {
    match required.is_empty() {
        true => drop(schema.shift_remove("required")),
        false => drop(schema.insert("required".into(), required.into())),
    }
}
