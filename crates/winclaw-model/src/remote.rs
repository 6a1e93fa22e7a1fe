use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use winclaw_tool::Text;

use crate::choice::{Env, setting};
use crate::plan::{Compiler, Plan};
use crate::refused::tool_in;
use crate::retry::{Failed, asked_wait};
use crate::vendor::{is_about_the_key, message_of_body};
use crate::{
    Assembler, ChatModel, ChatReply, ChatRequest, Delta, ModelChoice, ModelError, NativeTools, Pause, Price, Profile,
    SetAside, http, validate,
};

/// Most of an error's body that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// How many times longer an answer in one piece may take until its first byte.
const WHOLE: u32 = 5;

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection. Default 10 s.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer. Default 120 s; five times as long where the answer comes
    /// in one piece.
    pub first_byte: Duration,
    /// Between two pieces of the answer. Default 60 s.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Timeouts { connect: seconds(10), first_byte: seconds(120), idle: seconds(60) }
    }
}

impl Timeouts {
    /// The defaults, or what `WINCLAW_MODEL_TIMEOUT_MS` says for first byte and idle time, which also bounds the
    /// connection. A value that is no positive number is ignored.
    pub fn from_env(env: &Env) -> Self {
        let default = Timeouts::default();
        let ms = setting(env, "WINCLAW_MODEL_TIMEOUT_MS").and_then(|ms| ms.parse::<u64>().ok()).filter(|ms| *ms > 0);
        ms.map(Duration::from_millis).map_or(default, |limit| Timeouts {
            connect: default.connect.min(limit),
            first_byte: limit,
            idle: limit,
        })
    }
}

/// A model behind a server, in whichever wire format its profile names.
///
/// Timeouts end in [`ModelError::Unreachable`], 401 and 403 in [`ModelError::Authentication`], other errors in
/// [`ModelError::Rejected`]. 408, 429, 5xx and connections that fail before any byte of an answer are tried twice more as
/// long as nothing was given to the sink; a server on this machine that is not there is not. A refusal that names one tool
/// costs that tool: the request is sent once more without it. Redirects are not followed. Loopback servers are reached
/// without a proxy.
pub struct Remote {
    client: Client,
    profile: Profile,
    compiler: Compiler,
    model: String,
    url: Url,
    key: Option<Key>,
    window_tokens: u32,
    stream: bool,
    price: Option<Price>,
    timeouts: Timeouts,
    pause: Pause,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may hold a password.
        let url = http::shown(&self.url);
        f.debug_struct("Remote").field("model", &self.label()).field("url", &url).finish_non_exhaustive()
    }
}

/// A secret that can be sent but not printed.
struct Key {
    value: String,
    name: HeaderName,
    header: HeaderValue,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// Makes the model that `choice` names, with keys, URLs and `WINCLAW_MODEL_TIMEOUT_MS` read through `env`. Nothing is
/// sent yet.
///
/// Errors: [`ModelError::Authentication`] when the provider needs a key and its variable is not set;
/// [`ModelError::Config`] for an unknown provider or a URL that is none.
pub fn connect(choice: &ModelChoice, env: &Env) -> Result<Box<dyn ChatModel>, ModelError> {
    Remote::new(choice, env).map(|model| Box::new(model) as Box<dyn ChatModel>)
}

impl Remote {
    /// As [`connect`], for callers that want to set timeouts or the pause between attempts.
    pub fn new(choice: &ModelChoice, env: &Env) -> Result<Self, ModelError> {
        let Some(profile) = choice.profile.as_ref().or_else(|| Profile::of(&choice.provider)) else {
            return Err(ModelChoice::parse(&choice.label()).err().unwrap_or_else(ModelError::none_found));
        };
        let moved = choice.base_url.clone().or_else(|| setting(env, &profile.base_url_variable));
        let url = match &moved {
            Some(base) => endpoint(base, profile).ok_or_else(|| no_url(&profile.base_url_variable, "=")),
            // The URLs of the table are good, so this one was configured.
            None => endpoint(&profile.base_url, profile)
                .ok_or_else(|| no_url(&format!("providers.{}.base_url", profile.provider), " = ")),
        }?;
        let key = key(profile, env, moved.is_none())?;
        let timeouts = Timeouts::from_env(env);
        Ok(Remote {
            client: build(&timeouts, &url)?,
            profile: profile.clone(),
            compiler: Compiler::default(),
            model: choice.name.clone(),
            url,
            key,
            window_tokens: choice.window_tokens.unwrap_or_else(|| profile.window_of(&choice.name)),
            stream: choice.stream.unwrap_or(true),
            price: choice.price.clone().or_else(|| profile.price_of(&choice.name).cloned()),
            timeouts,
            pause: Pause::default(),
        })
    }

    /// The same model with other timeouts.
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Result<Self, ModelError> {
        self.client = build(&timeouts, &self.url)?;
        self.timeouts = timeouts;
        Ok(self)
    }

    /// The same model, waiting between attempts as `pause` says.
    pub fn with_pause(mut self, pause: Pause) -> Self {
        self.pause = pause;
        self
    }

    /// The same model speaking another dialect.
    pub fn with_profile(mut self, profile: Profile) -> Self {
        (self.profile, self.compiler) = (profile, Compiler::default());
        self
    }

    fn plan<'a>(&'a self, request: &'a ChatRequest) -> Plan<'a> {
        Plan::with(request, &self.model, &self.profile, Some(&self.compiler))
    }

    fn body(&self, request: &ChatRequest, plan: &Plan<'_>) -> String {
        self.profile.format.write(request, plan, &self.model, &self.profile, self.stream).to_string()
    }

    /// Sends the request, and once more without the tool that a refusal names.
    async fn answer(&self, request: &ChatRequest, sink: &mut Sink<'_>) -> Result<ChatReply, ModelError> {
        let mut sent = Sent::default();
        let plan = self.plan(request);
        let (first, mut set_aside) = (self.with_retries(request, &plan, sink, &mut sent).await, plan.set_aside.clone());
        let named = first.as_ref().err().and_then(|error| tool_in(error, &plan)).filter(|_| !sent.heard);
        let reply = match named {
            None => first,
            Some(named) => {
                let mut without = request.clone();
                without.without.insert(named.tool.clone());
                tracing::warn!(tool = %named.tool, "the vendor refuses a tool; trying without it");
                set_aside.push(named);
                self.with_retries(&without, &self.plan(&without), sink, &mut sent).await
            }
        };
        reply.map(|reply| self.told(reply, set_aside))
    }

    fn told(&self, reply: ChatReply, set_aside: Vec<SetAside>) -> ChatReply {
        let priced = || self.price.as_ref().and_then(|price| price.cost(&reply.usage));
        ChatReply { cost: reply.cost.clone().or_else(priced), set_aside, ..reply }
    }

    async fn with_retries(
        &self,
        request: &ChatRequest,
        plan: &Plan<'_>,
        sink: &mut Sink<'_>,
        sent: &mut Sent,
    ) -> Result<ChatReply, ModelError> {
        let body = self.body(request, plan);
        let mut attempt = 0;
        loop {
            sent.attempts += 1;
            sink(Delta::Sent { body: body.as_bytes(), attempt: sent.attempts });
            let mut watched = |delta: Delta<'_>| {
                sent.heard = true;
                sink(delta);
            };
            let failed = match self.attempt(&body, request, &mut watched).await {
                Ok(reply) => return Ok(reply),
                Err(failed) => Failed { error: self.hide_key(failed.error), ..failed },
            };
            match self.pause.before_next(&failed, attempt).filter(|_| !sent.heard) {
                None => return Err(failed.error),
                Some(wait) => {
                    tracing::warn!(error = %failed.error, ?wait, "the model server is busy; trying again");
                    self.pause.wait(wait).await;
                }
            }
            attempt += 1;
        }
    }

    async fn attempt(&self, body: &str, request: &ChatRequest, sink: &mut Sink<'_>) -> Result<ChatReply, Failed> {
        let patience = self.timeouts.first_byte * if self.stream { 1 } else { WHOLE };
        let first_byte = Instant::now() + patience;
        let response = match timeout_at(first_byte, self.send(body)).await {
            Err(_) => return Err(self.no_answer(patience).into()),
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.unsent(&error)),
        };
        if response.status() != StatusCode::OK {
            return Err(self.refused(response, first_byte).await);
        }
        let mut assembler = Assembler::for_request(&self.profile, request);
        let read = self.read(response, (first_byte, patience), &mut assembler, sink).await?;
        let is_page = assembler.is_page();
        match (read, assembler.finish(sink)) {
            (Read { broken: None, .. }, Err(ModelError::Protocol { .. })) if is_page => {
                Err(ModelError::WebPage { url: http::shown(&self.url) }.into())
            }
            (Read { broken: Some(error), heard }, Err(ModelError::Protocol { .. })) => {
                Err(Failed { unheard: !heard, ..error.into() })
            }
            (Read { broken: Some(error), .. }, Ok(reply)) if reply.text.is_empty() && reply.calls.is_empty() => {
                Err(error.into())
            }
            (Read { broken: Some(error), .. }, Ok(mut reply)) if reply.cut_off => {
                let chars = reply.text.chars().count();
                reply.broken.get_or_insert_with(|| broken_off(&error, chars));
                Ok(reply)
            }
            (_, reply) => Ok(reply?),
        }
    }

    async fn send(&self, body: &str) -> Result<Response, reqwest::Error> {
        let mut request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(key.name.clone(), key.header.clone());
        }
        for (name, value) in self.profile.format.headers() {
            request = request.header(*name, *value);
        }
        request.body(body.to_owned()).send().await
    }

    /// Feeds the answer to `assembler` until it is done, ends or breaks off; the latter is given back, since what came
    /// before may still be a reply.
    async fn read(
        &self,
        mut response: Response,
        (first_byte, patience): (Instant, Duration),
        assembler: &mut Assembler,
        sink: &mut Sink<'_>,
    ) -> Result<Read, ModelError> {
        let mut read = Read { broken: None, heard: false };
        let mut deadline = first_byte;
        while !assembler.done() {
            match timeout_at(deadline, response.chunk()).await {
                Err(_) if read.heard => read.broken = Some(self.silent()),
                Err(_) => read.broken = Some(self.no_answer(patience)),
                Ok(Err(error)) => read.broken = Some(self.unreachable(&error)),
                Ok(Ok(None)) => break,
                Ok(Ok(Some(bytes))) => {
                    read.heard = true;
                    assembler.feed(&bytes, sink)?;
                    deadline = Instant::now() + self.timeouts.idle;
                    continue;
                }
            }
            break;
        }
        Ok(read)
    }

    async fn refused(&self, mut response: Response, deadline: Instant) -> Failed {
        let (status, asked_wait) = (response.status(), asked_wait(response.headers(), self.pause.now()));
        let location = response.headers().get("location").and_then(|to| to.to_str().ok()).map(str::to_owned);
        let mut body = Vec::new();
        while let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_ERROR_BODY {
                break;
            }
        }
        body.truncate(MAX_ERROR_BODY);
        let body =
            location.filter(|_| status.is_redirection()).map_or(body, |to| format!("it redirects to {to}").into());
        // Before the message is cut to its length, so that no part of a key stays at its end.
        let message = message_of_body(&self.without_key(&String::from_utf8_lossy(&body)));
        let error = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.no_entry(message),
            StatusCode::BAD_REQUEST if is_about_the_key(&message) => self.no_entry(message),
            _ => ModelError::Rejected { status: status.as_u16(), message },
        };
        Failed { error, asked_wait, unheard: false }
    }

    fn no_entry(&self, message: String) -> ModelError {
        ModelError::Authentication {
            provider: self.profile.provider.to_string(),
            variable: self.profile.key_variable.to_string(),
            message: Some(message),
        }
    }

    fn hide_key(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Rejected { status, message } => {
                ModelError::Rejected { status, message: self.without_key(&message) }
            }
            other => other,
        }
    }

    /// Servers quote the key they refuse; it must not end up on a screen or in a trace.
    fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(&key.value, "[key]"),
            None => text.to_owned(),
        }
    }

    /// A request that got no answer at all. A server on this machine that is not there will not be there in a second.
    fn unsent(&self, error: &reqwest::Error) -> Failed {
        let absent = error.is_connect() && http::is_loopback(&self.url);
        Failed { unheard: !error.is_timeout() && !absent, ..self.unreachable(error).into() }
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        match error.is_timeout() {
            true => self.no_answer(self.timeouts.connect),
            false => self.lost(http::cause(error)),
        }
    }

    fn silent(&self) -> ModelError {
        self.lost(format!("the server went silent for {} s", self.timeouts.idle.as_secs_f32()))
    }

    fn no_answer(&self, limit: Duration) -> ModelError {
        self.lost(format!("no answer within {} s", limit.as_secs_f32()))
    }

    fn lost(&self, reason: String) -> ModelError {
        ModelError::Unreachable { url: http::shown(&self.url), reason, local: http::is_loopback(&self.url) }
    }
}

type Sink<'a> = dyn for<'d> FnMut(Delta<'d>) + Send + 'a;

/// What one call of the model has sent and heard so far.
#[derive(Default)]
struct Sent {
    attempts: u32,
    /// Something was given to the sink besides what was sent.
    heard: bool,
}

/// How the reading of an answer ended.
struct Read {
    /// Why it broke off, if it did.
    broken: Option<ModelError>,
    /// Whether any byte of it came.
    heard: bool,
}

#[async_trait]
impl ChatModel for Remote {
    fn label(&self) -> String {
        format!("{}/{}", self.profile.provider, self.model)
    }

    fn replayed(&self) -> bool {
        false
    }

    fn window_tokens(&self) -> u32 {
        self.window_tokens
    }

    fn max_tools(&self) -> usize {
        self.profile.max_tools
    }

    fn native(&self) -> Option<NativeTools> {
        self.profile.native_of(&self.model)
    }

    fn compile(&self, request: &ChatRequest) -> Vec<SetAside> {
        self.plan(request).set_aside
    }

    fn price(&self) -> Option<Price> {
        self.price.clone()
    }

    fn reads_images(&self) -> bool {
        self.profile.reads_images(&self.model)
    }

    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        self.body(request, &self.plan(request)).into_bytes()
    }

    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        cancel: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        validate(&request.messages)?;
        match cancel.run_until_cancelled(self.answer(request, sink)).await {
            None => Err(ModelError::Cancelled),
            Some(result) => result,
        }
    }
}

/// That an answer broke off by `error` behind so many characters of it: the server was reached, so that is not said.
fn broken_off(error: &ModelError, chars: usize) -> Text {
    let why = match error {
        ModelError::Unreachable { reason, .. } => Text::new(reason.clone(), reason.clone()),
        other => other.text(),
    };
    let s = if chars == 1 { "" } else { "s" };
    Text::new(
        format!("it broke off after {chars} character{s}: {}", why.en),
        format!("在 {chars} 个字符之后中断：{}", why.zh),
    )
}

fn build(timeouts: &Timeouts, url: &Url) -> Result<Client, ModelError> {
    let unusable = |error: reqwest::Error| ModelError::Unreachable {
        url: http::shown(url),
        reason: format!("no secure connection can be made from this machine: {}", http::cause(&error)),
        local: false,
    };
    http::client(timeouts.connect, url).build().map_err(unusable)
}

/// What stands at `place`, a variable or a key of the configuration, is no URL.
fn no_url(place: &str, equals: &str) -> ModelError {
    ModelError::Config {
        what: Text::new(
            format!("{place} is not an http or https URL"),
            format!("{place} 不是有效的 http 或 https 地址"),
        ),
        mend: Text::new(
            format!("set it to the base of the API, such as {place}{equals}http://127.0.0.1:8080/v1"),
            format!("请设为接口的基础地址，例如 {place}{equals}http://127.0.0.1:8080/v1"),
        ),
    }
}

fn endpoint(base: &str, profile: &Profile) -> Option<Url> {
    let url = Url::parse(base.trim()).ok();
    let mut url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())?;
    let (end, mistaken) = profile.format.path();
    let mut path = url.path().trim_end_matches('/');
    for extra in std::iter::once(&end).chain(mistaken) {
        path = path.strip_suffix(extra).unwrap_or(path);
    }
    let path = format!("{path}{end}");
    url.set_path(&path);
    Some(url)
}

fn key(profile: &Profile, env: &Env, at_home: bool) -> Result<Option<Key>, ModelError> {
    if profile.key_variable.trim().is_empty() {
        return Ok(None);
    }
    let Some(value) = setting(env, &profile.key_variable) else {
        let missing = ModelError::Authentication {
            provider: profile.provider.to_string(),
            variable: profile.key_variable.to_string(),
            message: None,
        };
        return if profile.key_required && at_home { Err(missing) } else { Ok(None) };
    };
    let (name, before) = profile.format.key_header();
    let header = HeaderValue::from_str(&format!("{before}{value}")).ok().filter(|_| value.is_ascii());
    let mut header = header.ok_or_else(|| ModelError::Authentication {
        provider: profile.provider.to_string(),
        variable: profile.key_variable.to_string(),
        message: Some("it holds characters that no key has".into()),
    })?;
    header.set_sensitive(true);
    Ok(Some(Key { value, name: HeaderName::from_static(name), header }))
}

#[cfg(test)]
mod tests;
