use std::collections::BTreeSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use super::{Draft, named, same_name, value};
use crate::RepairKind;
use crate::shape::{self, at};

/// How deep errors of branches within branches are looked at.
const MAX_DEPTH: usize = 4;

/// One repair at one place.
#[derive(Debug)]
pub(crate) struct Fix {
    pointer: String,
    how: How,
}

#[derive(Debug)]
enum How {
    /// A key has the wrong form.
    Rename { from: String, to: String },
    /// A value has the wrong form.
    Set { to: Value, what: RepairKind },
    /// A null stands where nothing should.
    Remove { name: String },
}

/// What would mend `error` of `whole` without loss or guess; several only where branches each have their own errors.
pub(crate) fn of(root: &Value, whole: &Value, error: &ValidationError<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    gather(root, whole, error, MAX_DEPTH, &mut fixes);
    fixes
}

fn gather(root: &Value, whole: &Value, error: &ValidationError<'_>, depth: usize, fixes: &mut Vec<Fix>) {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            fixes.extend(unexpected.iter().filter_map(|name| known_as(root, whole, pointer, name)));
        }
        Kind::Required { property } => {
            fixes.extend(property.as_str().and_then(|name| written_as(root, whole, pointer, name)));
        }
        kind => {
            fixes.extend(of_value(root, whole, pointer));
            if let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }, Some(depth)) =
                (kind, depth.checked_sub(1))
            {
                context.iter().flatten().for_each(|error| gather(root, whole, error, depth, fixes));
            }
        }
    }
}

fn object<'a>(whole: &'a Value, pointer: &str) -> Option<&'a Map<String, Value>> {
    whole.pointer(pointer)?.as_object()
}

/// The unknown key `name` as the known one it is a form of, where that is free.
fn known_as(root: &Value, whole: &Value, pointer: &str, name: &str) -> Option<Fix> {
    let map = object(whole, pointer)?;
    let known = shape::property_names(root, at(root, pointer)?);
    let to = same_name(name, known).filter(|to| !map.contains_key(*to))?;
    Some(Fix { pointer: pointer.to_owned(), how: How::Rename { from: name.to_owned(), to: to.to_owned() } })
}

/// The missing key `name`, if exactly one unknown key is a form of it.
fn written_as(root: &Value, whole: &Value, pointer: &str, name: &str) -> Option<Fix> {
    let known = shape::property_names(root, at(root, pointer)?);
    let unknown = object(whole, pointer)?.keys().map(String::as_str).filter(|key| !known.contains(key));
    let from = same_name(name, unknown)?;
    Some(Fix { pointer: pointer.to_owned(), how: How::Rename { from: from.to_owned(), to: name.to_owned() } })
}

/// The value at `pointer` in the form its schema wants.
fn of_value(root: &Value, whole: &Value, pointer: &str) -> Option<Fix> {
    let (schema, given) = (at(root, pointer)?, whole.pointer(pointer)?);
    if given.is_null() {
        return removed(root, pointer);
    }
    let (to, what) = value::coerced(root, schema, given)?;
    Some(Fix { pointer: pointer.to_owned(), how: How::Set { to, what } })
}

/// A null that may be left out: a property that its object does not require.
fn removed(root: &Value, pointer: &str) -> Option<Fix> {
    let (parent, _) = pointer.rsplit_once('/')?;
    let name = shape::segments(pointer).last()?;
    let schema = at(root, parent)?;
    let is_property = shape::property_names(root, schema).contains(&name.as_str());
    let optional = is_property && !shape::requires(root, schema, &name);
    optional.then(|| Fix { pointer: parent.to_owned(), how: How::Remove { name } })
}

/// Does what `fixes` say, each thing once.
pub(crate) fn apply(draft: &mut Draft, fixes: Vec<Fix>) {
    let mut done = BTreeSet::new();
    for fix in fixes {
        let key = match &fix.how {
            How::Rename { from, .. } => (fix.pointer.clone(), from.clone()),
            How::Remove { name } => (fix.pointer.clone(), name.clone()),
            How::Set { .. } => (fix.pointer.clone(), String::new()),
        };
        if done.insert(key) {
            one(draft, fix);
        }
    }
}

fn one(draft: &mut Draft, Fix { pointer, how }: Fix) {
    let Some(target) = draft.value.pointer_mut(&pointer) else { return };
    match (how, target) {
        (How::Rename { from, to }, Value::Object(map)) => {
            if !rename(map, &from, &to) {
                return;
            }
            let said = format!("`{}` was read as `{}`.", shown(&from), shown(&to));
            draft.note(RepairKind::Key, &shape::inside(&pointer, &to), said);
        }
        (How::Remove { name }, Value::Object(map)) => {
            map.shift_remove(&name);
            let at = shape::inside(&pointer, &name);
            let said = format!("{} was null and was left out.", named(&at));
            draft.note(RepairKind::Null, &at, said);
        }
        (How::Set { to, what }, target) => {
            let said = format!("{}: {} was read as {}.", named(&pointer), shape::shown(target), shape::shown(&to));
            *target = to;
            draft.note(what, &pointer, said);
        }
        _ => {}
    }
}

fn shown(name: &str) -> String {
    winclaw_catalog::clean(name, 60)
}

/// Gives a value another key at the same place; whether it did.
fn rename(map: &mut Map<String, Value>, from: &str, to: &str) -> bool {
    if map.contains_key(to) || !map.contains_key(from) {
        return false;
    }
    let entries = std::mem::take(map);
    let name = |key: String| if key == from { to.to_owned() } else { key };
    map.extend(entries.into_iter().map(|(key, value)| (name(key), value)));
    true
}
