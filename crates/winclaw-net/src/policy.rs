use std::time::Duration;

/// The bounds of every exchange. `Default` is what the host uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Time for the whole exchange, redirects included, when the request names none. Default 20 s.
    pub timeout: Duration,
    /// The most time a request may ask for. Default 300 s.
    pub longest: Duration,
    /// Time to reach a host at all. Default 10 s.
    pub connect_timeout: Duration,
    /// Most bytes of a body, sent or received. Default 8 MiB.
    pub max_body: usize,
    /// Most redirects followed. Default 5.
    pub max_redirects: usize,
    /// Whether the proxy of the system or of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` is used. Default yes.
    pub system_proxy: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            timeout: Duration::from_secs(20),
            longest: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(10),
            max_body: 8 * 1024 * 1024,
            max_redirects: 5,
            system_proxy: true,
        }
    }
}

impl Policy {
    /// The time a request that asks for `asked_ms` gets.
    pub(crate) fn limit(&self, asked_ms: Option<u64>) -> Duration {
        asked_ms.map_or(self.timeout, |ms| Duration::from_millis(ms).min(self.longest))
    }
}
