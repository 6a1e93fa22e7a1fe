//! I1 and I17: whatever the evidence says and whatever is denied, every permitted tool is reached.

use crate::model::{Host, Search, Wanted, extra_turns};
use crate::support::{Claims, Sketch, catalog, claims, evidence, id, many, need, settings, sketches};
use proptest::prelude::*;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, Resolution, State, ToolIx};
use winclaw_exposure::{Exposure, HowToReach, Settings};

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

fn check(sketches: &[Sketch], at: usize, claims: &Claims, settings: Settings, decoys: Option<usize>) {
    let catalog = catalog(sketches);
    let Some(wanted) = wanted(&catalog, sketches, at) else {
        return;
    };
    let exposure = Exposure::begin(&catalog, &evidence(claims, &catalog), settings);
    let how = exposure.how_to_reach(&catalog, wanted.tool);
    let promised = how.extra_turns().expect("a permitted tool can be reached");
    let search = search(&catalog, wanted.tool, decoys);
    match extra_turns(Host { catalog: &catalog, exposure, search }, &wanted) {
        Ok(turns) => assert!(turns <= promised, "{turns} extra turns for {how:?}"),
        Err(why) => panic!("{} as {how:?}: {why}", catalog.get(wanted.tool).id),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_model_that_knows_only_what_it_was_shown_reaches_any_tool(
        sketches in sketches(), at in any::<proptest::sample::Index>(), claims in claims(), settings in settings(),
        decoys in proptest::option::of(0..150usize),
    ) {
        check(&sketches, at.index(sketches.len()), &claims, settings, decoys);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_exact_name_is_enough(sketches in sketches(), at in any::<proptest::sample::Index>(), claims in claims(), settings in settings()) {
        let catalog = catalog(&sketches);
        let tool = catalog.ix(&id(&sketches, at.index(sketches.len()))).expect("every toy tool is in the catalog");
        let exposure = Exposure::begin(&catalog, &evidence(&claims, &catalog), settings);
        let known = catalog.get(tool);
        for name in [known.id.as_str(), &known.wire_name] {
            prop_assert_eq!(catalog.resolve(name), Resolution::One(tool));
        }
        prop_assert_eq!(exposure.state_answer(&catalog, tool).is_none(), known.state == State::Ready);
    }
}

/// Two thousand tools, most of which the catalogue can only count; a few of them wanted, by search and by category.
#[test]
fn two_thousand_tools_are_reached_too() {
    let sketches = many(2_000);
    let catalog = catalog(&sketches);
    let prepared = std::sync::Arc::new(winclaw_exposure::Prepared::new(&catalog));
    let mut seen = std::collections::BTreeSet::new();
    for at in (0..2_000).step_by(211) {
        for decoys in [None, Some(40)] {
            let Some(wanted) = wanted(&catalog, &sketches, at) else {
                continue;
            };
            let exposure = Exposure::begin_prepared(&catalog, &prepared, &Evidence::default(), Settings::default());
            let how = exposure.how_to_reach(&catalog, wanted.tool);
            seen.insert(how);
            let search = search(&catalog, wanted.tool, decoys);
            let turns = extra_turns(Host { catalog: &catalog, exposure, search }, &wanted).expect("it is reached");
            assert!(Some(turns) <= how.extra_turns(), "{turns} for {how:?}");
        }
    }
    assert!(seen.contains(&HowToReach::Search), "the catalogue must have had to be shortened: {seen:?}");
}
