use serde::Serialize;

use crate::Stepped;
use crate::bootstrap::Stat;

/// What was measured of one request. The numbers of a report are means and quantiles of these.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outcome {
    /// Whether the request needs a tool at all.
    pub has_needs: bool,
    /// Share of the needs met by the first k tools of the ranking, for each k that was asked for.
    pub recall_at: Vec<f64>,
    /// Whether all of them were, in the same order.
    pub all_gold_at: Vec<bool>,
    /// nDCG of the first ten.
    pub ndcg_at_10: f64,
    /// Share of the needs with a tool above `Named` on the first call.
    pub first_look: f64,
    /// Share of the needs whose schema the scripted model had read in the end.
    pub eventual: f64,
    /// Turns until it had read all of them; `None` when it never did.
    pub turns: Option<u32>,
    /// Tokens of the schemas in the first payload: the tools array with its meta tools, and schemas in the tail.
    pub schema_tokens: u32,
    /// Tokens of the first prefix: system text and tools array.
    pub prefix_tokens: u32,
    /// Tools above `Named`, and tokens of all schemas given, at each reach that the task stood at.
    pub at_reach: [Option<(usize, u32)>; 3],
    /// Shown tools that lacked a tool they require.
    pub broken: usize,
    /// Microseconds of one pass: weighing, beginning, surface.
    pub pass_us: f64,
    /// How it went when asked step by step; `None` when that was not measured.
    pub steps: Option<Stepped>,
}

/// A number of a report: its key, what is taken of the outcomes, and of what of them.
pub(crate) struct Column {
    pub(crate) key: String,
    pub(crate) stat: Stat,
    pub(crate) value: Box<Value>,
}

/// What is taken of one outcome; `None` where it says nothing.
type Value = dyn Fn(&Outcome) -> Option<f64>;

impl Column {
    fn mean(key: impl Into<String>, value: impl Fn(&Outcome) -> Option<f64> + 'static) -> Column {
        Column { key: key.into(), stat: Stat::Mean, value: Box::new(value) }
    }

    fn quantile(key: &str, share: f64, value: impl Fn(&Outcome) -> Option<f64> + 'static) -> Column {
        Column { key: key.to_owned(), stat: Stat::Quantile(share), value: Box::new(value) }
    }

    /// The values of `outcomes`, in order.
    pub(crate) fn values(&self, outcomes: &[Outcome]) -> Vec<Option<f64>> {
        outcomes.iter().map(|outcome| (self.value)(outcome)).collect()
    }
}

/// The names of the reaches, narrowest first, as they stand in keys.
pub(crate) const REACHES: [&str; 3] = ["recommended", "extended", "full"];

/// Every number that has an interval. Means come first; what can be compared between strategies is a mean.
pub(crate) fn columns(ks: &[usize]) -> Vec<Column> {
    // A request without needs says nothing about finding tools.
    let needy = |value: fn(&Outcome) -> f64| move |outcome: &Outcome| outcome.has_needs.then(|| value(outcome));
    let mut columns = Vec::new();
    for (place, k) in ks.iter().enumerate() {
        let recall = move |outcome: &Outcome| outcome.has_needs.then(|| outcome.recall_at[place]);
        let all = move |outcome: &Outcome| outcome.has_needs.then(|| f64::from(u8::from(outcome.all_gold_at[place])));
        columns.push(Column::mean(format!("recall_at.{k}"), recall));
        columns.push(Column::mean(format!("all_gold_at.{k}"), all));
    }
    columns.extend([
        Column::mean("ndcg_at_10", needy(|outcome| outcome.ndcg_at_10)),
        Column::mean("first_look_all", |outcome| Some(f64::from(u8::from(outcome.first_look >= 1.0)))),
        Column::mean("first_look_recall", needy(|outcome| outcome.first_look)),
        Column::mean("eventual_recall", needy(|outcome| outcome.eventual)),
        Column::mean("eventual_all", needy(|outcome| f64::from(u8::from(outcome.turns.is_some())))),
        Column::mean("schema_tokens_mean", |outcome| Some(f64::from(outcome.schema_tokens))),
        Column::mean("prefix_tokens_mean", |outcome| Some(f64::from(outcome.prefix_tokens))),
    ]);
    for (place, reach) in REACHES.iter().enumerate() {
        let at = move |outcome: &Outcome| outcome.at_reach[place];
        columns.push(Column::mean(format!("reach.{reach}.tools"), move |outcome| Some(at(outcome)?.0 as f64)));
        columns
            .push(Column::mean(format!("reach.{reach}.schema_tokens"), move |outcome| Some(f64::from(at(outcome)?.1))));
    }
    let steps = |outcome: &Outcome| outcome.steps;
    columns.extend([
        Column::mean("per_step.recall", move |outcome| Some(steps(outcome)?.recall)),
        Column::mean("per_step.all", move |outcome| Some(f64::from(u8::from(steps(outcome)?.recall >= 1.0)))),
        Column::mean("per_step.tools_mean", move |outcome| Some(steps(outcome)?.tools)),
        Column::quantile("per_step.tools_p95", 0.95, move |outcome| Some(steps(outcome)?.tools)),
    ]);
    columns.extend(quantiles());
    columns
}

fn quantiles() -> [Column; 5] {
    let turns = |outcome: &Outcome| outcome.turns.filter(|_| outcome.has_needs).map(f64::from);
    [
        Column::quantile("turns_to_reveal_p50", 0.5, turns),
        Column::quantile("turns_to_reveal_p95", 0.95, turns),
        Column::quantile("turns_to_reveal_max", 1.0, turns),
        Column::quantile("pass_us_p50", 0.5, |outcome| Some(outcome.pass_us)),
        Column::quantile("pass_us_p99", 0.99, |outcome| Some(outcome.pass_us)),
    ]
}
