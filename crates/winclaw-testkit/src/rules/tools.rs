use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_tool::ToolSpec;

use super::{Checked, Fault, Names, Rules, What, Why, schema};

/// The tools of a body of chat completions.
pub(super) fn read(body: &Value, rules: &Rules) -> Checked<Vec<Arc<ToolSpec>>> {
    let Some(tools) = body.get("tools") else {
        return Ok(Vec::new());
    };
    let tools = tools.as_array().ok_or("'tools' must be an array")?;
    match tools.len() {
        0 => return Err("[] is too short - 'tools'".into()),
        many => few(many, rules.max_tools)?,
    }
    let specs = tools.iter().enumerate().map(|(at, each)| tool(at, each, rules).map(Arc::new));
    let specs: Vec<Arc<ToolSpec>> = specs.collect::<Checked<_>>()?;
    unlike(&specs)?;
    Ok(specs)
}

/// At most `most` tools.
pub(super) fn few(got: usize, most: usize) -> Checked<()> {
    if got <= most {
        return Ok(());
    }
    let said = format!(
        "Invalid 'tools': array too long. Expected an array with maximum length {most}, but got an array with length {got} instead."
    );
    Err(Fault::new(What::ManyTools { most, got }, said))
}

/// No name stands twice.
pub(super) fn unlike(specs: &[Arc<ToolSpec>]) -> Checked<()> {
    let mut names = BTreeSet::new();
    match specs.iter().find(|spec| !names.insert(spec.name.as_str())) {
        Some(spec) => {
            let said = format!("Invalid 'tools': the name '{}' stands twice here", spec.name);
            Err(Fault::new(What::Twice { name: spec.name.clone() }, said))
        }
        None => Ok(()),
    }
}

fn tool(at: usize, tool: &Value, rules: &Rules) -> Checked<ToolSpec> {
    if tool["type"] != "function" {
        return Err(format!("Invalid value: 'tools[{at}].type' must be 'function'").into());
    }
    let function = &tool["function"];
    let called = function["name"].as_str().unwrap_or("");
    name(called, &rules.names, at, &format!("tools[{at}].function.name"))?;
    let parameters = parameters(function, at, called, rules)?;
    let description = function["description"].as_str().unwrap_or("").to_owned();
    Ok(ToolSpec { name: called.into(), description, parameters })
}

fn parameters(function: &Value, at: usize, name: &str, rules: &Rules) -> Checked<Value> {
    match function.get("parameters") {
        None if rules.schema.optional => Ok(json!({"type": "object"})),
        None => Err(Fault::schema(at, name, Vec::new(), Why::Root("null".into()))),
        Some(parameters) => {
            let fault = |(place, why)| Fault::schema(at, name, place, why);
            schema::check(parameters, &rules.schema).map_err(fault)?;
            Ok(parameters.clone())
        }
    }
}

/// Checks the name of a tool, or of a call at `place`.
pub(super) fn name(name: &str, rule: &Names, tool: usize, place: &str) -> Checked<()> {
    let length = name.chars().count();
    let longest = (rule.spelt(name) && length > rule.longest).then_some(rule.longest);
    let said = match longest {
        _ if rule.allow(name) => return Ok(()),
        Some(most) => format!(
            "Invalid '{place}': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead."
        ),
        None => format!(
            "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        ),
    };
    Err(Fault::new(What::Name { tool, name: name.into(), longest }, said))
}
