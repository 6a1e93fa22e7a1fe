//! A file as rows of JSON objects, whatever of the usual forms it has.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::EvalError;

/// One entry of a file.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) file: Arc<Path>,
    /// Its line from 1, or `[n]` from 1 in a JSON array.
    pub(crate) at: String,
    pub(crate) map: Map<String, Value>,
}

const ONE_A_LINE: (&str, &str) = (
    "write one JSON object a line (JSON Lines), or a JSON array of objects; docs/eval-format.md shows both",
    "请每行写一个 JSON 对象（JSON Lines），或写一个 JSON 对象数组；格式见 docs/eval-format.md",
);

const AS_UTF8: (&str, &str) = ("save the file as UTF-8", "请将文件另存为 UTF-8 编码");

/// The entries of `file`: JSON Lines, a JSON array, or an object that holds an array under `key`, also inside `result`.
///
/// A byte order mark, CRLF and empty lines do not matter.
pub(crate) fn rows(file: &Path, key: &str) -> Result<Vec<Row>, EvalError> {
    let bytes = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
    let text = text(file, &bytes)?;
    if text.trim().is_empty() {
        let what = ("the file is empty".to_owned(), "文件为空".to_owned());
        return Err(EvalError::new(file, "", what, ONE_A_LINE));
    }
    let name: Arc<Path> = Arc::from(file);
    let rows = match whole(file, text, key)? {
        Some(items) => of_array(&name, items)?,
        None => of_lines(&name, text)?,
    };
    if rows.is_empty() {
        let what = ("the file holds no entry".to_owned(), "文件中没有任何条目".to_owned());
        return Err(EvalError::new(file, "", what, ONE_A_LINE));
    }
    Ok(rows)
}

fn unreadable(file: &Path, error: &std::io::Error) -> EvalError {
    let what = (format!("cannot be read: {error}"), format!("无法读取：{error}"));
    EvalError::new(file, "", what, ("give the path of a file that you may read", "请给出一个可读取的文件路径"))
}

fn text<'a>(file: &Path, bytes: &'a [u8]) -> Result<&'a str, EvalError> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let what = ("is in UTF-16, not in UTF-8".to_owned(), "使用了 UTF-16 编码，而不是 UTF-8".to_owned());
        return Err(EvalError::new(file, "", what, AS_UTF8));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        let what = ("this line is not UTF-8 text".to_owned(), "该行不是 UTF-8 文本".to_owned());
        EvalError::new(file, &line.to_string(), what, AS_UTF8)
    })
}

/// The entries, when the file as a whole is one array or one object that holds them.
fn whole(file: &Path, text: &str, key: &str) -> Result<Option<Vec<Value>>, EvalError> {
    if text.trim_start().starts_with('[') {
        return match serde_json::from_str(text) {
            Ok(items) => Ok(Some(items)),
            Err(error) => Err(not_json(file, error.line(), &error)),
        };
    }
    let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(text) else {
        return Ok(None);
    };
    if let Some(Value::Object(result)) = object.get("result").cloned() {
        object = result;
    }
    Ok(Some(match object.remove(key) {
        Some(Value::Array(items)) => items,
        Some(other) => vec![Value::Object(Map::from_iter([(key.to_owned(), other)]))],
        // One entry on one line has a number like any other line.
        None if text.trim().lines().count() == 1 => return Ok(None),
        None => vec![Value::Object(object)],
    }))
}

fn of_array(file: &Arc<Path>, items: Vec<Value>) -> Result<Vec<Row>, EvalError> {
    let row = |(place, item): (usize, Value)| object(file, format!("[{}]", place + 1), item);
    items.into_iter().enumerate().map(row).collect()
}

fn of_lines(file: &Arc<Path>, text: &str) -> Result<Vec<Row>, EvalError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(place, line): (usize, &str)| {
        let value = serde_json::from_str(line.trim()).map_err(|error| not_json(file, place + 1, &error))?;
        object(file, (place + 1).to_string(), value)
    };
    lines.map(row).collect()
}

fn not_json(file: &Path, line: usize, error: &serde_json::Error) -> EvalError {
    // serde_json ends its message with a place that counts within the line.
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or(&why);
    let column = error.column();
    let what = (
        format!("this is not valid JSON: {why} (column {column})"),
        format!("不是有效的 JSON：{why}（第 {column} 列）"),
    );
    EvalError::new(file, &line.to_string(), what, ONE_A_LINE)
}

fn object(file: &Arc<Path>, at: String, value: Value) -> Result<Row, EvalError> {
    match value {
        Value::Object(map) => Ok(Row { file: Arc::clone(file), at, map }),
        _ => {
            let what = ("this is no JSON object".to_owned(), "不是 JSON 对象".to_owned());
            Err(EvalError::new(file, &at, what, ONE_A_LINE))
        }
    }
}

impl Row {
    /// The text under `key`; a number counts as text, nothing and null as empty.
    pub(crate) fn text(&self, key: &str) -> Result<String, EvalError> {
        match self.map.get(key) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(self.wrong(key, ("a text", "文本"))),
        }
    }

    /// The list of texts under `key`, each once; one text counts as a list of one, null as nothing.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, EvalError> {
        let expected = ("a list of texts", "文本列表");
        match self.map.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(value) => texts_of(value).ok_or_else(|| self.wrong(key, expected)),
        }
    }

    /// The object under `key`; nothing and null count as empty.
    pub(crate) fn object(&self, key: &str) -> Result<Map<String, Value>, EvalError> {
        match self.map.get(key) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map.clone()),
            Some(_) => Err(self.wrong(key, ("an object", "对象"))),
        }
    }

    pub(crate) fn wrong(&self, key: &str, expected: (&str, &str)) -> EvalError {
        let what = (format!("`{key}` is not {}", expected.0), format!("“{key}”不是{}", expected.1));
        EvalError::new(
            &self.file,
            &self.at,
            what,
            ("docs/eval-format.md shows what each field holds", "各字段的内容见 docs/eval-format.md"),
        )
    }

    pub(crate) fn missing(&self, what: (&str, &str), mend: (&str, &str)) -> EvalError {
        EvalError::new(&self.file, &self.at, (what.0.to_owned(), what.1.to_owned()), mend)
    }

    /// An error about an id that stood before, at `first`.
    pub(crate) fn repeated(&self, id: &str, first: &str) -> EvalError {
        let what = (
            format!("the id {id:?} stands here for the second time, first at {first}"),
            format!("id {id:?} 重复，首次出现于 {first}"),
        );
        EvalError::new(&self.file, &self.at, what, ("give each entry an id of its own", "请为每个条目使用不同的 id"))
    }
}

/// The texts of a list, or one text, in order and each once.
pub(crate) fn texts_of(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let all: Vec<String> = match value {
        Value::Array(items) => items.iter().map(one).collect::<Option<_>>()?,
        single => vec![one(single)?],
    };
    let mut seen = std::collections::BTreeSet::new();
    Some(all.into_iter().filter(|text| seen.insert(text.clone())).collect())
}
