use std::cmp::Ordering;

use crate::names::fold;
use crate::nearest::nearest;
use crate::{Catalog, CatalogTool, RESERVED, ToolIx, place, wire};

/// What models and their servers put before a tool's name.
const WRAPPERS: [&str; 6] = ["functions.", "functions:", "tools.", "tool.", "tool:", "default_api."];

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly this tool.
    One(ToolIx),
    /// Any of these, sorted; the caller must ask which.
    Many(Vec<ToolIx>),
    /// No tool. Nothing of it may be run.
    Unknown {
        /// At most three permitted tools whose names are like it, best first.
        nearest: Vec<ToolIx>,
    },
}

/// Every name a tool can be found by; each list is sorted by the name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Names {
    wire: Vec<ToolIx>,
    bare: Vec<ToolIx>,
    /// Ids, wire names and bare names as [`fold`] makes them; none is empty.
    folded: Vec<(String, ToolIx)>,
}

impl Names {
    pub(crate) fn of(tools: &[CatalogTool]) -> Names {
        let all = || (0..tools.len() as u32).map(ToolIx);
        let mut wire: Vec<ToolIx> = all().collect();
        wire.sort_by(|a, b| tools[a.index()].wire_name.cmp(&tools[b.index()].wire_name));
        let mut bare: Vec<(&str, ToolIx)> = all().map(|ix| (tools[ix.index()].id.name(), ix)).collect();
        bare.sort();
        let mut folded = Vec::with_capacity(2 * tools.len());
        all().for_each(|ix| push_folded(&tools[ix.index()], ix, &mut folded));
        folded.sort();
        folded.dedup();
        Names { wire, bare: bare.into_iter().map(|(_, ix)| ix).collect(), folded }
    }

    /// The tool of `tools`, of which these are the names, that has this wire name.
    pub(crate) fn by_wire_name(&self, tools: &[CatalogTool], name: &str) -> Option<ToolIx> {
        let found = self.wire.binary_search_by(|ix| tools[ix.index()].wire_name.as_str().cmp(name));
        found.ok().map(|at| self.wire[at])
    }

    /// The tools of any source with this name, sorted.
    pub(crate) fn by_bare_name(&self, tools: &[CatalogTool], name: &str) -> &[ToolIx] {
        equal(&self.bare, |ix| tools[ix.index()].id.name().cmp(name))
    }

    /// The tools whose id, wire name or bare name folds like `name`; for a name of signs only, those with just that one.
    fn alike(&self, tools: &[CatalogTool], name: &str) -> Vec<ToolIx> {
        match fold(name) {
            empty if empty.is_empty() => self.by_bare_name(tools, name).to_vec(),
            folded => equal(&self.folded, |(own, _)| own.as_str().cmp(&folded)).iter().map(|(_, ix)| *ix).collect(),
        }
    }
}

/// The items of a sorted list that compare as equal.
fn equal<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let rest = &sorted[sorted.partition_point(|item| compare(item).is_lt())..];
    &rest[..rest.partition_point(|item| compare(item).is_eq())]
}

fn push_folded(tool: &CatalogTool, ix: ToolIx, folded: &mut Vec<(String, ToolIx)>) {
    let name = fold(tool.id.name());
    // Nothing joins across the dot of an id, so it folds like its parts; and a plain wire name folds like the id.
    let id = fold(tool.id.source()) + &name;
    let wire = if wire::is_plain(&tool.id, &tool.wire_name) { String::new() } else { fold(&tool.wire_name) };
    folded.extend([id, name, wire].into_iter().filter(|name| !name.is_empty()).map(|name| (name, ix)));
}

/// Whether a folded name is that of a meta tool.
pub(crate) fn is_reserved(folded: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.bytes().filter(|b| *b != b'_').eq(folded.bytes()))
}

impl Catalog {
    /// What tool `name` means: an id, a wire name, either of them or the tool's own name in another case or with other
    /// separators, also with white space, quotes or a prefix such as `functions.` around it.
    ///
    /// The id and the wire name of a tool always give [`Resolution::One`] of it. A merely similar name never does, nor
    /// does an alias: those are only offered in [`Resolution::Unknown`]. The [`RESERVED`] names are no tool's.
    pub fn resolve(&self, name: &str) -> Resolution {
        let trimmed = name.trim().trim_matches(['`', '\'', '"']).trim();
        let inner = unwrapped(trimmed);
        if let Some(ix) = [name, trimmed, inner].into_iter().find_map(|name| self.exact(name)) {
            return Resolution::One(ix);
        }
        if is_reserved(&fold(inner)) {
            return Resolution::Unknown { nearest: Vec::new() };
        }
        let alike = [trimmed, inner].map(|name| self.names.alike(&self.tools, name));
        match alike.into_iter().find(|found| !found.is_empty()) {
            Some(one) if one.len() == 1 => Resolution::One(one[0]),
            Some(many) => Resolution::Many(many),
            None => Resolution::Unknown { nearest: nearest(self, inner) },
        }
    }

    /// The tool with exactly this id or wire name. No wire name has a dot and every id has one, so it is never two.
    fn exact(&self, name: &str) -> Option<ToolIx> {
        place(&self.tools, name).or_else(|| self.names.by_wire_name(&self.tools, name))
    }
}

/// `name` without a wrapper, and without the call number (`functions.name:0`) some put behind it.
fn unwrapped(name: &str) -> &str {
    let Some(inner) = WRAPPERS.iter().find_map(|wrapper| name.strip_prefix(wrapper)) else {
        return name;
    };
    match inner.rsplit_once(':') {
        Some((head, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => head,
        _ => inner,
    }
}
