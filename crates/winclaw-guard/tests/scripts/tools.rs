//! Tools for the scripts, invented: some describe themselves well, some say nothing of themselves.

use serde_json::{Map, Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_tool::ToolId;

/// Id, side effect, required parameters, optional ones, detail keys, and whether it is meant to be polled.
type Row =
    (&'static str, &'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str], bool);

const TOOLS: [Row; 27] = [
    ("clock.now", "read", &[], &[], &[], false),
    ("dice.roll", "read", &[], &[], &[], false),
    ("disk.edit", "write", &["path", "old", "new"], &[], &["path"], false),
    ("disk.list", "read", &["dir"], &[], &[], false),
    ("disk.read", "read", &["path"], &["offset"], &["path"], false),
    ("disk.write", "write", &["path", "text"], &["reason"], &["path"], false),
    ("job.look", "read", &["id"], &[], &[], false),
    ("job.status", "read", &["id"], &[], &[], true),
    ("job.wait", "read", &["seconds"], &[], &[], false),
    ("lamp.switch", "write", &["on"], &[], &[], false),
    ("list.add", "write", &["list", "title"], &[], &[], false),
    ("loose.do", "external", &[], &["cmd", "label", "title"], &[], false),
    ("loose.get", "read", &[], &["q", "city", "offset"], &[], false),
    ("mail.inbox", "read", &[], &[], &[], false),
    ("mail.send", "external", &["to", "body"], &["note"], &["to"], false),
    ("notes.add", "write", &["text"], &[], &["text"], false),
    ("notes.find", "read", &["text"], &["limit", "page"], &["text"], false),
    ("notes.list", "read", &[], &[], &[], false),
    ("queue.pop", "write", &["queue"], &[], &[], false),
    ("sheet.set", "write", &["cell", "value"], &[], &[], false),
    ("shell.run", "external", &["cmd"], &["title", "attempt", "meta"], &[], false),
    ("sky.forecast", "read", &["place"], &["days"], &["place"], false),
    ("sky.now", "read", &[], &[], &[], false),
    ("test.run", "read", &[], &["suite"], &[], false),
    ("web.click", "external", &["target"], &[], &["target"], false),
    ("web.open", "read", &["url"], &["timeout"], &["url"], false),
    ("web.search", "read", &["q"], &["page", "tab"], &[], false),
];

const VIEW: Row = ("web.view", "read", &[], &[], &[], false);

/// The catalog of all of them.
pub(crate) fn catalog() -> Catalog {
    let (catalog, problems) = Catalog::build(TOOLS.iter().chain([&VIEW]).map(entry).collect());
    assert_eq!(problems, []);
    catalog
}

fn entry(&(id, side_effect, required, optional, detail_keys, poll): &Row) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let typed = |name: &&str| {
        let schema = if *name == "days" { json!({"type": "integer"}) } else { json!({}) };
        ((*name).to_owned(), schema)
    };
    let properties: Map<String, Value> = required.iter().chain(optional).map(typed).collect();
    let manifest = json!({
        "name": id.name(), "category": id.source(), "summary": "S", "description": "D.", "side_effect": side_effect,
        "detail_keys": detail_keys, "poll": poll,
        "parameters": {"type": "object", "properties": properties, "required": required}
    });
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}
