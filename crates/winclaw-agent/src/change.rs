//! What follows when the list of tools changes while a task runs.

use std::sync::Arc;

use winclaw_catalog::{Catalog, State, ToolIx};
use winclaw_tool::{Problem, Text};
use winclaw_toolbox::Toolbox;

use crate::task::Task;
use crate::{Event, Ranking};

/// A toolbox with its ranking, newer than the one it came from.
pub(crate) struct Change {
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) ranking: Arc<Ranking>,
    pub(crate) map: Vec<ToolIx>,
    pub(crate) problems: Vec<Problem>,
}

impl Change {
    /// What changed since `toolbox` was made, if anything did.
    pub(crate) fn of(toolbox: &Toolbox) -> Option<Change> {
        let (toolbox, map, problems) = toolbox.refreshed()?;
        let ranking = Arc::new(Ranking::of(toolbox.catalog()));
        Some(Change { toolbox: Arc::new(toolbox), ranking, map, problems })
    }
}

/// Ids of the tools that a new catalog tells otherwise than the old one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Delta {
    pub(crate) new: Vec<String>,
    pub(crate) gone: Vec<String>,
    pub(crate) back: Vec<String>,
    pub(crate) changed: Vec<String>,
}

impl Delta {
    pub(crate) fn between(old: &Catalog, new: &Catalog, map: &[ToolIx]) -> Delta {
        let mut delta = Delta::default();
        for (was, ix) in old.tools().iter().zip(map) {
            let is = new.get(*ix);
            let id = || is.id.to_string();
            match (was.state == State::Ready, is.state == State::Ready) {
                (true, false) => delta.gone.push(id()),
                (false, true) => delta.back.push(id()),
                _ => {}
            }
            if was.fingerprint != is.fingerprint {
                delta.changed.push(id());
            }
        }
        let mut known = vec![false; new.tools().len()];
        map.iter().for_each(|ix| known[ix.index()] = true);
        delta.new = new.all().filter(|ix| !known[ix.index()]).map(|ix| new.get(ix).id.to_string()).collect();
        delta
    }

    fn text(&self) -> Text {
        let (new, gone, other) = (self.new.len() + self.back.len(), self.gone.len(), self.changed.len());
        Text::new(
            format!("the list of tools changed: {new} more, {gone} fewer, {other} changed"),
            format!("工具列表已更新：新增 {new} 个，减少 {gone} 个，变更 {other} 个"),
        )
    }
}

impl Task<'_> {
    /// Follows the backends: everything that is known of a tool goes with it to its new place.
    pub(crate) fn follow_changes(&mut self) {
        let Some(change) = Change::of(&self.session.toolbox) else { return };
        let delta = Delta::between(&self.catalog(), change.toolbox.catalog(), &change.map);
        self.session.lens.adopt(change.toolbox.catalog(), &change.ranking, &change.map);
        self.guard.renumber(&change.map);
        self.open.renumber(&change.map);
        self.anchor.renumber(&change.map);
        self.session.used.iter_mut().for_each(|tool| *tool = change.map[tool.index()]);
        self.recorder.tools(&change, &delta);
        change.problems.into_iter().for_each(|problem| self.recorder.problem(problem));
        self.parts.front.show(Event::Notice { text: delta.text() });
        self.session.toolbox = change.toolbox;
    }
}
