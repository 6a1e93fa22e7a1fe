//! What a line of Markdown is, from its beginning.

/// The kind of a line, as far as its head tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// More must come before it can be said.
    Open,
    /// Nothing but space.
    Blank,
    /// A heading of this depth, 1 to 6; the rest of the line follows.
    Heading(usize),
    /// A mark of a list and what is to be shown for it.
    Item(String),
    /// One mark of a quote; what follows is a line by itself.
    Quote,
    /// A line across.
    Rule,
    /// The beginning of code: the mark, its length, and what stands behind it.
    Fence(char, usize, String),
    /// A row of a table.
    Row,
    /// Running text.
    Text,
}

/// Longest head, in bytes, that is looked at; a line that is not known by then is running text.
pub(super) const LONGEST: usize = 1000;

/// The kind of the line that begins with `head`, and the bytes of `head` that its marks take, indentation included.
/// With `ends` the whole line is there.
pub(super) fn kind(head: &str, ends: bool) -> (Kind, usize) {
    let rest = head.trim_start_matches([' ', '\t']);
    let indent = head.len() - rest.len();
    let Some(first) = rest.chars().next() else {
        return (if ends { Kind::Blank } else { Kind::Open }, indent);
    };
    if head.len() > LONGEST && first != '|' {
        return (Kind::Text, indent);
    }
    let (kind, taken) = match first {
        '`' | '~' => fence(rest, first, ends),
        '#' => heading(rest, ends),
        '-' | '*' | '_' | '+' => mark(rest, first, ends),
        '0'..='9' => number(rest, ends),
        '>' => quote(rest, ends),
        '|' => (if ends { Kind::Row } else { Kind::Open }, 0),
        _ => (Kind::Text, 0),
    };
    (kind, indent + taken)
}

/// The columns a line is moved in by.
pub(super) fn indent(head: &str) -> usize {
    head.chars()
        .map_while(|c| {
            if c == ' ' {
                Some(1)
            } else if c == '\t' {
                Some(4)
            } else {
                None
            }
        })
        .sum()
}

fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

fn fence(rest: &str, mark: char, ends: bool) -> (Kind, usize) {
    let length = run(rest, mark);
    let info = &rest[length..];
    if info.is_empty() && !ends {
        return (Kind::Open, 0);
    }
    if length < 3 || mark == '`' && info.contains('`') {
        return (Kind::Text, 0);
    }
    match ends {
        true => (Kind::Fence(mark, length, info.trim().to_owned()), rest.len()),
        false => (Kind::Open, 0),
    }
}

fn heading(rest: &str, ends: bool) -> (Kind, usize) {
    let depth = run(rest, '#');
    let after = &rest[depth..];
    let text = after.trim_start_matches(' ');
    if depth > 6 || !after.is_empty() && !after.starts_with(' ') {
        return (Kind::Text, 0);
    }
    if text.is_empty() && !ends {
        return (Kind::Open, 0);
    }
    (Kind::Heading(depth), rest.len() - text.len())
}

/// `- item`, or a line across, or words in bold.
fn mark(rest: &str, first: char, ends: bool) -> (Kind, usize) {
    let only = rest.chars().all(|c| c == first || c == ' ');
    let crosses = first != '+' && only;
    if crosses && ends && rest.chars().filter(|c| *c == first).count() >= 3 {
        return (Kind::Rule, rest.len());
    }
    if only && !ends {
        return (Kind::Open, 0);
    }
    let after = &rest[1..];
    if first != '_' && after.starts_with(' ') {
        let text = after.trim_start_matches(' ');
        return (Kind::Item("•".into()), rest.len() - text.len());
    }
    (Kind::Text, 0)
}

fn number(rest: &str, ends: bool) -> (Kind, usize) {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let mut after = rest[digits..].chars();
    match (after.next(), after.next()) {
        (None, _) | (Some('.' | ')'), None) if !ends && digits <= 9 => (Kind::Open, 0),
        (Some(end @ ('.' | ')')), Some(' ')) if digits <= 9 => {
            let text = rest[digits + 1..].trim_start_matches(' ');
            if text.is_empty() && !ends {
                return (Kind::Open, 0);
            }
            (Kind::Item(format!("{}{end}", &rest[..digits])), rest.len() - text.len())
        }
        _ => (Kind::Text, 0),
    }
}

fn quote(rest: &str, ends: bool) -> (Kind, usize) {
    match rest[1..].chars().next() {
        None if !ends => (Kind::Open, 0),
        Some(' ') => (Kind::Quote, 2),
        _ => (Kind::Quote, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_it_is_as_early_as_it_can() {
        let cases = [
            ("", false, Kind::Open, 0),
            ("   ", true, Kind::Blank, 3),
            ("#", false, Kind::Open, 0),
            ("## T", false, Kind::Heading(2), 3),
            ("#tag", false, Kind::Text, 0),
            ("-", false, Kind::Open, 0),
            ("- x", false, Kind::Item("•".into()), 2),
            ("  * x", false, Kind::Item("•".into()), 4),
            ("**b", false, Kind::Text, 0),
            ("* *i", false, Kind::Item("•".into()), 2),
            ("---", true, Kind::Rule, 3),
            ("---", false, Kind::Open, 0),
            ("--flag", false, Kind::Text, 0),
            ("-5", false, Kind::Text, 0),
            ("12", false, Kind::Open, 0),
            ("12. x", false, Kind::Item("12.".into()), 4),
            ("1.5", false, Kind::Text, 0),
            ("2024", true, Kind::Text, 0),
            ("> a", false, Kind::Quote, 2),
            (">", true, Kind::Quote, 1),
            ("```rust", false, Kind::Open, 0),
            ("```rust", true, Kind::Fence('`', 3, "rust".into()), 7),
            ("`code`", false, Kind::Text, 0),
            ("```a```", false, Kind::Text, 0),
            ("| a", false, Kind::Open, 0),
            ("| a |", true, Kind::Row, 0),
            ("你好", false, Kind::Text, 0),
        ];
        for (head, ends, expected, taken) in cases {
            assert_eq!(kind(head, ends), (expected, taken), "{head:?} {ends}");
        }
    }
}
