//! What evidence promises, for any tools and any request.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::evidence::{Edge, Via};
use winclaw_catalog::{State, ToolIx};
use winclaw_intent::{Index, Query, WEIGHTS, Weights};
use winclaw_tool::Text;

use crate::support::{Host, any_entries, any_request, entry, office};

#[test]
fn what_a_tool_is_called_puts_it_first_in_any_spelling() {
    let host = Host::new(office());
    let cases = [
        ("code.find_symbol", "code.find_symbol"),
        ("code__find_symbol", "code.find_symbol"),
        ("find symbol", "code.find_symbol"),
        ("Find-Symbol", "code.find_symbol"),
        ("findSymbol", "code.find_symbol"),
        ("please find symbol main for me", "code.find_symbol"),
        ("天气", "sky.forecast"),
        ("北京天气怎么样", "sky.forecast"),
        ("a skycast for Oslo", "sky.forecast"),
        ("明天要带伞吗？", "sky.forecast"),
        ("Will it rain in the north?", "sky.forecast"),
        ("ask the post-office", "mail.send"),
        ("lookup", "people.lookup"),
    ];
    for (request, id) in cases {
        let evidence = host.ask(request);
        let first = evidence.hits.first().expect(request);
        assert_eq!((host.id(first.tool), first.exact), (id, true), "{request}");
        assert_eq!(first.terms[0].field, "exact", "{request}");
    }
}

#[test]
fn a_name_counts_only_as_a_whole_word() {
    let host = Host::new(office());
    for request in ["skycasting", "a lookupx", "postofficers"] {
        assert!(host.ask(request).hits.iter().all(|hit| !hit.exact), "{request}");
    }
}

#[test]
fn chinese_requests_find_chinese_and_english_tools() {
    let host = Host::new(office());
    let cases = [
        ("公众号", "media.article"),
        ("周报", "report.weekly"),
        ("翻译", "lang.turn"),
        ("帮我写一份周报", "report.weekly"),
        ("气温多少", "sky.forecast"),
        ("translate this", "lang.turn"),
        ("给我妈寄一封邮件", "mail.send"),
        ("这个函数在哪里定义", "code.find_symbol"),
    ];
    for (request, id) in cases {
        let evidence = host.ask(request);
        let place = host.place(&evidence, id);
        assert!(place.is_some_and(|place| place < 5), "{request}: {:?}", host.ids(&evidence));
    }
}

/// What another word brought is said to be alike, and what the word itself brought is not, also where its meaning adds to it.
#[test]
fn a_term_tells_the_word_from_its_meaning() {
    let host = Host::new(vec![
        entry("notes.seek", json!({"description": "Search and look through it, a search above all."})),
        entry("notes.grow", json!({"description": "Find and search, 查找"})),
        entry("port.tide", json!({"description": "潮水"})),
    ]);
    let alike = |request: &str, id: &str| -> Vec<bool> {
        let evidence = host.ask(request);
        let hit = &evidence.hits[host.place(&evidence, id).expect("a hit")];
        hit.terms.iter().map(|term| term.alike).collect()
    };
    assert_eq!(alike("find", "notes.seek"), [true]);
    assert_eq!(alike("查找", "notes.seek"), [true]);
    for request in ["find", "查找"] {
        let own = alike(request, "notes.grow");
        assert!(!own.is_empty() && !own.contains(&true), "{request}: {own:?}");
    }
}

/// Pairs of one run are no words each.
#[test]
fn chinese_pairs_that_overlap_are_named_as_one_run() {
    let host = Host::new(vec![
        entry("sky.forecast", json!({"description": "可以查北京天气的工具"})),
        entry("port.crane", json!({"description": "北京"})),
        entry("port.tide", json!({"description": "潮水, 天气预报"})),
    ]);
    let terms = |request: &str, id: &str| -> Vec<(String, String)> {
        let evidence = host.ask(request);
        let hit = &evidence.hits[host.place(&evidence, id).expect("a hit")];
        assert!(hit.terms.is_sorted_by(|a, b| a.score >= b.score), "{request}: {:?}", hit.terms);
        hit.terms.iter().map(|term| (term.text.clone(), term.field.to_string())).collect()
    };
    let description = |text: &str| (text.to_owned(), "description".to_owned());
    let of_run = terms("查北京天气", "sky.forecast");
    assert_eq!(of_run[0], description("查北京天气"));
    assert!(of_run[1..].iter().all(|term| !matches!(&*term.0, "查北" | "北京" | "京天" | "天")), "{of_run:?}");
    assert_eq!(terms("查北京天气", "port.crane"), [description("北京"), description("京"), description("北")]);
    // Two texts that meet nowhere are two terms, and so are pairs with something between.
    let apart = terms("北京的天气，潮水", "port.tide");
    assert!(apart.contains(&description("天气")) && apart.contains(&description("潮水")), "{apart:?}");
}

/// The run carries what its pairs did.
#[test]
fn a_run_has_the_scores_of_its_pairs() {
    let host = Host::new(vec![
        entry("port.tide", json!({"description": "潮水涨"})),
        entry("port.crane", json!({"description": "吊"})),
    ]);
    let score = |request: &str, text: &str| {
        let hits = host.ask(request).hits;
        hits[0].terms.iter().find(|term| term.text == text).map(|term| term.score).expect("the term")
    };
    let sum = score("潮水", "潮水") + score("水涨", "水涨");
    assert!((score("潮水涨", "潮水涨") - sum).abs() < 1e-5);
}

/// What a request rules out is not what it names.
#[test]
fn a_name_behind_a_negation_is_not_exact() {
    let host = Host::new(office());
    let exact = |request: &str| -> Vec<String> {
        let evidence = host.ask(request);
        let exact = evidence.hits.iter().filter(|hit| hit.exact);
        exact.map(|hit| host.id(hit.tool).to_owned()).collect()
    };
    for request in [
        "don't find symbol, just sum it up",
        "do not use code.find_symbol",
        "sum it up without find_symbol",
        "count them instead of using find symbol",
        "不要用 find_symbol",
        "别用天气，算一下二加二",
        "无需天气",
    ] {
        assert_eq!(exact(request), [""; 0], "{request}");
    }
    assert_eq!(exact("don't find symbol, send it with a skycast"), ["sky.forecast"]);
    assert_eq!(exact("do not use find symbol yet; then find symbol"), ["code.find_symbol"]);
    assert_eq!(exact("要不要看天气"), ["sky.forecast"]);
    let still = host.ask("do not find symbol");
    assert!(host.place(&still, "code.find_symbol").is_some(), "it may fit by its words");
}

#[test]
fn words_of_nested_parameters_are_evidence() {
    let host = Host::new(office());
    let evidence = host.ask("which weekday");
    assert_eq!(host.place(&evidence, "sky.forecast"), None, "{:?}", host.ids(&evidence));
    let evidence = host.ask("the week ahead");
    let hit = &evidence.hits[host.place(&evidence, "sky.forecast").expect("a hit")];
    assert_eq!((hit.terms[0].text.as_str(), &*hit.terms[0].field), ("week", "parameter"));
}

/// However many tools fit the first need, that of a second one about as clear stands near the front.
#[test]
fn each_clear_need_gets_a_seat() {
    let words = ["rain", "wind", "frost", "cloud", "hail", "storm", "thunder", "sleet"];
    let crowd = json!({"description": words.join(", ")});
    let mut tools = office();
    tools.extend((0..12).map(|number| entry(&format!("crowd.c{number}"), crowd.clone())));
    tools.extend((0..60).map(|number| entry(&format!("filler.f{number}"), json!({"description": "Nothing at all."}))));
    let host = Host::new(tools);
    let unseated = Index::build_with(&host.catalog, Weights { seat: 2.0, need: 0.0, ..WEIGHTS });
    let gained = (3..=words.len()).filter(|&count| {
        let request = format!("{}, then a letter to grandma", words[..count].join(" "));
        let plain = unseated.weigh(&host.catalog, &Query { message: &request, ..Query::default() });
        let [seated, plain] = [host.ask(&request), plain].map(|found| host.place(&found, "mail.send").expect("a hit"));
        assert!(seated <= plain, "{request}: {seated} instead of {plain}");
        seated < 8 && plain >= 8
    });
    assert!(gained.count() > 0, "no request shows the seat");
}

#[test]
fn the_plan_and_the_tools_used_are_evidence_too() {
    let host = Host::new(office());
    assert_eq!(host.ask("go on").hits, []);
    let planned = host.weigh(Query { message: "go on", plan_step: Some("Send the letter"), ..Query::default() });
    assert_eq!(host.id(planned.hits[0].tool), "mail.send");
    let used = host.weigh(Query { message: "go on", used: &[host.ix("notes.add")], ..Query::default() });
    assert!(host.place(&used, "notes.find_entry").is_some(), "{:?}", host.ids(&used));
}

#[test]
fn what_feeds_a_hit_follows_and_says_why() {
    let host = Host::new(office());
    let evidence = host.ask("send the letter");
    let source = &evidence.hits[host.place(&evidence, "people.lookup").expect("a hit")];
    assert_eq!(source.via, Some(Via { from: host.ix("mail.send"), edge: Edge::InputFrom }));
    assert!(source.terms.is_empty() && !source.exact && source.score < evidence.hits[0].score);
}

#[test]
fn categories_and_margin_tell_how_clear_it_is() {
    let host = Host::new(office());
    let clear = host.ask("find symbol");
    assert_eq!(clear.categories[0].0, "development");
    let twins = Host::new((0..6).map(|n| entry(&format!("a.t{n}"), json!({"description": "Same words."}))).collect());
    assert!(clear.margin > twins.ask("same words").margin);
    assert_eq!(host.ask("").margin, 0.0);
}

#[test]
fn a_disabled_tool_is_no_hit() {
    let mut tools = office();
    tools[0].state = State::Disabled { why: Text::new("off", "关") };
    let host = Host::new(tools);
    let evidence = host.ask("sky.forecast 天气 rain");
    assert_eq!(host.place(&evidence, "sky.forecast"), None);
}

/// I19: words stuffed into one tool lift that tool only.
#[test]
fn a_tool_that_claims_every_word_does_not_reorder_the_others() {
    let greedy = "rain wind note letter function symbol week telephone send find write translate ".repeat(20);
    let mut tools = office();
    tools.push(entry("evil.all", json!({"description": greedy, "aliases": {"en": ["the", "a", "of"]}})));
    let (honest, stuffed) = (Host::new(office()), Host::new(tools));
    for request in ["rain in the north", "find the function", "send a letter of thanks", "look for a note"] {
        let mut with = stuffed.ids(&stuffed.ask(request));
        with.retain(|id| id != "evil.all");
        assert_eq!(with[0], honest.ids(&honest.ask(request))[0], "{request}");
    }
}

#[test]
fn huge_and_odd_requests_are_bounded() {
    let host = Host::new(office());
    let texts = [
        "天".repeat(400_000),
        "rain ".repeat(200_000),
        "a".repeat(1_000_000),
        "，".repeat(300_000),
        format!("rain {} letter", "x,y; ".repeat(100_000)),
        "🙂".repeat(1_000),
        "e\u{301}".repeat(5_000),
        "=1 =2 =3".to_owned(),
        "x".to_owned(),
        "天".to_owned(),
        "\0rain\0\0letter".to_owned(),
        "\u{200b}r\u{200d}a\u{feff}in\u{202e}".repeat(2_000),
        "查rain в городе 天気 أمطار 🙂".repeat(3_000),
        "find the note, ".repeat(10_000),
        "查周报，".repeat(10_000),
        "\u{10ffff}\u{fdfa}".repeat(20_000),
        "code.find_symbol ".repeat(100_000),
    ];
    for text in texts {
        let evidence = host.ask(&text);
        assert!(evidence.hits.len() <= 110);
        assert!(evidence.hits.iter().flat_map(|hit| &hit.terms).all(|term| term.text.chars().count() <= 80));
    }
    let ends = host.ask(&format!("{} send the letter", "x".repeat(1_000_000)));
    assert_eq!(host.id(ends.hits[0].tool), "mail.send");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// I6, also where two tools claim one id.
    #[test]
    fn the_order_of_registration_changes_nothing(
        (entries, shuffled) in any_entries().prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle())),
        request in any_request(),
        plan in any_request(),
    ) {
        let ask = |entries| {
            let host = Host::new(entries);
            let used: Vec<ToolIx> = host.catalog.all().step_by(3).collect();
            let query = Query { message: &request, plan_step: Some(&plan), used: &used, earlier: &[&plan] };
            (host.catalog.tools().to_vec(), host.ask(&request), host.weigh(query))
        };
        let ((tools, evidence, in_task), (others, other, other_in_task)) = (ask(entries), ask(shuffled));
        prop_assert_eq!(tools, others);
        prop_assert_eq!(evidence, other);
        prop_assert_eq!(in_task, other_in_task);
    }

    #[test]
    fn evidence_is_well_formed(entries in any_entries(), request in any_request(), plan in any_request()) {
        let host = Host::new(entries);
        let used: Vec<ToolIx> = host.catalog.all().take(2).collect();
        let evidence = host.weigh(Query { message: &request, plan_step: Some(&plan), used: &used, ..Query::default() });
        let distinct: BTreeSet<ToolIx> = evidence.hits.iter().map(|hit| hit.tool).collect();
        prop_assert_eq!(distinct.len(), evidence.hits.len());
        for hit in &evidence.hits {
            prop_assert!(hit.score > 0.0 && hit.score.is_finite());
            prop_assert!(!hit.terms.is_empty() || hit.via.is_some());
            prop_assert!(hit.terms.iter().all(|term| term.score > 0.0 && !term.text.is_empty()));
            prop_assert!(hit.exact == hit.terms.first().is_some_and(|term| term.field == "exact"));
        }
        prop_assert!(evidence.hits.is_sorted_by(|a, b| (a.exact, b.exact) != (false, true)));
        let shares: f32 = evidence.categories.iter().map(|category| category.1).sum();
        prop_assert!(evidence.hits.is_empty() || (shares - 1.0).abs() < 1e-3);
        prop_assert!((0.0..=1.0).contains(&evidence.margin));
    }

    /// I10, for tools nobody has seen.
    #[test]
    fn an_invented_tool_is_found_by_its_names(name in "[a-z]{3,8}_[a-z]{3,8}", alias in "[\u{4e00}-\u{4fff}]{2,4}", example in "[a-z]{3,8}( [a-z]{3,8}){2,4}") {
        let mut tools = office();
        tools.push(entry(&format!("zeta.{name}"), json!({"aliases": {"zh": [&alias]}, "examples": [&example]})));
        let host = Host::new(tools);
        let id = format!("zeta.{name}");
        let said = [id.clone(), format!("zeta__{name}"), name.replace('_', " "), alias.clone(), format!("请用{alias}吧"), example];
        for request in said {
            let evidence = host.ask(&request);
            let first = evidence.hits.first().expect("a hit");
            prop_assert!(first.exact && host.id(first.tool) == id, "{}: {:?}", request, host.ids(&evidence));
        }
    }

    /// More words are more evidence: what a plain word brought stays.
    #[test]
    fn a_further_word_takes_no_hit_away(entries in any_entries(), words in prop::collection::vec("(rain|note|letter|symbol|find)", 0..5), more in "[a-z]{3,8}") {
        let host = Host::new(entries);
        let request = words.join(" ");
        let before: BTreeSet<ToolIx> = host.ask(&request).hits.iter().filter(|hit| hit.via.is_none()).map(|hit| hit.tool).collect();
        let after: BTreeSet<ToolIx> = host.ask(&format!("{request} {more}")).hits.iter().map(|hit| hit.tool).collect();
        prop_assert!(before.is_subset(&after));
    }
}
