/// `text` as a person can read it and cannot be deceived by it: on one line, with whatever cannot be seen, or reorders what
/// is seen, shown by its code such as `<U+202E>`, line breaks as `⏎`, tabs as `⇥`, a long run of spaces by its length, and
/// at most `cap` characters of it, followed by how many there are more.
pub fn seen(text: &str, cap: usize) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    let mut taken = 0;
    while let Some(c) = chars.next_if(|_| taken < cap) {
        taken += 1;
        let mut run = 1;
        while c == ' ' && chars.next_if(|next| *next == ' ' && taken < cap).is_some() {
            run += 1;
            taken += 1;
        }
        match c {
            ' ' if run > MAX_SPACES => out.push_str(&format!("<{run} spaces>")),
            ' ' => out.extend(std::iter::repeat_n(' ', run)),
            '\n' => out.push('⏎'),
            '\t' => out.push('⇥'),
            c if is_plain(c) => out.push(c),
            c => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
        }
    }
    let left = chars.count();
    if left > 0 {
        out.push_str(&format!("… (+{left})"));
    }
    out
}

/// Longest run of spaces that is shown as it is.
const MAX_SPACES: usize = 8;

/// Whether a character shows itself: no control, no format character, no white space but a plain and an ideographic space, no
/// blank letter.
fn is_plain(c: char) -> bool {
    match c {
        ' ' | '\u{3000}' | '\u{FE0F}' => true,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' => false,
        '\u{AD}' | '\u{61C}' | '\u{6DD}' | '\u{70F}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' => false,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => false,
        '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' => false,
        '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{10FFFF}' => false,
        c => !c.is_control() && !c.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_and_nothing_moves() {
        let cases = [
            ("plain 北京 ☀\u{fe0f}", "plain 北京 ☀\u{fe0f}"),
            ("a\nb\tc\r", "a⏎b⇥c<U+000D>"),
            ("\u{1b}[2J\u{9b}1m\u{7}", "<U+001B>[2J<U+009B>1m<U+0007>"),
            ("safe\u{202e}txt.exe\u{2066}", "safe<U+202E>txt.exe<U+2066>"),
            ("zero\u{200b}width\u{feff}", "zero<U+200B>width<U+FEFF>"),
            ("tag\u{e0041}", "tag<U+E0041>"),
            ("blank\u{2800}\u{3164}\u{a0}", "blank<U+2800><U+3164><U+00A0>"),
            ("a        b", "a        b"),
            ("a         b", "a<9 spaces>b"),
            ("line\u{2028}sep", "line<U+2028>sep"),
        ];
        for (given, expected) in cases {
            assert_eq!(seen(given, usize::MAX), expected, "{given:?}");
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!(seen(&"字".repeat(50), 20), format!("{}… (+30)", "字".repeat(20)));
        assert_eq!(seen(&" ".repeat(50), 20), "<20 spaces>… (+30)");
        assert_eq!(seen("abc", 3), "abc");
        assert_eq!(seen("abc", 0), "… (+3)");
    }
}
