use winclaw_catalog::ToolIx;
use winclaw_catalog::evidence::Term;

use crate::index::Index;
use crate::weigh::Asked;

/// Most words named for one hit.
const MOST: usize = 6;

/// The words that carried the score of `tool`, strongest first.
pub(crate) fn terms(index: &Index, asked: &[Asked<'_>], tool: ToolIx) -> Vec<Term> {
    let mut found: Vec<(f32, &str, &'static str)> = Vec::new();
    for word in asked {
        let list = index.postings(word.term);
        if let Ok(at) = list.binary_search_by_key(&tool, |posting| posting.tool) {
            found.push((word.weight * list[at].gain, word.surface, list[at].field.label()));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let term = |(score, text, field): (f32, &str, &str)| Term {
        text: text.to_owned(),
        field: field.to_owned(),
        score,
    };
    found.into_iter().take(MOST).map(term).collect()
}
