//! Searches and rankings that miss the tool, or find what cannot be called.

use serde_json::{Value, json};
use winclaw_exposure::{Exposure, HowToReach, Settings, Strategy};
use winclaw_intent::{Index, Query};

use crate::stage::{
    Play, Server, bridge, bridged, calls, catalog, echo, fillers, found, ix, last, message, names, says, search, text,
    tool, whole,
};

/// Tools that talk of symbols and of finding far more than the one that is called so.
fn code_tools() -> Vec<winclaw_catalog::ToolEntry> {
    let wordy = |n: usize| {
        let words =
            format!("Find a symbol, find symbols, symbol search number {n}: find where a symbol is and find it");
        let more = json!({"aliases": {"en": ["symbol finder", "find"]}, "examples": ["find the symbol", "find symbol main"],
                          "parameters": text("symbol", "the symbol to find")});
        tool(&format!("code.symbol_finder_{n:02}"), &words, more)
    };
    let mut tools: Vec<_> = (0..40).map(wordy).collect();
    tools.push(tool("code.find_symbol", "Where something is declared", json!({})));
    tools
}

const SPELLINGS: [&str; 6] =
    ["find symbol", "find_symbol", "Find-Symbol", "FIND SYMBOL", "findSymbol", "code.find_symbol"];

#[test]
fn d01_a_query_that_equals_a_name_is_rank_one_outside_the_limit() {
    let catalog = catalog(code_tools());
    for query in SPELLINGS {
        assert_eq!(found(&catalog, &message(query))[0], "code.find_symbol", "{query}");
    }
    // The control: words that only resemble the name leave the rank to the words.
    assert_ne!(found(&catalog, &message("find symbols"))[0], "code.find_symbol");
    // What is named comes beside what the reach allows, not instead of it.
    let index = Index::build(&catalog);
    let shown = |text: &str| {
        let evidence = index.weigh(&catalog, &message(text));
        let mut one = bridge();
        one.budgets.recommended.tools = 1;
        one.budgets.extended.tools = 1;
        one.budgets.background.tools = 0;
        Exposure::begin(&catalog, &evidence, one).shown()
    };
    let named = shown("find_symbol");
    assert!(named.iter().any(|shown| shown.tool == ix(&catalog, "code.find_symbol")), "{named:?}");
    assert_eq!(named.len(), 2, "the named tool and one that the limit of one allows: {named:?}");
}

#[tokio::test]
async fn d01_a_search_for_a_name_gives_it_however_few_are_wanted() {
    for query in SPELLINGS {
        let server = Server::new(code_tools(), echo);
        let wanted = calls(&[("tool_search", json!({"queries": [query], "limit": 1}))]);
        let call = bridged("code__find_symbol", json!({}));
        let played = Play::new("where is it", &server).script(vec![wanted, call]).run().await;
        assert!(played.results()[0].contains("code__find_symbol"), "{query}: {}", played.results()[0]);
        assert_eq!(server.runs_of("code.find_symbol"), 1, "{query}");
    }
}

/// A lookup, what follows from it, and much else.
fn accounts() -> Vec<winclaw_catalog::ToolEntry> {
    let follows = json!({"depends_on": [{"tool": "crm.lookup_account", "kind": "input_from"}],
                         "parameters": text("id", "the ID of the account")});
    let lookup = json!({"parameters": text("customer", "whose account it is")});
    let mut tools = vec![
        tool("crm.lookup_account", "Looks an account up by the name of a customer and gives its ID", lookup),
        tool("crm.account_details", "Everything about one account", follows),
    ];
    tools.extend(fillers(80));
    tools
}

#[tokio::test]
async fn d15_a_further_request_of_a_session_keeps_the_lookup_and_points_to_what_follows_from_it() {
    let server = Server::new(accounts(), |id, arguments, _| match id {
        "crm.lookup_account" => Ok(winclaw_tool::ToolOutput::new(json!({"id": "A-17"}))),
        _ => echo(id, arguments, 0),
    });
    let mut turn = 0;
    let play = Play::new("look up the account of the customer Lin", &server).mind(move |request| {
        turn += 1;
        match turn {
            1 => calls(&[("crm__lookup_account", json!({"customer": "Lin"}))]),
            // It uses only what it was shown the parameters of.
            3 if whole(request).contains("the ID of the account") => {
                bridged("crm__account_details", json!({"id": "A-17"}))
            }
            4 => calls(&[("crm__lookup_account", json!({"customer": "Wu"}))]),
            _ => says("done"),
        }
    });
    let played = Play { then: vec!["now fetch that".into(), "and the same for Wu".into()], ..play }.run().await;
    assert_eq!(server.runs_of("crm.account_details"), 1, "{}", last(&played.requests[2]));
    for request in &played.requests {
        assert!(whole(request).contains("\"customer\""), "the lookup's schema is lost");
    }
}

#[test]
fn d15_a_follow_up_is_weighed_with_what_the_task_did_before() {
    let tools = accounts();
    let catalog = catalog(tools);
    let index = Index::build(&catalog);
    let used = [ix(&catalog, "crm.lookup_account")];
    let request = "now fetch that";
    let follow_up = Query { used: &used, earlier: &["look up the account of the customer Lin"], ..message(request) };
    let with = found(&catalog, &follow_up);
    for id in ["crm.lookup_account", "crm.account_details"] {
        assert!(with.iter().take(5).any(|hit| hit == id), "{id} is not among the first: {with:?}");
    }
    // The control: the message alone points nowhere near them.
    let without = found(&catalog, &message(request));
    assert!(!without.iter().take(5).any(|hit| hit == "crm.account_details"), "{without:?}");

    // What the task used stays shown, whatever the next message is about.
    let first = index.weigh(&catalog, &message("look up the account of the customer Lin"));
    let mut exposure = Exposure::begin(&catalog, &first, bridge());
    exposure.surface(&catalog);
    let before = exposure.level(used[0]);
    exposure.learn(&catalog, winclaw_exposure::Signal::Used(used[0]));
    exposure.observe(&catalog, &index.weigh(&catalog, &message("run step 7 of the plant")));
    exposure.surface(&catalog);
    assert!(exposure.level(used[0]) >= before && exposure.schema_shown(used[0]));
}

/// Tools of a Chinese office, some described in Chinese and some only known by Chinese words.
fn office() -> Vec<winclaw_catalog::ToolEntry> {
    let mut tools = vec![
        tool("office.mp_publish", "发布公众号文章", json!({})),
        tool("office.weekly_report", "Writes the report of a week", json!({"aliases": {"zh": ["周报"]}})),
        tool("office.translate", "Translates a text", json!({"aliases": {"zh": ["翻译"]}})),
        tool("office.invoice", "开具发票", json!({})),
        tool("office.leave", "提交请假申请", json!({})),
    ];
    tools.extend(fillers(120));
    tools
}

#[test]
fn d16_chinese_finds_tools_described_or_known_in_chinese() {
    let catalog = catalog(office());
    for (query, id) in [
        ("公众号", "office.mp_publish"),
        ("周报", "office.weekly_report"),
        ("翻译", "office.translate"),
        ("帮我写一下这周的周报", "office.weekly_report"),
        ("把这段话翻译成英文", "office.translate"),
        ("发票", "office.invoice"),
        ("我要请假", "office.leave"),
    ] {
        let found = found(&catalog, &message(query));
        assert!(found.iter().take(5).any(|hit| hit == id), "{query}: {found:?}");
    }
    // The control: a word that none of them has finds none of them.
    assert_eq!(found(&catalog, &message("彗星")), Vec::<String>::new());
}

#[tokio::test]
async fn d16_a_search_that_finds_nothing_says_why_in_words() {
    let server = Server::new(office(), echo);
    let played = Play::new("彗星", &server).script(vec![search("彗星轨道")]).run().await;
    let answer: Value = serde_json::from_str(first_part(&played.results()[0])).expect("one JSON object");
    assert_eq!(answer["found"], json!([]));
    assert!(answer["why"].as_str().is_some_and(|why| why.contains("None of the 125 tools")), "{answer}");
    assert!(answer["next"].as_str().is_some_and(|next| next.contains("other words")), "{answer}");
    // And the first request had offered the categories, so that the model was not left with nothing.
    assert!(last(&played.requests[0]).contains("office (5)"), "{}", last(&played.requests[0]));
}

#[tokio::test]
async fn d20_whatever_a_search_finds_is_callable_in_the_next_step() {
    // More tools than the model takes; each is searched for and called at once, natively or by tool_call.
    let tools: Vec<_> = fillers(400).collect();
    for (turn, step) in [111, 77, 149, 250, 399].into_iter().enumerate() {
        let server = Server::new(tools.clone(), echo);
        let mut asked = false;
        let play = Play::new("go on as before", &server).mind(move |request| {
            if !std::mem::replace(&mut asked, true) {
                return search(&format!("step {step} of the plant"));
            }
            let result = last(request);
            let Some(name) = first_name(&result, &format!("step_{step:04}")) else {
                return says("done");
            };
            assert!(!names(request).contains(&name.as_str()), "it is not among the tools that were sent");
            match turn % 2 {
                0 => bridged(&name, json!({"value": "x"})),
                _ => calls(&[(&name, json!({"value": "x"}))]),
            }
        });
        let settings = Settings { max_tools: 80, ..bridge() };
        let played = Play { settings, max_turns: 2, ..play }.run().await;
        let id = format!("plant{}.step_{step:04}", step / 50);
        assert_eq!(server.ran(), [(id, json!({"value": "x"}))], "{:?}", played.results());
    }
}

/// A result without the tail behind it.
fn first_part(result: &str) -> &str {
    result.split("\n\n").next().unwrap_or_default()
}

/// The name with `part` in the first schema of a search result that has it.
fn first_name(result: &str, part: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(first_part(result)).ok()?;
    let listed = ["found", "also_found"].into_iter().filter_map(|key| answer[key].as_array().cloned()).flatten();
    let mut names = listed.map(|item| item["name"].as_str().or(item.as_str()).unwrap_or_default().to_owned());
    names.find(|name| name.contains(part))
}

#[test]
fn d21_no_class_of_request_leaves_the_model_without_tools() {
    let mut tools: Vec<_> = fillers(40).collect();
    tools.push(tool("watch.alerts", "Alerts of the last day", json!({})));
    let catalog = catalog(tools);
    let index = Index::build(&catalog);
    let vague = ["", "嗯", "general", "how are things", "??", "help me with something", "hi", "继续"];
    for request in vague {
        let evidence = index.weigh(&catalog, &message(request));
        let mut exposure = Exposure::begin(&catalog, &evidence, bridge());
        let surface = exposure.surface(&catalog);
        let sent: Vec<&str> = surface.prefix.tools.iter().map(|spec| spec.name.as_str()).collect();
        for meta in ["tool_search", "tool_details", "tool_call", "ask_user"] {
            assert!(sent.contains(&meta), "{request:?} is left without {meta}: {sent:?}");
        }
        for row in exposure.rows(&catalog) {
            assert!(row.how_to_reach.extra_turns().is_some_and(|turns| turns <= 2), "{request:?}: {row:?}");
        }
        // The control: the rule that causes the fault does what was reported.
        let hard = Exposure::begin(&catalog, &evidence, Settings { strategy: Strategy::Hard, ..Settings::default() });
        let lost = hard.rows(&catalog).into_iter().filter(|row| row.how_to_reach == HowToReach::Hidden).count();
        assert!(lost > 0, "{request:?}");
    }
}

#[tokio::test]
async fn d21_a_model_that_was_routed_wrongly_still_reaches_the_tool() {
    let mut tools: Vec<_> = fillers(60).collect();
    tools.push(tool("watch.alerts", "Alerts of the last day", json!({})));
    let server = Server::new(tools, echo);
    let replies = vec![search("alerts"), bridged("watch__alerts", json!({}))];
    Play::new("general", &server).script(replies).run().await;
    assert_eq!(server.runs_of("watch.alerts"), 1);
}
