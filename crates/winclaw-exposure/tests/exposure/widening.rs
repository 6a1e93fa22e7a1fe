//! What must hold after anything that may happen in a task.

use std::sync::Arc;

use proptest::prelude::*;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, RESERVED, ToolIx};
use winclaw_exposure::{Event, Exposure, Level, Reach, Settings, estimate_tokens, meta};

use crate::support::{Claims, Step, catalog, claims, entries, evidence, settings, sketches, steps};
use crate::task::Task;

/// I7: whatever a tool requires stands as high as the tool, as far as it is permitted.
fn closed(task: &Task<'_>) {
    for (tool, level) in task.levels() {
        for required in task.catalog.closure(tool).into_iter().filter(|ix| task.catalog.get(*ix).permitted()) {
            let other = task.exposure.level(required);
            assert!(other >= level, "{tool:?} is {level:?}, but {required:?}, which it requires, is {other:?}");
        }
    }
}

/// I16: nothing disabled has a level or a place in what the model is sent unasked.
fn nothing_disabled(task: &Task<'_>) {
    let tails: Vec<&String> = task.surfaces.iter().filter_map(|surface| surface.tail.as_ref()).collect();
    for ix in task.catalog.all().filter(|ix| !task.catalog.get(*ix).permitted()) {
        let name = &task.catalog.get(ix).wire_name;
        assert_eq!(task.exposure.level(ix), Level::Named);
        let schema = format!("\"name\":\"{name}\"");
        assert!(!task.said.iter().any(|said| said.contains(&schema)), "{name} was shown");
        for surface in &task.surfaces {
            assert!(!surface.prefix.tools.iter().any(|tool| tool.name == *name), "{name} is in the array");
            assert!(!word(&surface.prefix.system, name), "{name} is in the catalogue");
        }
        assert!(!tails.iter().any(|tail| word(tail, name)), "{name} is in the tail");
    }
}

fn word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let around = [text[..at].chars().next_back(), text[at + name.len()..].chars().next()];
        !around.into_iter().flatten().any(part)
    })
}

/// I11: the array is never longer than the vendor takes, nor the tail than its budget and what was asked for.
fn within_limits(task: &Task<'_>, settings: &Settings) {
    let prefix = &task.surfaces[0].prefix;
    assert!(prefix.tools.len() <= settings.max_tools.max(RESERVED.len()), "{} tools", prefix.tools.len());
    let names: std::collections::BTreeSet<&String> = prefix.tools.iter().map(|tool| &tool.name).collect();
    assert_eq!(names.len(), prefix.tools.len(), "two tools of one name in the array");
    let tokens = task.surfaces[0].tokens.prefix;
    assert_eq!(tokens, prefix.tokens());
}

/// The system text speaks of no meta tool the model does not have.
fn speaks_of_what_is_there(task: &Task<'_>, settings: &Settings) {
    let prefix = &task.surfaces[0].prefix;
    let usage = prefix.system.split("# Catalogue of tools").next().unwrap_or_default();
    for name in RESERVED {
        let there = prefix.tools.iter().any(|tool| tool.name == name);
        assert!(there || !usage.contains(name), "{name} is spoken of and not there: {usage}");
        assert!(!there || settings.allows(name), "{name} is there and denied");
    }
}

fn run(catalog: &Catalog, claims: &Claims, settings: &Settings, steps: &[Step]) {
    let mut task = Task::begin(catalog, &evidence(claims, catalog), settings.clone());
    task.surface();
    let (mut levels, mut reach, mut entries) = (task.levels(), task.exposure.reach(), task.exposure.ledger().to_vec());
    for step in steps.iter().chain([&Step::Surface]) {
        task.step(step);
        let now = task.levels();
        assert!(levels.iter().zip(&now).all(|(before, after)| before.1 <= after.1), "I2: a level fell at {step:?}");
        assert!(reach <= task.exposure.reach(), "I2: the reach fell at {step:?}");
        assert!(task.exposure.ledger().starts_with(&entries), "the ledger was rewritten at {step:?}");
        closed(&task);
        (levels, reach, entries) = (now, task.exposure.reach(), task.exposure.ledger().to_vec());
    }
    for surface in &task.surfaces {
        assert!(Arc::ptr_eq(&surface.prefix, &task.surfaces[0].prefix), "I4: another prefix");
        assert_eq!(surface.epoch, 1);
    }
    nothing_disabled(&task);
    within_limits(&task, settings);
    speaks_of_what_is_there(&task, settings);
    every_rise_was_sent(&task);
    no_schema_was_sent_twice(&task);
}

/// I18: a schema stands in the conversation once, and once more at most if it was in brief before.
fn no_schema_was_sent_twice(task: &Task<'_>) {
    let said = task.said.join("\n");
    for (ix, level) in task.levels() {
        let start = format!("{{\"name\":\"{}\",\"description\"", task.catalog.get(ix).wire_name);
        let sent: Vec<&str> = said.match_indices(&start).map(|(at, _)| &said[at..]).collect();
        let native = task.surfaces[0].shown.iter().any(|shown| shown.tool == ix && task.exposure.in_array(ix));
        assert!(sent.len() <= if native { 1 } else { 2 }, "{ix:?} at {level:?} was sent {} times", sent.len());
        if let [first, second] = sent[..] {
            let object = |text: &str| serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().next();
            let both = [first, second].map(|text| object(text).expect("an object").expect("valid JSON"));
            assert_ne!(both[0], both[1], "{ix:?} was sent twice alike");
        }
    }
}

/// Every schema that rose is in the array, the tails or the answers.
fn every_rise_was_sent(task: &Task<'_>) {
    for shown in task.exposure.shown() {
        let name = &task.catalog.get(shown.tool).wire_name;
        let in_array = task.surfaces[0].prefix.tools.iter().any(|tool| tool.name == *name);
        let schema = format!("{{\"name\":\"{name}\",\"description\"");
        assert!(in_array || task.said.iter().any(|said| said.contains(&schema)), "{name} rose and was never shown");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_happens_breaks_a_promise(
        sketches in sketches(), claims in claims(), settings in settings(), steps in steps(),
    ) {
        run(&catalog(&sketches), &claims, &settings, &steps);
    }

    /// I3.
    #[test]
    fn evidence_only_adds(sketches in sketches(), claims in claims(), settings in settings()) {
        let catalog = catalog(&sketches);
        let without = Exposure::begin(&catalog, &Evidence::default(), settings.clone());
        let with = Exposure::begin(&catalog, &evidence(&claims, &catalog), settings);
        prop_assert_eq!(with.transport(), without.transport());
        for ix in catalog.all() {
            prop_assert!(with.level(ix) >= without.level(ix), "{:?}", ix);
            prop_assert!(!without.in_array(ix) || with.in_array(ix), "{:?} left the array", ix);
        }
    }

    /// I6, and the same input gives the same bytes.
    #[test]
    fn the_order_of_arrival_changes_nothing(
        sketches in sketches(), claims in claims(), settings in settings(), steps in steps(), turn in 0..300usize,
    ) {
        let mut shuffled = entries(&sketches);
        let size = shuffled.len();
        shuffled.rotate_left(turn % size);
        shuffled[..size / 2].reverse();
        let sent = |catalog: &Catalog| {
            let mut task = Task::begin(catalog, &evidence(&claims, catalog), settings.clone());
            task.surface();
            steps.iter().chain([&Step::Surface]).for_each(|step| task.step(step));
            (task.bytes(), format!("{:?}", task.exposure.ledger()))
        };
        let (other, _) = Catalog::build(shuffled);
        prop_assert_eq!(sent(&catalog(&sketches)), sent(&other));
    }

    /// I18: a second time nothing is given again, whoever asks.
    #[test]
    fn showing_twice_costs_one_line(sketches in sketches(), at in any::<proptest::sample::Index>(), settings in settings()) {
        let catalog = catalog(&sketches);
        let tool = ToolIx(at.index(catalog.tools().len()) as u32);
        prop_assume!(catalog.get(tool).permitted());
        let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
        exposure.surface(&catalog);
        exposure.reveal(&catalog, &[tool], winclaw_exposure::Because::Asked);
        let again = exposure.reveal(&catalog, &[tool], winclaw_exposure::Because::Asked).text;
        prop_assert!(!again.contains("parameters") && again.lines().count() == 1, "{}", again);
        let found = exposure.search_answer(&catalog, &[tool], "it").text;
        prop_assert!(!found.contains("\"parameters\"") && found.contains(&catalog.get(tool).wire_name), "{}", found);
        prop_assert_eq!(exposure.searches_without_news(), 1);
    }

    /// I16: what is disabled while a task runs goes, with a new epoch and a cause; nothing else does.
    #[test]
    fn a_permission_taken_away_wins_over_the_ledger(
        mut sketches in sketches(), at in any::<proptest::sample::Index>(), claims in claims(), settings in settings(), steps in steps(),
    ) {
        let before = catalog(&sketches);
        let at = at.index(sketches.len());
        let tool = before.ix(&crate::support::id(&sketches, at)).expect("every toy tool is in the catalog");
        prop_assume!(before.get(tool).permitted());
        sketches[at].disable();
        let after = catalog(&sketches);
        let mut task = Task::begin(&before, &evidence(&claims, &before), settings);
        task.surface();
        steps.iter().for_each(|step| task.step(step));
        let levels = task.levels();
        let told = task.said.len();
        task.catalog = &after;
        task.surface();
        task.surface();
        nothing_disabled_since(&task, told, tool);
        let last = task.surfaces.last().expect("a surface");
        prop_assert_eq!(last.epoch, 2);
        let ledger = task.exposure.ledger();
        let revoked = Event::Revoked { tool };
        prop_assert!(ledger.iter().any(|entry| entry.event == revoked));
        prop_assert!(levels.iter().all(|(ix, level)| *ix == tool || task.exposure.level(*ix) >= *level));
        closed(&task);
    }
}

fn nothing_disabled_since(task: &Task<'_>, told: usize, tool: ToolIx) {
    let name = &task.catalog.get(tool).wire_name;
    let prefix = &task.surfaces.last().expect("a surface").prefix;
    assert_eq!(task.exposure.level(tool), Level::Named);
    assert!(!prefix.tools.iter().any(|spec| spec.name == *name) && !word(&prefix.system, name));
    assert!(!task.said[told..].iter().any(|said| word(said, name)));
}

/// The catalogue keeps to its budget in every step and names every category whatever it takes.
#[test]
fn the_catalogue_fits_its_budget_and_names_every_category() {
    for size in [1, 10, 60, 200, 600, 1_500] {
        let catalog = catalog(&crate::support::many(size));
        for catalogue_tokens in [0, 50, 400, 1_500, 6_000, 200_000] {
            let mut settings = Settings { transport: Some(winclaw_exposure::Transport::Bridge), ..Settings::default() };
            settings.budgets.catalogue_tokens = catalogue_tokens;
            settings.budgets.catalogue_percent = 100;
            let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
            let prefix = exposure.surface(&catalog).prefix;
            let catalogue = prefix.system.split("# Catalogue of tools\n").nth(1).expect("a catalogue");
            let filled = |tools: &Vec<ToolIx>| tools.iter().any(|ix| catalog.get(*ix).permitted());
            for (category, _) in catalog.categories().iter().filter(|(_, tools)| filled(tools)) {
                assert!(catalogue.lines().any(|line| line.starts_with(&format!("{category} ("))), "{category}");
            }
            let bare = catalog.categories().len() as u32 * 24;
            assert!(
                estimate_tokens(catalogue) <= catalogue_tokens.max(bare),
                "{size} tools, {catalogue_tokens} tokens"
            );
        }
    }
}

#[test]
fn without_evidence_the_reach_is_wider_and_the_categories_are_offered_as_guesses() {
    let catalog = catalog(&crate::support::many(200));
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), Settings::default());
    assert_eq!(exposure.reach(), Reach::Extended);
    let first = exposure.surface(&catalog).tail.expect("a menu");
    assert!(first.contains("Guesses by category") && first.contains("office"), "{first}");
    exposure.observe(&catalog, &Evidence::default());
    assert_eq!(exposure.surface(&catalog).tail, None, "nothing changed, so nothing is said");
    assert!(meta::specs(&Settings::default()).len() == 4);
}
