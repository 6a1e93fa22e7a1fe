use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use winclaw_tool::{Failure, HttpRequest, HttpResponse};

use crate::Policy;
use crate::failure::{not_permitted, too_large};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// Most headers of a request, and most bytes of them together.
const MAX_HEADERS: (usize, usize) = (64, 32 * 1024);
/// Headers that describe the connection, which is the host's business.
const RESERVED: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// The only headers that follow a redirect to another origin: nothing in them can be a credential.
const HARMLESS: [&str; 5] = ["accept", "accept-language", "content-language", "content-type", "user-agent"];

/// One request on its way, checked: the host is permitted and the headers are sound.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hop {
    pub(crate) method: String,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Hop {
    /// Checks what a plugin asked for.
    pub(crate) fn first(request: HttpRequest, permitted: &[String], policy: &Policy) -> Result<Hop, Failure> {
        let url = Url::parse(&request.url)
            .map_err(|error| Failure::invalid_args(format!("`{}` is not an absolute URL: {error}", request.url)))?;
        check_url(&url, permitted)?;
        if !METHODS.contains(&request.method.as_str()) {
            let known = METHODS.join(", ");
            return Err(Failure::invalid_args(format!("method `{}` is not one of {known}", request.method)));
        }
        if request.body.0.len() > policy.max_body {
            return Err(too_large("the body to send", policy.max_body));
        }
        Ok(Hop { method: request.method, url, headers: headers(&request.headers)?, body: request.body.0 })
    }

    /// The host, for messages.
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or("")
    }

    /// The request that `response` redirects to; `None` when it is the answer.
    pub(crate) fn next(&self, response: &HttpResponse, permitted: &[String]) -> Result<Option<Hop>, Failure> {
        let Some(location) = location(response) else {
            return Ok(None);
        };
        let url = self.url.join(location).map_err(|error| {
            Failure::tool_failed(format!("{} redirected to something that is not a URL: {error}", self.host()))
        })?;
        check_url(&url, permitted)?;
        if self.url.scheme() == "https" && url.scheme() == "http" {
            let message = format!("{} redirected from https to plain http, which is not followed", self.host());
            return Err(Failure::denied(message));
        }
        Ok(Some(self.moved(url, response.status)))
    }

    fn moved(&self, url: Url, status: u16) -> Hop {
        let mut next = Hop { url, ..self.clone() };
        if status == 303 && next.method != "HEAD" || (status < 303 && next.method == "POST") {
            next.method = "GET".into();
            next.body.clear();
            next.headers.remove("content-type");
        }
        if next.url.origin() != self.url.origin() {
            let kept = |(name, value): (&HeaderName, &HeaderValue)| {
                HARMLESS.contains(&name.as_str()).then(|| (name.clone(), value.clone()))
            };
            next.headers = next.headers.iter().filter_map(kept).collect();
        }
        next
    }
}

fn location(response: &HttpResponse) -> Option<&str> {
    let redirects = matches!(response.status, 301 | 302 | 303 | 307 | 308);
    let header = response.headers.iter().find(|(name, _)| name == "location");
    header.filter(|_| redirects).map(|(_, value)| value.as_str())
}

fn check_url(url: &Url, permitted: &[String]) -> Result<(), Failure> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Failure::denied(format!("only http and https are reached, not `{}:`", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::invalid_args("a user name or password in a URL is not sent; use a header"));
    }
    let host = url.host_str().unwrap_or("");
    if permitted.iter().any(|known| known.eq_ignore_ascii_case(host)) {
        Ok(())
    } else {
        Err(not_permitted(host, permitted))
    }
}

fn headers(given: &[(String, String)]) -> Result<HeaderMap, Failure> {
    let bytes: usize = given.iter().map(|(name, value)| name.len() + value.len()).sum();
    if given.len() > MAX_HEADERS.0 || bytes > MAX_HEADERS.1 {
        let (count, size) = MAX_HEADERS;
        return Err(Failure::invalid_args(format!("more than {count} headers or {size} bytes of them")));
    }
    let mut headers = HeaderMap::with_capacity(given.len());
    for (name, value) in given {
        let (name, value) = header(name, value)?;
        headers.append(name, value);
    }
    Ok(headers)
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Failure> {
    let shown = name.escape_debug();
    let key = HeaderName::try_from(name)
        .map_err(|_| Failure::invalid_args(format!("`{shown}` is not a legal header name")))?;
    if RESERVED.contains(&key.as_str()) {
        return Err(Failure::invalid_args(format!("header `{shown}` is set by the host; leave it out")));
    }
    let value = HeaderValue::try_from(value)
        .map_err(|_| Failure::invalid_args(format!("the value of header `{shown}` has illegal characters")))?;
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use winclaw_tool::{FailureCode, HttpBody};

    use super::*;

    fn first(request: HttpRequest) -> Result<Hop, Failure> {
        Hop::first(request, &["api.example.org".to_owned(), "cdn.example.org".to_owned()], &Policy::default())
    }

    fn redirect(status: u16, to: &str) -> HttpResponse {
        HttpResponse { status, headers: vec![("location".into(), to.into())], body: HttpBody::default() }
    }

    fn posted() -> Hop {
        let mut request = HttpRequest::get("https://api.example.org/a");
        request.method = "POST".into();
        request.body = HttpBody(b"{}".to_vec());
        request.headers = vec![("X-Api-Key".into(), "k".into()), ("Accept".into(), "text/plain".into())];
        first(request).expect("sound")
    }

    #[test]
    fn what_is_not_sound_is_refused_before_anything_is_sent() {
        let with = |change: &dyn Fn(&mut HttpRequest)| {
            let mut request = HttpRequest::get("https://api.example.org/");
            change(&mut request);
            first(request).expect_err("refused").code
        };
        assert_eq!(with(&|r| r.url = "file:///etc/passwd".into()), FailureCode::Denied);
        assert_eq!(with(&|r| r.url = "https://api.example.org.evil.net/".into()), FailureCode::Denied);
        assert_eq!(with(&|r| r.url = "https://api.example.org@evil.net/".into()), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.url = "http://[::ffff:127.0.0.1]/".into()), FailureCode::Denied);
        assert_eq!(with(&|r| r.url = "/relative".into()), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.method = "CONNECT".into()), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.headers = vec![("Host".into(), "evil.net".into())]), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.headers = vec![("a\r\nb".into(), "c".into())]), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.headers = vec![("a".into(), "b\r\nc: d".into())]), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.headers = vec![("a".into(), "b".into()); 65]), FailureCode::InvalidArgs);
        assert_eq!(with(&|r| r.body = HttpBody(vec![0; 8 * 1024 * 1024 + 1])), FailureCode::ToolFailed);
    }

    #[test]
    fn the_host_is_compared_without_regard_to_case_and_the_refusal_names_the_field() {
        assert!(first(HttpRequest::get("https://API.Example.org/x")).is_ok());
        let failure = first(HttpRequest::get("https://evil.net/")).expect_err("refused");
        assert!(failure.message.contains("evil.net") && failure.message.contains("permissions.http"), "{failure}");
    }

    #[test]
    fn credentials_stay_with_their_origin() {
        let permitted = ["api.example.org".to_owned(), "cdn.example.org".to_owned()];
        let same = posted().next(&redirect(307, "/b"), &permitted).expect("followed").expect("a hop");
        assert_eq!(same.headers.len(), 2);
        for to in ["https://cdn.example.org/b", "https://api.example.org:8443/b"] {
            let other = posted().next(&redirect(307, to), &permitted).expect("followed").expect("a hop");
            assert_eq!(other.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"], "{to}");
            assert_eq!((other.method.as_str(), other.body.len()), ("POST", 2));
        }
    }

    #[test]
    fn a_post_becomes_a_get_where_the_standard_says_so() {
        let permitted = ["api.example.org".to_owned()];
        for (status, method, body) in
            [(301, "GET", 0), (302, "GET", 0), (303, "GET", 0), (307, "POST", 2), (308, "POST", 2)]
        {
            let next = posted().next(&redirect(status, "/b"), &permitted).expect("followed").expect("a hop");
            assert_eq!((next.method.as_str(), next.body.len()), (method, body), "{status}");
        }
    }

    #[test]
    fn a_redirect_is_no_way_around_the_list_or_out_of_tls() {
        let permitted = ["api.example.org".to_owned()];
        for to in ["https://evil.net/", "http://169.254.169.254/", "http://api.example.org/", "file:///etc/passwd"] {
            let failure = posted().next(&redirect(302, to), &permitted).expect_err("refused");
            assert_eq!(failure.code, FailureCode::Denied, "{to}");
        }
        assert_eq!(posted().next(&redirect(304, "/b"), &permitted), Ok(None));
    }
}
