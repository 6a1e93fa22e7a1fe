//! A message in parts, as people read it.

use std::collections::HashMap;

use serde_json::Value;
use winclaw_session::{Info, Said};

use crate::commands::figures::{count, decimal, number};
use crate::screen::{Screen, harmless};

/// One part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// What the person said, and how many pictures went with it.
    Request { text: String, pictures: usize },
    /// What the model said.
    Answer(String),
    /// A tool that the model called, with its arguments as it wrote them.
    Call { name: String, arguments: String },
    /// What a call gave back.
    Result { name: String, content: String },
    /// A message of a form that this version does not know.
    Strange(String),
}

/// Tells messages in parts, one after another, since a result names its call only by an id.
#[derive(Debug, Default)]
pub struct Parts {
    names: HashMap<String, String>,
}

impl Parts {
    /// The parts of the next message; none for one that says nothing.
    pub fn of(&mut self, message: &Value) -> Vec<Part> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match message.get("role").and_then(Value::as_str) {
            Some("user") => {
                let pictures = message.get("images").and_then(Value::as_array).map_or(0, Vec::len);
                vec![Part::Request { text: text(message, "text"), pictures }]
            }
            Some("assistant") => self.answer(message, text(message, "text")),
            Some("tool") => {
                let name = self.names.remove(&text(message, "call_id")).unwrap_or_default();
                vec![Part::Result { name, content: text(message, "content") }]
            }
            _ => vec![Part::Strange(message.to_string())],
        }
    }

    fn answer(&mut self, message: &Value, words: String) -> Vec<Part> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut parts = Vec::new();
        if !words.trim().is_empty() {
            parts.push(Part::Answer(words));
        }
        for call in message.get("calls").and_then(Value::as_array).into_iter().flatten() {
            let (name, arguments) = (text(call, "name"), text(call, "arguments"));
            self.names.insert(text(call, "id"), name.clone());
            parts.push(Part::Call { name, arguments });
        }
        parts
    }
}

/// A moment by the clock of the person's place, to the minute.
pub fn moment(unix_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(unix_ms).unwrap_or_default();
    jiff::ZonedDateTime::new(time, jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A time of day for a moment, to the minute.
pub fn minute(unix_ms: i64) -> String {
    moment(unix_ms).split_off(11)
}

/// What a session took: tokens, and money where prices are known.
pub fn spent(screen: &Screen, info: &Info) -> String {
    let spent = &info.spent;
    if spent.input == 0 && spent.output == 0 {
        return String::new();
    }
    let (input, output) = (number(spent.input), number(spent.output));
    let tokens = match screen.word("en", "zh") {
        "zh" => format!("输入 {input} token，输出 {output} token"),
        _ => format!("{input} tokens in, {output} out"),
    };
    let sums = spent.micros.iter().map(|(currency, micros)| format!(", {}", amount(*micros, currency)));
    tokens + &sums.collect::<String>()
}

/// An amount of `micros` millionths, as fine as [`decimal`] is.
fn amount(micros: u64, currency: &str) -> String {
    format!("{} {}", decimal(micros), harmless(currency))
}

/// How many messages and requests a session has.
pub fn size(screen: &Screen, info: &Info) -> String {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let messages = count(*screen, whole(info.messages), "message", "messages", "条消息");
    let requests = count(*screen, whole(info.tasks), "request", "requests", "个请求");
    format!("{requests}, {messages}")
}

/// Whether the message was only given to the model in short, in words for its head.
pub fn folded<'a>(screen: &'a Screen, said: &Said) -> &'a str {
    if said.whole { "" } else { screen.word("  (folded for the model)", "  （对模型已折叠）") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_told_by_the_names_of_their_calls() {
        let mut parts = Parts::default();
        let calls = json!([{"id": "a", "name": "sky__forecast", "arguments": "{}"}, {"id": "b", "name": "notes__add", "arguments": ""}]);
        let said = parts.of(&json!({"role": "assistant", "text": " \n", "calls": calls}));
        assert_eq!(said.len(), 2, "blank words are none: {said:?}");
        let result = |id: &str| json!({"role": "tool", "call_id": id, "content": "x"});
        let named = |name: &str| vec![Part::Result { name: name.into(), content: "x".into() }];
        assert_eq!(parts.of(&result("b")), named("notes__add"));
        assert_eq!(parts.of(&result("a")), named("sky__forecast"));
        assert_eq!(parts.of(&result("c")), named(""));
        assert!(matches!(&parts.of(&json!({"role": "oracle"}))[..], [Part::Strange(_)]));
    }

    #[test]
    fn amounts_are_as_fine_as_they_need_to_be() {
        let cases = [(5, "0.000005 USD"), (12_300, "0.0123 USD"), (1_250_000, "1.25 USD"), (12_000_000, "12.00 USD")];
        for (micros, words) in cases {
            assert_eq!(amount(micros, "USD"), words);
        }
    }
}
