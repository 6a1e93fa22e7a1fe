//! Makes `**注意：**后文` bold.
//!
//! CommonMark decides by spaces and punctuation whether a run of `*` may open or close emphasis, which fails where
//! Chinese or Japanese punctuation meets a letter without a space between them. An invisible mark put between the
//! punctuation and the run makes the run look like one inside a word; the marks are removed from what is parsed.

use std::borrow::Cow;

use crate::text::{is_cjk, is_cjk_punctuation};

/// A code point that is never a character, so it stands in no text of its own. [`crate::text::legal`] removes it.
const MARK: char = '\u{FDD0}';

/// `markdown` with marks where emphasis next to East Asian punctuation needs them.
pub(crate) fn mark(markdown: &str) -> Cow<'_, str> {
    if !markdown.chars().any(|c| is_cjk(c) || is_cjk_punctuation(c)) {
        return Cow::Borrowed(markdown);
    }
    let mut marked = String::with_capacity(markdown.len() + 16);
    let mut rest = markdown;
    while let Some(start) = rest.find(['*', '~']) {
        let sign = rest[start..].chars().next().unwrap_or('*');
        let run = rest[start..].len() - rest[start..].trim_start_matches(sign).len();
        let before = rest[..start].chars().next_back().or_else(|| marked.chars().next_back());
        let after = rest[start + run..].chars().next();
        let (left, right) = needs(before, after, sign, run);
        marked.push_str(&rest[..start]);
        marked.extend(left.then_some(MARK));
        marked.push_str(&rest[start..start + run]);
        marked.extend(right.then_some(MARK));
        rest = &rest[start + run..];
    }
    marked.push_str(rest);
    Cow::Owned(marked)
}

/// Whether a mark is needed before and after a run of `sign` that stands between `before` and `after`.
fn needs(before: Option<char>, after: Option<char>, sign: char, run: usize) -> (bool, bool) {
    let (Some(before), Some(after)) = (before, after) else {
        return (false, false);
    };
    let emphasis = before != '\\' && (sign == '*' || run == 2);
    let east_asian = [before, after].iter().any(|&c| is_cjk(c) || is_cjk_punctuation(c));
    if !emphasis || !east_asian {
        return (false, false);
    }
    (is_punctuation(before) && is_letter(after), is_letter(before) && is_punctuation(after))
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
}

/// Punctuation that does not itself take part in emphasis.
fn is_punctuation(c: char) -> bool {
    is_cjk_punctuation(c) || (c.is_ascii_punctuation() && !matches!(c, '*' | '~' | '_' | '|'))
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Options, Parser, html};

    use super::*;

    fn html_of(markdown: &str) -> String {
        let marked = mark(markdown);
        let mut out = String::new();
        html::push_html(&mut out, Parser::new_ext(&marked, Options::ENABLE_STRIKETHROUGH));
        out.replace(MARK, "").trim().to_owned()
    }

    #[test]
    fn emphasis_works_next_to_chinese_punctuation() {
        let cases = [
            ("**注意：**今天有雨。", "<p><strong>注意：</strong>今天有雨。</p>"),
            ("他说**“好”**就走了", "<p>他说<strong>“好”</strong>就走了</p>"),
            ("涨了**50%**的价", "<p>涨了<strong>50%</strong>的价</p>"),
            ("**一：**甲。**二：**乙", "<p><strong>一：</strong>甲。<strong>二：</strong>乙</p>"),
            ("*（斜体）*后文", "<p><em>（斜体）</em>后文</p>"),
            ("~~删除。~~后文", "<p><del>删除。</del>后文</p>"),
            ("- **项目：**内容", "<ul>\n<li><strong>项目：</strong>内容</li>\n</ul>"),
            ("**普通**文字", "<p><strong>普通</strong>文字</p>"),
        ];
        for (markdown, html) in cases {
            assert_eq!(html_of(markdown), html, "{markdown}");
        }
    }

    #[test]
    fn what_is_not_emphasis_stays_what_it_was() {
        for markdown in [
            "2 * 3（六）",
            r"\*\*注意：\*\*后",
            "`**注意：**后`",
            "    **注意：**后",
            "a**b",
            "**a.**b",
            "1 ~ 2（范围）",
        ] {
            let mut plain = String::new();
            html::push_html(&mut plain, Parser::new_ext(markdown, Options::ENABLE_STRIKETHROUGH));
            assert_eq!(html_of(markdown), plain.trim(), "{markdown}");
        }
    }
}
