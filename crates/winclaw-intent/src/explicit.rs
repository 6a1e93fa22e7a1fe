//! Whether a request says outright that it means a server, plugin or category, and does not merely use its name as a word.

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
    !gap.unwrap_or("").contains(['.', ',', ';', ':', '!', '?', '\n', '，', '。', '；', '、', '：', '！', '？'])
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
