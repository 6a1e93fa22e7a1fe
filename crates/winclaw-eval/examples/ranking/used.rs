//! Whether the tools used so far help to find the next one.

use winclaw_catalog::ToolIx;
use winclaw_intent::{Index, Query, Weights};

use crate::sets::Set;

/// For each set: every need after the first, asked for by the request and the first tool of each need before it, against
/// the request alone. Used tools take no place of the look.
pub(crate) fn print(sets: &[Set], weights: Weights) {
    println!("| set | needs | R@5 without | R@5 | R@10 without | R@10 |");
    println!("|---|---|---|---|---|---|");
    for set in sets {
        let index = Index::build_with(&set.data.catalog, weights);
        let (mut sums, mut count) = ([0_usize; 4], 0_usize);
        for request in set.requests() {
            let tools: Vec<ToolIx> = request.needs.iter().filter_map(|need| need.any.first().copied()).collect();
            for (at, need) in request.needs.iter().enumerate().skip(1) {
                let place = |used: &[ToolIx]| {
                    let query = Query { message: &request.text, used, ..Query::default() };
                    let hits = index.weigh(&set.data.catalog, &query).hits.into_iter().map(|hit| hit.tool);
                    let mut new = hits.filter(|ix| !tools[..at].contains(ix));
                    new.position(|ix| need.any.contains(&ix)).unwrap_or(usize::MAX)
                };
                let (without, with) = (place(&[]), place(&tools[..at]));
                let found = [without < 5, with < 5, without < 10, with < 10];
                sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += usize::from(found));
                count += 1;
            }
        }
        let shares: String = sums.iter().map(|sum| format!(" {:.3} |", *sum as f64 / count.max(1) as f64)).collect();
        println!("| {} | {count} |{shares}", set.name);
    }
}
