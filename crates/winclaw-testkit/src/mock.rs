use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use winclaw_model::{ChatReply, ChatRequest, Format, ModelError, Script};

use crate::answer::{self, Tokens};
use crate::rules::{self, Accepted, Refusal, Rules};

/// What answers the requests that were accepted. An error is sent as status 400 with its words.
pub type Brain = Box<dyn FnMut(&ChatRequest) -> Result<ChatReply, ModelError> + Send>;

/// The server under the name of the format that most tests speak.
pub type MockOpenAi = MockServer;

/// An error status that is given out before the real answers, to one request each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// The status, such as 429.
    pub status: u16,
    /// Headers, such as `("retry-after", "1")`.
    pub headers: Vec<(String, String)>,
    /// The raw body; empty for an error as the vendor writes it.
    pub body: String,
}

impl Busy {
    /// `status` with the vendor's error body and no headers.
    pub fn new(status: u16) -> Self {
        Busy { status, headers: Vec::new(), body: String::new() }
    }

    /// The same with one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same with a body.
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }
}

/// How the server behaves beyond its script. The default behaves well.
#[derive(Debug, Clone, Default)]
pub struct MockOptions {
    /// The key that must be sent, as a bearer or, for Messages, as `x-api-key`; `None` demands none. A wrong one is quoted
    /// in the refusal, as vendors do.
    pub key: Option<String>,
    /// The models that are listed. A request may name any.
    pub models: Vec<String>,
    /// In what this vendor of chat completions differs.
    pub rules: Rules,
    /// Whether replies may call tools the model cannot know of. Only the formats that reveal tools natively regard it:
    /// there a reply that calls a tool which is deferred still, or stands nowhere, is a mistake of the script.
    pub hallucinates: bool,
    /// Error statuses that come before the real answers.
    pub busy: Vec<Busy>,
    /// How long it waits before it answers at all.
    pub delay: Duration,
    /// How long it waits before each piece of a stream but the first.
    pub pace: Duration,
    /// Bytes of one piece of a stream; 0 sends each event as one piece, 1 cuts at every byte.
    pub piece_bytes: usize,
    /// After so many bytes of a stream the connection is dropped.
    pub drop_after: Option<usize>,
    /// Lines put before each event, such as `data: {bad` or `: keep-alive`.
    pub garbage: Vec<String>,
    /// Whether a request for a stream is answered with one JSON body.
    pub never_stream: bool,
    /// Bytes that are sent as the stream instead of what the script says.
    pub raw: Option<Vec<u8>>,
}

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// The `Authorization` header, or `x-api-key` of Messages.
    pub authorization: Option<String>,
    /// The raw body.
    pub body: Vec<u8>,
    /// Why it was refused, if it was, by the rules, by a [`Busy`] or by the script.
    pub refused: Option<String>,
}

impl Recorded {
    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// A server on a loopback port that speaks OpenAI's chat completions and Responses and Anthropic's Messages, lists its
/// models (`/v1/models`, and as Ollama `/api/tags`), and stops when it is dropped. A script sees the same request in
/// whichever format it came. It runs on a thread of its own, so tests need not be async.
pub struct MockServer {
    addr: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for MockServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockServer").field("addr", &self.addr).finish_non_exhaustive()
    }
}

struct Shared {
    options: MockOptions,
    seen: Mutex<Seen>,
}

struct Seen {
    requests: Vec<Recorded>,
    busy: VecDeque<Busy>,
    brain: Brain,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        // A panic in a test's closure must not hide what was recorded before.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MockServer {
    /// Starts a well-behaved server that answers as `script` says. A request the script does not foresee is refused with
    /// status 400 and the mismatch as its message.
    pub fn scripted(script: Script) -> Self {
        MockServer::start(script_brain(script), MockOptions::default())
    }

    /// Starts a server that answers as `script` says and behaves as `options` say.
    pub fn scripted_with(script: Script, options: MockOptions) -> Self {
        MockServer::start(script_brain(script), options)
    }

    /// Starts a server. Returns once it listens.
    ///
    /// # Panics
    /// When no loopback port or thread can be had, since no test can go on then.
    pub fn start(brain: Brain, options: MockOptions) -> Self {
        let busy = options.busy.clone().into();
        let seen = Mutex::new(Seen { requests: Vec::new(), busy, brain });
        let shared = Arc::new(Shared { options, seen });
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a loopback port");
        let addr = listener.local_addr().expect("a bound socket has an address");
        listener.set_nonblocking(true).expect("a socket can be made non-blocking");
        let (stop, stopped) = oneshot::channel();
        let app = router(shared.clone());
        let thread =
            std::thread::Builder::new().name("mock-server".into()).spawn(move || serve(listener, app, stopped));
        MockServer { addr, shared, stop: Some(stop), thread: Some(thread.expect("a thread")) }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The root, `http://127.0.0.1:PORT`, the value for `ANTHROPIC_BASE_URL`; Ollama's `/api/tags` stands there.
    pub fn root(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The value for `OPENAI_BASE_URL`, `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// Every chat request so far, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.seen().requests.clone()
    }

    /// Why requests were refused, in order; empty when all were accepted.
    pub fn refusals(&self) -> Vec<String> {
        self.requests().into_iter().filter_map(|request| request.refused).collect()
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread panics only when the runtime cannot start, which a test has seen by then.
            let _ = thread.join();
        }
    }
}

fn script_brain(script: Script) -> Brain {
    let mut asked = 0;
    Box::new(move |request| {
        let reply = script.reply(asked, request)?;
        asked += 1;
        Ok(reply)
    })
}

fn serve(listener: std::net::TcpListener, app: Router, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listening socket");
        tokio::select! {
            _ = stopped => {}
            _ = axum::serve(listener, app) => {}
        }
    });
    runtime.shutdown_background();
}

fn router(shared: Arc<Shared>) -> Router {
    let app = Router::new().route("/v1/models", get(models)).route("/api/tags", get(tags));
    let formats = [
        ("/v1/chat/completions", Format::Chat),
        ("/v1/messages", Format::Messages),
        ("/v1/responses", Format::Responses),
    ];
    let app = formats.into_iter().fold(app, |app, (path, format)| {
        app.route(path, post(move |state, uri, headers, body| converse(format, state, uri, headers, body)))
    });
    app.with_state(shared)
}

async fn models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = authorised(Format::Chat, &shared.options, &headers) {
        return refused(Format::Chat, &refusal);
    }
    let data: Vec<Value> =
        shared.options.models.iter().map(|id| json!({"id": id, "object": "model", "owned_by": "mock"})).collect();
    Json(json!({"object": "list", "data": data})).into_response()
}

async fn tags(State(shared): State<Arc<Shared>>) -> Response {
    let models: Vec<Value> = shared.options.models.iter().map(|name| json!({"name": name, "model": name})).collect();
    Json(json!({"models": models})).into_response()
}

async fn converse(
    format: Format,
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let decided = decide(format, &shared, &uri, &headers, &body);
    tokio::time::sleep(shared.options.delay).await;
    match decided {
        Decided::Busy(busy) => error_response(format, &busy),
        Decided::Refused(refusal) => refused(format, &refusal),
        Decided::Answer(answer) => {
            let (asked, reply, tokens) = *answer;
            respond(&shared.options, &asked, &reply, tokens)
        }
    }
}

enum Decided {
    Busy(Busy),
    Refused(Refusal),
    Answer(Box<(Accepted, ChatReply, Tokens)>),
}

fn decide(format: Format, shared: &Shared, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Decided {
    let authorization = key_header(format, headers);
    let mut seen = shared.seen();
    let decided = match authorised(format, &shared.options, headers) {
        Err(refusal) => Decided::Refused(refusal),
        Ok(()) => match seen.busy.pop_front() {
            Some(busy) => Decided::Busy(busy),
            None => seen.answer(format, &shared.options, body),
        },
    };
    let refused = match &decided {
        Decided::Busy(busy) => Some(format!("status {}", busy.status)),
        Decided::Refused(refusal) => Some(refusal.message.clone()),
        Decided::Answer(_) => None,
    };
    seen.requests.push(Recorded { path: uri.path().into(), authorization, body: body.to_vec(), refused });
    decided
}

impl Seen {
    fn answer(&mut self, format: Format, options: &MockOptions, body: &[u8]) -> Decided {
        let asked = match rules::check(format, body, &options.rules) {
            Ok(asked) => asked,
            Err(refusal) => return Decided::Refused(refusal),
        };
        let before = self.requests.last().map(|request| request.body.as_slice());
        let tokens = Tokens::count(body, before);
        let unknown = |reply: &ChatReply| {
            let strict = format.native().is_some() && !options.hallucinates;
            reply.calls.iter().find(|call| strict && !asked.shows(&call.name)).map(|call| call.name.clone())
        };
        match (self.brain)(&asked.request) {
            Ok(reply) if unknown(&reply).is_some() => {
                let name = unknown(&reply).unwrap_or_default();
                let why = format!("the script calls `{name}`, which nothing has shown to the model");
                Decided::Refused(Refusal::new(400, "script_error", why))
            }
            Ok(reply) => Decided::Answer(Box::new((asked, reply, tokens))),
            Err(error) => Decided::Refused(Refusal::new(400, "script_error", error.to_string())),
        }
    }
}

fn key_header(format: Format, headers: &HeaderMap) -> Option<String> {
    let name = if format == Format::Messages { "x-api-key" } else { "authorization" };
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn authorised(format: Format, options: &MockOptions, headers: &HeaderMap) -> Result<(), Refusal> {
    if format == Format::Messages && !headers.contains_key("anthropic-version") {
        return Err(Refusal::new(400, "invalid_request_error", "anthropic-version: header is required"));
    }
    let kind = if format == Format::Messages { "authentication_error" } else { "invalid_request_error" };
    let before = if format == Format::Messages { "" } else { "Bearer " };
    let given = key_header(format, headers);
    let given = given.as_deref().and_then(|value| value.strip_prefix(before));
    match (&options.key, given) {
        (None, _) => Ok(()),
        (Some(key), Some(given)) if key == given => Ok(()),
        (Some(_), Some(given)) => Err(Refusal::new(401, kind, format!("Incorrect API key provided: {given}."))),
        (Some(_), None) => Err(Refusal::new(401, kind, "You didn't provide an API key.")),
    }
}

fn refused(format: Format, refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    (status, Json(refusal.body(format))).into_response()
}

fn error_response(format: Format, busy: &Busy) -> Response {
    let mut response = refused(format, &Refusal::new(busy.status, "server_error", format!("status {}", busy.status)));
    if !busy.body.is_empty() {
        *response.body_mut() = Body::from(busy.body.clone());
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    for (name, value) in &busy.headers {
        let name: HeaderName = name.parse().expect("a test's header name");
        response.headers_mut().insert(name, value.parse().expect("a test's header value"));
    }
    response
}

fn respond(options: &MockOptions, asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Response {
    if !asked.stream || options.never_stream {
        return Json(answer::whole(asked, reply, tokens)).into_response();
    }
    let garbage: String = options.garbage.iter().map(|line| format!("{line}\n")).collect();
    let pieces: Vec<Bytes> = match &options.raw {
        Some(raw) => vec![Bytes::copy_from_slice(raw)],
        None => {
            answer::events(asked, reply, tokens).iter().map(|event| Bytes::from(format!("{garbage}{event}"))).collect()
        }
    };
    let pieces = cut(pieces, options.piece_bytes, options.drop_after);
    let headers = [(header::CONTENT_TYPE, "text/event-stream")];
    (headers, Body::from_stream(paced(pieces, options.pace))).into_response()
}

/// The pieces cut to `size` bytes, ending in an error, which drops the connection, after `drop_after` bytes.
fn cut(pieces: Vec<Bytes>, size: usize, drop_after: Option<usize>) -> Vec<Result<Bytes, Dropped>> {
    let mut whole: Vec<Bytes> = Vec::new();
    for piece in pieces {
        match size {
            0 => whole.push(piece),
            size => whole.extend(piece.chunks(size).map(Bytes::copy_from_slice)),
        }
    }
    let Some(mut left) = drop_after else {
        return whole.into_iter().map(Ok).collect();
    };
    let mut out = Vec::new();
    for piece in whole {
        let kept = piece.len().min(left);
        left -= kept;
        out.push(Ok(piece.slice(..kept)));
        if left == 0 {
            out.push(Err(Dropped));
            break;
        }
    }
    out
}

#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the test drops the connection")
    }
}

impl std::error::Error for Dropped {}

fn paced(
    pieces: Vec<Result<Bytes, Dropped>>,
    pace: Duration,
) -> impl futures_util::Stream<Item = Result<Bytes, Dropped>> + Send {
    stream::unfold((pieces.into_iter(), true), move |(mut pieces, first)| async move {
        let piece = pieces.next()?;
        match (first, pace.is_zero()) {
            (true, _) => {}
            // Without a pause hyper would gather all pieces into one write.
            (false, true) => tokio::task::yield_now().await,
            (false, false) => tokio::time::sleep(pace).await,
        }
        Some((piece, (pieces, false)))
    })
}
