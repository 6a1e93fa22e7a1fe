use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_tool::ToolSpec;

use crate::{Sealed, WireCall};

/// Longest name or id that every vendor takes.
const LONGEST: usize = 64;

/// One part of what the model said, in the order it said it.
pub(super) enum Part<'a> {
    Sealed(&'a Value),
    Words(&'a str),
    Call(&'a WireCall),
}

/// The parts of a message of the model, with those sealed thoughts whose `type` is one of `kinds`. Thoughts that nothing
/// follows are left out, since vendors refuse them; empty when the model neither said nor called anything.
pub(super) fn parts<'a>(text: &'a str, calls: &'a [WireCall], sealed: &'a [Sealed], kinds: &[&str]) -> Vec<Part<'a>> {
    let words = (!text.trim().is_empty()).then_some(Part::Words(text));
    if words.is_none() && calls.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    let own = |block: &Value| block.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind));
    let said = std::iter::once(words).chain(calls.iter().map(|call| Some(Part::Call(call))));
    for (place, part) in said.enumerate() {
        let before = sealed.iter().filter(|thought| thought.before == place && own(&thought.block));
        out.extend(before.map(|thought| Part::Sealed(&thought.block)));
        out.extend(part);
    }
    while matches!(out.last(), Some(Part::Sealed(_))) {
        out.pop();
    }
    out
}

/// A name as every vendor takes it, 1 to 64 of `a-zA-Z0-9_-`; the model may have made up any other.
pub(super) fn legal_name(name: &str) -> Cow<'_, str> {
    if is_legal(name) {
        return name.into();
    }
    let name: String = name.chars().take(LONGEST).map(|c| if is_legal_char(c) { c } else { '_' }).collect();
    if name.is_empty() { "unnamed".into() } else { name.into() }
}

/// An id as every vendor takes it, the same for the same id; those of other vendors may be longer or hold colons.
pub(super) fn legal_id(id: &str) -> Cow<'_, str> {
    if is_legal(id) { id.into() } else { format!("id_{:016x}", fnv(id)).into() }
}

fn is_legal(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.chars().all(is_legal_char)
}

fn is_legal_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// FNV-1a, 64 bits; the standard hasher is not promised to stay the same.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Arguments as an object; what is none is kept as `{"unreadable": "…"}`.
pub(super) fn object(raw: &str) -> Value {
    if raw.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str::<Map<String, Value>>(raw) {
        Ok(object) => Value::Object(object),
        Err(_) => json!({"unreadable": raw}),
    }
}

/// What a tool result reveals: the tools that the vendor can reveal itself, each once, and the text for the model with
/// the schemas of the others.
pub(super) struct Revealed<'a> {
    pub(super) native: Vec<&'a ToolSpec>,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Revealed<'a> {
    pub(super) fn new(content: &'a str, reveals: &'a [ToolSpec], can: impl Fn(&str) -> bool) -> Self {
        let mut seen = BTreeSet::new();
        let once = reveals.iter().filter(|spec| seen.insert(spec.name.as_str()));
        let (native, others): (Vec<_>, Vec<_>) = once.partition(|spec| can(&spec.name));
        let mut text = Cow::from(content);
        for spec in others {
            let schema = json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters});
            let gap = if text.is_empty() { "" } else { "\n" };
            text = format!("{text}{gap}{schema}").into();
        }
        Revealed { native, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_legal_for_every_vendor_and_stay_as_they_are_when_they_were() {
        for same in ["sky__forecast", "call_1-a", &"x".repeat(64)] {
            assert_eq!((legal_name(same).as_ref(), legal_id(same).as_ref()), (same, same));
        }
        let long = "字".repeat(100);
        for odd in ["", "sky.forecast", "functions.get:0", "a b", &long] {
            assert!(is_legal(&legal_name(odd)) && is_legal(&legal_id(odd)), "{odd:?}");
        }
        assert_eq!(legal_name("sky.forecast"), "sky_forecast");
        assert_ne!(legal_id("get:0"), legal_id("get:1"));
    }

    #[test]
    fn what_cannot_be_revealed_natively_stands_in_the_text() {
        let spec = |name: &str| ToolSpec { name: name.into(), description: "d".into(), parameters: json!({}) };
        let reveals = [spec("a"), spec("b"), spec("a")];
        let revealed = Revealed::new("found", &reveals, |name| name == "a");
        assert_eq!(revealed.native, [&reveals[0]]);
        assert_eq!(revealed.text, "found\n{\"name\":\"b\",\"description\":\"d\",\"parameters\":{}}");
    }

    #[test]
    fn sealed_thoughts_stand_where_they_stood_and_never_last() {
        let call = |id: &str| WireCall { id: id.into(), name: "n".into(), arguments: String::new() };
        let sealed = |before, kind: &str| Sealed { before, block: json!({"type": kind, "n": before}) };
        let thoughts = [sealed(0, "k"), sealed(0, "other"), sealed(1, "k"), sealed(2, "k"), sealed(3, "k")];
        let show = |text: &str, calls: &[WireCall]| {
            let shown = parts(text, calls, &thoughts, &["k"]).into_iter().map(|part| match part {
                Part::Sealed(block) => format!("s{}", block["n"]),
                Part::Words(text) => text.to_owned(),
                Part::Call(call) => call.id.clone(),
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(show("words", &[call("a"), call("b")]), "s0 words s1 a s2 b");
        assert_eq!(show(" ", &[call("a")]), "s0 s1 a");
        assert_eq!(show("words", &[]), "s0 words");
        assert_eq!(show("", &[]), "");
    }
}
