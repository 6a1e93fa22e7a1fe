use std::collections::BTreeMap;
use std::ops::Bound;

use winclaw_catalog::names::{Word, fold, normal, words};
use winclaw_catalog::{Catalog, ToolIx};

use crate::fields::titles;
use crate::stop::is_stop;

/// Longest name that is looked for inside a request, in units: words, or single CJK characters.
const LONGEST: usize = 16;

/// Most tools one alias, source or category may name; what names more says too little to put them all first.
const MOST: usize = 8;

/// How a request names a tool, surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rung {
    Category,
    Source,
    Example,
    Alias,
    Name,
    Id,
}

/// A tool that a request names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) rung: Rung,
    /// The words that name it, as they stand in the request.
    pub(crate) text: String,
}

/// Every name a request may use for a tool, by its folded form.
#[derive(Default)]
pub(crate) struct Ladder {
    /// Names looked for anywhere in a request.
    inside: BTreeMap<String, Vec<(Rung, ToolIx)>>,
    /// Names that only count as the whole request: example requests, and tool names that are ordinary words.
    whole: BTreeMap<String, Vec<(Rung, ToolIx)>>,
}

impl Ladder {
    pub(crate) fn build(catalog: &Catalog) -> Ladder {
        let mut ladder = Ladder::default();
        for ix in catalog.permitted() {
            ladder.add(catalog, ix);
        }
        ladder.inside.values_mut().for_each(few);
        ladder.inside.retain(|_, tools| !tools.is_empty());
        ladder
    }

    fn add(&mut self, catalog: &Catalog, ix: ToolIx) {
        let tool = catalog.get(ix);
        let id = tool.id.as_str();
        self.inside(Rung::Id, ix, id);
        self.inside(Rung::Id, ix, &tool.wire_name);
        self.whole(Rung::Name, ix, tool.id.name());
        if words(&normal(tool.id.name())).count() > 1 {
            self.inside(Rung::Name, ix, tool.id.name());
        }
        for alias in tool.manifest.aliases.iter() {
            self.whole(Rung::Alias, ix, alias);
            self.inside(Rung::Alias, ix, alias);
        }
        titles(tool).for_each(|title| self.whole(Rung::Alias, ix, title));
        tool.manifest.examples.iter().for_each(|example| self.whole(Rung::Example, ix, example));
        self.inside(Rung::Source, ix, tool.id.source());
        self.inside(Rung::Category, ix, &tool.manifest.category);
    }

    fn inside(&mut self, rung: Rung, ix: ToolIx, name: &str) {
        let folded = fold(name);
        if folded.chars().count() > 1 && !is_stop(&folded) {
            self.inside.entry(folded).or_default().push((rung, ix));
        }
    }

    fn whole(&mut self, rung: Rung, ix: ToolIx, name: &str) {
        let folded = fold(name);
        if !folded.is_empty() {
            self.whole.entry(folded).or_default().push((rung, ix));
        }
    }

    /// Adds the tools `text` (in NFKC form) names, each with its surest naming.
    pub(crate) fn find(&self, text: &str, found: &mut BTreeMap<ToolIx, Named>) {
        for &(rung, ix) in self.whole.get(&fold(text)).into_iter().flatten() {
            note(found, rung, ix, text.trim());
        }
        let units = units(text);
        for start in (0..units.len()).filter(|&start| !units[start].continues) {
            self.find_from(text, &units[start..], found);
        }
    }

    /// The names that begin with the first of `units`.
    fn find_from(&self, text: &str, units: &[Unit<'_>], found: &mut BTreeMap<ToolIx, Named>) {
        let mut folded = String::new();
        for (at, unit) in units.iter().enumerate().take(LONGEST) {
            folded.push_str(&fold(unit.text));
            let mut from_here = self.inside.range::<str, _>((Bound::Included(folded.as_str()), Bound::Unbounded));
            let Some((name, tools)) = from_here.next().filter(|(name, _)| name.starts_with(&folded)) else {
                return;
            };
            let ends = units.get(at + 1).is_none_or(|next| !next.continues);
            if *name == folded && ends {
                let surface = &text[units[0].at..unit.at + unit.text.len()];
                tools.iter().for_each(|&(rung, ix)| note(found, rung, ix, surface));
            }
        }
    }
}

/// Takes out the rungs on which a name stands for too many tools to mean any of them.
fn few(tools: &mut Vec<(Rung, ToolIx)>) {
    let crowded = |rung: Rung| tools.iter().filter(|named| named.0 == rung).count() > MOST;
    let crowded: Vec<Rung> =
        [Rung::Category, Rung::Source, Rung::Alias, Rung::Name].into_iter().filter(|&r| crowded(r)).collect();
    tools.retain(|named| !crowded.contains(&named.0));
}

fn note(found: &mut BTreeMap<ToolIx, Named>, rung: Rung, ix: ToolIx, text: &str) {
    let known = found.get(&ix).is_some_and(|named| named.rung >= rung);
    if !known {
        found.insert(ix, Named { rung, text: text.chars().take(80).collect() });
    }
}

/// A word, or one CJK character.
struct Unit<'a> {
    text: &'a str,
    at: usize,
    /// Whether it is the middle of a word such as `findSymbol`, where no name begins.
    continues: bool,
}

fn units(text: &str) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    let mut after_cjk = true;
    for word in words(text) {
        let at = word.text.as_ptr() as usize - text.as_ptr() as usize;
        if word.cjk {
            units.extend(characters(word, at));
        } else {
            units.push(Unit { text: word.text, at, continues: word.joined && !after_cjk });
        }
        after_cjk = word.cjk;
    }
    units
}

fn characters(word: Word<'_>, start: usize) -> impl Iterator<Item = Unit<'_>> {
    let one = move |(at, c): (usize, char)| Unit {
        text: &word.text[at..at + c.len_utf8()],
        at: start + at,
        continues: false,
    };
    word.text.char_indices().map(one)
}
