use std::collections::BTreeMap;

use winclaw_catalog::{CatalogTool, ToolIx};
use winclaw_tool::SideEffect;

use crate::digest::{CallResult, FailureKind, Sign, Signature};

/// How many replies may contain a stopped call before the task ends.
const INSIST: usize = 2;

/// How many stopped calls there may be without anything new before the task ends.
const STOPS: usize = 4;

/// How many times as many unchanged results a tool that is meant to be polled may give.
const POLL_PATIENCE: usize = 4;

/// How many times as many equal results calls may give that are about the same thing while other arguments differ:
/// somebody who asks for less, or for more, is not yet lost.
const ABOUT_PATIENCE: usize = 2;

/// How many times as many alike failures of one tool with different arguments there may be: somebody who looks for a
/// file in several places is not yet lost.
const FAILURE_PATIENCE: usize = 4;

/// How many times as many alike malformed calls of one tool there may be.
const REFUSAL_PATIENCE: usize = 2;

/// A loop that the model did not leave when told to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// The tool it called; `None` when what it repeated runs no tool, such as a search or a name that is none's.
    pub tool: Option<ToolIx>,
    /// How many times the call was made without anything new, those that were not run included.
    pub times: usize,
    /// One line of what the call was about.
    pub detail: String,
}

/// What past calls mean for the next one.
pub(crate) enum Past {
    /// Nothing.
    Free,
    /// It may run, and the model should hear this.
    Nudge(String),
    /// It may not run.
    Stop(Stop),
}

/// Why a call may not run.
pub(crate) struct Stop {
    /// What the model hears.
    pub(crate) message: String,
    /// What is repeated: the call, or a way to fail.
    by: Signature,
    /// How many times it was.
    times: usize,
}

/// What is known of one call: a tool with arguments.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    print: Signature,
    /// How many times in a row the result was `print`.
    same: usize,
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
    reply: u64,
    position: Option<usize>,
    seen: BTreeMap<(ToolIx, Signature), Seen>,
    /// By what the calls are about, whatever the other arguments.
    about: BTreeMap<(ToolIx, Signature), Seen>,
    failures: Failures,
    refusals: Failures,
    /// In how many replies each thing was stopped since there was something new, and the last of them.
    stops: BTreeMap<(ToolIx, Signature), (usize, u64)>,
    report: Option<LoopReport>,
}

impl Loops {
    pub(crate) fn new(repeats: usize) -> Loops {
        Loops {
            repeats: repeats.max(1),
            reply: 0,
            position: None,
            seen: BTreeMap::new(),
            about: BTreeMap::new(),
            failures: Failures::new(),
            refusals: Failures::new(),
            stops: BTreeMap::new(),
            report: None,
        }
    }

    /// A call stands at `position` of its reply. A place that is not after the last one begins a new reply; whether it does.
    pub(crate) fn stand_at(&mut self, position: usize) -> bool {
        let begins = self.position.is_none_or(|last| position <= last);
        self.reply += u64::from(begins);
        self.position = Some(position);
        begins
    }

    pub(crate) fn report(&self) -> Option<&LoopReport> {
        self.report.as_ref()
    }

    /// What past calls mean for this one.
    pub(crate) fn before(&self, ix: ToolIx, tool: &CatalogTool, sign: Sign) -> Past {
        let same = times(&self.seen, ix, Some(sign.whole));
        let about = times(&self.about, ix, sign.about);
        let patience = self.repeats * if tool.manifest.poll { POLL_PATIENCE } else { 1 };
        if same >= patience {
            return Past::Stop(Stop { message: repeated(tool, same), by: sign.whole, times: same });
        }
        if let Some(by) = sign.about.filter(|_| about >= patience * ABOUT_PATIENCE) {
            return Past::Stop(Stop { message: about_the_same(tool, about), by, times: about });
        }
        if let Some(answer) = self.after_failures(ix, tool) {
            return answer;
        }
        match tool.manifest.poll {
            true if same.max(about) >= self.repeats => Past::Nudge(unchanged(same.max(about))),
            false if same > 0 && same + 1 >= patience => Past::Nudge(about_to_repeat(same)),
            false if about + 1 >= patience * ABOUT_PATIENCE => Past::Nudge(about_to_be_the_same(about)),
            _ => Past::Free,
        }
    }

    fn after_failures(&self, ix: ToolIx, tool: &CatalogTool) -> Option<Past> {
        let (print, alike) = self.worst_failure(ix)?;
        if alike.times >= self.repeats * FAILURE_PATIENCE {
            return Some(Past::Stop(fails_alike(tool, print, alike)));
        }
        (alike.times >= self.repeats).then(|| Past::Nudge(keeps_failing(tool, alike)))
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        renumber(&mut self.seen, map);
        renumber(&mut self.about, map);
        renumber(&mut self.failures, map);
        renumber(&mut self.refusals, map);
        renumber(&mut self.stops, map);
        if let Some(report) = &mut self.report {
            report.tool = report.tool.and_then(|tool| map.get(tool.index()).copied());
        }
    }

    fn worst_failure(&self, ix: ToolIx) -> Option<(Signature, &Alike)> {
        let of_tool = self.failures.range((ix, Signature::default())..=(ix, [u8::MAX; 32]));
        of_tool.map(|(key, alike)| (key.1, alike)).max_by_key(|(_, alike)| alike.times)
    }

    /// A call ran and gave `result`.
    pub(crate) fn ran(&mut self, ix: ToolIx, sign: Sign, result: CallResult, side_effect: SideEffect) {
        let changes_world = side_effect != SideEffect::Read;
        let differs = note(&mut self.seen, (ix, sign.whole), result.print);
        let is_news = self.note_about(ix, sign, &result, changes_world) && differs;
        match result.failure {
            // That others are refused too is no way to fail; that the same call comes again still counts.
            Some(kind) if kind.denied => {}
            Some(kind) => self.reply_failed(ix, kind),
            None if is_news => self.something_new((ix, sign.whole), changes_world),
            None => {}
        }
    }

    /// Counts a result by what its call is about; whether it may be news. Calls that change something are not counted
    /// where they succeed: with other arguments they change something else, though all answer "done". Nor are those that
    /// were denied: the next may be allowed.
    fn note_about(&mut self, ix: ToolIx, sign: Sign, result: &CallResult, changes_world: bool) -> bool {
        let Some(about) = sign.about.map(|about| (ix, about)) else { return true };
        match &result.failure {
            Some(kind) if kind.denied => true,
            None if changes_world => {
                self.about.remove(&about);
                true
            }
            _ => note(&mut self.about, about, result.print),
        }
    }

    /// A call was malformed. Why the tool is stopped instead, when it was called in the same wrong way too often.
    pub(crate) fn refused(&mut self, ix: ToolIx, tool: &CatalogTool, sign: Sign, result: CallResult) -> Option<Stop> {
        note(&mut self.seen, (ix, sign.whole), result.print);
        let kind = result.failure?;
        let print = kind.print;
        let alike = count(&mut self.refusals, self.reply, ix, kind);
        (alike.times > self.repeats * REFUSAL_PATIENCE).then(|| fails_alike(tool, print, alike))
    }

    fn reply_failed(&mut self, ix: ToolIx, kind: FailureKind) {
        count(&mut self.failures, self.reply, ix, kind);
    }

    /// A call brought something new, so what failed may work now; and if it changed the world, other calls may give
    /// other results. Their last results are kept: should they still be the same, that is no news.
    fn something_new(&mut self, but: (ToolIx, Signature), changes_world: bool) {
        self.stops.clear();
        self.failures.clear();
        self.refusals.clear();
        if changes_world {
            for (_, seen) in self.seen.iter_mut().filter(|(call, _)| **call != but) {
                seen.same = 0;
            }
            self.about.values_mut().for_each(|seen| seen.same = 0);
        }
    }

    /// A call was not run because of `stop`. Of one reply only the first counts: the model could not have known yet.
    pub(crate) fn stopped(&mut self, ix: ToolIx, stop: &Stop, detail: String) {
        let (times, last) = self.stops.entry((ix, stop.by)).or_default();
        if *last == self.reply {
            return;
        }
        (*times, *last) = (*times + 1, self.reply);
        let times = *times;
        let total: usize = self.stops.values().map(|(times, _)| times).sum();
        if self.report.is_none() && (times >= INSIST || total >= STOPS) {
            self.report = Some(LoopReport { tool: Some(ix), times: stop.times + times, detail });
        }
    }
}

fn times(seen: &BTreeMap<(ToolIx, Signature), Seen>, ix: ToolIx, sign: Option<Signature>) -> usize {
    sign.and_then(|sign| seen.get(&(ix, sign))).map_or(0, |seen| seen.same)
}

/// Counts a result; whether it differs from the last one.
fn note(seen: &mut BTreeMap<(ToolIx, Signature), Seen>, call: (ToolIx, Signature), print: Signature) -> bool {
    let seen = seen.entry(call).or_default();
    if seen.same > 0 && seen.print == print {
        seen.same += 1;
        return false;
    }
    let is_news = seen.print != print;
    *seen = Seen { print, same: 1 };
    is_news
}

fn renumber<V>(known: &mut BTreeMap<(ToolIx, Signature), V>, map: &[ToolIx]) {
    let old = std::mem::take(known);
    known.extend(old.into_iter().filter_map(|((ix, sign), value)| Some(((*map.get(ix.index())?, sign), value))));
}

fn count(failures: &mut Failures, reply: u64, ix: ToolIx, kind: FailureKind) -> &Alike {
    let alike = failures.entry((ix, kind.print)).or_default();
    if alike.last_in != Some(reply) {
        *alike = Alike { message: kind.message, times: alike.times + 1, last_in: Some(reply) };
    }
    alike
}

const INSTEAD: &str =
    "Use the result you have, change the arguments, use another tool, ask the user, or say what is in the way.";

const ELSEWHERE: &str = "Use the result you have, call it about something else, use another tool, ask the user, or say \
                         what is in the way.";

fn repeated(tool: &CatalogTool, same: usize) -> String {
    format!("`{}` was not run: this call gave the same result {same} times. {INSTEAD}", tool.id)
}

fn about_the_same(tool: &CatalogTool, times: usize) -> String {
    format!(
        "`{}` was not run: {times} calls about the same thing gave the same result, whatever the other arguments. \
         {ELSEWHERE}",
        tool.id
    )
}

fn fails_alike(tool: &CatalogTool, by: Signature, alike: &Alike) -> Stop {
    let (told, times) = (first_line(&alike.message), alike.times);
    let message = format!(
        "`{}` was not run: it failed in the same way {times} times, whatever the arguments: {told} {INSTEAD}",
        tool.id
    );
    Stop { message, by, times }
}

fn keeps_failing(tool: &CatalogTool, alike: &Alike) -> String {
    format!("`{}` failed in the same way {} times before; if it does again, do something else.", tool.id, alike.times)
}

fn unchanged(same: usize) -> String {
    format!("Nothing has changed in {same} calls: wait longer before you ask again, or go on with something else.")
}

fn about_to_repeat(same: usize) -> String {
    let times = if same == 1 { "once".to_owned() } else { format!("{same} times") };
    format!("This call already gave the same result {times}; if it does again, it will not be run any more.")
}

fn about_to_be_the_same(times: usize) -> String {
    format!(
        "{times} calls about the same thing gave the same result, though other arguments differed; if this one does too, \
         none about it will be run any more."
    )
}

fn first_line(message: &str) -> String {
    winclaw_catalog::clean(message.lines().next().unwrap_or(""), 300)
}

#[cfg(test)]
mod tests;
