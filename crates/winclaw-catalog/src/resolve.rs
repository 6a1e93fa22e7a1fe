use std::collections::BTreeMap;

use crate::names::fold;
use crate::nearest::nearest;
use crate::{Catalog, CatalogTool, RESERVED, ToolIx, place};

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

/// Every name a tool can be found by.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Names {
    wire: BTreeMap<String, ToolIx>,
    bare: BTreeMap<String, Vec<ToolIx>>,
    folded: BTreeMap<String, Vec<ToolIx>>,
}

impl Names {
    pub(crate) fn of(tools: &[CatalogTool]) -> Names {
        let mut names = Names::default();
        for (at, tool) in tools.iter().enumerate() {
            let ix = ToolIx(at as u32);
            names.wire.insert(tool.wire_name.clone(), ix);
            names.bare.entry(tool.id.name().to_owned()).or_default().push(ix);
            for name in [tool.id.as_str(), &tool.wire_name, tool.id.name()] {
                let same = names.folded.entry(fold(name)).or_default();
                if same.last() != Some(&ix) {
                    same.push(ix);
                }
            }
        }
        names.folded.remove("");
        names
    }

    pub(crate) fn by_wire_name(&self, name: &str) -> Option<ToolIx> {
        self.wire.get(name).copied()
    }

    pub(crate) fn by_bare_name(&self, name: &str) -> &[ToolIx] {
        self.bare.get(name).map_or(&[], Vec::as_slice)
    }

    /// The tools whose id, wire name or bare name folds like `name`; for a name of signs only, those with just that one.
    fn alike(&self, name: &str) -> &[ToolIx] {
        match fold(name) {
            empty if empty.is_empty() => self.by_bare_name(name),
            folded => self.folded.get(&folded).map_or(&[], Vec::as_slice),
        }
    }
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
        let is_reserved = RESERVED.iter().any(|reserved| fold(reserved) == fold(inner));
        let found = [trimmed, inner].into_iter().map(|name| self.names.alike(name)).find(|found| !found.is_empty());
        match found {
            _ if is_reserved => Resolution::Unknown { nearest: Vec::new() },
            Some(&[one]) => Resolution::One(one),
            Some(many) => Resolution::Many(many.to_vec()),
            None => Resolution::Unknown { nearest: nearest(self, inner) },
        }
    }

    /// The tool with exactly this id or wire name. No wire name has a dot and every id has one, so it is never two.
    fn exact(&self, name: &str) -> Option<ToolIx> {
        place(&self.tools, name).or_else(|| self.names.by_wire_name(name))
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
