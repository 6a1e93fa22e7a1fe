//! The way out of a loop: a hint, then what is repeated is not run, then the model must answer or ask, then the task ends.

use std::collections::BTreeMap;

use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::Text;

use crate::Stage;
use crate::digest::Signature;

/// How many replies may contain the same blocked thing, without anything new, before the model must answer.
const INSIST: usize = 2;

/// How many blocked things there may be without anything new before the model must answer.
const BLOCKS: usize = 3;

/// The same over the whole task, whatever else was new meanwhile.
const BLOCKS_EVER: usize = 4;

/// What is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoopKind {
    /// A call that gives the same result.
    SameResult,
    /// Calls about the same thing, or that differ in trifles, that give the same result.
    SameThing,
    /// A way to fail, with other arguments each time.
    SameFailure,
    /// A wrong way to write a call.
    Malformed,
    /// Two to four calls one after another, again and again.
    Cycle,
    /// Replies that bring nothing new, whatever they call.
    NoNews,
    /// A search or look-up that finds nothing new.
    Search,
    /// A name that is no tool's.
    UnknownTool,
    /// The words of a plan.
    SamePlan,
}

impl LoopKind {
    /// The kind in snake_case, as traces have it.
    pub fn as_str(self) -> &'static str {
        match self {
            LoopKind::SameResult => "repeat",
            LoopKind::SameThing => "same_thing",
            LoopKind::SameFailure => "same_failure",
            LoopKind::Malformed => "malformed",
            LoopKind::Cycle => "cycle",
            LoopKind::NoNews => "no_news",
            LoopKind::Search => "search",
            LoopKind::UnknownTool => "unknown_tool",
            LoopKind::SamePlan => "plan",
        }
    }
}

/// A loop that the model did not leave when told to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// What was repeated.
    pub what: LoopKind,
    /// The tool; `None` when what was repeated runs no tool, such as a search or a name that is none's.
    pub tool: Option<ToolIx>,
    /// How many times it was seen without anything new, those that were not run included.
    pub times: usize,
    /// One line of what it was about.
    pub detail: String,
    /// How many hints the model was given since the last thing that was new.
    pub hints: usize,
    /// How many calls were not run since then.
    pub blocks: usize,
}

impl LoopReport {
    /// The report as a person reads it, in one line.
    pub fn text(&self, catalog: &Catalog) -> Text {
        let id = self.tool.map_or_else(String::new, |tool| catalog.get(tool).id.to_string());
        let (times, about) = (self.times, &self.detail);
        let (en, zh) = match self.what {
            LoopKind::SamePlan => (
                format!("the model told the same plan {times} times ({about})"),
                format!("模型将同一计划说了 {times} 次（{about}）"),
            ),
            LoopKind::NoNews => (
                format!("{times} replies of the model brought nothing new ({about})"),
                format!("模型连续 {times} 次回复没有带来任何新内容（{about}）"),
            ),
            LoopKind::SameFailure | LoopKind::Malformed => (
                format!("{id} failed in the same way {times} times ({about})"),
                format!("{id} 以同样的方式失败了 {times} 次（{about}）"),
            ),
            LoopKind::UnknownTool => (
                format!("the model called tools that do not exist {times} times ({about})"),
                format!("模型 {times} 次调用了不存在的工具（{about}）"),
            ),
            LoopKind::Search => (
                format!("{times} searches found nothing new ({about})"),
                format!("{times} 次搜索没有新的发现（{about}）"),
            ),
            LoopKind::SameResult | LoopKind::SameThing | LoopKind::Cycle => (
                format!("{id} was called {times} times without anything new ({about})"),
                format!("{id} 被调用了 {times} 次，没有新的结果（{about}）"),
            ),
        };
        let (hints, blocks) = (self.hints, self.blocks);
        Text::new(
            format!("{en}; hints: {hints}, calls not run: {blocks}; asked to answer, it went on"),
            format!("{zh}；提醒 {hints} 次，未运行 {blocks} 次；要求作答后仍继续"),
        )
    }
}

/// One step up the ladder, or one hint, for the trace and whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopStep {
    /// What is repeated.
    pub what: LoopKind,
    /// The tool, if it is one.
    pub tool: Option<ToolIx>,
    /// How many times it was seen, calls that were not run included.
    pub times: usize,
    /// `hint`, `block`, `must_answer` or `stop`.
    pub rung: &'static str,
    /// What the model was told, or what the repetition is about.
    pub said: String,
}

/// What a detector found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) what: LoopKind,
    pub(crate) tool: Option<ToolIx>,
    /// What is repeated: a call, a way to fail, a cycle.
    pub(crate) by: Signature,
    pub(crate) times: usize,
    /// What the model hears.
    pub(crate) message: String,
}

/// The rungs, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Rung {
    #[default]
    Free,
    Hinted,
    Blocked,
    MustAnswer,
    Stopped,
}

type Cause = (Option<ToolIx>, Signature);

/// How far up a task is.
#[derive(Debug, Default)]
pub(crate) struct Ladder {
    rung: Rung,
    reveal: Vec<ToolIx>,
    /// In how many replies each thing was blocked since there was something new, and the last of them.
    blocks: BTreeMap<Cause, (usize, u64)>,
    /// In how many replies each thing was blocked in the whole task.
    ever: BTreeMap<Cause, usize>,
    /// The reply in which the model was told that it must answer.
    must_in: u64,
    last: Option<LoopReport>,
    hints: usize,
    report: Option<LoopReport>,
    steps: Vec<LoopStep>,
    /// Whether the model asked the person since it must answer.
    asked: bool,
}

impl Ladder {
    pub(crate) fn rung(&self) -> Rung {
        self.rung
    }

    pub(crate) fn stage(&self) -> Stage {
        match self.rung {
            Rung::Free => Stage::Free,
            Rung::Hinted => Stage::Hinted,
            Rung::Blocked => Stage::Blocked { reveal: self.reveal.clone() },
            Rung::MustAnswer => Stage::MustAnswer,
            Rung::Stopped => Stage::Stopped,
        }
    }

    pub(crate) fn report(&self) -> Option<&LoopReport> {
        self.report.as_ref()
    }

    pub(crate) fn take_steps(&mut self) -> Vec<LoopStep> {
        std::mem::take(&mut self.steps)
    }

    /// The model is told of what was found.
    pub(crate) fn hint(&mut self, found: &Found, detail: String) {
        self.hints += 1;
        self.rung = self.rung.max(Rung::Hinted);
        self.suspect(found, found.times, detail);
        self.step(found, found.times, "hint");
    }

    /// What was found is not run. Of one reply only the first of the same counts: the model could not have known yet.
    pub(crate) fn block(&mut self, found: &Found, reply: u64, detail: String, reveal: Vec<ToolIx>) {
        let cause = (found.tool, found.by);
        let (times, last) = self.blocks.entry(cause).or_default();
        if *last == reply {
            return;
        }
        (*times, *last) = (*times + 1, reply);
        let times = *times;
        let ever = self.ever.entry(cause).or_default();
        *ever += 1;
        let is_enough = times >= INSIST || self.total() >= BLOCKS || self.ever.get(&cause) >= Some(&BLOCKS_EVER);
        let made = self.made(found, found.times + times, 1);
        self.suspect(found, made, detail);
        match is_enough {
            true => self.must(found, made, reply),
            false => {
                self.rung = self.rung.max(Rung::Blocked);
                self.reveal = reveal;
                self.step(found, made, "block");
            }
        }
    }

    /// How many times the tool was called, as far as was said before: of what another detector finds in the same calls the
    /// count goes on and does not begin anew. `more` were made since.
    fn made(&self, found: &Found, times: usize, more: usize) -> usize {
        let same = |last: &&LoopReport| last.tool == found.tool && (found.tool.is_some() || last.what == found.what);
        self.last.as_ref().filter(same).map_or(times, |last| times.max(last.times + more))
    }

    fn total(&self) -> usize {
        self.blocks.values().map(|(times, _)| times).sum()
    }

    /// What was found is so far gone, though no call of it could be blocked.
    pub(crate) fn raise(&mut self, to: Rung, found: &Found, reply: u64, detail: String) {
        if to <= self.rung && to < Rung::MustAnswer {
            return;
        }
        let made = self.made(found, found.times, 0);
        self.suspect(found, made, detail);
        match to {
            Rung::Free | Rung::Hinted => {}
            Rung::Blocked => {
                (self.rung, self.reveal) = (Rung::Blocked, Vec::new());
                self.step(found, made, "block");
            }
            Rung::MustAnswer => self.must(found, made, reply),
            Rung::Stopped => self.stop(),
        }
    }

    fn must(&mut self, found: &Found, times: usize, reply: u64) {
        if self.rung < Rung::MustAnswer {
            (self.rung, self.must_in) = (Rung::MustAnswer, reply);
            self.step(found, times, "must_answer");
        }
    }

    /// A call was made although the model must answer; of the reply in which it was told so that does not count.
    pub(crate) fn insists(&mut self, reply: u64) {
        if self.rung == Rung::MustAnswer && reply > self.must_in {
            self.stop();
        }
    }

    /// The model asked the person, as it may once it must answer; to ask again where nobody answers is to insist.
    pub(crate) fn asks(&mut self, reply: u64) {
        if self.rung == Rung::MustAnswer && std::mem::replace(&mut self.asked, true) {
            self.insists(reply);
        }
    }

    fn stop(&mut self) {
        self.rung = Rung::Stopped;
        if let Some(last) = self.last.clone().filter(|_| self.report.is_none()) {
            let (what, tool, times, said) = (last.what, last.tool, last.times, last.detail.clone());
            self.steps.push(LoopStep { what, tool, times, rung: "stop", said });
            self.report = Some(last);
        }
    }

    /// There was something new: all is as if nothing had been found, but for what was blocked too often in the task.
    pub(crate) fn progress(&mut self) {
        if self.rung < Rung::Stopped {
            (self.rung, self.hints, self.last) = (Rung::Free, 0, None);
            self.blocks.clear();
            self.reveal.clear();
            self.asked = false;
        }
    }

    fn suspect(&mut self, found: &Found, times: usize, detail: String) {
        let (what, tool, hints, blocks) = (found.what, found.tool, self.hints, self.total());
        self.last = Some(LoopReport { what, tool, times, detail, hints, blocks });
    }

    fn step(&mut self, found: &Found, times: usize, rung: &'static str) {
        let (what, tool, said) = (found.what, found.tool, found.message.clone());
        self.steps.push(LoopStep { what, tool, times, rung, said });
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        let place = |tool: ToolIx| map.get(tool.index()).copied();
        let moved = |(tool, by): Cause| match tool {
            Some(tool) => Some((Some(place(tool)?), by)),
            None => Some((None, by)),
        };
        self.reveal = std::mem::take(&mut self.reveal).into_iter().filter_map(place).collect();
        let blocks = std::mem::take(&mut self.blocks);
        self.blocks = blocks.into_iter().filter_map(|(cause, seen)| Some((moved(cause)?, seen))).collect();
        let ever = std::mem::take(&mut self.ever);
        self.ever = ever.into_iter().filter_map(|(cause, times)| Some((moved(cause)?, times))).collect();
        for report in [&mut self.last, &mut self.report].into_iter().flatten() {
            report.tool = report.tool.and_then(place);
        }
        self.steps.iter_mut().for_each(|step| step.tool = step.tool.and_then(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_calls_goes_on_when_another_detector_finds_the_same_tool() {
        let found =
            |what, by: u8, times| Found { what, tool: Some(ToolIx(0)), by: [by; 32], times, message: String::new() };
        let mut ladder = Ladder::default();
        ladder.block(&found(LoopKind::SameResult, 1, 3), 4, String::new(), Vec::new());
        ladder.block(&found(LoopKind::Cycle, 2, 2), 5, String::new(), Vec::new());
        ladder.block(&found(LoopKind::Cycle, 2, 2), 6, String::new(), Vec::new());
        ladder.insists(7);
        let steps: Vec<_> = ladder.take_steps().into_iter().map(|step| (step.rung, step.times)).collect();
        assert_eq!(steps, [("block", 4), ("block", 5), ("must_answer", 6), ("stop", 6)]);
    }
}
