//! Where a task stands, as evidence: what it used, and what was asked before.

use std::collections::BTreeMap;
use std::ops::Range;

use winclaw_catalog::evidence::{Edge, Hit, Via};
use winclaw_catalog::names::words;
use winclaw_catalog::{Catalog, ToolIx};

use crate::Query;
use crate::index::Index;
use crate::stop::is_stop;

/// How many of the tools last used count.
const USED: usize = 8;

/// How much less each earlier one counts.
const FADES: f32 = 0.7;

/// How many earlier requests count; whoever asks need not keep more.
pub const EARLIER: usize = 3;

/// How many tools of its own source a used tool may bring into a follow-up that has no words for them.
const MATES: usize = 16;

/// Words that point back to what was said or done.
const POINTING: [&str; 21] = [
    "above", "again", "also", "another", "ones", "it", "its", "last", "previous", "same", "that", "their", "them",
    "these", "they", "this", "those", "too", "now", "instead", "there",
];

/// The same in Chinese: characters, and words whose characters say nothing singly.
const POINTING_CHINESE: [&str; 14] =
    ["再", "也", "那", "它", "这", "该", "其", "还", "继续", "刚才", "上面", "同样", "一样", "改成"];

/// A message that says this much by itself, in words, is no follow-up whatever it points to.
const MUCH: usize = 6;

/// A message that says no more than this by itself always goes on from what was before.
const LITTLE: usize = 2;

/// Whether `message` (in NFKC form) goes on from something before: it says next to nothing by itself, or little, and
/// points back.
pub(crate) fn follows_up(message: &str) -> bool {
    let (mut says, mut points) = (0_usize, false);
    for word in words(message) {
        if word.cjk {
            says += word.text.chars().count();
            points |= POINTING_CHINESE.iter().any(|pointing| word.text.contains(pointing));
        } else {
            let lower = word.text.to_lowercase();
            says += if is_stop(&lower) { 0 } else { 2 };
            points |= POINTING.contains(&lower.as_str());
        }
        if says > 2 * MUCH {
            return false;
        }
    }
    points || says <= 2 * LITTLE
}

/// For each tool the strongest edge that speaks for it.
pub(crate) type Lifts = BTreeMap<ToolIx, (f32, Via)>;

/// Notes a lift, unless the tool has a stronger one.
pub(crate) fn lift(lifts: &mut Lifts, tool: ToolIx, by: f32, from: ToolIx, edge: Edge) {
    let most = lifts.entry(tool).or_insert((by, Via { from, edge }));
    if by > most.0 {
        *most = (by, Via { from, edge });
    }
}

/// The tools used last, latest first, each once, with how much each counts.
pub(crate) fn last_used(index: &Index, query: &Query<'_>) -> Vec<(ToolIx, f32)> {
    let mut last: Vec<(ToolIx, f32)> = Vec::new();
    for &tool in query.used.iter().rev().filter(|tool| tool.index() < index.size) {
        if last.len() < USED && last.iter().all(|used| used.0 != tool) {
            last.push((tool, FADES.powi(last.len() as i32)));
        }
    }
    last
}

impl Index {
    /// Notes what the used tools speak for, as shares of `best`: what takes their results, what goes with them, and, where
    /// the request has words for it or is a follow-up, what has the same source; in a follow-up also themselves.
    pub(crate) fn lift_by_use(&self, catalog: &Catalog, hits: &[Hit], task: &Task<'_>, lifts: &mut Lifts) {
        let weights = &self.weights;
        let more = if task.follow_up { weights.follow_up } else { 1.0 };
        for &(used, counts) in task.used {
            let share = task.best * counts;
            for (tool, edge) in self.edges.after(used) {
                let of_edge = if edge == Edge::FollowsUsed { weights.follows } else { weights.together };
                lift(lifts, tool, share * of_edge * more, used, edge);
            }
            let source = catalog.get(used).id.source();
            let mates =
                hits.iter().map(|hit| hit.tool).filter(|&ix| ix != used && catalog.get(ix).id.source() == source);
            mates.for_each(|ix| lift(lifts, ix, share * weights.mate * more, used, Edge::SameSource));
            if task.follow_up {
                self.lift_family(catalog, used, share, lifts);
            }
        }
    }

    /// Notes a used tool that a follow-up goes on from, and, if they are few, the tools of its source.
    fn lift_family(&self, catalog: &Catalog, used: ToolIx, share: f32, lifts: &mut Lifts) {
        if catalog.get(used).permitted() {
            lift(lifts, used, share * self.weights.again, used, Edge::Used);
        }
        let source = catalog.get(used).id.source();
        let mates = of_source(catalog, source);
        if mates.len() <= MATES {
            let by = share * self.weights.mate;
            let others = mates.map(ToolIx).filter(|&ix| ix != used && catalog.get(ix).permitted());
            others.for_each(|ix| lift(lifts, ix, by, used, Edge::SameSource));
        }
    }
}

/// The places of the tools of `source`, which stand together.
fn of_source(catalog: &Catalog, source: &str) -> Range<u32> {
    let begins = format!("{source}.");
    let tools = catalog.tools();
    let first = tools.partition_point(|tool| tool.id.as_str() < begins.as_str());
    let count = tools[first..].iter().take_while(|tool| tool.id.as_str().starts_with(&begins)).count();
    first as u32..(first + count) as u32
}

/// What [`Index::lift_by_use`] goes by.
pub(crate) struct Task<'a> {
    /// The tools used last and how much each counts.
    pub(crate) used: &'a [(ToolIx, f32)],
    pub(crate) follow_up: bool,
    /// The best score of a tool that is not named.
    pub(crate) best: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follow_up_says_little_or_points_back() {
        for text in
            ["go on", "再把屏幕截图也放进去", "now fetch details for that ID", "发给它", "", "and send it to them too"]
        {
            assert!(follows_up(text), "{text}");
        }
        for text in [
            "find the cheapest flight from Oslo to Rome",
            "查询北京明天的天气预报",
            "write a report about that long and difficult history of salt trade in northern Europe",
            "把这份很长的季度销售数据整理成图表并写一份总结报告",
        ] {
            assert!(!follows_up(text), "{text}");
        }
    }
}
