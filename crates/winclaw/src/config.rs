//! Configuration: defaults, the person's file, the project's, the environment and the command line, put together once.

pub mod keys;
pub mod layers;
mod model;
pub mod secrets;
pub mod trust;
pub mod value;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use winclaw_tool::{Lang, PluginId, Text};

use self::layers::{Place, Setting, Settings};
use self::secrets::Secrets;
use self::trust::Trusted;
use self::value::Given;
use crate::cli::{ApproveWord, Common, LangWord};
use crate::complaint::{Complaint, Exit, io as unusable};

/// Where the files are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The person's configuration file, whether or not there is one.
    pub file: PathBuf,
    /// Whether the command line or the environment named it.
    pub named: bool,
    /// The project's file, if there is one.
    pub project: Option<PathBuf>,
    /// Folder for everything the program keeps.
    pub data_dir: PathBuf,
    /// The current folder.
    pub here: PathBuf,
}

impl Places {
    /// Finds them; reads none.
    pub fn of(common: &Common) -> Result<Places, Complaint> {
        let places = directories::ProjectDirs::from("", "", "winclaw");
        let home = |pick: fn(&directories::ProjectDirs) -> &Path| places.as_ref().map(|dirs| pick(dirs).to_owned());
        let default_file = home(|dirs| dirs.config_dir()).map(|dir| dir.join("config.toml"));
        let file = common.config.clone().or(default_file).unwrap_or_else(|| "config.toml".into());
        let data_dir = common.data_dir.clone().or_else(|| home(|dirs| dirs.data_dir()));
        let data_dir = data_dir.unwrap_or_else(|| std::env::temp_dir().join("winclaw"));
        // A folder that is gone must not keep `config` from working.
        let here = std::env::current_dir().unwrap_or_else(|_| ".".into());
        Ok(Places {
            file: std::path::absolute(&file).map_err(|error| unusable(&file, &error))?,
            named: common.config.is_some(),
            project: trust::find(&here),
            data_dir: std::path::absolute(&data_dir).map_err(|error| unusable(&data_dir, &error))?,
            here,
        })
    }
}

/// What the file says of one provider; see the keys `providers.*`.
pub type Named = BTreeMap<String, Given>;

/// What every command works with.
#[derive(Debug)]
pub struct Config {
    /// Language of messages.
    pub lang: Lang,
    /// The model when the command line names none.
    pub model: Option<String>,
    /// The approval rule when the command line names none.
    pub approve: Option<ApproveWord>,
    /// Whether answers stream.
    pub stream: bool,
    /// Model calls after which a task ends.
    pub max_turns: u32,
    /// How long the model may be silent.
    pub model_timeout_ms: Option<i64>,
    /// Folder of plugin packages.
    pub plugins_dir: PathBuf,
    /// Plugins that run in this process.
    pub in_process: Vec<PluginId>,
    /// Ids of tools and plugins that never run.
    pub disabled: Vec<String>,
    /// Folders that tools may use beside the current one, and whether they may write there.
    pub roots: Vec<(PathBuf, bool)>,
    /// Whether `run` keeps its conversation.
    pub sessions_keep: bool,
    /// Days after which traces are removed; 0 keeps them.
    pub trace_keep_days: u32,
    /// Megabytes of traces above which the oldest are removed; 0 is no limit.
    pub trace_keep_mb: u64,
    /// The person's own providers, by name: the last part of each key, and what it was given.
    pub providers: BTreeMap<String, Named>,
    /// What is known of single models, by `provider/name`.
    pub models: BTreeMap<String, Named>,
    /// Secrets that are kept.
    pub secrets: Secrets,
    /// Folder for everything the program keeps.
    pub data_dir: PathBuf,
    /// The configuration file, whether or not there is one.
    pub file: PathBuf,
    /// Where everything stands.
    pub places: Places,
    /// Every setting with its place.
    pub settings: Settings,
    /// Settings of a project file that wait for the person's trust.
    pub held_back: Vec<Setting>,
}

impl Config {
    /// Folder of the task traces.
    pub fn traces(&self) -> PathBuf {
        self.data_dir.join("traces")
    }

    /// Folder of the sessions.
    pub fn sessions(&self) -> PathBuf {
        self.data_dir.join("sessions")
    }

    /// The file of consent rules.
    pub fn policy_file(&self) -> PathBuf {
        self.file.with_file_name("policy.toml")
    }

    /// Reads all places. Later ones win: defaults, the person's file, the project's, the environment, `-c`, and the
    /// options that have a name of their own.
    pub fn load(common: &Common) -> Result<Config, Complaint> {
        let places = Places::of(common)?;
        let (settings, held_back) = read(&places, &common.set)?;
        Config::of(common, places, settings, held_back)
    }

    /// The same, where a file that was named may not be there yet.
    pub fn load_or_begin(common: &Common) -> Result<Config, Complaint> {
        let places = Places { named: false, ..Places::of(common)? };
        let (settings, held_back) = read(&places, &common.set)?;
        Config::of(common, places, settings, held_back)
    }

    fn of(common: &Common, places: Places, settings: Settings, held_back: Vec<Setting>) -> Result<Config, Complaint> {
        let number = |name: &str, otherwise: i64| settings.number(name).unwrap_or(otherwise);
        let plugins = common.plugins.clone().or_else(|| settings.words("plugins.folder").map(PathBuf::from));
        Ok(Config {
            lang: choose_lang(common.lang, settings.words("lang").as_deref()),
            model: settings.words("model"),
            approve: settings.words("approve").and_then(|word| approve_word(&word)),
            stream: settings.switch("stream").unwrap_or(true),
            max_turns: u32::try_from(number("max_turns", 40)).unwrap_or(40),
            model_timeout_ms: settings.number("model_timeout_ms"),
            plugins_dir: plugins.unwrap_or_else(|| default_plugins(&places.data_dir)),
            in_process: plugin_ids(&settings)?,
            disabled: settings.names("tools.disabled"),
            roots: roots(&settings),
            sessions_keep: settings.switch("sessions.keep").unwrap_or(true),
            trace_keep_days: u32::try_from(number("trace.keep_days", 90)).unwrap_or(90),
            trace_keep_mb: u64::try_from(number("trace.keep_mb", 512)).unwrap_or(512),
            providers: named(&settings, "providers"),
            models: named(&settings, "models"),
            secrets: Secrets::beside(&places.file, settings.switch("secrets.keyring").unwrap_or(true)),
            data_dir: places.data_dir.clone(),
            file: places.file.clone(),
            places,
            settings,
            held_back,
        })
    }

    /// Looks a variable up as models do: in the environment, then in the configuration, then among the secrets.
    pub fn variable(&self, name: &str) -> Option<String> {
        if let Ok(value) = std::env::var(name) {
            return Some(value);
        }
        match (name, self.model_timeout_ms) {
            ("WINCLAW_MODEL_TIMEOUT_MS", Some(ms)) => Some(ms.to_string()),
            _ => learnt(self.secrets.get(name)),
        }
    }

    /// Looks up a secret that a plugin declares: in the environment as `WINCLAW_SECRET_NAME`, then among those kept.
    pub fn plugin_secrets(&self) -> winclaw_loader::Secrets {
        let secrets = self.secrets.clone();
        Arc::new(move |name| {
            std::env::var(format!("WINCLAW_SECRET_{}", name.to_uppercase())).ok().or_else(|| learnt(secrets.get(name)))
        })
    }

    /// What the person should hear of a project file that is not trusted; nothing where nothing waits.
    pub fn held_back_text(&self) -> Option<Text> {
        let file = self.places.project.as_ref().filter(|_| !self.held_back.is_empty())?.display();
        let names: Vec<String> = self.held_back.iter().map(|setting| keys::written(&setting.path)).collect();
        Some(Text::new(
            format!(
                "{file} also sets {}, which waits for your trust: look at it, then run `winclaw config trust`",
                names.join(", ")
            ),
            format!("{file} 还设置了 {}，需经您信任后才生效：请查看后运行 winclaw config trust", names.join("、")),
        ))
    }
}

/// A secret that was looked up, which from now on nothing that is printed or kept may hold.
fn learnt(secret: Option<String>) -> Option<String> {
    crate::hidden::learn(secret.clone());
    secret
}

/// What all places say, and what a project may not say without trust.
fn read(places: &Places, arguments: &[String]) -> Result<(Settings, Vec<Setting>), Complaint> {
    let (mut settings, mut held_back) = (Settings::default(), Vec::new());
    let user = |line| Place::User(places.file.clone(), line);
    layers::of_file(&places.file, places.named, user)?.into_iter().for_each(|setting| settings.put(setting));
    if let Some(project) = &places.project {
        let text = std::fs::read_to_string(project).map_err(|error| unusable(project, &error))?;
        let trusted = Trusted::read(&places.data_dir).holds(project, &text);
        for setting in layers::of_text(project, &text, |line| Place::Project(project.clone(), line))? {
            match trusted || setting.key.harmless {
                true => settings.put(setting),
                false => held_back.push(setting),
            }
        }
    }
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    layers::of_variables(variables, &places.here)?.into_iter().for_each(|setting| settings.put(setting));
    for argument in arguments {
        settings.put(layers::of_argument(argument, &places.here)?);
    }
    Ok((settings, held_back))
}

/// The settings below `table`, by the name that the person chose.
fn named(settings: &Settings, table: &str) -> BTreeMap<String, Named> {
    let mut all: BTreeMap<String, Named> = BTreeMap::new();
    for setting in settings.iter() {
        if let [first, name, last] = setting.path.as_slice()
            && first == table
        {
            all.entry(name.clone()).or_default().insert(last.clone(), setting.given.clone());
        }
    }
    all
}

fn plugin_ids(settings: &Settings) -> Result<Vec<PluginId>, Complaint> {
    let id = |name: &String| {
        PluginId::new(name.as_str()).map_err(|_| {
            let (en, zh) = (
                format!("plugins.in_process: `{name}` is no plugin id"),
                format!("plugins.in_process：“{name}”不是插件 id"),
            );
            Complaint::new(Exit::Usage, en, zh)
                .mend("`winclaw plugin list` has the ids", "运行 winclaw plugin list 查看插件 id")
        })
    };
    settings.names("plugins.in_process").iter().map(id).collect()
}

fn approve_word(word: &str) -> Option<ApproveWord> {
    <ApproveWord as clap::ValueEnum>::from_str(word, false).ok()
}

fn roots(settings: &Settings) -> Vec<(PathBuf, bool)> {
    let folders =
        |name: &str, write: bool| settings.names(name).into_iter().map(move |folder| (PathBuf::from(folder), write));
    folders("files.write", true).chain(folders("files.read", false)).collect()
}

fn choose_lang(word: Option<LangWord>, configured: Option<&str>) -> Lang {
    match (word, configured) {
        (Some(LangWord::En), _) | (None, Some("en")) => Lang::En,
        (Some(LangWord::Zh), _) | (None, Some("zh")) => Lang::Zh,
        (None, _) => locale_lang(),
    }
}

/// The language of the locale, by the variables that decide it, then by the system.
pub fn locale_lang() -> Lang {
    let named = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().filter_map(|name| std::env::var(name).ok());
    let locale = named.into_iter().find(|value| !value.is_empty()).or_else(sys_locale::get_locale);
    locale.map_or(Lang::En, |locale| Lang::from_locale(&locale))
}

fn default_plugins(data_dir: &Path) -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("plugins")));
    beside.filter(|folder| folder.is_dir()).unwrap_or_else(|| data_dir.join("plugins"))
}

/// Writes a file whole or not at all, for its owner alone, in a folder that is made if it is missing.
pub fn write_private(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(file).map(drop).map_err(|error| error.error)
}
