use winclaw_catalog::evidence::{Hit, Term};

use crate::index::{Asked, Index};

/// Most words named for one hit.
const MOST: usize = 6;

/// Behind how many hits fewer words are named, and how many.
const NEAR: usize = 30;
const FEWER: usize = 3;

/// A word of the request, and what it added to a hit.
type Part<'a> = (f32, &'a str, &'static str);

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
    let mut strongest: Vec<Strongest<'a>> = vec![Strongest { parts: [(0.0, "", ""); MOST], count: 0 }; hits.len()];
    for word in asked {
        index.gains(word, |tool, gain, field| {
            if let Some(seat) = (seats[tool.index()] as usize).checked_sub(1) {
                strongest[seat].add((gain, word.surface, field.label()));
            }
        });
    }
    for (at, (hit, strongest)) in hits.iter_mut().zip(strongest).enumerate() {
        let most = if at < NEAR { MOST } else { FEWER };
        hit.terms.reserve_exact(strongest.count.min(most));
        hit.terms.extend(strongest.parts[..strongest.count.min(most)].iter().map(term));
    }
}

impl<'a> Strongest<'a> {
    fn add(&mut self, part: Part<'a>) {
        let better = |other: &Part<'_>| other.0.total_cmp(&part.0).then(part.1.cmp(other.1)).is_ge();
        let at = self.parts[..self.count].iter().take_while(|other| better(other)).count();
        if at < MOST {
            self.count = MOST.min(self.count + 1);
            self.parts[at..self.count].rotate_right(1);
            self.parts[at] = part;
        }
    }
}

fn term(&(score, text, field): &Part<'_>) -> Term {
    Term { text: text.to_owned(), field: field.into(), score }
}
