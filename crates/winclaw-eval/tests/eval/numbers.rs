//! The numbers of a report, against what was counted by hand.

use serde_json::json;
use winclaw_catalog::ToolIx;
use winclaw_eval::{Dataset, Options, Protocol, Ranker, compare, recall_of};
use winclaw_exposure::{Strategy, Transport};

use crate::support::{Files, close, example, lines, measured};

/// As a model with little room would be served.
fn small() -> Options {
    Options { window_tokens: 4_000, transport: Some(Transport::Bridge), per_step: Some((4, 3)), ..Options::default() }
}

/// The numbers without those that are times.
fn still(dataset: &Dataset, options: &Options) -> serde_json::Value {
    let mut json = serde_json::to_value(measured(dataset, options)).expect("json");
    let map = json.as_object_mut().expect("an object");
    let timed = |key: &str| key.starts_with("pass_us") || key.ends_with("_ms");
    map.retain(|key, _| !timed(key));
    map["intervals"].as_object_mut().expect("intervals").retain(|key, _| !timed(key));
    json
}

#[test]
fn the_same_data_and_seed_give_the_same_numbers() {
    let dataset = example();
    assert_eq!(still(&dataset, &small()), still(&dataset, &small()));
    let other = still(&dataset, &Options { seed: 2, ..small() });
    assert_ne!(still(&dataset, &small())["intervals"], other["intervals"]);
    assert_eq!(still(&dataset, &small())["recall_at"], other["recall_at"]);
}

#[test]
fn the_json_carries_what_it_promises() {
    let json = still(&example(), &small());
    for key in [
        "recall_at",
        "all_gold_at",
        "ndcg_at_10",
        "first_look_all",
        "eventual_recall",
        "turns_to_reveal_p95",
        "schema_tokens_mean",
        "prefix_tokens_mean",
        "closure_broken",
        "intervals",
        "reach",
        "per_step",
        "index_terms",
    ] {
        assert!(!json[key].is_null(), "{key}: {json}");
    }
    assert_eq!(json["schema"], 1);
    for k in ["5", "10", "20"] {
        let found = json["recall_at"][k].as_f64().expect("a number");
        let interval = &json["intervals"][format!("recall_at.{k}")];
        assert_eq!(interval["mean"].as_f64(), Some(found));
        assert!(interval["low"].as_f64() <= Some(found) && interval["high"].as_f64() >= Some(found), "{interval}");
    }
}

#[test]
fn a_model_that_looks_further_finds_everything_in_the_example() {
    let report = measured(&example(), &small());
    close(report.eventual_recall, 1.0);
    assert_eq!(report.closure_broken, 0);
    assert_eq!(report.missed, 1, "{:?}", report.misses);
    assert_eq!((report.misses[0].id.as_str(), report.misses[0].needs[0].rank), ("aunt", None));
    assert!(report.turns_to_reveal_max >= 1.0 && report.first_look_all < 1.0, "{report:?}");
    // 13 of 14 requests need tools; the one that needs none is met trivially.
    assert_eq!((report.requests, report.requests_with_needs), (14, 13));
    close(report.first_look_all, 13.0 / 14.0);
    close(report.first_look_recall, 12.0 / 13.0);
}

/// One category holds the answer, another looks more like it.
fn misleading() -> Dataset {
    let tools = [
        json!({"id": "boats/hire", "server": "boats", "name": "hire", "category": "leisure", "description": "Hires a boat on the river."}),
        json!({"id": "boats/river", "server": "boats", "name": "river", "category": "leisure", "description": "Tells how high the river is for a boat."}),
        json!({"id": "mail/send", "server": "mail", "name": "send", "category": "post", "description": "Writes a letter."}),
    ];
    let queries =
        [json!({"query": "how high is the river, and a letter about the boat", "gold": ["mail/send", "boats/river"]})];
    Files::new(lines(&tools), lines(&queries)).read()
}

#[test]
fn a_hard_filter_loses_what_lies_in_another_category() {
    let dataset = misleading();
    let hard = measured(&dataset, &Options { strategy: Strategy::Hard, ..small() });
    close(hard.recall_at[&10], 0.5);
    close(hard.first_look_recall, 0.5);
    close(hard.eventual_recall, 0.5);
    close(hard.per_step.expect("steps").recall, 0.5);
    close(hard.eventual_all, 0.0);
    assert!(hard.turns_to_reveal_p95.is_nan(), "nothing was found in the end: {}", hard.turns_to_reveal_p95);
    let full = measured(&dataset, &Options { strategy: Strategy::Full, ..small() });
    close(full.eventual_recall, 1.0);
    close(full.turns_to_reveal_max, 0.0);
    close(full.first_look_all, 1.0);
    let progressive = measured(&dataset, &small());
    close(progressive.recall_at[&10], 1.0);
    close(progressive.eventual_recall, 1.0);
}

#[test]
fn a_shown_tool_that_lacks_what_it_requires_is_counted() {
    let tools = [
        json!({"id": "boats/hire", "category": "leisure", "description": "Hires a boat.", "depends_on": ["bank/pay"]}),
        json!({"id": "bank/pay", "category": "money", "description": "Transfers an amount."}),
    ];
    let dataset = Files::new(lines(&tools), r#"{"query": "hire a boat", "gold": ["boats/hire"]}"#).read();
    let broken = |strategy| measured(&dataset, &Options { strategy, ..small() }).closure_broken;
    assert_eq!((broken(Strategy::Progressive), broken(Strategy::Full)), (0, 0));
    assert!(broken(Strategy::Hard) > 0, "the category of the boat has no bank");
}

#[test]
fn comparing_says_when_there_is_nothing_to_say() {
    let dataset = example();
    let progressive = measured(&dataset, &small());
    let hard = measured(&dataset, &Options { strategy: Strategy::Hard, ..small() });
    let same = compare(&progressive, &progressive);
    assert!(same.differences.values().all(|found| !found.beyond_sampling_error && found.difference.mean == 0.0));
    let other = compare(&progressive, &hard);
    let tokens = other.differences["prefix_tokens_mean"];
    assert!(tokens.beyond_sampling_error, "{tokens:?}");
    close(tokens.first, progressive.prefix_tokens_mean);
    close(tokens.second, hard.prefix_tokens_mean);
    close(tokens.difference.mean, tokens.first - tokens.second);
    assert!(!other.differences.keys().any(|key| key.contains("_us") || key.contains("_ms")), "times are not compared");
}

#[test]
fn requires_come_with_what_needs_them_and_a_step_knows_what_was_used() {
    let report = measured(&example(), &small());
    let steps = report.per_step.expect("steps");
    assert_eq!((steps.protocol, steps.looks, steps.requests), (Protocol::Used, (8, 8), 13));
    close(steps.recall, 12.0 / 13.0);
    let mut dataset = example();
    dataset.requests[0].steps = vec!["pay the deposit for a canoe".into(), "when does the choir practise".into()];
    let steps = measured(&dataset, &small()).per_step.expect("steps");
    assert_eq!((steps.protocol, steps.looks, steps.requests), (Protocol::Recorded, (4, 3), 1));
    close(steps.recall, 1.0);
}

struct Fixed(Vec<ToolIx>);

impl Ranker for Fixed {
    fn name(&self) -> String {
        "always the same".into()
    }

    fn rank(&self, _: &str, most: usize) -> Vec<ToolIx> {
        self.0.iter().copied().take(most).collect()
    }
}

#[test]
fn another_ranker_is_measured_on_the_same_requests() {
    let dataset = misleading();
    let place = |id: &str| dataset.catalog.all().find(|ix| dataset.name(*ix) == id).expect("the tool");
    let order = ["boats/hire", "mail/send", "boats/river"].map(place).to_vec();
    let found = recall_of(&dataset, &Fixed(order.clone()), &[1, 2, 3]);
    let recalls: Vec<f64> = found.recall_at.values().map(|interval| interval.mean).collect();
    assert_eq!(recalls, [0.0, 0.5, 1.0]);
    // Ranks 2 and 3: (1/log2 3 + 1/log2 4) / (1 + 1/log2 3).
    close(found.ndcg_at_10.mean, 0.693_426_403_617_270_8);
    let better = recall_of(&dataset, &Fixed(order.into_iter().rev().collect()), &[1, 2, 3]);
    close(better.ahead_of(&found, 1).expect("measured at 1").difference.mean, 0.5);
    assert!(better.ahead_of(&found, 7).is_none());
}
