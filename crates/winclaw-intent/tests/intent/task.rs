//! Where a task stands, as evidence: what it used, and what was asked before.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::evidence::{Edge, Evidence, Via};
use winclaw_catalog::{ToolEntry, ToolIx};
use winclaw_intent::Query;

use crate::support::{Host, any_entries, any_request, entry};

/// A desk and a shop, among sixty tools that speak of details and ids too.
fn desk() -> Vec<ToolEntry> {
    let by_id = json!({"type": "object", "properties": {"id": {"type": "string", "description": "Which one"}}});
    let mut tools = vec![
        entry(
            "paper.compose",
            json!({"category": "office", "description": "生成文档，可含文字与图片", "aliases": {"zh": ["写文档"]}}),
        ),
        entry(
            "paper.export",
            json!({"category": "office", "description": "Print what was written.",
            "depends_on": [{"tool": "compose", "kind": "input_from"}]}),
        ),
        entry("view.grab", json!({"category": "system", "description": "截取屏幕，得到一张截图"})),
        entry("view.record", json!({"category": "system", "description": "录制屏幕视频"})),
        entry(
            "shop.list_orders",
            json!({"category": "trade", "description": "Orders of a customer, with their numbers. Pass one to `shop.order_record` for more.",
            "depends_on": [{"tool": "shop.wrap", "kind": "often_with"}]}),
        ),
        entry(
            "shop.order_record",
            json!({"category": "trade", "description": "The whole record of one order.", "parameters": by_id}),
        ),
        entry("shop.wrap", json!({"category": "trade", "description": "Paper and ribbon."})),
        entry("shop.refund", json!({"category": "trade", "description": "Give money back."})),
        entry("mail.send", json!({"category": "contact", "description": "发送邮件，可带附件"})),
        entry(
            "sky.forecast",
            json!({"category": "information", "description": "Rain and wind of the coming days in a town."}),
        ),
    ];
    for number in 0..60 {
        let description = format!("Fetch details of thing {number} by its id. 把内容放到位置 {number}");
        let source = number % 12;
        tools
            .push(entry(&format!("other{source}.t{number}"), json!({"description": description, "parameters": by_id})));
    }
    tools
}

fn after(host: &Host, message: &str, used: &[&str]) -> Evidence {
    let used: Vec<ToolIx> = used.iter().map(|id| host.ix(id)).collect();
    host.weigh(Query { message, used: &used, ..Query::default() })
}

#[test]
fn a_follow_up_keeps_what_it_goes_on_from() {
    let host = Host::new(desk());
    for message in ["再把屏幕截图也放进去", "屏幕截图也放进去吧", "put a screenshot into it too"] {
        let evidence = after(&host, message, &["sky.forecast", "paper.compose"]);
        for id in ["view.grab", "paper.compose"] {
            let place = host.place(&evidence, id).unwrap_or(usize::MAX);
            assert!(place < 5, "{message}: {id} is at {place}: {:?}", &host.ids(&evidence)[..8]);
        }
        let again = &evidence.hits[host.place(&evidence, "paper.compose").expect("a hit")];
        assert_eq!(again.via, Some(Via { from: again.tool, edge: Edge::Used }), "{message}");
    }
}

/// D15: what was looked for is looked at next.
#[test]
fn details_of_that_id_are_looked_up_where_the_id_came_from() {
    let host = Host::new(desk());
    for message in ["now fetch details for that ID", "show me that one", "看看它的详情", "open the second one"] {
        let evidence = after(&host, message, &["shop.list_orders"]);
        let place = host.place(&evidence, "shop.order_record").unwrap_or(usize::MAX);
        assert!(place < 5, "{message}: {place}: {:?}", &host.ids(&evidence));
    }
}

#[test]
fn an_edge_to_a_used_tool_lifts_a_little_and_says_which() {
    let host = Host::new(desk());
    let cases = [
        ("paper.compose", "paper.export", Edge::FollowsUsed),
        ("shop.list_orders", "shop.wrap", Edge::OftenWith),
        ("shop.wrap", "shop.list_orders", Edge::OftenWith),
        ("shop.list_orders", "shop.order_record", Edge::Mentioned),
    ];
    let request = "tell the customer in the northern town about rain, by letter and in a friendly tone of voice";
    let plain = host.ask(request);
    for (used, other, edge) in cases {
        let evidence = after(&host, request, &[used]);
        let hit = &evidence.hits[host.place(&evidence, other).expect("a hit")];
        assert_eq!(hit.via, Some(Via { from: host.ix(used), edge }), "{used} {other}");
        assert_eq!(evidence.hits[0].tool, plain.hits[0].tool, "an edge alone does not outrank the clearest words");
    }
}

#[test]
fn a_mate_of_a_used_tool_is_lifted_where_words_speak_for_it() {
    let host = Host::new(desk());
    let request = "I would like my money for the broken lamp returned to the account it came from";
    let lifted = after(&host, request, &["shop.list_orders"]);
    let hit = &lifted.hits[host.place(&lifted, "shop.refund").expect("a hit")];
    assert_eq!(hit.via, Some(Via { from: host.ix("shop.list_orders"), edge: Edge::SameSource }));
    assert!(!hit.terms.is_empty());
    assert!(host.place(&lifted, "shop.refund") <= host.place(&host.ask(request), "shop.refund"));
}

#[test]
fn earlier_requests_count_only_where_the_message_says_little() {
    let host = Host::new(desk());
    let earlier = ["will there be rain in Oslo", "send a letter"];
    let ask = |message| host.weigh(Query { message, earlier: &earlier, ..Query::default() });
    let follow = ask("and tomorrow?");
    assert_eq!(host.ids(&follow)[0], "sky.forecast");
    assert!(host.place(&follow, "mail.send").is_some(), "the one before counts too, less");
    assert_eq!(host.ids(&ask("那明天呢"))[0], "sky.forecast");
    let whole = "list every order of the customer that was returned broken this year and their reasons";
    assert_eq!(ask(whole), host.ask(whole));
}

#[test]
fn a_server_named_outright_is_meant_whole_and_one_named_in_passing_is_not() {
    let mut tools = desk();
    tools
        .extend((0..12).map(|number| entry(&format!("harbour.h{number}"), json!({"description": "Ships and boats."}))));
    tools.push(entry("harbour.tide", json!({"description": "When the water is high."})));
    let host = Host::new(tools);
    for request in
        ["use the harbour server for high water", "用harbour插件查", "harbour plugin", "look it up via Harbour"]
    {
        let evidence = host.ask(request);
        assert!(evidence.hits[0].exact && host.id(evidence.hits[0].tool).starts_with("harbour."), "{request}");
        assert_eq!(evidence.hits.iter().filter(|hit| hit.exact).count(), 5, "{request}");
    }
    assert_eq!(
        host.ids(&host.ask("use the harbour server for high water"))[0],
        "harbour.tide",
        "the best of them first"
    );
    assert!(host.ask("how is the harbour today").hits.iter().all(|hit| !hit.exact));
    assert!(host.ask("the view plugin").hits.iter().filter(|hit| hit.exact).count() == 2, "few are meant anyway");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// What a task did adds evidence, and takes none away.
    #[test]
    fn use_and_history_only_add(entries in any_entries(), request in any_request(), earlier in any_request(), used in prop::collection::vec(0..20_u32, 0..5)) {
        let host = Host::new(entries);
        let used: Vec<ToolIx> = used.into_iter().map(ToolIx).collect();
        let tools = |evidence: &Evidence| evidence.hits.iter().map(|hit| hit.tool).collect::<BTreeSet<_>>();
        let alone = host.ask(&request);
        let query = Query { message: &request, used: &used, earlier: &[earlier.as_str()], ..Query::default() };
        let more = host.weigh(query);
        prop_assert!(tools(&alone).is_subset(&tools(&more)));
        prop_assert!(more.hits.is_sorted_by(|a, b| (a.exact, a.score) >= (b.exact, b.score)));
    }
}
