use std::fmt;
use std::sync::Once;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use prost::Message as _;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url, redirect};

/// How long a collector may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Most bytes of an answer that are read.
const MAX_ANSWER: usize = 64 << 10;

/// How a message is written on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// `application/x-protobuf`, the default.
    #[default]
    Protobuf,
    /// `application/json`.
    Json,
}

/// Where spans go.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    headers: HeaderMap,
}

impl Endpoint {
    /// The endpoint at `url`, which is `http` or `https`. Without a path of its own that ends in `/v1/traces`, that is put
    /// after what there is, as the protocol says of a base address. A user and password in it are not used.
    pub fn new(url: &str) -> Result<Endpoint, SendError> {
        let wrong = |why: String| SendError::Address { why };
        let mut url = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong("it must begin with http:// or https://".into()));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        if !path.ends_with("/v1/traces") {
            url.set_path(&format!("{path}/v1/traces"));
        }
        // These fail only for addresses without a host.
        let _ = (url.set_username(""), url.set_password(None));
        Ok(Endpoint { url, headers: HeaderMap::new() })
    }

    /// The same with the headers of `list`: `name=value` with commas between, the value percent-encoded, as the variable
    /// `OTEL_EXPORTER_OTLP_HEADERS` is written. They are never shown.
    pub fn headers(mut self, list: &str) -> Result<Endpoint, SendError> {
        for pair in list.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let wrong = || SendError::Header { name: pair.split('=').next().unwrap_or_default().trim().to_owned() };
            let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
            let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
            let mut value = HeaderValue::from_bytes(&decoded(value.trim())).map_err(|_| wrong())?;
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
        Ok(self)
    }

    /// The address as people may see it.
    pub fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.to_string()
    }
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

/// What a collector said to spans it took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    /// Spans it refused.
    pub rejected: u64,
    /// What it said; may be empty.
    pub message: String,
}

/// Why spans could not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// The address is none.
    Address {
        /// What is wrong with it.
        why: String,
    },
    /// A header cannot be sent. Its value is not shown.
    Header {
        /// Its name.
        name: String,
    },
    /// Nothing answered.
    Unreachable {
        /// Why.
        why: String,
    },
    /// The collector refused them.
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said; may be empty.
        message: String,
    },
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::Address { why } => write!(f, "the address cannot be used: {why}"),
            SendError::Header { name } => {
                write!(f, "the header `{name}` cannot be sent; write name=value, with commas between")
            }
            SendError::Unreachable { why } => write!(f, "the collector cannot be reached: {why}"),
            SendError::Refused { status, message } if message.is_empty() => {
                write!(f, "the collector answered {status}")
            }
            SendError::Refused { status, message } => write!(f, "the collector answered {status}: {message}"),
        }
    }
}

impl std::error::Error for SendError {}

/// Posts `request` to `endpoint`, once. Takes no redirect, waits 30 seconds at most, and needs a tokio runtime.
pub async fn send(
    endpoint: &Endpoint,
    request: &ExportTraceServiceRequest,
    encoding: Encoding,
) -> Result<Sent, SendError> {
    let (kind, body) = match encoding {
        Encoding::Protobuf => ("application/x-protobuf", request.encode_to_vec()),
        Encoding::Json => ("application/json", crate::to_json(request).into_bytes()),
    };
    let post = client(&endpoint.url)?.post(endpoint.url.clone()).headers(endpoint.headers.clone());
    let answer = post.header(CONTENT_TYPE, kind).body(body).send().await.map_err(|error| unreachable(&error))?;
    let status = answer.status();
    let is_json =
        answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let body = read(answer).await?;
    if status.is_success() {
        return Ok(if is_json { said_in_json(&body) } else { said_in_protobuf(&body) });
    }
    Err(SendError::Refused { status: status.as_u16(), message: words(&body) })
}

fn client(url: &Url) -> Result<Client, SendError> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody installed one before; theirs does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder().tls_backend_rustls().timeout(LIMIT).redirect(redirect::Policy::none());
    let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    let local = url.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"));
    let builder = if local { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| unreachable(&error))
}

async fn read(mut answer: Response) -> Result<Vec<u8>, SendError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unreachable(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            body.truncate(MAX_ANSWER);
            break;
        }
    }
    Ok(body)
}

fn said_in_protobuf(body: &[u8]) -> Sent {
    let answer = ExportTraceServiceResponse::decode(body).unwrap_or_default();
    answer.partial_success.map_or_else(Sent::default, |partial| Sent {
        rejected: u64::try_from(partial.rejected_spans).unwrap_or(0),
        message: partial.error_message,
    })
}

/// In JSON a 64-bit number is a string, and some collectors write it as a number.
fn said_in_json(body: &[u8]) -> Sent {
    let answer: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let partial = &answer["partialSuccess"];
    let rejected = &partial["rejectedSpans"];
    let rejected = rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()).unwrap_or(0);
    Sent { rejected, message: partial["errorMessage"].as_str().unwrap_or_default().to_owned() }
}

/// What of an answer can be read, on one line and not too long: the printable parts, since a status in protobuf holds its
/// message between bytes that are none.
fn words(body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(body)
        .chars()
        .map(|c| if c.is_control() || c == '\u{fffd}' { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

fn unreachable(error: &reqwest::Error) -> SendError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    SendError::Unreachable { why: cause.to_string() }
}
