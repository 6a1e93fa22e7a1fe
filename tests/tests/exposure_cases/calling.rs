//! Calls of tools the model was not shown, does not know, or cannot name.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_catalog::{Catalog, Resolution};
use winclaw_exposure::{Settings, Transport};

use crate::stage::{Play, Server, bridge, bridged, calls, catalog, echo, fillers, ix, names, says, text, tool, whole};

fn with_helper() -> Vec<winclaw_catalog::ToolEntry> {
    let mut tools: Vec<_> = fillers(80).collect();
    tools.push(tool(
        "helper.ask_expert",
        "Puts a question to an expert",
        json!({"parameters": text("question", "what is asked")}),
    ));
    tools
}

#[tokio::test]
async fn d02_a_call_of_a_known_tool_that_was_not_sent_is_run_and_never_ends_the_turn() {
    let server = Server::new(with_helper(), echo);
    let replies = vec![
        calls(&[("helper__ask_expert", json!({"question": "why?"}))]),
        calls(&[("helper__ask_expert", json!({"question": "and how?"}))]),
    ];
    let played = Play::new("run step 3 of the plant", &server).script(replies).run().await;
    assert!(!names(&played.requests[0]).contains(&"helper__ask_expert"), "the case needs it unshown");
    assert_eq!(played.report.state, EndState::Done);
    assert_eq!(server.runs_of("helper.ask_expert"), 2);
    let results = played.results();
    assert!(
        results[0].contains("why?") && results[0].contains("\"question\""),
        "its schema comes with it: {}",
        results[0]
    );
    assert!(!results[1].contains("\"properties\""), "once is enough: {}", results[1]);
}

#[tokio::test]
async fn d02_a_wrong_call_of_an_unshown_tool_is_not_run_and_brings_the_schema() {
    let server = Server::new(with_helper(), echo);
    let replies = vec![
        calls(&[("helper__ask_expert", json!({"prompt": "why?"}))]),
        calls(&[("helper__ask_expert", json!({"question": "why?"}))]),
    ];
    let played = Play::new("run step 3 of the plant", &server).script(replies).run().await;
    let first = &played.results()[0];
    assert!(first.contains("`question` is missing") && first.contains("\"properties\""), "{first}");
    assert_eq!(server.ran(), [("helper.ask_expert".to_owned(), json!({"question": "why?"}))]);
    assert_eq!(played.report.state, EndState::Done);
}

#[tokio::test]
async fn d07_a_guessed_name_is_answered_with_the_nearest_tools_and_how_to_look_further() {
    let mut tools: Vec<_> = fillers(60).collect();
    for name in ["write_text", "write_bytes", "read_text", "remove"] {
        tools.push(tool(
            &format!("disk.{name}"),
            "A file on the disk",
            json!({"parameters": text("path", "where the file is")}),
        ));
    }
    let server = Server::new(tools, echo);
    let wrong = calls(&[("tool_call", json!({"id": "disk_write", "name": "disk_write", "arguments": {"path": "a"}}))]);
    let replies = vec![wrong, bridged("disk__write_text", json!({"path": "a"}))];
    let played = Play::new("run step 3 of the plant", &server).script(replies).run().await;
    let told = &played.results()[0];
    for words in ["no tool `disk_write`", "disk__write_text", "disk__write_bytes", "tool_search", "\\\"path\\\""] {
        assert!(told.contains(words), "lacks {words}: {told}");
    }
    assert!(told.matches("Schema: ").count() <= 3, "at most three: {told}");
    // The similar tool was not run for the wrong name, and the right one right after it.
    assert_eq!(server.ran(), [("disk.write_text".to_owned(), json!({"path": "a"}))]);
}

#[tokio::test]
async fn d07_a_flow_of_the_host_itself_keeps_its_tools_direct() {
    let flow = |always: bool| async move {
        let mut tools: Vec<_> = fillers(300).collect();
        let more = json!({"always_load": always, "parameters": text("note", "what is worth keeping")});
        tools.push(tool("memory.keep", "Keeps a note for later sessions", more));
        let server = Server::new(tools, echo);
        let reply = calls(&[("memory__keep", json!({"note": "n"}))]);
        let played = Play::new("step 1 of the plant; step 2; step 3", &server).script(vec![reply]).run().await;
        (names(&played.requests[0]).contains(&"memory__keep"), server.runs_of("memory.keep"))
    };
    assert_eq!(flow(true).await, (true, 1), "always_load puts it into the array");
    assert_eq!(flow(false).await, (false, 1), "without it the tool is not sent, and runs all the same");
}

/// Two servers that both offer `execute_sql`.
fn databases() -> Vec<winclaw_catalog::ToolEntry> {
    let sql = || json!({"parameters": text("sql", "the statement"), "side_effect": "write"});
    vec![
        tool("ocean_db.execute_sql", "Runs SQL on the ocean database", sql()),
        tool("click_db.execute_sql", "Runs SQL on the click database", sql()),
    ]
}

#[tokio::test]
async fn d12_a_name_that_two_servers_share_is_never_sent_to_the_first() {
    let [ocean, click] = databases().try_into().expect("two tools");
    let (ocean, click) = (Server::new(vec![ocean], echo), Server::new(vec![click], echo));
    for transport in [Transport::Direct, Transport::Bridge] {
        let replies = vec![
            calls(&[("execute_sql", json!({"sql": "select 1"}))]),
            bridged("execute_sql", json!({"sql": "select 1"})),
            calls(&[("click_db__execute_sql", json!({"sql": "select 2"}))]),
        ];
        let play = Play::new("count the clicks", &ocean).script(replies);
        let servers = vec![ocean.clone(), click.clone()];
        let played =
            Play { servers, settings: Settings { transport: Some(transport), ..bridge() }, ..play }.run().await;
        for told in &played.results()[..2] {
            let both = told.contains("ocean_db__execute_sql") && told.contains("click_db__execute_sql");
            assert!(both && told.contains("nothing was run"), "{told}");
        }
    }
    assert_eq!(ocean.ran(), []);
    assert_eq!(click.ran(), vec![("click_db.execute_sql".to_owned(), json!({"sql": "select 2"})); 2]);
    // The control: without the other server the bare name is enough.
    let alone = catalog(vec![databases().remove(1)]);
    assert_eq!(alone.resolve("execute_sql"), Resolution::One(ix(&alone, "click_db.execute_sql")));
}

/// Names that vendors do not take: too long, alike in all that fits, with signs, in Chinese.
fn long_names() -> Vec<String> {
    let head = "ask_the_agent_that_knows_everything_about_the_quarterly_figures_of";
    let mut names: Vec<String> = (0..6).map(|n| format!("crew.{head}_region_{n}")).collect();
    names.extend(["crew.报表 查询", "crew.报表-查询!", "crew.a/b c", "crew.a b/c"].map(str::to_owned));
    names
}

fn long_catalog(ids: &[String]) -> Catalog {
    catalog(ids.iter().map(|id| tool(id, "Asks somebody", json!({}))).collect())
}

#[tokio::test]
async fn d13_a_name_no_vendor_takes_gets_one_that_every_vendor_takes() {
    let ids = long_names();
    let known = long_catalog(&ids);
    let wire: Vec<&str> = known.tools().iter().map(|tool| tool.wire_name.as_str()).collect();
    for (tool, name) in known.tools().iter().zip(&wire) {
        assert!(name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)), "{name}");
        assert_eq!(known.resolve(name), Resolution::One(ix(&known, tool.id.as_str())), "reversible");
    }
    assert_eq!(wire.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len(), "no two are the same");
    // The name depends on nothing but the id: neither on order nor on company.
    let backwards: Vec<String> = ids.iter().rev().skip(1).cloned().collect();
    for tool in long_catalog(&backwards).tools() {
        assert_eq!(known.get(ix(&known, tool.id.as_str())).wire_name, tool.wire_name);
    }
    // The play fails if the vendor's rules refuse a name.
    let entries: Vec<_> = ids.iter().map(|id| tool(id, "Asks somebody", json!({}))).collect();
    let server = Server::new(entries, echo);
    let replies = vec![calls(&wire.iter().take(8).map(|name| (*name, json!({}))).collect::<Vec<_>>())];
    let play = Play::new("ask", &server).script(replies);
    Play { settings: Settings { transport: Some(Transport::Direct), ..bridge() }, ..play }.run().await;
    let ran: Vec<String> = server.ran().into_iter().map(|(id, _)| id).collect();
    let expected: Vec<String> = known.tools().iter().take(8).map(|tool| tool.id.to_string()).collect();
    assert_eq!(ran, expected);
}

/// A tool that bundles sixty functions, which it explains one after another.
fn bundle() -> winclaw_catalog::ToolEntry {
    let functions: Vec<String> = (0..60)
        .map(|n| format!("- fn_{n:02}(value): handles the case number {n} of the incoming documents."))
        .collect();
    let mut entry =
        tool("bundle.run", "Runs one of sixty functions", json!({"parameters": text("function", "which one")}));
    entry.manifest.description = format!("Functions:\n{}", functions.join("\n"));
    assert!(entry.manifest.description.len() > 2_048);
    entry
}

#[tokio::test]
async fn d19_a_description_that_is_cut_says_so_and_can_be_read_whole() {
    let (_, problems) = Catalog::build(vec![bundle()]);
    assert!(problems.iter().any(|problem| problem.subject == "bundle.run" && problem.what.en.contains("longer than")));
    let short = tool("bundle.run", "Runs one of sixty functions", json!({}));
    assert_eq!(Catalog::build(vec![short]).1, [], "the control: a short one is no problem");

    let mut tools: Vec<_> = fillers(80).collect();
    tools.push(bundle());
    let server = Server::new(tools, echo);
    let replies = vec![calls(&[("tool_details", json!({"names": ["bundle.run"]}))])];
    let played = Play::new("bundle.run", &server).script(replies).run().await;
    let shown = whole(&played.requests[0]);
    assert!(shown.contains("fn_00") && shown.contains("[cut, tool_details shows the rest]"), "{shown}");
    assert!(!shown.contains("fn_59"));
    assert!(played.results()[0].contains("fn_59") && played.results()[0].contains("fn_00"), "{}", played.results()[0]);
}

#[tokio::test]
async fn d18_a_large_batch_runs_up_to_the_limit_and_answers_every_call_once() {
    let server = Server::new(with_helper(), echo);
    let asked = |n: usize| ("helper__ask_expert", json!({"question": format!("{n}?")}));
    let batch: Vec<(&str, Value)> = (0..12).map(asked).collect();
    let rest: Vec<(&str, Value)> = (8..12).map(asked).collect();
    let played = Play::new("helper.ask_expert", &server).script(vec![calls(&batch), calls(&rest)]).run().await;
    let (made, answered) = played.call_ids();
    assert_eq!(made, answered, "each call once, in order");
    let results = played.results();
    for (n, result) in results.iter().take(12).enumerate() {
        let denied = result.contains("only 8 calls run from one reply") && result.contains("\"retryable\":true");
        assert_eq!(denied, n >= 8, "{n}: {result}");
    }
    assert_eq!(server.runs_of("helper.ask_expert"), 12, "the rest ran when it was sent again");
    assert_eq!(played.report.state, EndState::Done);
}

#[tokio::test]
async fn d11_more_tools_than_a_vendor_takes_are_no_reason_to_refuse_the_request() {
    for (count, max_tools) in [(154, 128), (154, 20), (900, 4)] {
        for transport in [None, Some(Transport::Direct), Some(Transport::Bridge)] {
            let server = Server::new(fillers(count).collect(), echo);
            let wire = format!("plant{}__step_{:04}", (count - 1) / 50, count - 1);
            let replies = vec![calls(&[(&wire, json!({"value": "x"}))]), says("done")];
            let play = Play::new("run step 12 of the plant", &server).script(replies);
            let settings = Settings { transport, max_tools, ..Settings::default() };
            // The model panics when the array is longer than it takes.
            let played = Play { settings, ..play }.run().await;
            assert_eq!(played.report.state, EndState::Done);
            assert_eq!(server.ran().len(), 1, "{count} tools, {max_tools} taken, {transport:?}");
        }
    }
}
