use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};
use winclaw_catalog::ToolIx;
use winclaw_tool::{Problem, ProblemKind, Text};

use crate::measure::Graded;
use crate::rows::{Row, Rows, rows, texts_of};
use crate::steps::steps_of;
use crate::{EvalError, Need, Request, Tools};

/// Requests, read against the tools they need.
#[derive(Debug, Default)]
pub struct Queries {
    /// In the order of the file.
    pub requests: Vec<Request>,
    /// Names that no tool has, each with the request that needs it.
    pub problems: Vec<Problem>,
    /// Requests left out because all they need is unknown.
    pub left_out: usize,
}

/// Reads a file of requests: `{query, gold: [tool id], alts?, rel?}` or `{query, gold_plugins: [plugin]}` each.
///
/// A name that no tool of `tools` has is a problem and not an error; the request is measured by the rest of its needs, and
/// left out when there is no rest.
pub fn read_queries(file: &Path, tools: &Tools) -> Result<Queries, EvalError> {
    let mut queries = Queries::default();
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let Rows { rows, problems } = rows(file, "queries")?;
    queries.left_out += problems.len();
    queries.problems = problems;
    for row in rows {
        let stated = row.text("id")?;
        let id = if stated.is_empty() { row.at.clone() } else { stated };
        if let Some(first) = first.insert(id.clone(), row.at.clone()) {
            return Err(row.repeated(&id, &first));
        }
        let text = text(&row)?;
        let mut reader = Reader { row: &row, id: &id, tools, problems: Vec::new() };
        let (needs, named) = reader.needs()?;
        let grades = reader.grades(&needs)?;
        let steps = steps_of(&row)?;
        queries.problems.append(&mut reader.problems);
        match needs.is_empty() && named > 0 {
            true => queries.left_out += 1,
            false => queries.requests.push(Request { id, at: row.at.clone(), text, needs, steps, grades }),
        }
    }
    Ok(queries)
}

fn text(row: &Row) -> Result<String, EvalError> {
    let text = row.text("query")?;
    match text.trim().is_empty() {
        false => Ok(text),
        true if row.map.contains_key("description") => Err(row.missing(
            (
                "this looks like a tool, not a request: it has a `description` and no `query`",
                "这像是工具而不是请求：有 description 而没有 query",
            ),
            (
                "give the file of tools with --tools, and the one of requests with --queries",
                "请用 --tools 给出工具文件，用 --queries 给出请求文件",
            ),
        )),
        true => Err(row.missing(
            ("`query` is missing or empty", "缺少 query，或其内容为空"),
            ("add \"query\": \"what a person would ask\"", "请加入 \"query\": \"用户会提出的请求\""),
        )),
    }
}

struct Reader<'a> {
    row: &'a Row,
    id: &'a str,
    tools: &'a Tools,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// What the request needs, and how many needs it names, known or not.
    fn needs(&mut self) -> Result<(Vec<Need>, usize), EvalError> {
        if !["gold", "gold_plugins"].iter().any(|key| self.row.map.contains_key(*key)) {
            return Err(self.row.missing(
                (
                    "neither `gold` nor `gold_plugins` says what the request needs",
                    "缺少 gold 或 gold_plugins，无法得知请求需要什么",
                ),
                (
                    "add \"gold\": [\"id of a tool\"]; [] when it needs none",
                    "请加入 \"gold\": [\"工具 id\"]；不需要工具时写 []",
                ),
            ));
        }
        let gold = self.row.texts("gold")?;
        let plugins = self.row.texts("gold_plugins")?;
        let alts = self.row.object("alts")?;
        let strays: Vec<Problem> = alts.keys().filter(|id| !gold.contains(id)).map(|id| self.stray(id)).collect();
        self.problems.extend(strays);
        let mut needs = Vec::new();
        for name in &gold {
            needs.extend(self.tool(name, &alts)?);
        }
        for name in &plugins {
            needs.extend(self.plugin(name));
        }
        Ok((needs, gold.len() + plugins.len()))
    }

    fn tool(&mut self, name: &str, alts: &Map<String, Value>) -> Result<Option<Need>, EvalError> {
        let others = match alts.get(name) {
            None | Some(Value::Null) => Vec::new(),
            Some(value) => texts_of(value).ok_or_else(|| {
                self.row.wrong("alts", ("a list of tool ids for each gold id", "每个 gold id 对应的工具 id 列表"))
            })?,
        };
        let names = std::iter::once(name).chain(others.iter().map(String::as_str));
        let any: BTreeSet<ToolIx> = names.filter_map(|name| self.find(name)).collect();
        Ok((!any.is_empty()).then(|| Need { name: name.to_owned(), any }))
    }

    /// The problem of an entry of `alts` that speaks for no need.
    fn stray(&self, name: &str) -> Problem {
        let at = &self.row.at;
        Problem {
            kind: ProblemKind::Claim,
            subject: self.id.to_owned(),
            what: Text::new(
                format!("Line {at}: `alts` names `{name}`, which is not in `gold`, so that it changes nothing."),
                format!("第 {at} 行：alts 中的“{name}”不在 gold 中，因此不起作用。"),
            ),
            mend: Text::new(
                "Write the id in `alts` as it stands in `gold`, or add it to `gold`.",
                "请让 alts 中的 id 与 gold 中的一致，或将其加入 gold。",
            ),
            fatal: false,
        }
    }

    fn plugin(&mut self, name: &str) -> Option<Need> {
        let tools = self.tools.of_plugin(name);
        if tools.is_none() {
            self.problems.push(unknown(
                &format!("gold_plugins names `{name}`, which no tool belongs to"),
                &format!("gold_plugins 中的“{name}”没有任何工具"),
                self.id,
                &self.row.at,
            ));
        }
        tools.map(|any| Need { name: name.to_owned(), any: any.clone() })
    }

    fn find(&mut self, name: &str) -> Option<ToolIx> {
        let found = self.tools.find(name);
        if found.is_none() {
            self.problems.push(unknown(
                &format!("`{name}` is no tool of the catalogue"),
                &format!("目录中没有工具“{name}”"),
                self.id,
                &self.row.at,
            ));
        }
        found
    }

    /// The grades of `rel`, and 1 for each need it says nothing of.
    fn grades(&mut self, needs: &[Need]) -> Result<Vec<Graded>, EvalError> {
        let mut rel = self.row.object("rel")?;
        let mut grades = Vec::new();
        for need in needs {
            let grade = rel.remove(&need.name).map_or(Ok(1.0), |value| self.grade(&value))?;
            grades.push(Graded { any: need.any.clone(), grade });
        }
        for (name, value) in rel {
            let grade = self.grade(&value)?;
            if let Some(ix) = self.tools.find(&name) {
                grades.push(Graded { any: BTreeSet::from([ix]), grade });
            }
        }
        grades.retain(|graded| graded.grade > 0.0);
        Ok(grades)
    }

    fn grade(&self, value: &Value) -> Result<f64, EvalError> {
        let grade = value.as_f64().filter(|grade| *grade >= 0.0 && grade.is_finite());
        grade.ok_or_else(|| self.row.wrong("rel", ("a grade from 0 for each tool id", "每个工具 id 对应的非负等级")))
    }
}

fn unknown(en: &str, zh: &str, id: &str, at: &str) -> Problem {
    Problem {
        kind: ProblemKind::Claim,
        subject: id.to_owned(),
        what: Text::new(format!("Line {at}: {en}."), format!("第 {at} 行：{zh}。")),
        mend: Text::new(
            "Write the id as the file of tools has it, or add the tool.",
            "请按工具文件中的写法填写 id，或补充该工具。",
        ),
        fatal: true,
    }
}
