//! Choosing the weights on some requests and judging them on others.

use std::collections::BTreeMap;

use winclaw_eval::{Difference, recall};
use winclaw_intent::{Index, Query, Weights};

use crate::grid;
use crate::sets::Set;

/// Seed of the intervals.
const SEED: u64 = 1;

/// The recall at ten of every request, set by set.
type Recalls = Vec<Vec<f64>>;

/// Chooses by the mean of the sets' mean recall at ten, each set counting alike, over all requests but those of one fold;
/// every n-th request of a set is of one fold. Prints for each fold what was chosen and how it did there.
pub(crate) fn print(sets: &[Set], folds: usize) {
    let settings = grid::settings();
    let all: Vec<Recalls> = settings.iter().map(|(name, weights)| measure(sets, name, *weights)).collect();
    println!("{} settings, {folds} folds, {} sets\n", settings.len(), sets.len());
    println!("| fold | chosen on the others | R@10 there | R@10 in this fold | in use, in this fold |");
    println!("|---|---|---|---|---|");
    let (mut chosen_sum, mut used_sum) = (0.0, 0.0);
    let mut pairs: Vec<Vec<(f64, f64)>> = vec![Vec::new(); sets.len()];
    for fold in 0..folds {
        let others = |at: usize| at % folds != fold;
        let own = |at: usize| at % folds == fold;
        let scores: Vec<f64> = all.iter().map(|recalls| mean_of_sets(recalls, others)).collect();
        // The first of the best: the one in use, or that with the fewest changes.
        let best = (0..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
        let (chosen, used) = (mean_of_sets(&all[best], own), mean_of_sets(&all[0], own));
        println!("| {} | {} | {:.4} | {chosen:.4} | {used:.4} |", fold + 1, settings[best].0, scores[best]);
        (chosen_sum, used_sum) = (chosen_sum + chosen, used_sum + used);
        for (pairs, (chosen, used)) in pairs.iter_mut().zip(all[best].iter().zip(&all[0])) {
            pairs.extend(chosen.iter().zip(used).enumerate().filter(|(at, _)| own(*at)).map(|(_, (a, b))| (*a, *b)));
        }
    }
    let count = folds as f64;
    println!("| mean | | | {:.4} | {:.4} |\n", chosen_sum / count, used_sum / count);
    print_differences(sets, &pairs);
    print_neighbours(&settings, &all);
}

fn measure(sets: &[Set], name: &str, weights: Weights) -> Recalls {
    eprintln!("{name}");
    let of_set = |set: &Set| {
        let index = Index::build_with(&set.data.catalog, weights);
        let of_request = |request: &winclaw_eval::Request| {
            let query = Query { message: &request.text, ..Query::default() };
            recall(&request.needs, &index.weigh(&set.data.catalog, &query).order(&set.data.catalog), 10)
        };
        set.requests().map(of_request).collect()
    };
    sets.iter().map(of_set).collect()
}

/// The mean over the sets of the mean over the requests that `counts` picks by their place.
fn mean_of_sets(recalls: &Recalls, counts: impl Fn(usize) -> bool) -> f64 {
    let mean = |set: &Vec<f64>| {
        let picked: Vec<f64> = set.iter().enumerate().filter(|(at, _)| counts(*at)).map(|(_, value)| *value).collect();
        picked.iter().sum::<f64>() / picked.len().max(1) as f64
    };
    recalls.iter().map(mean).sum::<f64>() / recalls.len().max(1) as f64
}

/// What the choice of each fold gains over the setting in use where it was not chosen, set by set.
fn print_differences(sets: &[Set], pairs: &[Vec<(f64, f64)>]) {
    println!("| set | chosen minus in use, judged out of fold | 95 % interval |");
    println!("|---|---|---|");
    for (set, pairs) in sets.iter().zip(pairs) {
        let pairs: Vec<Option<(f64, f64)>> = pairs.iter().copied().map(Some).collect();
        let found = Difference::of(&pairs, SEED).difference;
        println!("| {} | {:+.4} | {:+.4} to {:+.4} |", set.name, found.mean, found.low, found.high);
    }
}

/// How far the mean of all sets moves with each single weight.
fn print_neighbours(settings: &[(String, Weights)], all: &[Recalls]) {
    println!("\n| weight | mean R@10 of all sets by value |");
    println!("|---|---|");
    println!("| in use | {:.4} |", mean_of_sets(&all[0], |_| true));
    let mut by_weight: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((name, _), recalls) in settings.iter().zip(all).filter(|((name, _), _)| !name.contains(',')) {
        if let Some((weight, value)) = name.split_once(' ').filter(|(_, value)| value.parse::<f32>().is_ok()) {
            by_weight.entry(weight).or_default().push(format!("{value}: {:.4}", mean_of_sets(recalls, |_| true)));
        }
    }
    by_weight.iter().for_each(|(weight, values)| println!("| {weight} | {} |", values.join(", ")));
}
