use winclaw_catalog::evidence::{Hit, Term};

use crate::index::{Asked, Index};
use crate::terms::{Kind, span};

/// Most words named for one hit.
const MOST: usize = 6;

/// Behind how many hits fewer words are named, and how many.
const NEAR: usize = 30;
const FEWER: usize = 3;

/// A word of the request, and what it added to a hit.
#[derive(Clone, Copy)]
struct Part<'a> {
    score: f32,
    text: &'a str,
    field: &'static str,
    kind: Kind,
    run: &'a str,
}

/// The strongest words of one hit, best first.
#[derive(Clone, Copy)]
struct Strongest<'a> {
    parts: [Part<'a>; MOST],
    count: usize,
}

/// Gives each hit the words that carried its score, strongest first, after those it has already.
pub(crate) fn fill<'a>(index: &Index, asked: &[Asked<'a>], hits: &mut [Hit]) {
    // 0 for no hit: the hits are few, and a table of numbers is soon made.
    let mut seats: Vec<u32> = vec![0; index.size];
    for (hit, seat) in hits.iter().zip(1_u32..) {
        seats[hit.tool.index()] = seat;
    }
    let none = Part { score: 0.0, text: "", field: "", kind: Kind::Word, run: "" };
    let mut strongest: Vec<Strongest<'a>> = vec![Strongest { parts: [none; MOST], count: 0 }; hits.len()];
    for word in asked {
        index.gains(word, |tool, score, field| {
            if let Some(seat) = (seats[tool.index()] as usize).checked_sub(1) {
                let (text, kind, run) = (word.surface, word.kind, word.run);
                strongest[seat].add(Part { score, text, field: field.label(), kind, run });
            }
        });
    }
    for (at, (hit, strongest)) in hits.iter_mut().zip(strongest).enumerate() {
        let most = if at < NEAR { MOST } else { FEWER };
        hit.terms.reserve_exact(strongest.count.min(most));
        hit.terms.extend(strongest.terms().take(most));
    }
}

impl<'a> Strongest<'a> {
    /// Adds what one more word, in the order of the request, carried.
    fn add(&mut self, part: Part<'a>) {
        let part = if part.kind == Kind::Pair { self.joined(part) } else { part };
        let better = |other: &Part<'_>| other.score.total_cmp(&part.score).then(part.text.cmp(other.text)).is_ge();
        let at = self.parts[..self.count].iter().take_while(|other| better(other)).count();
        if at < MOST {
            self.count = MOST.min(self.count + 1);
            self.parts[at..self.count].rotate_right(1);
            self.parts[at] = part;
        }
    }

    /// The pair with the run before it that it goes on from in the same field, if there is one. That is taken out, and with it
    /// the single characters that are now inside: 查北, 北京 and 京天 are no three words.
    fn joined(&mut self, pair: Part<'a>) -> Part<'a> {
        let goes_on =
            |other: &&Part<'a>| other.kind == Kind::Pair && other.field == pair.field && overlap(other.text, pair.text);
        let Some(&before) = self.parts[..self.count].iter().find(goes_on) else {
            return pair;
        };
        let text = span(pair.run, before.text, pair.text);
        let mut kept = 0;
        for at in 0..self.count {
            let part = self.parts[at];
            let said = part.kind != Kind::Concept && part.field == pair.field && holds(text, part.text);
            if !said {
                self.parts[kept] = part;
                kept += 1;
            }
        }
        self.count = kept;
        Part { score: before.score + pair.score, text, ..pair }
    }

    fn terms(&self) -> impl Iterator<Item = Term> {
        let parts = &self.parts[..self.count];
        parts.iter().map(|part| {
            let has_word = |other: &Part<'_>| other.kind != Kind::Concept && holds(other.text, part.text);
            let alike = part.kind == Kind::Concept && !parts.iter().any(has_word);
            Term { text: part.text.to_owned(), field: part.field.into(), score: part.score, alike }
        })
    }
}

/// Whether two pieces share characters of one text.
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes().as_ptr_range(), b.as_bytes().as_ptr_range());
    a.start < b.end && b.start < a.end
}

/// Whether `inner` is a piece of `outer` itself, and not of another text that reads alike.
fn holds(outer: &str, inner: &str) -> bool {
    let (outer, inner) = (outer.as_bytes().as_ptr_range(), inner.as_bytes().as_ptr_range());
    outer.start <= inner.start && inner.end <= outer.end
}
