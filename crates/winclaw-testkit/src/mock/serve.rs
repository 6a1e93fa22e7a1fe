use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use winclaw_model::{ChatReply, Format};

use super::pieces::{End, cut, paced, up_to};
use super::{Busy, MockOptions, Recorded, Seen, Shared};
use crate::Voice;
use crate::answer::{self, Tokens};
use crate::rules::{self, Accepted, Fault, What};

pub(super) fn serve(listener: std::net::TcpListener, app: Router, stopped: oneshot::Receiver<()>) {
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

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let app = Router::new().route("/v1/models", get(models)).route("/api/tags", get(tags));
    let formats = match shared.options.vendor {
        Some(vendor) => vec![(vendor.path(), vendor.format)],
        None => vec![
            ("/v1/chat/completions".to_owned(), Format::Chat),
            ("/v1/messages".to_owned(), Format::Messages),
            ("/v1/responses".to_owned(), Format::Responses),
        ],
    };
    let app = formats.into_iter().fold(app, |app, (path, format)| {
        app.route(&path, post(move |state, uri, headers, body| converse(format, state, uri, headers, body)))
    });
    app.with_state(shared)
}

fn voice(format: Format, options: &MockOptions) -> Voice {
    options.vendor.map_or(Voice::of(format), |vendor| vendor.voice)
}

async fn models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    if let Err(fault) = authorised(Format::Chat, &shared.options, &headers) {
        return refused(voice(Format::Chat, &shared.options), &fault);
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
    let voice = voice(format, &shared.options);
    match decided {
        Decided::Busy(busy) => trouble(voice, &busy),
        Decided::Refused(fault) => refused(voice, &fault),
        Decided::Answer(answer) => {
            let (asked, reply, tokens) = *answer;
            respond(&shared.options, voice, &asked, &reply, tokens)
        }
    }
}

enum Decided {
    Busy(Busy),
    Refused(Fault),
    Answer(Box<(Accepted, ChatReply, Tokens)>),
}

fn decide(format: Format, shared: &Shared, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Decided {
    let authorization = key_header(format, headers);
    let mut seen = shared.seen();
    let decided = match authorised(format, &shared.options, headers) {
        Err(fault) => Decided::Refused(fault),
        Ok(()) => match seen.busy.pop_front() {
            Some(busy) => Decided::Busy(busy),
            None => seen.answer(format, &shared.options, body),
        },
    };
    let refused = match &decided {
        Decided::Busy(busy) => Some(format!("status {}", busy.status)),
        Decided::Refused(fault) => Some(voice(format, &shared.options).refusal(fault).message),
        Decided::Answer(_) => None,
    };
    seen.requests.push(Recorded { path: uri.path().into(), authorization, body: body.to_vec(), refused });
    decided
}

impl Seen {
    fn answer(&mut self, format: Format, options: &MockOptions, body: &[u8]) -> Decided {
        let asked = match rules::read(format, body, &options.rules) {
            Ok(asked) => asked,
            Err(fault) => return Decided::Refused(fault),
        };
        if let Some(fault) = unwelcome(&options.refuse_tools, body) {
            return Decided::Refused(fault);
        }
        let before = self.requests.last().map(|request| request.body.as_slice());
        let tokens = Tokens::count(body, before);
        let strict = format.native().is_some() && !options.hallucinates;
        let scripted = |said: String| Decided::Refused(Fault::new(What::Script, said));
        match (self.brain)(&asked.request) {
            Ok(reply) => match reply.calls.iter().find(|call| strict && !asked.shows(&call.name)) {
                Some(call) => {
                    scripted(format!("the script calls `{}`, which nothing has shown to the model", call.name))
                }
                None => Decided::Answer(Box::new((asked, answer::spoken(reply, options.as_text), tokens))),
            },
            Err(error) => scripted(error.to_string()),
        }
    }
}

/// The first tool of the body that is among `names`, as a fault.
fn unwelcome(names: &[String], body: &[u8]) -> Option<Fault> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let called = |tool: &Value| tool["function"]["name"].as_str().or(tool["name"].as_str()).map(str::to_owned);
    let mut tools = body["tools"].as_array()?.iter().map(called).enumerate();
    let found = tools.find(|(_, name)| name.as_ref().is_some_and(|name| names.contains(name)));
    let (tool, name) = (found.as_ref()?.0, found.as_ref()?.1.clone()?);
    let said = format!("Invalid schema for function '{name}': In context=(), schema is not supported.");
    Some(Fault::new(What::Tool { tool, name }, said))
}

fn key_header(format: Format, headers: &HeaderMap) -> Option<String> {
    let name = if format == Format::Messages { "x-api-key" } else { "authorization" };
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn authorised(format: Format, options: &MockOptions, headers: &HeaderMap) -> Result<(), Fault> {
    if format == Format::Messages && !headers.contains_key("anthropic-version") {
        return Err("anthropic-version: header is required".into());
    }
    let before = if format == Format::Messages { "" } else { "Bearer " };
    let given = key_header(format, headers).and_then(|value| value.strip_prefix(before).map(str::to_owned));
    match &options.key {
        Some(key) if given.as_ref() != Some(key) => Err(Fault::new(What::Key { given }, "the key")),
        _ => Ok(()),
    }
}

fn refused(voice: Voice, fault: &Fault) -> Response {
    let refusal = voice.refusal(fault);
    (status(refusal.status), Json(refusal.body)).into_response()
}

fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST)
}

fn trouble(voice: Voice, busy: &Busy) -> Response {
    let mut response = (status(busy.status), Json(voice.trouble(busy.status))).into_response();
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

fn respond(options: &MockOptions, voice: Voice, asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Response {
    if !asked.stream || options.never_stream {
        return Json(answer::whole(asked, reply, tokens, &options.dialect)).into_response();
    }
    let pieces = match &options.raw {
        Some(raw) => vec![Bytes::copy_from_slice(raw)],
        None => events(options, voice, answer::events(asked, reply, tokens, &options.dialect)),
    };
    let pieces = cut(pieces, options.piece_bytes);
    let (pieces, end) = match (options.drop_after, options.stall_after) {
        (Some(bytes), _) => (up_to(pieces, bytes), End::Dropped),
        (None, Some(bytes)) => (up_to(pieces, bytes), End::Silent),
        (None, None) => (pieces, End::Closed),
    };
    let headers = [(header::CONTENT_TYPE, "text/event-stream")];
    (headers, Body::from_stream(paced(pieces, options.pace, end))).into_response()
}

/// The events with what the test puts among them.
fn events(options: &MockOptions, voice: Voice, mut events: Vec<String>) -> Vec<Bytes> {
    if let Some((after, status)) = options.fail_after {
        events.truncate(after);
        events.push(voice.event(status));
    }
    let garbage: String = options.garbage.iter().map(|line| format!("{line}\n")).collect();
    events.iter().map(|event| Bytes::from(format!("{garbage}{event}"))).collect()
}
