//! I8 and I9: whatever a model reads as a tool's name is one tool's name, and that tool can be called in the next step;
//! and what a search may find is what there is.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, RESERVED, Resolution, State, ToolIx};
use winclaw_exposure::{Exposure, Settings, Transport, meta};

use crate::support::{Step, catalog, claims, many, settings, sketches, steps};
use crate::task::{Said, Task};

/// The names that an answer to a meta tool gives.
fn names_in_answer(text: &str) -> BTreeSet<String> {
    let Ok(Value::Object(answer)) = serde_json::from_str::<Value>(text) else {
        return BTreeSet::new();
    };
    let listed = ["found", "tools", "shown_above", "also_found", "revealed"];
    let lists = listed.iter().filter_map(|key| answer.get(*key)?.as_array()).flatten();
    let name = |item: &Value| Some(item.as_str().or_else(|| item.get("name")?.as_str())?.to_owned());
    lists.filter_map(name).map(|name| unmarked(&name)).collect()
}

/// A name without what the catalogue says of its state.
fn unmarked(name: &str) -> String {
    name.split(" [").next().unwrap_or_default().trim().to_owned()
}

/// The names that the lines of a tail give: advice, guesses, news, and what was shown before.
fn names_in_tail(text: &str) -> BTreeSet<String> {
    let lists = ["Likely useful now: ", "A guess at what may be useful: ", "no longer here: "];
    let after = lists.iter().filter_map(|head| text.split_once(head)).map(|(_, rest)| rest);
    let ends = |rest: &str| rest.split([';', '\n']).next().unwrap_or_default().to_owned();
    let mut names: BTreeSet<String> =
        after.flat_map(|rest| ends(rest).split(", ").map(unmarked).collect::<Vec<_>>()).collect();
    let such_as = text.split(", such as ").skip(1).map(|rest| rest.split([';', '.']).next().unwrap_or_default());
    names.extend(such_as.map(unmarked));
    names.into_iter().map(|name| name.split(" and ").next().unwrap_or_default().to_owned()).collect()
}

/// The tool a name leads to, which a model may call as things stand.
fn callable(catalog: &Catalog, exposure: &Exposure, name: &str) -> ToolIx {
    assert!(!RESERVED.contains(&name), "{name} is reserved");
    let Resolution::One(ix) = catalog.resolve(name) else {
        panic!("I9: {name} was given to the model and is no tool's");
    };
    let tool = catalog.get(ix);
    assert!(tool.permitted(), "I9: {name} was given and may not be used");
    assert_eq!(tool.wire_name, name, "I9: another spelling was given");
    assert_eq!(exposure.state_answer(catalog, ix).is_none(), tool.state == State::Ready, "I9: {name}");
    ix
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// I9.
    #[test]
    fn every_name_a_model_is_given_can_be_called_in_the_next_step(
        sketches in sketches(), claims in claims(), settings in settings(), steps in steps(),
    ) {
        let mut task = Task::begin(&sketches, &claims, &settings);
        for step in [Step::Surface].iter().chain(&steps).chain([&Step::Surface]) {
            let before = task.said.len();
            task.step(step);
            let said: Vec<Said> = task.said[before..].to_vec();
            for said in said {
                let names = if said.tail { names_in_tail(&said.text) } else { names_in_answer(&said.text) };
                let revealed = said.reveals.iter().map(|spec| spec.name.clone());
                for name in names.into_iter().chain(revealed) {
                    callable(&task.catalog, &task.exposure, &name);
                }
            }
        }
    }

    /// I8: in one request no two tools have one name, every name leads back, and none is reserved.
    #[test]
    fn names_on_the_wire_are_legal_distinct_and_lead_back(sketches in sketches(), claims in claims(), settings in settings()) {
        let task = Task::begin(&sketches, &claims, &settings);
        let prefix = task.prefix();
        let own = meta::specs(&settings);
        let mut seen = BTreeSet::new();
        for spec in prefix.tools.iter().chain(&prefix.deferred) {
            prop_assert!(seen.insert(&spec.name), "{} stands twice", spec.name);
            let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            prop_assert!((1..=64).contains(&spec.name.len()) && spec.name.bytes().all(legal), "{}", spec.name);
            if !own.contains(spec) {
                callable(&task.catalog, &task.exposure, &spec.name);
            }
        }
    }
}

/// The lines of the catalogue: how many tools each heading counts, and the names that stand there.
fn catalogue(system: &str) -> (usize, BTreeSet<String>) {
    let lines = system.split("# Catalogue of tools\n").nth(1).expect("a catalogue").lines();
    let (mut counted, mut names) = (0, BTreeSet::new());
    for line in lines {
        if let Some(line) = line.strip_prefix("- ") {
            names.insert(unmarked(line.split(": ").next().unwrap_or_default()));
            continue;
        }
        let (heading, listed) = line.split_once(':').unwrap_or((line, ""));
        let (_, count) = heading.trim_end_matches(')').rsplit_once('(').expect("a heading");
        counted += count.parse::<usize>().expect("a count");
        let listed = listed.split(" and ").next().unwrap_or_default();
        names.extend(listed.split(", ").map(unmarked).filter(|name| !name.is_empty()));
    }
    (counted, names)
}

/// The index is the registry: the catalogue counts every permitted tool once and names real ones only; in the steps that
/// name all, it names exactly those; and a search within the categories finds exactly those.
#[test]
fn the_catalogue_and_the_search_know_exactly_what_is_there() {
    for size in [3, 60, 400] {
        let catalog = catalog(&many(size));
        let permitted: BTreeSet<String> = catalog.permitted().map(|ix| catalog.get(ix).wire_name.clone()).collect();
        for catalogue_tokens in [0, 400, 2_500, 200_000] {
            let mut settings = Settings { transport: Some(Transport::Bridge), ..Settings::default() };
            (settings.budgets.catalogue_tokens, settings.budgets.catalogue_percent) = (catalogue_tokens, 100);
            let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
            let (counted, names) = catalogue(&exposure.surface(&catalog).prefix.system);
            assert_eq!(counted, permitted.len(), "{size} tools, {catalogue_tokens} tokens");
            assert!(names.is_subset(&permitted), "{:?}", names.difference(&permitted));
            assert!(catalogue_tokens < 200_000 || names == permitted);
        }
        let found = catalog.categories().keys().flat_map(|category| meta::within(&catalog, Vec::new(), Some(category)));
        let found: Vec<String> =
            found.filter(|ix| catalog.get(*ix).permitted()).map(|ix| catalog.get(ix).wire_name.clone()).collect();
        assert_eq!(found.len(), permitted.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), permitted);
    }
}
