use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::Problem;

use crate::measure::Graded;
use crate::{EvalError, Queries, Tools, read_queries, read_tools};

/// What the files of a folder of data are called.
const TOOLS: &str = "tools.jsonl";
const QUERIES: &str = "queries.jsonl";

/// A catalogue and requests to measure on.
#[derive(Debug)]
pub struct Dataset {
    /// The tools.
    pub catalog: Catalog,
    /// The requests, in the order of their file.
    pub requests: Vec<Request>,
    /// What was wrong with tools or requests and cost only itself.
    pub problems: Vec<Problem>,
    /// Requests left out because all they need is unknown.
    pub left_out: usize,
    /// How many of the problems, from the first, are about tools; the others are about requests and recorded runs.
    pub(crate) of_tools: usize,
    /// Ids as they were written, by [`ToolIx`].
    pub(crate) names: Vec<String>,
}

/// One request and what it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its id as it was written; without one, its line.
    pub id: String,
    /// Its place in the file: a line from 1, or `[n]` in a JSON array.
    pub at: String,
    /// What the person asks.
    pub text: String,
    /// What it needs; empty for a request that needs no tool.
    pub needs: Vec<Need>,
    /// What a model searched for in a recorded run of it, in order; empty without one.
    pub steps: Vec<String>,
    /// Tools with a grade above zero, for nDCG.
    pub(crate) grades: Vec<Graded>,
}

/// One thing a request needs: any one of several tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The tool or plugin as the file names it.
    pub name: String,
    /// The tools of which any will do; never empty.
    pub any: BTreeSet<ToolIx>,
}

impl Need {
    /// Whether one of the tools in `shown` will do.
    pub fn is_met(&self, shown: &[ToolIx]) -> bool {
        shown.iter().any(|ix| self.any.contains(ix))
    }
}

impl Dataset {
    /// Reads both files.
    pub fn read(tools: &Path, queries: &Path) -> Result<Dataset, EvalError> {
        let tools = read_tools(tools)?;
        let queries = read_queries(queries, &tools)?;
        Ok(Dataset::new(tools, queries))
    }

    /// The folders at or below `folder` that hold a `tools.jsonl` and a `queries.jsonl`, sorted by path; nothing is sought
    /// below such a folder.
    pub fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
        if folder.join(TOOLS).is_file() && folder.join(QUERIES).is_file() {
            return Ok(vec![folder.to_owned()]);
        }
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                found.extend(Dataset::folders(&path)?);
            }
        }
        found.sort();
        Ok(found)
    }

    /// Reads both files of one of the [`folders`](Dataset::folders).
    pub fn read_folder(folder: &Path) -> Result<Dataset, EvalError> {
        Dataset::read(&folder.join(TOOLS), &folder.join(QUERIES))
    }

    /// The requests of `queries`, which were read against these `tools`.
    pub fn new(tools: Tools, queries: Queries) -> Dataset {
        let Tools { catalog, names, mut problems, .. } = tools;
        let of_tools = problems.len();
        problems.extend(queries.problems);
        Dataset { catalog, requests: queries.requests, problems, left_out: queries.left_out, of_tools, names }
    }

    /// The first `limit` requests alone.
    pub fn truncate(&mut self, limit: usize) {
        self.requests.truncate(limit);
    }

    /// The id of a tool as it was written.
    pub fn name(&self, ix: ToolIx) -> &str {
        self.names.get(ix.index()).map_or("", String::as_str)
    }
}
