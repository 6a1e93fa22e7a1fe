use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use winclaw_tool::ToolSpec;

use crate::names::digest;
use crate::plan::{Plan, Planned};
use crate::{Image, Sealed, WireCall};

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

/// An id as every vendor takes it, the same for the same id; those of other vendors may be longer or hold colons.
pub(super) fn legal_id(id: &str) -> Cow<'_, str> {
    if is_legal(id) { id.into() } else { format!("id_{:016x}", digest(id)).into() }
}

/// An id of at most `longest` characters, the same for the same id.
pub(super) fn short_id(id: &str, longest: usize) -> Cow<'_, str> {
    if id.len() <= longest { id.into() } else { format!("id_{:016x}", digest(id)).into() }
}

fn is_legal(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=LONGEST).contains(&text.len()) && text.chars().all(legal)
}

/// The sealed thoughts of one kind, as the place they stood before and what they hold.
pub(super) fn own<'a>(sealed: &'a [Sealed], kind: &'a str) -> impl Iterator<Item = (usize, &'a Value)> {
    let of = move |sealed: &&Sealed| sealed.block.get("type").is_some_and(|of| of == kind);
    sealed.iter().filter(of).filter_map(move |sealed| Some((sealed.before, sealed.block.get(kind)?)))
}

/// A picture as a `data:` URL.
pub(super) fn picture(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// The words of a message for a model that does not see the pictures.
pub(super) fn text_for<'a>(text: &'a str, images: &[Image]) -> Cow<'a, str> {
    let note = match images.len() {
        0 => return text.into(),
        1 => "(A picture was attached that you cannot see.)".to_owned(),
        many => format!("({many} pictures were attached that you cannot see.)"),
    };
    if text.is_empty() { note.into() } else { format!("{text}\n\n{note}").into() }
}

/// Arguments as text; what is no object is kept as `{"unreadable": "…"}`.
pub(super) fn arguments(raw: &str) -> String {
    if raw.trim().is_empty() {
        return "{}".into();
    }
    // Reading it whole would be a waste, since it is sent as it is.
    match raw.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(raw).is_ok() {
        true => raw.to_owned(),
        false => json!({"unreadable": raw}).to_string(),
    }
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
    pub(super) native: Vec<Planned<'a>>,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Revealed<'a> {
    pub(super) fn new(plan: &Plan<'_>, content: &'a str, reveals: &'a [ToolSpec], can: impl Fn(&str) -> bool) -> Self {
        let mut seen = BTreeSet::new();
        let once = reveals.iter().filter(|spec| seen.insert(spec.name.as_str()));
        let (native, others): (Vec<_>, Vec<_>) =
            once.filter_map(|spec| plan.revealed(spec)).partition(|tool| can(&tool.spec.name));
        let mut text = Cow::from(content);
        for tool in others {
            let schema = Value::Object(tool.fields("parameters"));
            let gap = if text.is_empty() { "" } else { "\n" };
            text = format!("{text}{gap}{schema}").into();
        }
        Revealed { native, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChatRequest, Profile};

    #[test]
    fn ids_are_legal_for_every_vendor_and_stay_as_they_are_when_they_were() {
        for same in ["sky__forecast", "call_1-a", &"x".repeat(64)] {
            assert_eq!(legal_id(same).as_ref(), same);
        }
        let long = "字".repeat(100);
        for odd in ["", "sky.forecast", "functions.get:0", "a b", &long] {
            assert!(is_legal(&legal_id(odd)), "{odd:?}");
        }
        assert_ne!(legal_id("get:0"), legal_id("get:1"));
        assert_eq!((short_id("get:0", 40).as_ref(), short_id(&long, 40).len()), ("get:0", 19));
    }

    #[test]
    fn what_cannot_be_revealed_natively_stands_in_the_text() {
        let spec = |name: &str| ToolSpec { name: name.into(), description: "d".into(), parameters: json!({}) };
        let reveals = [spec("a"), spec("b"), spec("a"), spec("gone")];
        let request = ChatRequest { without: ["gone".to_owned()].into(), ..ChatRequest::default() };
        let profile = Profile::of("anthropic").expect("a profile");
        let revealed = Revealed::new(&Plan::of(&request, "m", profile), "found", &reveals, |name| name == "a");
        assert_eq!(revealed.native.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), ["a"]);
        let schema = r#"{"name":"b","description":"d","parameters":{"type":"object","properties":{}}}"#;
        assert_eq!(revealed.text, format!("found\n{schema}"));
    }

    #[test]
    fn a_model_that_sees_nothing_is_told_so() {
        let image = || Image { media_type: "image/png".into(), data: "aGk=".into() };
        assert_eq!(text_for("x", &[]), "x");
        assert_eq!(text_for("x", &[image()]), "x\n\n(A picture was attached that you cannot see.)");
        assert_eq!(text_for("", &[image(), image()]), "(2 pictures were attached that you cannot see.)");
        assert_eq!(picture(&image()), "data:image/png;base64,aGk=");
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
