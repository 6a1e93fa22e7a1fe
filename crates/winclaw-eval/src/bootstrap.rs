//! Intervals by resampling, from a seed.

use serde::Serialize;

/// Resamples an interval is taken from.
pub const RESAMPLES: usize = 1_000;

/// A number of a sample, and where it would lie in 95 of 100 samples like it (bootstrap, percentiles 2.5 and 97.5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The number of the sample itself: a mean, or the quantile that the name says. Not a number (`null` in JSON) when nothing
    /// was measured.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What is taken of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stat {
    Mean,
    /// The smallest value that at least this share of the sample does not exceed.
    Quantile(f64),
}

impl Stat {
    pub(crate) fn of(self, sample: &mut [f64]) -> f64 {
        match (self, sample.len()) {
            (_, 0) => f64::NAN,
            (Stat::Mean, count) => sample.iter().sum::<f64>() / count as f64,
            (Stat::Quantile(share), count) => {
                let rank = (share * count as f64).ceil() as usize;
                *sample.select_nth_unstable_by(rank.clamp(1, count) - 1, f64::total_cmp).1
            }
        }
    }
}

/// The statistic over the requests that have a value, with its interval.
///
/// Whole requests are drawn, also those without a value, so that intervals of one seed and one number of requests are of the same
/// draws.
pub(crate) fn interval(values: &[Option<f64>], stat: Stat, seed: u64) -> Interval {
    let mut known: Vec<f64> = values.iter().copied().flatten().collect();
    let mean = stat.of(&mut known);
    if known.is_empty() {
        return Interval { mean, low: mean, high: mean };
    }
    let mut random = Random(seed);
    let mut drawn = Vec::with_capacity(values.len());
    let mut found: Vec<f64> = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.clear();
        drawn.extend(values.iter().filter_map(|_| values[random.below(values.len())]));
        if !drawn.is_empty() {
            found.push(stat.of(&mut drawn));
        }
    }
    let low = Stat::Quantile(0.025).of(&mut found);
    let high = Stat::Quantile(0.975).of(&mut found);
    Interval { mean, low, high }
}

/// SplitMix64: the same numbers from the same seed, for good.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is above zero.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first outputs of SplitMix64 from the seed 1234567, as its author's reference gives them.
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn one_seed_gives_one_interval_and_another_a_like_one() {
        let values: Vec<Option<f64>> = (0..200).map(|n| Some(f64::from(n % 4 / 3))).collect();
        let first = interval(&values, Stat::Mean, 7);
        assert_eq!(first, interval(&values, Stat::Mean, 7));
        let other = interval(&values, Stat::Mean, 8);
        assert_ne!(first, other);
        // A quarter of 200: the standard error is sqrt(.25 * .75 / 200) = .0306, so that the interval is .25 ± .06.
        for found in [first, other] {
            assert!((found.mean - 0.25).abs() < 1e-12, "{found:?}");
            assert!((found.low - 0.19).abs() < 0.015 && (found.high - 0.31).abs() < 0.015, "{found:?}");
        }
    }

    #[test]
    fn what_has_no_value_does_not_count_and_nothing_is_no_number() {
        let values = [Some(1.0), None, Some(0.0), None];
        assert!((interval(&values, Stat::Mean, 1).mean - 0.5).abs() < 1e-12);
        assert!(interval(&[None, None], Stat::Mean, 1).mean.is_nan());
        assert!(interval(&[], Stat::Quantile(0.5), 1).low.is_nan());
    }

    #[test]
    fn quantiles_are_values_of_the_sample() {
        let mut sample = [5.0, 1.0, 4.0, 2.0, 3.0];
        let found = [0.0, 0.2, 0.21, 0.5, 0.95, 1.0].map(|share| Stat::Quantile(share).of(&mut sample));
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 5.0, 5.0]);
    }
}
