//! The settings that compete.

use winclaw_intent::{WEIGHTS, Weights};

/// Weights that are varied, and the values they take besides the one in use. Those that no set can measure are left out.
const VALUES: [(&str, &[f32]); 16] = [
    ("k1", &[0.7, 0.9, 1.2, 1.6, 2.5]),
    ("b", &[0.3, 0.4, 0.5, 0.65, 0.8]),
    ("name", &[1.0, 1.5, 2.0, 3.0, 4.0]),
    ("source", &[0.0, 0.5, 1.0, 1.5]),
    ("description", &[0.7, 1.0, 1.4]),
    ("category", &[0.0, 0.25, 0.5, 1.0]),
    ("action", &[0.5, 1.0, 2.0]),
    ("alias", &[1.5, 3.0, 4.0]),
    ("parameter", &[0.25, 0.5, 0.8]),
    ("parameter_text", &[0.2, 0.35, 0.5, 0.8]),
    ("unigram", &[0.1, 0.2, 0.3, 0.4, 0.5]),
    ("lone", &[0.0, 0.3, 0.6, 1.0]),
    ("concept", &[0.0, 0.2, 0.4, 0.6, 0.8]),
    ("need", &[0.0, 0.2, 0.3, 0.4, 0.6]),
    ("focus", &[1.0, 2.0, 3.0, 5.0]),
    ("seat", &[0.3, 0.6, 0.8, 2.0]),
];

/// Pairs of weights that hang together, of which every combination competes.
const PAIRS: [(&str, &str); 4] = [("k1", "b"), ("need", "seat"), ("name", "concept"), ("unigram", "lone")];

/// The setting in use first, then each that differs from it in one weight, then those that differ in one of the pairs.
pub(crate) fn settings() -> Vec<(String, Weights)> {
    let mut found = vec![("in use".to_owned(), WEIGHTS)];
    for (name, values) in VALUES {
        values.iter().for_each(|&value| add(&mut found, &[(name, value)]));
    }
    for (one, other) in PAIRS {
        for &first in values(one) {
            values(other).iter().for_each(|&second| add(&mut found, &[(one, first), (other, second)]));
        }
    }
    found
}

fn values(of: &str) -> &'static [f32] {
    VALUES.iter().find(|(name, _)| *name == of).map_or(&[], |(_, values)| values)
}

/// Adds the setting in use with `changes`, unless it is known.
fn add(found: &mut Vec<(String, Weights)>, changes: &[(&str, f32)]) {
    let changed = changes.iter().try_fold(WEIGHTS, |weights, &(name, value)| weights.with(name, value));
    let name: Vec<String> = changes.iter().map(|(name, value)| format!("{name} {value}")).collect();
    match changed {
        Some(weights) if found.iter().all(|(_, known)| *known != weights) => found.push((name.join(", "), weights)),
        _ => {}
    }
}
