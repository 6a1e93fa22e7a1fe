//! I1 and I17: whatever the evidence says, whatever happened and whatever is denied, every permitted tool is reached, by
//! models of every kind.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::names::fold;
use winclaw_catalog::{Catalog, RESERVED, Resolution, State, ToolIx};
use winclaw_exposure::{Exposure, HowToReach, Native, Prepared, Settings, Signal, Transport};

use crate::model::{Conversation, Host, Mind, Reached, Search, Wanted, arguments_for, reach};
use crate::support::{Claims, Sketch, catalog, claims, evidence, id, many, need, settings, sketches, steps};
use crate::task::Task;

fn wanted<'a>(catalog: &'a Catalog, sketches: &[Sketch], at: usize) -> Option<Wanted<'a>> {
    let tool = catalog.ix(&id(sketches, at)).expect("every toy tool is in the catalog");
    let known = catalog.get(tool);
    let ready = known.state == State::Ready;
    let category = &known.manifest.category;
    ready.then(|| Wanted { tool, need: need(at), name: &known.wire_name, category })
}

/// A search that finds the tool behind `decoys` others, or finds nothing by words at all.
fn search(catalog: &Catalog, tool: ToolIx, decoys: Option<usize>) -> Search {
    match decoys {
        None => Search::Nothing,
        Some(decoys) => {
            Search::Finds(catalog.permitted().filter(|ix| *ix != tool).take(decoys).chain([tool]).collect())
        }
    }
}

fn host<'a>(catalog: &'a Catalog, exposure: &Exposure, tool: ToolIx, decoys: Option<usize>) -> Host<'a> {
    let (exposure, search) = (exposure.clone(), search(catalog, tool, decoys));
    Host { catalog, exposure, search, conversation: Conversation::default() }
}

/// What was promised for the tool, and what it took.
fn try_it(
    catalog: &Catalog,
    exposure: &Exposure,
    wanted: &Wanted<'_>,
    decoys: Option<usize>,
    mind: &Mind,
) -> (HowToReach, Reached) {
    let how = exposure.how_to_reach(catalog, wanted.tool);
    match reach(host(catalog, exposure, wanted.tool, decoys), wanted, mind) {
        Ok(reached) => (how, reached),
        Err(why) => panic!("{} as {how:?} by {mind:?}: {why}", wanted.name),
    }
}

fn check(sketches: &[Sketch], at: usize, claims: &Claims, settings: &Settings, decoys: Option<usize>, mind: &Mind) {
    let catalog = catalog(sketches);
    let Some(wanted) = wanted(&catalog, sketches, at) else {
        return;
    };
    let exposure = Exposure::begin(&catalog, &evidence(claims, &catalog), settings.clone());
    let (how, reached) = try_it(&catalog, &exposure, &wanted, decoys, mind);
    assert!(reached.keeps(how.extra_turns()), "{reached:?} for {how:?} by {mind:?}");
}

/// Names by which a model may remember a tool.
fn remembered(catalog: &Catalog, tool: ToolIx, kind: usize) -> String {
    let tool = catalog.get(tool);
    match kind {
        0 => tool.id.to_string(),
        1 => tool.wire_name.clone(),
        2 => fold(tool.id.as_str()),
        3 => tool.id.name().to_uppercase(),
        4 => format!("functions.{}:3", tool.wire_name),
        _ => tool.id.name().replace('_', "-"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_model_that_knows_only_what_it_was_shown_reaches_any_tool(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(),
        decoys in proptest::option::of(0..150usize),
    ) {
        check(&sketches, at.index(sketches.len()), &claims, &settings, decoys, &Mind::Plain);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_model_that_always_picks_wrong_first_loses_only_those_turns(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(),
        decoys in proptest::option::of(0..150usize),
    ) {
        check(&sketches, at.index(sketches.len()), &claims, &settings, decoys, &Mind::WrongFirst);
    }

    /// Its words find nothing, and it is led on by category.
    #[test]
    fn a_model_that_searches_in_another_language_loses_one_turn(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(),
    ) {
        check(&sketches, at.index(sketches.len()), &claims, &settings, None, &Mind::Chinese);
    }

    /// A remembered name is never a dead end: it runs at once if it can mean one tool only and the arguments are right;
    /// else the answer shows the way.
    #[test]
    fn a_model_that_calls_by_remembered_names_is_understood_or_led_on(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(), kind in 0..6usize, knows in any::<bool>(),
    ) {
        let at = at.index(sketches.len());
        let catalog = catalog(&sketches);
        let Some(wanted) = wanted(&catalog, &sketches, at) else { return Ok(()) };
        let exposure = Exposure::begin(&catalog, &evidence(&claims, &catalog), settings);
        let name = remembered(&catalog, wanted.tool, kind);
        let arguments = if knows { arguments_for(&catalog.get(wanted.tool).manifest.parameters) } else { json!({}) };
        let (how, reached) = try_it(&catalog, &exposure, &wanted, None, &Mind::Remembers(name.clone(), arguments));
        match catalog.resolve(&name) {
            Resolution::One(_) if knows => prop_assert_eq!(reached.turns, 0, "{}", name),
            Resolution::One(_) => prop_assert!(reached.turns <= 1, "{} took {:?}", name, reached),
            Resolution::Many(_) => prop_assert!(reached.turns <= 2, "{} took {:?}", name, reached),
            Resolution::Unknown { .. } => prop_assert!(Some(reached.turns) <= how.extra_turns().map(|turns| turns + 1)),
        }
    }

    /// What is named needs no search; for the rest it is enough that the user says a name.
    #[test]
    fn a_model_that_never_searches_reaches_what_is_named_or_what_the_user_names(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(),
    ) {
        let catalog = catalog(&sketches);
        let Some(wanted) = wanted(&catalog, &sketches, at.index(sketches.len())) else { return Ok(()) };
        let mut exposure = Exposure::begin(&catalog, &evidence(&claims, &catalog), settings);
        if exposure.how_to_reach(&catalog, wanted.tool) == HowToReach::Search {
            exposure.learn(&catalog, Signal::UserNamed(wanted.tool));
        }
        let mut host = host(&catalog, &exposure, wanted.tool, None);
        host.conversation.text = format!("the user: please use {}", wanted.name);
        let reached = reach(host, &wanted, &Mind::NeverSearches);
        prop_assert!(reached.as_ref().is_ok_and(|reached| reached.turns <= 1), "{:?}", reached);
    }

    #[test]
    fn an_exact_name_is_enough(sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings()) {
        let catalog = catalog(&sketches);
        let tool = catalog.ix(&id(&sketches, at.index(sketches.len()))).expect("every toy tool is in the catalog");
        let exposure = Exposure::begin(&catalog, &evidence(&claims, &catalog), settings);
        let known = catalog.get(tool);
        for name in [known.id.as_str(), &known.wire_name] {
            prop_assert_eq!(catalog.resolve(name), Resolution::One(tool));
        }
        prop_assert_eq!(exposure.state_answer(&catalog, tool).is_none(), known.state == State::Ready);
    }

    /// Whatever happened before: compactions, other models, further requests, tool lists that changed.
    #[test]
    fn after_anything_that_happened_every_tool_is_still_reached(
        sketches in sketches(), at in any::<Index>(), claims in claims(), settings in settings(), steps in steps(),
        decoys in proptest::option::of(0..150usize),
    ) {
        let mut task = Task::begin(&sketches, &claims, &settings);
        task.surface();
        steps.iter().for_each(|step| task.step(step));
        let at = at.index(task.sketches.len());
        // The last list was offered with the last change, so a newcomer may not be known yet.
        let known = task.catalog.ix(&id(&task.sketches, at)).is_some();
        let Some(wanted) = known.then(|| wanted(&task.catalog, &task.sketches, at)).flatten() else { return Ok(()) };
        let mut host = host(&task.catalog, &task.exposure, wanted.tool, decoys);
        host.conversation.text = task.said[task.texts_from..].iter().map(|said| format!("{}\n", said.text)).collect();
        host.conversation.revealed = task.said[task.blocks_from..].iter().flat_map(|said| said.reveals.clone()).collect();
        let how = task.exposure.how_to_reach(&task.catalog, wanted.tool);
        let reached = reach(host, &wanted, &Mind::Plain);
        prop_assert!(reached.as_ref().is_ok_and(|reached| reached.keeps(how.extra_turns())), "{:?} {:?}", how, reached);
    }
}

/// Every way of revealing, and every meta tool denied or not.
fn every_setting() -> impl Iterator<Item = Settings> {
    let ways = [
        (Some(Transport::Direct), None),
        (Some(Transport::Bridge), None),
        (Some(Transport::Native), Some(Native::References)),
        (Some(Transport::Native), Some(Native::SearchResult)),
        (None, None),
    ];
    ways.into_iter().flat_map(|(transport, native)| {
        (0..16u32).map(move |bits| {
            let denied = RESERVED.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            let denied_meta = denied.map(|(_, name)| (*name).to_owned()).collect();
            Settings { transport, native, denied_meta, ..Settings::default() }
        })
    })
}

/// I17, one subset after the other; the catalogue can name all tools, or only count most of them.
#[test]
fn every_subset_of_denied_meta_tools_leaves_every_tool_in_reach() {
    let sketches = many(100);
    let catalog = catalog(&sketches);
    let prepared = Arc::new(Prepared::new(&catalog));
    for catalogue_tokens in [150, 20_000] {
        for mut settings in every_setting() {
            settings.budgets.catalogue_tokens = catalogue_tokens;
            let exposure = Exposure::begin_prepared(&catalog, &prepared, &Evidence::default(), settings.clone());
            for at in [1, 99] {
                let Some(wanted) = wanted(&catalog, &sketches, at) else { continue };
                for mind in [Mind::Plain, Mind::WrongFirst] {
                    let (how, reached) = try_it(&catalog, &exposure, &wanted, None, &mind);
                    assert!(reached.keeps(how.extra_turns()), "{reached:?} for {how:?} by {mind:?} with {settings:?}");
                }
            }
        }
    }
}

/// Five thousand tools, most of which the catalogue can only count, by models of every kind over every transport.
#[test]
fn five_thousand_tools_are_reached_by_every_kind_of_model() {
    let sketches = many(5_000);
    let catalog = catalog(&sketches);
    let prepared = Arc::new(Prepared::new(&catalog));
    let mut seen = BTreeSet::new();
    for settings in every_setting().filter(|settings| settings.denied_meta.is_empty() && settings.transport.is_some()) {
        let exposure = Exposure::begin_prepared(&catalog, &prepared, &Evidence::default(), settings);
        for at in (0..5_000).step_by(2_477) {
            let Some(wanted) = wanted(&catalog, &sketches, at) else { continue };
            // A wrong name is compared with every tool, which takes a while in a build for tests.
            for (decoys, mind) in minds().into_iter().filter(|(_, mind)| *mind != Mind::WrongFirst || at == 0) {
                let (how, reached) = try_it(&catalog, &exposure, &wanted, decoys, &mind);
                seen.insert(how);
                assert!(reached.keeps(how.extra_turns()) && reached.pages == 0, "{reached:?} for {how:?} by {mind:?}");
            }
        }
    }
    assert!(seen.contains(&HowToReach::Search), "the catalogue must have had to be shortened: {seen:?}");
}

fn minds() -> [(Option<usize>, Mind); 4] {
    [(None, Mind::Plain), (Some(40), Mind::Plain), (None, Mind::WrongFirst), (None, Mind::Chinese)]
}
