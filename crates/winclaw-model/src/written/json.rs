use super::{KnownTools, Mode, Told};

/// First keys of an object that is a call.
const KEYS: [&str; 9] =
    ["name", "tool", "tool_name", "function", "arguments", "parameters", "type", "id", "tool_calls"];

/// Whether a text begins as JSON that may be a call: an object, or a list of them, whose first key is one a call has, and
/// whose name, if it comes first, is that of a known tool.
pub(super) fn probe(text: &str, known: &KnownTools) -> Told {
    let text = text.trim_start();
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    let Some(rest) = text.strip_prefix('{') else {
        return if text.is_empty() { Told::Maybe } else { Told::No };
    };
    let rest = rest.trim_start();
    let Some(rest) = rest.strip_prefix('"') else {
        return if rest.is_empty() { Told::Maybe } else { Told::No };
    };
    match rest.split_once('"') {
        Some(("name" | "tool_name", rest)) => named(rest, known),
        Some((key, _)) if KEYS.contains(&key) => Told::Yes(Mode::Words, 0),
        Some(_) => Told::No,
        None if KEYS.iter().any(|key| key.starts_with(rest)) => Told::Maybe,
        None => Told::No,
    }
}

fn named(rest: &str, known: &KnownTools) -> Told {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    match rest.strip_prefix('"').map(|value| value.split_once('"')) {
        Some(Some((name, _))) if known.get(name).is_some() => Told::Yes(Mode::Words, 0),
        Some(None) => Told::Maybe,
        None if rest.is_empty() => Told::Maybe,
        _ => Told::No,
    }
}

/// Where the body of a code block ends, and where the block does, from `from` on. A line of back quotes ends it; no valid
/// JSON has such a line in a string.
pub(super) fn fence_end(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let line = at + text.get(at..)?.find('\n')? + 1;
        let rest = text[line..].trim_start_matches([' ', '\t']);
        if rest.starts_with("```") {
            let quotes = rest.trim_start_matches('`');
            // Whether more back quotes follow is not known at the end.
            return (!quotes.is_empty()).then_some((line - 1, text.len() - quotes.len()));
        }
        at = line;
    }
}

/// Whether a text ends inside a string of the JSON it holds.
pub(super) fn ends_in_string(text: &str) -> bool {
    let (mut inside, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ => {}
        }
    }
    inside
}
