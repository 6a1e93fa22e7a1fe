use serde_json::{Map, Value};
use winclaw_tool::Text;

/// Most schemas that are written out for references; a tool that needs more is not sent.
const MAX_WRITTEN: usize = 2000;
/// Where definitions stand that may be referred to.
const HOMES: [&str; 2] = ["#/$defs/", "#/definitions/"];
/// Words that only make sense where references stay.
const BOOKKEEPING: [&str; 6] = ["$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "id"];

/// The schema with its references written out, unless `keep` and all of them point to definitions of its own.
///
/// A reference that leads to a schema it stands in, to another document, or to nothing becomes a schema that allows
/// anything; what stands beside a reference is kept and comes first.
///
/// Errors: there are too many to write out.
pub(super) fn resolve(top: Map<String, Value>, keep: bool) -> Result<Map<String, Value>, Text> {
    let mut found = Vec::new();
    references(&Value::Object(top.clone()), &mut found);
    if found.is_empty() {
        return Ok(without_definitions(top, keep));
    }
    let root = Value::Object(top);
    let sound = |reference: &String| {
        let home = HOMES.iter().any(|home| reference.starts_with(home));
        home && reference.strip_prefix('#').and_then(|pointer| target(&root, pointer)).is_some()
    };
    if keep && found.iter().all(sound) {
        return Ok(object(root));
    }
    let body = Value::Object(without_definitions(object(root.clone()), false));
    let mut writer = Writer { root: &root, path: Vec::new(), written: 0 };
    let out = writer.write(&body);
    if writer.written > MAX_WRITTEN {
        return Err(Text::new("its schema refers to itself too often", "参数格式中的引用过多"));
    }
    Ok(object(out))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn without_definitions(mut top: Map<String, Value>, keep: bool) -> Map<String, Value> {
    if !keep {
        BOOKKEEPING.iter().for_each(|key| drop(top.shift_remove(*key)));
    }
    top
}

fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// What a pointer points at, also where its parts are percent-encoded.
fn target<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    root.pointer(pointer).or_else(|| root.pointer(&decoded(pointer)?)).filter(|target| target.is_object())
}

fn decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = pointer.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest = after;
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

struct Writer<'a> {
    root: &'a Value,
    /// The references that lead to where we are.
    path: Vec<&'a str>,
    written: usize,
}

impl<'a> Writer<'a> {
    fn write(&mut self, schema: &'a Value) -> Value {
        if self.written > MAX_WRITTEN {
            return Value::Object(Map::new());
        }
        match schema {
            Value::Object(map) => match map.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.follow(map, reference),
                None => Value::Object(self.fields(map)),
            },
            Value::Array(items) => items.iter().map(|item| self.write(item)).collect(),
            other => other.clone(),
        }
    }

    fn fields(&mut self, map: &'a Map<String, Value>) -> Map<String, Value> {
        let kept = map.iter().filter(|(key, _)| *key != "$ref");
        kept.map(|(key, value)| (key.clone(), self.write(value))).collect()
    }

    fn follow(&mut self, beside: &'a Map<String, Value>, reference: &'a str) -> Value {
        let mut out = self.fields(beside);
        let target = reference.strip_prefix('#').and_then(|pointer| target(self.root, pointer));
        let Some(target) = target.filter(|_| !self.path.contains(&reference)) else { return Value::Object(out) };
        self.written += 1;
        self.path.push(reference);
        if let Value::Object(written) = self.write(target) {
            for (key, value) in written {
                out.entry(key).or_insert(value);
            }
        }
        self.path.pop();
        Value::Object(out)
    }
}
