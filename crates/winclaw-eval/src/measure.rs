//! Recall and nDCG of one ranking; plain functions of it.

use std::collections::BTreeSet;

use winclaw_catalog::ToolIx;

use crate::Need;

/// A tool, or several of which any will do, and how much it is worth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graded {
    pub(crate) any: BTreeSet<ToolIx>,
    pub(crate) grade: f64,
}

/// The share of `needs` that the first `k` tools of `order` meet; 1 when there are none.
pub fn recall(needs: &[Need], order: &[ToolIx], k: usize) -> f64 {
    let first = &order[..k.min(order.len())];
    let met = needs.iter().filter(|need| need.is_met(first)).count();
    if needs.is_empty() { 1.0 } else { met as f64 / needs.len() as f64 }
}

/// Whether the first `k` tools of `order` meet every one of `needs`.
pub fn all_met(needs: &[Need], order: &[ToolIx], k: usize) -> bool {
    let first = &order[..k.min(order.len())];
    needs.iter().all(|need| need.is_met(first))
}

/// Normalised discounted cumulative gain of the first `k` tools, every need being worth 1.
///
/// A gain at rank r counts 1 / log2(r + 1). Each tool meets one need at most, and each need counts once, so that the value is
/// 1 for the best possible order and never more.
pub fn ndcg(needs: &[Need], order: &[ToolIx], k: usize) -> f64 {
    let grades: Vec<Graded> = needs.iter().map(|need| Graded { any: need.any.clone(), grade: 1.0 }).collect();
    graded_ndcg(&grades, order, k)
}

/// [`ndcg`] with grades as gains (linear, as trec_eval has it).
pub(crate) fn graded_ndcg(grades: &[Graded], order: &[ToolIx], k: usize) -> f64 {
    let mut best: Vec<&Graded> = grades.iter().collect();
    best.sort_by(|a, b| b.grade.total_cmp(&a.grade));
    let ideal: f64 = best.iter().take(k).enumerate().map(|(place, graded)| graded.grade * discount(place)).sum();
    let mut gained = 0.0;
    for (place, tool) in order.iter().take(k).enumerate() {
        if let Some(at) = best.iter().position(|graded| graded.any.contains(tool)) {
            gained += best.remove(at).grade * discount(place);
        }
    }
    if ideal > 0.0 { gained / ideal } else { 1.0 }
}

/// What a gain counts at the place, from 0.
fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(sets: &[&[u32]]) -> Vec<Need> {
        let need = |set: &&[u32]| Need { name: format!("{set:?}"), any: set.iter().map(|ix| ToolIx(*ix)).collect() };
        sets.iter().map(need).collect()
    }

    fn order(tools: &[u32]) -> Vec<ToolIx> {
        tools.iter().map(|ix| ToolIx(*ix)).collect()
    }

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn recall_counts_needs_not_tools() {
        let needs = needs(&[&[1, 7], &[2], &[3]]);
        let order = order(&[9, 7, 1, 2]);
        let found: Vec<f64> = [0, 1, 2, 3, 4, 50].iter().map(|k| recall(&needs, &order, *k)).collect();
        let third = 1.0 / 3.0;
        found.into_iter().zip([0.0, 0.0, third, third, 2.0 * third, 2.0 * third]).for_each(|(a, b)| close(a, b));
        assert!(!all_met(&needs, &order, 50));
        assert!(all_met(&needs[..2], &order, 4));
        assert!(!all_met(&needs[..2], &order, 3));
    }

    #[test]
    fn no_needs_are_met() {
        close(recall(&[], &[], 5), 1.0);
        assert!(all_met(&[], &[], 5));
        close(ndcg(&[], &order(&[1]), 10), 1.0);
    }

    #[test]
    fn ndcg_by_hand() {
        // Ranks 2 and 4 of two needs: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3).
        close(ndcg(&needs(&[&[1], &[2]]), &order(&[9, 1, 8, 2]), 10), 0.650_920_929_807_132_6);
        close(ndcg(&needs(&[&[1], &[2]]), &order(&[2, 1]), 10), 1.0);
        close(ndcg(&needs(&[&[1], &[2]]), &order(&[9, 1, 8, 2]), 3), 0.386_852_807_234_541_6);
        close(ndcg(&needs(&[&[1]]), &order(&[3, 4]), 10), 0.0);
    }

    #[test]
    fn grades_are_gains_and_a_tool_meets_one_need() {
        let graded = |set: &[u32], grade| Graded { any: set.iter().map(|ix| ToolIx(*ix)).collect(), grade };
        // The better one second: (1 + 2/log2 3) / (2 + 1/log2 3).
        close(graded_ndcg(&[graded(&[1], 1.0), graded(&[2], 2.0)], &order(&[1, 2]), 10), 0.859_718_699_852_197_2);
        close(graded_ndcg(&[graded(&[1, 2], 1.0), graded(&[1, 2], 1.0)], &order(&[1]), 10), 0.613_147_192_765_458_4);
        close(graded_ndcg(&[graded(&[1, 2], 1.0)], &order(&[1, 2]), 10), 1.0);
    }
}
