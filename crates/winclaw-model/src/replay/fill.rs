use serde_json::{Deserializer, Value};

const OPEN: &str = "{{result:";
const CLOSE: &str = "}}";
/// Most places in a result that are tried as the beginning of its JSON.
const MAX_STARTS: usize = 200;

/// `template` with every mark replaced by what it points at.
pub(super) fn text(template: &str, results: &[&str]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, mark, after)) = split(rest)? {
        out.push_str(before);
        match look_up(mark, results)? {
            Value::String(text) => out.push_str(&text),
            other => out.push_str(&other.to_string()),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// `template` with the marks in all its strings replaced; a string that is one mark becomes the value itself.
pub(super) fn value(template: &Value, results: &[&str]) -> Result<Value, String> {
    match template {
        Value::String(string) => match split(string)? {
            Some(("", mark, "")) => look_up(mark, results),
            _ => text(string, results).map(Value::String),
        },
        Value::Array(items) => items.iter().map(|item| value(item, results)).collect(),
        Value::Object(fields) => {
            let filled = fields.iter().map(|(name, field)| Ok((name.clone(), value(field, results)?)));
            filled.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// The first mark of a text: what stands before it, `N:/pointer`, and what stands after.
fn split(text: &str) -> Result<Option<(&str, &str, &str)>, String> {
    let Some((before, rest)) = text.split_once(OPEN) else {
        return Ok(None);
    };
    let (mark, after) = rest.split_once(CLOSE).ok_or_else(|| format!("the mark `{OPEN}{rest}` is not closed"))?;
    Ok(Some((before, mark, after)))
}

fn look_up(mark: &str, results: &[&str]) -> Result<Value, String> {
    let malformed = || format!("`{OPEN}{mark}{CLOSE}` must be {OPEN}N:/pointer{CLOSE}");
    let (number, pointer) = mark.split_once(':').ok_or_else(malformed)?;
    let number: usize = number.trim().parse().map_err(|_| malformed())?;
    let result = results.get(number);
    let result = result.ok_or_else(|| format!("`{OPEN}{mark}{CLOSE}`: there are {} tool results", results.len()))?;
    let value = match first_json(result) {
        Some(value) => value,
        None if pointer.is_empty() => Value::String((*result).to_owned()),
        None => {
            return Err(format!("`{OPEN}{mark}{CLOSE}`: tool result {number} holds no JSON: {}", cut(result)));
        }
    };
    let found = value.pointer(pointer).cloned();
    found.ok_or_else(|| {
        format!("`{OPEN}{mark}{CLOSE}`: nothing is at `{pointer}` in tool result {number}: {}", cut(result))
    })
}

/// The first JSON value of a text: at its beginning, or else the first object or array in it.
fn first_json(text: &str) -> Option<Value> {
    let parse = |text: &str| Deserializer::from_str(text).into_iter().next()?.ok();
    let starts = || text.match_indices(['{', '[']).take(MAX_STARTS);
    parse(text).or_else(|| starts().find_map(|(at, _)| parse(&text[at..])))
}

fn cut(text: &str) -> String {
    let end = text.char_indices().nth(200).map_or(text.len(), |(end, _)| end);
    text[..end].escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RESULTS: [&str; 3] =
        [r#"{"place": "Oslo", "days": [{"high": 7}]} [advice: none]"#, "no JSON", "Result:\n{\"n\": 1}"];

    #[test]
    fn marks_are_replaced_by_what_they_point_at() {
        let cases = [
            ("plain", "plain"),
            ("{{result:0:/place}}: {{result:0:/days/0/high}} °C", "Oslo: 7 °C"),
            ("{{result:0:/days}}", r#"[{"high":7}]"#),
            ("{{result:1:}}", "no JSON"),
            ("{{result:2:/n}}", "1"),
            ("{ {result}}", "{ {result}}"),
        ];
        for (template, expected) in cases {
            assert_eq!(text(template, &RESULTS).as_deref(), Ok(expected), "{template}");
        }
    }

    #[test]
    fn a_string_that_is_one_mark_keeps_the_type_of_the_value() {
        let filled = value(&json!({"a": "{{result:0:/days/0/high}}", "b": ["{{result:0:/place}}!"], "c": 1}), &RESULTS);
        assert_eq!(filled, Ok(json!({"a": 7, "b": ["Oslo!"], "c": 1})));
    }

    #[test]
    fn a_mark_that_points_at_nothing_is_named() {
        for bad in ["{{result:0:/none}}", "{{result:9:/x}}", "{{result:1:/x}}", "{{result:x}}", "{{result:0:/place}"] {
            let error = text(bad, &RESULTS).expect_err(bad);
            assert!(error.contains(bad.trim_end_matches('}')), "{error}");
        }
    }
}
