use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Draft, folded, named};
use crate::RepairKind;
use crate::shape;

/// Most digits of a decimal that a number holds without loss.
const EXACT_DIGITS: usize = 15;

/// Largest whole number that a floating-point number holds without loss, 2^53.
const EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;

/// What a place may hold, over everything its schema is composed of.
struct Wanted<'a> {
    types: BTreeSet<&'a str>,
    choices: Vec<&'a Value>,
}

impl<'a> Wanted<'a> {
    fn by(root: &'a Value, schema: &'a Value) -> Wanted<'a> {
        let mut wanted = Wanted { types: BTreeSet::new(), choices: Vec::new() };
        for face in shape::faces(root, schema) {
            match face.get("type") {
                Some(Value::String(name)) => wanted.types.extend([name.as_str()]),
                Some(Value::Array(names)) => wanted.types.extend(names.iter().filter_map(Value::as_str)),
                _ if face.get("properties").is_some() => wanted.types.extend(["object"]),
                _ => {}
            }
            wanted.choices.extend(face.get("enum").and_then(Value::as_array).into_iter().flatten());
            wanted.choices.extend(face.get("const"));
        }
        wanted
    }

    fn takes(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Whether it takes values of the type `given` has.
    fn takes_like(&self, given: &Value) -> bool {
        match given {
            Value::Null => self.takes("null"),
            Value::Bool(_) => self.takes("boolean"),
            Value::Number(_) => self.takes("number") || self.takes("integer"),
            Value::String(_) => self.takes("string"),
            Value::Array(_) => self.takes("array"),
            Value::Object(_) => self.takes("object"),
        }
    }
}

/// The one value that says the same as `given` and has the form `schema` wants; `None` if there is none, or several.
pub(crate) fn coerced(root: &Value, schema: &Value, given: &Value) -> Option<(Value, RepairKind)> {
    let wanted = Wanted::by(root, schema);
    if let Some(choice) = choice(&wanted, given) {
        return Some((choice, RepairKind::Choice));
    }
    if wanted.takes_like(given) {
        return None;
    }
    let found = match given {
        Value::String(text) => of_text(&wanted, text),
        Value::Number(number) if number.is_i64() || number.is_u64() => as_text(&wanted, given),
        _ => Vec::new(),
    };
    match &found[..] {
        [one] => Some(one.clone()),
        [] => wrapped(&wanted, given).map(|list| (list, RepairKind::Type)),
        _ => None,
    }
}

/// The choice that `given` is in another case, with other separators, or as a text.
fn choice(wanted: &Wanted<'_>, given: &Value) -> Option<Value> {
    let plain = folded(given.as_str()?);
    let is_same = |choice: &&&Value| match choice {
        Value::String(text) => !plain.is_empty() && folded(text) == plain,
        Value::Number(number) => {
            given.as_str().and_then(exact_number).as_ref().and_then(Value::as_f64) == number.as_f64()
        }
        _ => false,
    };
    let mut found: Vec<&&Value> = wanted.choices.iter().filter(is_same).collect();
    found.dedup();
    match found[..] {
        [one] if *one != given => Some((*one).clone()),
        _ => None,
    }
}

/// What a text says when it is not wanted as a text.
fn of_text(wanted: &Wanted<'_>, text: &str) -> Vec<(Value, RepairKind)> {
    let trimmed = text.trim();
    let mut found = Vec::new();
    if wanted.takes("number") || wanted.takes("integer") {
        let number = exact_number(trimmed).map(whole_if_it_is);
        found.extend(number.filter(|number| wanted.takes("number") || !number.is_f64()).map(|n| (n, RepairKind::Type)));
    }
    if wanted.takes("boolean") && (trimmed.eq_ignore_ascii_case("true") || trimmed.eq_ignore_ascii_case("false")) {
        found.push((json!(trimmed.eq_ignore_ascii_case("true")), RepairKind::Type));
    }
    if looks_like_json(trimmed) && (wanted.takes("object") || wanted.takes("array")) {
        let inner = serde_json::from_str::<Value>(trimmed).ok();
        found.extend(inner.filter(|inner| wanted.takes_like(inner)).map(|inner| (inner, RepairKind::Encoded)));
    }
    found
}

/// A whole number where a text is wanted, such as an id.
fn as_text(wanted: &Wanted<'_>, given: &Value) -> Vec<(Value, RepairKind)> {
    let wants_text = wanted.takes("string") && wanted.choices.is_empty();
    wants_text.then(|| (json!(given.to_string()), RepairKind::Type)).into_iter().collect()
}

/// A list of one. Not of a text that may be a list itself, whole, cut off, or in another form.
fn wrapped(wanted: &Wanted<'_>, given: &Value) -> Option<Value> {
    let may_be_list = |text: &str| {
        text.trim().is_empty() || looks_like_json(text.trim()) || text.contains([',', ';', '\n', '，', '、'])
    };
    let plain = match given {
        Value::Null | Value::Array(_) => false,
        Value::String(text) => !may_be_list(text),
        _ => true,
    };
    (plain && wanted.takes("array")).then(|| json!([given]))
}

fn looks_like_json(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// The number a text is, if it is one as JSON writes them and can be held without loss.
fn exact_number(text: &str) -> Option<Value> {
    let number: serde_json::Number = serde_json::from_str(text.trim()).ok()?;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (!number.is_f64() || digits <= EXACT_DIGITS).then_some(Value::Number(number))
}

/// 3 for 3.0.
fn whole_if_it_is(number: Value) -> Value {
    match number.as_f64() {
        Some(float) if number.is_f64() && is_exact(float) => json!(float as i64),
        _ => number,
    }
}

/// Whether it is a whole number that an integer holds without loss; a negative zero is none.
fn is_exact(float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < EXACT_WHOLE && (float != 0.0 || float.is_sign_positive())
}

/// Writes whole numbers without a point where the schema wants an integer: they are the same to a schema, and not to a tool.
pub(crate) fn whole_numbers(root: &Value, draft: &mut Draft) {
    let mut places = Vec::new();
    floats(&draft.value, &mut String::new(), &mut places);
    for pointer in places {
        let is_integer = shape::at(root, &pointer).is_some_and(|schema| {
            let wanted = Wanted::by(root, schema);
            wanted.takes("integer") && !wanted.takes("number")
        });
        if let Some(target) = draft.value.pointer_mut(&pointer).filter(|_| is_integer) {
            let whole = whole_if_it_is(target.clone());
            let said = format!("{}: {target} was read as {whole}.", named(&pointer));
            if *target != whole {
                *target = whole;
                draft.note(RepairKind::Type, &pointer, said);
            }
        }
    }
}

/// Where numbers stand that are written with a point and are whole.
fn floats(value: &Value, pointer: &mut String, found: &mut Vec<String>) {
    let mut inside = |name: &str, inner: &Value| {
        let length = pointer.len();
        *pointer = shape::inside(pointer, name);
        floats(inner, pointer, found);
        pointer.truncate(length);
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(n, inner)| inside(&n.to_string(), inner)),
        Value::Object(map) => map.iter().for_each(|(name, inner)| inside(name, inner)),
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|n| n.fract() == 0.0) => {
            found.push(pointer.clone());
        }
        _ => {}
    }
}
