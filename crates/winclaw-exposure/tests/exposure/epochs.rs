//! Every end of an epoch: its cause, its price, and what the model has before it afterwards.

use serde_json::json;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, State, ToolIx};
use winclaw_exposure::{
    Because, Entry, Event, Exposure, HowToReach, Level, Native, Reach, Settings, Signal, Transport,
};
use winclaw_tool::Text;

use crate::toy::{bridge, catalog, fits, in_state, ix, plain, small, tool};

/// Tools that take about 130 tokens each, so that forty of them are a catalog worth hiding.
fn dear(n: usize) -> Catalog {
    let entry = |n: usize| {
        let text = format!("Does thing {n}. {}", "And says so at some length. ".repeat(14));
        tool(&format!("s{}.t{n:02}", n % 3), json!({"description": text}))
    };
    catalog((0..n).map(entry).collect())
}

fn array(exposure: &mut Exposure, catalog: &Catalog) -> Vec<String> {
    exposure.surface(catalog).prefix.tools.iter().skip(4).map(|tool| tool.name.clone()).collect()
}

fn opened(exposure: &Exposure) -> Vec<(&Because, u32, u32)> {
    let opened = |entry: &'_ Entry| matches!(entry.event, Event::Opened { .. });
    let entries = exposure.ledger().iter().filter(|entry| opened(entry));
    let told = entries.filter_map(|entry| match entry.event {
        Event::Opened { prefix_tokens, rebilled, .. } => Some((&entry.because, prefix_tokens, rebilled)),
        _ => None,
    });
    told.collect()
}

/// D4, I15: what the task used is in the array; what it was shown and did not use is named; no level falls.
#[test]
fn after_a_compaction_used_tools_are_at_hand_and_the_others_are_named() {
    let catalog = small();
    let at = |id| ix(&catalog, id);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
    exposure.surface(&catalog);
    exposure.reveal(&catalog, &[at("notes.add"), at("mail.list")], Because::Asked);
    exposure.learn(&catalog, Signal::Used(at("notes.add")));
    exposure.compacted(&catalog);
    assert!(!exposure.schema_shown(at("mail.list")) && exposure.level(at("mail.list")) == Level::Full);
    assert_eq!(exposure.how_to_reach(&catalog, at("mail.list")), HowToReach::Named);
    let surface = exposure.surface(&catalog);
    let names: Vec<&str> = surface.prefix.tools.iter().skip(4).map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["notes__add", "notes__open", "sky__forecast"], "with what the used tool requires");
    let tail = surface.tail.expect("something is said");
    assert!(tail.contains("no longer here: mail__list; tool_details shows them again"), "{tail}");
    assert!(tail.contains("Likely useful now: sky__forecast"), "advice is said again: {tail}");
    assert!(surface.shown.iter().all(|shown| shown.tool != at("mail.list")), "it is not before the model");
    let (cause, prefix, rebilled) = opened(&exposure)[1];
    assert_eq!((cause, rebilled), (&Because::Compacted, prefix));
    assert_eq!(exposure.surface(&catalog).tail, None, "it is said once");
    let again = exposure.details_answer(&catalog, &[("mail.list".into(), catalog.resolve("mail.list"))]).text;
    assert!(again.contains("\"parameters\""), "what was lost is given again when asked for: {again}");
}

/// What does not fit the array comes as text, in the form it has now.
#[test]
fn used_tools_beyond_the_arrays_room_are_shown_again_behind_the_conversation() {
    let catalog = dear(40);
    let mut settings = bridge();
    settings.budgets.full.tokens = 300;
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
    exposure.surface(&catalog);
    let used: Vec<ToolIx> = (0..6).map(ToolIx).collect();
    exposure.reveal(&catalog, &used, Because::Asked);
    used.iter().for_each(|ix| drop(exposure.learn(&catalog, Signal::Used(*ix))));
    exposure.compacted(&catalog);
    let surface = exposure.surface(&catalog);
    let tail = surface.tail.expect("schemas");
    let in_array = |name: &str| surface.prefix.tools.iter().any(|spec| spec.name == name);
    let in_tail = |name: &str| tail.contains(&format!("{{\"name\":\"{name}\""));
    for ix in &used {
        let name = &catalog.get(*ix).wire_name;
        assert!(in_array(name) != in_tail(name), "{name} is in one of both");
        assert_eq!(exposure.how_to_reach(&catalog, *ix).extra_turns(), Some(0));
    }
    assert!(used.iter().filter(|ix| exposure.in_array(**ix)).count() == 2, "the array has room for two");
    let again = |entry: &&Entry| matches!(entry.event, Event::ShownAgain { .. }) && entry.because == Because::Compacted;
    assert_eq!(exposure.ledger().iter().filter(again).count(), 4);
}

/// Whatever was told before is not taken for told after: new evidence shows it again.
#[test]
fn a_tool_whose_schema_was_lost_is_shown_when_the_evidence_points_to_it() {
    let catalog = small();
    let mail = ix(&catalog, "mail.list");
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    exposure.reveal(&catalog, &[mail], Because::Asked);
    exposure.compacted(&catalog);
    exposure.surface(&catalog);
    exposure.observe(&catalog, &fits(&catalog, &["mail.list"]));
    let tail = exposure.surface(&catalog).tail.expect("a schema");
    assert!(tail.contains("{\"name\":\"mail__list\"") && exposure.schema_shown(mail), "{tail}");
}

#[test]
fn a_further_request_ends_the_epoch_when_the_history_is_short() {
    let catalog = dear(40);
    let settings = || {
        let mut settings = bridge();
        settings.budgets.catalogue_tokens = 300;
        settings
    };
    let wanted = fits(&catalog, &["s0.t30", "s0.t33", "s0.t36", "s1.t31", "s1.t34", "s2.t32"]);
    let after = |history: u32| {
        let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["s1.t01"]), settings());
        exposure.surface(&catalog);
        exposure.learn(&catalog, Signal::Used(ix(&catalog, "s1.t01")));
        exposure.new_request(&catalog, &wanted, history);
        exposure
    };
    let weighed = |exposure: &Exposure| {
        exposure.ledger().iter().find_map(|entry| match entry.event {
            Event::Weighed { rebilling, bridging } => Some((rebilling, bridging)),
            _ => None,
        })
    };
    let mut short = after(0);
    let (rebilling, bridging) = weighed(&short).expect("it was weighed");
    assert!(rebilling < bridging, "{rebilling} {bridging}");
    assert_eq!(opened(&short)[1].0, &Because::NewRequest);
    let names = array(&mut short, &catalog);
    assert!(names.contains(&"s1__t01".to_owned()) && names.contains(&"s2__t32".to_owned()), "{names:?}");
    let long = after(60_000);
    let (rebilling, bridging) = weighed(&long).expect("it was weighed");
    assert!(rebilling >= bridging && opened(&long).len() == 1, "{rebilling} {bridging}");
    let nine_tenths = |exposure: &Exposure, history: u32| (opened(exposure)[0].1 + history) * 9 / 10;
    assert!(
        rebilling.abs_diff(nine_tenths(&long, 60_000)) <= 1,
        "what the cache would have served costs nine tenths more"
    );
    let (_, prefix, rebilled) = opened(&after(500))[1];
    assert_eq!(rebilled, prefix + 500, "the history is billed again too");
}

#[test]
fn where_nothing_is_hidden_a_further_request_ends_nothing() {
    let catalog = small();
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), Settings::default());
    assert_eq!(exposure.transport(), Transport::Direct);
    let prefix = exposure.surface(&catalog).prefix;
    exposure.new_request(&catalog, &fits(&catalog, &["mail.list"]), 0);
    let surface = exposure.surface(&catalog);
    assert!(std::sync::Arc::ptr_eq(&surface.prefix, &prefix) && surface.epoch == 1);
    assert!(surface.tail.is_some_and(|tail| tail.contains("mail__list")));
}

#[test]
fn another_model_gets_its_own_transport_and_keeps_the_levels() {
    let catalog = dear(40);
    let direct = Settings { transport: Some(Transport::Direct), ..Settings::default() };
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), direct);
    exposure.surface(&catalog);
    exposure.learn(&catalog, Signal::Used(ToolIx(39)));
    exposure.calibrate(10_000, 10_000);
    let prefix = opened(&exposure)[0].1;
    exposure.switch_model(&catalog, Settings { window_tokens: 16_000, max_tools: 20, ..Settings::default() });
    assert_eq!(exposure.transport(), Transport::Bridge);
    assert!(catalog.all().all(|ix| exposure.level(ix) == Level::Full), "no level falls");
    let surface = exposure.surface(&catalog);
    assert!(surface.prefix.tools.len() <= 20 && exposure.in_array(ToolIx(39)), "the used one stays in the array");
    let tail = surface.tail.expect("names of what is no longer shown");
    assert!(tail.contains("parameters changed or no longer here: ") && tail.lines().all(|line| line.len() < 1_500));
    let (cause, now, rebilled) = opened(&exposure)[1];
    assert_eq!((cause, rebilled), (&Because::ModelSwitched, now + 10_000 - prefix), "no model has another's cache");
    exposure.switch_model(&catalog, Settings { window_tokens: 1_000_000, ..Settings::default() });
    assert_eq!(exposure.transport(), Transport::Direct, "the larger window takes them all");
    assert_eq!(array(&mut exposure, &catalog).len() + 3, 40);
}

#[test]
fn what_a_vendors_block_revealed_is_lost_on_a_model_without_such_blocks() {
    let catalog = small();
    let (mail, notes) = (ix(&catalog, "mail.list"), ix(&catalog, "notes.open"));
    let native =
        Settings { native: Some(Native::References), transport: Some(Transport::Native), ..Settings::default() };
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), native.clone());
    exposure.surface(&catalog);
    exposure.search_answer(&catalog, &[mail, notes], "mail");
    exposure.learn(&catalog, Signal::Used(notes));
    let mut other = exposure.clone();
    exposure.switch_model(&catalog, bridge());
    assert!(!exposure.schema_shown(mail) && exposure.in_array(notes));
    other.switch_model(&catalog, Settings { native: Some(Native::SearchResult), ..native });
    assert!(other.schema_shown(mail), "blocks stay blocks");
}

#[test]
fn a_reset_makes_the_prefix_of_a_first_request() {
    let catalog = small();
    let evidence = fits(&catalog, &["mail.list"]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
    exposure.surface(&catalog);
    exposure.learn(&catalog, Signal::Used(ix(&catalog, "sky.history")));
    exposure.learn(&catalog, Signal::NoTool);
    let reach = exposure.reach();
    exposure.reset(&catalog, &evidence);
    let surface = exposure.surface(&catalog);
    let fresh = Exposure::begin(&catalog, &evidence, bridge()).surface(&catalog);
    assert_eq!(surface.prefix, fresh.prefix);
    assert_eq!(surface.tail, fresh.tail, "nothing of the old conversation is spoken of");
    assert_eq!((exposure.reach(), opened(&exposure)[1].0), (reach, &Because::Reset));
    assert!(reach > Reach::Recommended && exposure.level(ix(&catalog, "sky.history")) == Level::Full);
}

#[test]
fn a_permission_taken_away_costs_what_stands_behind_the_prefix() {
    let before = small();
    let mut exposure = Exposure::begin(&before, &fits(&before, &["sky.forecast"]), bridge());
    exposure.surface(&before);
    let prefix = opened(&exposure)[0].1;
    exposure.calibrate(prefix + 700, u64::from(prefix) + 700);
    let why = Text::new("the policy", "规定");
    let mut entries = vec![in_state("sky.forecast", State::Disabled { why })];
    entries.extend(["sky.history", "notes.add", "notes.open", "mail.send", "mail.list"].map(plain));
    let after = catalog(entries);
    exposure.surface(&after);
    let (cause, now, rebilled) = opened(&exposure)[1];
    assert_eq!((cause, rebilled), (&Because::Revoked, now + 700));
}

/// D22: the tools of one server take no place of the meta tools, of `ask_user` or of other sources, and the ledger says
/// how many found none.
#[test]
fn one_server_cannot_crowd_the_others_out_and_what_overflowed_is_counted() {
    let always = |id: String| tool(&id, json!({"always_load": true}));
    let own = ["notes.add", "mail.send"].map(|id| always(id.to_owned()));
    let crowd = catalog((0..560).map(|n| always(format!("crowd.t{n:03}"))).chain(own).collect());
    let mut exposure = Exposure::begin(&crowd, &Evidence::default(), bridge());
    let names: Vec<String> = exposure.surface(&crowd).prefix.tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names[..4], winclaw_catalog::RESERVED);
    assert!(names.contains(&"notes__add".to_owned()) && names.contains(&"mail__send".to_owned()) && names.len() <= 128);
    let overflow = exposure.ledger().iter().find_map(|entry| match &entry.event {
        Event::Overflow { sources } => Some(sources.clone()),
        _ => None,
    });
    let missing = 560 - names.iter().filter(|name| name.starts_with("crowd__")).count() as u32;
    assert_eq!(overflow.expect("it is written down"), [("crowd".to_owned(), missing)].into());
    assert!(exposure.ledger().len() < 300, "one entry for all of them");
}

/// The same where Direct is all that is left: one of each source in turn.
#[test]
fn an_array_that_is_too_small_takes_one_of_each_source_in_turn() {
    let many = (0..560).map(|n| plain(&format!("a.t{n:03}"))).chain(["z.one", "z.two"].map(plain));
    let catalog = catalog(many.collect());
    let settings = Settings { max_tools: 12, denied_meta: vec!["tool_search".into()], ..Settings::default() };
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
    let surface = exposure.surface(&catalog);
    let names: Vec<&str> = surface.prefix.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"z__one") && names.contains(&"z__two") && names.contains(&"ask_user"), "{names:?}");
    assert_eq!(names.len(), 12);
}
