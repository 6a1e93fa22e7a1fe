//! Exact replacement in a text whose line ends may be of either kind.

/// A text after replacement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// The whole new text. All but the replaced stretches is as before, to the byte.
    pub text: String,
    /// Line numbers of the replaced stretches, from 1.
    pub lines: Vec<usize>,
    /// The first changes as lines that start with `-`, `+` or a space.
    pub diff: String,
}

/// Why nothing was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotReplaced {
    /// The text is not there; with a hint where something like it is.
    Absent(Option<String>),
    /// It is there more than once, on these lines.
    Several(Vec<usize>),
}

/// Most changes that are shown, lines around each, and characters of a line.
const SHOWN: usize = 3;
const AROUND: usize = 2;
const LINE_CHARS: usize = 200;

/// Replaces `old` by `new` in `text`: the one place it stands, or every place with `all`.
///
/// A line end in `old` fits either kind in the text; one in `new` becomes the kind the text has most of.
pub(crate) fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, NotReplaced> {
    let (flat, removed) = flatten(text);
    let old = old.replace("\r\n", "\n");
    let new = new.replace("\r\n", "\n");
    let starts: Vec<usize> = flat.match_indices(&old).map(|(at, _)| at).collect();
    let lines: Vec<usize> = line_numbers(&flat, &starts);
    match starts.len() {
        0 => return Err(NotReplaced::Absent(hint(&flat, &old))),
        2.. if !all => return Err(NotReplaced::Several(lines)),
        _ => {}
    }
    let written = if removed.len() * 2 > flat.matches('\n').count() { new.replace('\n', "\r\n") } else { new.clone() };
    let original = |at: usize| at + removed.partition_point(|cr| *cr < at);
    let mut out = String::with_capacity(text.len() + written.len());
    let mut from = 0;
    for start in &starts {
        out.push_str(&text[from..original(*start)]);
        out.push_str(&written);
        from = original(start + old.len());
    }
    out.push_str(&text[from..]);
    Ok(Replaced { text: out, lines, diff: diff(&flat, &starts, &old, &new) })
}

/// The text with `\n` for every `\r\n`, and where in it a `\r` was taken out: before these positions.
fn flatten(text: &str) -> (String, Vec<usize>) {
    let mut flat = String::with_capacity(text.len());
    let mut removed = Vec::new();
    for (n, part) in text.split("\r\n").enumerate() {
        if n > 0 {
            removed.push(flat.len());
            flat.push('\n');
        }
        flat.push_str(part);
    }
    (flat, removed)
}

fn line_numbers(flat: &str, starts: &[usize]) -> Vec<usize> {
    let (mut line, mut from) = (1, 0);
    let number = |start: &usize| {
        line += flat[from..*start].matches('\n').count();
        from = *start;
        line
    };
    starts.iter().map(number).collect()
}

/// Where something like `old` stands, for a caller that remembered it slightly wrong.
fn hint(flat: &str, old: &str) -> Option<String> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    let first = *wanted.first().filter(|line| !line.is_empty())?;
    let lines: Vec<&str> = flat.lines().map(str::trim).collect();
    if let Some(at) = lines.windows(wanted.len()).position(|window| window == wanted) {
        return Some(format!("line {} is the same but for spaces at the start or end of lines", at + 1));
    }
    let near: Vec<String> =
        (1..).zip(&lines).filter(|(_, line)| line.contains(first)).take(5).map(|(n, _)| n.to_string()).collect();
    (!near.is_empty()).then(|| format!("its first line occurs on line {}", near.join(", ")))
}

/// The first few changes with the lines around them.
fn diff(flat: &str, starts: &[usize], old: &str, new: &str) -> String {
    let mut out = String::new();
    let (mut shown, mut until) = (0, 0);
    for start in starts {
        if shown == SHOWN {
            out.push_str("…\n");
            break;
        }
        if *start < until {
            continue;
        }
        let (from, to) = (line_start(flat, *start), line_end(flat, start + old.len()));
        let before = back(flat, until.min(from), from);
        let after = forward(flat, to);
        let number = 1 + flat[..before].matches('\n').count();
        out.push_str(&format!("@@ line {number} @@\n"));
        let changed = flat[from..to].replace(old, new);
        for (mark, part) in
            [(' ', &flat[before..from]), ('-', &flat[from..to]), ('+', &changed), (' ', &flat[to..after])]
        {
            out.extend(part.lines().map(|line| format!("{mark}{}\n", cut(line))));
        }
        shown += 1;
        until = after;
    }
    out
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the line that holds the byte before `at`, with its line end.
fn line_end(text: &str, at: usize) -> usize {
    if at > 0 && text[..at].ends_with('\n') {
        return at;
    }
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

fn back(text: &str, limit: usize, from: usize) -> usize {
    (0..AROUND).fold(from, |at, _| if at > limit { line_start(text, at - 1).max(limit) } else { at })
}

fn forward(text: &str, to: usize) -> usize {
    (0..AROUND).fold(to, |at, _| {
        if at < text.len() { line_end(text, at + text[at..].chars().next().map_or(0, char::len_utf8)) } else { at }
    })
}

fn cut(line: &str) -> String {
    let head: String = line.chars().take(LINE_CHARS).collect();
    if head.len() < line.len() { format!("{head}…") } else { head }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_place_is_replaced_and_the_rest_stays() {
        let cases = [
            ("a\r\nb\r\nc\n", "b\nc", "x\ny", "a\r\nx\r\ny\n"),
            ("a\nb\r\n", "a\n", "", "b\r\n"),
            ("今天晴", "晴", "雨", "今天雨"),
            ("a\r\nb", "\n", "\n\n", "a\r\n\r\nb"),
            ("x", "x", "", ""),
        ];
        for (text, old, new, right) in cases {
            assert_eq!(replace(text, old, new, false).map(|done| done.text), Ok(right.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn several_places_are_listed_or_all_replaced() {
        let text = "a\nb a\nc\na";
        assert_eq!(replace(text, "a", "x", false), Err(NotReplaced::Several(vec![1, 2, 4])));
        let all = replace(text, "a", "x", true).expect("replaced");
        assert_eq!((all.text.as_str(), all.lines), ("x\nb x\nc\nx", vec![1, 2, 4]));
    }

    #[test]
    fn what_is_nearly_there_is_pointed_at() {
        let absent = |text: &str, old: &str| match replace(text, old, "x", false) {
            Err(NotReplaced::Absent(hint)) => hint.unwrap_or_default(),
            other => panic!("{other:?}"),
        };
        assert!(absent("one\n  two \n three", "two\nthree").starts_with("line 2 is the same but for spaces"));
        assert!(absent("fn a() {\n}\n", "fn a() {\n  b\n}").contains("occurs on line 1"));
        assert_eq!(absent("one", "two"), "");
        assert_eq!(absent("one", "\n"), "");
    }

    #[test]
    fn the_diff_shows_the_change_in_its_place() {
        let done = replace("1\n2\n3\n4\n5\n6\n7", "4\n", "four\n", false).expect("replaced");
        assert_eq!(done.diff, "@@ line 2 @@\n 2\n 3\n-4\n+four\n 5\n 6\n");
        let many = replace(&"a\n".repeat(50), "a", "b", true).expect("replaced");
        assert!(many.diff.ends_with("…\n") && many.diff.lines().count() < 40, "{}", many.diff);
        let long = replace(&"字".repeat(1_000), &"字".repeat(1_000), "短", false).expect("replaced");
        assert!(long.diff.chars().count() < 300, "{}", long.diff);
    }

    proptest! {
        #[test]
        fn replacing_and_replacing_back_gives_the_same_bytes(before in "[ab好\r\n]{0,40}", after in "[ab好\r\n]{0,40}") {
            // The ends keep a `\r` and a `\n` from meeting over the seam.
            let text = format!("{before}|旧的|{after}");
            let there = replace(&text, "旧的", "新\n的", false).expect("replaced");
            let ends = if there.text.contains("新\r\n的") { "新\r\n的" } else { "新\n的" };
            prop_assert_eq!(&there.text, &format!("{before}|{ends}|{after}"));
            let back = replace(&there.text, "新\n的", "旧的", false).expect("replaced back");
            prop_assert_eq!(back.text, text);
        }

        #[test]
        fn any_text_and_pattern_is_safe(text in "[a好\r\n]{0,30}", old in "[a好\n]{1,4}", new in "[b\n]{0,4}", all in any::<bool>()) {
            if let Ok(done) = replace(&text, &old, &new, all) {
                prop_assert!(all || done.lines.len() == 1);
                prop_assert!(!done.diff.is_empty());
            }
        }
    }
}
