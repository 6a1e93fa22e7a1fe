//! Folding the oldest turns of a conversation that grew too long. No model is asked; what was done stays told.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value, json};
use winclaw_model::{Message, WireCall};

use crate::conversation::cut_middle;
use crate::history::History;

/// Turns at the end that are left as they are: what the model has not thought through yet.
const KEPT: usize = 2;

/// Longest text of an argument that is left in a folded call, in characters.
const MAX_ARGUMENT: usize = 200;

/// Most lines about turns that were left out; the latest stay.
const MAX_LINES: usize = 60;

/// The shortest a result is cut to when even the last turns are too long, in characters.
const MIN_RESULT: usize = 200;

/// How a folded result begins.
const FOLDED: &str = "[folded to save room] ";

/// What stands before the lines about turns that were left out.
const EARLIER: &str = "\n\n[Earlier in this conversation, left out to save room:]\n";

/// How far a conversation may grow, and how far it is folded when it has; estimated tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) limit: u32,
    pub(crate) target: u32,
}

/// What was folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Folded {
    /// Results cut to a line.
    pub(crate) results: usize,
    /// Turns left out but for a line for each of their calls.
    pub(crate) turns: usize,
    /// Messages that were cut in the middle.
    pub(crate) cut: usize,
}

/// Folds the oldest results to a line each until the messages take `room.target`. Where that is not enough to leave room to
/// go on, halfway to `room.limit`, whole turns become lines behind the first message; and if the last turns alone
/// exceed `room.limit`, their results, arguments and texts are cut in the middle, and what people said earlier.
///
/// The last thing a person said stays, and so does the pairing of calls and results. `line` says of a call and its result what was
/// called and whether it worked.
pub(crate) fn fold(history: &mut History, room: Room, line: &dyn Fn(&WireCall, &str) -> String) -> Folded {
    let mut folded = Folded::default();
    let (end, mut from) = (kept_from(history.messages()), 0);
    while history.tokens() > room.target
        && let Some(at) = fold_next(history, from..end, line)
    {
        folded.results += 1;
        from = at + 1;
    }
    while history.tokens() > room.target.midpoint(room.limit) && leave_out_next(history, line) {
        folded.turns += 1;
    }
    if history.tokens() > room.limit {
        folded.cut = cut_last(history, room.limit);
    }
    folded
}

/// Where the turns begin that are left as they are.
fn kept_from(messages: &[Message]) -> usize {
    let turns = messages.iter().enumerate().rev().filter(|(_, message)| matches!(message, Message::Assistant { .. }));
    turns.take(KEPT).last().map_or(messages.len(), |(at, _)| at)
}

/// Folds the oldest result of `range` that is not folded yet, and the arguments of its call; where it stood.
fn fold_next(history: &mut History, range: Range<usize>, line: &dyn Fn(&WireCall, &str) -> String) -> Option<usize> {
    let whole = |message: &Message| matches!(message, Message::Tool { content, .. } if !content.starts_with(FOLDED));
    let from = range.start;
    let at = from + history.messages().get(range)?.iter().position(whole)?;
    let Some(Message::Tool { call_id, content, .. }) = history.messages().get(at) else { return None };
    let (id, content) = (call_id.clone(), content.clone());
    let turn = history.messages()[..at].iter().rposition(|message| matches!(message, Message::Assistant { .. }));
    let shorten = |message: &mut Message| {
        let call = call_of(message, &id)?;
        let told = line(call, &content);
        call.arguments = shortened(&call.arguments);
        Some(told)
    };
    let told = turn.and_then(|turn| history.edit(turn, shorten).flatten());
    let told = format!("{FOLDED}{}", told.unwrap_or_default());
    history.edit(at, |message| {
        if let Message::Tool { content, reveals, .. } = message {
            *content = told;
            reveals.clear();
        }
    });
    Some(at)
}

/// The call with this id, if `message` makes it. Thoughts about a folded call go with its result.
fn call_of<'m>(message: &'m mut Message, id: &str) -> Option<&'m mut WireCall> {
    let Message::Assistant { calls, reasoning, sealed, .. } = message else { return None };
    let call = calls.iter_mut().find(|call| call.id == id)?;
    *reasoning = None;
    sealed.clear();
    Some(call)
}

/// Arguments with their long texts cut; the same keys, still JSON.
fn shortened(arguments: &str) -> String {
    if arguments.chars().count() <= MAX_ARGUMENT {
        return arguments.to_owned();
    }
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(map) => shorter(Value::Object(map)).to_string(),
        Err(_) => "{}".to_owned(),
    }
}

fn shorter(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > MAX_ARGUMENT => cut_middle(&text, MAX_ARGUMENT).into(),
        Value::Array(items) => items.into_iter().take(8).map(shorter).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, shorter(value))).collect(),
        other => other,
    }
}

/// Leaves out the oldest turn: what the model said and the results of its calls. Lines about it go behind the first
/// message.
fn leave_out_next(history: &mut History, line: &dyn Fn(&WireCall, &str) -> String) -> bool {
    let messages = history.messages();
    let end = kept_from(messages);
    let Some(at) = messages[..end].iter().position(|message| matches!(message, Message::Assistant { .. })) else {
        return false;
    };
    let results = messages[at + 1..].iter().take_while(|message| matches!(message, Message::Tool { .. })).count();
    let turn = history.drain(at..=at + results);
    remember(history, lines_of(&turn, line));
    true
}

fn lines_of(turn: &[Message], line: &dyn Fn(&WireCall, &str) -> String) -> Vec<String> {
    let Some((Message::Assistant { text, calls, .. }, results)) = turn.split_first() else { return Vec::new() };
    if calls.is_empty() {
        return vec![format!("you said: {}", winclaw_catalog::clean(text, MAX_ARGUMENT).replace('\n', " "))];
    }
    let result = |id: &str| {
        results.iter().find_map(|message| match message {
            Message::Tool { call_id, content, .. } if call_id == id => Some(content.as_str()),
            _ => None,
        })
    };
    let told = |call: &WireCall| {
        let content = result(&call.id).unwrap_or_default();
        content
            .strip_prefix(FOLDED)
            .map_or_else(|| line(call, content), |told| told.lines().next().unwrap_or("").into())
    };
    calls.iter().map(told).collect()
}

/// Puts lines behind the first message of a person, after those that stand there already.
fn remember(history: &mut History, lines: Vec<String>) {
    let first = history.messages().iter().position(|message| matches!(message, Message::User { .. }));
    let Some(first) = first else { return };
    history.edit(first, |message| {
        if let Message::User { text, .. } = message {
            *text = with_lines(text, lines);
        }
    });
}

fn with_lines(text: &str, lines: Vec<String>) -> String {
    let (said, before) = match text.split_once(EARLIER) {
        Some((said, before)) => (said, before.lines().map(str::to_owned).collect()),
        None => (text, Vec::new()),
    };
    let lines = lines.into_iter().map(|line| format!("- {line}"));
    let all: Vec<String> = before.into_iter().chain(lines).collect();
    let kept = &all[all.len().saturating_sub(MAX_LINES)..];
    format!("{said}{EARLIER}{}", kept.join("\n"))
}

/// Cuts what is longest until all fits, or nothing more can be cut. How many messages were cut. The last thing a person
/// said stays whole: it is what the model is asked.
fn cut_last(history: &mut History, limit: u32) -> usize {
    let asked = history.messages().iter().rposition(|message| matches!(message, Message::User { .. }));
    let mut most = 1 << 16;
    let mut cut = BTreeSet::new();
    while history.tokens() > limit && most > MIN_RESULT {
        most /= 2;
        for at in (0..history.messages().len()).filter(|at| Some(*at) != asked) {
            if let Some(shorter) = cut_to(&history.messages()[at], most.max(MIN_RESULT)) {
                history.edit(at, |message| *message = shorter);
                cut.insert(at);
            }
        }
    }
    cut.len()
}

/// A message with every text of it that is much longer than `most` characters cut in the middle; still the same calls.
fn cut_to(message: &Message, most: usize) -> Option<Message> {
    let mut shorter = message.clone();
    let changed = match &mut shorter {
        Message::User { text, .. } | Message::Tool { content: text, .. } => cut_text(text, most),
        Message::Assistant { text, reasoning, calls, sealed } => {
            let thoughts = reasoning.as_ref().is_some_and(|reasoning| is_long(reasoning, most));
            if thoughts {
                *reasoning = None;
                sealed.clear();
            }
            let calls = calls.iter_mut().filter_map(|call| cut_arguments(call, most)).count();
            cut_text(text, most) || thoughts || calls > 0
        }
    };
    changed.then_some(shorter)
}

/// Whether `text` is so much longer than `most` characters that cutting gains more than the mark takes.
fn is_long(text: &str, most: usize) -> bool {
    text.len() > most + 100 && text.chars().count() > most + 100
}

fn cut_text(text: &mut String, most: usize) -> bool {
    let long = is_long(text, most);
    if long {
        *text = cut_middle(text, most);
    }
    long
}

/// Shortens the arguments of a call that are much longer than `most` characters, which is at least 200; they stay a JSON
/// object. How many characters they had, if they were.
pub(crate) fn cut_arguments(call: &mut WireCall, most: usize) -> Option<usize> {
    if !is_long(&call.arguments, most) {
        return None;
    }
    let length = call.arguments.chars().count();
    let few = Some(shortened(&call.arguments)).filter(|few| few != "{}" && !is_long(few, most));
    call.arguments = few.unwrap_or_else(|| {
        let head = winclaw_catalog::clean(&call.arguments, MAX_ARGUMENT / 4);
        json!({"shortened": format!("{head}… ({length} characters)")}).to_string()
    });
    Some(length)
}

#[cfg(test)]
mod tests;
