//! Models that do the same again and again, and tasks that stray after a failure.

use serde_json::{Value, json};
use winclaw_agent::{Answer, EndState};
use winclaw_guard::Approve;
use winclaw_model::ChatRequest;
use winclaw_tool::ToolOutput;

use crate::stage::{Play, Played, Server, bridged, calls, down, echo, failed, fillers, last, says, search, text, tool};

fn stopped(played: &Played) -> bool {
    matches!(played.report.state, EndState::Stopped { .. })
}

/// A model that sends the same reply for ever.
fn stubborn(reply: Value) -> impl FnMut(&ChatRequest) -> Value + Send {
    move |_| reply.clone()
}

#[tokio::test]
async fn d06_searching_for_tools_of_a_server_that_is_down_ends_and_says_why() {
    let mut tools: Vec<_> = fillers(80).collect();
    tools.extend(
        ["send", "list", "remove"].map(|name| down(tool(&format!("mail.{name}"), &format!("{name} mail"), json!({})))),
    );
    let server = Server::new(tools, echo);
    let played = Play::new("send a mail", &server).mind(stubborn(search("send mail"))).run().await;
    let results = played.results();
    assert!(last(&played.requests[0]).contains("its server is down"), "said at once: {}", last(&played.requests[0]));
    assert!(results.iter().any(|told| told.contains("and more will not")), "{results:#?}");
    assert!(stopped(&played), "{:?}", played.report.state);
    assert!(played.report.turns <= 12, "{} turns", played.report.turns);
}

#[tokio::test]
async fn d06_a_search_that_finds_nothing_is_final_after_a_few() {
    let server = Server::new(fillers(80).collect(), echo);
    let mut number = 0;
    // Each search has other words, so that no two are the same call.
    let play = Play::new("go on", &server).mind(move |_| {
        number += 1;
        search(&format!("zzxq{number} wvv{number}"))
    });
    let played = play.run().await;
    let results = played.results();
    assert!(results[0].contains("None of the 80 tools"), "{}", results[0]);
    assert!(results[3].contains("searches in a row brought nothing new"), "{}", results[3]);
    assert!(played.report.turns <= 20, "{} turns; {:?}", played.report.turns, played.report.state);
    assert!(stopped(&played), "{:?}", played.report.state);
}

/// A shell whose every result has another process id and duration.
fn shell(volatile: &[&str]) -> std::sync::Arc<Server> {
    let more = json!({"parameters": text("command", "the command"), "volatile_results": volatile});
    Server::new(vec![tool("shell.exec", "Runs a command", more)], |_, _, before| {
        Ok(ToolOutput::new(json!({"out": "same", "pid": 4_000 + before, "run": {"ms": before * 7 % 13}})))
    })
}

#[tokio::test]
async fn d08_what_changes_in_every_result_does_not_hide_that_nothing_changes() {
    let command = || calls(&[("shell__exec", json!({"command": "make"}))]);
    let server = shell(&["pid", "run.ms"]);
    let played = Play::new("build it", &server).mind(stubborn(command())).run().await;
    assert!(stopped(&played), "{:?}", played.report.state);
    assert_eq!(server.ran().len(), 3, "the bound is three");
    // The control: where nothing is declared, a result that differs is news, and nothing is stopped.
    let server = shell(&[]);
    let play = Play::new("build it", &server).mind(stubborn(command()));
    let played = Play { max_turns: 20, ..play }.run().await;
    assert!(!stopped(&played) && server.ran().len() == 20, "{:?}", played.report.state);
}

/// A model that looks for a file under ever new names.
fn looks_for_files() -> impl FnMut(&ChatRequest) -> Value + Send {
    let mut number = 0;
    move |_| {
        number += 1;
        calls(&[("disk__read", json!({"path": format!("/data/part-{number}.csv")}))])
    }
}

#[tokio::test]
async fn d09_failing_alike_with_ever_other_arguments_is_a_loop() {
    let tools = || vec![tool("disk.read", "Reads a file", json!({"parameters": text("path", "where the file is")}))];
    let server = Server::new(tools(), |_, arguments, _| {
        failed(format!(
            "FileNotFoundError: [Errno 2] No such file or directory: '{}'",
            arguments["path"].as_str().unwrap_or("")
        ))
    });
    let played = Play::new("read the parts", &server).mind(looks_for_files()).run().await;
    assert!(stopped(&played), "{:?}", played.report.state);
    assert!(server.ran().len() <= 12, "{} calls", server.ran().len());
    let nudge = played.results().iter().position(|told| told.contains("do something else"));
    assert!(nudge.is_some_and(|at| at <= 4), "told early: {nudge:?}");
    // The control: failures that differ in kind, or a success between them, are no loop.
    let kinds =
        ["no such file", "permission denied", "is a folder", "not text", "locked", "too large", "on another disk"];
    let server = Server::new(tools(), move |_, _, before| failed(kinds[before % kinds.len()]));
    let play = Play::new("read the parts", &server).mind(looks_for_files());
    let played = Play { max_turns: 14, ..play }.run().await;
    assert!(!stopped(&played), "{:?}", played.report.state);
}

/// A job that is asked about again and again; it is done after `until` calls.
fn job(poll: bool, until: usize, changing: bool) -> std::sync::Arc<Server> {
    let more = json!({"poll": poll, "parameters": text("job", "the job's number")});
    Server::new(vec![tool("jobs.status", "How far a job is", more)], move |_, _, before| {
        let percent = if changing { before * 100 / until } else { 7 };
        Ok(ToolOutput::new(json!({"percent": percent, "done": before >= until})))
    })
}

/// Asks until the job is done.
fn patient(request: &ChatRequest) -> Value {
    match last(request).contains("\"done\":true") {
        true => says("done"),
        false => calls(&[("jobs__status", json!({"job": "9"}))]),
    }
}

#[tokio::test]
async fn d10_polling_a_job_that_goes_on_is_no_loop() {
    for poll in [true, false] {
        let server = job(poll, 30, true);
        let played = Play::new("is job 9 done?", &server).mind(patient).run().await;
        assert_eq!(played.report.state, EndState::Done, "poll: {poll}");
        assert_eq!(server.ran().len(), 31);
    }
}

#[tokio::test]
async fn d10_polling_without_change_is_told_to_wait_longer_before_it_is_stopped() {
    let server = job(true, 10, false);
    let played = Play::new("is job 9 done?", &server).mind(patient).run().await;
    assert_eq!(played.report.state, EndState::Done, "ten unchanged answers are within its patience");
    assert!(played.results().iter().any(|told| told.contains("wait longer")), "{:#?}", played.results());
    // The controls: a poll that never changes is stopped in the end, and what is no poll much sooner.
    for (poll, most) in [(true, 13), (false, 3)] {
        let server = job(poll, usize::MAX, false);
        let played = Play::new("is job 9 done?", &server).mind(patient).run().await;
        assert!(stopped(&played) && server.ran().len() <= most, "poll {poll}: {} calls", server.ran().len());
    }
}

/// A browser that knows one address, and things a straying model might do instead.
fn browser() -> std::sync::Arc<Server> {
    let address = text("address", "the address of the page");
    let mut tools = vec![
        tool("browse.open", "Opens a page on the web", json!({"parameters": address})),
        tool("lint.scan", "Scans source code for bad style", json!({"parameters": text("path", "the file")})),
        tool(
            "lint.rewrite",
            "Rewrites source code in good style",
            json!({"side_effect": "write", "parameters": text("path", "the file")}),
        ),
    ];
    tools.extend(fillers(60));
    Server::new(tools, |id, arguments, before| match arguments["address"].as_str() {
        Some(address) if address != "http://example.org" => failed(format!("404: there is nothing at {address}")),
        _ => echo(id, arguments, before),
    })
}

const WRONG: &str = "http://example.0rg";

#[tokio::test]
async fn d17_after_a_failure_straying_is_pointed_out_and_the_right_retry_stays_open() {
    let server = browser();
    let replies = vec![
        calls(&[("browse__open", json!({"address": WRONG}))]),
        bridged("lint__scan", json!({"path": "main.rs"})),
        bridged("lint__rewrite", json!({"path": "main.rs"})),
        calls(&[("browse__open", json!({"address": "http://example.org"}))]),
        bridged("lint__rewrite", json!({"path": "main.rs"})),
    ];
    let request = format!("open the web page {WRONG}");
    let play = Play::new(&request, &server).script(replies.clone());
    let played = Play { approve: Approve::Writes, ..play }.run().await;
    let results = played.results();
    assert!(results[1].contains("Keep to the request") && results[1].contains("404"), "{}", results[1]);
    assert_eq!(played.asked.len(), 1, "although writes are approved: {:?}", played.asked);
    assert!(played.asked[0].why.en.contains("does not seem to belong"), "{}", played.asked[0].why.en);
    assert!(results[2].contains("consent"), "{}", results[2]);
    assert!(results[3].contains("\"did\":\"browse.open\""), "the right retry runs: {}", results[3]);
    assert_eq!(server.runs_of("lint.rewrite"), 1, "the failure is mended, so nothing is asked any more");

    // The controls: a person who agrees is obeyed, and without a failure nobody is asked.
    let server = browser();
    let play = Play::new(&request, &server).script(replies);
    Play { approve: Approve::Writes, answer: Answer::Once, ..play }.run().await;
    assert_eq!(server.runs_of("lint.rewrite"), 2);
    let server = browser();
    let fine = vec![
        calls(&[("browse__open", json!({"address": "http://example.org"}))]),
        bridged("lint__rewrite", json!({"path": "main.rs"})),
    ];
    let play = Play::new("open the web page http://example.org", &server).script(fine);
    let played = Play { approve: Approve::Writes, ..play }.run().await;
    assert_eq!((played.asked.len(), server.runs_of("lint.rewrite")), (0, 1));
}
