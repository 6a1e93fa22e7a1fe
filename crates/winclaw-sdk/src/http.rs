use futures_channel::oneshot;
use futures_lite::future;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use winclaw_tool::{Failure, HttpRequest, HttpResponse};

use crate::Context;
use crate::call::cancelled;

/// The network, through the host.
impl Context {
    /// Makes an HTTP request through the host, which allows the hosts in the manifest's `permissions.http`.
    ///
    /// Fails with `unavailable` when the network or the server cannot be reached, `denied` for other hosts. 4xx and 5xx
    /// are responses; see [`ResponseExt::success`].
    pub async fn http(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let json = serde_json::to_string(&request)
            .map_err(|error| Failure::tool_failed(format!("the HTTP request cannot be written as JSON: {error}")))?;
        let (sender, receiver) = oneshot::channel();
        self.host.http(json, Box::new(move |reply| drop(sender.send(reply))));
        match receiver.await {
            Ok(reply) => read(&request.url, &reply),
            Err(_) => Err(Failure::unavailable(format!("{}: the host did not answer the request", request.url))),
        }
    }

    /// [`Context::http`] for tools that are not `async`. Fails with `cancelled` as soon as the call is cancelled.
    pub fn http_blocking(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let given_up = async {
            self.until_cancelled().await;
            Err(cancelled())
        };
        future::block_on(future::or(self.http(request), given_up))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Ok(HttpResponse),
    Error(Failure),
}

fn read(url: &str, reply: &str) -> Result<HttpResponse, Failure> {
    match serde_json::from_str(reply) {
        Ok(Reply::Ok(response)) => Ok(response),
        Ok(Reply::Error(failure)) => Err(failure),
        Err(error) => Err(Failure::unavailable(format!("{url}: the host's answer cannot be read: {error}"))),
    }
}

/// What tools usually do with a response.
pub trait ResponseExt: Sized {
    /// The response itself when its status is 2xx; else a failure that quotes the status and the start of the body:
    /// `unavailable` for 429 and 5xx, since trying later can help, and `tool_failed` for the others.
    fn success(self) -> Result<Self, Failure>;

    /// The body as JSON of type `T`; fails with `tool_failed`, saying which field was not as expected.
    fn json<T: DeserializeOwned>(&self) -> Result<T, Failure>;
}

impl ResponseExt for HttpResponse {
    fn success(self) -> Result<Self, Failure> {
        let message = || {
            let body = self.body.text().unwrap_or("a body that is not text").trim();
            format!("the server answered {}: {}", self.status, body.chars().take(200).collect::<String>())
        };
        match self.status {
            200..=299 => Ok(self),
            429 | 500..=599 => Err(Failure::unavailable(message())),
            _ => Err(Failure::tool_failed(message())),
        }
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        let mut reader = serde_json::Deserializer::from_slice(&self.body.0);
        serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| Failure::tool_failed(format!("the server's answer is not as expected at {error}")))
    }
}

#[cfg(test)]
mod tests {
    use winclaw_tool::{FailureCode, HttpBody};

    use super::*;

    fn response(status: u16, body: &str) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: HttpBody(body.as_bytes().to_vec()) }
    }

    #[test]
    fn a_status_becomes_the_failure_that_fits() {
        assert!(response(204, "").success().is_ok());
        let code = |status| response(status, "no").success().expect_err("a failure").code;
        assert_eq!(code(404), FailureCode::ToolFailed);
        assert_eq!(code(429), FailureCode::Unavailable);
        assert_eq!(code(503), FailureCode::Unavailable);
    }

    #[test]
    fn json_that_is_not_as_expected_names_the_place() {
        #[derive(Debug, Deserialize)]
        struct Sky {
            #[allow(dead_code)]
            days: Vec<u8>,
        }
        assert!(response(200, r#"{"days":[1],"more":1}"#).json::<Sky>().is_ok());
        let failure = response(200, r#"{"days":["x"]}"#).json::<Sky>().expect_err("no number");
        assert!(failure.message.contains("days[0]"), "{failure}");
    }

    #[test]
    fn the_hosts_answers_are_read() {
        assert!(read("u", r#"{"ok":{"status":200}}"#).is_ok());
        let failure = read("u", winclaw_abi::DROPPED_BY_HOST).expect_err("dropped");
        assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true));
        assert!(read("u", "?").expect_err("no JSON").message.starts_with("u: "));
    }
}
