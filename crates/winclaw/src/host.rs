//! The composition root: configuration becomes plugins, a toolbox and an index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use winclaw_agent::Ranking;
use winclaw_catalog::ToolIx;
use winclaw_catalog::{Catalog, Resolution};
use winclaw_guard::{Places, Policy as ConsentPolicy};
use winclaw_loader::{LoadOptions, PluginBackend, load_folder};
use winclaw_net::{NetClient, Policy};
use winclaw_tool::{Problem, ProblemKind, Text};
use winclaw_toolbox::{Backend, Toolbox};

use crate::cli::ApproveWord;
use crate::commands::figures;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::policy_file;
use crate::policy_fit;
use crate::screen::{Screen, Style, harmless};
use crate::task::approval;

/// Everything a command needs of the host.
pub struct Host {
    /// The configuration.
    pub config: Config,
    /// Where to print.
    pub screen: Screen,
    /// The plugins.
    pub plugins: Arc<PluginBackend>,
    /// Every tool.
    pub toolbox: Arc<Toolbox>,
    /// The folders the person works in.
    pub places: Places,
    ranking: OnceLock<Arc<Ranking>>,
    /// That rules which fit nothing were told of.
    told_misfits: OnceLock<()>,
    /// What was wrong with what was left out or is dubious.
    pub problems: Vec<Problem>,
}

/// What differs between commands.
#[derive(Default)]
pub struct Opening {
    /// Folders of this call that tools may read and write, beside the current one.
    pub allow: Vec<PathBuf>,
    /// The folder tools work in; `None` is the current one.
    pub folder: Option<PathBuf>,
    /// The network of tools; `None` is the real one.
    pub net: Option<NetClient>,
    /// Sources of tools beside the plugins.
    pub beside: Vec<Arc<dyn Backend>>,
}

impl Host {
    /// Reads the plugin folder and puts the host together. No plugin code runs and no network is used.
    pub fn open(config: Config, screen: Screen, mut opening: Opening) -> Result<Host, Complaint> {
        let mut problems = Vec::new();
        let mut backends = std::mem::take(&mut opening.beside);
        let options = load_options(&config, opening, &mut problems)?;
        let places = places(&options.file_roots);
        let (plugins, found) = load_folder(options);
        problems.extend(found);
        let plugins = Arc::new(plugins);
        backends.insert(0, plugins.clone());
        let (toolbox, more) = Toolbox::new(backends, &config.disabled);
        problems.extend(more);
        let (toolbox, ranking, told_misfits) = (Arc::new(toolbox), OnceLock::new(), OnceLock::new());
        Ok(Host { config, screen, plugins, toolbox, places, ranking, told_misfits, problems })
    }

    /// The index over the catalogue, and what exposure keeps of it; made when first asked for, since most commands
    /// need neither.
    pub fn ranking(&self) -> &Arc<Ranking> {
        self.ranking.get_or_init(|| Arc::new(Ranking::of(self.catalog())))
    }

    /// Who must agree to what: the level of the command line or else of the configuration, and the rules of the policy file
    /// as they stand now. Rules that fit no tool are told of, once.
    ///
    /// Errors: the file cannot be read; a rule denies a tool that its plugin does not have.
    pub fn policy(&self, approve: Option<ApproveWord>) -> Result<ConsentPolicy, Complaint> {
        let file = self.config.policy_file();
        let rules = policy_file::read(&file)?;
        let misfits = policy_fit::check(self.catalog(), &rules).map_err(|complaint| complaint.at(&file))?;
        if self.told_misfits.set(()).is_ok() {
            misfits.iter().for_each(|text| self.warn_of(text));
        }
        Ok(ConsentPolicy {
            approve: approval(approve.or(self.config.approve)),
            insisted: approve.is_some(),
            rules,
            places: self.places.clone(),
        })
    }

    /// Says on one line what is dubious.
    pub fn warn_of(&self, text: &Text) {
        self.screen.note(&self.screen.paint(Style::Yellow, &harmless(self.screen.text(text))));
    }

    /// The catalogue.
    pub fn catalog(&self) -> &Catalog {
        self.toolbox.catalog()
    }

    /// Says how many problems there are, and where they are listed.
    pub fn warn(&self) {
        let count = self.problems.iter().filter(|problem| problem.fatal).count();
        if count > 0 {
            let count = figures::count(self.screen, count, "problem", "problems", "个问题");
            let en = format!("{count} with plugins; `winclaw plugin list` shows them");
            let zh = format!("插件有 {count}；运行 winclaw plugin list 查看");
            self.screen.note(&self.screen.paint(Style::Yellow, self.screen.word(&en, &zh)));
        }
    }

    /// A problem as two lines for a person.
    pub fn problem_lines(&self, problem: &Problem) -> String {
        let screen = &self.screen;
        let mark = if problem.fatal { screen.paint(Style::Red, "✗") } else { screen.paint(Style::Yellow, "!") };
        let (what, mend) = (harmless(screen.text(&problem.what)), harmless(screen.text(&problem.mend)));
        format!("{mark} {}: {what}\n    {mend}", harmless(&problem.subject))
    }

    /// The tool that `name` means; otherwise a complaint that offers the nearest.
    pub fn find(&self, name: &str) -> Result<ToolIx, Complaint> {
        let ids = |tools: &[ToolIx]| {
            tools.iter().map(|tool| self.catalog().get(*tool).id.to_string()).collect::<Vec<_>>().join(", ")
        };
        match self.catalog().resolve(name) {
            Resolution::One(tool) => Ok(tool),
            Resolution::Many(tools) => Err(Complaint::new(
                Exit::Usage,
                format!("`{name}` means several tools: {}", ids(&tools)),
                format!("“{name}”可指多个工具：{}", ids(&tools)),
            )
            .mend("name one of them by its whole id", "请写出完整的工具 id")),
            Resolution::Unknown { nearest } if nearest.is_empty() => {
                Err(unknown(name).mend("`winclaw tool list` lists every tool", "运行 winclaw tool list 查看所有工具"))
            }
            Resolution::Unknown { nearest } => Err(unknown(name).mend(
                format!("the nearest are: {}; `winclaw tool list` lists every tool", ids(&nearest)),
                format!("相近的工具：{}；运行 winclaw tool list 查看所有工具", ids(&nearest)),
            )),
        }
    }
}

fn unknown(name: &str) -> Complaint {
    Complaint::new(Exit::Usage, format!("there is no tool `{name}`"), format!("没有名为“{name}”的工具"))
}

fn no_current_folder(error: &std::io::Error) -> Complaint {
    let (en, zh) = (format!("the current folder cannot be used: {error}"), format!("无法使用当前文件夹：{error}"));
    Complaint::new(Exit::Usage, en, zh).mend("go to a folder that exists", "请切换到一个存在的文件夹")
}

/// A folder somebody named just now must be there.
fn real(folder: &Path) -> Result<PathBuf, Complaint> {
    std::fs::canonicalize(folder).map_err(|error| io(folder, &error))
}

/// A folder of the configuration that is not there costs itself.
fn missing_root(config: &Config, folder: &Path, error: &std::io::Error) -> Problem {
    let (file, folder) = (config.file.display(), folder.display());
    Problem {
        kind: ProblemKind::Io,
        subject: folder.to_string(),
        what: Text::new(
            format!("{file} lets tools use this folder, but it cannot be used: {error}."),
            format!("{file} 允许工具使用该文件夹，但它无法使用：{error}。"),
        ),
        mend: Text::new(
            "Make the folder, or take it out of [files] in the configuration.",
            "请创建该文件夹，或将其从配置的 [files] 中删除。",
        ),
        fatal: false,
    }
}

/// The folders tools may use: the first is the one they work in.
fn places(roots: &[(PathBuf, bool)]) -> Places {
    let text = |folder: &Path| folder.to_string_lossy().into_owned();
    let mut folders = roots.iter().map(|(folder, _)| text(folder));
    let home = directories::BaseDirs::new().map(|dirs| text(dirs.home_dir())).unwrap_or_default();
    Places { folder: folders.next().unwrap_or_default(), home, also: folders.collect() }
}

fn load_options(config: &Config, opening: Opening, problems: &mut Vec<Problem>) -> Result<LoadOptions, Complaint> {
    let folder = match opening.folder {
        Some(folder) => folder,
        None => std::env::current_dir().map_err(|error| no_current_folder(&error))?,
    };
    let mut file_roots = vec![(real(&folder)?, true)];
    for folder in &opening.allow {
        file_roots.push((real(folder)?, true));
    }
    for (folder, write) in &config.roots {
        match std::fs::canonicalize(folder) {
            Ok(folder) => file_roots.push((folder, *write)),
            Err(error) => problems.push(missing_root(config, folder, &error)),
        }
    }
    Ok(LoadOptions {
        plugins_dir: config.plugins_dir.clone(),
        cache_dir: config.data_dir.join("cache"),
        data_dir: config.data_dir.join("plugin-data"),
        host_program: winclaw_loader::this_program().map_err(|error| io(&PathBuf::from("winclaw"), &error))?,
        in_process: config.in_process.clone(),
        net: Arc::new(opening.net.unwrap_or_else(|| NetClient::live(Policy::default()))),
        file_roots,
        secrets: config.plugin_secrets(),
        lang: config.lang,
        now: None,
        restart: Default::default(),
    })
}
