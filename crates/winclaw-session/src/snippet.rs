use serde::Serialize;

use crate::words::tidy;

/// Characters shown around a hit, all in all.
const WIDTH: usize = 80;

/// A short piece of text around a hit, on one line and without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Snippet {
    /// What stands before the hit; begins with `…` when more did.
    pub before: String,
    /// The hit, as it was said. Empty when it stands where no words are shown.
    pub hit: String,
    /// What follows; ends with `…` when there is more.
    pub after: String,
}

/// The piece of `text` around the first place that one of `terms` stands at; the beginning when none does.
pub(crate) fn snippet(text: &str, terms: &[String]) -> Snippet {
    let text = tidy(text);
    let chars: Vec<char> = text.chars().collect();
    let folded: Vec<char> = chars.iter().map(|c| fold(*c)).collect();
    let places = terms.iter().filter_map(|term| {
        let term: Vec<char> = tidy(term).chars().map(fold).collect();
        find(&folded, &term).map(|at| (at, term.len()))
    });
    let (at, length) = places.min().unwrap_or((0, 0));
    around(&chars, at, length)
}

/// One character for one, so that places stay.
pub(crate) fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

pub(crate) fn find(text: &[char], term: &[char]) -> Option<usize> {
    if term.is_empty() || term.len() > text.len() {
        return None;
    }
    text.windows(term.len()).position(|window| window == term)
}

fn around(chars: &[char], at: usize, length: usize) -> Snippet {
    let length = length.min(WIDTH);
    let spare = WIDTH - length;
    let start = at.saturating_sub(spare / 3);
    let end = (at + length + (spare - (at - start))).min(chars.len());
    let text = |part: &[char]| part.iter().collect::<String>();
    let (head, tail) = (if start > 0 { "…" } else { "" }, if end < chars.len() { "…" } else { "" });
    Snippet {
        before: format!("{head}{}", text(&chars[start..at])),
        hit: text(&chars[at..at + length]),
        after: format!("{}{tail}", text(&chars[at + length..end])),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, term: &str) -> (String, String, String) {
        let Snippet { before, hit, after } = snippet(text, &[term.to_owned()]);
        (before, hit, after)
    }

    #[test]
    fn a_snippet_shows_the_hit_and_what_is_around_it() {
        assert_eq!(of("The Harbour\n in  Beijing", "harbour"), ("The ".into(), "Harbour".into(), " in Beijing".into()));
        assert_eq!(of("查北京天气", "北京"), ("查".into(), "北京".into(), "天气".into()));
        assert_eq!(of("nothing here", "absent"), (String::new(), String::new(), "nothing here".into()));
        let long = format!("{}needle{}", "x ".repeat(200), " y".repeat(200));
        let (before, hit, after) = of(&long, "NEEDLE");
        assert!(before.starts_with('…') && after.ends_with('…') && hit == "needle");
        assert!((before + &after).chars().count() <= WIDTH);
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_harmless(text in "\\PC{0,300}|(?s).{0,200}", term in ".{0,5}") {
            let Snippet { before, hit, after } = snippet(&text, &[term]);
            let whole = format!("{before}{hit}{after}");
            prop_assert!(whole.chars().count() <= WIDTH + 2);
            prop_assert!(!whole.chars().any(char::is_control));
        }
    }
}
