//! The next hits, which stand in the array in brief behind what is recommended.

use serde_json::json;
use winclaw_catalog::evidence::{Evidence, Hit};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Because, Event, Exposure, Level, Native, Reach, Settings, Shown, Signal, Transport};

use crate::toy::{bridge, catalog, fits, tool};

/// Tools with one required parameter and one that is left out of a brief schema; each takes about 120 tokens whole.
fn shelf(n: usize) -> Catalog {
    let long = "What may be given, said at some length so that leaving it out saves more than it costs. ".repeat(3);
    let parameters = json!({"type": "object", "required": ["place"],
        "properties": {"place": {"type": "string"}, "unit": {"type": "string", "description": long}}});
    let entry = |n: usize| tool(&format!("s{}.t{n:03}", n % 5), json!({"parameters": parameters}));
    catalog((0..n).map(entry).collect())
}

/// Hits on so many tools from a place on, the best first; those behind the eighth are far from it.
fn hits(catalog: &Catalog, places: std::ops::Range<u32>) -> Evidence {
    let one = fits(catalog, &["s0.t000"]);
    let from = places.start;
    let score = |at: u32| if at - from < 8 { 10.0 } else { 1.0 };
    let hit = |at: u32| Hit { tool: ToolIx(at), score: score(at), ..one.hits[0].clone() };
    Evidence { hits: places.map(hit).collect(), ..one }
}

fn in_array(exposure: &Exposure) -> Vec<Shown> {
    exposure.shown().into_iter().filter(|shown| exposure.in_array(shown.tool)).collect()
}

fn tokens(shown: &[Shown]) -> u32 {
    shown.iter().map(|shown| shown.tokens).sum()
}

#[test]
fn further_hits_stand_in_the_array_in_brief_with_their_reason() {
    let catalog = shelf(200);
    let native = Settings { native: Some(Native::References), transport: Some(Transport::Native), ..bridge() };
    for settings in [bridge(), native] {
        let share = settings.budgets.background;
        let mut exposure = Exposure::begin(&catalog, &hits(&catalog, 0..60), settings);
        let (best, further): (Vec<_>, Vec<_>) = in_array(&exposure).into_iter().partition(|shown| shown.tool.0 < 8);
        assert!(best.len() == 8 && best.iter().all(|shown| shown.level == Level::Full), "{best:?}");
        assert!(further.iter().all(|shown| shown.level == Level::Brief), "{further:?}");
        assert!(further.iter().all(|shown| matches!(shown.because, Because::Terms { .. })), "{further:?}");
        // The first 40 tools are of one source, which gets half of the entries while another waits.
        let next: Vec<u32> = (8..24).chain(40..56).collect();
        assert_eq!(further.iter().map(|shown| shown.tool.0).collect::<Vec<_>>(), next, "the next in rank of each");
        assert!(further.len() > 20 && further.len() <= share.tools && tokens(&further) <= share.tokens);
        let tail = exposure.surface(&catalog).tail.expect("advice");
        assert!(tail.contains("t000") && !tail.contains("t008"), "the advice names the best only: {tail}");
        let deferred = |event: &Event| matches!(event, Event::Deferred { .. });
        assert!(!exposure.ledger().iter().any(|entry| deferred(&entry.event)), "nobody asked for them");
    }
}

#[test]
fn they_keep_to_their_share_of_the_window_and_to_the_vendors_entries() {
    let catalog = shelf(200);
    for (window_tokens, max_tools) in [(8_000, 128), (32_000, 128), (128_000, 20), (128_000, 12)] {
        let settings = Settings { window_tokens, max_tools, ..bridge() };
        let mut exposure = Exposure::begin(&catalog, &hits(&catalog, 0..60), settings);
        let further: Vec<Shown> = in_array(&exposure).into_iter().filter(|shown| shown.tool.0 >= 8).collect();
        assert!(tokens(&further) <= window_tokens / 25, "{window_tokens}: {}", tokens(&further));
        assert!(exposure.surface(&catalog).prefix.tools.len() <= max_tools);
    }
}

#[test]
fn weak_evidence_keeps_its_own_share_and_gets_them_too_and_without_any_there_are_none() {
    let catalog = shelf(200);
    let weak = Evidence { margin: 0.0, ..hits(&catalog, 0..60) };
    let exposure = Exposure::begin(&catalog, &weak, bridge());
    assert_eq!(exposure.reach(), Reach::Extended);
    let shown = in_array(&exposure);
    let of =
        |level: Level| shown.iter().filter(|shown| shown.level == level).map(|shown| shown.tool.0).collect::<Vec<_>>();
    // The first 40 tools are of one source, which leaves a quarter of the 20 places to the next.
    assert_eq!(of(Level::Full), (0..15).chain(40..45).collect::<Vec<_>>());
    assert!(of(Level::Brief).len() > 10);
    assert!(shown.iter().all(|shown| matches!(shown.because, Because::Guess { .. })));
    assert!(Exposure::begin(&catalog, &Evidence::default(), bridge()).shown().is_empty());
}

#[test]
fn a_source_alone_takes_all_entries_and_half_of_everything_is_the_most() {
    let shown = |size: usize| {
        let entries = (0..size).map(|n| tool(&format!("s0.t{n:03}"), json!({})));
        let catalog = catalog(entries.collect());
        let exposure = Exposure::begin(&catalog, &hits(&catalog, 0..size as u32), bridge());
        let costs = exposure.rows(&catalog).iter().map(|row| row.tokens).sum::<u32>();
        (exposure.shown().len(), costs)
    };
    assert_eq!(shown(100).0, 8 + 32);
    let (few, _) = shown(20);
    assert!((8..=10).contains(&few), "half of 20 tools, or what is recommended: {few}");
}

/// What a tool requires comes with it, or neither does.
#[test]
fn they_come_with_all_they_require_or_not_at_all() {
    let needs = json!({"depends_on": ["s0.needed"], "description": "Long. ".repeat(200)});
    let mut entries = vec![tool("s0.needed", json!({"description": "Long. ".repeat(200)})), tool("s0.t000", json!({}))];
    entries.push(tool("s1.user", needs));
    entries.extend((0..60).map(|n| tool(&format!("s2.t{n:02}"), json!({}))));
    let catalog = catalog(entries);
    for (tokens, expected) in [(2_500, true), (500, false)] {
        let mut settings = bridge();
        (settings.budgets.recommended.tools, settings.budgets.background.tokens) = (1, tokens);
        let exposure = Exposure::begin(&catalog, &fits(&catalog, &["s0.t000", "s1.user", "s2.t00"]), settings);
        let there = ["s1.user", "s0.needed"].map(|id| exposure.in_array(crate::toy::ix(&catalog, id)));
        assert_eq!(there, [expected; 2], "{tokens} tokens");
        assert!(exposure.in_array(crate::toy::ix(&catalog, "s2.t00")), "a dear one does not keep the next out");
    }
}

/// They stay over the end of an epoch until others take their room, and never crowd out what is recommended or was used.
#[test]
fn they_make_room_for_those_of_the_next_request() {
    let catalog = shelf(400);
    let mut settings = bridge();
    settings.budgets.bridged_tool_tokens = 10_000;
    let mut exposure = Exposure::begin(&catalog, &hits(&catalog, 0..60), settings);
    exposure.surface(&catalog);
    let first = in_array(&exposure);
    exposure.learn(&catalog, Signal::Used(ToolIx(20)));
    exposure.compacted(&catalog);
    let tail = exposure.surface(&catalog).tail.expect("advice");
    assert!(!tail.contains("no longer here"), "nothing was lost: {tail}");
    let of = |shown: &[Shown]| shown.iter().map(|shown| shown.tool).collect::<Vec<_>>();
    assert_eq!(of(&in_array(&exposure)), of(&first));
    for request in 1..6 {
        exposure.new_request(&catalog, &hits(&catalog, request * 60..request * 60 + 60), 0);
        assert_eq!(exposure.surface(&catalog).epoch, request + 2, "every request ends the epoch");
        let stands = |place: u32| exposure.in_array(ToolIx(place));
        assert!((request * 60..request * 60 + 8).all(stands), "request {request}: what is recommended");
        assert!(stands(20), "what was used");
        let further = in_array(&exposure).iter().filter(|shown| shown.tool.0 % 60 >= 8 && shown.tool.0 != 20).count();
        assert!(further <= Settings::default().budgets.background.tools, "request {request}: {further}");
    }
}
