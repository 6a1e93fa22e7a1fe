use serde_json::error::Category;
use serde_json::{Map, Value};
use winclaw_tool::Failure;

use crate::lenient;
use crate::repair::Draft;
use crate::{Repair, RepairKind, Rule};

/// Deepest nesting that is read. serde_json itself stops at 128.
pub(crate) const MAX_DEPTH: usize = 127;

/// Why arguments could not be read.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) rule: Rule,
    pub(crate) message: String,
}

/// How many times an object may be encoded into a string.
const MAX_ENCODED: usize = 3;

/// The arguments a model wrote, as JSON; not necessarily an object.
///
/// Nothing, `null` and white space are `{}`. A string that holds an object is that object: some models encode twice.
pub(crate) fn read(raw: &str, cut_off: bool) -> Result<Draft, Refusal> {
    if cut_off {
        return Err(cut());
    }
    let mut draft = parse(raw)?;
    for _ in 0..MAX_ENCODED {
        match draft.value {
            Value::String(inner) => draft = unwrap(Draft { value: Value::String(inner), ..draft })?,
            _ => break,
        }
    }
    Ok(draft)
}

/// Reads the arguments a model wrote for a tool that has no place in the catalogue, such as a meta tool.
///
/// Nothing, `null` and white space are `{}`; an object inside a string is unwrapped. Whatever was cut off, is no JSON or
/// is nested too deep is an `invalid_args` failure that says how to send it again.
pub fn parse_arguments(raw: &str, cut_off: bool) -> Result<Value, Failure> {
    let read = read(raw, cut_off).map(|draft| draft.value);
    read.map_err(|refusal| Failure::invalid_args(format!("not run: {}", refusal.message)))
}

/// The object that stands in the string of `draft`; the draft itself if it is none.
fn unwrap(draft: Draft) -> Result<Draft, Refusal> {
    let Value::String(inner) = &draft.value else { return Ok(draft) };
    let looks_like_object = inner.trim_start().starts_with('{');
    match parse(inner) {
        Ok(read) if read.value.is_object() || looks_encoded(&read.value) => {
            let mut repairs = draft.repairs;
            let said = "The arguments were JSON inside a string and were read as an object.".to_owned();
            repairs.push(Repair { what: RepairKind::Encoded, at: String::new(), said });
            repairs.extend(read.repairs);
            Ok(Draft { value: read.value, repairs })
        }
        Err(refusal) if looks_like_object => Err(refusal),
        _ => Ok(draft),
    }
}

/// Whether it is a string that may hold an object once more.
fn looks_encoded(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_start().starts_with('{'))
}

fn parse(text: &str) -> Result<Draft, Refusal> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if text.is_empty() {
        return Ok(nothing("Nothing was written as arguments"));
    }
    if depth(text) > MAX_DEPTH {
        return Err(Refusal { rule: Rule::NotJson, message: too_deep() });
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(nothing("The arguments were null")),
        Ok(value) => Ok(Draft::new(value)),
        Err(error) if error.classify() == Category::Eof => Err(cut()),
        Err(error) => leniently(text).unwrap_or_else(|| Err(not_json(text, &error))),
    }
}

fn nothing(found: &str) -> Draft {
    let said = format!("{found}; they were read as {{}}.");
    let repair = Repair { what: RepairKind::Empty, at: String::new(), said };
    Draft { value: Value::Object(Map::new()), repairs: vec![repair] }
}

/// An object that is JSON but for slips that can be read in one way only; nothing that is not closed.
fn leniently(text: &str) -> Option<Result<Draft, Refusal>> {
    let (json, said) = lenient::rewritten(text)?;
    match serde_json::from_str(&json) {
        Ok(value @ Value::Object(_)) => {
            let repair = Repair { what: RepairKind::Syntax, at: String::new(), said };
            Some(Ok(Draft { value, repairs: vec![repair] }))
        }
        Err(error) if error.classify() == Category::Eof => Some(Err(cut())),
        _ => None,
    }
}

/// How deep brackets stand in each other in `text`, leaving out those inside strings.
fn depth(text: &str) -> usize {
    let (mut now, mut most, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => now += 1,
            b'}' | b']' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// What is said of arguments beyond [`MAX_DEPTH`].
pub(crate) fn too_deep() -> String {
    format!("its arguments are nested more than {MAX_DEPTH} levels deep. Send flatter arguments.")
}

fn cut() -> Refusal {
    let message = "your output was cut off before its arguments were complete. Send the call again, shorter: \
                   split long content over several calls.";
    Refusal { rule: Rule::CutOff, message: message.to_owned() }
}

fn not_json(text: &str, error: &serde_json::Error) -> Refusal {
    let full = error.to_string();
    let reason = full.split(" at line ").next().unwrap_or(&full);
    let message = format!(
        "its arguments are not JSON: {reason} at line {}, column {}, near `{}`. Send one JSON object, with quotes and \
         line breaks inside strings escaped.",
        error.line(),
        error.column(),
        near(text, error.line(), error.column()),
    );
    Refusal { rule: Rule::NotJson, message }
}

/// Some characters around the place that serde_json names: a line from 1 and a column in bytes.
fn near(text: &str, line: usize, column: usize) -> String {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or("");
    let before = line.char_indices().take_while(|(at, _)| *at < column).count();
    let around: String = line.chars().skip(before.saturating_sub(15)).take(30).collect();
    winclaw_catalog::clean(&around, 30)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(raw: &str, cut_off: bool) -> Result<Value, Refusal> {
        super::read(raw, cut_off).map(|draft| draft.value)
    }

    #[test]
    fn what_stands_for_no_arguments_is_an_empty_object() {
        for raw in ["", " ", "\n\t ", "null", " null ", "{}", "\"\"", "\"{}\"", "\"null\"", "\u{feff}{}", "\0"] {
            let read = read(raw, false).expect("arguments");
            assert!(read == json!({}) || raw == "\"\"" || raw == "\"null\"", "{raw:?} gave {read}");
        }
    }

    #[test]
    fn an_object_in_a_string_is_the_object() {
        assert_eq!(read(r#""{\"a\":\"北京\"}""#, false), Ok(json!({"a": "北京"})));
        assert_eq!(read(r#"" {\"a\":1} ""#, false), Ok(json!({"a": 1})));
        assert_eq!(read(r#""hello""#, false), Ok(json!("hello")));
        assert_eq!(read(r#""[1]""#, false), Ok(json!("[1]")));
    }

    #[test]
    fn anything_cut_off_is_refused_at_every_place_it_can_be_cut() {
        let whole = r#"{"commands":["run one","run \"two\""],"note":"北京","n":[1,{"deep":null}]}"#;
        for (end, _) in whole.char_indices().skip(1) {
            let refusal = read(&whole[..end], false).expect_err("a refusal");
            assert_eq!(refusal.rule, Rule::CutOff, "{}", &whole[..end]);
            let encoded = Value::String(whole[..end].to_owned()).to_string();
            assert_eq!(read(&encoded, false).expect_err("a refusal").rule, Rule::CutOff, "{encoded}");
        }
        assert_eq!(read(whole, true).expect_err("a refusal").rule, Rule::CutOff);
        assert!(read(whole, false).is_ok());
    }

    #[test]
    fn what_is_not_json_is_told_with_its_place() {
        let cases = [
            (r#"{"a": 1,,}"#, "line 1, column 9"),
            ("{\n  \"a\": no\n}", "line 2"),
            ("{} {}", "column 4"),
            ("place=北京", "column 1"),
            ("```json\n{}\n```", "line 1"),
            ("{\"a\":\"one\ntwo\"}", "line 2"),
        ];
        for (raw, place) in cases {
            let refusal = read(raw, false).expect_err("a refusal");
            assert_eq!(refusal.rule, Rule::NotJson, "{raw}");
            assert!(refusal.message.contains(place), "{raw}: {}", refusal.message);
        }
    }

    #[test]
    fn bombs_of_depth_are_told_apart_from_brackets_in_text() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
            assert!(read(&nested(MAX_DEPTH), false).is_ok());
            for n in [MAX_DEPTH + 1, 100_000] {
                let refusal = read(&nested(n), false).expect_err("a refusal");
                assert!(refusal.message.contains("127 levels"), "{}", refusal.message);
            }
        }
        assert!(read(&"[".repeat(1_000_000), false).is_err());
        assert!(read(&json!({"text": "[\"".repeat(500)}).to_string(), false).is_ok());
    }
}
