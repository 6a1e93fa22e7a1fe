//! The vendors' own ways to reveal tools: chosen when they fit, and nothing is lost by them.

use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{
    Because, Event, Exposure, HowToReach, Level, Native, Place, Prefix, Prepared, Settings, Signal, Transport,
};

use crate::toy::{catalog, fits, ix, plain, small, tool};

fn native(kind: Native) -> Settings {
    Settings { transport: Some(Transport::Native), native: Some(kind), ..Settings::default() }
}

fn begun(catalog: &Catalog, kind: Native) -> Exposure {
    let mut exposure = Exposure::begin(catalog, &fits(catalog, &["sky.forecast"]), native(kind));
    exposure.surface(catalog);
    exposure
}

#[test]
fn it_is_chosen_where_the_model_can_and_direct_does_not_fit() {
    let dear = |n: usize| tool(&format!("s.t{n:02}"), json!({"description": "word ".repeat(300)}));
    let big = catalog((0..20).map(dear).collect());
    let can = || Settings { native: Some(Native::References), ..Settings::default() };
    let denied = |name: &str| Settings { denied_meta: vec![name.into()], ..can() };
    let asked = |transport| Settings { transport: Some(transport), ..can() };
    let cases = [
        (&big, can(), Transport::Native),
        (&small(), can(), Transport::Direct),
        (&small(), asked(Transport::Native), Transport::Native),
        (&big, asked(Transport::Bridge), Transport::Bridge),
        (&big, asked(Transport::Direct), Transport::Direct),
        (&big, Settings { native: None, ..asked(Transport::Native) }, Transport::Bridge),
        (&big, denied("tool_search"), Transport::Direct),
        (&big, denied("tool_call"), Transport::Direct),
        (&big, denied("ask_user"), Transport::Native),
    ];
    for (catalog, settings, expected) in cases {
        let exposure = Exposure::begin(catalog, &Evidence::default(), settings.clone());
        assert_eq!(exposure.transport(), expected, "{settings:?}");
    }
}

#[test]
fn references_keep_every_other_tool_deferred_whole_and_by_id() {
    let catalog = small();
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), native(Native::References));
    let prefix = exposure.surface(&catalog).prefix;
    let names = |specs: &[std::sync::Arc<winclaw_tool::ToolSpec>]| {
        specs.iter().map(|spec| spec.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&prefix.deferred), ["mail__list", "mail__send", "notes__add", "notes__open", "sky__history"]);
    let in_array = ["tool_search", "tool_details", "tool_call", "ask_user", "sky__forecast"];
    assert_eq!(names(&prefix.tools), in_array, "tool_call stays, for what stands in the conversation as text");
    assert!(
        prefix.system.contains("# Catalogue of tools") && prefix.system.contains("notes__add"),
        "{}",
        prefix.system
    );
    assert!(prefix.system.contains("What tool_search or tool_details has shown is called by its name"));
    let without = winclaw_exposure::Prefix { deferred: Vec::new(), ..(*prefix).clone() };
    assert_eq!(prefix.tokens(), without.tokens(), "deferred tools are not in the context");
    let search = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), native(Native::SearchResult));
    assert_eq!(*search.clone().surface(&catalog).prefix, without, "a search result needs none of them beforehand");
}

/// A schema is made once for all tasks on a catalog, and what is written down of a prefix can be read back.
#[test]
fn tasks_share_the_schemas_they_show() {
    let catalog = small();
    let prepared = Arc::new(Prepared::new(&catalog));
    let prefix = |request: &[&str]| {
        let evidence = fits(&catalog, request);
        Exposure::begin_prepared(&catalog, &prepared, &evidence, native(Native::References)).surface(&catalog).prefix
    };
    let (one, other) = (prefix(&["sky.forecast"]), prefix(&["mail.list"]));
    let all = |prefix: &Arc<Prefix>| [&prefix.tools[..], &prefix.deferred].concat();
    assert_eq!(all(&one).len(), 10);
    for spec in all(&one) {
        let same = all(&other).into_iter().find(|other| other.name == spec.name).expect("both have every tool");
        assert!(Arc::ptr_eq(&spec, &same), "{} was made twice", spec.name);
    }
    let text = serde_json::to_string(&*one).expect("json");
    assert_eq!(serde_json::from_str::<Prefix>(&text).expect("a prefix"), *one);
    assert!(text.contains("\"deferred\":[{\"name\":\"mail__list\""), "{text}");
}

#[test]
fn an_answer_names_tools_in_its_text_and_reveals_their_schemas() {
    let catalog = small();
    for kind in [Native::References, Native::SearchResult] {
        let mut exposure = begun(&catalog, kind);
        let notes = ix(&catalog, "notes.add");
        let answer = exposure.search_answer(&catalog, &[notes, ix(&catalog, "sky.forecast")], "notes");
        let names: Vec<&str> = answer.reveals.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["notes__open", "notes__add"], "with what it requires");
        let text: Value = serde_json::from_str(&answer.text).expect("JSON");
        assert_eq!(text["revealed"], json!(["notes__open", "notes__add"]));
        assert_eq!(text["shown_above"], json!(["sky__forecast"]));
        assert!(!answer.text.contains("\"parameters\""), "{}", answer.text);
        assert_eq!((exposure.level(notes), exposure.how_to_reach(&catalog, notes)), (Level::Full, HowToReach::Shown));
        let logged = |place| {
            exposure
                .ledger()
                .iter()
                .any(|entry| matches!(&entry.event, Event::Raised { place: at, .. } if *at == place))
        };
        assert!(logged(Place::Revealed));
        let details = exposure.details_answer(&catalog, &[("mail.list".into(), catalog.resolve("mail.list"))]);
        assert_eq!((details.reveals.len(), details.text.as_str()), (1, r#"{"revealed":["mail__list"]}"#));
        let again = exposure.search_answer(&catalog, &[notes], "notes");
        assert!(again.reveals.is_empty() && again.text.contains("shown_above"), "I18: {}", again.text);
        assert_eq!(exposure.surface(&catalog).tail, None, "what an answer revealed is not due again");
    }
}

#[test]
fn what_rises_unasked_and_what_a_wrong_name_meant_comes_as_text() {
    let catalog = small();
    let mut exposure = begun(&catalog, Native::References);
    exposure.observe(&catalog, &fits(&catalog, &["mail.list"]));
    let tail = exposure.surface(&catalog).tail.expect("a schema");
    assert!(tail.contains("call now with tool_call:\n{\"name\":\"mail__list\""), "{tail}");
    let failure = exposure.unknown_answer(&catalog, "notes_opn", &[ix(&catalog, "notes.open")]);
    assert!(failure.message.contains("Schema: {\"name\":\"notes__open\""), "{}", failure.message);
    let above = exposure.search_answer(&catalog, &[ix(&catalog, "mail.list")], "mail");
    assert!(above.text.contains("with tool_call"), "how what stands as text is called: {}", above.text);
}

#[test]
fn an_unshown_call_is_answered_with_its_schema_revealed() {
    let catalog = small();
    let mut exposure = begun(&catalog, Native::References);
    let mail = ix(&catalog, "mail.list");
    exposure.learn(&catalog, Signal::CalledUnshown(mail));
    let answer = exposure.reveal(&catalog, &[mail], Because::CalledUnshown);
    assert_eq!(answer.reveals.len(), 1);
    assert_eq!(
        answer.text,
        "The parameters of mail__list had not been shown before; here they are.\n\
         Shown with this result, called by name: mail__list."
    );
}

/// A reference brings the whole schema, so a brief one is never offered in its place; under SearchResult it may be.
#[test]
fn a_reference_is_paid_for_whole() {
    let text = "What this parameter means, told at length. ".repeat(40);
    let mut properties = json!({"city": {"type": "string"}});
    (0..8).for_each(|n| properties[format!("option{n}")] = json!({"type": "string", "description": text}));
    let schema = json!({"type": "object", "properties": properties, "required": ["city"]});
    let dear = |id| tool(id, json!({"parameters": schema}));
    let catalog = catalog(vec![dear("sky.one"), dear("sky.two"), plain("sky.forecast")]);
    let both = [ix(&catalog, "sky.one"), ix(&catalog, "sky.two")];
    let first = |kind| begun(&catalog, kind).search_answer(&catalog, &both, "sky");
    let whole = first(Native::References);
    assert!(whole.reveals.len() == 1 && whole.text.contains("also_found"), "{}", whole.text);
    assert!(whole.reveals[0].parameters["properties"].get("option7").is_some());
    let cut = first(Native::SearchResult);
    assert_eq!(cut.reveals.len(), 2);
    assert!(cut.reveals[1].parameters["properties"].get("option7").is_none());
}

#[test]
fn what_a_vendor_does_not_take_deferred_is_named_and_bridged() {
    let bare = json!({"parameters": {"type": "object"}, "description": "It.", "summary": "It."});
    let catalog = catalog((0..10_040).map(|n| tool(&format!("s.t{n:05}"), bare.clone())).collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), native(Native::References));
    let prefix = exposure.surface(&catalog).prefix;
    assert_eq!(prefix.tools.len() + prefix.deferred.len(), 10_000);
    let last = ToolIx(10_039);
    assert_eq!(exposure.how_to_reach(&catalog, last), HowToReach::Search);
    let answer = exposure.search_answer(&catalog, &[ToolIx(3), last], "it");
    assert_eq!(answer.reveals.len(), 1);
    assert!(answer.text.contains("{\"name\":\"s__t10039\""), "{}", answer.text);
}

#[test]
fn a_revealed_tools_note_and_needs_stand_in_the_text() {
    let filler = "word ".repeat(380);
    let chain = |n: usize| {
        let next = format!("chain.t{:02}", (n + 1) % 40);
        let note = if n == 0 { "Give the city in English." } else { "" };
        tool(&format!("chain.t{n:02}"), json!({"description": filler, "depends_on": [next], "guidance": note}))
    };
    let catalog = catalog((0..40).map(chain).collect());
    let first = ix(&catalog, "chain.t00");
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), native(Native::References));
    let answer = exposure.details_answer(&catalog, &[("t00".into(), winclaw_catalog::Resolution::One(first))]);
    assert_eq!(answer.reveals.len(), 1, "alone, since all it requires is too dear");
    let text: Value = serde_json::from_str(&answer.text).expect("JSON");
    let about = ["chain__t00: Give the city in English.", "chain__t00: it cannot be used without chain__t01"];
    assert_eq!(text["about_them"], json!(about));
    assert_eq!(exposure.level(first), Level::Named, "a closure is shown whole or not at all");
    exposure.learn(&catalog, Signal::Used(first));
    exposure.compacted(&catalog);
    let tail = exposure.surface(&catalog).tail.expect("the used tool");
    assert!(tail.contains("{\"name\":\"chain__t00\"") && tail.contains("Give the city"), "{tail}");
}

/// The deferred tools belong to what is frozen.
#[test]
fn the_deferred_tools_stay_as_they_are_within_an_epoch() {
    let catalog = small();
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), native(Native::References));
    let first = exposure.surface(&catalog).prefix;
    exposure.search_answer(&catalog, &catalog.all().collect::<Vec<_>>(), "all");
    exposure.learn(&catalog, Signal::NoTool);
    assert!(Arc::ptr_eq(&exposure.surface(&catalog).prefix, &first));
}
