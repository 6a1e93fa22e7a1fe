use std::collections::BTreeMap;
use std::ops::Range;

use winclaw_catalog::names::{Word, fold, normal, words};
use winclaw_catalog::{Catalog, ToolIx};

use crate::explicit::{is_ruled_out, means_category, means_source};
use crate::fields::titles;
use crate::map::{Map, first_two};
use crate::signs;
use crate::stop::is_stop;

/// Longest name that is looked for inside a request, in units: words, or single CJK characters.
const LONGEST: usize = 16;

/// Most tools one alias, source or category may name in passing; what names more says too little to put them all first.
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
    /// Whether they name more than eight tools at once.
    pub(crate) crowd: bool,
}

/// Every name a request may use for a tool, by its folded form.
#[derive(Default)]
pub(crate) struct Ladder {
    /// Names looked for anywhere in a request.
    inside: Names,
    /// Names that only count as the whole request: example requests, and tool names that are ordinary words.
    whole: Names,
    /// Names without a letter or digit, such as 🔥, looked for anywhere, as they are written.
    signs: Names,
}

impl Ladder {
    pub(crate) fn build(catalog: &Catalog) -> Ladder {
        let (mut inside, mut whole, mut signs) = (Vec::new(), Vec::new(), Vec::new());
        for ix in catalog.permitted() {
            each_inside(catalog, ix, &mut |rung, name| match fold(name) {
                folded if folded.is_empty() => signs.push((signs::key(name), rung, ix)),
                folded => inside.push((folded, rung, ix)),
            });
            each_whole(catalog, ix, &mut |rung, name| match fold(name) {
                folded if folded.is_empty() => whole.push((signs::key(name), rung, ix)),
                folded => whole.push((folded, rung, ix)),
            });
            let id = &catalog.get(ix).id;
            if !id.name().contains(char::is_alphanumeric) {
                whole.push((signs::key(id.as_str()), Rung::Id, ix));
            }
        }
        inside.retain(|(name, ..)| name.chars().nth(1).is_some() && !is_stop(name));
        whole.retain(|(name, ..)| !name.is_empty());
        signs.retain(|(name, ..)| name.chars().any(signs::speaks));
        Ladder { inside: Names::of(inside), whole: Names::of(whole), signs: Names::of(signs) }
    }

    /// Adds the tools `text` (in NFKC form) names, each with its surest naming.
    pub(crate) fn find(&self, text: &str, found: &mut BTreeMap<ToolIx, Named>) {
        for key in [fold(text), signs::key(text)] {
            self.whole.get(&key).iter().for_each(|&(rung, ix)| note(found, rung, ix, text.trim(), false));
        }
        self.find_signs(text, found);
        let (units, mut ruled_out) = (Units::of(text), 0);
        for start in (0..units.list.len()).filter(|&start| !units.list[start].continues) {
            self.find_from(text, &units, start, &mut ruled_out, found);
        }
    }

    /// The names that begin with the unit `start`, but for those that the text rules out, or that end before `ruled_out`,
    /// which is where the last of those ends.
    fn find_from(
        &self,
        text: &str,
        units: &Units<'_>,
        start: usize,
        ruled_out: &mut usize,
        found: &mut BTreeMap<ToolIx, Named>,
    ) {
        let mut within = self.inside.beginning_as(&units.folded[units.list[start].folded.start..]);
        for (at, unit) in units.list.iter().enumerate().skip(start).take(LONGEST) {
            let folded = &units.folded[units.list[start].folded.start..unit.folded.end];
            within = self.inside.beginning_with(folded, within);
            if within.is_empty() {
                return;
            }
            let ends = units.list.get(at + 1).is_none_or(|next| !next.continues);
            if ends && self.inside.names[within.start].0.as_ref() == folded {
                let place = units.list[start].at..unit.at + unit.text.len();
                // What rules out `sky.find_rain` rules out the `find_rain` in it.
                if place.end <= *ruled_out || is_ruled_out(&text[..place.start]) {
                    *ruled_out = place.end.max(*ruled_out);
                    continue;
                }
                self.note_all(self.inside.at(within.start), text, place, found);
            }
        }
    }

    /// The names without letters, between the words.
    fn find_signs(&self, text: &str, found: &mut BTreeMap<ToolIx, Named>) {
        if self.signs.names.is_empty() {
            return;
        }
        let gaps = text.split(|c: char| c.is_alphanumeric() || c.is_whitespace());
        for gap in gaps.filter(|gap| gap.contains(signs::speaks)) {
            let (at, key) = (gap.as_ptr() as usize - text.as_ptr() as usize, signs::key(gap));
            for (start, _) in key.char_indices() {
                self.find_signs_from(&text[..at], &key[start..], found);
            }
        }
    }

    /// The names without letters that `signs`, which follow `before`, begin with.
    fn find_signs_from(&self, before: &str, signs: &str, found: &mut BTreeMap<ToolIx, Named>) {
        let mut within = 0..self.signs.names.len();
        for (at, c) in signs.char_indices().take(LONGEST) {
            let name = &signs[..at + c.len_utf8()];
            within = self.signs.beginning_with(name, within);
            if within.is_empty() || is_ruled_out(before) {
                return;
            }
            if *self.signs.names[within.start].0 == *name {
                self.note_all(self.signs.at(within.start), signs, 0..name.len(), found);
            }
        }
    }

    /// Notes the tools of one name; where they are many, only if the text says outright that it means them.
    fn note_all(&self, tools: &[(Rung, ToolIx)], text: &str, place: Range<usize>, found: &mut BTreeMap<ToolIx, Named>) {
        for of_rung in tools.chunk_by(|a, b| a.0 == b.0) {
            let rung = of_rung[0].0;
            let crowd = of_rung.len() > MOST && rung != Rung::Id;
            let (before, behind) = (&text[..place.start], &text[place.end..]);
            let meant = match rung {
                Rung::Source => means_source(before, behind),
                Rung::Category => means_category(before, behind),
                _ => false,
            };
            if !crowd || meant {
                of_rung.iter().for_each(|&(rung, ix)| note(found, rung, ix, &text[place.clone()], crowd));
            }
        }
    }
}

/// The names of a tool that count anywhere in a request.
fn each_inside<'a>(catalog: &'a Catalog, ix: ToolIx, sink: &mut impl FnMut(Rung, &'a str)) {
    let tool = catalog.get(ix);
    let name = tool.id.name();
    let has_letters = name.contains(char::is_alphanumeric);
    // Folded, the id of a tool called 🔥 is its source.
    if has_letters {
        sink(Rung::Id, tool.id.as_str());
    }
    sink(Rung::Id, &tool.wire_name);
    if !has_letters || words(&normal(name)).nth(1).is_some() {
        sink(Rung::Name, name);
    }
    tool.manifest.aliases.iter().for_each(|alias| sink(Rung::Alias, alias));
    sink(Rung::Source, tool.id.source());
    sink(Rung::Category, &tool.manifest.category);
}

/// The names of a tool that count as the whole request.
fn each_whole<'a>(catalog: &'a Catalog, ix: ToolIx, sink: &mut impl FnMut(Rung, &'a str)) {
    let tool = catalog.get(ix);
    sink(Rung::Name, tool.id.name());
    tool.manifest.aliases.iter().for_each(|alias| sink(Rung::Alias, alias));
    titles(tool).for_each(|title| sink(Rung::Alias, title));
    tool.manifest.examples.iter().for_each(|example| sink(Rung::Example, example));
}

/// Names in order, each with its tools.
#[derive(Default)]
struct Names {
    /// A name, and where its tools begin.
    names: Vec<(Box<str>, u32)>,
    /// Where the names are that begin with two characters.
    begins: Map<[char; 2], Range<u32>>,
    tools: Vec<(Rung, ToolIx)>,
}

impl Names {
    fn of(mut found: Vec<(String, Rung, ToolIx)>) -> Names {
        found.sort_unstable();
        found.dedup();
        let mut sorted = Names::default();
        for (name, rung, ix) in found {
            if sorted.names.last().is_none_or(|last| *last.0 != *name) {
                let place = sorted.names.len() as u32;
                first_two(&name)
                    .into_iter()
                    .for_each(|two| sorted.begins.entry(two).or_insert(place..place).end = place + 1);
                sorted.names.push((name.into(), sorted.tools.len() as u32));
            }
            sorted.tools.push((rung, ix));
        }
        sorted
    }

    /// The tools of the name at a place.
    fn at(&self, place: usize) -> &[(Rung, ToolIx)] {
        let end = self.names.get(place + 1).map_or(self.tools.len(), |next| next.1 as usize);
        &self.tools[self.names[place].1 as usize..end]
    }

    fn get(&self, name: &str) -> &[(Rung, ToolIx)] {
        let place = self.names.binary_search_by(|known| (*known.0).cmp(name));
        place.map_or(&[], |place| self.at(place))
    }

    /// Where the names are that may begin as `text` does.
    fn beginning_as(&self, text: &str) -> Range<usize> {
        let place = first_two(text).and_then(|two| self.begins.get(&two));
        place.map_or(0..0, |place| place.start as usize..place.end as usize)
    }

    /// Where among the places `within` the names that begin with `start` are.
    fn beginning_with(&self, start: &str, within: Range<usize>) -> Range<usize> {
        let names = &self.names[within.clone()];
        let first = names.partition_point(|name| *name.0 < *start);
        let count = names[first..].partition_point(|name| name.0.starts_with(start));
        within.start + first..within.start + first + count
    }
}

fn note(found: &mut BTreeMap<ToolIx, Named>, rung: Rung, ix: ToolIx, text: &str, crowd: bool) {
    let known = found.get(&ix).is_some_and(|named| named.rung >= rung);
    if !known {
        found.insert(ix, Named { rung, text: text.chars().take(80).collect(), crowd });
    }
}

/// The words of a text, CJK ones character by character.
struct Units<'a> {
    list: Vec<Unit<'a>>,
    /// All of them folded, one after the other.
    folded: String,
}

/// A word, or one CJK character.
struct Unit<'a> {
    text: &'a str,
    at: usize,
    /// Where its folded form stands.
    folded: Range<usize>,
    /// Whether it is the middle of a word such as `findSymbol`, where no name begins.
    continues: bool,
}

impl<'a> Units<'a> {
    fn of(text: &'a str) -> Units<'a> {
        let mut units = Units { list: Vec::new(), folded: String::new() };
        let mut after_cjk = true;
        for word in words(text) {
            let at = word.text.as_ptr() as usize - text.as_ptr() as usize;
            match word.cjk {
                true => units.add_characters(word, at),
                false => units.add(word.text, at, word.joined && !after_cjk),
            }
            after_cjk = word.cjk;
        }
        units
    }

    fn add_characters(&mut self, word: Word<'a>, start: usize) {
        for (at, c) in word.text.char_indices() {
            self.add(&word.text[at..at + c.len_utf8()], start + at, false);
        }
    }

    fn add(&mut self, text: &'a str, at: usize, continues: bool) {
        let start = self.folded.len();
        self.folded.push_str(&fold(text));
        self.list.push(Unit { text, at, folded: start..self.folded.len(), continues });
    }
}
