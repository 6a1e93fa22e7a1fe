use winclaw_catalog::evidence::{Hit, Term};

use crate::index::{Asked, Index};
use crate::terms::Kind;

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
    let none = Part { score: 0.0, text: "", field: "", kind: Kind::Word };
    let mut strongest: Vec<Strongest<'a>> = vec![Strongest { parts: [none; MOST], count: 0 }; hits.len()];
    for word in asked {
        index.gains(word, |tool, score, field| {
            if let Some(seat) = (seats[tool.index()] as usize).checked_sub(1) {
                strongest[seat].add(Part { score, text: word.surface, field: field.label(), kind: word.kind });
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
    fn add(&mut self, part: Part<'a>) {
        let better = |other: &Part<'_>| other.score.total_cmp(&part.score).then(part.text.cmp(other.text)).is_ge();
        let at = self.parts[..self.count].iter().take_while(|other| better(other)).count();
        if at < MOST {
            self.count = MOST.min(self.count + 1);
            self.parts[at..self.count].rotate_right(1);
            self.parts[at] = part;
        }
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

/// Whether `inner` is a piece of `outer` itself, and not of another text that reads alike.
fn holds(outer: &str, inner: &str) -> bool {
    let (outer, inner) = (outer.as_bytes().as_ptr_range(), inner.as_bytes().as_ptr_range());
    outer.start <= inner.start && inner.end <= outer.end
}
