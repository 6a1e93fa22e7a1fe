//! Tools that a scene plays itself, where what the story needs is not here. They are said to be such.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use winclaw_catalog::{State, ToolEntry};
use winclaw_tool::{Failure, FailureCode, Outcome, PluginId, ToolId, ToolManifest, ToolOutput};
use winclaw_toolbox::{Backend, BoxFuture, CallContext};

/// A tool of a scene, and what comes of calling it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// The plugin it would be of.
    plugin: PluginId,
    /// What it says about itself, as a plugin would.
    tool: ToolManifest,
    /// What comes of its calls, one after another; the last goes on.
    outcomes: Vec<Played>,
}

/// What comes of a call.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Played {
    /// This result.
    Ok(Value),
    /// This failure.
    Fail { code: FailureCode, message: String },
}

/// The stand-ins of a scene as a source of tools.
#[derive(Debug)]
pub struct StandIns {
    tools: BTreeMap<ToolId, StandIn>,
    /// How often each was called.
    called: Mutex<BTreeMap<ToolId, usize>>,
}

impl StandIns {
    /// Those of `tools` whose name can be an id.
    pub fn new(tools: Vec<StandIn>) -> Self {
        let named = |tool: StandIn| Some((ToolId::new(&tool.plugin, &tool.tool.name).ok()?, tool));
        StandIns { tools: tools.into_iter().filter_map(named).collect(), called: Mutex::default() }
    }

    /// Their ids, with commas between.
    pub fn names(&self) -> String {
        self.tools.keys().map(ToolId::as_str).collect::<Vec<_>>().join(", ")
    }

    fn play(&self, tool: &ToolId) -> Outcome {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let times = called.entry(tool.clone()).or_default();
        let outcomes = self.tools.get(tool).map(|tool| tool.outcomes.as_slice()).unwrap_or_default();
        let outcome = outcomes.get(*times).or(outcomes.last());
        *times += 1;
        match outcome {
            Some(Played::Ok(value)) => Ok(ToolOutput::new(value.clone())),
            Some(Played::Fail { code, message }) => Err(Failure::new(*code, message.as_str())),
            None => Err(Failure::unavailable("the scene says nothing of this tool")),
        }
    }
}

impl Backend for StandIns {
    fn entries(&self) -> Vec<ToolEntry> {
        let entry = |(id, tool): (&ToolId, &StandIn)| ToolEntry {
            id: id.clone(),
            manifest: tool.tool.clone(),
            state: State::Ready,
        };
        self.tools.iter().map(entry).collect()
    }

    fn call<'a>(&'a self, tool: &'a ToolId, _: Value, _: CallContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move { self.play(tool) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outcomes_come_one_after_another_and_the_last_goes_on() {
        let tool = json!({
            "plugin": "pages", "outcomes": [{"fail": {"code": "tool_failed", "message": "no"}}, {"ok": {"n": 1}}],
            "tool": {"name": "open", "title": "Open", "category": "web", "summary": "Opens", "description": "Opens a page.",
                     "parameters": {"type": "object"}, "side_effect": "read"},
        });
        let stand_ins = StandIns::new(vec![serde_json::from_value(tool).expect("a stand-in")]);
        assert_eq!((stand_ins.names().as_str(), stand_ins.entries().len()), ("pages.open", 1));
        let id = ToolId::parse("pages.open").expect("an id");
        assert!(stand_ins.play(&id).is_err());
        assert_eq!(stand_ins.play(&id).map(|output| output.value), Ok(json!({"n": 1})));
        assert!(stand_ins.play(&id).is_ok());
    }
}
