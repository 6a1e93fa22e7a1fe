//! Configuration: the file, the environment and the command line, put together once.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use winclaw_tool::{Lang, PluginId};

use crate::cli::{ApproveWord, Common, LangWord};
use crate::complaint::{Complaint, Exit, io};

/// `config.toml`. Every field may be absent; unknown fields are errors.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    lang: Option<String>,
    model: Option<String>,
    approve: Option<ApproveWord>,
    plugins: PluginsTable,
    tools: ToolsTable,
    files: FilesTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PluginsTable {
    folder: Option<PathBuf>,
    in_process: Vec<PluginId>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ToolsTable {
    disabled: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FilesTable {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
}

/// What every command works with.
#[derive(Debug)]
pub struct Config {
    /// Language of messages.
    pub lang: Lang,
    /// The model when the command line names none.
    pub model: Option<String>,
    /// The approval rule when the command line names none.
    pub approve: Option<ApproveWord>,
    /// Folder of plugin packages.
    pub plugins_dir: PathBuf,
    /// Plugins that run in this process.
    pub in_process: Vec<PluginId>,
    /// Ids of tools and plugins that never run.
    pub disabled: Vec<String>,
    /// Folders that tools may use beside the current one, and whether they may write there.
    pub roots: Vec<(PathBuf, bool)>,
    /// Folder for everything the program keeps.
    pub data_dir: PathBuf,
    /// The configuration file, whether or not there is one.
    pub file: PathBuf,
}

impl Config {
    /// Folder of the task traces.
    pub fn traces(&self) -> PathBuf {
        self.data_dir.join("traces")
    }

    /// Reads the file and puts the command line over it.
    pub fn load(common: &Common) -> Result<Config, Complaint> {
        let places = directories::ProjectDirs::from("", "", "winclaw");
        let home = |pick: fn(&directories::ProjectDirs) -> &Path| places.as_ref().map(|dirs| pick(dirs).to_owned());
        let default_file = home(|dirs| dirs.config_dir()).map(|dir| dir.join("config.toml"));
        let file = common.config.clone().or(default_file).unwrap_or_else(|| "config.toml".into());
        let read = read_file(&file, common.config.is_some())?;
        let data_dir = common.data_dir.clone().or_else(|| home(|dirs| dirs.data_dir()));
        let data_dir = data_dir.unwrap_or_else(|| std::env::temp_dir().join("winclaw"));
        let data_dir = std::path::absolute(&data_dir).map_err(|error| io(&data_dir, &error))?;
        let plugins = common.plugins.clone().or(read.plugins.folder);
        Ok(Config {
            lang: choose_lang(common.lang, read.lang.as_deref(), &file)?,
            model: read.model,
            approve: read.approve,
            plugins_dir: plugins.unwrap_or_else(|| default_plugins(&data_dir)),
            in_process: read.plugins.in_process,
            disabled: read.tools.disabled,
            roots: roots(read.files),
            data_dir,
            file,
        })
    }
}

fn roots(files: FilesTable) -> Vec<(PathBuf, bool)> {
    let write = files.write.into_iter().map(|folder| (folder, true));
    write.chain(files.read.into_iter().map(|folder| (folder, false))).collect()
}

fn read_file(file: &Path, named: bool) -> Result<File, Complaint> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => return Ok(File::default()),
        Err(error) => return Err(io(file, &error)),
    };
    toml::from_str(&text).map_err(|error| {
        let (place, why) = (file.display(), error.to_string());
        Complaint::new(Exit::Usage, format!("{place}: {why}"), format!("{place}：{why}"))
            .mend("correct the line it names, or remove it", "改正所指的那一行，或将其删除")
    })
}

fn choose_lang(word: Option<LangWord>, configured: Option<&str>, file: &Path) -> Result<Lang, Complaint> {
    match (word, configured) {
        (Some(LangWord::En), _) | (None, Some("en")) => Ok(Lang::En),
        (Some(LangWord::Zh), _) | (None, Some("zh")) => Ok(Lang::Zh),
        (None, Some(other)) => Err(Complaint::new(
            Exit::Usage,
            format!("{}: lang = \"{other}\" is not a language this program speaks", file.display()),
            format!("{}：lang = \"{other}\" 不是本程序支持的语言", file.display()),
        )
        .mend("use \"en\" or \"zh\"", "请用 \"en\" 或 \"zh\"")),
        (None, None) => Ok(locale_lang()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_field_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "[plugins]\nfoldr = \"x\"\n").expect("written");
        let complaint = read_file(&file, true).expect_err("a misspelt field");
        assert!(complaint.what.en.contains("foldr") && complaint.what.en.contains("folder"), "{complaint:?}");
        assert_eq!(complaint.exit, Exit::Usage);
    }

    #[test]
    fn a_named_file_must_exist_and_the_default_one_need_not() {
        let missing = Path::new("no/such/config.toml");
        assert!(read_file(missing, true).is_err());
        assert!(read_file(missing, false).is_ok());
    }
}
