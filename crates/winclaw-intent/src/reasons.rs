use winclaw_catalog::evidence::{Hit, Term};

use crate::index::{Asked, Index};

/// Most words named for one hit.
const MOST: usize = 6;

/// A word of the request, and what it added to a hit.
type Part<'a> = (f32, &'a str, &'static str);

/// Gives each hit the words that carried its score, strongest first, after those it has already.
pub(crate) fn fill(index: &Index, asked: &[Asked<'_>], hits: &mut [Hit]) {
    let mut seats: Vec<Option<usize>> = vec![None; index.size];
    for (at, hit) in hits.iter().enumerate() {
        seats[hit.tool.index()] = Some(at);
    }
    let mut parts: Vec<Vec<Part<'_>>> = vec![Vec::new(); hits.len()];
    for word in asked {
        index.gains(word, |tool, gain, field| {
            if let Some(seat) = seats[tool.index()] {
                parts[seat].push((gain, word.surface, field.label()));
            }
        });
    }
    for (hit, parts) in hits.iter_mut().zip(parts) {
        hit.terms.extend(strongest(parts));
    }
}

fn strongest(mut parts: Vec<Part<'_>>) -> impl Iterator<Item = Term> {
    parts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    parts.into_iter().take(MOST).map(|(score, text, field)| Term {
        text: text.to_owned(),
        field: field.to_owned(),
        score,
    })
}
