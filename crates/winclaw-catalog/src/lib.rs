//! Every known tool in one immutable snapshot: its names, its dependency graph, and what was wrong with the claims.
//!
//! Backends offer [`ToolEntry`] values; [`Catalog::build`] cleans their texts, gives each tool a wire name, resolves the
//! edges between them and reports what does not hold as `Problem`s. Nothing a tool claims about itself can stop the
//! build or touch another tool.
//!
//! Invariants:
//! - Pure: no I/O, clock, randomness, threads or async.
//! - The order in which entries arrive changes nothing: same set, same catalog, same problems (I6).
//! - Wire names are legal for every vendor, injective, do not depend on which other tools exist, and are never one of
//!   [`RESERVED`] (I8).
//! - [`Catalog::resolve`] gives `One` for an exact or unique folded name only, never for a merely similar one.
//! - No tool is ever lost: whatever it states, an entry's id has a place in the catalog, and a call of it can be made.
//! - A tool known once is known for good: in every [`Catalog::successor`] it has a place and the same wire name.
//! - Cycles among tools are legal; [`Catalog::closure`] always ends.
//! - Sizes are bounded: what a tool states beyond a cap is cut with a visible mark or left out, and is a problem.
//! - Parameters are an object schema in which every keyword that vendors read has a value they can read.
//! - Texts that reach a model or a terminal carry no control, bidirectional or invisible characters.

#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod build;
pub mod evidence;
mod graph;
mod mend;
mod mentions;
pub mod names;
mod nearest;
mod problems;
mod resolve;
mod schema;
mod successor;
mod text;
mod tidy;
mod wire;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use winclaw_tool::{Text, ToolId, ToolManifest};

use graph::Graph;
use resolve::Names;

pub use resolve::Resolution;
pub use text::clean;

/// Names of the meta tools; no tool of a backend is ever called by one of them on the wire.
pub const RESERVED: [&str; 4] = ["tool_search", "tool_details", "tool_call", "ask_user"];

/// A tool of one [`Catalog`]: its place in [`Catalog::tools`]. Means nothing in another catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ToolIx(pub u32);

impl ToolIx {
    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether a tool can run now, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It can run.
    Ready,
    /// A policy or the person switched it off. It is never shown to a model and never run.
    Disabled {
        /// Who or what switched it off.
        why: Text,
    },
    /// It is known but cannot run at present, such as a tool of a server that is down.
    Unavailable {
        /// What is in the way.
        why: Text,
        /// Whether trying again later can help.
        retryable: bool,
    },
    /// It lacks a setting or a secret.
    NeedsConfig {
        /// What is missing and where to put it.
        what: Text,
    },
}

/// A tool as a backend offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    /// Its id, unique over all backends; of several entries with one id, one is kept.
    pub id: ToolId,
    /// What it says about itself.
    pub manifest: ToolManifest,
    /// Whether it can run.
    pub state: State,
}

/// A tool as the catalog knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogTool {
    /// Its id.
    pub id: ToolId,
    /// What it says about itself, with texts cleaned and capped: summary one line of at most 160 characters,
    /// description at most 2,000; `parameters` is an object schema; keys that name no parameter are left out.
    pub manifest: ToolManifest,
    /// Whether it can run.
    pub state: State,
    /// The name a model calls it by: 1 to 64 of `a-z`, `A-Z`, `0-9`, `_` and `-`.
    pub wire_name: String,
    /// 16 hexadecimal characters that change when id, description or parameters change.
    pub fingerprint: String,
    /// The whole description, where the manifest's had to be cut.
    uncut: Option<String>,
}

impl CatalogTool {
    /// The cleaned description without the cut at 2,000 characters; at most 100,000.
    pub fn full_description(&self) -> &str {
        self.uncut.as_deref().unwrap_or(&self.manifest.description)
    }

    /// Whether policy lets it be shown and run: everything but [`State::Disabled`].
    pub fn permitted(&self) -> bool {
        !matches!(self.state, State::Disabled { .. })
    }
}

/// Every known tool. Made by [`Catalog::build`] or [`Catalog::successor`], never changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    tools: Vec<CatalogTool>,
    names: Names,
    graph: Graph,
    categories: BTreeMap<String, Vec<ToolIx>>,
}

impl Catalog {
    /// All tools, sorted by id.
    pub fn tools(&self) -> &[CatalogTool] {
        &self.tools
    }

    /// The tool at `ix`.
    ///
    /// # Panics
    /// When `ix` came from another catalog and lies beyond the end of this one.
    pub fn get(&self, ix: ToolIx) -> &CatalogTool {
        &self.tools[ix.index()]
    }

    /// The place of the tool with exactly this id.
    pub fn ix(&self, id: &ToolId) -> Option<ToolIx> {
        place(&self.tools, id.as_str())
    }

    /// Every tool, in order of id.
    pub fn all(&self) -> impl Iterator<Item = ToolIx> + use<> {
        (0..self.tools.len() as u32).map(ToolIx)
    }

    /// Every tool that is not [`State::Disabled`], in order of id.
    pub fn permitted(&self) -> impl Iterator<Item = ToolIx> {
        self.all().filter(|&ix| self.get(ix).permitted())
    }

    /// The tools `ix` cannot be used without, as it states them; sorted.
    pub fn requires(&self, ix: ToolIx) -> &[ToolIx] {
        &self.graph.requires[ix.index()]
    }

    /// Everything `ix` requires, directly and indirectly, without `ix` itself; sorted. Ends on cycles.
    pub fn closure(&self, ix: ToolIx) -> Vec<ToolIx> {
        self.graph.closure(ix)
    }

    /// The tools whose results often feed `ix`; sorted.
    pub fn input_from(&self, ix: ToolIx) -> &[ToolIx] {
        &self.graph.input_from[ix.index()]
    }

    /// The tools often used in one task with `ix`: as it states them, and up to 16 that its description names; sorted.
    pub fn often_with(&self, ix: ToolIx) -> &[ToolIx] {
        &self.graph.often_with[ix.index()]
    }

    /// Every category with all its tools (also disabled ones), both sorted.
    pub fn categories(&self) -> &BTreeMap<String, Vec<ToolIx>> {
        &self.categories
    }
}

/// Where in `tools`, sorted by id, the tool `id` stands.
fn place(tools: &[CatalogTool], id: &str) -> Option<ToolIx> {
    let found = tools.binary_search_by(|tool| tool.id.as_str().cmp(id)).ok()?;
    Some(ToolIx(found as u32))
}
