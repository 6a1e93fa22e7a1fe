//! Names without a letter or digit, such as 🔥 or ★. Folding leaves nothing of them, so they are compared as written.

use winclaw_catalog::names::normal;

/// `text` as such names are compared: NFKC, without the selectors that only say whether a sign is drawn in colour.
pub(crate) fn key(text: &str) -> String {
    let drawn = normal(text.trim());
    drawn.chars().filter(|c| !matches!(c, '\u{FE0E}' | '\u{FE0F}')).flat_map(char::to_lowercase).collect()
}

/// Whether `c` is a sign that says something, as arrows, stars and emoji do and punctuation does not.
pub(crate) fn speaks(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}
