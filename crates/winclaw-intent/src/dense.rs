use std::collections::BTreeMap;

use winclaw_catalog::ToolIx;

use crate::Script;
use crate::board::Scored;

/// How soon a lower rank stops counting when two rankings are fused (the k of reciprocal rank fusion).
const K: f32 = 20.0;

/// Most tools that vectors may bring for one request.
pub(crate) const MOST: usize = 50;

/// Vectors that know which tools mean something like a text. Made for the tools of one catalog, by whoever has the model;
/// the default build has none.
pub trait Dense: Send + Sync {
    /// How much the vectors count for texts of `script`, as against the words: 1 for as much, 0 for a script they do not
    /// know. An English model ruins Chinese, so it must give 0 there; the ranking is then what it would be without it.
    fn weight(&self, script: Script) -> f32;

    /// At most `most` tools, nearest first, with their similarity. The same text must give the same answer.
    fn nearest(&self, text: &str, most: usize) -> Vec<(ToolIx, f32)>;
}

/// Both rankings, each best first, as one. The order is by reciprocal rank; the scores are those of `words` in their order,
/// so that how far the best stands out keeps its meaning. What only the vectors brought, and stands behind, gets the last.
pub(crate) fn fuse(words: &[Scored], near: &[ToolIx], weight: f32) -> Vec<Scored> {
    let mut sums: BTreeMap<ToolIx, f32> = BTreeMap::new();
    let ranks = |weight: f32| move |(at, tool): (usize, ToolIx)| (tool, weight / (K + at as f32 + 1.0));
    let of_words = words.iter().map(|scored| scored.0).enumerate().map(ranks(1.0));
    let of_vectors = near.iter().copied().enumerate().map(ranks(weight));
    of_words.chain(of_vectors).for_each(|(tool, share)| *sums.entry(tool).or_default() += share);
    let mut fused: Vec<Scored> = sums.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let last = words.last().map(|scored| scored.1);
    for (at, scored) in fused.iter_mut().enumerate() {
        // Without any words the reciprocal ranks themselves are the scores.
        scored.1 = words.get(at).map(|scored| scored.1).or(last).unwrap_or(scored.1);
    }
    fused
}
