use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::{Line, Record, TokenUsage};

mod savings;

pub use savings::Savings;

/// How often each thing was seen, by its name.
pub type Count = BTreeMap<String, u64>;

/// What one or many traces say together.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Analysis {
    /// Tasks.
    pub tasks: u64,
    /// How they ended; `unfinished` where a trace has no end.
    pub states: Count,
    /// Calls of a model that were answered or failed.
    pub model_calls: u64,
    /// Bodies that were sent beyond the first of each call.
    pub retries: u64,
    /// Calls of a model that came to nothing, by their code.
    pub model_failures: Count,
    /// Whether the tools that were needed stood before the model in time.
    pub exposure: Exposed,
    /// Rises of the exposure, by what caused them.
    pub rises: Count,
    /// Repetition, by `pattern/rung`.
    pub loops: Count,
    /// Drift, by how far the answer to it went.
    pub drift: Count,
    /// Consent, by the answer.
    pub consent: Count,
    /// Arguments put right, by the sort of repair.
    pub repairs: Count,
    /// Calls that were not run, by the rule.
    pub refused: Count,
    /// Tools that were not sent because they are illegal for a vendor.
    pub set_aside: Count,
    /// The tools that ran.
    pub tools: BTreeMap<String, ToolUse>,
    /// Tokens over all replies, as the providers counted them.
    pub tokens: TokenUsage,
    /// Tokens saved against showing every schema.
    pub savings: Savings,
    /// What the model calls cost, by currency.
    pub cost: Vec<Money>,
    /// How long the model calls took.
    pub model_ms: Latency,
    /// How long whole tasks took, those that ended.
    pub task_ms: Latency,
}

/// Whether needed tools were shown before they were called. A tool counts as needed by a task when a call of it ran; it
/// counts once for each task, at its first call.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Exposed {
    /// Needed tools, over all tasks.
    pub needed: u64,
    /// Of them, those that stood above the catalogue in the model call that first called them.
    pub in_time: u64,
    /// Of those, the ones with their whole schema.
    pub in_full: u64,
    /// Of the needed ones, those that stood there in the first model call of the task.
    pub at_once: u64,
    /// Tools shown, each counted once a task.
    pub shown: u64,
    /// Tools that were called before they were shown.
    pub unshown: Count,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ToolUse {
    /// Calls that ran.
    pub calls: u64,
    /// Those that failed, by the code of the failure.
    pub failures: Count,
    /// How long they took.
    pub ms: Latency,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Money {
    /// `USD` or `CNY`.
    pub currency: String,
    /// Millionths of it.
    pub micros: u64,
}

/// Times in milliseconds. As JSON `{count, p50, p95, max}`, the last three absent without any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latency {
    times: Vec<u64>,
}

impl Latency {
    /// Takes one more time.
    pub fn add(&mut self, ms: u64) {
        self.times.push(ms);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// The time that `percent` of all do not exceed, 0 to 100; nothing without any.
    pub fn percentile(&self, percent: usize) -> Option<u64> {
        let mut times = self.times.clone();
        times.sort_unstable();
        let place = (times.len() * percent.min(100)).div_ceil(100).max(1);
        times.get(place - 1).copied()
    }
}

impl Serialize for Latency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form {
            count: usize,
            #[serde(skip_serializing_if = "Option::is_none")]
            p50: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            p95: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            max: Option<u64>,
        }
        let [p50, p95, max] = [50, 95, 100].map(|percent| self.percentile(percent));
        Form { count: self.count(), p50, p95, max }.serialize(serializer)
    }
}

impl Analysis {
    /// Nothing yet. A token from a provider's cache counts `cached_percent` hundredths of one that is not.
    pub fn new(cached_percent: u32) -> Analysis {
        Analysis { savings: Savings::new(cached_percent), ..Analysis::default() }
    }

    /// Takes in one task. Takes any lines, in any order, and never fails.
    pub fn task(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.tasks += 1;
        let mut task = Task { state: "unfinished".into(), ..Task::default() };
        for line in lines {
            self.savings.record(&mut task.billed, &line.record);
            self.record(&mut task, line.record);
        }
        self.exposure.shown += task.shown.len() as u64;
        count(&mut self.states, &task.state);
    }

    fn record(&mut self, task: &mut Task, record: Record) {
        match record {
            Record::Exposure { shown, .. } => {
                task.shows(shown.into_iter().map(|tool| (tool.tool, tool.level == "full")).collect())
            }
            Record::Request { attempt, .. } if attempt > 1 => self.retries += 1,
            Record::Reply { usage, ms, .. } => {
                self.model_calls += 1;
                self.model_ms.add(ms);
                self.tokens.add(usage);
            }
            Record::ModelFailed { code, ms, .. } => {
                self.model_calls += 1;
                self.model_ms.add(ms);
                count(&mut self.model_failures, &code);
            }
            Record::Cost { micros, currency, .. } => self.money(&currency, micros),
            Record::Call { tool, ms, outcome, .. } => self.call(task, &tool, ms, &outcome),
            Record::End { state, ms, .. } => {
                task.state = state;
                self.task_ms.add(ms);
            }
            other => self.decision(other),
        }
    }

    fn decision(&mut self, record: Record) {
        match record {
            Record::Rise { cause, .. } => count(&mut self.rises, &cause),
            Record::Loop { pattern, rung, .. } => count(&mut self.loops, &format!("{pattern}/{rung}")),
            Record::Drift { rung, .. } => count(&mut self.drift, &rung),
            Record::Consent { answer, .. } => count(&mut self.consent, &answer),
            Record::Repair { repair, .. } => count(&mut self.repairs, &repair),
            Record::Verdict { verdict, rule, .. } if verdict == "not_run" => {
                count(&mut self.refused, rule.as_deref().unwrap_or("?"));
            }
            Record::SetAside { tool, .. } => count(&mut self.set_aside, &tool),
            _ => {}
        }
    }

    fn call(&mut self, task: &mut Task, tool: &str, ms: u64, outcome: &str) {
        let used = self.tools.entry(tool.to_owned()).or_default();
        used.calls += 1;
        used.ms.add(ms);
        if outcome != "ok" {
            count(&mut used.failures, outcome);
        }
        if !task.called.insert(tool.to_owned()) {
            return;
        }
        let exposure = &mut self.exposure;
        exposure.needed += 1;
        exposure.at_once += u64::from(task.first.contains(tool));
        match task.now.get(tool) {
            Some(full) => {
                exposure.in_time += 1;
                exposure.in_full += u64::from(*full);
            }
            None => count(&mut exposure.unshown, tool),
        }
    }

    fn money(&mut self, currency: &str, micros: u64) {
        match self.cost.iter_mut().find(|money| money.currency == currency) {
            Some(money) => money.micros = money.micros.saturating_add(micros),
            None => self.cost.push(Money { currency: currency.to_owned(), micros }),
        }
        self.cost.sort_by(|a, b| a.currency.cmp(&b.currency));
    }
}

/// What is known of the task that is taken in.
#[derive(Default)]
struct Task {
    state: String,
    /// The tools of the last surface, and whether each was shown in full.
    now: BTreeMap<String, bool>,
    /// The tools of the first surface.
    first: BTreeSet<String>,
    shown: BTreeSet<String>,
    called: BTreeSet<String>,
    surfaces: u64,
    billed: savings::Billed,
}

impl Task {
    fn shows(&mut self, tools: BTreeMap<String, bool>) {
        if self.surfaces == 0 {
            self.first = tools.keys().cloned().collect();
        }
        self.surfaces += 1;
        self.shown.extend(tools.keys().cloned());
        self.now = tools;
    }
}

fn count(counts: &mut Count, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

#[cfg(test)]
mod tests;
