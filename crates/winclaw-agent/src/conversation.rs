//! What can be said of a conversation as such: its size, and how text is put behind it.

use winclaw_exposure::estimate_tokens;
use winclaw_model::{Message, WireCall};
use winclaw_tool::ToolSpec;

use crate::spill;

/// What a message costs beside its words: role, ids, separators.
const FRAME: u32 = 4;

/// What a picture takes, about: 1.4 megapixels at 750 pixels a token, the most that Anthropic bills.
const PICTURE: u32 = 1_600;

/// The estimate for a message as a vendor is sent it.
pub(crate) fn size(message: &Message) -> u32 {
    let words = match message {
        Message::User { text, images } => {
            let pictures = PICTURE.saturating_mul(u32::try_from(images.len()).unwrap_or(u32::MAX));
            estimate_tokens(text).saturating_add(pictures)
        }
        Message::Assistant { text, reasoning, calls, .. } => {
            let thoughts = reasoning.as_deref().map_or(0, estimate_tokens);
            calls.iter().map(call).fold(estimate_tokens(text).saturating_add(thoughts), u32::saturating_add)
        }
        Message::Tool { content, reveals, .. } => {
            reveals.iter().map(spec).fold(estimate_tokens(content), u32::saturating_add)
        }
    };
    words.saturating_add(FRAME)
}

fn call(call: &WireCall) -> u32 {
    estimate_tokens(&call.name).saturating_add(estimate_tokens(&call.arguments)).saturating_add(FRAME)
}

fn spec(spec: &ToolSpec) -> u32 {
    estimate_tokens(&serde_json::to_string(spec).unwrap_or_default())
}

/// Adds `tail` to the last message, which is the person's or a tool's.
pub(crate) fn append(messages: &mut [Message], tail: &str) {
    match messages.last_mut() {
        Some(Message::User { text, .. } | Message::Tool { content: text, .. }) => {
            text.push_str("\n\n");
            text.push_str(tail);
        }
        Some(Message::Assistant { .. }) | None => {}
    }
}

/// `text` with its middle cut out, if it is longer than `limit` characters, and a mark that says how much.
pub(crate) fn cut_middle(text: &str, limit: usize) -> String {
    match ends(text, limit) {
        Some((head, tail, cut)) => format!("{head}\n{}\n{tail}", spill::mark(cut, text.len(), None)),
        None => text.to_owned(),
    }
}

/// Head and tail of a text that is longer than `limit` characters, half each, and how many are between them.
pub(crate) fn ends(text: &str, limit: usize) -> Option<(&str, &str, usize)> {
    // A text has no more characters than bytes, so most need not be counted.
    if text.len() <= limit {
        return None;
    }
    let length = text.chars().count();
    let half = (limit / 2).max(1);
    let (head, _) = text.char_indices().nth(half).filter(|_| length > limit)?;
    let tail = text.char_indices().rev().nth(half - 1).map_or(text.len(), |(at, _)| at);
    Some((&text[..head], &text[tail..], length - 2 * half))
}

/// How many characters of `text` fit `tokens`, at the density `text` has.
pub(crate) fn fitting(text: &str, tokens: u32) -> usize {
    let (length, takes) = (text.chars().count(), estimate_tokens(text).max(1));
    let fits = length as u64 * u64::from(tokens) / u64::from(takes);
    if takes <= tokens { length } else { usize::try_from(fits).unwrap_or(length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_keeps_its_head_and_tail_and_says_what_is_missing() {
        let text: String = (0..1000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let cut = cut_middle(&text, 100);
        assert!(cut.starts_with(&text[..50]) && cut.ends_with(&text[950..]));
        assert!(cut.contains("900 characters cut"));
        assert_eq!(cut_middle("北京", 2), "北京");
    }

    #[test]
    fn what_fits_goes_by_the_script() {
        assert_eq!(fitting(&"a".repeat(1000), 100), 400);
        assert_eq!(fitting(&"北".repeat(1000), 100), 100);
        assert_eq!(fitting("short", 100), 5);
    }
}
