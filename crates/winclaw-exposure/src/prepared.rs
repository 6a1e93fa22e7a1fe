use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};
use winclaw_tool::ToolSpec;

use crate::Level;
use crate::catalogue::{Catalogue, Detail};
use crate::schema::{self, costs};
use crate::shelves::{Shelves, of_line, of_name};

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
    /// Schemas that were made before, whole and in brief, by [`ToolIx`]: each is one allocation for all surfaces of all tasks.
    specs: Vec<[OnceLock<Arc<ToolSpec>>; 2]>,
}

/// What a tool was when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) ability: Ability,
    /// The tool's fingerprint as a number.
    pub(crate) fingerprint: u64,
}

/// Whether a tool can run, without the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

    pub(crate) fn permitted(self) -> bool {
        self.ability != Ability::Disabled
    }
}

/// What one look at a tool tells. The tools of a large catalog lie far apart in memory, so each is looked at once.
pub(crate) struct Look {
    pub(crate) mark: Mark,
    /// Counts the sources.
    pub(crate) source: u32,
    always_load: bool,
    /// Tokens of the schema, whole and in brief.
    costs: (u32, u32),
    /// Quarters of a token that the name and the line in the catalogue take.
    pub(crate) name: u32,
    pub(crate) line: u32,
}

fn looks(catalog: &Catalog) -> Vec<Look> {
    let mut sources = 0;
    let mut last: Option<&str> = None;
    let looks = catalog.tools().iter().map(|tool| {
        let source = tool.id.source();
        sources += u32::from(last.is_some_and(|last| last != source));
        last = Some(source);
        Look {
            mark: Mark::of(tool),
            source: sources,
            always_load: tool.manifest.always_load,
            costs: costs(tool),
            name: u32::try_from(of_name(tool)).unwrap_or(u32::MAX),
            line: u32::try_from(of_line(tool)).unwrap_or(u32::MAX),
        }
    });
    looks.collect()
}

impl Prepared {
    /// Looks through the catalog once; a few milliseconds at a thousand tools.
    pub fn new(catalog: &Catalog) -> Prepared {
        let looks = looks(catalog);
        let permitted = || catalog.all().filter(|ix| looks[ix.index()].mark.permitted());
        let order = in_turn(&looks, permitted());
        Prepared {
            shelves: Shelves::of(catalog, &looks),
            core: in_turn(&looks, permitted().filter(|ix| looks[ix.index()].always_load)),
            count: order.len(),
            order,
            everything: permitted().map(|ix| looks[ix.index()].costs.0).fold(0, u32::saturating_add),
            marks: looks.iter().map(|look| look.mark).collect(),
            costs: looks.iter().map(|look| look.costs).collect(),
            written: Default::default(),
            specs: looks.iter().map(|_| Default::default()).collect(),
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
        self.mark(ix).permitted()
    }

    /// What a model has read that was told the schema at `level`: a brief one that leaves nothing out is the whole.
    pub(crate) fn read(&self, ix: ToolIx, level: Level) -> Level {
        let same = self.cost(ix, Level::Brief) == self.cost(ix, Level::Full);
        if level == Level::Brief && same { Level::Full } else { level }
    }

    /// The schema as it is shown at `level`, whole at `Named`.
    pub(crate) fn spec(&self, catalog: &Catalog, ix: ToolIx, level: Level) -> Arc<ToolSpec> {
        let brief = level == Level::Brief && self.read(ix, level) == Level::Brief;
        let make = || Arc::new(schema::spec(catalog.get(ix), level));
        match self.specs.get(ix.index()) {
            Some(made) => Arc::clone(made[usize::from(brief)].get_or_init(make)),
            None => make(),
        }
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

    /// The catalogue in the most detail that the first of `budget` allows, in tokens; the second is what its categories
    /// may take at least.
    pub(crate) fn catalogue(&self, catalog: &Catalog, budget: (u32, u32), all_names: bool) -> Arc<Catalogue> {
        let wanted = Detail::within(&self.shelves, budget.0, budget.1, all_names);
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

/// The first of each source, then the second of each, and so on. `tools` come in order of id, and so by source.
fn in_turn(looks: &[Look], tools: impl Iterator<Item = ToolIx>) -> Vec<ToolIx> {
    let mut placed: Vec<(u32, ToolIx)> = Vec::new();
    let mut last: Option<(u32, u32)> = None;
    for ix in tools {
        let source = looks[ix.index()].source;
        let round = last.filter(|(same, _)| *same == source).map_or(0, |(_, round)| round + 1);
        last = Some((source, round));
        placed.push((round, ix));
    }
    placed.sort_unstable();
    placed.into_iter().map(|(_, ix)| ix).collect()
}
