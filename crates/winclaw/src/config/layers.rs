//! The places that settings come from, and what they have set.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, TableLike, Value};
use winclaw_tool::Text;

use super::keys::{self, Key, Kind};
use super::value::{Given, wanted};
use crate::complaint::{Complaint, Exit, io};

/// Where a setting was made. A later one wins over an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the person's file, at this line.
    User(PathBuf, usize),
    /// In the file of the project, at this line.
    Project(PathBuf, usize),
    /// In this environment variable.
    Variable(String),
    /// On the command line.
    Argument,
}

impl Place {
    /// The place as people read it.
    pub fn text(&self) -> Text {
        match self {
            Place::User(file, line) => same(format!("{}:{line}", file.display())),
            Place::Project(file, line) => {
                let at = format!("{}:{line}", file.display());
                Text::new(format!("{at} (project)"), format!("{at}（项目）"))
            }
            Place::Variable(name) => same(name.clone()),
            Place::Argument => Text::new("the command line", "命令行"),
        }
    }

    /// The place as JSON output names it.
    pub fn word(&self) -> &'static str {
        match self {
            Place::User(..) => "user",
            Place::Project(..) => "project",
            Place::Variable(_) => "environment",
            Place::Argument => "argument",
        }
    }
}

fn same(text: String) -> Text {
    Text::new(text.clone(), text)
}

/// One setting.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Its path, one part for each dot.
    pub path: Vec<String>,
    /// Its key.
    pub key: &'static Key,
    /// The value.
    pub given: Given,
    /// Where it was made.
    pub place: Place,
}

/// What holds after all places were read.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    held: BTreeMap<String, Setting>,
}

impl Settings {
    /// Puts a setting over what an earlier place says. Names of [`ADDED`] add up instead: what one place switches off,
    /// another cannot switch on.
    pub fn put(&mut self, mut setting: Setting) {
        let name = keys::written(&setting.path);
        if let (true, Given::Names(new), Some(Given::Names(old))) =
            (setting.key.name == ADDED, &setting.given, self.held.get(&name).map(|held| &held.given))
        {
            let more = new.iter().filter(|one| !old.contains(one));
            setting.given = Given::Names(old.iter().chain(more).cloned().collect());
        }
        self.held.insert(name, setting);
    }

    /// Every setting, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.held.values()
    }

    /// The setting of `name`.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.held.get(name)
    }

    /// The text at `name`.
    pub fn words(&self, name: &str) -> Option<String> {
        match &self.get(name)?.given {
            Given::Words(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The number at `name`.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)?.given {
            Given::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The switch at `name`.
    pub fn switch(&self, name: &str) -> Option<bool> {
        match self.get(name)?.given {
            Given::Switch(on) => Some(on),
            _ => None,
        }
    }

    /// The names at `name`; none when nothing is set.
    pub fn names(&self, name: &str) -> Vec<String> {
        match self.get(name).map(|setting| &setting.given) {
            Some(Given::Names(names)) => names.clone(),
            _ => Vec::new(),
        }
    }
}

/// The one key whose values add up.
const ADDED: &str = "tools.disabled";

/// The settings of a file's text. `place` makes the place of a line.
///
/// Errors: text that is no TOML, keys that are none, values that do not fit; each with file and line.
pub fn of_text(file: &Path, text: &str, place: impl Fn(usize) -> Place) -> Result<Vec<Setting>, Complaint> {
    let document = Document::parse(text).map_err(|error| not_toml(file, &error))?;
    let mut leaves = Vec::new();
    walk(document.as_table(), &mut Vec::new(), &mut leaves);
    let base = file.parent().unwrap_or(Path::new("."));
    let read = |leaf: Leaf| {
        let place = place(leaf.line(text));
        let setting = setting(leaf.path, place, |kind| {
            let value = leaf.value.ok_or_else(|| "…".to_owned())?;
            Given::read(kind, &value).map_err(|_| value.to_string())
        })?;
        let given = setting.given.anchored(setting.key.kind, base);
        Ok(Setting { given, ..setting })
    };
    leaves.into_iter().map(read).collect()
}

/// The settings of the file at `file`; none when it does not exist, unless it `must`.
pub fn of_file(file: &Path, must: bool, place: impl Fn(usize) -> Place) -> Result<Vec<Setting>, Complaint> {
    match std::fs::read_to_string(file) {
        Ok(text) => of_text(file, &text, place),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must => Ok(Vec::new()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(absent(file, &error)),
        Err(error) => Err(io(file, &error)),
    }
}

/// A file that was named is not there.
fn absent(file: &Path, error: &std::io::Error) -> Complaint {
    let line = format!("winclaw config set --config {} …", file.display());
    io(file, error).mend(
        format!("name a file that is there, or create it with `{line}`"),
        format!("请指定已有的文件，或用 {line} 创建"),
    )
}

/// The settings of environment variables. Empty ones count as not set, and `WINCLAW_…` that is like no key is somebody
/// else's.
///
/// Errors: values that do not fit, and names that are almost a key's.
pub fn of_variables(variables: impl Iterator<Item = (String, String)>, base: &Path) -> Result<Vec<Setting>, Complaint> {
    let mut found: Vec<(String, String)> =
        variables.filter(|(name, value)| name.starts_with("WINCLAW_") && !value.trim().is_empty()).collect();
    found.sort();
    let mut settings = Vec::new();
    for (name, value) in found {
        match keys::KEYS.iter().find(|key| key.variable().as_deref() == Some(&name)) {
            Some(key) => {
                let path = key.name.split('.').map(str::to_owned).collect();
                let read = |kind| Given::typed(kind, &value).map_err(|_| format!("{value:?}"));
                let setting = setting(path, Place::Variable(name), read)?;
                let given = setting.given.anchored(key.kind, base);
                settings.push(Setting { given, ..setting });
            }
            None => misspelt_variable(&name)?,
        }
    }
    Ok(settings)
}

/// The setting of a `key=value` from the command line.
pub fn of_argument(text: &str, base: &Path) -> Result<Setting, Complaint> {
    let not_a_pair = || {
        Complaint::new(Exit::Usage, format!("-c {text}: not key=value"), format!("-c {text}：不是 key=value 的形式"))
            .mend("write it as in -c lang=zh", "请写成例如 -c lang=zh")
    };
    let (name, value) = text.split_once('=').ok_or_else(not_a_pair)?;
    let setting =
        setting(path_of(name)?, Place::Argument, |kind| Given::typed(kind, value).map_err(|_| format!("{value:?}")))?;
    let given = setting.given.anchored(setting.key.kind, base);
    Ok(Setting { given, ..setting })
}

/// The parts of a dotted name; a part with dots or slashes stands in quotes.
pub fn path_of(name: &str) -> Result<Vec<String>, Complaint> {
    let parsed = toml_edit::Key::parse(name.trim()).map_err(|_| {
        Complaint::new(Exit::Usage, format!("`{name}` is no name of a key"), format!("“{name}”不是有效的配置键名"))
            .mend(
                "put a part with dots or slashes in quotes, as in 'models.\"openai/gpt-5\".window_tokens'",
                "含有点或斜杠的部分需加引号，例如 'models.\"openai/gpt-5\".window_tokens'",
            )
    })?;
    Ok(parsed.iter().map(|key| key.get().to_owned()).collect())
}

/// A setting at `path`, if there is such a key and `read` gives a value that fits; else it gives the value as it stands.
pub fn setting(
    path: Vec<String>,
    place: Place,
    read: impl FnOnce(Kind) -> Result<Given, String>,
) -> Result<Setting, Complaint> {
    let key = keys::find(&path).ok_or_else(|| unknown(&path, Some(&place)))?;
    match read(key.kind) {
        Ok(given) => Ok(Setting { path, key, given, place }),
        Err(value) => Err(unfit(&path, key, &place, &value)),
    }
}

/// The complaint about a name that is no key's.
pub fn unknown(path: &[String], place: Option<&Place>) -> Complaint {
    let name = keys::written(path);
    let at = |text: fn(&Text) -> &str, colon: &str| {
        place.map(|place| format!("{}{colon}", text(&place.text()))).unwrap_or_default()
    };
    let complaint = Complaint::new(
        Exit::Usage,
        format!("{}there is no key `{name}`", at(|text| &text.en, ": ")),
        format!("{}没有配置键“{name}”", at(|text| &text.zh, "：")),
    );
    match keys::nearest(path) {
        Some(near) => complaint.mend(
            format!("did you mean `{near}`? `winclaw config list --all` lists every key"),
            format!("是否想写“{near}”？运行 winclaw config list --all 查看所有配置键"),
        ),
        None => complaint
            .mend("`winclaw config list --all` lists every key", "运行 winclaw config list --all 查看所有配置键"),
    }
}

fn unfit(path: &[String], key: &Key, place: &Place, value: &str) -> Complaint {
    let (name, wanted, at) = (keys::written(path), wanted(key.kind), place.text());
    Complaint::new(
        Exit::Usage,
        format!("{}: `{name}` takes {}, not {value}", at.en, wanted.en),
        format!("{}：“{name}”的值应为{}，而不是 {value}", at.zh, wanted.zh),
    )
    .mend("correct it, or take it out", "请改正或将其删除")
}

fn not_toml(file: &Path, error: &toml_edit::TomlError) -> Complaint {
    let (place, why) = (file.display(), error.to_string());
    Complaint::new(Exit::Usage, format!("{place}: {why}"), format!("{place}：{why}"))
        .mend("correct the line it names, or remove it", "改正所指的那一行，或将其删除")
}

/// Names that a variable has and no key.
const OTHER_VARIABLES: [&str; 3] = ["WINCLAW_CONFIG", "WINCLAW_DATA_DIR", "WINCLAW_LOG"];

fn misspelt_variable(name: &str) -> Result<(), Complaint> {
    let known = keys::KEYS.iter().filter_map(Key::variable).chain(OTHER_VARIABLES.map(str::to_owned));
    let near = |known: String| (strsim::normalized_damerau_levenshtein(name, &known), known);
    let best = known.map(near).max_by(|a, b| a.0.total_cmp(&b.0));
    match best.filter(|(near, _)| *near >= 0.85 && *near < 1.0 && !name.starts_with("WINCLAW_SECRET_")) {
        None => Ok(()),
        Some((_, known)) => Err(Complaint::new(
            Exit::Usage,
            format!("the environment variable {name} is not one that is read"),
            format!("环境变量 {name} 不会被读取"),
        )
        .mend(format!("did you mean {known}? Otherwise unset it"), format!("是否想写 {known}？否则请取消该变量"))),
    }
}

/// A value of a document and where it stands.
struct Leaf {
    path: Vec<String>,
    /// `None` for a value that no key takes, such as a date.
    value: Option<toml::Value>,
    span: Option<Range<usize>>,
}

impl Leaf {
    fn line(&self, text: &str) -> usize {
        let start = self.span.as_ref().map_or(0, |span| span.start.min(text.len()));
        text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

fn walk(table: &dyn TableLike, path: &mut Vec<String>, leaves: &mut Vec<Leaf>) {
    for (name, item) in table.iter() {
        path.push(name.to_owned());
        match item.as_table_like().filter(|inner| !inner.is_empty()) {
            Some(inner) => walk(inner, path, leaves),
            // An empty table sets nothing, but a wrong name is wrong all the same.
            None if item.is_table_like() && begins_a_key(path) => {}
            None => leaves.push(Leaf { path: path.clone(), value: plain(item), span: item.span() }),
        }
        path.pop();
    }
}

/// Whether some key lies below `path`.
fn begins_a_key(path: &[String]) -> bool {
    keys::KEYS.iter().any(|key| {
        let mut parts = key.name.split('.');
        path.iter().all(|part| parts.next().is_some_and(|name| name == "*" || name == part)) && parts.next().is_some()
    })
}

fn plain(item: &Item) -> Option<toml::Value> {
    item.as_value().and_then(plain_value)
}

fn plain_value(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(on) => (*on.value()).into(),
        Value::Array(items) => toml::Value::Array(items.iter().map(plain_value).collect::<Option<_>>()?),
        Value::Datetime(_) | Value::InlineTable(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, Complaint> {
        let file = Path::new("/conf/config.toml");
        let mut settings = Settings::default();
        for setting in of_text(file, text, |line| Place::User(file.into(), line))? {
            settings.put(setting);
        }
        Ok(settings)
    }

    #[test]
    fn settings_are_read_with_the_line_they_stand_in() {
        let text = "lang = \"zh\"\n\n[plugins]\nfolder = \"p\" # here\n[models.\"a/b.c\"]\nwindow_tokens = 9000\n";
        let settings = read(text).expect("settings");
        assert_eq!(settings.words("lang").as_deref(), Some("zh"));
        assert_eq!(settings.words("plugins.folder").as_deref(), Some("/conf/p"));
        assert_eq!(settings.number("models.\"a/b.c\".window_tokens"), Some(9000));
        let line = |name: &str| settings.get(name).map(|setting| setting.place.clone());
        assert_eq!(line("plugins.folder"), Some(Place::User("/conf/config.toml".into(), 4)));
    }

    #[test]
    fn mistakes_say_where_and_what_instead() {
        let cases = [
            ("aprove = \"never\"", "config.toml:1: there is no key `aprove`", "`approve`"),
            ("\n[plugin]\nfolder = \"x\"", "config.toml:3: there is no key `plugin.folder`", "`plugins.folder`"),
            ("\n[plugin]", "there is no key `plugin`", "winclaw config list"),
            ("approve = \"sometimes\"", "config.toml:1: `approve` takes one of \"never\"", "correct it"),
            ("max_turns = 0", "`max_turns` takes a whole number from 1 to 1000", "correct it"),
            ("lang = 1979-05-27", "`lang` takes one of", "correct it"),
            ("lang = ", "config.toml", "correct the line"),
        ];
        for (text, what, mend) in cases {
            let complaint = read(text).expect_err(text);
            assert!(complaint.what.en.contains(what), "{text}: {}", complaint.what.en);
            assert!(complaint.mend.en.contains(mend), "{text}: {}", complaint.mend.en);
            assert_eq!(complaint.exit, Exit::Usage);
        }
    }

    #[test]
    fn what_one_place_disables_another_cannot_enable() {
        let mut settings = read("[tools]\ndisabled = [\"a.b\", \"c\"]").expect("settings");
        settings.put(of_argument("tools.disabled=c,d", Path::new("/")).expect("a setting"));
        assert_eq!(settings.names("tools.disabled"), ["a.b", "c", "d"]);
    }

    #[test]
    fn variables_are_read_and_near_misses_are_mistakes() {
        let of = |name: &str, value: &str| {
            of_variables([(name.to_owned(), value.to_owned())].into_iter(), Path::new("/here"))
        };
        assert_eq!(of("WINCLAW_TRACE_KEEP_DAYS", "7").expect("read")[0].given, Given::Number(7));
        assert_eq!(of("WINCLAW_PLUGINS", "p").expect("read")[0].given, Given::Words("/here/p".into()));
        assert!(of("WINCLAW_LANG", " ").expect("empty is not set").is_empty());
        assert!(of("WINCLAW_ELSEWHERE", "1").expect("somebody else's").is_empty());
        assert!(of("WINCLAW_SECRET_X", "1").expect("a secret").is_empty());
        let complaint = of("WINCLAW_MODLE", "x/y").expect_err("a near miss");
        assert!(complaint.mend.en.contains("WINCLAW_MODEL"), "{}", complaint.mend.en);
        assert!(of("WINCLAW_LANG", "fr").is_err());
    }
}
