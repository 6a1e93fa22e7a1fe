//! The meta tools: how a model finds, reads and calls tools that are not in its tools array, and how it asks the user.

mod parse;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, RESERVED, ToolIx};
use winclaw_tool::ToolSpec;

use crate::shelves::family;
use crate::{Settings, schema};

pub use parse::parse;

/// Most queries of one search.
pub const MAX_QUERIES: usize = 8;
/// Most names of one look-up.
pub const MAX_NAMES: usize = 10;
/// Most hits a search may ask for.
pub const MAX_LIMIT: usize = 50;
/// Hits of a search that states no limit.
pub const DEFAULT_LIMIT: usize = 8;
/// Most options of a question.
pub const MAX_OPTIONS: usize = 8;

/// What a model asked of the host itself.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaCall {
    /// `tool_search`: which tools do this?
    Search {
        /// 1 to 8 needs in words.
        queries: Vec<String>,
        /// Most hits wanted for each query, 1 to 50. `None`: 8.
        limit: Option<usize>,
        /// Only this category, as it stands in the catalogue.
        category: Option<String>,
    },
    /// `tool_details`: what are the parameters of these?
    Details {
        /// 1 to 10 names.
        names: Vec<String>,
    },
    /// `tool_call`: run this. Everything is decided for the tool it names, never for `tool_call`.
    Call {
        /// The tool, by any of its names.
        name: String,
        /// Its arguments; an object, `{}` when none were given.
        arguments: Value,
    },
    /// `ask_user`: what only the user knows.
    Ask {
        /// The question.
        question: String,
        /// Up to 8 answers to choose from; none for a free answer.
        options: Vec<String>,
    },
}

/// Whether `name` is that of a meta tool.
pub fn is_meta(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The schemas of the meta tools that `settings` allow, in the order they stand in the tools array.
pub fn specs(settings: &Settings) -> Vec<Arc<ToolSpec>> {
    all().filter(|(spec, _)| settings.allows(&spec.name)).map(|(spec, _)| Arc::clone(spec)).collect()
}

/// The schemas of all meta tools in the order of [`RESERVED`], and what each takes in tokens.
pub(crate) fn all() -> impl Iterator<Item = (&'static Arc<ToolSpec>, u32)> {
    static ALL: LazyLock<[(Arc<ToolSpec>, u32); 4]> = LazyLock::new(|| {
        [search(), details(), call(), ask()].map(|spec| {
            let tokens = schema::cost(&spec);
            (Arc::new(spec), tokens)
        })
    });
    ALL.iter().map(|(spec, tokens)| (spec, *tokens))
}

/// Which meta tools are allowed and have a use, in the order of [`RESERVED`]: all of them when some tools are hidden, else
/// the one that shows the rest of brief schemas, and the one that asks the user.
pub(crate) fn offered(settings: &Settings, hides: bool, brief: bool) -> [bool; 4] {
    let useful = |name| hides || name == "ask_user" || (brief && name == "tool_details");
    RESERVED.map(|name| useful(name) && settings.allows(name))
}

/// What several queries found, as one list: the first hit of each, then the second of each, every tool once, up to `limit`.
/// So each need gets a seat.
pub fn in_turns(lists: &[Vec<ToolIx>], limit: usize) -> Vec<ToolIx> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let ranks = (0..longest).flat_map(|rank| lists.iter().filter_map(move |list| list.get(rank)));
    ranks.copied().filter(|tool| seen.insert(*tool)).take(limit).collect()
}

/// What a search may answer: the tools of `category` alone, those that were found first and then the rest of it.
///
/// A family of categories, as the catalogue names it (`office/…`, or `office` where that is no category), means all of
/// them. A category that does not exist is no restriction, so that a wrong one never hides what was found.
pub fn within(catalog: &Catalog, found: Vec<ToolIx>, category: Option<&str>) -> Vec<ToolIx> {
    let tools = category.map(|name| of_category(catalog, &name.trim().to_lowercase())).unwrap_or_default();
    if tools.is_empty() {
        return found;
    }
    let mut kept: Vec<ToolIx> = found.into_iter().filter(|ix| tools.contains(ix)).collect();
    let first: BTreeSet<ToolIx> = kept.iter().copied().collect();
    kept.extend(tools.into_iter().filter(|ix| !first.contains(ix)));
    kept
}

/// The tools of a category or of a family of categories, by id.
fn of_category(catalog: &Catalog, name: &str) -> BTreeSet<ToolIx> {
    let all = catalog.categories();
    if let Some(tools) = all.get(name) {
        return tools.iter().copied().collect();
    }
    let head = name.trim_end_matches(['…', '*', '.', '/', ' ']);
    all.iter().filter(|(category, _)| family(category) == head).flat_map(|(_, tools)| tools).copied().collect()
}

fn search() -> ToolSpec {
    tool(
        "tool_search",
        "Finds tools by what they do, in any language, and shows how to call them. Every tool it shows can be called \
         at once. Give one query for each need; give a category to list all of it.",
        json!({
            "queries": texts(MAX_QUERIES, "What is needed, a few words each."),
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "description": "Most tools to show. Default 8."},
            "category": {"type": "string", "description": "Only tools of this category of the catalogue."}
        }),
        &["queries"],
    )
}

fn details() -> ToolSpec {
    tool(
        "tool_details",
        "Shows the description and all parameters of tools by name.",
        json!({"names": texts(MAX_NAMES, "Names of tools, as the catalogue gives them.")}),
        &["names"],
    )
}

fn call() -> ToolSpec {
    tool(
        "tool_call",
        "Calls any tool by its name, also one that is not in your tools list.",
        json!({
            "name": {"type": "string", "description": "The tool's name."},
            "arguments": {"type": "object", "description": "The tool's own arguments."}
        }),
        &["name", "arguments"],
    )
}

fn ask() -> ToolSpec {
    tool(
        "ask_user",
        "Asks the user one question and waits for the answer. For what only the user can know or decide.",
        json!({
            "question": {"type": "string", "description": "One question, in the user's language."},
            "options": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_OPTIONS,
                        "description": "Answers to choose from; leave out for a free answer."}
        }),
        &["question"],
    )
}

fn texts(most: usize, description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most, "description": description})
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_gets_a_seat() {
        let lists = [vec![ToolIx(1), ToolIx(2), ToolIx(3)], vec![ToolIx(9), ToolIx(1)]];
        assert_eq!(in_turns(&lists, 3), [ToolIx(1), ToolIx(9), ToolIx(2)]);
        assert_eq!(in_turns(&[], 3), []);
    }
}
