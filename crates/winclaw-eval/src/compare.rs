use std::collections::BTreeMap;

use serde::Serialize;
use winclaw_exposure::Strategy;

use crate::bootstrap::{Interval, Stat, interval};
use crate::outcome::columns;
use crate::{EvalReport, SCHEMA};

/// Two strategies on the same requests.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The first strategy.
    pub strategy: Strategy,
    /// The one it is compared with.
    pub with: Strategy,
    /// For each number that is a mean over requests: the first minus the second.
    pub differences: BTreeMap<String, Difference>,
}

/// The difference of two means over the same requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The mean of the first.
    pub first: f64,
    /// The mean of the second.
    pub second: f64,
    /// The mean of the differences request by request, with its interval.
    pub difference: Interval,
    /// Whether the interval leaves out zero. `false`: no difference beyond the sampling error.
    pub beyond_sampling_error: bool,
}

/// Sets `first` against `second`, which must be of the same dataset and the same `ks`; a paired bootstrap with the seed of
/// `first`. Numbers that one of them does not have are left out, and so are times.
pub fn compare(first: &EvalReport, second: &EvalReport) -> Comparison {
    let ks: Vec<usize> = first.recall_at.keys().copied().collect();
    let mut differences = BTreeMap::new();
    for column in columns(&ks).into_iter().filter(|column| column.stat == Stat::Mean) {
        let pairs = column.values(&first.outcomes).into_iter().zip(column.values(&second.outcomes));
        let pairs: Vec<Option<(f64, f64)>> = pairs.map(|(a, b)| a.zip(b)).collect();
        if pairs.iter().any(Option::is_some) {
            differences.insert(column.key, Difference::of(&pairs, first.seed));
        }
    }
    Comparison { schema: SCHEMA, strategy: first.strategy, with: second.strategy, differences }
}

impl Difference {
    /// The mean of the first values against that of the second, request by request, by a paired bootstrap from `seed`; requests
    /// without a pair count in neither.
    pub fn of(pairs: &[Option<(f64, f64)>], seed: u64) -> Difference {
        let mean =
            |side: fn(&(f64, f64)) -> f64| Stat::Mean.of(&mut pairs.iter().flatten().map(side).collect::<Vec<_>>());
        let apart: Vec<Option<f64>> = pairs.iter().map(|pair| pair.map(|(a, b)| a - b)).collect();
        let difference = interval(&apart, Stat::Mean, seed);
        let beyond_sampling_error = difference.low > 0.0 || difference.high < 0.0;
        Difference { first: mean(|pair| pair.0), second: mean(|pair| pair.1), difference, beyond_sampling_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_show_what_separate_means_would_hide() {
        // Requests differ widely, and the first is better by a little on every one.
        let pairs: Vec<Option<(f64, f64)>> = (0..40).map(|n| Some((f64::from(n) + 0.5, f64::from(n)))).collect();
        let found = Difference::of(&pairs, 1);
        assert!(found.beyond_sampling_error, "{found:?}");
        assert!((found.difference.mean - 0.5).abs() < 1e-9 && (found.first - 20.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_goes_both_ways_is_no_difference() {
        let pairs: Vec<Option<(f64, f64)>> =
            (0..40).map(|n| Some((f64::from(n % 2), f64::from((n + 1) % 2)))).collect();
        assert!(!Difference::of(&pairs, 1).beyond_sampling_error);
        assert!(!Difference::of(&[Some((1.0, 1.0)), None], 1).beyond_sampling_error);
    }
}
