//! Arguments as a model writes them, before the guard: no panic, one verdict, and whatever runs fits the schema.
//!
//! The first byte says the tool and whether the reply was cut off.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_guard::{Approve, Guard, Limits, Origin, Proposed, Verdict, check_arguments, parse_arguments};
use winclaw_tool::{PluginId, ToolId, ToolManifest};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let schemas = [
        json!({"type": "object", "properties": {}}),
        json!({"type": "object", "properties": {"place": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}, "required": ["place"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}, "on": {"type": "boolean"}}, "required": ["id"]}}, "mode": {"enum": ["fast", "Slow"]}}, "required": ["items"]}),
        json!({"type": "object", "properties": {"input": {"type": "object", "properties": {"q": {"type": "string"}, "deep": {"$ref": "#/$defs/node"}}}}, "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}}),
        json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}),
    ];
    let plugin = PluginId::new("toys").expect("an id");
    let entry = |(at, parameters): (usize, serde_json::Value)| {
        let name = format!("tool{at}");
        let manifest: ToolManifest = serde_json::from_value(json!({
            "name": name, "title": {"en": "t", "zh": "t"}, "category": "compute", "summary": {"en": "s", "zh": "s"},
            "description": "d", "parameters": parameters, "side_effect": "read",
        }))
        .expect("a manifest");
        ToolEntry { id: ToolId::new(&plugin, &name).expect("an id"), manifest, state: State::Ready }
    };
    Catalog::build(schemas.into_iter().enumerate().map(entry).collect()).0
});

fuzz_target!(|data: &[u8]| {
    let [choice, rest @ ..] = data else { return };
    let Ok(raw) = std::str::from_utf8(rest) else { return };
    let cut_off = choice & 0x80 != 0;
    let _ = parse_arguments(raw, cut_off);
    let tools: Vec<_> = CATALOG.tools().iter().map(|tool| tool.id.clone()).collect();
    let id = &tools[usize::from(choice & 0x7f) % tools.len()];
    let winclaw_catalog::Resolution::One(tool) = CATALOG.resolve(id.as_str()) else { unreachable!() };
    let mut guard = Guard::new(Limits::default(), Approve::Always.into());
    let proposed = Proposed {
        tool,
        raw_arguments: raw,
        cut_off,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin: Origin::default(),
    };
    match guard.judge(&CATALOG, &proposed) {
        Verdict::Run { arguments, .. } | Verdict::RunWithAdvice { arguments, .. } | Verdict::AskUser { arguments, .. } => {
            assert!(!cut_off || serde_json::from_str::<serde_json::Value>(raw.trim()).is_ok(), "nothing cut off runs");
            assert!(check_arguments(CATALOG.get(tool), &arguments).is_ok(), "what runs fits: {arguments}");
        }
        Verdict::NotRun { failure, .. } => assert!(!failure.message.is_empty()),
    }
});
