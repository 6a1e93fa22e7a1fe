//! Toy tools behind one backend whose list can change.

use std::sync::{Mutex, MutexGuard};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use winclaw_agent::Interrupt;
use winclaw_catalog::{State, ToolEntry};
use winclaw_tool::{Failure, FailureCode, Outcome, ToolId, ToolOutput};
use winclaw_toolbox::{Backend, CallContext};

/// A tool without parameters that must be given.
pub(crate) fn entry(id: &str, side_effect: &str, parameters: Value) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let manifest = serde_json::from_value(json!({
        "name": id.name(), "category": id.source(), "summary": format!("{} of {}", id.name(), id.source()),
        "description": format!("Does {} for {}.", id.name(), id.source()), "parameters": parameters,
        "side_effect": side_effect, "detail_keys": if id.source() == "sky" { json!(["place"]) } else { json!([]) },
    }))
    .expect("a manifest");
    ToolEntry { id, manifest, state: State::Ready }
}

fn one(name: &str, words: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string", "description": words}},
           "additionalProperties": false})
}

/// One of the tools that only fill the catalog.
pub(crate) fn filler(number: usize) -> ToolEntry {
    entry(&format!("filler.tool_{number:02}"), "read", one("value", &format!("a value for tool {number}")))
}

/// `sky.forecast` (needs a place; fails for Atlantis), `notes.add` (writes), `post.send` (external), `slow.wait`,
/// `secret.open` (to be switched off), `dump.lines` (a result of `size` characters), `count.next` (another result every
/// time) and sixty fillers.
pub(crate) fn all() -> Vec<ToolEntry> {
    let mut place = one("place", "the place for the weather");
    place["required"] = json!(["place"]);
    let size = json!({"type": "object", "properties": {"size": {"type": "integer"}, "from": {"type": "string"}}});
    let mut entries = vec![
        entry("sky.forecast", "read", place),
        entry("notes.add", "write", one("text", "the text of the note")),
        entry("post.send", "external", one("to", "the address of the letter")),
        entry("slow.wait", "read", json!({"type": "object"})),
        entry("secret.open", "read", json!({"type": "object"})),
        entry("dump.lines", "read", size),
        entry("count.next", "read", json!({"type": "object"})),
    ];
    entries.extend((0..60).map(filler));
    entries
}

/// The backend, and what it was asked.
pub(crate) struct Toys {
    state: Mutex<Shelf>,
    pub(crate) interrupt: Interrupt,
    pub(crate) interrupt_on: String,
}

struct Shelf {
    revision: u64,
    entries: Vec<ToolEntry>,
    calls: Vec<(String, Value)>,
}

impl Toys {
    pub(crate) fn new(interrupt: Interrupt, interrupt_on: &str) -> Self {
        let state = Mutex::new(Shelf { revision: 0, entries: all(), calls: Vec::new() });
        Toys { state, interrupt, interrupt_on: interrupt_on.into() }
    }

    /// Changes the list.
    pub(crate) fn relist(&self, change: impl FnOnce(&mut Vec<ToolEntry>)) {
        let mut shelf = self.shelf();
        shelf.revision += 1;
        change(&mut shelf.entries);
    }

    /// Every call that ran, in order.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.shelf().calls.clone()
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.state.lock().expect("no panic")
    }

    fn outcome(&self, tool: &ToolId, arguments: Value) -> Outcome {
        let count = {
            let mut shelf = self.shelf();
            shelf.calls.push((tool.to_string(), arguments.clone()));
            shelf.calls.len()
        };
        match (tool.as_str(), arguments.get("place").and_then(Value::as_str)) {
            ("count.next", _) => Ok(ToolOutput::new(json!({"count": count}))),
            ("dump.lines", _) => {
                let size = arguments["size"].as_u64().unwrap_or(10) as usize;
                Ok(ToolOutput::new(json!("line of a long result\n".repeat(size / 22 + 1))))
            }
            (_, Some("Atlantis")) => Err(Failure::tool_failed("there is no such place")),
            (_, Some(place)) => Ok(ToolOutput::new(json!({"degrees": 21, "place": place}))),
            _ => Ok(ToolOutput::new(json!({"did": tool.as_str(), "with": arguments}))),
        }
    }
}

impl Backend for Toys {
    fn entries(&self) -> Vec<ToolEntry> {
        self.shelf().entries.clone()
    }

    fn revision(&self) -> u64 {
        self.shelf().revision
    }

    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        async move {
            if arguments["value"] == "stop me" {
                assert!(self.interrupt.cancel_call(), "it runs");
                cx.cancel.cancelled().await;
                return Err(Failure::new(FailureCode::Cancelled, "cancelled"));
            }
            if tool.as_str() == self.interrupt_on {
                self.interrupt.cancel_task();
                cx.cancel.cancelled().await;
                return Err(Failure::new(FailureCode::Cancelled, "cancelled"));
            }
            self.outcome(tool, arguments)
        }
        .boxed()
    }
}
