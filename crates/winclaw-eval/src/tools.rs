use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value, json};
use winclaw_catalog::{Catalog, Resolution, State, ToolEntry, ToolIx};
use winclaw_tool::{Problem, ProblemKind, Text, ToolManifest};

use crate::ids::Ids;
use crate::report::groups;
use crate::rows::{Row, Rows, rows};
use crate::{EvalError, ProblemGroup};

/// A catalogue to measure on, with its tools' ids as they were written.
#[derive(Debug)]
pub struct Tools {
    /// The tools.
    pub catalog: Catalog,
    /// What was wrong with some of them; each cost only itself.
    pub problems: Vec<Problem>,
    /// Ids as they were written, by [`ToolIx`].
    pub(crate) names: Vec<String>,
    by_id: BTreeMap<String, ToolIx>,
    by_plugin: BTreeMap<String, BTreeSet<ToolIx>>,
}

/// Optional fields of a row that are read as in a plugin's own manifest.
const AS_IN_A_MANIFEST: [&str; 7] = ["title", "actions", "detail_keys", "aliases", "examples", "always_load", "poll"];

/// Reads a file of tools: JSON Lines, a JSON array, or an MCP `tools/list` result.
///
/// A tool is `{id, name, server, description, parameters}` and what docs/eval-format.md adds; `id` or `name` is enough.
pub fn read_tools(file: &Path) -> Result<Tools, EvalError> {
    let Rows { rows, problems: left_out } = rows(file, "tools")?;
    let rows: Vec<Row> = rows.into_iter().map(unwrapped).collect();
    let drafts = rows.iter().map(Draft::of).collect::<Result<Vec<_>, _>>()?;
    let ids = ids(&rows, &drafts)?;
    let names = Known::of(&drafts);
    let entry = |(row, draft)| entry(row, draft, &ids, &names);
    let entries = rows.iter().zip(&drafts).map(entry).collect::<Result<Vec<_>, _>>()?;
    let (catalog, problems) = Catalog::build(entries);
    let mut tools = Tools::named(catalog, problems, &ids, &drafts);
    tools.problems.extend(left_out);
    Ok(tools)
}

impl Tools {
    /// The tools of a host; their ids are as the host shows them, their plugin is the source of the id.
    pub fn of_host(catalog: Catalog, problems: Vec<Problem>) -> Tools {
        let names: Vec<String> = catalog.tools().iter().map(|tool| tool.id.to_string()).collect();
        let by_id = names.iter().cloned().zip(catalog.all()).collect();
        let mut by_plugin: BTreeMap<String, BTreeSet<ToolIx>> = BTreeMap::new();
        for ix in catalog.all() {
            by_plugin.entry(catalog.get(ix).id.source().to_owned()).or_default().insert(ix);
        }
        Tools { catalog, problems, names, by_id, by_plugin }
    }

    fn named(catalog: Catalog, problems: Vec<Problem>, ids: &Ids, drafts: &[Draft]) -> Tools {
        let by_id: BTreeMap<String, ToolIx> =
            ids.iter().filter_map(|(given, id)| Some((given.to_owned(), catalog.ix(id)?))).collect();
        let mut names = vec![String::new(); catalog.tools().len()];
        by_id.iter().for_each(|(given, ix)| names[ix.index()].clone_from(given));
        let mut by_plugin: BTreeMap<String, BTreeSet<ToolIx>> = BTreeMap::new();
        for draft in drafts {
            if let Some(ix) = by_id.get(&draft.id).filter(|_| !draft.server.is_empty()) {
                by_plugin.entry(draft.server.clone()).or_default().insert(*ix);
            }
        }
        let given: BTreeMap<&str, &str> = ids.iter().map(|(given, id)| (id.as_str(), given)).collect();
        let as_written = |problem: Problem| {
            let subject = given.get(problem.subject.as_str()).map(|given| (*given).to_owned());
            Problem { subject: subject.unwrap_or(problem.subject), ..problem }
        };
        let mut problems: Vec<Problem> = problems.into_iter().map(as_written).collect();
        problems.extend(drafts.iter().filter(|draft| draft.description.trim().is_empty()).map(no_description));
        Tools { catalog, problems, names, by_id, by_plugin }
    }

    /// The tool that `id` names: by its id, or else by a name that only one tool has.
    pub fn find(&self, id: &str) -> Option<ToolIx> {
        self.by_id.get(id).copied().or_else(|| match self.catalog.resolve(id) {
            Resolution::One(ix) => Some(ix),
            _ => None,
        })
    }

    /// The problems by what mends them, the gravest and most frequent first.
    pub fn problem_groups(&self) -> Vec<ProblemGroup> {
        groups(&self.problems, self.problems.len())
    }

    /// The tools of a plugin or server.
    pub fn of_plugin(&self, plugin: &str) -> Option<&BTreeSet<ToolIx>> {
        self.by_plugin.get(plugin)
    }
}

/// What every tool must have, read before the rest so that tools can name each other.
#[derive(Debug)]
struct Draft {
    id: String,
    name: String,
    server: String,
    description: String,
}

impl Draft {
    fn of(row: &Row) -> Result<Draft, EvalError> {
        let [id, name, server] = ["id", "name", "server"].map(|key| row.text(key));
        let (mut id, mut name, server) = (id?, name?, server?);
        let has = |key: &str| row.map.contains_key(key);
        if has("query") && !has("description") && !has("name") {
            return Err(row.missing(
                (
                    "this looks like a request, not a tool: it has a `query` and no `description`",
                    "这像是请求而不是工具：有 query 而没有 description",
                ),
                (
                    "give the file of tools with --tools, and the one of requests with --queries",
                    "请用 --tools 给出工具文件，用 --queries 给出请求文件",
                ),
            ));
        }
        if id.is_empty() && name.is_empty() {
            return Err(row.missing(
                ("a tool needs an `id` or a `name`", "工具需要 id 或 name"),
                ("add \"id\": \"…\" to the object", "请在对象中加入 \"id\": \"…\""),
            ));
        }
        if id.is_empty() {
            id = if server.is_empty() { name.clone() } else { format!("{server}/{name}") };
        }
        if name.is_empty() {
            name.clone_from(&id);
        }
        Ok(Draft { id, name, server, description: row.text("description")? })
    }
}

/// Tools by the names an edge may use.
struct Known<'a> {
    by_name: BTreeMap<&'a str, Vec<&'a Draft>>,
    by_server: BTreeMap<&'a str, Vec<&'a Draft>>,
}

impl<'a> Known<'a> {
    fn of(drafts: &'a [Draft]) -> Known<'a> {
        let mut known = Known { by_name: BTreeMap::new(), by_server: BTreeMap::new() };
        for draft in drafts {
            known.by_name.entry(&draft.name).or_default().push(draft);
            if !draft.server.is_empty() {
                known.by_server.entry(&draft.server).or_default().push(draft);
            }
        }
        known
    }

    /// The ids an edge of `from` to `name` means: a bare name of its own server, else one that only one tool has, else
    /// all tools of the server of this name.
    fn meant(&self, name: &str, from: &Draft) -> Vec<&str> {
        let named = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let own = named.iter().find(|draft| draft.server == from.server);
        let only = (named.len() == 1).then(|| named[0]);
        match own.copied().or(only) {
            Some(draft) => vec![draft.id.as_str()],
            None => self.by_server.get(name).into_iter().flatten().map(|draft| draft.id.as_str()).collect(),
        }
    }
}

/// The `function` object of a tool as chat requests carry it, beside its own fields; other rows as they are.
fn unwrapped(mut row: Row) -> Row {
    if let Some(Value::Object(function)) = row.map.get("function") {
        let function = function.clone();
        row.map.extend(function);
    }
    row
}

fn ids(rows: &[Row], drafts: &[Draft]) -> Result<Ids, EvalError> {
    let mut ids = Ids::default();
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (row, draft) in rows.iter().zip(drafts) {
        if let Some(first) = first.insert(&draft.id, &row.at) {
            return Err(row.repeated(&draft.id, first));
        }
        let made = ids.add(&draft.id, &draft.server, &draft.name);
        made.ok_or_else(|| row.wrong("id", ("an id that can be used", "可用的 id")))?;
    }
    Ok(ids)
}

fn entry(row: &Row, draft: &Draft, ids: &Ids, known: &Known<'_>) -> Result<ToolEntry, EvalError> {
    let id = ids.get(&draft.id).cloned();
    let id = id.ok_or_else(|| row.wrong("id", ("an id that can be used", "可用的 id")))?;
    let summary = match row.map.get("summary").filter(|value| !value.is_null()) {
        Some(stated) => stated.clone(),
        None => row.text("plugin_description")?.into(),
    };
    let mut manifest = Map::new();
    manifest.insert("name".into(), id.name().into());
    manifest.insert("category".into(), row.text("category")?.into());
    manifest.insert("summary".into(), summary);
    manifest.insert("description".into(), draft.description.clone().into());
    manifest.insert("parameters".into(), parameters(row));
    manifest.insert("depends_on".into(), edges(row, draft, ids, known)?.into());
    manifest.insert("side_effect".into(), "read".into());
    let optional = AS_IN_A_MANIFEST.iter().filter_map(|key| Some((*key, row.map.get(*key)?)));
    manifest.extend(optional.filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value.clone())));
    let manifest: ToolManifest = serde_json::from_value(Value::Object(manifest)).map_err(|error| {
        let what = (format!("a field does not fit: {error}"), format!("字段不符合要求：{error}"));
        let keys = AS_IN_A_MANIFEST.join(", ");
        EvalError::new(
            &row.file,
            &row.at,
            what,
            (&format!("mend or leave out: {keys}"), &format!("请改正或删除：{keys}")),
        )
    })?;
    Ok(ToolEntry { id, manifest, state: State::Ready })
}

/// The schema under whichever name vendors give it.
fn parameters(row: &Row) -> Value {
    let given = ["parameters", "inputSchema", "input_schema"].iter().find_map(|key| row.map.get(*key));
    given.cloned().unwrap_or(Value::Null)
}

/// The edges of a tool, to legal ids: a text or `{name, type}` or `{tool, kind}`.
fn edges(row: &Row, draft: &Draft, ids: &Ids, known: &Known<'_>) -> Result<Vec<Value>, EvalError> {
    let stated = match row.map.get("depends_on") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(edges)) => edges,
        Some(_) => return Err(row.wrong("depends_on", ("a list", "列表"))),
    };
    let mut edges = Vec::new();
    for edge in stated {
        let (name, kind) = edge_of(edge).ok_or_else(|| wrong_edge(row, edge))?;
        let exact = ids.get(&name).into_iter();
        let meant = known.meant(&name, draft);
        let others = meant.iter().filter_map(|id| ids.get(id)).filter(|_| ids.get(&name).is_none());
        let before = edges.len();
        edges.extend(exact.chain(others).map(|id| json!({"tool": id, "kind": kind})));
        if edges.len() == before {
            // The catalogue says that there is no such tool.
            edges.push(json!({"tool": name, "kind": kind}));
        }
    }
    Ok(edges)
}

/// Name and kind of an edge.
fn edge_of(edge: &Value) -> Option<(String, &'static str)> {
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| edge.get(*key)?.as_str());
    match edge {
        Value::String(name) => Some((name.clone(), "requires")),
        Value::Object(_) => {
            Some((text(["tool", "name"])?.to_owned(), kind(text(["kind", "type"]).unwrap_or("requires"))?))
        }
        _ => None,
    }
}

fn kind(stated: &str) -> Option<&'static str> {
    match stated {
        "requires" => Some("requires"),
        "input_from" => Some("input_from"),
        "often_with" => Some("often_with"),
        other if other.starts_with("TOOL_") || other.starts_with("PARAMETER_") => Some("requires"),
        _ => None,
    }
}

fn wrong_edge(row: &Row, edge: &Value) -> EvalError {
    let what = (format!("`depends_on` holds {edge}, which is no edge"), format!("depends_on 中的 {edge} 不是依赖"));
    EvalError::new(
        &row.file,
        &row.at,
        what,
        (
            "write {\"tool\": \"…\", \"kind\": \"requires\"}; the kinds are requires, input_from and often_with",
            "请写为 {\"tool\": \"…\", \"kind\": \"requires\"}；可用的 kind 为 requires、input_from 和 often_with",
        ),
    )
}

fn no_description(draft: &Draft) -> Problem {
    Problem {
        kind: ProblemKind::Claim,
        subject: draft.id.clone(),
        what: Text::new("It has no description.", "没有描述。"),
        mend: Text::new(
            "Say what the tool does; words are what it is found by.",
            "请说明工具的用途；工具要靠文字才能被找到。",
        ),
        fatal: false,
    }
}
