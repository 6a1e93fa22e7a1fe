//! Putting right what a model wrote slightly wrong, where nothing is lost and nothing guessed.
//!
//! Nothing is touched that fits the schema already, but for whole numbers written with a point where an integer belongs.
//! Whatever is put right fits the schema afterwards; if that cannot be reached, nothing is put right.

mod fix;
mod value;
mod whole;

use jsonschema::Validator;
use serde_json::Value;
use winclaw_catalog::CatalogTool;

use crate::arguments::MAX_DEPTH;
use crate::check::is_deeper;
use crate::cost::is_affordable;
use crate::shape;
use crate::{Repair, RepairKind};

/// How many rounds of repairs are tried on one reading of the arguments.
const MAX_ROUNDS: usize = 8;

/// How many errors are looked at in one round.
const MAX_ERRORS: usize = 100;

/// Arguments on the way to being right.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

impl Draft {
    pub(crate) fn new(value: Value) -> Draft {
        Draft { value, repairs: Vec::new() }
    }

    /// Notes what was done at `pointer`.
    fn note(&mut self, what: RepairKind, pointer: &str, said: String) {
        self.repairs.push(Repair { what, at: pointer.to_owned(), said });
    }
}

/// `value` put right for `tool`, or `None` when it does not fit and cannot be made to without loss or guess.
pub(crate) fn repaired(tool: &CatalogTool, validator: &Validator, value: &Value) -> Option<Draft> {
    let root = &tool.manifest.parameters;
    let plain = Draft::new(value.clone());
    let fits = mended(root, validator, plain.clone());
    let other = || [whole::unwrapped(tool, &plain), whole::flattened(root, &plain)].into_iter().flatten();
    let mut draft = fits.or_else(|| other().find_map(|draft| mended(root, validator, draft)))?;
    value::whole_numbers(root, &mut draft);
    Some(draft)
}

/// Applies repairs round by round until the draft fits.
fn mended(root: &Value, validator: &Validator, mut draft: Draft) -> Option<Draft> {
    for _ in 0..MAX_ROUNDS {
        if is_deeper(&draft.value, MAX_DEPTH) || !is_affordable(root, &draft.value) {
            return None;
        }
        if draft.value.is_object() && validator.is_valid(&draft.value) {
            return Some(draft);
        }
        let errors = validator.iter_errors(&draft.value).take(MAX_ERRORS);
        let fixes: Vec<fix::Fix> = errors.flat_map(|error| fix::of(root, &draft.value, &error)).collect();
        if fixes.is_empty() {
            return None;
        }
        fix::apply(&mut draft, fixes);
    }
    None
}

/// A name without case and separators, by which a slip is told from another name.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The one of `known` that is `name` in another case or with other separators, if there is exactly one.
fn same_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = folded(name);
    let mut alike: Vec<&str> = known.into_iter().filter(|other| !plain.is_empty() && folded(other) == plain).collect();
    alike.dedup();
    match alike[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// A place as a sentence names it; the whole has no name.
fn named(pointer: &str) -> String {
    let place = shape::place(pointer);
    if place.is_empty() { "The arguments".to_owned() } else { format!("`{place}`") }
}

#[cfg(test)]
mod tests;
