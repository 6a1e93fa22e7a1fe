use winclaw_tool::{Failure, HttpRequest, HttpResponse};

use crate::failure::{timed_out, too_many_redirects, unreachable};
use crate::hop::Hop;
use crate::live::Live;
use crate::recorded::replay;
use crate::{Exchange, Policy};

/// The door to the network for tools: live, recorded, or shut.
///
/// One client serves all plugins and all threads; connections are reused. Making one costs nothing: the TLS machinery
/// is set up by the first request.
///
/// ```
/// use winclaw_net::{Exchange, NetClient};
/// use winclaw_tool::HttpRequest;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(async {
/// let record = serde_json::json!([{"url": "https://api.example.org/sky*", "body": {"sky": "clear"}}]);
/// let client = NetClient::recorded(Exchange::list(&record).expect("a record"));
/// let permitted = ["api.example.org".to_owned()];
/// let reply = client.send(&permitted, HttpRequest::get("https://api.example.org/sky?at=night")).await;
/// assert_eq!(reply.expect("recorded").body.text(), Some(r#"{"sky":"clear"}"#));
/// # });
/// ```
pub struct NetClient {
    policy: Policy,
    door: Door,
}

enum Door {
    Live(Box<Live>),
    Recorded(Vec<Exchange>),
    Offline,
}

impl NetClient {
    /// The real network within `policy`.
    pub fn live(policy: Policy) -> Self {
        NetClient { policy, door: Door::Live(Box::new(Live::new())) }
    }

    /// No network: each request is answered by the first exchange that fits it, or fails as `unavailable` naming its
    /// URL. Permitted hosts, headers and redirects are checked as on the real network.
    pub fn recorded(exchanges: Vec<Exchange>) -> Self {
        NetClient { policy: Policy::default(), door: Door::Recorded(exchanges) }
    }

    /// No network: every request that passes the checks fails as `unavailable`.
    pub fn offline() -> Self {
        NetClient { policy: Policy::default(), door: Door::Offline }
    }

    /// Makes one exchange for a plugin that may reach `permitted_hosts` (names compared without regard to case, no
    /// wildcards, any port), following redirects.
    ///
    /// Must run inside a Tokio runtime with time and, for the real network, I/O. Dropping the future ends the exchange.
    ///
    /// Any status is an `Ok`. Errors: `invalid_args` for a request that is not sound, `denied` for a host or address
    /// that is not permitted, `unavailable` when the host cannot be reached or breaks off, `timeout` when the time is
    /// over, `tool_failed` for a body past the cap or endless redirects.
    pub async fn send(&self, permitted_hosts: &[String], request: HttpRequest) -> Result<HttpResponse, Failure> {
        let limit = self.policy.limit(request.timeout_ms);
        let hop = Hop::first(request, permitted_hosts, &self.policy)?;
        let host = hop.host().to_owned();
        let exchange = self.follow(permitted_hosts, hop);
        tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| Err(timed_out(&host, limit)))
    }

    async fn follow(&self, permitted: &[String], mut hop: Hop) -> Result<HttpResponse, Failure> {
        for _ in 0..=self.policy.max_redirects {
            let response = self.exchange(&hop).await?;
            match hop.next(&response, permitted)? {
                Some(next) => hop = next,
                None => return Ok(response),
            }
        }
        Err(too_many_redirects(hop.host(), self.policy.max_redirects))
    }

    async fn exchange(&self, hop: &Hop) -> Result<HttpResponse, Failure> {
        match &self.door {
            Door::Live(live) => live.exchange(&self.policy, hop).await,
            Door::Recorded(exchanges) => replay(exchanges, hop),
            Door::Offline => Err(unreachable(hop.host(), "the network is switched off")),
        }
    }
}

#[cfg(test)]
mod tests;
