//! The adapter against a small server on this machine whose every answer is written out here.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Cost, Delta, Message, ModelChoice, ModelError, Pause, Price, Remote, Timeouts,
};
use winclaw_tool::ToolSpec;

/// What the server does with a connection after it has read the request.
#[derive(Clone)]
enum Answer {
    /// A status, more header lines, and a body; the connection is closed behind it.
    Say(u16, &'static str, String),
    /// The same, but the connection stays open and silent behind the body.
    Hang(String),
    /// The connection is closed without a word.
    Drop,
}

struct Server {
    address: std::net::SocketAddr,
    bodies: Arc<Mutex<Vec<Value>>>,
}

async fn serve(answers: Vec<Answer>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&bodies);
    tokio::spawn(async move {
        let mut held = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let body = read(&mut stream).await;
            kept.lock().expect("no panic").push(serde_json::from_slice(&body).expect("json"));
            match answer {
                Answer::Say(status, headers, body) => {
                    let head = format!(
                        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                        body.len()
                    );
                    stream.write_all((head + &body).as_bytes()).await.expect("written");
                }
                Answer::Hang(body) => {
                    let head = "HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n".to_owned();
                    stream.write_all((head + &body).as_bytes()).await.expect("written");
                    held.push(stream);
                }
                Answer::Drop => {}
            }
        }
        // Whoever is still waiting goes on waiting.
        std::future::pending::<()>().await;
    });
    Server { address, bodies }
}

async fn read(stream: &mut tokio::net::TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.expect("a request");
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some(head) = text.find("\r\n\r\n") else { continue };
        let length =
            text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse::<usize>().ok());
        if bytes.len() >= head + 4 + length.unwrap_or(0) {
            return bytes.split_off(head + 4);
        }
    }
}

fn ok(body: impl Into<String>) -> Answer {
    Answer::Say(200, "", body.into())
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::Say(status, "", json!({"error": {"message": message}}).to_string())
}

fn hello() -> String {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 400}}});
    format!("data: {event}\n\ndata: [DONE]\n\n")
}

fn request() -> ChatRequest {
    let spec = |name: &str| {
        Arc::new(ToolSpec {
            name: name.into(),
            description: "d".into(),
            parameters: json!({"type": "object", "properties": {}}),
        })
    };
    let tools = ["sky.forecast", "mail__send", "notes__add"].map(spec).into();
    ChatRequest { tools, messages: vec![Message::user("hi")], ..ChatRequest::default() }
}

struct Heard {
    reply: Result<ChatReply, ModelError>,
    text: String,
    sent: Vec<(u32, Value)>,
    waits: Vec<Duration>,
}

async fn ask_with(server: &Server, choice: impl Fn(&mut ModelChoice), request: &ChatRequest) -> Heard {
    let mut chosen = ModelChoice::parse("openai/m").expect("a choice");
    choice(&mut chosen);
    let root = format!("http://{}", server.address);
    chosen.base_url = Some(root);
    let waits = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&waits);
    let pause = Pause::new(move |wait| {
        kept.lock().expect("no panic").push(wait);
        Box::pin(std::future::ready(()))
    });
    let timeouts = Timeouts { idle: Duration::from_millis(200), ..Timeouts::default() };
    let model = Remote::new(&chosen, &|_| None).expect("a model").with_pause(pause.with_jitter(|| 0.5));
    let model = model.with_timeouts(timeouts).expect("a model");
    let (mut text, mut sent) = (String::new(), Vec::new());
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(piece) => text.push_str(piece),
        Delta::Sent { body, attempt } => sent.push((attempt, serde_json::from_slice(body).expect("json"))),
        _ => {}
    };
    let reply = model.complete(request, &mut sink, &CancellationToken::new()).await;
    let waits = waits.lock().expect("no panic").clone();
    Heard { reply, text, sent, waits }
}

async fn ask(server: &Server) -> Heard {
    ask_with(server, |_| {}, &request()).await
}

fn tools(body: &Value) -> Vec<String> {
    let all = body["tools"].as_array().into_iter().flatten();
    all.map(|tool| tool["function"]["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_refusal_that_names_a_tool_costs_that_tool_and_one_more_request() {
    for message in [
        "Invalid 'tools[1].function.parameters'",
        "tools.1.custom.input_schema: no",
        "Invalid schema for function 'mail__send'",
    ] {
        let server = serve(vec![refusal(400, message), ok(hello())]).await;
        let heard = ask(&server).await;
        let reply = heard.reply.expect("a reply");
        assert_eq!(
            (reply.text.as_str(), reply.set_aside.len(), reply.set_aside[0].tool.as_str()),
            ("hello", 1, "mail__send")
        );
        assert!(reply.set_aside[0].why.en.contains(message), "{:?}", reply.set_aside);
        let bodies = server.bodies.lock().expect("no panic").clone();
        assert_eq!((tools(&bodies[0]).len(), tools(&bodies[1]).len()), (3, 2));
        assert!(!tools(&bodies[1]).contains(&"mail__send".to_owned()));
        assert_eq!(heard.sent, [(1, bodies[0].clone()), (2, bodies[1].clone())]);
    }
}

#[tokio::test]
async fn a_tool_under_another_name_on_the_wire_is_found_and_only_one_is_dropped() {
    let server = serve(vec![refusal(400, "tools[0].function.name is bad"), refusal(400, "tools[0] is bad")]).await;
    let heard = ask(&server).await;
    assert!(matches!(heard.reply, Err(ModelError::Rejected { status: 400, .. })), "{:?}", heard.reply);
    let bodies = server.bodies.lock().expect("no panic").clone();
    assert_eq!(
        (bodies.len(), tools(&bodies[1]).as_slice()),
        (2, ["mail__send".to_owned(), "notes__add".to_owned()].as_slice())
    );
}

#[tokio::test]
async fn a_refusal_that_names_no_tool_is_not_sent_again() {
    for status in [400, 413, 422] {
        let server = serve(vec![refusal(status, "the request is too long")]).await;
        let heard = ask(&server).await;
        assert!(
            matches!(heard.reply, Err(ModelError::Rejected { status: it, .. }) if it == status),
            "{:?}",
            heard.reply
        );
        assert_eq!((heard.sent.len(), heard.waits.len()), (1, 0));
    }
}

#[tokio::test]
async fn busy_servers_and_lost_connections_are_tried_again_as_they_ask_or_with_jitter() {
    let busy = Answer::Say(503, "", "busy".into());
    let asks = Answer::Say(429, "retry-after: 3\r\n", "slow".into());
    let dated = Answer::Say(
        429,
        "date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:28:04 GMT\r\n",
        "slow".into(),
    );
    let seconds = |all: &[f64]| all.iter().map(|seconds| Duration::from_secs_f64(*seconds)).collect::<Vec<_>>();
    let cases = [
        (vec![busy.clone(), busy, ok(hello())], seconds(&[0.625, 2.5])),
        (vec![asks, dated, ok(hello())], seconds(&[3.0, 4.0])),
        (vec![Answer::Drop, Answer::Drop, ok(hello())], seconds(&[0.625, 2.5])),
    ];
    for (answers, waits) in cases {
        let server = serve(answers).await;
        let heard = ask(&server).await;
        assert_eq!(heard.reply.expect("a reply").text, "hello");
        assert_eq!((heard.waits, heard.sent.iter().map(|sent| sent.0).collect::<Vec<_>>()), (waits, vec![1, 2, 3]));
    }
}

#[tokio::test]
async fn a_web_page_is_told_as_such_with_the_address_that_gave_it() {
    for page in ["<!DOCTYPE html><html><body>Log in to the network</body></html>", "\n <html>\n</html>\n"] {
        let server = serve(vec![ok(page)]).await;
        let error = ask(&server).await.reply.expect_err("no reply");
        let address = server.address.to_string();
        assert!(matches!(&error, ModelError::WebPage { url } if url.contains(&address)), "{error:?}");
        assert!(error.hint().is_some_and(|hint| hint.en.contains("address") && hint.zh.contains("地址")), "{error:?}");
    }
}

#[tokio::test]
async fn nothing_is_tried_again_once_something_was_heard() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "half"}}]});
    let broken =
        format!("data: {event}\n\ndata: {}\n\n", json!({"error": {"message": "gone", "type": "server_error"}}));
    let server = serve(vec![ok(broken), ok(hello())]).await;
    let heard = ask(&server).await;
    assert!(matches!(heard.reply, Err(ModelError::Rejected { status: 503, .. })), "{:?}", heard.reply);
    assert_eq!((heard.text.as_str(), heard.sent.len()), ("half", 1));
}

#[tokio::test]
async fn a_server_that_falls_silent_leaves_what_it_said_and_the_reason() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "half"}}]});
    let server = serve(vec![Answer::Hang(format!("data: {event}\n\n"))]).await;
    let reply = ask(&server).await.reply.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.cut_off), ("half", true));
    let broken = reply.broken.expect("a reason");
    assert!(broken.en.contains("went silent for 0.2 s"), "{broken:?}");
    for (text, says) in [(&broken.en, "after 4 characters"), (&broken.zh, "4 个字符之后")] {
        assert!(text.contains(says) && !text.contains("could not be reached"), "{broken:?}");
    }
    // What ended properly is whole, whatever the connection does.
    let server = serve(vec![Answer::Hang(hello().replace("data: [DONE]\n\n", ""))]).await;
    let reply = ask(&server).await.reply.expect("a reply");
    assert_eq!((reply.cut_off, reply.broken), (false, None));
}

#[tokio::test]
async fn what_a_reply_costs_is_told_when_the_price_is_known() {
    let price = Price {
        input: 1_000_000,
        cached: 100_000,
        written: None,
        output: 2_000_000,
        long: None,
        currency: "USD".into(),
        as_of: "2026-11".into(),
    };
    let server = serve(vec![ok(hello()), ok(hello())]).await;
    let heard = ask_with(&server, |choice| choice.price = Some(price.clone()), &request()).await;
    let cost = Cost { amount: 600 + 40 + 20, currency: "USD".into() };
    assert_eq!(heard.reply.expect("a reply").cost, Some(cost));
    assert_eq!(ask(&server).await.reply.expect("a reply").cost, None);
}

#[tokio::test]
async fn every_format_works_without_a_stream() {
    let chat = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]});
    let messages = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"});
    let item = json!({"type": "message", "content": [{"type": "output_text", "text": "hello"}]});
    let responses = json!({"object": "response", "status": "completed", "output": [item]});
    let answers = [("openai", chat), ("anthropic", messages), ("openai-responses", responses)];
    for (provider, answer) in answers {
        let server = serve(vec![ok(answer.to_string())]).await;
        let choose = |choice: &mut ModelChoice| {
            choice.provider = provider.into();
            choice.stream = Some(false);
        };
        let heard = ask_with(&server, choose, &request()).await;
        assert_eq!(heard.reply.map(|reply| (reply.text, reply.cut_off)), Ok(("hello".to_owned(), false)), "{provider}");
        assert_eq!((heard.text.as_str(), &heard.sent[0].1["stream"]), ("hello", &json!(false)), "{provider}");
        assert_eq!(heard.sent[0].1.get("stream_options"), None);
    }
}

#[tokio::test]
async fn tools_no_vendor_takes_are_named_without_spending_a_request() {
    let mut request = request();
    let bad = ToolSpec { name: "bad".into(), description: "d".into(), parameters: json!({"type": "string"}) };
    request.tools.push(bad.into());
    let server = serve(vec![ok(hello())]).await;
    let heard = ask_with(&server, |_| {}, &request).await;
    let reply = heard.reply.expect("a reply");
    assert_eq!((reply.set_aside.len(), reply.set_aside[0].tool.as_str(), heard.sent.len()), (1, "bad", 1));
    assert_eq!(tools(&heard.sent[0].1).len(), 3);
    let model = Remote::new(&ModelChoice::parse("ollama/m").expect("a choice"), &|_| None).expect("a model");
    assert_eq!(model.compile(&request), reply.set_aside);
    request.without.insert("bad".into());
    assert_eq!(model.compile(&request), []);
    assert_eq!(
        model.payload(&request),
        serde_json::to_vec(&serde_json::from_slice::<Value>(&model.payload(&request)).expect("json")).expect("json")
    );
}
