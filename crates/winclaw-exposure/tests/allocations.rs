//! What an exposure allocates goes by what it shows, never by what it does not.

use std::sync::Arc;

use allocation_counter::measure;
use serde_json::json;
use winclaw_catalog::evidence::{Evidence, Hit, Term};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_exposure::{Exposure, Prepared, Settings, Transport};
use winclaw_tool::ToolId;

fn catalog(size: usize) -> Catalog {
    let entry = |n: usize| {
        let manifest = json!({
            "name": "x", "category": format!("area {}", n % 7), "summary": "Does a thing", "description": "Does a thing.",
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}, "side_effect": "read",
        });
        let id = ToolId::parse(&format!("source{}.tool{n:05}", n % 40)).expect("an id");
        ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
    };
    Catalog::build((0..size).map(entry).collect()).0
}

/// Evidence for the first 60 tools by name, which are the same in every catalog.
fn evidence(catalog: &Catalog) -> Evidence {
    let hit = |n: usize| {
        let id = ToolId::parse(&format!("source{}.tool{n:05}", n % 40)).expect("an id");
        let term = Term { text: "thing".into(), field: "name".into(), score: 1.0, alike: false };
        let tool = catalog.ix(&id).expect("a tool of every catalog");
        Hit { tool, score: 10.0 - n as f32 / 10.0, exact: false, terms: vec![term.clone(), term], via: None }
    };
    Evidence { hits: (0..60).map(hit).collect(), categories: Vec::new(), margin: 0.5 }
}

/// Allocations of opening a task and its first payload, on a catalog that served a task before.
fn allocations(size: usize) -> u64 {
    let catalog = catalog(size);
    let (prepared, evidence) = (Arc::new(Prepared::new(&catalog)), evidence(&catalog));
    let settings = Settings { transport: Some(Transport::Bridge), ..Settings::default() };
    let open = || {
        let mut exposure = Exposure::begin_prepared(&catalog, &prepared, &evidence, settings.clone());
        let surface = exposure.surface(&catalog);
        assert!(surface.shown.len() >= 8 && exposure.level(ToolIx(0)) >= winclaw_exposure::Level::Named);
    };
    open();
    measure(open).count_total
}

#[test]
fn tools_that_are_not_shown_cost_no_allocation() {
    let few = allocations(600);
    assert!(few > 0);
    // The catalogue's text and lists are longer, but they are as many.
    assert_eq!(allocations(6_000), few);
}
