//! Asking again as a task goes on, instead of one long look.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use winclaw_catalog::ToolIx;
use winclaw_intent::Query;
use winclaw_tool::{Problem, ProblemKind, Text};

use crate::look::{Engine, Look};
use crate::rows::{Row, Rows, rows, texts_of};
use crate::{Dataset, EvalError, Need, Request};

/// Tools in one look, where no searches were recorded.
pub const LOOK: usize = 8;

/// Names of search tools in recorded runs.
const SEARCHES: [&str; 2] = ["tool_search", "route"];

/// How many characters of a request's id a recorded run must give at least, to belong to it.
const SHORTEST: usize = 6;

/// What each step asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The request, then each search that was recorded of a real model; a tool is found that was in any look.
    Recorded,
    /// The request and the tools found so far, once for each need; a need is met that is in the look of its step.
    Used,
}

/// One request, asked step by step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stepped {
    /// Share of the needs that were found.
    pub recall: f64,
    /// Distinct tools in all looks together, or for [`Protocol::Used`] the mean of a look.
    pub tools: f64,
}

impl Engine<'_> {
    /// The request and then its recorded searches: the first `looks.0` tools of the one, the first `looks.1` of each other.
    pub(crate) fn by_recorded(&self, request: &Request, first: &Look, looks: (usize, usize)) -> Option<Stepped> {
        if request.needs.is_empty() || request.steps.is_empty() {
            return None;
        }
        let mut seen: Vec<ToolIx> = self.some(first, &Query { message: &request.text, ..Query::default() }, looks.0);
        for step in &request.steps {
            for tool in self.some(first, &Query { message: step, ..Query::default() }, looks.1) {
                if !seen.contains(&tool) {
                    seen.push(tool);
                }
            }
        }
        let found = request.needs.iter().filter(|need| need.is_met(&seen)).count();
        Some(Stepped { recall: found as f64 / request.needs.len() as f64, tools: seen.len() as f64 })
    }

    /// One step for each need: the query is the request and the tools found so far. A tool that was not found is not used.
    pub(crate) fn by_used(&self, request: &Request, first: &Look) -> Option<Stepped> {
        if request.needs.is_empty() {
            return None;
        }
        let mut used: Vec<ToolIx> = Vec::new();
        let mut tools = 0;
        for need in &request.needs {
            let look = self.some(first, &Query { message: &request.text, used: &used, ..Query::default() }, LOOK);
            tools += look.len();
            used.extend(meets(need, &look));
        }
        let steps = request.needs.len() as f64;
        Some(Stepped { recall: used.len() as f64 / steps, tools: tools as f64 / steps })
    }

    /// The first `most` tools that the strategy does not hide; what a hit requires follows it, and takes its place of the look.
    fn some(&self, first: &Look, query: &Query<'_>, most: usize) -> Vec<ToolIx> {
        let mut order = self.weigh(query).order(self.catalog());
        self.hide(&first.exposure, &mut order);
        order.truncate(most);
        order
    }
}

/// The first tool of `look` that meets `need`.
fn meets(need: &Need, look: &[ToolIx]) -> Option<ToolIx> {
    look.iter().copied().find(|ix| need.any.contains(ix))
}

impl Dataset {
    /// Adds the searches of recorded runs to the requests they belong to: `{id, steps: [text]}`, or a run
    /// `{id, turns: [[{tool, args}]]}` of which the queries of each `tool_search` or `route` are taken.
    ///
    /// A run belongs to the request of its id, or to the one request whose id begins with what stands behind its first hyphen.
    /// Runs of no request are counted as one problem.
    pub fn read_steps(&mut self, file: &Path) -> Result<(), EvalError> {
        let places: BTreeMap<String, usize> =
            self.requests.iter().enumerate().map(|(place, request)| (request.id.clone(), place)).collect();
        let mut strangers: Vec<String> = Vec::new();
        let Rows { rows, problems } = rows(file, "runs")?;
        self.problems.extend(problems);
        for row in rows {
            let id = row.text("id")?;
            let steps = steps_of(&row)?;
            match place(&places, &id) {
                Some(place) => self.requests[place].steps = steps,
                None => strangers.push(id),
            }
        }
        if let Some(first) = strangers.first() {
            self.problems.push(stranger(first, strangers.len()));
        }
        Ok(())
    }
}

fn place(places: &BTreeMap<String, usize>, id: &str) -> Option<usize> {
    let short = id.split_once('-').map_or("", |(_, short)| short);
    let mut alike =
        places.range(short.to_owned()..).take_while(|(id, _)| id.starts_with(short) && short.len() >= SHORTEST);
    let only = alike.next().filter(|_| alike.next().is_none());
    places.get(id).or(only.map(|(_, place)| place)).copied()
}

/// What a row of a file of steps, or of requests, says was searched for.
pub(crate) fn steps_of(row: &Row) -> Result<Vec<String>, EvalError> {
    let turns = match row.map.get("turns") {
        None | Some(Value::Null) => return row.texts("steps"),
        Some(Value::Array(turns)) => turns,
        Some(_) => {
            return Err(row.wrong("turns", ("a list of turns, each a list of calls", "由调用列表组成的轮次列表")));
        }
    };
    let calls = turns.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_object);
    let searches =
        calls.filter(|call| call.get("tool").and_then(Value::as_str).is_some_and(|tool| SEARCHES.contains(&tool)));
    let texts = searches.filter_map(|call| call.get("args")?.as_object()).flat_map(queries_of);
    Ok(texts.map(|text| plain(&text)).filter(|text| !text.is_empty()).collect())
}

fn queries_of(arguments: &Map<String, Value>) -> Vec<String> {
    let stated = ["query", "queries"].iter().find_map(|key| arguments.get(*key));
    stated.and_then(texts_of).unwrap_or_default()
}

/// A query without the markup some hosts ask for: tags on lines of their own, `server:` and `tool:` before the text.
fn plain(query: &str) -> String {
    let lines = query.lines().map(str::trim).filter(|line| !(line.starts_with('<') && line.ends_with('>')));
    let unlabelled = |line: &str| {
        let labels = ["server:", "tool:"];
        labels.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line).trim().to_owned()
    };
    let lines = lines.map(unlabelled).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn stranger(first: &str, count: usize) -> Problem {
    Problem {
        kind: ProblemKind::Claim,
        subject: first.to_owned(),
        what: Text::new(
            format!("{count} recorded runs belong to no request, `{first}` the first of them."),
            format!("有 {count} 条运行记录不属于任何请求，第一条为“{first}”。"),
        ),
        mend: Text::new("Give a run the id of its request.", "请让运行记录使用对应请求的 id。"),
        fatal: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markup_of_a_host_is_no_part_of_a_query() {
        let given = "<tool_assistant>\nserver: maps\ntool: find a  place\n</tool_assistant>";
        assert_eq!(plain(given), "maps\nfind a  place");
        assert_eq!(plain("convert a currency"), "convert a currency");
    }

    #[test]
    fn a_run_belongs_to_the_one_request_it_can_mean() {
        let ids = ["0e3287cb-1", "0e3287cb-2", "99d7541a-x", "plain"];
        let places: BTreeMap<String, usize> =
            ids.iter().enumerate().map(|(place, id)| (id.to_string(), place)).collect();
        let cases =
            [("plain", Some(3)), ("run-99d7541a", Some(2)), ("run-0e3287cb", None), ("run-0", None), ("x", None)];
        for (id, expected) in cases {
            assert_eq!(place(&places, id), expected, "{id}");
        }
    }
}
