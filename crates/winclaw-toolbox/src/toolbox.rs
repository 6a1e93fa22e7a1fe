use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use winclaw_catalog::{Catalog, CatalogTool, State, ToolEntry, ToolIx};
use winclaw_tool::{Failure, Outcome, Problem, ProblemKind, Text};

use crate::routes::Routes;
use crate::supervise::{Call, supervise};
use crate::{Backend, Observer};

/// The tools of all backends behind one door. A value that never changes: see [`Toolbox::refreshed`].
pub struct Toolbox {
    catalog: Arc<Catalog>,
    routes: Routes,
    backends: Vec<Arc<dyn Backend>>,
    /// Of each backend, from before it was asked for its entries.
    revisions: Vec<u64>,
    disabled: Vec<String>,
    problems: Vec<Problem>,
}

impl Toolbox {
    /// Collects what `backends` offer. Never fails: what is wrong is listed, and costs only itself.
    ///
    /// `disabled` holds tool ids (`sky.forecast`) or plugin ids (`sky`, all its tools). A disabled tool stays in the
    /// catalog as [`State::Disabled`] and is never run. A name in `disabled` that fits nothing is listed as a problem.
    pub fn new(backends: Vec<Arc<dyn Backend>>, disabled: &[String]) -> (Toolbox, Vec<Problem>) {
        let revisions = revisions(&backends);
        let offers = offers(&backends, disabled);
        let (catalog, faults) = Catalog::build(offers.iter().flatten().cloned().collect());
        let problems: Vec<Problem> = unmatched(&offers, disabled).into_iter().chain(faults).collect();
        let routes = Routes::new(&catalog, &backends, &offers);
        let (catalog, disabled) = (Arc::new(catalog), disabled.to_vec());
        (Toolbox { catalog, routes, backends, revisions, disabled, problems: problems.clone() }, problems)
    }

    /// The toolbox with what its backends offer now, the place of each of its tools in the new catalog (at
    /// `old.index()`), and problems that were not there before. `None` when no backend has changed.
    ///
    /// What is no longer offered stays in the catalog as unavailable, what a policy switched off stays off. Calls that
    /// run on the old toolbox are not touched, since both share the backends.
    pub fn refreshed(&self) -> Option<(Toolbox, Vec<ToolIx>, Vec<Problem>)> {
        let revisions = revisions(&self.backends);
        if revisions == self.revisions {
            return None;
        }
        let offers = offers(&self.backends, &self.disabled);
        let (catalog, problems, map) = self.catalog.successor(offers.iter().flatten().cloned().collect());
        let news = problems.iter().filter(|problem| !self.problems.contains(problem)).cloned().collect();
        let routes = Routes::new(&catalog, &self.backends, &offers);
        let (backends, disabled) = (self.backends.clone(), self.disabled.clone());
        let toolbox = Toolbox { catalog: Arc::new(catalog), routes, backends, revisions, disabled, problems };
        Some((toolbox, map, news))
    }

    /// Everything that is known of the tools.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Runs one call to its one outcome. Must be awaited inside a tokio runtime with time enabled.
    ///
    /// `arguments` are taken as they are: whoever calls has them checked. The limit is the manifest's `timeout_ms`; at
    /// the latest a second after it the answer is `timeout`. When `cancel` is cancelled, the answer comes within 500 ms
    /// and is `cancelled`, unless the backend still succeeded in that time. When the returned future is dropped, the
    /// call is dropped too.
    pub async fn run(
        &self,
        tool: ToolIx,
        arguments: Value,
        cancel: CancellationToken,
        observer: Arc<dyn Observer>,
    ) -> Outcome {
        let Some(entry) = self.catalog.tools().get(tool.0 as usize) else {
            return Err(Failure::unavailable(format!("there is no tool number {} in this catalog", tool.0)));
        };
        if let Some(refusal) = refusal(entry) {
            return Err(refusal);
        }
        let Some(backend) = self.routes.get(tool) else {
            return Err(Failure::unavailable(format!("`{}` has no backend any more", entry.id)));
        };
        let limit = Duration::from_millis(entry.manifest.timeout_ms);
        supervise(Call { backend: Arc::clone(backend), id: entry.id.clone(), arguments, limit, observer }, cancel).await
    }
}

/// Asked before the entries, so that a change in between is seen the next time.
fn revisions(backends: &[Arc<dyn Backend>]) -> Vec<u64> {
    backends.iter().map(|backend| backend.revision()).collect()
}

/// What each backend offers, with what is switched off marked.
fn offers(backends: &[Arc<dyn Backend>], disabled: &[String]) -> Vec<Vec<ToolEntry>> {
    let mut offers: Vec<Vec<ToolEntry>> = backends.iter().map(|backend| backend.entries()).collect();
    offers.iter_mut().flatten().for_each(|entry| disable(entry, disabled));
    offers
}

/// Why `tool` may not run now; nothing for a ready tool.
fn refusal(tool: &CatalogTool) -> Option<Failure> {
    let id = &tool.id;
    match &tool.state {
        State::Ready => None,
        State::Disabled { why } => Some(with_hint(
            Failure::denied(format!("`{id}` is disabled and was not run: {}. Do without it.", bare(&why.en))),
            why,
        )),
        State::Unavailable { why, retryable } => {
            let advice = if *retryable { "It may work later" } else { "Trying again will not help" };
            let message = format!("`{id}` is unavailable: {}. {advice}.", bare(&why.en));
            Some(with_hint(Failure { retryable: *retryable, ..Failure::unavailable(message) }, why))
        }
        State::NeedsConfig { what } => Some(with_hint(
            Failure::needs_config(format!(
                "`{id}` needs configuration before it can run: {}. Tell the user.",
                bare(&what.en)
            )),
            what,
        )),
    }
}

fn bare(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '。'])
}

fn with_hint(failure: Failure, hint: &Text) -> Failure {
    Failure { hint: Some(hint.clone()), ..failure }
}

fn names(entry: &ToolEntry, name: &str) -> bool {
    entry.id.as_str() == name || entry.id.source() == name
}

fn disable(entry: &mut ToolEntry, disabled: &[String]) {
    if disabled.iter().any(|name| names(entry, name)) {
        entry.state = State::Disabled { why: Text::new("switched off in the configuration", "已在配置中停用") };
    }
}

/// A warning for each name in `disabled` that fits no tool: the person believes something is off that is not.
fn unmatched(offers: &[Vec<ToolEntry>], disabled: &[String]) -> Vec<Problem> {
    let known = |name: &str| offers.iter().flatten().any(|entry| names(entry, name));
    disabled.iter().filter(|name| !known(name)).map(|name| no_such_tool(name)).collect()
}

fn no_such_tool(name: &str) -> Problem {
    Problem {
        kind: ProblemKind::Claim,
        subject: name.to_owned(),
        what: Text::new(
            format!("`{name}` is to be disabled, but no tool or plugin has this id."),
            format!("要停用“{name}”，但没有工具或插件使用这个 id。"),
        ),
        mend: Text::new(
            "Write the id as `winclaw tool list` shows it, or remove the entry.",
            "请按 `winclaw tool list` 显示的 id 填写，或删除这一项。",
        ),
        fatal: false,
    }
}
