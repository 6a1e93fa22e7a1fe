//! File names made from titles: safe on Windows, macOS and Linux, and still readable.

use winclaw_sdk::files::names::is_device;

/// Longest stem in bytes; leaves room for ` (99)`, the extension and a temporary name under the usual limit of 255.
const MAX_BYTES: usize = 180;

/// Longest stem in characters: Windows counts these, and a person reads them.
const MAX_CHARS: usize = 80;

/// A file name without extension for a document called `title`; `document` when nothing of it is left.
pub(crate) fn file_stem(title: &str) -> String {
    portable(title.trim_matches(|c: char| c.is_whitespace() || c == '.' || c == '-'))
}

/// `stem` as a name that every system takes.
///
/// Letters of every script stay. Characters Windows forbids become a space or a dash, invisible ones go, names of
/// Windows devices get a `_`, and no name starts or ends with a dot or a space. It is at most 80 characters and 180
/// bytes long; `document` when nothing is left.
pub(crate) fn portable(stem: &str) -> String {
    let mapped: String = stem.chars().filter(|&c| !is_invisible(c)).map(safe).collect();
    let spaced = mapped.split_whitespace().collect::<Vec<_>>().join(" ");
    match trimmed(bound(trimmed(&spaced))) {
        "" => "document".to_owned(),
        device if is_device(device) => shield(device),
        fine => fine.to_owned(),
    }
}

fn safe(c: char) -> char {
    match c {
        '/' | '\\' => '-',
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => ' ',
        c if c.is_control() => ' ',
        c => c,
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFF}'
        | '\u{E0000}'..='\u{E007F}')
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '.'])
}

fn bound(text: &str) -> &str {
    let fits = |&(at, c): &(usize, char)| at + c.len_utf8() <= MAX_BYTES;
    let end = text.char_indices().take(MAX_CHARS).take_while(fits).last();
    end.map_or("", |(at, c)| &text[..at + c.len_utf8()])
}

fn shield(name: &str) -> String {
    match name.split_once('.') {
        Some((base, rest)) => format!("{base}_.{rest}"),
        None => format!("{name}_"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn titles_become_names_that_every_system_takes() {
        let cases = [
            ("北京天气报告", "北京天气报告"),
            ("Weather: Beijing / Shanghai?", "Weather Beijing - Shanghai"),
            ("- draft -", "draft"),
            ("  ..report.. ", "report"),
            ("a\\b|c*d\"e<f>g", "a-b c d e f g"),
            ("", "document"),
            ("???", "document"),
            ("CON", "CON_"),
            ("nul.2024", "nul_.2024"),
            ("com1", "com1_"),
            ("Com²", "Com²_"),
            ("COM10", "COM10"),
            ("console", "console"),
            ("line\nbreak\tand\u{0}nul", "line break and nul"),
            ("a\u{202E}gpj\u{200B}b", "agpjb"),
            ("emoji 🌧️ 雨", "emoji 🌧️ 雨"),
        ];
        for (title, stem) in cases {
            assert_eq!(file_stem(title), stem, "{title:?}");
        }
    }

    proptest! {
        #[test]
        fn every_name_is_short_and_free_of_what_any_system_forbids(title in "\\PC{0,300}|(字|a|\\.| ){0,300}") {
            let stem = file_stem(&title);
            prop_assert!(!stem.is_empty() && stem.len() <= MAX_BYTES + 1 && stem.chars().count() <= MAX_CHARS + 1);
            prop_assert!(!stem.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0']));
            prop_assert!(!stem.starts_with(['.', ' ']) && !stem.ends_with(['.', ' ']) && !is_device(&stem));
        }
    }
}
