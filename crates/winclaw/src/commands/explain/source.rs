//! The tools a request is explained on: the plugins of this host, or those of a file.

use std::path::Path;

use winclaw_agent::Ranking;
use winclaw_catalog::{Catalog, Resolution, ToolIx};

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
    /// Opens the host, or reads `file`; says how many problems there were.
    pub fn open(config: Config, screen: Screen, file: Option<&Path>) -> Result<Source, Complaint> {
        let Some(file) = file else {
            let host = Host::open(config, screen, Opening::default())?;
            host.warn();
            return Ok(Source::Host(Box::new(host)));
        };
        let tools = winclaw_eval::read_tools(file).map_err(|error| crate::commands::eval::unusable(&error))?;
        if !tools.problems.is_empty() {
            let count = tools.problems.len();
            let en = format!("{count} problems with the tools of this file; `winclaw eval` lists them");
            let zh = format!("该文件中的工具有 {count} 个问题；winclaw eval 会列出");
            screen.note(&screen.paint(Style::Yellow, screen.word(&en, &zh)));
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
