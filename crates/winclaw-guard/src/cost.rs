//! Whether checking a value against a schema comes to an end soon.
//!
//! References let a small schema describe an enormous tree of branches, and a validator that tries them all would never
//! come back. A plugin's schema is untrusted, so the work is estimated before it is begun.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::shape::deref_once;

/// Most schemas that may be tried on the way to one place of the value.
const MAX_WORK: u64 = 100_000;

/// Most schemas that may stand within each other; the validator recurses over them.
const MAX_STACK: usize = 400;

/// Most different pairs of schema and depth that are estimated.
const MAX_PAIRS: usize = 100_000;

/// Whether checking `value` against `root` is bounded work. Schemas without references always are.
pub(crate) fn is_affordable(root: &Value, value: &Value) -> bool {
    if !has_reference(root) {
        return true;
    }
    let mut estimate = Estimate { root, known: BTreeMap::new() };
    estimate.work(root, depth(value), MAX_STACK) <= MAX_WORK
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            map.keys().any(|key| matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef"))
                || map.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// How many levels of arrays and objects stand within each other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

struct Estimate<'a> {
    root: &'a Value,
    /// By place of the schema in memory, which only tells schemas apart, and levels of the value that are left.
    known: BTreeMap<(usize, usize), u64>,
}

impl<'a> Estimate<'a> {
    /// How often a schema is tried on the way from `schema` down to one place `levels` below. Saturates when there is no
    /// end, and where the pile of schemas or the estimate itself would grow too high.
    fn work(&mut self, schema: &'a Value, levels: usize, stack: usize) -> u64 {
        let Value::Object(map) = schema else { return 1 };
        let key = (std::ptr::from_ref(schema).addr(), levels);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if stack == 0 || self.known.len() >= MAX_PAIRS {
            return u64::MAX;
        }
        // Whoever comes back here without having gone down one level runs in a circle.
        self.known.insert(key, u64::MAX);
        let (here, below) = (self.here(map, levels, stack - 1), self.below(map, levels, stack - 1));
        let target = deref_once(self.root, schema).map_or(0, |target| self.work(target, levels, stack - 1));
        let work = 1_u64.saturating_add(here).saturating_add(below).saturating_add(target);
        self.known.insert(key, work);
        work
    }

    /// The work of what holds for the same value: every branch may be tried.
    fn here(&mut self, map: &'a Map<String, Value>, levels: usize, stack: usize) -> u64 {
        let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| map.get(key)?.as_array()).flatten();
        let single = ["not", "if", "then", "else"].into_iter().filter_map(|key| map.get(key));
        let by_name = ["dependentSchemas", "dependencies"].into_iter().filter_map(|key| map.get(key)?.as_object());
        let all = lists.chain(single).chain(by_name.flat_map(Map::values));
        all.fold(0, |sum, part| sum.saturating_add(self.work(part, levels, stack)))
    }

    /// The work at one member of the value: the most that can come together there.
    fn below(&mut self, map: &'a Map<String, Value>, levels: usize, stack: usize) -> u64 {
        let Some(levels) = levels.checked_sub(1) else { return 0 };
        let mut of = |key: &str, all_at_once: bool| {
            let parts: Vec<&Value> = match (key, map.get(key)) {
                ("properties" | "patternProperties", Some(Value::Object(named))) => named.values().collect(),
                (_, Some(Value::Array(items))) => items.iter().collect(),
                (_, part) => part.into_iter().collect(),
            };
            let work = parts.into_iter().map(|part| self.work(part, levels, stack));
            if all_at_once { work.fold(0, u64::saturating_add) } else { work.max().unwrap_or(0) }
        };
        let named = of("properties", false).saturating_add(of("patternProperties", true));
        let property = named.max(of("additionalProperties", false)).saturating_add(of("propertyNames", false));
        let placed = of("items", false).max(of("prefixItems", false)).max(of("additionalItems", false));
        let item = placed.saturating_add(of("contains", false));
        let rest = of("unevaluatedProperties", false).max(of("unevaluatedItems", false));
        property.max(item).saturating_add(rest)
    }
}
