use winclaw_tool::Text;

use crate::plan::Plan;
use crate::{ModelError, SetAside};

/// Longest reason of a vendor that is passed on about one tool, in characters.
const MAX_WHY: usize = 300;
/// What stands before the place of a tool in a vendor's message. Gemini has one entry of `tools` with all functions in
/// it, so its own word comes first.
const PLACES: [&str; 5] = ["function_declarations[", "functionDeclarations[", "tools[", "tools.", "functions["];

/// The tool that a refusal of the whole request is about, if it names one by its place in the array or by its name.
///
/// Only statuses 400 and 422 count, and only messages that are not about the conversation.
pub(crate) fn tool_in(error: &ModelError, plan: &Plan<'_>) -> Option<SetAside> {
    let ModelError::Rejected { status: 400 | 422, message } = error else { return None };
    let tool = by_place(message, plan).or_else(|| by_name(message, plan)).or_else(|| by_path(message, plan))?;
    let why: String = message.chars().take(MAX_WHY).collect();
    let why = Text::new(format!("the vendor refused it: {why}"), format!("服务方拒绝了它：{why}"));
    Some(SetAside { tool, why })
}

fn by_place(message: &str, plan: &Plan<'_>) -> Option<String> {
    let marked = |mark: &&str| message.match_indices(*mark).find_map(|(at, _)| number(&message[at + mark.len()..]));
    let place = PLACES.iter().find_map(marked).or_else(|| in_path(message))?;
    plan.sent().nth(place).map(|tool| tool.spec.name.clone())
}

fn number(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

/// LM Studio lists its problems in JSON, each with the path `[N, "function", …]` from the tools on.
fn in_path(message: &str) -> Option<usize> {
    let (_, rest) = message.split_once("\"path\"")?;
    let (path, _) = rest.trim_start_matches([' ', ':', '[']).split_once(']')?;
    path.contains("\"function\"").then(|| number(path)).flatten()
}

/// A name counts when it stands in quotes and the message is about functions, tools or schemas.
fn by_name(message: &str, plan: &Plan<'_>) -> Option<String> {
    let lower = message.to_lowercase();
    let about = ["function", "tool", "schema"].iter().any(|word| lower.contains(word));
    if !about || ["messages[", "messages.", "input["].iter().any(|word| lower.contains(word)) {
        return None;
    }
    let quoted = |name: &str| {
        message.match_indices(name).any(|(at, _)| {
            let before = message[..at].chars().next_back();
            let after = message[at + name.len()..].chars().next();
            let marks = ['\'', '"', '`', '“', '”', '‘', '’'];
            before.is_some_and(|c| marks.contains(&c)) && after.is_some_and(|c| marks.contains(&c))
        })
    };
    plan.sent().find(|tool| quoted(&tool.name)).map(|tool| tool.spec.name.clone())
}

/// Moonshot names neither, but says where in a schema the fault is; that helps when only one tool has such a place.
fn by_path(message: &str, plan: &Plan<'_>) -> Option<String> {
    let (_, rest) = message.split_once("At path '")?;
    let (path, _) = rest.split_once('\'')?;
    let pointer: String = path.split('.').map(|part| format!("/{part}")).collect();
    let mut having = plan.sent().filter(|tool| tool.parameters.pointer(&pointer).is_some());
    match (having.next(), having.next()) {
        (Some(tool), None) => Some(tool.spec.name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::ToolSpec;

    use super::*;
    use crate::{ChatRequest, Profile};

    fn named(message: &str, status: u16) -> Option<String> {
        let spec = |name: &str, property: &str| {
            let parameters = json!({"type": "object", "properties": {property: {"type": "string"}}});
            ToolSpec { name: name.into(), description: "d".into(), parameters }.into()
        };
        let tools = vec![spec("sky__forecast", "place"), spec("mail__send", "to"), spec("notes.add", "text")];
        let request = ChatRequest { tools, ..ChatRequest::default() };
        let plan = Plan::of(&request, "m", Profile::of("openai").expect("a profile"));
        tool_in(&ModelError::Rejected { status, message: message.into() }, &plan).map(|left| left.tool)
    }

    #[test]
    fn the_tool_a_vendor_means_is_found_in_its_words() {
        let cases = [
            ("tools.1.custom.input_schema: input_schema does not support oneOf at the top level", Some("mail__send")),
            ("Invalid 'tools[2].function.name': string does not match pattern", Some("notes.add")),
            ("Invalid schema for function 'sky__forecast': schema must have type 'object'", Some("sky__forecast")),
            (
                "* GenerateContentRequest.tools[0].function_declarations[1].name: Invalid function name",
                Some("mail__send"),
            ),
            ("tools: the function name `mail__send` is not allowed", Some("mail__send")),
            (
                "is not a valid moonshot flavored json schema, details: <At path 'properties.to': type is not defined>",
                Some("mail__send"),
            ),
            ("details: <At path 'type': x>", None),
            (
                r#"[ { "code": "custom", "path": [ 1, "function", "parameters" ], "message": "no" } ]"#,
                Some("mail__send"),
            ),
            ("tools.9.name: too long", None),
            ("messages[3].tool_calls[0].function.arguments of 'mail__send' is no JSON", None),
            ("the model mail__send does not exist", None),
            ("context length exceeded", None),
        ];
        for (message, expected) in cases {
            assert_eq!(named(message, 400).as_deref(), expected, "{message}");
        }
        assert_eq!(named("tools.1: bad", 500), None);
        assert_eq!(named("tools.1: bad", 422).as_deref(), Some("mail__send"));
    }
}
