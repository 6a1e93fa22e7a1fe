//! The adapter of `winclaw-model` against a server that holds it to a vendor's rules.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Delta, EmptyContent, Format, Message, ModelChoice, ModelError, PROFILES, Pause,
    Profile, Reasoning, Remote, Script, Timeouts,
};
use winclaw_testkit::rules::{Contents, Rules, Thoughts};
use winclaw_testkit::{Busy, MockOpenAi, MockOptions};
use winclaw_tool::ToolSpec;

const KEY: &str = "sk-test-5f3c9a";

fn script(steps: Value) -> Script {
    Script::parse(&json!({"schema": 1, "name": "adapter", "steps": steps}).to_string()).expect("a script")
}

fn one(text: &str) -> Script {
    script(json!([{"reply": {"text": text}}]))
}

/// Two calls, then a text that holds their results.
fn errand() -> Script {
    script(json!([
        {"expect": {"tools": "sky__forecast", "results": 0}, "reply": {"text": "查北京🌧", "reasoning": "想一想", "calls": [
            {"name": "sky__forecast", "arguments": {"city": "北京🌧", "quote": "say \"hi\""}},
            {"name": "notes__add", "arguments": {}}]}},
        {"expect": {"results": 2, "last_contains": "done"}, "reply": {"text": "{{result:0:/high}} °C"}}
    ]))
}

fn options() -> MockOptions {
    MockOptions { key: Some(KEY.into()), ..MockOptions::default() }
}

fn request(rest: Vec<Message>) -> ChatRequest {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tool = |name: &str| {
        std::sync::Arc::new(ToolSpec { name: name.into(), description: "d".into(), parameters: parameters.clone() })
    };
    let mut messages = vec![Message::user("查北京天气")];
    messages.extend(rest);
    ChatRequest {
        system: "Be brief.".into(),
        tools: vec![tool("sky__forecast"), tool("notes__add")],
        messages,
        ..ChatRequest::default()
    }
}

/// The conversation after `reply`, with a result for each call.
fn answered(reply: &ChatReply) -> ChatRequest {
    let ChatReply { text, reasoning, calls, sealed, .. } = reply.clone();
    let results = ["{\"high\": 7}", "done"];
    let result = |(call, content): (&winclaw_model::WireCall, &str)| Message::Tool {
        call_id: call.id.clone(),
        content: content.into(),
        reveals: Vec::new(),
    };
    let results: Vec<Message> = calls.iter().zip(results).map(result).collect();
    request([vec![Message::Assistant { text, reasoning, calls, sealed }], results].concat())
}

/// The adapter for `provider`, pointed at `url`, with [`KEY`] in every variable.
fn adapter(provider: &str, url: &str) -> Remote {
    adapter_with(provider, url, Some(KEY), None)
}

fn adapter_with(provider: &str, url: &str, key: Option<&str>, timeout_ms: Option<&str>) -> Remote {
    let choice =
        ModelChoice { base_url: Some(url.into()), ..ModelChoice::parse(&format!("{provider}/m")).expect("a choice") };
    let env = |name: &str| match name {
        "WINCLAW_MODEL_TIMEOUT_MS" => timeout_ms.map(str::to_owned),
        name if name.ends_with("_API_KEY") => key.map(str::to_owned),
        _ => None,
    };
    Remote::new(&choice, &env).expect("an adapter")
}

/// A pause that waits not at all and writes down how long it should have.
fn recorder() -> (Pause, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let to = waits.clone();
    let pause = Pause::new(move |time| {
        to.lock().expect("the waits").push(time);
        Box::pin(async {})
    });
    (pause, waits)
}

async fn ask(model: &Remote, request: &ChatRequest) -> (Result<ChatReply, ModelError>, String) {
    let mut heard = String::new();
    let mut sink = |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            heard.push_str(text);
        }
    };
    let reply = model.complete(request, &mut sink, &CancellationToken::new()).await;
    (reply, heard)
}

async fn run_errand(mock: &MockOpenAi, model: &Remote) {
    let (reply, heard) = ask(model, &request(vec![])).await;
    let reply = reply.unwrap_or_else(|error| panic!("{error}; refused: {:?}", mock.refusals()));
    assert_eq!((heard.as_str(), reply.text.as_str()), ("查北京🌧", "查北京🌧"));
    let arguments: Value = serde_json::from_str(&reply.calls[0].arguments).expect("an object");
    assert_eq!(arguments, json!({"city": "北京🌧", "quote": "say \"hi\""}));
    assert_eq!((reply.calls.len(), reply.cut_off), (2, false));
    let (last, _) = ask(model, &answered(&reply)).await;
    let last = last.unwrap_or_else(|error| panic!("{error}; refused: {:?}", mock.refusals()));
    assert_eq!(last.text, "7 °C");
    assert!(last.usage.cached.is_some_and(|cached| cached > 20), "{:?}", last.usage);
}

#[tokio::test]
async fn an_errand_with_calls_works_with_every_profile() {
    // What asks for no token counts is told none by this server; vendor_tasks.rs has those.
    for profile in PROFILES.iter().filter(|profile| profile.format == Format::Chat && profile.stream_options) {
        let mock = MockOpenAi::scripted_with(errand(), options());
        run_errand(&mock, &adapter(&profile.provider, &mock.base_url())).await;
    }
}

#[tokio::test]
async fn it_works_however_badly_the_server_streams() {
    let junk = vec!["data: {bad".to_owned(), ": keep-alive".to_owned(), "nonsense".to_owned()];
    let badly = [
        MockOptions { piece_bytes: 1, ..options() },
        MockOptions { piece_bytes: 7, garbage: junk.clone(), ..options() },
        MockOptions { garbage: junk, ..options() },
        MockOptions { never_stream: true, ..options() },
        MockOptions { pace: Duration::from_millis(2), ..options() },
    ];
    for options in badly {
        let mock = MockOpenAi::scripted_with(errand(), options);
        run_errand(&mock, &adapter("openai", &mock.base_url())).await;
    }
}

#[tokio::test]
async fn each_rule_for_thoughts_and_empty_content_can_be_met() {
    let rules = [
        (Thoughts::Demanded, Reasoning::Keep, EmptyContent::Null),
        (Thoughts::Refused, Reasoning::Drop, EmptyContent::Empty),
        (Thoughts::Allowed, Reasoning::Drop, EmptyContent::Omit),
    ];
    let calls = script(json!([
        {"reply": {"calls": [{"name": "sky__forecast"}, {"name": "notes__add"}]}}, {"reply": {"text": "ok"}}
    ]));
    for (thoughts, reasoning, empty_content) in rules {
        let content = Contents {
            null: empty_content == EmptyContent::Null,
            empty: empty_content == EmptyContent::Empty,
            absent: empty_content == EmptyContent::Omit,
        };
        let rules = Rules { content, thoughts, ..Rules::default() };
        let mock = MockOpenAi::scripted_with(calls.clone(), MockOptions { rules, ..options() });
        let profile = Profile { reasoning, empty_content, ..PROFILES[0].clone() };
        let model = adapter("openai", &mock.base_url()).with_profile(profile);
        let (first, _) = ask(&model, &request(vec![])).await;
        let (last, _) = ask(&model, &answered(&first.expect("a reply"))).await;
        assert_eq!(last.map(|reply| reply.text), Ok("ok".into()), "{:?}", mock.refusals());
    }
}

#[tokio::test]
async fn all_requests_of_a_conversation_share_their_beginning() {
    let mock = MockOpenAi::scripted_with(errand(), options());
    run_errand(&mock, &adapter("deepseek", &mock.base_url())).await;
    let [first, second] = mock.requests().try_into().expect("two requests");
    let shared = first.body.strip_suffix(b"]}").expect("the messages come last");
    assert!(second.body.starts_with(shared));
}

#[tokio::test]
async fn the_key_is_sent_where_there_is_one_and_only_there() {
    let mock = MockOpenAi::scripted(script(json!([{"reply": {"text": "a"}, "times": 2}])));
    for key in [None, Some(KEY)] {
        let (reply, _) = ask(&adapter_with("openai", &mock.base_url(), key, None), &request(vec![])).await;
        assert!(reply.is_ok(), "{reply:?}");
    }
    let sent: Vec<_> = mock.requests().into_iter().map(|request| request.authorization).collect();
    assert_eq!(sent, [None, Some(format!("Bearer {KEY}"))]);
}

#[tokio::test]
async fn a_refused_key_names_its_variable_and_is_not_repeated() {
    let mock = MockOpenAi::scripted_with(one("a"), MockOptions { key: Some("another".into()), ..options() });
    let (reply, _) = ask(&adapter("deepseek", &mock.base_url()), &request(vec![])).await;
    let error = reply.expect_err("refused");
    assert!(
        matches!(&error, ModelError::Authentication { variable, message: Some(_), .. } if variable == "DEEPSEEK_API_KEY")
    );
    let shown = format!("{error} {error:?} {:?} {:?}", error.text(), error.hint());
    assert!(shown.contains("Incorrect API key provided: [key]") && !shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn an_error_inside_a_stream_does_not_repeat_the_key() {
    let raw = json!({"error": {"message": format!("quota of {KEY} is used up"), "code": 402}});
    let options = MockOptions { raw: Some(format!("data: {raw}\n\n").into()), ..options() };
    let mock = MockOpenAi::scripted_with(one("a"), options);
    let (reply, _) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
    let message = "quota of [key] is used up".to_owned();
    assert_eq!(reply, Err(ModelError::Rejected { status: 402, message }));
}

#[tokio::test]
async fn refusals_carry_the_vendors_words_and_are_not_repeated() {
    let html = "<html>\u{1b}[2J<b>gone</b></html>".repeat(2000);
    let cases = [
        (Busy::new(400).body(r#"{"error":{"message":"context too long"}}"#), 400, "context too long"),
        (Busy::new(404).body(r#"{"error":"model 'm' not found"}"#), 404, "model 'm' not found"),
        (Busy::new(422).body(html), 422, "<html> [2J<b>gone"),
        (Busy::new(307).header("location", "https://example.org/v2"), 307, "redirects to https://example.org/v2"),
        (Busy::new(429).body(r#"{"error":{"message":"You exceeded your current quota"}}"#), 429, "quota"),
        (Busy::new(429).header("retry-after", "3600"), 429, "status 429"),
        (Busy::new(204), 204, "no message"),
    ];
    for (busy, expected, words) in cases {
        let mock = MockOpenAi::scripted_with(one("a"), MockOptions { busy: vec![busy], ..options() });
        let (reply, _) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
        let Err(ModelError::Rejected { status, message }) = reply else { panic!("{expected}: {reply:?}") };
        assert_eq!(status, expected);
        assert!(message.contains(words) && message.chars().count() <= 501 && !message.contains('\u{1b}'), "{message}");
        assert_eq!(mock.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_twice_more() {
    let busy = vec![Busy::new(429).header("retry-after", "7"), Busy::new(503)];
    let mock = MockOpenAi::scripted_with(one("at last"), MockOptions { busy, ..options() });
    let (pause, waits) = recorder();
    let (reply, heard) = ask(&adapter("openai", &mock.base_url()).with_pause(pause), &request(vec![])).await;
    assert_eq!((reply.map(|reply| reply.text), heard.as_str()), (Ok("at last".into()), "at last"));
    assert_eq!(*waits.lock().expect("the waits"), [Duration::from_secs(7), Duration::from_secs(2)]);
    let bodies: Vec<_> = mock.requests().into_iter().map(|request| request.body).collect();
    assert!(bodies.len() == 3 && bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up() {
    let mock = MockOpenAi::scripted_with(one("a"), MockOptions { busy: vec![Busy::new(500); 9], ..options() });
    let (pause, waits) = recorder();
    let (reply, _) = ask(&adapter("openai", &mock.base_url()).with_pause(pause), &request(vec![])).await;
    assert!(matches!(reply, Err(ModelError::Rejected { status: 500, .. })), "{reply:?}");
    assert_eq!((mock.requests().len(), waits.lock().expect("the waits").len()), (3, 2));
}

#[tokio::test]
async fn nothing_is_asked_again_once_something_was_heard() {
    let raw = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: {\"error\":{\"message\":\"full\",\"code\":503}}\n\n";
    let mock = MockOpenAi::scripted_with(one("a"), MockOptions { raw: Some(raw.into()), ..options() });
    let (reply, heard) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
    assert_eq!((reply, heard.as_str()), (Err(ModelError::Rejected { status: 503, message: "full".into() }), "hi"));
    assert_eq!(mock.requests().len(), 1);
}

#[tokio::test]
async fn a_dropped_connection_leaves_a_reply_that_says_it_is_cut_off() {
    let long = one(&"abcde".repeat(100));
    let mock = MockOpenAi::scripted_with(long, MockOptions { drop_after: Some(2000), piece_bytes: 10, ..options() });
    let (reply, heard) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
    let reply = reply.expect("a reply");
    assert!(reply.cut_off && reply.text == heard && !heard.is_empty(), "{reply:?}");
}

#[tokio::test]
async fn a_connection_dropped_before_a_word_is_unreachable() {
    for drop_after in [1, 250] {
        let options = MockOptions { drop_after: Some(drop_after), piece_bytes: 1, ..options() };
        let mock = MockOpenAi::scripted_with(script(json!([{"reply": {"text": "a"}, "times": 3}])), options);
        let (reply, _) = ask(&adapter("openai", &mock.base_url()).with_pause(recorder().0), &request(vec![])).await;
        assert!(matches!(reply, Err(ModelError::Unreachable { local: true, .. })), "{drop_after}: {reply:?}");
    }
}

#[tokio::test]
async fn a_reply_at_the_length_limit_is_cut_off() {
    let steps =
        json!([{"reply": {"calls": [{"name": "notes__add", "arguments": "{\"text\": [\"a\""}], "cut_off": true}}]);
    let mock = MockOpenAi::scripted_with(script(steps), options());
    let (reply, _) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
    let reply = reply.expect("a reply");
    assert!(reply.cut_off);
    assert_eq!(reply.calls[0].arguments, "{\"text\": [\"a\"");
}

#[tokio::test]
async fn a_cut_off_call_in_the_history_does_not_spoil_later_requests() {
    let steps = json!([
        {"reply": {"calls": [{"name": "notes__add", "arguments": "{\"text\": [\"a\""}, {"name": "notes__add", "arguments": ""}]}},
        {"expect": {"results": 2}, "reply": {"text": "ok"}}
    ]);
    let mock = MockOpenAi::scripted_with(script(steps), options());
    let model = adapter("openai", &mock.base_url());
    let (first, _) = ask(&model, &request(vec![])).await;
    let (last, _) = ask(&model, &answered(&first.expect("a reply"))).await;
    assert_eq!(last.map(|reply| reply.text), Ok("ok".into()), "{:?}", mock.refusals());
}

#[tokio::test]
async fn an_id_the_vendor_uses_again_is_replaced() {
    let steps = json!([{"reply": {"calls": [{"name": "notes__add"}]}, "times": 1}]);
    let raw = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x:0\",\"function\":{\"name\":\"notes__add\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let options = MockOptions { raw: Some(raw.into()), ..options() };
    let mut steps = script(steps);
    steps.steps[0].times = 2;
    let mock = MockOpenAi::scripted_with(steps, options);
    let model = adapter("openai", &mock.base_url());
    let first = ask(&model, &request(vec![])).await.0.expect("a reply");
    let second = ask(&model, &answered(&first)).await.0.expect("a reply");
    assert_eq!((first.calls[0].id.as_str(), second.calls[0].id.as_str()), ("x:0", "call_1_0"));
}

#[tokio::test]
async fn nobody_listening_is_unreachable_at_once() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let (reply, _) = ask(&adapter("openai", &format!("http://u:{KEY}@127.0.0.1:{port}/v1")), &request(vec![])).await;
    let error = reply.expect_err("nobody is there");
    let ModelError::Unreachable { url, reason, local } = &error else { panic!("{error:?}") };
    assert_eq!((url.as_str(), *local), (format!("http://127.0.0.1:{port}/v1/chat/completions").as_str(), true));
    assert!(reason.to_lowercase().contains("refused"), "{reason}");
    assert!(error.hint().is_some() && !format!("{error:?}{error}").contains(KEY));
}

#[tokio::test]
async fn a_silent_server_is_given_up_within_its_limit() {
    let minute = Duration::from_secs(60);
    let silent = [MockOptions { delay: minute, ..options() }, MockOptions { pace: minute, ..options() }];
    for options in silent {
        let mock = MockOpenAi::scripted_with(one("a"), options);
        let model = adapter_with("openai", &mock.base_url(), Some(KEY), Some("150"));
        let start = Instant::now();
        let (reply, _) = ask(&model, &request(vec![])).await;
        let Err(ModelError::Unreachable { reason, .. }) = reply else { panic!("{reply:?}") };
        assert!(reason.contains("0.15 s"), "{reason}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn a_stream_that_stalls_after_a_word_is_a_cut_off_reply() {
    let raw = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n".to_owned() + &" ".repeat(10);
    let options = MockOptions { raw: Some(raw.into()), pace: Duration::from_secs(60), ..options() };
    let mock = MockOpenAi::scripted_with(one("a"), MockOptions { piece_bytes: 48, ..options });
    let short = Timeouts { idle: Duration::from_millis(150), ..Timeouts::default() };
    let model = adapter("openai", &mock.base_url()).with_timeouts(short).expect("an adapter");
    let (reply, _) = ask(&model, &request(vec![])).await;
    let reply = reply.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.cut_off), ("hi", true));
}

#[tokio::test]
async fn cancelling_stops_at_once_wherever_it_stands() {
    let minute = Duration::from_secs(60);
    let busy = vec![Busy::new(429).header("retry-after", "25"); 3];
    let slow = [
        MockOptions { delay: minute, ..options() },
        MockOptions { pace: minute, ..options() },
        MockOptions { busy, ..options() },
    ];
    for options in slow {
        let mock = MockOpenAi::scripted_with(one("a"), options);
        let model = adapter("openai", &mock.base_url());
        let cancel = CancellationToken::new();
        let stop = async {
            while mock.requests().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
        };
        let start = Instant::now();
        let (request, mut sink) = (request(vec![]), |_: Delta<'_>| {});
        let (reply, ()) = tokio::join!(model.complete(&request, &mut sink, &cancel), stop);
        assert_eq!(reply, Err(ModelError::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn a_conversation_no_vendor_would_take_is_not_sent() {
    let mock = MockOpenAi::scripted(one("a"));
    let stray = Message::Tool { call_id: "a".into(), content: "1".into(), reveals: Vec::new() };
    let (reply, _) = ask(&adapter("openai", &mock.base_url()), &request(vec![stray])).await;
    assert!(matches!(reply, Err(ModelError::Protocol { .. })), "{reply:?}");
    assert!(mock.requests().is_empty());
}

#[tokio::test]
async fn a_script_that_does_not_foresee_the_request_says_so_through_the_server() {
    let mock = MockOpenAi::scripted(script(json!([{"expect": {"tools": "map__find"}, "reply": {}}])));
    let (reply, _) = ask(&adapter("openai", &mock.base_url()), &request(vec![])).await;
    assert!(matches!(reply, Err(ModelError::Rejected { status: 400, message }) if message.contains("map__find")));
    assert!(mock.refusals()[0].contains("map__find"));
}

#[test]
fn the_server_runs_without_an_async_test_and_stops_when_dropped() {
    let mock = MockOpenAi::scripted(one("a"));
    let addr = mock.addr();
    assert!(std::net::TcpStream::connect(addr).is_ok());
    drop(mock);
    assert!(std::net::TcpStream::connect(addr).is_err());
}
