use std::collections::BTreeMap;

use winclaw_catalog::names::{is_cjk, normal};
use winclaw_catalog::{Catalog, ToolIx};

use crate::dense::Dense;
use crate::fields::{self, Field};
use crate::ladder::Ladder;
use crate::terms::{Kind, Tokeniser};
use crate::weights::{WEIGHTS, Weights};

/// One tool under one term.
#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: ToolIx,
    /// What the term adds to the tool's score.
    gain: f32,
    /// The field that carries most of it.
    field: Field,
}

/// A word of a request that some tool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) term: u32,
    pub(crate) weight: f32,
    /// The word as it stands in the request.
    pub(crate) surface: &'a str,
    /// For a concept, the term and weight of the word itself: where a tool has both, the better one counts.
    pub(crate) word: Option<(u32, f32)>,
}

/// Most distinct words read of one request.
const WORDS: usize = 256;

/// A catalog made ready for weighing. It belongs to the catalog it was built from.
pub struct Index {
    pub(crate) weights: Weights,
    pub(crate) ladder: Ladder,
    pub(crate) size: usize,
    pub(crate) dense: Option<Box<dyn Dense>>,
    tokeniser: Tokeniser,
    terms: BTreeMap<String, u32>,
    postings: Vec<Vec<Posting>>,
}

impl Index {
    /// Reads every permitted tool of `catalog`, with [`WEIGHTS`].
    pub fn build(catalog: &Catalog) -> Index {
        Index::build_with(catalog, WEIGHTS)
    }

    /// [`Index::build`] with other weights, to measure them.
    pub fn build_with(catalog: &Catalog, weights: Weights) -> Index {
        let tokeniser = Tokeniser::new();
        let mut reader = Reader::default();
        for ix in catalog.permitted() {
            reader.read(ix, catalog, &tokeniser);
        }
        let postings = reader.postings(&weights);
        let ladder = Ladder::build(catalog);
        Index { weights, tokeniser, ladder, size: catalog.tools().len(), dense: None, terms: reader.terms, postings }
    }

    /// The same index with vectors beside it: both rankings are fused by reciprocal rank (k 20), as far as the vectors
    /// know the script of the request. They can bring tools no word of the request speaks of.
    pub fn with_dense(self, dense: Box<dyn Dense>) -> Index {
        Index { dense: Some(dense), ..self }
    }

    /// Adds the words of `text` that any tool has; a word asked for before counts once, with its first weight.
    pub(crate) fn ask<'a>(&self, text: &'a str, weight: f32, asked: &mut Vec<Asked<'a>>) {
        let mut own = None;
        self.tokeniser.each(text, &mut |term, surface, kind| {
            let known = self.terms.get(term).copied();
            let word = match kind {
                // The pair that a Chinese word is has come before, among the others of its run.
                Kind::Concept if surface.starts_with(is_cjk) => self.terms.get(surface).copied(),
                Kind::Concept => own,
                _ => None,
            };
            own = if kind == Kind::Concept { own } else { known };
            let Some(term) = known.filter(|_| asked.len() < WORDS) else {
                return;
            };
            if !asked.iter().any(|word| word.term == term) {
                let word = word.map(|word| (word, weight));
                asked.push(Asked { term, weight: weight * self.weights.of(kind), surface, word });
            }
        });
    }

    /// Calls `sink` with every tool `asked` fits, what it adds there, and the field that carries it.
    pub(crate) fn gains(&self, asked: &Asked<'_>, mut sink: impl FnMut(ToolIx, f32, Field)) {
        let (word, weight) = asked.word.map_or((&[][..], 0.0), |(word, weight)| (self.postings(word), weight));
        let mut of_word = word.iter().peekable();
        for posting in self.postings(asked.term) {
            while of_word.next_if(|other| other.tool < posting.tool).is_some() {}
            let counted = of_word.next_if(|other| other.tool == posting.tool).map_or(0.0, |other| weight * other.gain);
            let gain = asked.weight * posting.gain - counted;
            if gain > 0.0 {
                sink(posting.tool, gain, posting.field);
            }
        }
    }

    /// The tools under a term, in order.
    fn postings(&self, term: u32) -> &[Posting] {
        &self.postings[term as usize]
    }
}

/// How often a term stands in one field of one tool.
type Count = (u32, Field, f32);

#[derive(Default)]
struct Reader {
    terms: BTreeMap<String, u32>,
    tools: Vec<Read>,
}

struct Read {
    ix: ToolIx,
    /// Sorted, each term and field once.
    counts: Vec<Count>,
    /// Words and pairs in each field.
    lengths: [f32; Field::ALL.len()],
}

impl Reader {
    fn read(&mut self, ix: ToolIx, catalog: &Catalog, tokeniser: &Tokeniser) {
        let mut counts: Vec<Count> = Vec::new();
        let mut lengths = [0.0; Field::ALL.len()];
        fields::each(catalog.get(ix), &mut |field, text| {
            tokeniser.each(&normal(text), &mut |term, _, kind| {
                counts.push((self.number(term), field, 1.0));
                lengths[field as usize] += if kind.counts() { 1.0 } else { 0.0 };
            });
        });
        counts.sort_unstable_by_key(|&(term, field, _)| (term, field));
        counts.dedup_by(|more, kept| {
            let same = (more.0, more.1) == (kept.0, kept.1);
            kept.2 += if same { more.2 } else { 0.0 };
            same
        });
        self.tools.push(Read { ix, counts, lengths });
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(&number) = self.terms.get(term) {
            return number;
        }
        let number = self.terms.len() as u32;
        self.terms.insert(term.to_owned(), number);
        number
    }

    /// BM25F: occurrences are weighted by field and tamed by its length, then saturate together.
    fn postings(&self, weights: &Weights) -> Vec<Vec<Posting>> {
        let usual = self.usual_lengths();
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); self.terms.len()];
        for tool in &self.tools {
            for of_term in tool.counts.chunk_by(|a, b| a.0 == b.0) {
                let parts = of_term.iter().map(|&(_, field, count)| {
                    let length = tool.lengths[field as usize] / usual[field as usize];
                    (field, field.weight(weights) * count / (1.0 - weights.b + weights.b * length))
                });
                let (sum, (field, _)) = parts.fold((0.0, (Field::Name, 0.0)), |(sum, best), part| {
                    (sum + part.1, if part.1 > best.1 { part } else { best })
                });
                let gain = sum * (weights.k1 + 1.0) / (sum + weights.k1);
                postings[of_term[0].0 as usize].push(Posting { tool: tool.ix, gain, field });
            }
        }
        let total = self.tools.len() as f32;
        postings.iter_mut().for_each(|list| rarer_counts_more(list, total));
        postings
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

fn rarer_counts_more(list: &mut Vec<Posting>, total: f32) {
    let having = list.len() as f32;
    let rarity = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
    list.iter_mut().for_each(|posting| posting.gain *= rarity);
    list.retain(|posting| posting.gain > 0.0);
}
