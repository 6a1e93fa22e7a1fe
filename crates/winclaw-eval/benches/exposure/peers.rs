//! What others rank tools by.

use std::collections::BTreeSet;

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};
use serde_json::Value;
use winclaw_catalog::{Catalog, CatalogTool, ToolIx};
use winclaw_eval::Ranker;
use winclaw_exposure::Prepared;
use winclaw_intent::{Index, Query};

/// Recall@10 of FastMCP 4.2.3's own BM25 search on the same samples, as published with the data.
pub const FASTMCP: [(&str, f64); 8] = [
    ("mcpproxy_golden", 0.80),
    ("livemcp", 0.41),
    ("seal", 0.89),
    ("bfcl", 0.78),
    ("metatool", 0.51),
    ("acebench_en", 0.93),
    ("acebench_zh", 0.13),
    ("toollinkos", 0.24),
];

/// Ours.
pub struct Ours<'a> {
    pub catalog: &'a Catalog,
    pub index: Index,
}

impl Ranker for Ours<'_> {
    fn name(&self) -> String {
        "WinClaw".into()
    }

    fn rank(&self, request: &str, most: usize) -> Vec<ToolIx> {
        let evidence = self.index.weigh(self.catalog, &Query { message: request, ..Query::default() });
        evidence.order(self.catalog).into_iter().take(most).collect()
    }
}

/// The `bm25` crate with English as its language, as Codex uses it, over the names, descriptions and parameter names.
pub struct Bm25(SearchEngine<u32>);

impl Bm25 {
    pub fn of(catalog: &Catalog) -> Bm25 {
        Bm25(SearchEngineBuilder::with_documents(Language::English, documents(catalog)).build())
    }

    /// How many of the `most` best it found.
    pub fn search(&self, request: &str, most: usize) -> Vec<ToolIx> {
        self.0.search(request, most).into_iter().map(|result| ToolIx(result.document.id)).collect()
    }
}

impl Ranker for Bm25 {
    fn name(&self) -> String {
        "bm25 crate".into()
    }

    fn rank(&self, request: &str, most: usize) -> Vec<ToolIx> {
        self.search(request, most)
    }
}

fn documents(catalog: &Catalog) -> Vec<Document<u32>> {
    catalog.all().map(|ix| Document::new(ix.0, text(catalog.get(ix)))).collect()
}

/// Name, source, title, description and the names of the parameters, with `_` and the like read as spaces.
fn text(tool: &CatalogTool) -> String {
    let manifest = &tool.manifest;
    let parameters = manifest.parameters.get("properties").and_then(Value::as_object);
    let names = parameters.into_iter().flat_map(|map| map.keys().map(String::as_str));
    let head = [tool.id.name(), tool.id.source(), &manifest.title.en, &manifest.description];
    let spaced = |text: &str| text.replace(['_', '-', '/', '.'], " ");
    head.into_iter().chain(names).map(spaced).collect::<Vec<_>>().join(" ")
}

/// How many words of the request a tool's name and description share, as several hosts score: lower-case runs of ASCII letters and
/// digits, nothing else.
pub struct Overlap(Vec<(ToolIx, BTreeSet<String>)>);

impl Overlap {
    pub fn of(catalog: &Catalog) -> Overlap {
        Overlap(catalog.all().map(|ix| (ix, tokens(&text(catalog.get(ix))))).collect())
    }
}

impl Ranker for Overlap {
    fn name(&self) -> String {
        "token overlap".into()
    }

    fn rank(&self, request: &str, most: usize) -> Vec<ToolIx> {
        let asked = tokens(request);
        let score = |(ix, words): &(ToolIx, BTreeSet<String>)| (asked.intersection(words).count(), *ix);
        let mut scored: Vec<(usize, ToolIx)> = self.0.iter().map(score).filter(|scored| scored.0 > 0).collect();
        scored.sort_by_key(|(shared, ix)| (std::cmp::Reverse(*shared), *ix));
        scored.into_iter().take(most).map(|(_, ix)| ix).collect()
    }
}

fn tokens(text: &str) -> BTreeSet<String> {
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    runs.filter(|run| !run.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// Both halves of ours, for timing.
pub fn ours(catalog: &Catalog) -> (Index, std::sync::Arc<Prepared>) {
    (Index::build(catalog), std::sync::Arc::new(Prepared::new(catalog)))
}
