//! Invented tools, and a host that asks for them.

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_intent::{Index, Query};
use winclaw_tool::ToolId;

pub(crate) fn entry(id: &str, changes: Value) -> ToolEntry {
    let mut manifest = json!({"name": "x", "category": "things", "summary": "", "description": "",
        "parameters": {"type": "object"}, "side_effect": "read"});
    for (key, value) in changes.as_object().expect("an object") {
        manifest[key] = value.clone();
    }
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state: State::Ready }
}

pub(crate) struct Host {
    pub(crate) catalog: Catalog,
    pub(crate) index: Index,
}

impl Host {
    pub(crate) fn new(entries: Vec<ToolEntry>) -> Host {
        let (catalog, _) = Catalog::build(entries);
        let index = Index::build(&catalog);
        Host { catalog, index }
    }

    pub(crate) fn weigh(&self, query: Query<'_>) -> Evidence {
        self.index.weigh(&self.catalog, &query)
    }

    pub(crate) fn ask(&self, message: &str) -> Evidence {
        self.weigh(Query { message, ..Query::default() })
    }

    pub(crate) fn id(&self, ix: ToolIx) -> &str {
        self.catalog.get(ix).id.as_str()
    }

    pub(crate) fn ix(&self, id: &str) -> ToolIx {
        self.catalog.ix(&ToolId::parse(id).expect("an id")).expect("a known tool")
    }

    pub(crate) fn ids(&self, evidence: &Evidence) -> Vec<String> {
        evidence.hits.iter().map(|hit| self.id(hit.tool).to_owned()).collect()
    }

    pub(crate) fn place(&self, evidence: &Evidence, id: &str) -> Option<usize> {
        evidence.hits.iter().position(|hit| self.id(hit.tool) == id)
    }
}

/// Invented tools in two languages, as their authors would describe them.
pub(crate) fn office() -> Vec<ToolEntry> {
    let place = json!({"type": "object", "properties": {"place": {"type": "string", "description": "城市名称 or city"},
        "when": {"type": "object", "properties": {"day": {"type": "string", "description": "Day of the week"}}}}});
    vec![
        entry(
            "sky.forecast",
            json!({"category": "information", "description": "Rain, wind and temperature of the coming days.",
            "parameters": place, "aliases": {"zh": ["天气"], "en": ["skycast"]}, "examples": ["明天要带伞吗", "will it rain in the north"]}),
        ),
        entry(
            "notes.add",
            json!({"category": "office", "description": "Write down a note.", "aliases": {"zh": ["记一下"]}}),
        ),
        entry("notes.find_entry", json!({"category": "office", "description": "Look for an old note."})),
        entry(
            "mail.send",
            json!({"category": "contact", "description": "Send a letter.", "aliases": {"en": ["post office"]},
            "depends_on": [{"tool": "people.lookup", "kind": "input_from"}]}),
        ),
        entry("people.lookup", json!({"category": "contact", "description": "Telephone book."})),
        entry("code.find_symbol", json!({"category": "development", "description": "Where a function is defined."})),
        entry(
            "code.find_text",
            json!({"category": "development", "description": "Every symbol and word that matches."}),
        ),
        entry("report.weekly", json!({"category": "office", "description": "生成周报并汇总本周工作"})),
        entry("media.article", json!({"category": "media", "description": "发布公众号文章"})),
        entry("lang.turn", json!({"category": "language", "description": "把文字翻译成其他语言"})),
    ]
}

pub(crate) fn any_entries() -> impl Strategy<Value = Vec<ToolEntry>> {
    let words = || "(rain|note|letter|symbol|天气|周报|find|a|the| |_){0,8}";
    let one = (0..3_u8, "[a-d]{1,3}", words(), words(), prop::collection::vec("[a-d]{1,3}", 0..2));
    let one = one.prop_map(|(source, name, description, alias, inputs)| {
        let inputs: Vec<Value> = inputs.iter().map(|tool| json!({"tool": tool, "kind": "input_from"})).collect();
        let changes = json!({"description": description, "aliases": {"en": [alias]}, "depends_on": inputs});
        entry(&format!("s{source}.{name}"), changes)
    });
    prop::collection::vec(one, 0..16)
}

pub(crate) fn any_request() -> impl Strategy<Value = String> {
    prop_oneof!["(rain|note|letter|symbol|天气|周报|find|then|，| |a){0,10}", "\\PC{0,40}", "[a-d]{1,3}",]
}
