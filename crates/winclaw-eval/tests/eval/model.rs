//! The scripted model, on catalogues that are hard to see through.

use serde_json::{Value, json};
use winclaw_eval::{Dataset, Options};
use winclaw_exposure::Strategy;

use crate::support::{Files, close, lines, measured};

/// `count` tools in each of `categories`, none of which says anything about itself but its number.
fn mute(categories: usize, count: usize) -> Vec<Value> {
    let tool = |n: usize| {
        let (category, place) = (n % categories, n / categories);
        json!({"id": format!("c{category}/thing {place}"), "name": format!("thing {place}"), "server": format!("c{category}"),
               "category": format!("shelf {category}"), "description": format!("Thing {place} of shelf {category}."),
               "parameters": {"type": "object", "properties": {"x": {"type": "string", "description": "Something that is given in words"}}, "required": ["x"]}})
    };
    (0..categories * count).map(tool).collect()
}

fn asking(tools: &[Value], gold: &[&str]) -> Dataset {
    let queries: Vec<Value> = gold.iter().map(|id| json!({"query": "please make it nice", "gold": [id]})).collect();
    Files::new(lines(tools), lines(&queries)).read()
}

#[test]
fn what_no_word_speaks_of_is_found_where_it_is_expected() {
    let dataset = asking(&mute(40, 30), &["c7/thing 29", "c39/thing 0", "c0/thing 15"]);
    let report = measured(&dataset, &Options::default());
    close(report.first_look_all, 0.0);
    close(report.eventual_recall, 1.0);
    assert!(report.turns_to_reveal_max <= 3.0, "words, category, details: {}", report.turns_to_reveal_max);
    assert_eq!(report.closure_broken, 0);
}

#[test]
fn a_model_without_meta_tools_finds_nothing_more() {
    let dataset = asking(&mute(4, 5), &["c3/thing 4"]);
    let hard = measured(&dataset, &Options { strategy: Strategy::Hard, ..Options::default() });
    close(hard.eventual_recall, 0.0);
    let full = measured(&dataset, &Options { strategy: Strategy::Full, ..Options::default() });
    close(full.eventual_recall, 1.0);
}

#[test]
fn a_deep_chain_is_shown_whole_or_not_at_all() {
    let tool = |n: usize| {
        let needs: Vec<String> = (n < 29).then(|| format!("link {}", n + 1)).into_iter().collect();
        json!({"id": format!("link {n}"), "description": format!("Link {n} of the chain."), "category": "chains", "depends_on": needs,
               "parameters": {"type": "object", "properties": {"text": {"type": "string", "description": "Words ".repeat(60)}}, "required": ["text"]}})
    };
    let tools: Vec<Value> = (0..30).map(tool).chain(mute(6, 40)).collect();
    let queries: Vec<Value> =
        [0, 10, 29].iter().map(|n| json!({"query": format!("link {n}"), "gold": [format!("link {n}")]})).collect();
    let dataset = Files::new(lines(&tools), lines(&queries)).read();
    let report = measured(&dataset, &Options::default());
    assert_eq!(report.closure_broken, 0);
    close(report.eventual_recall, 1.0);
}
