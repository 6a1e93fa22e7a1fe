//! The tools a request is explained on: the plugins of this host, or those of a file.

use std::path::Path;

use winclaw_agent::Ranking;
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_eval::Tools;

use crate::commands::figures::{self, PROBLEMS, problem_line};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, harmless};

/// Where the tools come from.
pub enum Source {
    /// The plugins of this host.
    Host(Box<Host>),
    /// A file of tools; nothing of the host is opened.
    File {
        /// The tools.
        catalog: Box<Catalog>,
        /// What was made of them.
        ranking: Box<Ranking>,
        /// The file, for messages.
        file: String,
    },
}

impl Source {
    /// Opens the host, or reads `file`; says how many problems there were, and with `all` which. Without a tool there is
    /// nothing to explain.
    pub fn open(config: Config, screen: Screen, file: Option<&Path>, all: bool) -> Result<Source, Complaint> {
        let Some(file) = file else {
            let host = Host::open(config, screen, Opening::default())?;
            host.warn();
            if host.catalog().tools().is_empty() {
                return Err(figures::no_tools(&host.config));
            }
            return Ok(Source::Host(Box::new(host)));
        };
        let tools = winclaw_eval::read_tools(file).map_err(|error| crate::commands::eval::unusable(&error))?;
        warn(screen, &tools, all);
        if tools.catalog.tools().is_empty() {
            let file = file.display();
            let (en, zh) = (format!("{file}: none of its tools can be used"), format!("{file}：其中的工具均无法使用"));
            return Err(
                Complaint::new(Exit::Usage, en, zh).mend("--all lists what is wrong with them", "--all 会列出问题")
            );
        }
        let ranking = Box::new(Ranking::of(&tools.catalog));
        Ok(Source::File { catalog: Box::new(tools.catalog), ranking, file: file.display().to_string() })
    }

    /// The tools.
    pub fn catalog(&self) -> &Catalog {
        match self {
            Source::Host(host) => host.catalog(),
            Source::File { catalog, .. } => catalog,
        }
    }

    /// What was made of them.
    pub fn ranking(&self) -> &Ranking {
        match self {
            Source::Host(host) => host.ranking(),
            Source::File { ranking, .. } => ranking,
        }
    }

    /// The tool that `name` means; otherwise a complaint that offers the nearest.
    pub fn find(&self, name: &str) -> Result<ToolIx, Complaint> {
        let (catalog, file) = match self {
            Source::Host(host) => return host.find(name),
            Source::File { catalog, file, .. } => (catalog, file),
        };
        let near = match catalog.resolve(name) {
            Resolution::One(tool) => return Ok(tool),
            Resolution::Many(tools) => tools,
            Resolution::Unknown { nearest } => nearest,
        };
        let near: Vec<String> = near.iter().take(8).map(|tool| catalog.get(*tool).id.to_string()).collect();
        let near = harmless(&near.join(", "));
        let complaint = Complaint::new(
            Exit::Usage,
            format!("`{name}` names no one tool of {file}"),
            format!("“{name}”不能确定 {file} 中的一个工具"),
        );
        Err(match near.is_empty() {
            true => complaint.mend("give an id as the file has it", "请写出文件中的 id"),
            false => complaint.mend(format!("the nearest are: {near}"), format!("相近的工具：{near}")),
        })
    }
}

/// How many problems the tools of a file have; with `all` the first kinds of them.
fn warn(screen: Screen, tools: &Tools, all: bool) {
    if tools.problems.is_empty() {
        return;
    }
    let count = figures::count(screen, tools.problems.len(), "problem", "problems", "个问题");
    let (en, zh) = match all {
        true => (format!("{count} with the tools of this file"), format!("该文件中的工具有 {count}")),
        false => (
            format!("{count} with the tools of this file; --all lists the first"),
            format!("该文件中的工具有 {count}；--all 会列出前几个"),
        ),
    };
    screen.note(&screen.paint(Style::Yellow, screen.word(&en, &zh)));
    for group in tools.problem_groups().iter().take(PROBLEMS).filter(|_| all) {
        screen.note(&format!("  {}", problem_line(screen, group)));
    }
}
