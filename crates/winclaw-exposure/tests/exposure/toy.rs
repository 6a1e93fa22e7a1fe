//! Small catalogs written out by hand.

use serde_json::{Value, json};
use winclaw_catalog::evidence::{Evidence, Hit, Term};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_exposure::{Settings, Transport};
use winclaw_tool::ToolId;

/// A tool with the fields of `more` over plain defaults.
pub(crate) fn tool(id: &str, more: Value) -> ToolEntry {
    let mut manifest = json!({
        "name": "", "category": "information", "summary": format!("Summary of {id}"), "description": format!("About {id}."),
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
        "side_effect": "read",
    });
    let fields = more.as_object().expect("an object of fields");
    fields.iter().for_each(|(key, value)| manifest[key] = value.clone());
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state: State::Ready }
}

pub(crate) fn plain(id: &str) -> ToolEntry {
    tool(id, json!({}))
}

pub(crate) fn in_state(id: &str, state: State) -> ToolEntry {
    ToolEntry { state, ..plain(id) }
}

pub(crate) fn catalog(entries: Vec<ToolEntry>) -> Catalog {
    Catalog::build(entries).0
}

pub(crate) fn ix(catalog: &Catalog, id: &str) -> ToolIx {
    catalog.ix(&ToolId::parse(id).expect("an id")).expect("a tool of the catalog")
}

pub(crate) fn bridge() -> Settings {
    Settings { transport: Some(Transport::Bridge), ..Settings::default() }
}

/// Evidence that fits these tools by a word, best first.
pub(crate) fn fits(catalog: &Catalog, ids: &[&str]) -> Evidence {
    let term = Term { text: "rain".into(), field: "alias".into(), score: 4.0, alike: false };
    let hit = |(at, id): (usize, &&str)| Hit {
        tool: ix(catalog, id),
        score: 10.0 - at as f32,
        exact: false,
        terms: vec![term.clone()],
        via: None,
    };
    Evidence { hits: ids.iter().enumerate().map(hit).collect(), categories: Vec::new(), margin: 0.6 }
}

/// A small weather-and-notes catalog in Bridge: `sky.*`, `notes.*`, `mail.*`.
pub(crate) fn small() -> Catalog {
    let needs = |tool: &str, kind: &str| json!([{"tool": tool, "kind": kind}]);
    catalog(vec![
        plain("sky.forecast"),
        plain("sky.history"),
        tool("notes.add", json!({"category": "office", "depends_on": needs("notes.open", "requires")})),
        tool("notes.open", json!({"category": "office"})),
        tool("mail.send", json!({"category": "office", "depends_on": needs("notes.add", "often_with")})),
        tool("mail.list", json!({"category": "office"})),
    ])
}
