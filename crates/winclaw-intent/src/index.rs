use winclaw_catalog::{Catalog, ToolIx};

use crate::dense::Dense;
use crate::edges::Edges;
use crate::fields::Field;
use crate::ladder::Ladder;
use crate::postings::Postings;
use crate::reader::{Reader, Terms};
use crate::terms::{Kind, Piece, Tokeniser, pieces};
use crate::weights::{WEIGHTS, Weights};

/// A word of a request that some tool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) term: u32,
    pub(crate) weight: f32,
    /// The word as it stands in the request.
    pub(crate) surface: &'a str,
    pub(crate) kind: Kind,
    /// The CJK run it stands in; empty for other words.
    pub(crate) run: &'a str,
    /// Whether it is no word of the request itself, but of what was before.
    pub(crate) aside: bool,
    /// For a concept, the term and weight of the word itself: where a tool has both, the better one counts.
    pub(crate) word: Option<(u32, f32)>,
}

/// Most distinct words read of one request.
pub(crate) const WORDS: usize = 256;

/// A catalog made ready for weighing. It belongs to the catalog it was built from.
pub struct Index {
    pub(crate) weights: Weights,
    pub(crate) ladder: Ladder,
    pub(crate) edges: Edges,
    pub(crate) size: usize,
    /// A number for the source of each tool.
    pub(crate) sources: Vec<u32>,
    pub(crate) dense: Option<Box<dyn Dense>>,
    tokeniser: Tokeniser,
    terms: Terms,
    postings: Postings,
}

impl Index {
    /// Reads every permitted tool of `catalog`, with [`WEIGHTS`].
    pub fn build(catalog: &Catalog) -> Index {
        Index::build_with(catalog, WEIGHTS)
    }

    /// [`Index::build`] with other weights, to measure them.
    pub fn build_with(catalog: &Catalog, weights: Weights) -> Index {
        let tokeniser = Tokeniser::new();
        let mut reader = Reader::new(&tokeniser);
        catalog.permitted().for_each(|ix| reader.read(ix, catalog));
        let (terms, postings) = reader.finish(&weights);
        let (ladder, edges) = (Ladder::build(catalog), Edges::of(catalog));
        let (size, sources) = (catalog.tools().len(), sources(catalog));
        Index { weights, ladder, edges, size, sources, dense: None, tokeniser, terms, postings }
    }

    /// The same index with vectors beside it: both rankings are fused by reciprocal rank (k 20), as far as the vectors
    /// know the script of the request. They can bring tools no word of the request speaks of.
    pub fn with_dense(self, dense: Box<dyn Dense>) -> Index {
        Index { dense: Some(dense), ..self }
    }

    /// How large the index is: distinct terms, and tools under all of them together.
    pub fn extent(&self) -> (usize, usize) {
        self.postings.extent()
    }

    /// The words of `text` (in NFKC form) that any tool has, each once.
    pub(crate) fn asked<'a>(&self, text: &'a str, weight: f32) -> Vec<Asked<'a>> {
        let mut asked: Vec<Asked<'a>> = Vec::new();
        pieces(text, &mut |piece| {
            let mut own = None;
            self.tokeniser.terms(piece, &mut |term, surface, kind| {
                let known = self.terms.get(term);
                let word = match kind {
                    Kind::Concept if matches!(piece, Piece::Run(_)) => self.terms.get(surface),
                    Kind::Concept => own,
                    _ => None,
                };
                own = if kind == Kind::Word { known } else { own };
                let Some(term) = known.filter(|_| asked.len() < WORDS) else {
                    return;
                };
                if !asked.iter().any(|word| word.term == term) {
                    let word = word.map(|word| (word, weight));
                    asked.push(Asked {
                        term,
                        weight: weight * self.weights.of(kind),
                        surface,
                        kind,
                        run: if let Piece::Run(run) = piece { run } else { "" },
                        aside: false,
                        word,
                    });
                }
            });
        });
        asked
    }

    /// [`Index::asked`] for a text that is not the request itself.
    pub(crate) fn asked_aside<'a>(&self, text: &'a str, weight: f32) -> Vec<Asked<'a>> {
        let mut asked = self.asked(text, weight);
        asked.iter_mut().for_each(|word| word.aside = true);
        asked
    }

    /// Calls `sink` with every tool `asked` fits, what it adds there, and the field that carries it.
    pub(crate) fn gains(&self, asked: &Asked<'_>, mut sink: impl FnMut(ToolIx, f32, Field)) {
        let (word, weight) = asked.word.map_or((&[][..], 0.0), |(word, weight)| (self.postings.get(word), weight));
        let mut of_word = word.iter().peekable();
        for posting in self.postings.get(asked.term) {
            while of_word.next_if(|other| other.tool < posting.tool).is_some() {}
            let counted = of_word.next_if(|other| other.tool == posting.tool).map_or(0.0, |other| weight * other.gain);
            let gain = asked.weight * posting.gain - counted;
            if gain > 0.0 {
                sink(posting.tool, gain, posting.field);
            }
        }
    }
}

/// A number for the source of each tool; the tools of one source stand together.
fn sources(catalog: &Catalog) -> Vec<u32> {
    let (mut number, mut last) = (0, "");
    catalog
        .tools()
        .iter()
        .map(|tool| {
            number += u32::from(tool.id.source() != last);
            last = tool.id.source();
            number
        })
        .collect()
}
