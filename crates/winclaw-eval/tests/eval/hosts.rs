//! Measuring on a host's own catalogue.

use serde_json::json;
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_eval::{Dataset, Options, Tools, read_queries};
use winclaw_tool::{Text, ToolId};

use crate::support::{Files, close, measured};

fn entry(id: &str, description: &str, state: State) -> ToolEntry {
    let manifest = json!({"name": id, "category": "c", "summary": description, "description": description,
                          "parameters": {"type": "object", "properties": {}}, "side_effect": "read"});
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state }
}

#[test]
fn a_hosts_tools_go_by_the_ids_it_shows_and_its_plugins_by_their_source() {
    let off = State::Disabled { why: Text::new("by policy", "策略禁用") };
    let entries = vec![
        entry("sky.forecast", "Tells the weather of tomorrow.", State::Ready),
        entry("sky.history", "Tells the weather of long ago.", State::Ready),
        entry("mail.send", "Sends a letter.", off),
    ];
    let (catalog, problems) = Catalog::build(entries);
    let tools = Tools::of_host(catalog, problems);
    let files = Files::new(
        "",
        "{\"query\": \"the weather tomorrow\", \"gold\": [\"sky.forecast\"]}\n{\"query\": \"weather\", \"gold_plugins\": [\"sky\"]}\n{\"query\": \"send a letter\", \"gold\": [\"mail.send\"]}",
    );
    let queries = read_queries(&files.queries(), &tools).expect("queries");
    let dataset = Dataset::new(tools, queries);
    assert_eq!(dataset.problems, []);
    let report = measured(&dataset, &Options::default());
    close(report.eventual_recall, 2.0 / 3.0);
    close(report.first_look_all, 2.0 / 3.0);
    assert_eq!(report.misses[0].needs[0].tool, "mail.send", "what a policy disables is never shown");
}
