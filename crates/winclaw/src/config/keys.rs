//! Every key of the configuration: what it is called, what it takes, and who may set it.

use winclaw_tool::Text;

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Words,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number between these, both included.
    Number(i64, i64),
    /// A price: a decimal number of whole currency units for each million tokens, at least 0.
    Price,
    /// A path. `~/` is the home folder; a relative one counts from the folder of the file that has it.
    Path,
    /// Several paths.
    Paths,
    /// Several names.
    Names,
}

/// One key. A `*` in its name stands for a name that the person chooses.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its dotted name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether the file of a project may set it without being trusted: it cannot send anything elsewhere, run anything
    /// more, or let anything run unasked.
    pub harmless: bool,
    /// What holds when nobody sets it, for people; empty where nothing does.
    pub default: &'static str,
    en: &'static str,
    zh: &'static str,
}

impl Key {
    /// What it is for.
    pub fn about(&self) -> Text {
        Text::new(self.en, self.zh)
    }

    /// The environment variable that sets it; none for keys with a chosen name in them.
    pub fn variable(&self) -> Option<String> {
        let named = |(_, name): &(&str, &'static str)| (*name).to_owned();
        let special = VARIABLES.iter().find(|(key, _)| *key == self.name).map(named);
        special.or_else(|| {
            (!self.name.contains('*')).then(|| format!("WINCLAW_{}", self.name.replace('.', "_").to_uppercase()))
        })
    }

    /// Whether `path` is this key.
    fn is(&self, path: &[String]) -> bool {
        let mut parts = self.name.split('.');
        path.iter().all(|part| parts.next().is_some_and(|name| name == "*" || name == part)) && parts.next().is_none()
    }
}

/// Variables that are older than the rule.
const VARIABLES: [(&str, &str); 1] = [("plugins.folder", "WINCLAW_PLUGINS")];

const fn key(name: &'static str, kind: Kind, default: &'static str, en: &'static str, zh: &'static str) -> Key {
    Key { name, kind, harmless: false, default, en, zh }
}

const fn free(key: Key) -> Key {
    Key { harmless: true, ..key }
}

const LANGUAGES: Kind = Kind::OneOf(&["en", "zh"]);
const APPROVALS: Kind = Kind::OneOf(&["never", "writes", "always"]);
const CURRENCIES: Kind = Kind::OneOf(&["USD", "CNY"]);
const CONTENT: Kind = Kind::OneOf(&["null", "empty", "omit"]);
const REASONING: Kind = Kind::OneOf(&["drop", "keep", "echo", "empty"]);
const FORMATS: Kind = Kind::OneOf(&["chat", "messages", "responses"]);
const TOKENS: Kind = Kind::Number(1_000, 100_000_000);

/// Every key, in the order people read them.
pub const KEYS: &[Key] = &[
    free(key(
        "lang",
        LANGUAGES,
        "",
        "Language of messages; follows the locale when not set",
        "消息语言；未设置时随系统区域设置",
    )),
    key("model", Kind::Words, "", "The model, as provider/name", "模型，格式为 提供方/名称"),
    key("approve", APPROVALS, "never", "What runs without asking first", "哪些操作无需先询问"),
    free(key("stream", Kind::Switch, "true", "Whether the model's answer streams", "模型的回答是否流式传输")),
    free(key(
        "max_turns",
        Kind::Number(1, 1000),
        "40",
        "Model calls after which a task ends",
        "一个任务的模型调用次数上限",
    )),
    free(key(
        "model_timeout_ms",
        Kind::Number(1, 86_400_000),
        "",
        "How long the model may be silent, in milliseconds",
        "模型允许静默的时间（毫秒）",
    )),
    key("plugins.folder", Kind::Path, "", "Folder of plugin packages", "插件包所在文件夹"),
    key("plugins.in_process", Kind::Names, "", "Plugins that run in the host's own process", "在宿主进程内运行的插件"),
    free(key(
        "tools.disabled",
        Kind::Names,
        "",
        "Tools and plugins that never run; those of all places add up",
        "从不运行的工具和插件；各处的设置合并",
    )),
    key(
        "files.read",
        Kind::Paths,
        "",
        "Folders that tools may read beside the current one",
        "除当前文件夹外，工具可读取的文件夹",
    ),
    key(
        "files.write",
        Kind::Paths,
        "",
        "Folders that tools may read and write beside the current one",
        "除当前文件夹外，工具可读写的文件夹",
    ),
    free(key(
        "sessions.keep",
        Kind::Switch,
        "true",
        "Whether `winclaw run` keeps its conversation as a session",
        "winclaw run 是否将对话保存为会话",
    )),
    key(
        "trace.keep_days",
        Kind::Number(0, 36_500),
        "90",
        "Days after which a trace is removed; 0 keeps them for good",
        "跟踪记录保留天数；0 表示永久保留",
    ),
    key(
        "trace.keep_mb",
        Kind::Number(0, 1_000_000),
        "512",
        "Megabytes of traces above which the oldest are removed; 0 is no limit",
        "跟踪记录总大小上限（MB），超过则删除最旧的；0 表示不限",
    ),
    key(
        "secrets.keyring",
        Kind::Switch,
        "true",
        "Whether secrets are looked up in the system's keyring",
        "是否在系统密钥环中查找密钥",
    ),
    key(
        "providers.*.like",
        Kind::Words,
        "openai",
        "The built-in provider that this one speaks like",
        "与该提供方用法相同的内置提供方",
    ),
    key("providers.*.format", FORMATS, "", "Its wire format", "其数据格式"),
    key("providers.*.base_url", Kind::Words, "", "Where it is reached", "其地址"),
    key(
        "providers.*.key_variable",
        Kind::Words,
        "",
        "The secret or environment variable that holds its key; empty for none",
        "存放其密钥的密钥名或环境变量；留空表示无需密钥",
    ),
    key("providers.*.key_required", Kind::Switch, "", "Whether it needs a key", "是否需要密钥"),
    key("providers.*.default_model", Kind::Words, "", "Its model when none is named", "未指定模型时使用的模型"),
    key(
        "providers.*.window_tokens",
        TOKENS,
        "",
        "Tokens of a request and its reply together",
        "请求与回复合计的 token 数上限",
    ),
    key("providers.*.max_tools", Kind::Number(1, 100_000), "", "The most tools of a request", "单次请求的工具数上限"),
    key(
        "providers.*.max_output",
        Kind::Number(1, 100_000_000),
        "",
        "The most tokens of a reply",
        "单次回复的 token 数上限",
    ),
    key(
        "providers.*.max_output_field",
        Kind::OneOf(&["max_tokens", "max_completion_tokens"]),
        "",
        "The field in which that is sent",
        "发送该上限所用的字段",
    ),
    key(
        "providers.*.longest_name",
        Kind::Number(16, 128),
        "",
        "The longest tool name, in characters",
        "工具名称的最大字符数",
    ),
    key(
        "providers.*.empty_content",
        CONTENT,
        "",
        "How a message that only calls tools is written",
        "仅调用工具的消息中 content 的写法",
    ),
    key("providers.*.reasoning", REASONING, "", "Whether the model's thoughts are sent back", "是否回传模型的思考内容"),
    key("providers.*.reasoning_field", Kind::Words, "", "The field of the model's thoughts", "模型思考内容所在的字段"),
    key(
        "providers.*.stream_options",
        Kind::Switch,
        "",
        "Whether it understands stream_options",
        "是否支持 stream_options",
    ),
    key(
        "providers.*.parallel_tool_calls",
        Kind::Switch,
        "",
        "What is sent as parallel_tool_calls",
        "parallel_tool_calls 的取值",
    ),
    key("providers.*.images", Kind::Switch, "", "Whether it reads images", "是否可读取图片"),
    free(key(
        "models.*.window_tokens",
        TOKENS,
        "",
        "Tokens of a request and its reply together, of the model provider/name",
        "模型 提供方/名称 的请求与回复合计 token 数上限",
    )),
    free(key("models.*.input_price", Kind::Price, "", "Price of a million tokens read", "每百万输入 token 的价格")),
    free(key(
        "models.*.cached_price",
        Kind::Price,
        "",
        "Price of a million tokens read from the cache",
        "每百万缓存命中输入 token 的价格",
    )),
    free(key("models.*.output_price", Kind::Price, "", "Price of a million tokens written", "每百万输出 token 的价格")),
    free(key("models.*.currency", CURRENCIES, "USD", "The currency of these prices", "上述价格的货币")),
];

/// The key at `path`.
pub fn find(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.is(path))
}

/// The key whose name is nearest to `path`, with the person's own names put in; `None` when nothing is near.
pub fn nearest(path: &[String]) -> Option<String> {
    let given = path.join(".");
    let near = |key: &Key| (strsim::normalized_damerau_levenshtein(&given, &filled(key, path)), filled(key, path));
    let best = KEYS.iter().map(near).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(near, _)| *near >= 0.6).map(|(_, name)| name)
}

/// The key's name with `*` replaced by what stands at its place in `path`.
fn filled(key: &Key, path: &[String]) -> String {
    let fill = |(at, part): (usize, &str)| match (part, path.get(at)) {
        ("*", Some(name)) => quoted(name),
        _ => part.to_owned(),
    };
    key.name.split('.').enumerate().map(fill).collect::<Vec<_>>().join(".")
}

/// A part of a path as TOML writes it.
pub fn quoted(part: &str) -> String {
    let bare = !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { part.to_owned() } else { toml::Value::from(part).to_string() }
}

/// A path as TOML writes it.
pub fn written(path: &[String]) -> String {
    path.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn every_key_has_words_in_both_languages_and_stands_once() {
        for key in KEYS {
            assert!(!key.en.is_empty() && !key.zh.is_empty(), "{}", key.name);
            assert_eq!(KEYS.iter().filter(|other| other.name == key.name).count(), 1, "{}", key.name);
        }
    }

    #[test]
    fn a_chosen_name_may_hold_dots_and_slashes() {
        let at = path(&["models", "openai/gpt-5.1", "input_price"]);
        assert_eq!(find(&at).map(|key| key.name), Some("models.*.input_price"));
        assert_eq!(written(&at), "models.\"openai/gpt-5.1\".input_price");
        assert!(find(&path(&["models", "openai/gpt-5.1"])).is_none());
        assert!(find(&path(&["lang", "x"])).is_none());
    }

    #[test]
    fn a_misspelt_key_finds_the_right_one() {
        let near = |parts: &[&str]| nearest(&path(parts));
        assert_eq!(near(&["plugins", "foldr"]).as_deref(), Some("plugins.folder"));
        assert_eq!(near(&["plugin", "folder"]).as_deref(), Some("plugins.folder"));
        assert_eq!(near(&["aprove"]).as_deref(), Some("approve"));
        assert_eq!(near(&["providers", "mine", "baseurl"]).as_deref(), Some("providers.mine.base_url"));
        assert_eq!(near(&["qqqqqqq"]), None);
    }
}
