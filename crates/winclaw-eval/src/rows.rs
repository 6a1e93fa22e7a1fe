//! A file as rows of JSON objects, whatever of the usual forms it has.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use winclaw_tool::Problem;

use crate::{EvalError, deep};

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

/// Largest file that is read, in bytes: 256 MiB. A file of 100,000 tools of two kilobytes each is smaller.
pub const MAX_BYTES: u64 = 256 << 20;

/// The entries of a file, and what cost only one of them.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    pub(crate) problems: Vec<Problem>,
}

/// The entries of `file`: JSON Lines, a JSON array, or an object that holds an array under `key`, also inside `result`.
///
/// A byte order mark, CRLF and empty lines do not matter. An entry that is nested too deep is a problem and no entry.
pub(crate) fn rows(file: &Path, key: &str) -> Result<Rows, EvalError> {
    let bytes = bytes_of(file)?;
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
    match (rows.rows.is_empty(), rows.problems.first()) {
        (false, _) => Ok(rows),
        (true, None) => {
            let what = ("the file holds no entry".to_owned(), "文件中没有任何条目".to_owned());
            Err(EvalError::new(file, "", what, ONE_A_LINE))
        }
        (true, Some(first)) => Err(EvalError::of_problem(file, first)),
    }
}

/// What `file` holds, unless that is too much.
fn bytes_of(file: &Path) -> Result<Vec<u8>, EvalError> {
    let open = std::fs::File::open(file).map_err(|error| unreadable(file, &error))?;
    if open.metadata().is_ok_and(|about| about.len() > MAX_BYTES) {
        return Err(too_large(file));
    }
    let bytes = read_up_to(open, MAX_BYTES).map_err(|error| unreadable(file, &error))?;
    bytes.ok_or_else(|| too_large(file))
}

/// All of `source`, or nothing when it holds more than `most` bytes. A device may never end.
fn read_up_to(source: impl Read, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn too_large(file: &Path) -> EvalError {
    let most = MAX_BYTES >> 20;
    let what = (format!("holds more than {most} MiB"), format!("内容超过 {most} MiB"));
    EvalError::new(
        file,
        "",
        what,
        (
            "give a file of tools or requests, or a part of this one (its first 10,000 lines, say)",
            "请给出工具或请求的文件，或只取其中一部分（例如前 10,000 行）",
        ),
    )
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
        return match parsed(text) {
            Ok(items) => Ok(Some(items)),
            Err(error) => Err(not_json(file, error.line(), &error)),
        };
    }
    let Ok(mut object) = parsed::<Map<String, Value>>(text) else {
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

/// `text` as JSON, with marks where it is too deep.
fn parsed<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    match serde_json::from_str(text) {
        Err(error) if deep::is_too_deep(&error) => serde_json::from_str(&deep::pruned(text)),
        parsed => parsed,
    }
}

fn of_array(file: &Arc<Path>, items: Vec<Value>) -> Result<Rows, EvalError> {
    let mut rows = Rows::default();
    for (place, item) in items.into_iter().enumerate() {
        rows.add(file, format!("[{}]", place + 1), item)?;
    }
    Ok(rows)
}

fn of_lines(file: &Arc<Path>, text: &str) -> Result<Rows, EvalError> {
    let mut rows = Rows::default();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value = parsed(line.trim()).map_err(|error| not_json(file, place + 1, &error))?;
        rows.add(file, (place + 1).to_string(), value)?;
    }
    Ok(rows)
}

impl Rows {
    fn add(&mut self, file: &Arc<Path>, at: String, value: Value) -> Result<(), EvalError> {
        match deep::is_marked(&value) {
            true => self.problems.push(deep::problem(file, &at)),
            false => self.rows.push(object(file, at, value)?),
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_an_end_is_left_after_what_it_may_hold() {
        let read = |most| read_up_to(std::io::repeat(b'0').take(1_000), most).expect("readable");
        assert_eq!(read(1_000).map(|bytes| bytes.len()), Some(1_000));
        assert_eq!(read(999), None);
        assert_eq!(read_up_to(std::io::repeat(0), 4_096).expect("readable"), None);
    }
}
