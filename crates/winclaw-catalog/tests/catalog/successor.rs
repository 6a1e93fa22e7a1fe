//! A tool known once is known for good.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::{Catalog, Resolution, State, ToolEntry};
use winclaw_tool::{Text, ToolId};

use crate::support::{any_entries, build, entry, ids, ix};

/// What was offered before, what is offered now, and the latter in another order. Half of it stays as it was.
fn two_offers() -> impl Strategy<Value = (Vec<ToolEntry>, Vec<ToolEntry>, Vec<ToolEntry>)> {
    let offers = (any_entries(), any_entries(), any::<u32>());
    offers.prop_flat_map(|(before, new, stay)| {
        let stays = |(at, _): &(usize, &ToolEntry)| stay >> (at % 32) & 1 == 1;
        let kept = before.iter().enumerate().filter(stays).map(|(_, entry)| entry.clone());
        let now: Vec<ToolEntry> = kept.chain(new).collect();
        (Just(before), Just(now.clone()), Just(now).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_old_tool_is_at_its_mapped_place_under_its_old_names((before, now, _) in two_offers()) {
        let (old, _) = Catalog::build(before);
        let (new, _, map) = old.successor(now);
        prop_assert_eq!(map.len(), old.tools().len());
        for ix in old.all() {
            let (was, is) = (old.get(ix), new.get(map[ix.index()]));
            prop_assert_eq!((&was.id, &was.wire_name), (&is.id, &is.wire_name));
            prop_assert_eq!(new.resolve(&was.wire_name), Resolution::One(map[ix.index()]));
        }
    }

    /// Offered tools are as in a catalog of their own; all others are as they were, and say that they are gone.
    #[test]
    fn what_is_offered_is_new_and_what_is_not_is_kept_unavailable((before, now, _) in two_offers()) {
        let (old, _) = Catalog::build(before);
        let (own, problems) = Catalog::build(now.clone());
        let (new, found, _) = old.successor(now);
        for tool in new.tools() {
            let offered = own.ix(&tool.id).map(|ix| own.get(ix));
            let kept = old.ix(&tool.id).map(|ix| old.get(ix));
            let source = offered.or(kept).expect("offered or kept");
            prop_assert_eq!((&tool.manifest, &tool.fingerprint), (&source.manifest, &source.fingerprint));
            let gone = matches!(&tool.state, State::Unavailable { why, retryable: true } if why.en.contains("no longer offers"));
            let off = matches!((&tool.state, &source.state), (State::Disabled { .. }, State::Disabled { .. }));
            prop_assert!(if offered.is_some() { tool.state == source.state } else { gone || off }, "{:?}", tool.state);
        }
        let said: BTreeSet<(&String, &String)> = found.iter().map(|problem| (&problem.subject, &problem.what.en)).collect();
        let own: BTreeSet<(&String, &String)> = problems.iter().map(|problem| (&problem.subject, &problem.what.en)).collect();
        prop_assert!(said.is_subset(&own), "an old tool can lend an edge its end, but brings no problem: {:?}", said);
    }

    /// I6.
    #[test]
    fn the_order_of_what_is_offered_changes_nothing((before, now, shuffled) in two_offers()) {
        let (old, _) = Catalog::build(before);
        prop_assert_eq!(old.successor(now), old.successor(shuffled));
    }

    #[test]
    fn what_is_offered_again_is_as_if_it_had_never_gone(entries in any_entries()) {
        let (first, problems) = Catalog::build(entries.clone());
        let (gone, silent, there) = first.successor(Vec::new());
        let (back, again, _) = gone.successor(entries);
        prop_assert_eq!(there, first.all().collect::<Vec<_>>());
        prop_assert_eq!(silent, vec![]);
        prop_assert_eq!((back, again), (first, problems));
    }
}

fn state(catalog: &Catalog, id: &str) -> State {
    catalog.get(ix(catalog, id)).state.clone()
}

#[test]
fn a_tool_goes_and_comes_back_and_is_reached_all_the_while() {
    let (old, _) = build(&[("sky.forecast", json!({"depends_on": ["history"]})), ("sky.history", json!({}))]);
    let (without, problems, _) = old.successor(vec![entry("sky.forecast", json!({"depends_on": ["history"]}))]);
    assert_eq!(problems, [], "what it depends on is still known");
    assert!(matches!(state(&without, "sky.history"), State::Unavailable { retryable: true, .. }));
    assert_eq!(ids(&without, without.requires(ix(&without, "sky.forecast"))), ["sky.history"]);
    let (back, _, _) = without.successor(vec![entry("sky.history", json!({}))]);
    assert_eq!(state(&back, "sky.history"), State::Ready);
    assert!(matches!(state(&back, "sky.forecast"), State::Unavailable { .. }));
}

#[test]
fn a_changed_manifest_has_a_new_fingerprint_and_a_new_place_only_by_its_id() {
    let (old, _) = build(&[("m.one", json!({})), ("m.two", json!({}))]);
    let changed = json!({"parameters": {"type": "object", "properties": {"town": {"type": "string"}}}});
    let (new, _, map) = old.successor(vec![
        entry("m.two", changed),
        entry("a.first", json!({})),
        entry("m.one", json!({"examples": ["do one"]})),
    ]);
    let print = |catalog: &Catalog, id| catalog.get(ix(catalog, id)).fingerprint.clone();
    assert_ne!(print(&old, "m.two"), print(&new, "m.two"));
    assert_eq!(print(&old, "m.one"), print(&new, "m.one"), "a model was never shown the examples");
    assert_eq!(ids(&new, &map), ["m.one", "m.two"]);
    assert_eq!(map[0], ix(&new, "m.one"));
}

#[test]
fn a_tool_whose_schema_became_useless_takes_any_object_and_is_reported() {
    let (old, _) = build(&[("sky.forecast", json!({}))]);
    let (new, problems, _) = old.successor(vec![entry("sky.forecast", json!({"parameters": {"type": "string"}}))]);
    assert!(problems.len() == 1 && !problems[0].fatal, "{problems:?}");
    let tool = &new.tools()[0];
    assert_eq!((&tool.state, &tool.manifest.parameters["properties"]), (&State::Ready, &json!({})));
    assert_ne!(tool.fingerprint, old.tools()[0].fingerprint, "who has read the old schema is shown the new one");
}

#[test]
fn a_disabled_tool_that_goes_stays_disabled() {
    let mut off = entry("sky.forecast", json!({}));
    off.state = State::Disabled { why: Text::new("policy", "规定") };
    let (old, _) = Catalog::build(vec![off.clone()]);
    let (new, _, _) = old.successor(Vec::new());
    assert_eq!(new.tools()[0].state, off.state);
}

/// The two ids of `wire.rs` whose hashes clash in 32 bits: a newcomer never takes a name that is in use.
#[test]
fn a_newcomer_that_clashes_takes_another_name() {
    let [one, two] = [6_219, 111_931].map(|number| format!("s.{}{number}", "x".repeat(60)));
    let (old, _) = build(&[(&one, json!({}))]);
    let (new, _, map) = old.successor(vec![entry(&two, json!({})), entry(&one, json!({}))]);
    assert_eq!(new.get(map[0]).wire_name, old.tools()[0].wire_name);
    let newcomer = new.ix(&ToolId::parse(&two).expect("an id")).expect("it is known");
    assert_ne!(new.get(newcomer).wire_name, old.tools()[0].wire_name);
}
