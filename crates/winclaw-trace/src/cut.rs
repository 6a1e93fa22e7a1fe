//! Bounds for what a line may hold, so that no record is too long to be read again.

use serde_json::{Map, Value};

/// Longest string in a line, in characters; longer ones are cut with a mark.
pub(crate) const MAX_TEXT: usize = 65_536;

/// Most bytes of text that one field of a record holds, names and marks aside.
const MAX_FIELD: usize = 1 << 20;

/// Most levels that a field nests. A reader takes 128, of which the line itself is one.
const MAX_DEPTH: usize = 100;

/// Cuts what is too long in each field of `record`. The fields themselves all stay.
pub(crate) fn fields(record: Value) -> Value {
    match record {
        Value::Object(map) => {
            let field = |(key, value)| (key, Room { left: MAX_FIELD }.cut(value, 0));
            Value::Object(map.into_iter().map(field).collect())
        }
        other => other,
    }
}

/// What a field may still hold.
struct Room {
    left: usize,
}

impl Room {
    fn cut(&mut self, value: Value, depth: usize) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => {
                Value::String(format!("… [cut, deeper than {MAX_DEPTH} levels]"))
            }
            Value::Array(items) => Value::Array(self.items(items, depth)),
            Value::Object(map) => Value::Object(self.map(map, depth)),
            other => {
                self.left = self.left.saturating_sub(8);
                other
            }
        }
    }

    fn items(&mut self, items: Vec<Value>, depth: usize) -> Vec<Value> {
        let count = items.len();
        let mut kept = Vec::new();
        for item in items {
            if self.left == 0 {
                kept.push(Value::String(format!("… [cut, {} more items]", count - kept.len())));
                break;
            }
            kept.push(self.cut(item, depth + 1));
        }
        kept
    }

    fn map(&mut self, map: Map<String, Value>, depth: usize) -> Map<String, Value> {
        let count = map.len();
        let mut kept = Map::new();
        for (key, value) in map {
            if self.left == 0 {
                kept.insert("…".into(), Value::String(format!("[cut, {} more members]", count - kept.len())));
                break;
            }
            let key = self.text(key);
            kept.insert(key, self.cut(value, depth + 1));
        }
        kept
    }

    fn text(&mut self, text: String) -> String {
        let most = MAX_TEXT.min(self.left);
        self.left = self.left.saturating_sub(text.len().max(1));
        cut_text(text, most)
    }
}

fn cut_text(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        let missing = text[end..].chars().count();
        text.truncate(end);
        text.push_str(&format!("… [cut, {missing} more characters]"));
    }
    text
}
