//! What must hold after anything that may happen in a task.

use std::collections::BTreeSet;

use proptest::prelude::*;
use winclaw_catalog::ToolIx;
use winclaw_catalog::evidence::Evidence;
use winclaw_exposure::{Because, Event, Exposure, Level, Native, Reach, Settings, Transport, estimate_tokens, meta};

use crate::promises::{Before, a_prefix_is_sound, every_rise_was_sent, hold_after, no_schema_was_sent_twice};
use crate::support::{CHANGES, Claims, Sketch, Step, at, catalog, claims, evidence, settings, sketches, steps};
use crate::task::{Task, has_word};
use crate::toy::tool;

fn run(sketches: &[Sketch], claims: &Claims, settings: &Settings, steps: &[Step]) {
    let mut task = Task::begin(sketches, claims, settings);
    a_prefix_is_sound(&task, &task.prefix());
    task.surface();
    let mut used = BTreeSet::new();
    for step in steps.iter().chain([&Step::Surface]) {
        let before = Before::of(&task, &used);
        note_used(&task, step, &mut used);
        task.step(step);
        hold_after(&task, step, &before);
        used.retain(|name: &String| {
            task.catalog.tools().iter().any(|tool| tool.wire_name == *name && tool.permitted())
        });
    }
    every_rise_was_sent(&task);
    no_schema_was_sent_twice(&task);
}

fn note_used(task: &Task, step: &Step, used: &mut BTreeSet<String>) {
    match step {
        Step::Learn(1, n) => {
            used.extend(task.catalog.tools().get(at(&task.catalog, *n).index()).map(|tool| tool.wire_name.clone()))
        }
        Step::Reset(_) => used.clear(),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// I2, I4, I5, I7, I8, I11, I15, I16 and I18 after every step; every rise is in the next payload.
    #[test]
    fn nothing_that_happens_breaks_a_promise(
        sketches in sketches(), claims in claims(), settings in settings(), steps in steps(),
    ) {
        run(&sketches, &claims, &settings, &steps);
    }
}

proptest! {
    // A case of thousands of tools takes as long as many small ones.
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 64, ..ProptestConfig::default() })]

    /// The same with up to 5,000 tools.
    #[test]
    fn nothing_that_happens_breaks_a_promise_among_thousands(
        size in 1_000..=5_000_usize, claims in claims(), settings in settings(), steps in steps(),
    ) {
        run(&crate::support::many(size), &claims, &settings, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

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
        sketches in sketches(), claims in claims(), settings in settings(), steps in steps(), turn in 1..300usize,
    ) {
        let sent = |turn| {
            let mut task = Task::begin_turned(&sketches, &claims, &settings, turn);
            task.surface();
            steps.iter().chain([&Step::Surface]).for_each(|step| task.step(step));
            (task.bytes(), format!("{:?}", task.exposure.ledger()))
        };
        prop_assert_eq!(sent(0), sent(turn));
    }

    /// I18: a second time nothing is given again, whoever asks.
    #[test]
    fn showing_twice_costs_one_line(sketches in sketches(), at in any::<proptest::sample::Index>(), settings in settings()) {
        let catalog = catalog(&sketches);
        let tool = ToolIx(at.index(catalog.tools().len()) as u32);
        prop_assume!(catalog.get(tool).permitted());
        let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
        exposure.surface(&catalog);
        exposure.reveal(&catalog, &[tool], Because::Asked);
        let again = exposure.reveal(&catalog, &[tool], Because::Asked);
        prop_assert!(!again.text.contains("parameters") && again.text.lines().count() == 1, "{}", again.text);
        let found = exposure.search_answer(&catalog, &[tool], "it");
        prop_assert!(!found.text.contains("\"parameters\"") && found.text.contains(&catalog.get(tool).wire_name), "{}", found.text);
        prop_assert!(again.reveals.is_empty() && found.reveals.is_empty());
        prop_assert_eq!(exposure.searches_without_news(), 1);
    }

    /// I16: what is disabled while a task runs goes, with a new epoch and a cause; nothing else does.
    #[test]
    fn a_permission_taken_away_wins_over_the_ledger(
        mut sketches in sketches(), at in any::<proptest::sample::Index>(), claims in claims(), settings in settings(), steps in steps(),
    ) {
        // The host only notices that a tool is disabled now: the list of tools did not change.
        let steps: Vec<Step> = steps.into_iter().filter(|step| !matches!(step, Step::Adopt(_))).collect();
        let at = at.index(sketches.len());
        let mut task = Task::begin(&sketches, &claims, &settings);
        let tool = task.catalog.ix(&crate::support::id(&sketches, at)).expect("every toy tool is in the catalog");
        prop_assume!(task.catalog.get(tool).permitted());
        task.surface();
        steps.iter().for_each(|step| task.step(step));
        let (levels, told, epoch) = (task.levels(), task.said.len(), task.surface().epoch);
        sketches[at].disable();
        task.catalog = catalog(&sketches);
        task.surface();
        let name = task.name(tool).to_owned();
        let last = task.surface();
        prop_assert_eq!(last.epoch, epoch + 1);
        prop_assert!(!last.prefix.tools.iter().chain(&last.prefix.deferred).any(|spec| spec.name == name));
        prop_assert!(!has_word(&last.prefix.system, &name));
        prop_assert!(!task.said[told..].iter().skip(1).any(|said| has_word(&said.text, &name)));
        let revoked = Event::Revoked { tool };
        prop_assert!(task.exposure.ledger().iter().any(|entry| entry.event == revoked));
        prop_assert_eq!(task.exposure.level(tool), Level::Named);
        prop_assert!(levels.iter().all(|(other, level)| *other == name || task.levels()[other] >= *level));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// I15.
    #[test]
    fn after_a_compaction_what_was_used_is_at_hand(
        sketches in sketches(), claims in claims(), settings in settings(), tools in prop::collection::vec(any::<u16>(), 1..6), told in any::<bool>(),
    ) {
        let mut task = Task::begin(&sketches, &claims, &Settings { denied_meta: Vec::new(), ..settings });
        task.surface();
        let mut used = BTreeSet::new();
        for step in tools.into_iter().map(|n| Step::Learn(1, n)).chain(told.then_some(Step::Surface)).chain([Step::Compacted]) {
            note_used(&task, &step, &mut used);
            used.retain(|name| task.catalog.tools().iter().any(|tool| tool.wire_name == *name && tool.permitted()));
            let before = Before::of(&task, &used);
            task.step(&step);
            hold_after(&task, &step, &before);
        }
    }

    /// A result refers only to what stands in the request, also when the list of tools changed since; and a model that does
    /// not know the vendor's blocks is shown again what they had shown.
    #[test]
    fn what_a_block_reveals_is_there_for_whoever_reads_it(
        sketches in sketches(), changes in prop::collection::vec((any::<u16>(), 0..CHANGES), 1..12),
        native in prop_oneof![Just(Native::References), Just(Native::SearchResult)], asked in prop::collection::vec(any::<u16>(), 1..5),
    ) {
        let settings = Settings { transport: Some(Transport::Native), native: Some(native), ..Settings::default() };
        let mut task = Task::begin(&sketches, &Claims::none(), &settings);
        task.surface();
        let newest: Vec<Step> = (0..4).map(|at| Step::Details(vec![at, at + 4])).collect();
        let ask = [Step::Details(asked), Step::Surface, Step::Adopt(changes)];
        let other = [Step::Surface, Step::Switch(Box::new(Settings { native: None, ..settings })), Step::Surface];
        for step in ask.iter().chain(&newest).chain(&other) {
            let before = Before::of(&task, &BTreeSet::new());
            task.step(step);
            hold_after(&task, step, &before);
        }
        every_rise_was_sent(&task);
    }
}

/// The catalogue keeps to its budget in every step and names every category whatever it takes.
#[test]
fn the_catalogue_fits_its_budget_and_names_every_category() {
    for size in [1, 10, 60, 600] {
        let catalog = catalog(&crate::support::many(size));
        for catalogue_tokens in [0, 50, 400, 6_000, 200_000] {
            let mut settings = Settings { transport: Some(Transport::Bridge), ..Settings::default() };
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

/// Categories beyond any budget are folded into families, every one of which is named as long as they fit in turn.
#[test]
fn too_many_categories_are_named_by_family_and_a_family_can_be_searched() {
    let category = |n: usize| format!("{}{}/area {n}", ["office", "garden", "music"][n % 3], n % 50 / 3);
    let entry = |n: usize| tool(&format!("s.t{n}"), serde_json::json!({"category": category(n)}));
    let catalog = crate::toy::catalog((0..3_000).map(entry).collect());
    for window_tokens in [1_000, 8_000, 128_000] {
        let settings = Settings { window_tokens, ..crate::toy::bridge() };
        let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
        let prefix = exposure.surface(&catalog).prefix;
        let catalogue = prefix.system.split("# Catalogue of tools\n").nth(1).expect("a catalogue");
        let least = 600.min(window_tokens / 10);
        assert!(estimate_tokens(catalogue) <= least.max(window_tokens / 25), "{window_tokens}: {catalogue}");
        let complete = !catalogue.contains("more categories");
        assert_eq!(complete, window_tokens > 1_000);
        assert!(!complete || catalogue.lines().count() == 51, "{catalogue}");
        assert!(catalogue.contains("/… (") && !catalogue.contains("area"), "{catalogue}");
    }
    let of_family = meta::within(&catalog, Vec::new(), Some("Music0/…"));
    let all = catalog.categories().iter().filter(|(name, _)| name.starts_with("music0/")).flat_map(|(_, tools)| tools);
    assert_eq!(of_family, all.copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    assert!(!of_family.is_empty());
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
