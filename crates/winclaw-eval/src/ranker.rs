use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use winclaw_catalog::ToolIx;

use crate::bootstrap::{Interval, Stat, interval};
use crate::measure::graded_ndcg;
use crate::{Dataset, Difference, all_met, recall};

/// Something else that ranks tools for a request, to be measured on the same data.
pub trait Ranker {
    /// What it is called.
    fn name(&self) -> String;
    /// The `most` tools that fit `request` best, best first; fewer when no more fit.
    fn rank(&self, request: &str, most: usize) -> Vec<ToolIx>;
}

/// How well a [`Ranker`] did.
#[derive(Debug, Clone, Serialize)]
pub struct Ranked {
    /// What it is called.
    pub name: String,
    /// Mean share of the needs among the first k tools, by k.
    pub recall_at: BTreeMap<usize, Interval>,
    /// Share of the requests all of whose needs are among the first k tools, by k.
    pub all_gold_at: BTreeMap<usize, Interval>,
    /// Mean nDCG of the first ten tools.
    pub ndcg_at_10: Interval,
    /// Microseconds of one ranking: the median.
    pub rank_us_p50: f64,
    /// The 99th percentile.
    pub rank_us_p99: f64,
    /// The recall of each request with needs, by k, in the order of the file.
    #[serde(skip)]
    pub recalls: BTreeMap<usize, Vec<f64>>,
}

/// Seed of the intervals.
const SEED: u64 = 1;

/// Measures `ranker` on the requests of `dataset` that need a tool.
pub fn recall_of(dataset: &Dataset, ranker: &dyn Ranker, ks: &[usize]) -> Ranked {
    let most = ks.iter().copied().max().unwrap_or(0).max(10);
    let requests = dataset.requests.iter().filter(|request| !request.needs.is_empty());
    let (mut times, mut ndcg) = (Vec::new(), Vec::new());
    let mut recalls: BTreeMap<usize, Vec<f64>> = ks.iter().map(|k| (*k, Vec::new())).collect();
    let mut of_all = recalls.clone();
    for request in requests {
        let begun = Instant::now();
        let order = ranker.rank(&request.text, most);
        times.push(begun.elapsed().as_secs_f64() * 1e6);
        ndcg.push(graded_ndcg(&request.grades, &order, 10));
        recalls.iter_mut().for_each(|(k, values)| values.push(recall(&request.needs, &order, *k)));
        let all = |k: usize| f64::from(u8::from(all_met(&request.needs, &order, k)));
        of_all.iter_mut().for_each(|(k, values)| values.push(all(*k)));
    }
    Ranked {
        name: ranker.name(),
        recall_at: recalls.iter().map(|(k, values)| (*k, mean(values))).collect(),
        all_gold_at: of_all.iter().map(|(k, values)| (*k, mean(values))).collect(),
        ndcg_at_10: mean(&ndcg),
        rank_us_p50: Stat::Quantile(0.5).of(&mut times),
        rank_us_p99: Stat::Quantile(0.99).of(&mut times),
        recalls,
    }
}

impl Ranked {
    /// The recall@k of this one minus that of `other`, on the same dataset, by a paired bootstrap; `None` when one of them was
    /// not measured at `k`.
    pub fn ahead_of(&self, other: &Ranked, k: usize) -> Option<Difference> {
        let pairs = self.recalls.get(&k)?.iter().zip(other.recalls.get(&k)?);
        let pairs: Vec<Option<(f64, f64)>> = pairs.map(|(a, b)| Some((*a, *b))).collect();
        Some(Difference::of(&pairs, SEED))
    }
}

fn mean(values: &[f64]) -> Interval {
    let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    interval(&values, Stat::Mean, SEED)
}
