use serde_json::json;

use super::Voice;
use crate::rules::{Fault, Form, What, Why};

/// The fault in the words of the vendor, as far as they were seen; the sources stand at the rows of the vendors.
pub(super) fn of(voice: Voice, fault: &Fault) -> String {
    if let What::Key { given } = &*fault.what {
        return key(voice, given.as_deref());
    }
    let own = match voice {
        Voice::OpenAi | Voice::Responses | Voice::OpenRouter => None,
        Voice::Anthropic => anthropic(fault),
        Voice::DeepSeek => deepseek(fault),
        Voice::Ollama => ollama(fault),
        Voice::LmStudio => lmstudio(fault),
        Voice::Gemini => gemini(fault),
        Voice::Qwen => Some(format!("<400> InternalError.Algo.InvalidParameter: {}", fault.said)),
        Voice::Kimi => kimi(fault),
        Voice::Glm => glm(fault),
    };
    own.unwrap_or_else(|| fault.said.clone())
}

fn key(voice: Voice, given: Option<&str>) -> String {
    match (voice, given) {
        (Voice::Gemini, _) => "API key not valid. Please pass a valid API key.".into(),
        (Voice::Kimi, _) => "Invalid Authentication".into(),
        (Voice::Glm, _) => "Authorization Token非法，请确认Authorization Token正确传递。".into(),
        (Voice::Anthropic, Some(_)) => "invalid x-api-key".into(),
        (Voice::Anthropic, None) => "x-api-key header is required".into(),
        (_, Some(given)) => format!("Incorrect API key provided: {given}."),
        (_, None) => "You didn't provide an API key.".into(),
    }
}

fn anthropic(fault: &Fault) -> Option<String> {
    Some(match &*fault.what {
        What::Name { tool, .. } => {
            format!("tools.{tool}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        }
        What::Schema { tool, why, .. } => {
            let place = format!("tools.{tool}.custom.input_schema");
            match why {
                Why::Root(_) => format!("{place}.type: Input should be 'object'"),
                Why::AtTop(_) => {
                    format!("{place}: input_schema does not support oneOf, allOf, or anyOf at the top level")
                }
                Why::Key(_) => {
                    format!("{place}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'")
                }
                _ => format!(
                    "{place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."
                ),
            }
        }
        What::Tool { tool, .. } => format!(
            "tools.{tool}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."
        ),
        What::ManyTools { most, got } => format!("tools: List should have at most {most} items, not {got}"),
        _ => return None,
    })
}

fn deepseek(fault: &Fault) -> Option<String> {
    let unread =
        |what: String| format!("Failed to deserialize the JSON body into the target type: {what} at line 1 column 1");
    Some(match &*fault.what {
        What::Schema { name, why: Why::Root(got), .. } => {
            let got = got.trim_matches('"');
            format!(
                "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: {got}'."
            )
        }
        What::Content { at, form: Form::Absent, .. } => unread(format!("messages[{at}]: missing field `content`")),
        What::Content { at, .. } => unread(format!("messages[{at}]: invalid type: sequence, expected a string")),
        What::Role { at, role, known } => {
            let known: Vec<String> = known.iter().map(|role| format!("`{role}`")).collect();
            unread(format!("messages[{at}].role: unknown variant `{role}`, expected one of {}", known.join(", ")))
        }
        _ => return None,
    })
}

fn ollama(fault: &Fault) -> Option<String> {
    Some(match &*fault.what {
        What::Content { form: Form::Null | Form::Absent, .. } | What::Empty { .. } => {
            "invalid message content type: <nil>".into()
        }
        What::Content { .. } => "invalid message format".into(),
        What::Schema { why: Why::NoSchema(_), .. } => {
            "json: cannot unmarshal bool into Go struct field ToolFunctionParameters.tools.function.parameters.properties of type api.ToolProperty".into()
        }
        _ => return None,
    })
}

fn lmstudio(fault: &Fault) -> Option<String> {
    Some(match &*fault.what {
        What::Schema { tool, why: Why::Root(_), .. } => {
            let path = json!([tool, "function", "parameters", "type"]);
            problem("invalid_union_discriminator", &path, "Invalid discriminator value. Expected 'object'")
        }
        What::Schema { tool, why: Why::NoProperties, .. } => {
            problem("invalid_type", &json!([tool, "function", "parameters", "properties"]), "Required")
        }
        What::Tool { tool, .. } => problem("custom", &json!([tool, "function", "parameters"]), "Unsupported schema"),
        What::Content { .. } | What::Empty { .. } => {
            "Invalid 'content': 'content' field must be a string or an array of objects.".into()
        }
        _ => return None,
    })
}

fn problem(code: &str, path: &serde_json::Value, message: &str) -> String {
    let problems = json!([{"code": code, "options": ["object"], "path": path, "message": message}]);
    serde_json::to_string_pretty(&problems).unwrap_or_default()
}

fn gemini(fault: &Fault) -> Option<String> {
    let declared = |tool: &usize| format!("GenerateContentRequest.tools[0].function_declarations[{tool}]");
    let unknown = |name: &str, at: String| {
        format!("Invalid JSON payload received. Unknown name \"{name}\"{at}: Cannot find field.")
    };
    Some(match &*fault.what {
        What::Name { tool, .. } => format!(
            "* {}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n",
            declared(tool)
        ),
        What::Schema { tool, place, why: Why::Keyword(keyword), .. } => {
            let place = fields(place, |name| format!("properties[{name}].value"));
            unknown(keyword, format!(" at 'tools[0].function_declarations[{tool}].parameters{place}'"))
        }
        What::Schema { tool, place, why, .. } => {
            let place = fields(place, |name| format!("properties[{name}]"));
            format!("* {}.parameters{place}{}\n", declared(tool), gemini_schema(why))
        }
        What::Tool { tool, .. } => format!("* {}.parameters: schema is not supported\n", declared(tool)),
        What::ManyTools { most, .. } => format!(
            "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: [FIELD_INVALID] At most {most} function declarations can be specified."
        ),
        What::Twice { name } => format!("Duplicate function declaration found: {name}"),
        What::Field(field) if field == "parallel_tool_calls" => return None,
        What::Field(field) => unknown(field, String::new()),
        What::Unanswered { .. } | What::Stray { .. } => {
            "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.".into()
        }
        What::Signature { at, name } => format!(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {at}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
        ),
        _ => return None,
    })
}

fn gemini_schema(why: &Why) -> String {
    match why {
        Why::OnlyObject(keyword) => format!(".{keyword}: only allowed for OBJECT type"),
        Why::NoItems => ".items: missing field.".into(),
        Why::NoType | Why::Root(_) => ".type: must be specified when not using one_of, any_of or all_of fields".into(),
        Why::Required(name) => format!(".required[0]: property is not defined: {name}"),
        Why::Format(_) => ".format: only 'enum' and 'date-time' are supported for STRING type".into(),
        Why::Enum(value) => format!(".enum[0]: Invalid value (TYPE_STRING), {value}"),
        other => format!(": {other}"),
    }
}

/// A place in a schema as protocol buffers name it.
fn fields(place: &[String], property: impl Fn(&str) -> String) -> String {
    let (mut out, mut steps) = (String::new(), place.iter());
    while let Some(step) = steps.next() {
        let step = match (step.as_str(), steps.clone().next()) {
            ("properties", Some(name)) => {
                steps.next();
                property(name)
            }
            ("anyOf", Some(number)) => {
                steps.next();
                format!("any_of[{number}]")
            }
            (other, _) => other.to_owned(),
        };
        out = format!("{out}.{step}");
    }
    out
}

fn kimi(fault: &Fault) -> Option<String> {
    Some(match &*fault.what {
        What::Name { .. } => "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes".into(),
        What::Schema { why: Why::Root(_), .. } => "tools.function.parameters.type is required and must be \"object\"".into(),
        What::Schema { place, why, .. } => moonshot(place, &kimi_schema(why)),
        What::Tool { .. } => moonshot(&[], "schema is not supported"),
        What::Content { form: Form::Other, .. } => "Invalid request: text content is empty".into(),
        What::Empty { at } => {
            format!("Invalid request: the message at position {at} with role 'assistant' must not be empty")
        }
        What::Thoughts { at } => {
            format!("thinking is enabled but reasoning_content is missing in assistant tool call message at index {at}")
        }
        What::SameId { id } => format!("Invalid request: tool call id {id} is duplicated"),
        What::Unanswered { .. } => fault.said.replace("An assistant", "an assistant"),
        What::Stray { id } => format!("tool_call_id {id} is not found"),
        _ => return None,
    })
}

fn moonshot(place: &[String], details: &str) -> String {
    let at = if place.is_empty() { "root".to_owned() } else { place.join(".") };
    format!(
        "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '{at}': {details}>"
    )
}

fn kimi_schema(why: &Why) -> String {
    match why {
        Why::TypeBeside(keyword) if *keyword == "anyOf" => {
            "when using anyOf, type should be defined in anyOf items instead of the parent schema".into()
        }
        Why::TypeBeside(_) => {
            "when using $ref, type should be defined in the referenced schema instead of the parent schema".into()
        }
        Why::Reference(_) => "references must start with #/$defs/".into(),
        Why::NoSchema(_) => "property schema must be an object".into(),
        Why::NoType => "type is not defined".into(),
        Why::Keyword(keyword) => format!("unsupported keyword: {keyword}"),
        other => other.to_string(),
    }
}

/// Zhipu says what, but hardly where.
fn glm(fault: &Fault) -> Option<String> {
    Some(match &*fault.what {
        What::Name { .. } | What::Schema { .. } | What::Tool { .. } | What::ManyTools { .. } | What::Twice { .. } => {
            "API 调用参数有误，请检查文档。".into()
        }
        What::Empty { at } => format!("messages[{at}]:content和tool_calls 字段不能同时为空"),
        What::Other | What::Script | What::Key { .. } | What::Body => return None,
        _ => "messages 参数非法。请检查文档。".into(),
    })
}
