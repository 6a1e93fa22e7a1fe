use std::collections::BTreeMap;

use winclaw_catalog::names::normal;
use winclaw_catalog::{Catalog, ToolIx};

use crate::fields::{self, Field};
use crate::ladder::Ladder;
use crate::terms::{Kind, Tokeniser};
use crate::weights::{WEIGHTS, Weights};

/// One tool under one term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) tool: ToolIx,
    /// What the term adds to the tool's score.
    pub(crate) gain: f32,
    /// The field that carries most of it.
    pub(crate) field: Field,
}

/// A word of a request that some tool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) term: u32,
    pub(crate) weight: f32,
    /// The word as it stands in the request.
    pub(crate) surface: &'a str,
}

/// Most distinct words read of one request.
const WORDS: usize = 256;

/// A catalog made ready for weighing. It belongs to the catalog it was built from.
pub struct Index {
    pub(crate) weights: Weights,
    pub(crate) ladder: Ladder,
    pub(crate) size: usize,
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
        Index {
            weights,
            tokeniser,
            ladder,
            size: catalog.tools().len(),
            terms: reader.terms,
            postings,
        }
    }

    /// Adds the words of `text` that any tool has; a word asked for before counts once, with its first weight.
    pub(crate) fn ask<'a>(&self, text: &'a str, weight: f32, asked: &mut Vec<Asked<'a>>) {
        self.tokeniser.each(text, &mut |term, surface, kind| {
            let weight = if kind == Kind::Single {
                weight * self.weights.unigram
            } else {
                weight
            };
            let Some(&term) = self.terms.get(term).filter(|_| asked.len() < WORDS) else {
                return;
            };
            if !asked.iter().any(|word| word.term == term) {
                asked.push(Asked { term, weight, surface });
            }
        });
    }

    /// The tools under a term, in order.
    pub(crate) fn postings(&self, term: u32) -> &[Posting] {
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
                lengths[field as usize] += if kind == Kind::Single { 0.0 } else { 1.0 };
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
        let average = self.average_lengths();
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); self.terms.len()];
        for tool in &self.tools {
            for of_term in tool.counts.chunk_by(|a, b| a.0 == b.0) {
                let parts = of_term.iter().map(|&(_, field, count)| {
                    let length = tool.lengths[field as usize] / average[field as usize].max(1.0);
                    (
                        field,
                        field.weight(weights) * count / (1.0 - weights.b + weights.b * length),
                    )
                });
                let (sum, (field, _)) = parts.fold((0.0, (Field::Name, 0.0)), |(sum, best), part| {
                    (sum + part.1, if part.1 > best.1 { part } else { best })
                });
                let gain = sum * (weights.k1 + 1.0) / (sum + weights.k1);
                postings[of_term[0].0 as usize].push(Posting {
                    tool: tool.ix,
                    gain,
                    field,
                });
            }
        }
        let total = self.tools.len() as f32;
        postings.iter_mut().for_each(|list| rarer_counts_more(list, total));
        postings
    }

    fn average_lengths(&self) -> [f32; Field::ALL.len()] {
        let tools = self.tools.len().max(1) as f32;
        Field::ALL.map(|field| {
            let having = self
                .tools
                .iter()
                .filter(|tool| tool.lengths[field as usize] > 0.0)
                .count()
                .max(1) as f32;
            self.tools.iter().map(|tool| tool.lengths[field as usize]).sum::<f32>() / having.min(tools)
        })
    }
}

fn rarer_counts_more(list: &mut Vec<Posting>, total: f32) {
    let having = list.len() as f32;
    let rarity = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
    list.iter_mut().for_each(|posting| posting.gain *= rarity);
    list.retain(|posting| posting.gain > 0.0);
}
