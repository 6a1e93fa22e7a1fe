//! Entries as friends and enemies write them.

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_catalog::{Catalog, RESERVED, State, ToolEntry, ToolIx};
use winclaw_tool::{Problem, Text, ToolId};

pub(crate) fn entry(id: &str, changes: Value) -> ToolEntry {
    let mut manifest = json!({"name": "x", "category": "things", "summary": "Does a thing", "description": "Does a thing.",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}, "side_effect": "read"});
    for (key, value) in changes.as_object().expect("an object") {
        manifest[key] = value.clone();
    }
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state: State::Ready }
}

pub(crate) fn build(entries: &[(&str, Value)]) -> (Catalog, Vec<Problem>) {
    Catalog::build(entries.iter().map(|(id, changes)| entry(id, changes.clone())).collect())
}

pub(crate) fn ix(catalog: &Catalog, id: &str) -> ToolIx {
    catalog.ix(&ToolId::parse(id).expect("an id")).expect("a known tool")
}

pub(crate) fn ids<'a>(catalog: &'a Catalog, tools: &[ToolIx]) -> Vec<&'a str> {
    tools.iter().map(|&ix| catalog.get(ix).id.as_str()).collect()
}

/// Ids as friends and enemies write them.
pub(crate) fn any_id() -> impl Strategy<Value = String> {
    let source = prop_oneof!["[a-c]{1,2}", "[ab]_{0,2}[ab]?_{0,1}", Just("sky".to_owned())];
    let name = prop_oneof![
        3 => "[a-c]{1,3}(_{1,2}[a-c]{1,2})?",
        2 => "\\PC{1,12}",
        1 => "[天气预报 ._-]{1,6}",
        1 => "[a-c]{240,250}",
        1 => "[a-c]_[0-9a-f]{8}",
        1 => proptest::sample::select(RESERVED.to_vec()).prop_map(str::to_owned),
    ];
    (source, name)
        .prop_map(|(source, name)| format!("{source}.{name}"))
        .prop_filter("an id", |id| ToolId::parse(id).is_ok())
}

pub(crate) fn any_entry() -> impl Strategy<Value = ToolEntry> {
    let names = prop::collection::vec(prop_oneof!["[a-c]{1,2}", "[a-c]\\.[a-c]{1,2}"], 0..3);
    (any_id(), "\\PC{0,30}", names, 0..4_u8, "[a-c]{0,3}").prop_map(|(id, description, depends_on, state, category)| {
        let mut entry = entry(&id, json!({"description": description, "depends_on": depends_on, "category": category}));
        entry.state = match state {
            0 => State::Disabled { why: Text::new("off", "关") },
            1 => State::NeedsConfig { what: Text::new("key", "密钥") },
            _ => State::Ready,
        };
        entry
    })
}

pub(crate) fn any_entries() -> impl Strategy<Value = Vec<ToolEntry>> {
    prop::collection::vec(any_entry(), 0..24)
}
