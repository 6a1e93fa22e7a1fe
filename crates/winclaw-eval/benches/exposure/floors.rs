//! What must at least be found: `floors.json` against a report.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use winclaw_eval::EvalReport;

#[derive(Deserialize)]
pub struct Floors {
    sets: BTreeMap<String, Set>,
}

#[derive(Deserialize)]
struct Set {
    /// Ceilings, by key of the report.
    #[serde(default)]
    most: BTreeMap<String, f64>,
    /// Floors, by key of the report with dots between its levels.
    #[serde(flatten)]
    least: BTreeMap<String, f64>,
}

impl Floors {
    pub fn read() -> Result<Floors, serde_json::Error> {
        serde_json::from_str(include_str!("floors.json"))
    }

    /// What `report` of the set `name` lacks, in words.
    pub fn lacking(&self, name: &str, report: &EvalReport) -> Result<Vec<String>, serde_json::Error> {
        let report = serde_json::to_value(report)?;
        let number = |key: &String| {
            let found = key.split('.').try_fold(&report, |value, part| value.get(part));
            found.and_then(Value::as_f64).unwrap_or(f64::NAN)
        };
        let set = self.sets.get(name);
        let least = set.into_iter().flat_map(|set| &set.least);
        // A number that is missing, not a number here, is below every floor and above every ceiling.
        let low = least.filter(|(key, floor)| number(key).max(f64::NEG_INFINITY) < **floor);
        let low = low.map(|(key, floor)| format!("{name}: {key} is {:.3}, below {floor}", number(key)));
        let most = set.into_iter().flat_map(|set| &set.most);
        let high = most.filter(|(key, ceiling)| number(key).min(f64::INFINITY) > **ceiling);
        let high = high.map(|(key, ceiling)| format!("{name}: {key} is {:.3}, above {ceiling}", number(key)));
        Ok(low.chain(high).collect())
    }
}
