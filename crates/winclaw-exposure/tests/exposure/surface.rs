//! The surface in small: transports, order, brief schemas, advice, and the words for people.

use serde_json::{Value, json};
use winclaw_catalog::evidence::{Edge, Evidence, Hit, Via};
use winclaw_catalog::{State, ToolIx};
use winclaw_exposure::{Because, Exposure, HowToReach, Level, Settings, Signal, Strategy, Transport};
use winclaw_tool::{Lang, Text};

use crate::toy::{bridge, catalog, fits, in_state, ix, plain, small, tool};

fn names(exposure: &mut Exposure, catalog: &winclaw_catalog::Catalog) -> Vec<String> {
    exposure.surface(catalog).prefix.tools.iter().map(|tool| tool.name.clone()).collect()
}

#[test]
fn direct_shows_everything_and_needs_no_catalogue() {
    let catalog = small();
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), Settings::default());
    let surface = exposure.surface(&catalog);
    assert_eq!((surface.transport, surface.prefix.tools.len()), (Transport::Direct, 7));
    assert!(!surface.prefix.system.contains("Catalogue"), "{}", surface.prefix.system);
    assert!(surface.shown.iter().all(|shown| shown.level == Level::Full));
    assert_eq!(
        surface.tail.as_deref(),
        Some("Likely useful now: sky__forecast; every other tool works as usual by name.")
    );
}

#[test]
fn the_transport_goes_by_size_and_by_what_is_denied() {
    let dear = |n: usize| tool(&format!("s.t{n:02}"), json!({"description": "word ".repeat(300)}));
    let big = catalog((0..20).map(dear).collect());
    let denied = |name: &str| Settings { denied_meta: vec![name.into()], ..bridge() };
    let cases = [
        (&small(), Settings::default(), Transport::Direct),
        (&small(), Settings { window_tokens: 4_000, ..Settings::default() }, Transport::Bridge),
        (&small(), Settings { max_tools: 6, ..Settings::default() }, Transport::Bridge),
        (&big, Settings::default(), Transport::Bridge),
        (&big, Settings { transport: Some(Transport::Direct), ..Settings::default() }, Transport::Direct),
        (&big, denied("tool_search"), Transport::Direct),
        (&big, denied("tool_details"), Transport::Direct),
        (&big, denied("tool_call"), Transport::Direct),
        (&big, denied("ask_user"), Transport::Bridge),
    ];
    for (catalog, settings, expected) in cases {
        let exposure = Exposure::begin(catalog, &Evidence::default(), settings.clone());
        assert_eq!(exposure.transport(), expected, "{settings:?}");
    }
}

#[test]
fn the_array_is_in_one_order_whatever_the_scores() {
    let always = |id| tool(id, json!({"always_load": true}));
    let catalog = catalog(vec![plain("a.one"), plain("b.two"), always("z.core"), plain("c.three")]);
    for order in [["c.three", "a.one"], ["a.one", "c.three"]] {
        let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &order), bridge());
        let expected = ["tool_search", "tool_details", "tool_call", "ask_user", "z__core", "a__one", "c__three"];
        assert_eq!(names(&mut exposure, &catalog), expected);
    }
}

#[test]
fn one_source_cannot_crowd_the_others_out_of_the_core() {
    let always = |id: String| tool(&id, json!({"always_load": true}));
    let many = (0..300).map(|n| always(format!("a.t{n:03}"))).chain([always("z.only".into())]);
    let catalog = catalog(many.collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    let names = names(&mut exposure, &catalog);
    assert!(names.contains(&"z__only".to_owned()) && names.len() <= 128, "{} tools", names.len());
    assert_eq!(names[..4], ["tool_search", "tool_details", "tool_call", "ask_user"]);
}

fn big_schema() -> Value {
    let text = "What this parameter means, told at length. ".repeat(12);
    let mut properties = json!({
        "target": {"$ref": "#/$defs/Target"}, "city": {"type": "string"},
    });
    (0..6).for_each(|n| properties[format!("option{n}")] = json!({"$ref": "#/$defs/Option", "description": text}));
    json!({
        "type": "object", "properties": properties, "required": ["city"], "additionalProperties": false,
        "$defs": {
            "Target": {"type": "object", "properties": {"kind": {"$ref": "#/$defs/Kind"}}},
            "Kind": {"type": "string"}, "Option": {"type": "string"},
        },
    })
}

#[test]
fn brief_keeps_what_a_call_needs_and_says_that_there_is_more() {
    let dear = tool("sky.report", json!({"parameters": big_schema(), "detail_keys": ["target.kind"]}));
    let catalog = catalog(vec![dear, plain("sky.forecast")]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.report", "sky.forecast"]), bridge());
    let surface = exposure.surface(&catalog);
    let report = surface.prefix.tools.iter().find(|tool| tool.name == "sky__report").expect("it is recommended");
    assert_eq!(exposure.level(ix(&catalog, "sky.report")), Level::Brief);
    let properties = report.parameters["properties"].as_object().expect("properties");
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["target", "city"]);
    let definitions = report.parameters["$defs"].as_object().expect("definitions");
    assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Target", "Kind"]);
    assert!(
        report.parameters.get("additionalProperties").is_none(),
        "there are more parameters, so this would be a lie"
    );
    assert!(
        report.description.contains("6 optional parameters are not shown")
            && report.description.contains("tool_details")
    );
    assert!(surface.prefix.tools.iter().any(|tool| tool.name == "tool_details"));
    let whole = exposure.details_answer(&catalog, &[("report".into(), catalog.resolve("report"))]).text;
    assert!(whole.contains("option5") && exposure.level(ix(&catalog, "sky.report")) == Level::Full);
}

#[test]
fn a_schema_whose_rules_speak_of_its_parameters_is_not_cut() {
    let mut schema = big_schema();
    schema["anyOf"] = json!([{"required": ["option1"]}, {"required": ["option2"]}]);
    let catalog = catalog(vec![tool("sky.report", json!({"parameters": schema}))]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.report"]), bridge());
    let surface = exposure.surface(&catalog);
    let report = surface.prefix.tools.iter().find(|tool| tool.name == "sky__report").expect("it is recommended");
    let count = |schema: &Value| schema["properties"].as_object().map(serde_json::Map::len);
    assert_eq!(count(&report.parameters), count(&schema));
}

#[test]
fn an_edge_alone_brings_a_line_of_advice_and_no_schema() {
    let catalog = small();
    let mut evidence = fits(&catalog, &["notes.add"]);
    let fed_by = Hit {
        tool: ix(&catalog, "sky.forecast"),
        score: 1.0,
        exact: false,
        terms: Vec::new(),
        via: Some(Via { from: ix(&catalog, "notes.add"), edge: Edge::InputFrom }),
    };
    evidence.hits.push(fed_by);
    let mut exposure = Exposure::begin(&catalog, &evidence, bridge());
    let tail = exposure.surface(&catalog).tail.expect("advice");
    assert!(
        tail.contains("notes__add, sky__forecast; every other tool works as usual by name through tool_call"),
        "{tail}"
    );
    assert_eq!(exposure.level(ix(&catalog, "sky.forecast")), Level::Named);
    assert_eq!(exposure.level(ix(&catalog, "notes.open")), Level::Full, "what notes.add requires comes with it");
}

#[test]
fn advice_is_said_once_and_again_when_it_changes() {
    let catalog = small();
    let first = fits(&catalog, &["sky.forecast"]);
    let mut exposure = Exposure::begin(&catalog, &first, bridge());
    assert!(exposure.surface(&catalog).tail.is_some());
    exposure.observe(&catalog, &first);
    assert_eq!(exposure.surface(&catalog).tail, None);
    exposure.observe(&catalog, &fits(&catalog, &["sky.forecast", "mail.list"]));
    let tail = exposure.surface(&catalog).tail.expect("a change");
    assert!(
        tail.contains("Likely useful now: sky__forecast, mail__list") && tail.contains("\"name\":\"mail__list\""),
        "{tail}"
    );
    exposure.observe(&catalog, &Evidence::default());
    assert_eq!(exposure.surface(&catalog).tail, None, "there is nothing to take back");
}

#[test]
fn weak_evidence_is_called_a_guess_and_widens_the_reach() {
    let catalog = small();
    let weak = Evidence { margin: 0.0, ..fits(&catalog, &["sky.forecast"]) };
    let mut exposure = Exposure::begin(&catalog, &weak, bridge());
    let surface = exposure.surface(&catalog);
    assert!(surface.tail.expect("advice").starts_with("A guess at what may be useful: sky__forecast"));
    assert!(matches!(&surface.shown[0].because, Because::Guess { .. }));
    assert_eq!(surface.reach.as_str(), "extended");
}

#[test]
fn a_recommended_tool_that_cannot_run_says_why_at_once() {
    let what = Text::new("set the key in the settings", "请在设置中填写密钥");
    let catalog = catalog(vec![in_state("sky.forecast", State::NeedsConfig { what }), plain("notes.add")]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
    let surface = exposure.surface(&catalog);
    assert!(surface.tail.expect("advice").contains("needs configuration: set the key in the settings."));
    assert!(surface.prefix.system.contains("sky__forecast [needs configuration]: "), "{}", surface.prefix.system);
}

#[test]
fn rows_say_for_every_tool_how_it_is_reached_and_why() {
    let off = in_state("sky.old", State::Disabled { why: Text::new("policy", "规定") });
    let catalog = catalog(vec![plain("sky.forecast"), plain("sky.history"), plain("mail.list"), off]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
    exposure.learn(&catalog, Signal::UserNamed(ix(&catalog, "mail.list")));
    let told = |lang| -> Vec<String> {
        let rows = exposure.rows(&catalog);
        rows.iter()
            .map(|row| {
                format!(
                    "{} | {} | {}",
                    catalog.get(row.tool).id,
                    row.because.words(&catalog, lang),
                    row.how_to_reach.words(lang)
                )
            })
            .collect()
    };
    expect_test::expect![[r#"
        mail.list | the user named it | called by name, schema shown
        sky.forecast | fits the request by rain (alias) | called directly
        sky.history | every permitted tool is named | called by name, details one question away
        sky.old | every permitted tool is named | disabled
        mail.list | 用户点名了它 | 按名称调用，参数已显示
        sky.forecast | 与请求相符：rain (别名) | 直接调用
        sky.history | 所有获准的工具都会列出 | 按名称调用，详情可查询
        sky.old | 所有获准的工具都会列出 | 已禁用"#]]
    .assert_eq(&[told(Lang::En), told(Lang::Zh)].concat().join("\n"));
}

#[test]
fn the_strategies_for_comparison_show_all_or_one_category_and_never_change() {
    let catalog = small();
    let mut evidence = fits(&catalog, &["mail.list"]);
    evidence.categories = vec![("office".into(), 0.7), ("information".into(), 0.3)];
    let begin = |strategy| Exposure::begin(&catalog, &evidence, Settings { strategy, ..Settings::default() });
    let mut full = begin(Strategy::Full);
    assert_eq!(names(&mut full, &catalog).len(), 6);
    let mut hard = begin(Strategy::Hard);
    assert_eq!(names(&mut hard, &catalog), ["mail__list", "mail__send", "notes__add", "notes__open"]);
    let forecast: ToolIx = ix(&catalog, "sky.forecast");
    assert!(hard.learn(&catalog, Signal::UserNamed(forecast)).is_empty());
    assert_eq!(hard.how_to_reach(&catalog, forecast), HowToReach::Hidden);
    assert_eq!(hard.surface(&catalog).tail, None);
}

#[test]
fn tokens_are_counted_against_showing_everything() {
    let catalog = catalog((0..200).map(|n| plain(&format!("s{}.t{n}", n % 7))).collect());
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["s0.t0"]), Settings::default());
    let tokens = exposure.surface(&catalog).tokens;
    let mut full =
        Exposure::begin(&catalog, &Evidence::default(), Settings { strategy: Strategy::Full, ..Settings::default() });
    let all = full.surface(&catalog).tokens;
    assert!(tokens.prefix < tokens.everything && tokens.tail > 0, "{tokens:?}");
    let paragraph = 80;
    assert!(tokens.everything.abs_diff(all.prefix) < paragraph, "{tokens:?} {all:?}");
}

#[test]
fn what_is_shown_unasked_stays_within_its_budgets_by_turn_and_by_task() {
    let dear = |n: usize| tool(&format!("s.t{n:03}"), json!({"description": "word ".repeat(150)}));
    let catalog = catalog((0..200).map(dear).collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), Settings::default());
    let budgets = Settings::default().budgets;
    let advice = 120;
    let mut whole = 0;
    for turn in 0..40usize {
        let ids: Vec<String> = (0..5).map(|n| format!("s.t{:03}", turn * 5 + n)).collect();
        exposure.observe(&catalog, &fits(&catalog, &ids.iter().map(String::as_str).collect::<Vec<_>>()));
        exposure.learn(&catalog, Signal::NoTool);
        let tail = exposure.surface(&catalog).tokens.tail;
        assert!(tail <= budgets.tail_tokens + advice, "turn {turn}: {tail}");
        whole += tail;
    }
    assert!(whole <= budgets.unasked_tokens + 40 * advice, "{whole}");
}
