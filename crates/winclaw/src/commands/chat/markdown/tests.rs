use proptest::prelude::*;

use super::*;

fn whole(width: usize, text: &str) -> String {
    let mut markdown = Markdown::new(width);
    let first = markdown.push(text);
    first + &markdown.finish()
}

/// The text without sequences for colour and weight; panics at any other.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('m').expect("a sequence ends") + at;
        let inner = rest[at + 1..end].strip_prefix('[').expect("a sequence for colour");
        assert!(inner.chars().all(|c| c.is_ascii_digit() || c == ';'), "{inner:?}");
        rest = &rest[end + 1..];
    }
    out + rest
}

fn shows(text: &str, expected: &str) {
    assert_eq!(bare(&whole(40, text)), expected, "{text:?}");
}

#[test]
fn blocks_become_what_they_mean() {
    shows("# Title\n\nText.\n", "Title\n\nText.\n");
    shows("- one\n- two\n  - three\n1. four\n", "• one\n• two\n  • three\n1. four\n");
    shows("> said\n> again\n>\n> end\n", "│ said\n│ again\n│ \n│ end\n");
    shows("a\n\n\n\nb", "a\n\nb");
    shows("***\n", &format!("{}\n", "─".repeat(40)));
    shows("text\n---\nmore", &format!("text\n{}\nmore", "─".repeat(40)));
    shows("2024\n1.5 is\n-5 too\n#tag", "2024\n1.5 is\n-5 too\n#tag");
}

#[test]
fn code_stands_as_it_was_written() {
    let code = "```rust\nfn main() {\n    let x = *y * 2; // a_b_c # | ` very long line that is not broken\n\n}\n```\n";
    shows(code, code);
    shows("~~~\n```\n~~~\nafter", "~~~\n```\n~~~\nafter");
    shows("```\nnever closed\n  x", "```\nnever closed\n  x");
    shows("- a\n  ```\n  b\n  ```\n- c", "• a\n  ```\n  b\n  ```\n• c");
    shows("> ```\n> a  b\n> ```\nout", "│ ```\n│ a  b\n│ ```\nout");
    shows("> ```\n> a\nout *x*", "│ ```\n│ a\nout x");
    shows("text\n\n    indented *code*\n", "text\n\n    indented *code*\n");
}

#[test]
fn marks_mean_what_they_mean_and_stand_where_they_mean_nothing() {
    let cases = [
        ("**bold** and *it* and `a*b`", "bold and it and a*b"),
        ("***both*** **a *b* c** **a *b***", "both a b c a b"),
        ("2 * 3 * 4 and 2 ** 3", "2 * 3 * 4 and 2 ** 3"),
        ("snake_case_name and __init__.py", "snake_case_name and init.py"),
        ("*never closed", "*never closed"),
        ("a ** b and `never", "a ** b and `never"),
        ("~~gone~~ and ~ and ~5", "gone and ~ and ~5"),
        ("**粗体：**文字", "粗体：文字"),
        ("``a ` b``", "a ` b"),
        ("`a``b`", "a``b"),
        (r"\*not\* \(x\) C:\dir", r"*not* \(x\) C:\dir"),
        ("[words](https://e.org/a) end", "words (https://e.org/a) end"),
        ("<https://e.org> <b> a < b", "https://e.org <b> a < b"),
        ("![alt](x.png \"t\") [x] [a] (b)", "alt (x.png) [x] [a] (b)"),
        ("[**b** c](u(1))", "b c (u(1))"),
    ];
    for (text, expected) in cases {
        assert_eq!(bare(&whole(200, text)), expected, "{text:?}");
    }
}

#[test]
fn words_of_emphasis_are_set_off() {
    assert_eq!(whole(40, "a **b** `c`"), "a \u{1b}[0;1mb\u{1b}[0m \u{1b}[0;36mc\u{1b}[0m");
    assert_eq!(whole(40, "# H\nx"), "\u{1b}[0;1;4mH\u{1b}[0m\nx");
}

#[test]
fn a_table_lines_up_also_with_wide_characters() {
    let table = "| 城市 | temp |\n|---|--:|\n| 北京 | 5 |\n| Rome | **12** |\n\nend";
    shows(table, "城市 │ temp\n─────┼─────\n北京 │    5\nRome │   12\n\nend");
}

#[test]
fn a_wide_table_breaks_its_cells_and_a_wider_one_stands_line_by_line() {
    let table = "| a | words |\n|---|---|\n| 1 | one two three four five six seven eight nine |\n";
    let shown = bare(&whole(30, table));
    assert!(shown.lines().all(|line| crate::screen::width(line) <= 30), "{shown}");
    assert!(shown.contains("1 │ one two three four five"), "{shown}");
    let many = format!("|{}\n|{}\n|{}\n", " head |".repeat(12), "---|".repeat(12), " long value |".repeat(12));
    let shown = bare(&whole(40, &many));
    assert_eq!(shown.matches("head: long value\n").count(), 12, "{shown}");
}

#[test]
fn what_only_looks_like_a_table_stands_as_it_is() {
    shows("| a | b\nnext", "| a | b\nnext");
    shows("|x| is |y|\n", "|x| is |y|\n");
    shows("|a\n|\n", "|a\n|\n");
    shows("|a|b|\n|-|\n", "|a|b|\n|-|\n");
    shows("|a|\n|-|\n|1|2|", "a │ \n──┼──\n1 │ 2\n");
}

#[test]
fn lines_go_on_under_their_own_text() {
    assert_eq!(bare(&whole(12, "- one two three")), "• one two\n  three");
    assert_eq!(bare(&whole(12, "> one two three")), "│ one two\n│ three");
}

#[test]
fn hostile_text_is_bounded_and_quick() {
    for piece in ["*", "_*", "[", "`", "``a", "> ", "|", "- ", "#", "~", "<", "\\", "![", "**a ", "a"] {
        let text = piece.repeat(40_000 / piece.len());
        let shown = whole(40, &text);
        assert!(shown.len() < 40 * text.len(), "{piece:?}");
    }
}

/// Pieces that Markdown is made of, and what must not pass.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-c ]{1,6}",
        3 => "[*_`~#>|<\\[\\]()!\\\\-]{1,3}",
        2 => Just("\n".to_owned()),
        1 => prop::sample::select(vec![
            "```", "```rust\n", "\n\n", "- ", "1. ", "> ", "| a | b |\n", "|---|---|\n", "**", "](x)", "北京，", "🔥", "e\u{301}",
            "\u{1b}[2J", "\u{7}", "\u{9b}1m", "\r", "\t", "    ", "\u{202e}", "https://e.org/a_b_c"
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_pieces_give_what_the_whole_gives(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12), width in 8_usize..60) {
        let mut marks: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        marks.extend([0, text.len()]);
        marks.sort_unstable();
        let mut markdown = Markdown::new(width);
        let mut shown: String = marks.windows(2).map(|pair| markdown.push(&text[pair[0]..pair[1]])).collect();
        shown += &markdown.finish();
        prop_assert_eq!(shown, whole(width, &text));
    }

    #[test]
    fn only_colour_and_weight_reach_the_terminal(text in text(), width in 8_usize..60) {
        let shown = bare(&whole(width, &text));
        prop_assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{:?}", shown);
    }

    #[test]
    fn no_word_is_lost(text in text(), width in 8_usize..60) {
        // Addresses that say what their words say are shown once, and the marks of a break are no words.
        let text = text.replace(['<', '('], "");
        let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        prop_assert_eq!(words(&bare(&whole(width, &text))), words(&crate::screen::harmless(&text)));
    }

    #[test]
    fn running_text_stays_within_the_screen(text in "([a-z]{1,7} |[北京天气]{1,4}[，。]?){0,40}", width in 10_usize..60) {
        for line in bare(&whole(width, &text)).lines() {
            prop_assert!(crate::screen::width(line) <= width, "{line:?}");
        }
    }
}
