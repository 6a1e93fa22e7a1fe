use std::sync::Mutex;

use winclaw_sdk::{Failure, HttpRequest, HttpResponse};

use crate::services::locked;

/// Which requests a reply is for, by their URL.
pub enum UrlMatch {
    /// URLs that start with this text.
    Prefix(String),
    /// Requests for which this function says so.
    When(Box<dyn Fn(&HttpRequest) -> bool + Send + Sync>),
}

impl From<&str> for UrlMatch {
    fn from(prefix: &str) -> Self {
        UrlMatch::Prefix(prefix.to_owned())
    }
}

impl From<String> for UrlMatch {
    fn from(prefix: String) -> Self {
        UrlMatch::Prefix(prefix)
    }
}

impl<F: Fn(&HttpRequest) -> bool + Send + Sync + 'static> From<F> for UrlMatch {
    fn from(when: F) -> Self {
        UrlMatch::When(Box::new(when))
    }
}

impl std::fmt::Debug for UrlMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UrlMatch::Prefix(prefix) => write!(f, "{prefix}…"),
            UrlMatch::When(_) => f.write_str("a function"),
        }
    }
}

impl UrlMatch {
    fn fits(&self, request: &HttpRequest) -> bool {
        match self {
            UrlMatch::Prefix(prefix) => request.url.starts_with(prefix),
            UrlMatch::When(when) => when(request),
        }
    }
}

/// The replies of a test, in the order they were given.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    pub(crate) list: Vec<(UrlMatch, HttpResponse)>,
    used: Mutex<Vec<usize>>,
}

impl Replies {
    /// The first reply for `request` that was not used yet, else the last that was.
    pub(crate) fn find(&self, request: &HttpRequest) -> Result<HttpResponse, Failure> {
        let mut used = locked(&self.used);
        let fitting = || (0..self.list.len()).filter(|at| self.list[*at].0.fits(request));
        let chosen = fitting().find(|at| !used.contains(at)).or_else(|| fitting().last());
        let Some(at) = chosen else {
            return Err(self.unexpected(request));
        };
        used.push(at);
        Ok(self.list[at].1.clone())
    }

    fn unexpected(&self, request: &HttpRequest) -> Failure {
        let known: Vec<String> = self.list.iter().map(|(url, _)| format!("{url:?}")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let HttpRequest { method, url, .. } = request;
        Failure::unavailable(format!(
            "unexpected request in this test: {method} {url} (replies are given for: {known})"
        ))
    }
}

/// The host name of a URL, in lower case; empty when there is none.
pub(crate) fn host_of(url: &str) -> String {
    let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.split(':').next().unwrap_or("").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_url() {
        for (url, host) in [
            ("https://api.example.org/v1?x=1", "api.example.org"),
            ("http://user:word@API.example.org:8080#a", "api.example.org"),
            ("nonsense", ""),
        ] {
            assert_eq!(host_of(url), host, "{url}");
        }
    }

    #[test]
    fn replies_are_used_in_order_and_the_last_repeats() {
        let mut replies = Replies::default();
        for status in [500, 200] {
            let response = HttpResponse { status, headers: Vec::new(), body: Default::default() };
            replies.list.push(("https://a/".into(), response));
        }
        let status = || replies.find(&HttpRequest::get("https://a/b")).map(|response| response.status);
        assert_eq!([status(), status(), status()], [Ok(500), Ok(200), Ok(200)]);
        let failure = replies.find(&HttpRequest::get("https://b/")).expect_err("unexpected");
        assert!(failure.message.contains("GET https://b/") && failure.message.contains("https://a/…"), "{failure}");
    }
}
