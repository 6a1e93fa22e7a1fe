//! What a catalog promises, for any tools whatever.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::names::fold;
use winclaw_catalog::{Catalog, RESERVED, Resolution, State, ToolIx};
use winclaw_tool::{ProblemKind, Text, ToolId};

use crate::support::{any_entries, build, entry, ids, ix};

fn is_legal(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// I6.
    #[test]
    fn the_order_of_arrival_changes_nothing(
        (entries, shuffled) in any_entries().prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle()))
    ) {
        prop_assert_eq!(Catalog::build(entries), Catalog::build(shuffled));
    }

    /// I8.
    #[test]
    fn wire_names_are_legal_distinct_and_never_reserved(entries in any_entries()) {
        let (catalog, _) = Catalog::build(entries);
        let names: BTreeSet<&str> = catalog.tools().iter().map(|tool| tool.wire_name.as_str()).collect();
        prop_assert_eq!(names.len(), catalog.tools().len());
        for name in names {
            prop_assert!(is_legal(name), "{}", name);
            prop_assert!(!RESERVED.contains(&name));
        }
    }

    #[test]
    fn a_wire_name_does_not_depend_on_the_other_tools(entries in any_entries()) {
        let (all, _) = Catalog::build(entries.clone());
        for entry in entries {
            let id = entry.id.clone();
            let (alone, _) = Catalog::build(vec![entry]);
            let known = all.ix(&id).map(|ix| &all.get(ix).wire_name);
            prop_assert_eq!(known, Some(&alone.tools()[0].wire_name));
        }
    }

    #[test]
    fn every_tool_is_found_by_its_id_and_its_wire_name(entries in any_entries()) {
        let (catalog, _) = Catalog::build(entries);
        for ix in catalog.all() {
            let tool = catalog.get(ix);
            prop_assert_eq!(catalog.ix(&tool.id), Some(ix));
            prop_assert_eq!(catalog.resolve(tool.id.as_str()), Resolution::One(ix));
            prop_assert_eq!(catalog.resolve(&tool.wire_name), Resolution::One(ix));
        }
    }

    /// However a name is written, the tool is among those it may mean.
    #[test]
    fn every_tool_is_among_those_its_folded_names_mean(entries in any_entries()) {
        let (catalog, _) = Catalog::build(entries);
        for ix in catalog.all() {
            let tool = catalog.get(ix);
            for name in [tool.id.as_str(), &tool.wire_name, tool.id.name()].map(fold) {
                let reserved = RESERVED.iter().any(|reserved| fold(reserved) == name);
                let means = match catalog.resolve(&name) {
                    Resolution::One(one) => one == ix,
                    Resolution::Many(many) => many.contains(&ix) && many.is_sorted(),
                    Resolution::Unknown { .. } => reserved || name.is_empty(),
                };
                prop_assert!(means, "{:?} of {:?}", name, tool.id);
            }
        }
    }

    /// A name is taken for a tool only if one of the tool's names folds like it.
    #[test]
    fn a_similar_name_is_never_taken_for_a_tool(entries in any_entries(), name in prop_oneof!["[a-c._ ]{1,6}", "\\PC{0,8}"]) {
        let (catalog, _) = Catalog::build(entries);
        if let Resolution::One(ix) = catalog.resolve(&name) {
            let tool = catalog.get(ix);
            let own = [tool.id.as_str(), &tool.wire_name, tool.id.name()];
            let same = own.iter().any(|own| fold(own) == fold(&name) || **own == *name.trim());
            prop_assert!(same, "{name:?} was taken for {own:?}");
        }
    }

    #[test]
    fn each_id_stands_once_and_each_copy_is_a_problem(entries in any_entries()) {
        let distinct: BTreeSet<ToolId> = entries.iter().map(|entry| entry.id.clone()).collect();
        let copies = entries.len() - distinct.len();
        let (catalog, problems) = Catalog::build(entries);
        prop_assert_eq!(catalog.tools().len(), distinct.len());
        prop_assert_eq!(problems.iter().filter(|problem| problem.kind == ProblemKind::Duplicate).count(), copies);
    }

    #[test]
    fn a_closure_is_the_least_set_that_is_closed(edges in prop::collection::vec((0..30_usize, 0..30_usize), 0..60)) {
        let catalog = graph(30, &edges);
        for ix in catalog.all() {
            let closure = catalog.closure(ix);
            let mut expected: BTreeSet<ToolIx> = catalog.requires(ix).iter().copied().collect();
            for _ in 0..30 {
                let further: Vec<ToolIx> = expected.iter().flat_map(|&ix| catalog.requires(ix)).copied().collect();
                expected.extend(further);
            }
            expected.remove(&ix);
            prop_assert_eq!(closure, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn texts_are_clean_whatever_was_claimed(description in "(\\PC|[\u{202e}\u{200b}\u{e0041}\u{7}\n]){0,60}", summary in "\\PC{0,300}") {
        let (catalog, _) = build(&[("a.b", json!({"description": description, "summary": summary}))]);
        let manifest = &catalog.tools()[0].manifest;
        let hidden = ['\u{202e}', '\u{200b}', '\u{e0041}', '\u{7}'];
        prop_assert!(!manifest.description.contains(hidden));
        prop_assert!(manifest.summary.en.chars().count() <= 160 && !manifest.summary.en.contains('\n'));
    }
}

/// Tools `g.t000` to `g.tN`, with `requires` edges between them.
fn graph(size: usize, edges: &[(usize, usize)]) -> Catalog {
    let tool = |number: usize| {
        let targets: Vec<String> = edges.iter().filter(|e| e.0 == number).map(|e| format!("t{:03}", e.1)).collect();
        entry(&format!("g.t{number:03}"), json!({"depends_on": targets}))
    };
    Catalog::build((0..size).map(tool).collect()).0
}

#[test]
fn a_ring_of_a_thousand_tools_closes_and_ends() {
    let edges: Vec<(usize, usize)> = (0..1_000).map(|number| (number, (number + 1) % 1_000)).collect();
    assert_eq!(graph(1_000, &edges).closure(ToolIx(7)).len(), 999);
}

#[test]
fn names_resolve_as_models_write_them() {
    let (catalog, _) = build(&[
        ("sky.forecast", json!({"aliases": {"zh": ["天气"]}})),
        ("mail.send", json!({})),
        ("post.send", json!({})),
        ("srv.findSymbol", json!({})),
        ("srv.admin.tools.list", json!({})),
        ("srv.查 天气", json!({})),
        ("srv.ask-user", json!({})),
    ]);
    let one = |id| Resolution::One(ix(&catalog, id));
    let unknown = |ids: &[&str]| Resolution::Unknown { nearest: ids.iter().map(|id| ix(&catalog, id)).collect() };
    let cases = [
        ("sky.forecast", one("sky.forecast")),
        ("sky__forecast", one("sky.forecast")),
        ("functions.sky__forecast", one("sky.forecast")),
        ("functions.sky__forecast:0", one("sky.forecast")),
        (" `sky.forecast ` ", one("sky.forecast")),
        ("\"Sky_Forecast\"", one("sky.forecast")),
        ("forecast", one("sky.forecast")),
        ("functions.forecast", one("sky.forecast")),
        ("find symbol", one("srv.findSymbol")),
        ("srv-find-symbol", one("srv.findSymbol")),
        ("admin.tools.list", one("srv.admin.tools.list")),
        ("查天气", one("srv.查 天气")),
        ("send", Resolution::Many(vec![ix(&catalog, "mail.send"), ix(&catalog, "post.send")])),
        ("srv.ask-user", one("srv.ask-user")),
        ("ask_user", unknown(&[])),
        ("functions.ask_user", unknown(&[])),
        ("", unknown(&[])),
        ("!", unknown(&[])),
        ("zzzqqq", unknown(&[])),
        ("天气", unknown(&["sky.forecast", "srv.查 天气"])),
    ];
    for (name, expected) in cases {
        assert_eq!(catalog.resolve(name), expected, "{name}");
    }
}

#[test]
fn a_guess_is_answered_with_what_is_like_it_but_not_with_what_is_off() {
    let mut hidden = entry("disk.write_fil", json!({}));
    hidden.state = State::Disabled { why: Text::new("off", "关") };
    let (catalog, _) = Catalog::build(vec![
        hidden,
        entry("disk.write_file", json!({})),
        entry("disk.remove", json!({})),
        entry("sky.forecast", json!({})),
    ]);
    for guess in ["write_files", "file_writer", "disk.writefile2", "wirte_file"] {
        let Resolution::Unknown { nearest } = catalog.resolve(guess) else { panic!("{guess} was resolved") };
        assert_eq!(ids(&catalog, &nearest).first(), Some(&"disk.write_file"), "{guess}");
        assert!(nearest.len() <= 3);
    }
}

#[test]
fn each_false_claim_is_a_problem_and_costs_only_itself() {
    let long = "字".repeat(2_500);
    let cases = [
        (json!({"depends_on": ["no.such"]}), "not here"),
        (json!({"depends_on": ["nothing"]}), "not here"),
        (json!({"depends_on": ["one"]}), "itself"),
        (json!({"detail_keys": ["place", "pace"]}), "names no parameter"),
        (json!({"volatile_keys": ["pace"]}), "names no parameter"),
        (json!({"destructive_if": ["place", "overwrite"]}), "names no parameter"),
        (json!({"description": long}), "longer than 2000"),
        (json!({"description": "a\u{e0041}b"}), "cannot be seen"),
        (json!({"parameters": {"type": "dict", "properties": {}}}), "read as one"),
        (json!({"parameters": {"type": "string"}}), "type \"string\""),
        (json!({"aliases": {"en": vec!["word"; 40]}}), "more than 32"),
    ];
    for (changes, words) in cases {
        let (catalog, problems) = build(&[("a.one", changes.clone()), ("a.two", json!({}))]);
        assert_eq!(problems.len(), 1, "{changes}: {problems:?}");
        assert!(problems[0].what.en.contains(words) && !problems[0].fatal, "{problems:?}");
        assert!(!problems[0].what.zh.is_empty() && !problems[0].mend.is_empty());
        assert_eq!(problems[0].subject, "a.one");
        assert_eq!(catalog.tools().len(), 2);
    }
}

#[test]
fn what_is_left_of_a_claim_still_holds() {
    let long = format!("{}end", "字".repeat(2_500));
    let (catalog, _) = build(&[(
        "a.one",
        json!({"detail_keys": ["pace", "place"], "destructive_if": ["pace", "place"], "description": long, "summary": ""}),
    )]);
    let tool = &catalog.tools()[0];
    assert_eq!(tool.manifest.detail_keys, ["place"]);
    assert_eq!(tool.manifest.destructive_if, ["place"]);
    assert_eq!(tool.manifest.description.chars().count(), 2_000);
    assert!(tool.manifest.description.ends_with("… [cut, tool_details shows the rest]"));
    assert!(tool.full_description().ends_with("end"));
    assert_eq!(tool.manifest.summary.en.chars().count(), 160);
    assert_eq!(tool.manifest.name, "one");
}

#[test]
fn a_reserved_name_is_reported_and_not_taken() {
    let (catalog, problems) = build(&[("a.tool_search", json!({}))]);
    assert!(problems[0].what.en.contains("reserved") && !problems[0].fatal);
    assert_eq!(catalog.tools()[0].wire_name, "a__tool_search");
    assert_eq!(catalog.resolve("tool_search"), Resolution::Unknown { nearest: vec![] });
}

#[test]
fn edges_lead_to_other_sources_and_within_one() {
    let (catalog, problems) = build(&[
        (
            "a.one",
            json!({"depends_on": ["two", {"tool": "b.x", "kind": "input_from"}, {"tool": "b.y", "kind": "often_with"}]}),
        ),
        ("a.two", json!({"depends_on": ["one"]})),
        ("b.x", json!({})),
        ("b.y", json!({})),
    ]);
    assert_eq!(problems, []);
    let one = ix(&catalog, "a.one");
    assert_eq!(ids(&catalog, catalog.requires(one)), ["a.two"]);
    assert_eq!(ids(&catalog, &catalog.closure(one)), ["a.two"]);
    assert_eq!(ids(&catalog, catalog.input_from(one)), ["b.x"]);
    assert_eq!(ids(&catalog, catalog.often_with(one)), ["b.y"]);
}

#[test]
fn a_tool_named_in_a_description_is_often_used_with_it() {
    let cases: [(&str, &[&str]); 8] = [
        ("Use find_symbol first.", &["a.find_symbol"]),
        ("The id comes from `search`.", &["a.search"]),
        ("It can search for things.", &[]),
        ("Call b.search, then b__fetchPage!", &["b.fetchPage", "b.search"]),
        ("See fetchPage.", &["b.fetchPage"]),
        ("See one_more.", &[]),
        ("Ask both `same_name`s and b.same_name", &["b.same_name"]),
        ("I am a.self_made", &[]),
    ];
    for (description, expected) in cases {
        let (catalog, _) = build(&[
            ("a.self_made", json!({"description": description})),
            ("a.find_symbol", json!({})),
            ("a.search", json!({})),
            ("b.find_symbol", json!({})),
            ("b.search", json!({})),
            ("b.fetchPage", json!({})),
            ("b.same_name", json!({})),
            ("c.same_name", json!({})),
        ]);
        assert_eq!(ids(&catalog, catalog.often_with(ix(&catalog, "a.self_made"))), expected, "{description}");
    }
}

#[test]
fn a_ready_tool_wins_over_its_copy_that_is_not() {
    let mut down = entry("a.b", json!({"description": "A"}));
    down.state = State::Unavailable { why: Text::new("down", "停"), retryable: true };
    let (catalog, problems) = Catalog::build(vec![down, entry("a.b", json!({"description": "Z"}))]);
    assert_eq!(catalog.tools()[0].state, State::Ready);
    assert_eq!(problems.len(), 1);
}

#[test]
fn a_fingerprint_changes_with_what_the_model_was_told() {
    let print = |changes| build(&[("a.b", changes)]).0.tools()[0].fingerprint.clone();
    let plain = print(json!({}));
    assert_eq!(plain.len(), 16);
    assert_eq!(plain, print(json!({"examples": ["do a thing"]})));
    assert_ne!(plain, print(json!({"description": "Other."})));
    assert_ne!(plain, print(json!({"parameters": {"type": "object", "properties": {}}})));
}

#[test]
fn disabled_tools_are_known_and_not_permitted() {
    let mut off = entry("a.off", json!({}));
    off.state = State::Disabled { why: Text::new("off", "关") };
    let (catalog, _) = Catalog::build(vec![off, entry("a.on", json!({}))]);
    assert_eq!(ids(&catalog, &catalog.permitted().collect::<Vec<_>>()), ["a.on"]);
    assert_eq!(catalog.resolve("a.off"), Resolution::One(ix(&catalog, "a.off")));
    assert_eq!(catalog.categories()["things"].len(), 2);
}
