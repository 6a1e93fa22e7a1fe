use winclaw_catalog::{Catalog, ToolIx};

use crate::Level;
use crate::schema::costs;
use crate::shelves::Shelves;

/// What can be known of a catalog before any request: sizes, categories, order. Make it once for each catalog and hand
/// it to [`Exposure::begin_prepared`](crate::Exposure::begin_prepared); it is not meant for another catalog.
#[derive(Debug)]
pub struct Prepared {
    /// Tokens of each tool's schema, whole and in brief; by [`ToolIx`].
    costs: Vec<(u32, u32)>,
    pub(crate) permitted: Vec<bool>,
    pub(crate) shelves: Shelves,
    /// Permitted tools marked `always_load`, one source after another in turn, so that no source crowds out the rest.
    pub(crate) core: Vec<ToolIx>,
    /// Number of permitted tools, and tokens of all their schemas.
    pub(crate) count: usize,
    pub(crate) everything: u32,
}

impl Prepared {
    /// Looks through the catalog once; a few milliseconds at a thousand tools.
    pub fn new(catalog: &Catalog) -> Prepared {
        let permitted: Vec<bool> = catalog.tools().iter().map(|tool| tool.permitted()).collect();
        let costs: Vec<(u32, u32)> = catalog.tools().iter().map(costs).collect();
        let everything = catalog.permitted().map(|ix| costs[ix.index()].0).fold(0, u32::saturating_add);
        Prepared {
            shelves: Shelves::of(catalog),
            core: core(catalog),
            count: permitted.iter().filter(|permitted| **permitted).count(),
            everything,
            permitted,
            costs,
        }
    }

    /// Whether `ix` may be shown.
    pub(crate) fn permits(&self, ix: ToolIx) -> bool {
        self.permitted.get(ix.index()).copied().unwrap_or(false)
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
}

fn core(catalog: &Catalog) -> Vec<ToolIx> {
    let marked = catalog.permitted().filter(|ix| catalog.get(*ix).manifest.always_load);
    let mut placed: Vec<(usize, ToolIx)> = Vec::new();
    let mut last: Option<(&str, usize)> = None;
    for ix in marked {
        let source = catalog.get(ix).id.source();
        let round = last.filter(|(same, _)| *same == source).map_or(0, |(_, round)| round + 1);
        last = Some((source, round));
        placed.push((round, ix));
    }
    placed.sort_unstable();
    placed.into_iter().map(|(_, ix)| ix).collect()
}
