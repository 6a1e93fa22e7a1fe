use std::sync::{Arc, OnceLock};

use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};

use crate::Level;
use crate::catalogue::{Catalogue, Detail};
use crate::schema::costs;
use crate::shelves::Shelves;

/// What can be known of a catalog before any request: sizes, categories, order. Make it once for each catalog and hand
/// it to [`Exposure::begin_prepared`](crate::Exposure::begin_prepared) or [`Exposure::adopt`](crate::Exposure::adopt); it
/// is not meant for another catalog.
#[derive(Debug)]
pub struct Prepared {
    /// Tokens of each tool's schema, whole and in brief; by [`ToolIx`].
    costs: Vec<(u32, u32)>,
    /// By [`ToolIx`].
    marks: Vec<Mark>,
    pub(crate) shelves: Shelves,
    /// Permitted tools, one source after another in turn, so that no source crowds out the rest.
    pub(crate) order: Vec<ToolIx>,
    /// Those of them marked `always_load`, in turn among themselves.
    pub(crate) core: Vec<ToolIx>,
    /// Number of permitted tools, and tokens of all their schemas.
    pub(crate) count: usize,
    pub(crate) everything: u32,
    /// Catalogues that were written before, so that the tasks after the first need not write them again. What is in them
    /// depends on the catalog alone, never on who wrote first.
    written: [OnceLock<(Detail, Arc<Catalogue>)>; 4],
}

/// What a tool was when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) ability: Ability,
    /// The tool's fingerprint as a number.
    pub(crate) fingerprint: u64,
}

/// Whether a tool can run, without the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ability {
    Ready,
    NeedsConfig,
    Down,
    Disabled,
}

impl Mark {
    fn of(tool: &CatalogTool) -> Mark {
        let ability = match tool.state {
            State::Ready => Ability::Ready,
            State::NeedsConfig { .. } => Ability::NeedsConfig,
            State::Unavailable { .. } => Ability::Down,
            State::Disabled { .. } => Ability::Disabled,
        };
        // Sixteen hexadecimal digits; were it ever anything else, its change would go unseen and nothing worse.
        Mark { ability, fingerprint: u64::from_str_radix(&tool.fingerprint, 16).unwrap_or(0) }
    }
}

impl Prepared {
    /// Looks through the catalog once; a few milliseconds at a thousand tools.
    pub fn new(catalog: &Catalog) -> Prepared {
        let marks: Vec<Mark> = catalog.tools().iter().map(Mark::of).collect();
        let costs: Vec<(u32, u32)> = catalog.tools().iter().map(costs).collect();
        let everything = catalog.permitted().map(|ix| costs[ix.index()].0).fold(0, u32::saturating_add);
        let order = in_turn(catalog, catalog.permitted());
        Prepared {
            shelves: Shelves::of(catalog),
            core: in_turn(catalog, catalog.permitted().filter(|ix| catalog.get(*ix).manifest.always_load)),
            count: order.len(),
            order,
            everything,
            marks,
            costs,
            written: Default::default(),
        }
    }

    /// Number of tools, permitted or not.
    pub(crate) fn size(&self) -> usize {
        self.marks.len()
    }

    /// What the tool at `ix` is; one that does not exist is as good as disabled.
    pub(crate) fn mark(&self, ix: ToolIx) -> Mark {
        self.marks.get(ix.index()).copied().unwrap_or(Mark { ability: Ability::Disabled, fingerprint: 0 })
    }

    /// Whether `ix` may be shown.
    pub(crate) fn permits(&self, ix: ToolIx) -> bool {
        self.mark(ix).ability != Ability::Disabled
    }

    /// What a model has read that was told the schema at `level`: a brief one that leaves nothing out is the whole.
    pub(crate) fn read(&self, ix: ToolIx, level: Level) -> Level {
        let same = self.cost(ix, Level::Brief) == self.cost(ix, Level::Full);
        if level == Level::Brief && same { Level::Full } else { level }
    }

    /// Tokens of the schema at `level`; nothing at `Named`.
    pub(crate) fn cost(&self, ix: ToolIx, level: Level) -> u32 {
        let (full, brief) = self.costs.get(ix.index()).copied().unwrap_or_default();
        match level {
            Level::Named => 0,
            Level::Brief => brief,
            Level::Full => full,
        }
    }

    /// The catalogue in the most detail that `budget` tokens allow.
    pub(crate) fn catalogue(&self, catalog: &Catalog, budget: u32, all_names: bool) -> Arc<Catalogue> {
        let wanted = Detail::within(&self.shelves, budget, all_names);
        let write = || Arc::new(Catalogue::write(catalog, &self.shelves, wanted));
        for place in &self.written {
            let (detail, catalogue) = place.get_or_init(|| (wanted, write()));
            if *detail == wanted {
                return Arc::clone(catalogue);
            }
        }
        write()
    }
}

/// The first of each source, then the second of each, and so on. `tools` come in order of id.
fn in_turn(catalog: &Catalog, tools: impl Iterator<Item = ToolIx>) -> Vec<ToolIx> {
    let mut placed: Vec<(u32, ToolIx)> = Vec::new();
    let mut last: Option<(&str, u32)> = None;
    for ix in tools {
        let source = catalog.get(ix).id.source();
        let round = last.filter(|(same, _)| *same == source).map_or(0, |(_, round)| round + 1);
        last = Some((source, round));
        placed.push((round, ix));
    }
    placed.sort_unstable();
    placed.into_iter().map(|(_, ix)| ix).collect()
}
