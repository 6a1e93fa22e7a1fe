//! Whether a request says outright that it means a server, plugin or category, and does not merely use its name as a word;
//! and whether it says outright that it does not mean what it names.

use winclaw_catalog::names::words;

/// What a source is called, behind or before its name.
const SOURCES: [&str; 14] = [
    "connector",
    "connectors",
    "extension",
    "integration",
    "mcp",
    "package",
    "plugin",
    "plugins",
    "server",
    "servers",
    "tool",
    "toolbox",
    "toolkit",
    "tools",
];

/// The same in Chinese.
const CHINESE_SOURCES: [&str; 8] = ["插件", "服务器", "服务", "工具", "扩展", "连接器", "集成", "的工具"];

/// Words before the name of a source that ask for its tools.
const BY: [&str; 4] = ["through", "use", "using", "via"];

/// The same in Chinese.
const CHINESE_BY: [&str; 7] = ["用", "使用", "通过", "借助", "调用", "利用", "拿"];

/// What a category is called. `tool` is not among it: half of all tools are called after their trade.
const CATEGORIES: [&str; 1] = ["category"];

/// The same in Chinese.
const CHINESE_CATEGORIES: [&str; 4] = ["类别", "分类", "类工具", "类的工具"];

/// Whether the texts before and behind the name of a source make it one that is meant: `the X server`, `plugin X`,
/// `via X`, `X插件`, `用X`.
pub(crate) fn means_source(before: &str, behind: &str) -> bool {
    let last = last_word(before);
    let asks = BY.contains(&last.to_lowercase().as_str()) || ends_with_any(last, &CHINESE_BY);
    asks || is_called(last, behind, &SOURCES, &CHINESE_SOURCES)
}

/// Whether they make the name of a category one that is meant: `the X category`, `category X`, `X类工具`.
pub(crate) fn means_category(before: &str, behind: &str) -> bool {
    is_called(last_word(before), behind, &CATEGORIES, &CHINESE_CATEGORIES)
}

/// Signs that end a sentence or a part of it.
const SENTENCE: [char; 14] = ['.', ',', ';', ':', '!', '?', '\n', '，', '。', '；', '、', '：', '！', '？'];

/// Words that rule out what follows them; what is written as two words here is two words of a request.
const NOT: [&[&str]; 8] = [
    &["do", "not"],
    &["don", "t"],
    &["dont"],
    &["must", "not"],
    &["should", "not"],
    &["never"],
    &["without"],
    &["instead", "of"],
];

/// The same in Chinese.
const CHINESE_NOT: [&str; 6] = ["不要", "别", "不用", "无需", "不必", "不需要"];

/// Ends in which those rule out nothing: questions, and words that end in 别.
const CHINESE_NOT_NOT: [&str; 15] = [
    "要不要",
    "用不用",
    "特别",
    "分别",
    "区别",
    "类别",
    "级别",
    "性别",
    "个别",
    "差别",
    "识别",
    "辨别",
    "鉴别",
    "判别",
    "告别",
];

/// Words that may stand between those and a name.
const BETWEEN: [&str; 11] = ["a", "an", "any", "call", "calling", "my", "run", "running", "the", "use", "using"];

/// The same in Chinese.
const CHINESE_BETWEEN: [&str; 5] = ["使用", "调用", "用", "去", "再"];

/// Most characters before a name that are read for a word that rules it out.
const NEAR: usize = 40;

/// Whether the text before a name rules it out: `don't use X`, `without X`, `instead of the X`, 不要用X, 别X.
pub(crate) fn is_ruled_out(before: &str) -> bool {
    let start = before.char_indices().rev().nth(NEAR - 1).map_or(0, |(at, _)| at);
    let clause = before[start..].rsplit(SENTENCE).next().unwrap_or("");
    let mut last: Vec<String> = words(clause).map(|word| word.text.to_lowercase()).collect();
    while last.last().is_some_and(|word| BETWEEN.contains(&word.as_str())) {
        last.pop();
    }
    let ends_with = |not: &[&str]| last.iter().rev().zip(not.iter().rev()).filter(|(a, b)| a == b).count() == not.len();
    NOT.iter().any(|not| ends_with(not)) || last.last().is_some_and(|word| is_chinese_not(word))
}

/// Whether a Chinese run ends in a word that rules out what follows.
fn is_chinese_not(run: &str) -> bool {
    let mut rest = Some(run);
    while let Some(run) = rest {
        if ends_with_any(run, &CHINESE_NOT) {
            return !ends_with_any(run, &CHINESE_NOT_NOT);
        }
        rest = CHINESE_BETWEEN.iter().find_map(|word| run.strip_suffix(word));
    }
    false
}

/// Whether one of the `kinds` stands behind a name, or is the word before it.
fn is_called(last: &str, behind: &str, kinds: &[&str], chinese: &[&str]) -> bool {
    let is_kind = |word: &str| kinds.contains(&word.to_lowercase().as_str());
    let first = words(behind).next().map_or("", |word| word.text);
    let next = is_near(behind.split(char::is_alphanumeric).next());
    let follows = next && (is_kind(first) || chinese.iter().any(|kind| first.starts_with(kind)));
    // `tools sky` is no name of a source, `tool sky` is.
    follows || (is_kind(last) && !last.ends_with('s')) || ends_with_any(last, chinese)
}

/// The last word before a name, articles left out; empty if a sentence ends between.
fn last_word(before: &str) -> &str {
    let gap = before.rsplit(char::is_alphanumeric).next();
    let word = words(before).filter(|word| !is_article(word.text)).last();
    word.filter(|_| is_near(gap)).map_or("", |word| word.text)
}

/// Whether `gap` ends no sentence.
fn is_near(gap: Option<&str>) -> bool {
    !gap.unwrap_or("").contains(SENTENCE)
}

fn is_article(word: &str) -> bool {
    word.eq_ignore_ascii_case("the") || word.eq_ignore_ascii_case("my")
}

fn ends_with_any(word: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_rules_out_what_stands_right_behind_a_negation() {
        for text in [
            "don't ",
            "Please don\u{2019}t use the ",
            "dont call ",
            "Do not ",
            "sums, never ",
            "without using any ",
            "add it up instead of `",
            "不要",
            "今天不要用",
            "别",
            "算一下，别再使用",
            "不用",
            "无需调用 ",
            "不要 use ",
        ] {
            assert!(is_ruled_out(text), "{text}");
        }
        for text in [
            "",
            "use ",
            "I don't know, ",
            "I don't. Use ",
            "don't forget to ",
            "why don't you use ",
            "do ",
            "not ",
            "of ",
            "要不要用",
            "特别",
            "识别",
            "不要，",
            "用",
            "别忘了",
        ] {
            assert!(!is_ruled_out(text), "{text}");
        }
    }

    #[test]
    fn a_group_is_meant_only_when_the_text_says_so() {
        let split = |text: &'static str| text.split_once('@').expect("a name");
        let source = |text| means_source(split(text).0, split(text).1);
        let category = |text| means_category(split(text).0, split(text).1);
        for text in
            ["use the @ server to look", "the @ plugin", "with @ tools", "plugin '@'", "用@插件查", "调用 @ 服务"]
        {
            assert!(source(text) && !category(text), "{text}");
        }
        for text in ["插件@里", "look it up via @", "use the @ for this", "用@查一下", "using \"@\""] {
            assert!(source(text) && !category(text), "{text}");
        }
        for text in ["the @ category", "category: none, category @", "@类工具", "分类 @ 里的"] {
            assert!(category(text) && !source(text), "{text}");
        }
        for text in
            ["how is the @ today", "@. Tools are here", "no tools, @", "good tools @ wise", "查@，插件很多", "@"]
        {
            assert!(!source(text) && !category(text), "{text}");
        }
    }
}
