//! A tool list that changes while a session runs (D5, D14): the prefix stays, and what changed is said once.

use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_exposure::{
    Because, Event, Exposure, HowToReach, Level, Native, Prepared, Settings, Signal, Transport, estimate_tokens,
};
use winclaw_tool::Text;

use crate::toy::{bridge, catalog, fits, in_state, ix, plain, tool};

/// A session on some tools, whose list can change.
struct Session {
    catalog: Catalog,
    exposure: Exposure,
}

impl Session {
    fn begin(entries: Vec<ToolEntry>, settings: Settings) -> Session {
        let catalog = catalog(entries);
        let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), settings);
        exposure.surface(&catalog);
        Session { catalog, exposure }
    }

    fn offers(&mut self, entries: Vec<ToolEntry>) {
        let (next, _, map) = self.catalog.successor(entries);
        self.exposure.adopt(&next, &Arc::new(Prepared::new(&next)), &map);
        self.catalog = next;
    }

    fn tail(&mut self) -> String {
        self.exposure.surface(&self.catalog).tail.unwrap_or_default()
    }

    fn level(&self, id: &str) -> Level {
        self.exposure.level(ix(&self.catalog, id))
    }

    fn how(&self, id: &str) -> HowToReach {
        self.exposure.how_to_reach(&self.catalog, ix(&self.catalog, id))
    }
}

fn sky() -> Vec<ToolEntry> {
    vec![plain("sky.forecast"), plain("sky.history"), tool("mail.list", json!({"category": "office"}))]
}

fn down(id: &str, retryable: bool) -> ToolEntry {
    in_state(id, State::Unavailable { why: Text::new("the server does not answer", "服务器没有响应"), retryable })
}

#[test]
fn what_is_new_is_named_once_behind_a_prefix_that_stays() {
    let mut session = Session::begin(sky(), bridge());
    let before = session.exposure.surface(&session.catalog).prefix;
    let office = |id| tool(id, json!({"category": "office"}));
    session.offers([sky(), vec![office("mail.send"), office("mail.old"), plain("alpha.first")]].concat());
    let surface = session.exposure.surface(&session.catalog);
    assert!(Arc::ptr_eq(&surface.prefix, &before) && surface.epoch == 1, "D5");
    assert_eq!(
        surface.tail.as_deref(),
        Some(
            "The tool list has changed. New: information (1): alpha__first; office (2): mail__old, mail__send. \
             They are called with tool_call."
        )
    );
    assert_eq!((session.how("mail.send"), session.how("sky.forecast")), (HowToReach::Named, HowToReach::Native));
    assert_eq!(session.level("sky.forecast"), Level::Full, "levels go with their tools to new places");
    assert_eq!(session.tail(), "", "it is said once");
    let raised = session.exposure.ledger().iter().find_map(|entry| match &entry.event {
        Event::Raised { tool, .. } => Some(session.catalog.get(*tool).id.to_string()),
        _ => None,
    });
    assert_eq!(raised.as_deref(), Some("sky.forecast"), "the ledger names tools by their new places");
    let counts = Event::Adopted { added: 3, down: 0, back: 0, changed: 0, revoked: 0 };
    assert!(
        session.exposure.ledger().iter().any(|entry| entry.event == counts && entry.because == Because::ListChanged)
    );
}

#[test]
fn thousands_of_new_tools_are_counted_and_found_by_search() {
    let mut session = Session::begin(sky(), bridge());
    let entry = |n: usize| tool(&format!("big.t{n:04}"), json!({"category": format!("kind {:02}", n % 90)}));
    session.offers(sky().into_iter().chain((0..5_000).map(entry)).collect());
    let tail = session.tail();
    assert!(estimate_tokens(&tail) < 300, "{} tokens: {tail}", estimate_tokens(&tail));
    assert!(tail.contains("kind 00 (56); kind 01 (56)") && tail.contains("in 66 more categories"), "{tail}");
    assert_eq!(session.how("big.t4999"), HowToReach::Search);
    let found = session.exposure.search_answer(&session.catalog, &[ix(&session.catalog, "big.t4999")], "x").text;
    assert!(found.contains("\"name\":\"big__t4999\""), "{found}");
    session.exposure.compacted(&session.catalog);
    let system = session.exposure.surface(&session.catalog).prefix.system.clone();
    assert!(system.contains("kind 89 (55)"), "the next epoch's catalogue has them");
}

#[test]
fn a_model_that_cannot_search_is_given_every_name() {
    let settings = Settings { denied_meta: vec!["tool_search".into()], max_tools: 4, ..Settings::default() };
    let mut session = Session::begin(sky(), settings);
    session.offers(sky().into_iter().chain((0..300).map(|n| plain(&format!("big.t{n:03}")))).collect());
    let tail = session.tail();
    assert!((0..300).all(|n| tail.contains(&format!("big__t{n:03}"))), "{tail}");
}

#[test]
fn a_schema_that_changed_is_shown_anew_if_it_was_read() {
    let mut session = Session::begin(sky(), bridge());
    session.exposure.reveal(&session.catalog, &[ix(&session.catalog, "mail.list")], Because::Asked);
    let changed = |id: &str| {
        let days = json!({"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]});
        tool(id, json!({"parameters": days, "category": "office"}))
    };
    session.offers(vec![changed("sky.forecast"), changed("sky.history"), changed("mail.list")]);
    assert_eq!(session.how("sky.forecast"), HowToReach::Native, "its schema comes with the next request");
    let tail = session.tail();
    assert!(tail.starts_with("These tools have changed; this replaces what was shown"), "{tail}");
    let shown = |name: &str| tail.contains(&format!("{{\"name\":\"{name}\""));
    assert!(shown("sky__forecast") && shown("mail__list") && !shown("sky__history") && tail.contains("days"), "{tail}");
    assert_eq!(session.tail(), "");
    session.exposure.compacted(&session.catalog);
    let prefix = session.exposure.surface(&session.catalog).prefix;
    let forecast = prefix.tools.iter().find(|tool| tool.name == "sky__forecast").expect("it stands there still");
    assert!(forecast.parameters["properties"].get("days").is_some(), "the next epoch has the new schema");
}

#[test]
fn what_goes_down_and_comes_back_is_said_and_a_flicker_is_not() {
    let mut session = Session::begin(sky(), bridge());
    let without_mail = || vec![plain("sky.forecast"), plain("sky.history")];
    session.offers(without_mail());
    assert_eq!(
        session.tail(),
        "The tool list has changed. Not available now: office (1): mail__list [unavailable now]. its source no longer offers it."
    );
    session.offers(sky());
    session.offers(without_mail());
    assert_eq!(session.tail(), "", "it is as it was when it was last told");
    session.offers(sky());
    assert_eq!(session.tail(), "The tool list has changed. These work again: office (1): mail__list.");
    session.offers(vec![down("sky.forecast", true), down("sky.history", true), plain("mail.list")]);
    let tail = session.tail();
    assert!(tail.contains("sky__history [unavailable now]. the server does not answer."), "{tail}");
    assert_eq!(session.level("sky.forecast"), Level::Full, "it is still permitted");
}

#[test]
fn what_became_disabled_is_taken_away_and_ends_the_epoch() {
    let mut session = Session::begin(sky(), bridge());
    let off = in_state("sky.forecast", State::Disabled { why: Text::new("the policy", "规定") });
    session.offers(vec![off, plain("sky.history"), plain("mail.list")]);
    let surface = session.exposure.surface(&session.catalog);
    assert!(surface.epoch == 2 && !surface.prefix.tools.iter().any(|tool| tool.name == "sky__forecast"));
    assert!(!format!("{:?}", surface.tail).contains("sky__forecast"), "it is not spoken of");
    assert_eq!(session.how("sky.forecast"), HowToReach::Disabled);
    session.offers(sky());
    assert!(session.tail().contains("New: information (1): sky__forecast"), "permitted again, it is as good as new");
}

/// Under Direct everything was shown, so the array has no meta tools. What is new is shown behind the conversation.
#[test]
fn new_tools_of_a_catalog_that_was_shown_whole_are_shown_too() {
    let mut session = Session::begin(sky(), Settings::default());
    assert_eq!(session.exposure.transport(), Transport::Direct);
    session.offers([sky(), vec![plain("mail.send")]].concat());
    let tail = session.tail();
    assert!(tail.contains("They are called by name.") && tail.contains("{\"name\":\"mail__send\""), "{tail}");
    assert_eq!(session.how("mail.send"), HowToReach::Shown);
    session.offers(sky().into_iter().chain((0..90).map(|n| plain(&format!("big.t{n:02}")))).collect());
    let tail = session.tail();
    assert!(tail.contains("{\"name\":\"tool_search\"") && !tail.contains("ask_user\""), "how to find the rest: {tail}");
    session.exposure.compacted(&session.catalog);
    assert_eq!(session.exposure.transport(), Transport::Direct, "ninety small tools still fit");
}

/// I7: an edge that is new lifts what it leads to; the levels of the tool stay.
#[test]
fn what_a_shown_tool_requires_since_rises_with_it() {
    let mut session = Session::begin(sky(), bridge());
    let needy = tool("sky.forecast", json!({"depends_on": ["sky.history"]}));
    session.offers(vec![
        needy,
        plain("sky.history"),
        plain("mail.list"),
        tool("mail.first", json!({"always_load": true})),
    ]);
    assert_eq!((session.level("sky.history"), session.level("mail.first")), (Level::Full, Level::Full));
    let tail = session.tail();
    assert!(tail.contains("{\"name\":\"sky__history\"") && tail.contains("{\"name\":\"mail__first\""), "{tail}");
}

/// Under References only what stands deferred in the prefix can be referred to, as it stands there.
#[test]
fn what_is_new_or_changed_is_revealed_as_text_until_the_next_epoch() {
    let native =
        Settings { transport: Some(Transport::Native), native: Some(Native::References), ..Settings::default() };
    let mut session = Session::begin(sky(), native);
    let changed = tool("sky.history", json!({"description": "Another description."}));
    session.offers(vec![plain("sky.forecast"), changed, plain("mail.list"), plain("mail.send")]);
    session.tail();
    let wanted = ["sky.history", "mail.list", "mail.send"].map(|id| ix(&session.catalog, id));
    let answer = session.exposure.search_answer(&session.catalog, &wanted, "all");
    let revealed: Vec<&str> = answer.reveals.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(revealed, ["mail__list"]);
    let found: Value = serde_json::from_str(&answer.text).expect("JSON");
    let texts: Vec<&Value> = found["found"].as_array().expect("schemas").iter().map(|schema| &schema["name"]).collect();
    assert_eq!(texts, ["sky__history", "mail__send"]);
    assert!(found["next"].as_str().is_some_and(|next| next.contains("revealed by name, the others with tool_call")));
    session.exposure.learn(&session.catalog, Signal::Used(wanted[2]));
    session.exposure.compacted(&session.catalog);
    let prefix = session.exposure.surface(&session.catalog).prefix;
    assert!(prefix.deferred.iter().any(|spec| spec.name == "sky__history" && spec.description.starts_with("Another")));
    assert!(prefix.tools.iter().any(|spec| spec.name == "mail__send"), "the used one is in the array");
}

#[test]
fn a_map_that_lies_breaks_nothing() {
    let mut session = Session::begin(sky(), bridge());
    session.exposure.learn(&session.catalog, Signal::Used(ix(&session.catalog, "mail.list")));
    let next = catalog(vec![plain("mail.list")]);
    let prepared = Arc::new(Prepared::new(&next));
    for map in [vec![], vec![winclaw_catalog::ToolIx(9); 3], vec![winclaw_catalog::ToolIx(0); 40]] {
        let mut exposure = session.exposure.clone();
        exposure.adopt(&next, &prepared, &map);
        exposure.observe(&next, &Evidence::default());
        exposure.surface(&next);
        exposure.compacted(&next);
        exposure.surface(&next);
        exposure.rows(&next);
    }
}

#[test]
fn a_category_too_large_for_one_answer_is_listed_by_repeating_the_search() {
    let entry = |n: usize| tool(&format!("big.t{n:04}"), json!({"category": "kind"}));
    let catalog = catalog((0..700).map(entry).collect());
    let settings = Settings { window_tokens: 16_000, ..bridge() };
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
    let mut unknown: Vec<String> = catalog.tools().iter().map(|tool| tool.wire_name.clone()).collect();
    for search in 0..8 {
        let all = winclaw_exposure::meta::within(&catalog, Vec::new(), Some("kind"));
        let answer = exposure.search_answer(&catalog, &all, "kind").text;
        unknown.retain(|name| !answer.contains(name.as_str()));
        let more = answer.contains("Search the category again");
        assert!(more || search > 0, "{answer}");
        assert!(exposure.searches_without_news() == 0 || unknown.is_empty());
    }
    let in_catalogue = |name: &String| exposure.clone().surface(&catalog).prefix.system.contains(name.as_str());
    unknown.retain(|name| !in_catalogue(name));
    assert_eq!(unknown, Vec::<String>::new());
}
