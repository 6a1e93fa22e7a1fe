use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use winclaw_exposure::Strategy;
use winclaw_tool::Problem;

use crate::bootstrap::{Interval, RESAMPLES, interval};
use crate::evaluate::{Measured, protocol};
use crate::outcome::{REACHES, columns};
use crate::{Dataset, LOOK, Miss, Options, Outcome, Protocol};

/// Version of the form of [`EvalReport`] and [`Comparison`](crate::Comparison) in JSON. It changes when a key goes or changes
/// its meaning, not when one is added.
pub const SCHEMA: u32 = 1;

/// Most problems that are given one by one.
const MAX_PROBLEMS: usize = 100;

/// How well exposure did on a dataset. docs/eval-format.md defines each number; those without a value are not a number, `null`
/// in JSON.
#[derive(Debug, Clone, Serialize)]
pub struct EvalReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The strategy that was measured.
    pub strategy: Strategy,
    /// The model's window in tokens.
    pub window_tokens: u32,
    /// The seed of the intervals.
    pub seed: u64,
    /// Resamples of each interval.
    pub resamples: usize,
    /// Tools in the catalogue.
    pub tools: usize,
    /// Requests that were measured.
    pub requests: usize,
    /// Those of them that need a tool.
    pub requests_with_needs: usize,
    /// Requests left out because all they need is unknown.
    pub left_out: usize,
    /// Mean share of the needs among the first k tools, by k.
    pub recall_at: BTreeMap<usize, f64>,
    /// Share of the requests all of whose needs are among the first k tools, by k.
    pub all_gold_at: BTreeMap<usize, f64>,
    /// Mean nDCG of the first ten tools.
    pub ndcg_at_10: f64,
    /// Share of the requests all of whose needs are above `Named` on the first call.
    pub first_look_all: f64,
    /// Mean share of the needs above `Named` on the first call.
    pub first_look_recall: f64,
    /// Mean share of the needs that the scripted model found in the end.
    pub eventual_recall: f64,
    /// Share of the requests all of whose needs it found.
    pub eventual_all: f64,
    /// Turns until it had found all, where it did: the median.
    pub turns_to_reveal_p50: f64,
    /// The 95th percentile.
    pub turns_to_reveal_p95: f64,
    /// The most.
    pub turns_to_reveal_max: f64,
    /// Mean tokens of the schemas in the first payload.
    pub schema_tokens_mean: f64,
    /// Mean tokens of the first prefix.
    pub prefix_tokens_mean: f64,
    /// Tools and tokens at each reach: `recommended`, `extended`, `full`.
    pub reach: BTreeMap<&'static str, AtReach>,
    /// Shown tools that lacked a tool they require, over all requests and turns.
    pub closure_broken: usize,
    /// Found step by step; only when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_step: Option<Steps>,
    /// Microseconds of one pass: the median.
    pub pass_us_p50: f64,
    /// The 99th percentile.
    pub pass_us_p99: f64,
    /// Mean milliseconds to build the catalogue.
    pub catalog_ms: f64,
    /// Mean milliseconds to build the index.
    pub index_ms: f64,
    /// Mean milliseconds to prepare exposure.
    pub prepared_ms: f64,
    /// Distinct terms of the index.
    pub index_terms: usize,
    /// Entries under all terms of the index.
    pub index_postings: usize,
    /// The interval of every number above that has one, under its key with dots between the levels.
    pub intervals: BTreeMap<String, Interval>,
    /// How many requests had needs that the first look did not show.
    pub missed: usize,
    /// The worst of them.
    pub misses: Vec<Miss>,
    /// How many problems tools and requests had.
    pub problem_count: usize,
    /// The same by kind, the gravest and most frequent first.
    pub problem_groups: Vec<ProblemGroup>,
    /// The first of them.
    pub problems: Vec<Problem>,
    /// What was measured of each request, in order.
    #[serde(skip)]
    pub outcomes: Vec<Outcome>,
}

/// Problems that are mended alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProblemGroup {
    /// How many there are.
    pub count: usize,
    /// What they are about.
    pub about: About,
    /// How many different tools or requests have one.
    pub subjects: usize,
    /// The first of them.
    pub first: Problem,
}

/// What a problem of a dataset is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A tool.
    Tools,
    /// A request, or a recorded run of one.
    Requests,
}

/// What stands above `Named` at one reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtReach {
    /// Requests that stood at it.
    pub requests: usize,
    /// Mean number of tools.
    pub tools: f64,
    /// Mean tokens of all schemas given by then.
    pub schema_tokens: f64,
}

/// How well needs were found step by step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Steps {
    /// What each step asked.
    pub protocol: Protocol,
    /// Tools in the first look, and in each further one.
    pub looks: (usize, usize),
    /// Requests that were asked so.
    pub requests: usize,
    /// Mean share of the needs that were found.
    pub recall: f64,
    /// Share of the requests all of whose needs were found.
    pub all: f64,
    /// Mean of the distinct tools in all looks together, or for [`Protocol::Used`] in one look.
    pub tools_mean: f64,
    /// The 95th percentile of the same.
    pub tools_p95: f64,
}

impl EvalReport {
    pub(crate) fn of(dataset: &Dataset, options: &Options, measured: Measured) -> EvalReport {
        let Measured { outcomes, mut misses, built, index } = measured;
        let mut intervals = intervals(&options.ks, &outcomes, options.seed);
        intervals.insert("catalog_ms".into(), built.catalog);
        intervals.insert("index_ms".into(), built.index);
        intervals.insert("prepared_ms".into(), built.prepared);
        let of = |key: &str| intervals.get(key).map_or(f64::NAN, |interval| interval.mean);
        let by_k = |key: &str| options.ks.iter().map(|k| (*k, of(&format!("{key}.{k}")))).collect();
        let missed = misses.len();
        misses.truncate(options.misses);
        EvalReport {
            schema: SCHEMA,
            strategy: options.strategy,
            window_tokens: options.window_tokens,
            seed: options.seed,
            resamples: RESAMPLES,
            tools: dataset.catalog.tools().len(),
            requests: outcomes.len(),
            requests_with_needs: outcomes.iter().filter(|outcome| outcome.has_needs).count(),
            left_out: dataset.left_out,
            recall_at: by_k("recall_at"),
            all_gold_at: by_k("all_gold_at"),
            ndcg_at_10: of("ndcg_at_10"),
            first_look_all: of("first_look_all"),
            first_look_recall: of("first_look_recall"),
            eventual_recall: of("eventual_recall"),
            eventual_all: of("eventual_all"),
            turns_to_reveal_p50: of("turns_to_reveal_p50"),
            turns_to_reveal_p95: of("turns_to_reveal_p95"),
            turns_to_reveal_max: of("turns_to_reveal_max"),
            schema_tokens_mean: of("schema_tokens_mean"),
            prefix_tokens_mean: of("prefix_tokens_mean"),
            reach: reaches(&outcomes, of),
            closure_broken: outcomes.iter().map(|outcome| outcome.broken).sum(),
            per_step: options.per_step.map(|looks| steps(dataset, looks, &outcomes, of)),
            pass_us_p50: of("pass_us_p50"),
            pass_us_p99: of("pass_us_p99"),
            catalog_ms: of("catalog_ms"),
            index_ms: of("index_ms"),
            prepared_ms: of("prepared_ms"),
            index_terms: index.0,
            index_postings: index.1,
            intervals,
            missed,
            misses,
            problem_count: dataset.problems.len(),
            problem_groups: groups(&dataset.problems, dataset.of_tools),
            problems: dataset.problems.iter().take(MAX_PROBLEMS).cloned().collect(),
            outcomes,
        }
    }
}

/// The interval of every number that has a value.
fn intervals(ks: &[usize], outcomes: &[Outcome], seed: u64) -> BTreeMap<String, Interval> {
    let columns = columns(ks).into_iter();
    let all = columns.map(|column| (interval(&column.values(outcomes), column.stat, seed), column.key));
    all.filter(|(found, _)| !found.mean.is_nan()).map(|(found, key)| (key, found)).collect()
}

/// The problems that are mended alike, the gravest and most frequent first; the first `of_tools` are about tools.
pub(crate) fn groups(problems: &[Problem], of_tools: usize) -> Vec<ProblemGroup> {
    let mut groups: Vec<(ProblemGroup, BTreeSet<&str>)> = Vec::new();
    let mut places: BTreeMap<(bool, &str, &str), usize> = BTreeMap::new();
    for (at, problem) in problems.iter().enumerate() {
        let about = if at < of_tools { About::Tools } else { About::Requests };
        let key = (at < of_tools, problem.mend.en.as_str(), problem.mend.zh.as_str());
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            let group = ProblemGroup { count: 0, about, subjects: 0, first: problem.clone() };
            groups.push((group, BTreeSet::new()));
        }
        groups[place].0.count += 1;
        groups[place].1.insert(&problem.subject);
    }
    let counted =
        |(group, subjects): (ProblemGroup, BTreeSet<&str>)| ProblemGroup { subjects: subjects.len(), ..group };
    let mut groups: Vec<ProblemGroup> = groups.into_iter().map(counted).collect();
    groups.sort_by_key(|group| (!group.first.fatal, std::cmp::Reverse(group.count)));
    groups
}

fn steps(dataset: &Dataset, looks: (usize, usize), outcomes: &[Outcome], of: impl Fn(&str) -> f64) -> Steps {
    let protocol = protocol(dataset);
    Steps {
        protocol,
        looks: if protocol == Protocol::Recorded { looks } else { (LOOK, LOOK) },
        requests: outcomes.iter().filter(|outcome| outcome.steps.is_some()).count(),
        recall: of("per_step.recall"),
        all: of("per_step.all"),
        tools_mean: of("per_step.tools_mean"),
        tools_p95: of("per_step.tools_p95"),
    }
}

fn reaches(outcomes: &[Outcome], of: impl Fn(&str) -> f64) -> BTreeMap<&'static str, AtReach> {
    let at = |(place, reach): (usize, &&'static str)| {
        let requests = outcomes.iter().filter(|outcome| outcome.at_reach[place].is_some()).count();
        let (tools, schema_tokens) = (of(&format!("reach.{reach}.tools")), of(&format!("reach.{reach}.schema_tokens")));
        (*reach, AtReach { requests, tools, schema_tokens })
    };
    REACHES.iter().enumerate().map(at).filter(|(_, at)| at.requests > 0).collect()
}
