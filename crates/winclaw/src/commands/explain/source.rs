//! The tools a request is explained on.

use winclaw_agent::Ranking;
use winclaw_catalog::{Catalog, ToolIx};

use crate::complaint::Complaint;
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::Screen;

/// The plugins of this host.
pub struct Source(Box<Host>);

impl Source {
    /// Opens the host; says how many problems there were.
    pub fn open(config: Config, screen: Screen) -> Result<Source, Complaint> {
        let host = Host::open(config, screen, Opening::default())?;
        host.warn();
        Ok(Source(Box::new(host)))
    }

    /// The tools.
    pub fn catalog(&self) -> &Catalog {
        self.0.catalog()
    }

    /// What was made of them.
    pub fn ranking(&self) -> &Ranking {
        self.0.ranking()
    }

    /// The tool that `name` means; otherwise a complaint that offers the nearest.
    pub fn find(&self, name: &str) -> Result<ToolIx, Complaint> {
        self.0.find(name)
    }
}
