mod pieces;
mod serve;

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use winclaw_model::{ChatReply, ChatRequest, Cursor, ModelError, Script};

use self::serve::{router, serve};
use crate::rules::Rules;
use crate::{Dialect, TextCalls, Vendor};

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
    /// The vendor that it is: only its path is served, and its voice is used. `None` serves all three formats below
    /// `/v1`, each in the voice of its first vendor.
    pub vendor: Option<&'static Vendor>,
    /// In what this vendor of chat completions differs.
    pub rules: Rules,
    /// How this vendor of chat completions answers.
    pub dialect: Dialect,
    /// Whether calls are written into the words, and how.
    pub as_text: Option<TextCalls>,
    /// Names of tools that are refused whenever they are sent, for reasons that nobody could know before. The refusal names
    /// the tool as far as the vendor names tools.
    pub refuse_tools: Vec<String>,
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
    /// After so many bytes of a stream the server falls silent, and keeps the connection.
    pub stall_after: Option<usize>,
    /// After so many events of a stream comes an error of this status, in the vendor's form, and nothing more.
    pub fail_after: Option<(usize, u16)>,
    /// Lines put before each event, such as `data: {bad` or `: keep-alive`.
    pub garbage: Vec<String>,
    /// Whether a request for a stream is answered with one JSON body.
    pub never_stream: bool,
    /// Bytes that are sent as the stream instead of what the script says.
    pub raw: Option<Vec<u8>>,
}

impl MockOptions {
    /// A well-behaved server of `vendor`.
    ///
    /// # Panics
    /// When there is no row of that name.
    pub fn of(vendor: &str) -> Self {
        let vendor = Vendor::of(vendor).unwrap_or_else(|| panic!("no vendor {vendor}"));
        let (rules, dialect) = (vendor.rules.clone(), vendor.dialect.clone());
        MockOptions { vendor: Some(vendor), rules, dialect, ..MockOptions::default() }
    }
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

    /// The base URL as the vendor has it, such as `http://127.0.0.1:PORT/api/v1`; without one the value for
    /// `OPENAI_BASE_URL`, `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.addr, self.shared.options.vendor.map_or("/v1", |vendor| vendor.base))
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
    let mut at = Cursor::default();
    Box::new(move |request| script.next(&mut at, request))
}
