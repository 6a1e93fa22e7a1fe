//! Calls of tools that lead nowhere, found by what they gave.

mod seen;
mod told;

use std::collections::BTreeMap;

use winclaw_catalog::{CatalogTool, ToolIx};
use winclaw_tool::SideEffect;

use crate::LoopKind;
use crate::digest::{CallResult, FailureKind, Sign, Signature};
use crate::idle::{self, Idle};
use crate::ladder::{Found, Rung};
use crate::trail::{Step, Trail};
use seen::{Known, Seen, Varied};

/// How many times as many unchanged results a tool that is meant to be polled may give, and calls made beside it.
const POLL_PATIENCE: usize = 4;

/// Words by which tools say that they let time pass.
const WAITS: [&str; 5] = ["wait", "sleep", "pause", "delay", "idle"];

/// How many times as many of them there may be between attempts at what fails and may pass by itself, and of calls that
/// change the world one after another, such as to and fro.
const WAIT_PATIENCE: usize = 2;

/// How many times as many results that are the same but for numbers a call may give that changes the world, while nothing
/// else brings news: it does the same once more each time.
const LOOSE_PATIENCE: usize = 4;

/// How many times as many equal results calls may give that are about the same thing while other arguments differ:
/// somebody who asks for less, or for more, is not yet lost.
const ABOUT_PATIENCE: usize = 2;

/// How many times as many equal results a call may give while other calls show that something changes.
const MOVING_PATIENCE: usize = 16;

/// From how many times on that is remarked upon.
const MOVING_HINT: usize = 4;

/// How many times as many alike failures of one tool with different arguments there may be: somebody who looks for a
/// file in several places is not yet lost.
const FAILURE_PATIENCE: usize = 4;

/// How many times as many alike malformed calls of one tool there may be.
const REFUSAL_PATIENCE: usize = 2;

/// How many times as many equal results calls may give that differ only in numbers, counted in replies: pages past the
/// end, numbered files that are all empty. From [`VARIED_HINT`] on it is remarked upon.
const VARIED_PATIENCE: usize = 8;

/// See [`VARIED_PATIENCE`].
const VARIED_HINT: usize = 2;

/// What past calls mean for the next one.
pub(crate) enum Past {
    /// Nothing.
    Free,
    /// It may run, and the model should hear this.
    Nudge(Found),
    /// It may not run.
    Stop(Found),
}

/// What a call brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing that was not known.
    None,
    /// Something that was not known, of a call that was not made before.
    Reading,
    /// Another result than the last time: something changes by itself.
    Moves,
    /// A change of the world.
    Changed,
}

/// How often a tool failed alike.
#[derive(Debug, Clone, Default)]
struct Alike {
    message: String,
    /// In how many replies, and the last of them.
    times: usize,
    last_in: Option<u64>,
}

type Failures = BTreeMap<(ToolIx, Signature), Alike>;

/// Remembers what calls gave, and finds those that lead nowhere.
#[derive(Debug)]
pub(crate) struct Loops {
    repeats: usize,
    seen: Known,
    /// By what the calls are about, whatever the other arguments.
    about: Known,
    /// By the calls without their numbers.
    varied: BTreeMap<(ToolIx, Signature), Varied>,
    /// Every result there was.
    prints: std::collections::BTreeSet<(ToolIx, Signature)>,
    failures: Failures,
    refusals: Failures,
    trail: Trail,
    pub(crate) idle: Idle,
}

impl Loops {
    pub(crate) fn new(repeats: usize) -> Loops {
        let repeats = repeats.max(1);
        Loops {
            repeats,
            seen: Known::default(),
            about: Known::default(),
            varied: BTreeMap::new(),
            prints: std::collections::BTreeSet::new(),
            failures: Failures::new(),
            refusals: Failures::new(),
            trail: Trail::default(),
            idle: Idle::new(repeats),
        }
    }

    /// What past calls mean for this one.
    pub(crate) fn before(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> Past {
        let found = |what, by, times, message| Found { what, tool: Some(ix), by, times, message };
        let stop = self.stopped(ix, tool, sign).map(|(what, by, times, message)| found(what, by, times, message));
        if let Some(found) = stop {
            return Past::Stop(found);
        }
        match self.nudged(ix, tool, sign) {
            Some((what, by, times, message)) => Past::Nudge(found(what, by, times, message)),
            None => Past::Free,
        }
    }

    /// How many times the call may give the same result: more where it waits for something, or helps to wait.
    fn patience(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> usize {
        let seen = self.seen.of(ix, sign.same);
        let (beside, last) = (self.trail.beside(ix), self.trail.last());
        let polls = tool.manifest.poll || waits(tool) || seen.moved || beside.is_some_and(|step| step.poll);
        let is_other = last.is_some_and(|step| (step.tool, step.call) != (ix, sign.same));
        let retries = (seen.passing && is_other) || beside.is_some_and(|step| step.passing);
        let factor = if polls { POLL_PATIENCE } else { 1 };
        self.repeats * if retries { factor.max(WAIT_PATIENCE) } else { factor }
    }

    /// Whether the call changes the world and was made in turn with others that do, such as to and fro.
    fn switches(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> bool {
        let is_other = |step: &&Step| (step.tool, step.call) != (ix, sign.same);
        acts(tool) && self.trail.last().filter(is_other).is_some_and(|step| step.acts)
    }

    fn stopped(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> Option<(LoopKind, Signature, usize, String)> {
        let (seen, about) = (self.seen.of(ix, sign.same), self.about_of(ix, sign));
        let patience = self.patience(ix, tool, sign);
        let moving = self.repeats * MOVING_PATIENCE;
        let most = if self.switches(ix, tool, sign) { patience.max(self.repeats * WAIT_PATIENCE) } else { patience };
        if acts(tool) && seen.loosely >= self.repeats * LOOSE_PATIENCE {
            let times = seen.loosely;
            return Some((LoopKind::SameResult, sign.same, times, told::repeated(tool, times)));
        }
        if seen.same >= most || seen.total >= moving {
            let times = if seen.same >= most { seen.same } else { seen.total };
            return Some((LoopKind::SameResult, sign.same, times, told::repeated(tool, times)));
        }
        if let Some(by) = sign.about.filter(|_| about.same >= patience * ABOUT_PATIENCE || about.total >= moving) {
            let times = if about.same >= patience * ABOUT_PATIENCE { about.same } else { about.total };
            return Some((LoopKind::SameThing, by, times, told::about_the_same(tool, times)));
        }
        if let Some((by, alike)) =
            self.worst_failure(ix).filter(|(_, alike)| alike.times >= self.repeats * FAILURE_PATIENCE)
        {
            return Some((LoopKind::SameFailure, by, alike.times, told::fails_alike(tool, alike)));
        }
        self.stopped_as_one_of_many(ix, tool, sign)
    }

    /// Whether the call is of a cycle, of a row that differs in trifles, or one more that brings nothing new.
    fn stopped_as_one_of_many(
        &self,
        ix: ToolIx,
        tool: &CatalogTool,
        sign: Sign,
    ) -> Option<(LoopKind, Signature, usize, String)> {
        if let Some(cycle) = self.trail.cycle(ix, sign.same) {
            let factor = if cycle.patient { WAIT_PATIENCE } else { 1 };
            let patience = self.repeats * if cycle.poll { POLL_PATIENCE } else { factor } + usize::from(!cycle.exact);
            if cycle.rounds >= patience {
                return Some((LoopKind::Cycle, cycle.by, cycle.rounds, told::cycle(tool, cycle.period, cycle.rounds)));
            }
        }
        let varied =
            self.varied.get(&(ix, sign.numbers)).filter(|varied| !varied.acts).map_or(0, |varied| varied.replies);
        if varied >= self.repeats * VARIED_PATIENCE {
            return Some((LoopKind::SameThing, sign.numbers, varied, told::varied(tool, varied)));
        }
        let known = self.seen.of(ix, sign.same).total > 0;
        (known && self.idle.level() >= Rung::Blocked).then(|| {
            let replies = self.idle.replies();
            (LoopKind::NoNews, [0; 32], replies, told::idle(tool, replies))
        })
    }

    fn nudged(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> Option<(LoopKind, Signature, usize, String)> {
        let (seen, about) = (self.seen.of(ix, sign.same), self.about_of(ix, sign));
        let patience = self.patience(ix, tool, sign);
        if let Some((by, alike)) = self.worst_failure(ix).filter(|(_, alike)| alike.times >= self.repeats) {
            return Some((LoopKind::SameFailure, by, alike.times, told::keeps_failing(tool, alike)));
        }
        let same = seen.same.max(about.same);
        if patience > self.repeats && same >= self.repeats {
            return Some((LoopKind::SameResult, sign.same, same, told::unchanged(same)));
        }
        if seen.same > 0 && seen.same + 1 >= patience {
            return Some((LoopKind::SameResult, sign.same, seen.same, told::about_to_repeat(seen.same)));
        }
        if seen.total >= self.repeats * MOVING_HINT {
            return Some((LoopKind::SameResult, sign.same, seen.total, told::unchanged(seen.total)));
        }
        if acts(tool) && seen.loosely >= self.repeats {
            return Some((LoopKind::SameResult, sign.same, seen.loosely, told::was_made(seen.loosely)));
        }
        let by = sign.about.filter(|_| about.same + 1 >= patience * ABOUT_PATIENCE);
        if let Some(by) = by {
            return Some((LoopKind::SameThing, by, about.same, told::about_to_be_the_same(about.same)));
        }
        self.nudged_as_one_of_many(ix, tool, sign)
    }

    fn nudged_as_one_of_many(
        &self,
        ix: ToolIx,
        tool: &CatalogTool,
        sign: Sign,
    ) -> Option<(LoopKind, Signature, usize, String)> {
        if let Some(cycle) = self.trail.cycle(ix, sign.same) {
            return Some((LoopKind::Cycle, cycle.by, cycle.rounds, told::goes_round(cycle.period, cycle.rounds)));
        }
        if let Some(varied) = self.varied.get(&(ix, sign.numbers)) {
            let hint = if varied.acts { VARIED_PATIENCE } else { VARIED_HINT };
            if varied.replies >= self.repeats * hint {
                return Some((LoopKind::SameThing, sign.numbers, varied.replies, told::varies(varied.replies)));
            }
        }
        let seen = self.seen.of(ix, sign.same);
        if !tool.manifest.poll && seen.rose && seen.most + 1 >= self.repeats && seen.most.is_power_of_two() {
            return Some((LoopKind::SameResult, sign.same, seen.most, told::was_made(seen.most)));
        }
        let replies = self.idle.replies();
        (self.idle.level() >= Rung::Hinted).then(|| (LoopKind::NoNews, [0; 32], replies, told::no_news(replies)))
    }

    fn about_of(&self, ix: ToolIx, sign: Sign) -> Seen {
        sign.about.map_or_else(Seen::default, |about| self.about.of(ix, about))
    }

    /// A call was not run: one of a cycle counts as if it had gone on.
    pub(crate) fn blocked(&mut self, ix: ToolIx, sign: Sign) {
        self.idle.note(idle::REPEATED);
        if let Some(cycle) = self.trail.cycle(ix, sign.same) {
            self.trail.skip(cycle.period);
        }
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        self.seen.renumber(map);
        self.about.renumber(map);
        seen::renumber(&mut self.varied, map);
        seen::renumber(&mut self.failures, map);
        seen::renumber(&mut self.refusals, map);
        self.trail.renumber(map);
        let prints = std::mem::take(&mut self.prints);
        self.prints = prints.into_iter().filter_map(|(ix, print)| Some((*map.get(ix.index())?, print))).collect();
    }

    fn worst_failure(&self, ix: ToolIx) -> Option<(Signature, &Alike)> {
        let of_tool = self.failures.range((ix, Signature::default())..=(ix, [u8::MAX; 32]));
        of_tool.map(|(key, alike)| (key.1, alike)).max_by_key(|(_, alike)| alike.times)
    }

    /// A call ran in this reply and gave `result`; whether that was new.
    pub(crate) fn ran(&mut self, ix: ToolIx, tool: &CatalogTool, sign: Sign, result: CallResult, reply: u64) -> News {
        let acts = acts(tool);
        let (before, differs) = self.seen.note((ix, sign.same), &result, acts);
        let is_same_act = acts && self.seen.of(ix, sign.same).loosely > self.repeats;
        let about_differs = self.note_about(ix, sign, &result, acts);
        let unknown = self.prints.insert((ix, result.print));
        self.note_row(ix, tool, sign, &result, reply);
        let news = match &result.failure {
            Some(_) => News::None,
            None if is_same_act || !(differs && about_differs) => News::None,
            None if acts => News::Changed,
            None if before => News::Moves,
            None if unknown => News::Reading,
            None => News::None,
        };
        match news {
            News::None => self.nothing_new(ix, tool, differs, unknown, reply, result.failure),
            _ => self.something_new((ix, sign.same), news),
        }
        news
    }

    /// Counts a result by what its call is about; whether it may be news. Calls that change something are not counted by
    /// their detail keys where they succeed: with other arguments they change something else, though all answer "done".
    /// Nor are those that were denied: the next may be allowed.
    fn note_about(&mut self, ix: ToolIx, sign: Sign, result: &CallResult, acts: bool) -> bool {
        let Some(about) = sign.about.map(|about| (ix, about)) else { return true };
        match &result.failure {
            Some(kind) if kind.denied => true,
            None if acts && !sign.about_is_all => {
                self.about.forget(&about);
                true
            }
            _ => self.about.note(about, result, acts).1,
        }
    }

    /// Counts a call among those that differ from it only in numbers, and among those that came before it.
    fn note_row(&mut self, ix: ToolIx, tool: &CatalogTool, sign: Sign, result: &CallResult, reply: u64) {
        let acts = acts(tool);
        if result.failure.is_none() {
            self.varied.entry((ix, sign.numbers)).or_default().note(result.echo, sign.same, reply, acts);
        }
        let looks = !acts && result.failure.is_none();
        let loose = if looks { result.print } else { result.loose };
        let (call, exact, seen) = (sign.same, result.print, self.seen.of(ix, sign.same));
        let (poll, passing) = (tool.manifest.poll || seen.moved || waits(tool), seen.passing);
        self.trail.push(Step { tool: ix, call, result: loose, exact, acts, poll, passing });
    }

    fn nothing_new(
        &mut self,
        ix: ToolIx,
        tool: &CatalogTool,
        differs: bool,
        unknown: bool,
        reply: u64,
        failure: Option<FailureKind>,
    ) {
        let Some(kind) = failure else {
            let little = tool.manifest.poll || differs;
            return self.idle.note(if little { idle::LITTLE } else { idle::REPEATED });
        };
        // That others are refused too is no way to fail; that the same call comes again still counts.
        if !kind.denied {
            self.idle.note(if unknown { idle::LITTLE } else { idle::KNOWN_FAILURE });
            count(&mut self.failures, reply, ix, kind);
        }
    }

    /// A call was malformed. Why the tool is stopped instead, when it was called in the same wrong way too often.
    pub(crate) fn refused(
        &mut self,
        ix: ToolIx,
        tool: &CatalogTool,
        sign: Sign,
        result: CallResult,
        reply: u64,
    ) -> Option<Found> {
        self.seen.note((ix, sign.same), &result, false);
        self.idle.note(idle::KNOWN_FAILURE);
        let kind = result.failure?;
        let by = kind.print;
        let alike = count(&mut self.refusals, reply, ix, kind);
        (alike.times > self.repeats * REFUSAL_PATIENCE).then(|| {
            let (what, times, message) = (LoopKind::Malformed, alike.times, told::fails_alike(tool, alike));
            Found { what, tool: Some(ix), by, times, message }
        })
    }

    /// A call brought something new, so what failed may work now. If it changed the world, other calls may give other
    /// results; if it saw a change, so may they; and what was done may have had to do with what was seen. Their last
    /// results are kept: should they still be the same, that is no news.
    fn something_new(&mut self, but: (ToolIx, Signature), news: News) {
        self.idle.news();
        self.failures.clear();
        self.refusals.clear();
        self.seen.after(but, news);
        self.about.after(but, news);
        if news == News::Changed {
            self.varied.values_mut().filter(|varied| !varied.acts).for_each(|varied| varied.replies = 0);
        }
    }

    /// The person spoke: whatever was tried before may be tried again.
    pub(crate) fn person_spoke(&mut self) {
        self.idle.news();
        self.failures.clear();
        self.refusals.clear();
        self.seen.forgive();
        self.about.forgive();
    }
}

/// Whether a call of `tool` may change the world.
fn acts(tool: &CatalogTool) -> bool {
    tool.manifest.side_effect != SideEffect::Read
}

/// Whether a tool says in its name that it lets time pass: who waits between two looks polls.
fn waits(tool: &CatalogTool) -> bool {
    tool.id.name().split('_').any(|word| WAITS.contains(&word))
}

fn count(failures: &mut Failures, reply: u64, ix: ToolIx, kind: FailureKind) -> &Alike {
    let alike = failures.entry((ix, kind.print)).or_default();
    if alike.last_in != Some(reply) {
        *alike = Alike { message: kind.message, times: alike.times + 1, last_in: Some(reply) };
    }
    alike
}

#[cfg(test)]
mod tests;
