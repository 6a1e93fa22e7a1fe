use std::ops::Range;

use winclaw_catalog::names::normal;
use winclaw_catalog::{Catalog, ToolIx};

use crate::fields::{self, Field};
use crate::map::Map;
use crate::postings::{Posting, Postings};
use crate::terms::{Kind, Piece, Tokeniser, pieces};
use crate::weights::Weights;

/// The numbers of all terms.
#[derive(Default)]
pub(crate) struct Terms {
    numbers: Map<Box<str>, u32>,
}

impl Terms {
    /// The number of a term that some tool has.
    pub(crate) fn get(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.get(term) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(term.into(), number);
        number
    }
}

/// A term of a text, and whether it makes the text longer.
type Read = (u32, bool);

/// Reads tools into terms. The terms of a word that occurred before are known.
pub(crate) struct Reader<'a> {
    tokeniser: &'a Tokeniser,
    terms: Terms,
    known: Map<Box<str>, Range<u32>>,
    compounds: Map<Box<str>, Range<u32>>,
    read: Vec<Read>,
    tools: Vec<Tool>,
    /// The terms of all tools, one tool after the other, sorted and with how often each stands in which field.
    counts: Vec<(u32, Field, u32)>,
}

struct Tool {
    ix: ToolIx,
    counts: Range<usize>,
    /// Words and pairs in each field.
    lengths: [f32; Field::ALL.len()],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(tokeniser: &'a Tokeniser) -> Reader<'a> {
        let (known, compounds) = (Map::default(), Map::default());
        Reader {
            tokeniser,
            known,
            compounds,
            terms: Terms::default(),
            read: Vec::new(),
            tools: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Reads one tool; tools must come in order.
    pub(crate) fn read(&mut self, ix: ToolIx, catalog: &Catalog) {
        let mut found: Vec<u64> = Vec::new();
        let mut lengths = [0.0; Field::ALL.len()];
        fields::each(catalog.get(ix), &mut |field, text| {
            let text = normal(text);
            pieces(&text, &mut |piece| {
                for &(term, counts) in self.terms_of(piece) {
                    found.push(u64::from(term) << 8 | field as u64);
                    lengths[field as usize] += if counts { 1.0 } else { 0.0 };
                }
            });
        });
        found.sort_unstable();
        let first = self.counts.len();
        let count = |same: &[u64]| ((same[0] >> 8) as u32, Field::ALL[(same[0] & 0xff) as usize], same.len() as u32);
        self.counts.extend(found.chunk_by(|a, b| a == b).map(count));
        self.tools.push(Tool { ix, counts: first..self.counts.len(), lengths });
    }

    fn terms_of(&mut self, piece: Piece<'_>) -> &[Read] {
        // Runs are half sentences, and hardly ever come twice.
        let known = match piece {
            Piece::Word(word) => self.known.get(word),
            Piece::Compound(whole) => self.compounds.get(whole),
            Piece::Run(_) => None,
        };
        if let Some(range) = known {
            return &self.read[range.start as usize..range.end as usize];
        }
        let start = self.read.len() as u32;
        let (terms, read) = (&mut self.terms, &mut self.read);
        self.tokeniser.terms(piece, &mut |term, _, kind: Kind| read.push((terms.number(term), kind.counts())));
        let range = start..self.read.len() as u32;
        match piece {
            Piece::Word(word) => drop(self.known.insert(word.into(), range)),
            Piece::Compound(whole) => drop(self.compounds.insert(whole.into(), range)),
            Piece::Run(_) => {}
        }
        &self.read[start as usize..]
    }

    /// BM25F: occurrences are weighted by field and tamed by its length, then saturate together.
    pub(crate) fn finish(self, weights: &Weights) -> (Terms, Postings) {
        let usual = self.usual_lengths();
        let mut found: Vec<(u32, Posting)> = Vec::with_capacity(self.counts.len());
        for tool in &self.tools {
            let factors = Field::ALL.map(|field| {
                let length = tool.lengths[field as usize] / usual[field as usize];
                field.weight(weights) / (1.0 - weights.b + weights.b * length)
            });
            for of_term in self.counts[tool.counts.clone()].chunk_by(|a, b| a.0 == b.0) {
                let parts = of_term.iter().map(|&(_, field, count)| (field, factors[field as usize] * count as f32));
                let (sum, (field, _)) = parts.fold((0.0, (Field::Name, 0.0)), |(sum, best), part| {
                    (sum + part.1, if part.1 > best.1 { part } else { best })
                });
                let gain = sum * (weights.k1 + 1.0) / (sum + weights.k1);
                found.extend((gain > 0.0).then_some((of_term[0].0, Posting { tool: tool.ix, gain, field })));
            }
        }
        let postings = Postings::of(&found, self.terms.numbers.len(), self.tools.len());
        (self.terms, postings)
    }

    /// The usual length of each field among the tools that have it: the median, which no single tool can move far.
    fn usual_lengths(&self) -> [f32; Field::ALL.len()] {
        Field::ALL.map(|field| {
            let mut lengths: Vec<f32> = self.tools.iter().map(|tool| tool.lengths[field as usize]).collect();
            lengths.retain(|&length| length > 0.0);
            let middle = lengths.len() / 2;
            if lengths.is_empty() { 1.0 } else { *lengths.select_nth_unstable_by(middle, f32::total_cmp).1 }
        })
    }
}
