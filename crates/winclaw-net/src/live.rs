use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Once, OnceLock};

use futures_util::future::BoxFuture;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderValue;
use reqwest::{Client, Method, Response};
use winclaw_tool::{Failure, HttpBody, HttpResponse};

use crate::Policy;
use crate::address::{ForbiddenAddress, reachable};
use crate::failure::{forbidden, too_large, unreachable};
use crate::hop::Hop;

/// Turns a host name into addresses; the ports are ignored.
pub(crate) type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The real network. Nothing is set up before the first request.
pub(crate) struct Live {
    lookup: Lookup,
    direct: OnceLock<Client>,
    proxied: OnceLock<(Matcher, Client)>,
}

impl Live {
    /// With the system's own name resolution.
    pub(crate) fn new() -> Self {
        Live::with_lookup(Arc::new(|name| Box::pin(system_lookup(name))))
    }

    pub(crate) fn with_lookup(lookup: Lookup) -> Self {
        Live { lookup, direct: OnceLock::new(), proxied: OnceLock::new() }
    }

    /// Sends `hop` and reads its whole answer; a redirect is an answer here.
    pub(crate) async fn exchange(&self, policy: &Policy, hop: &Hop) -> Result<HttpResponse, Failure> {
        let client = self.client_for(policy, hop)?;
        let method =
            Method::from_bytes(hop.method.as_bytes()).map_err(|error| Failure::invalid_args(error.to_string()))?;
        let request = client.request(method, hop.url.clone()).headers(hop.headers.clone()).body(hop.body.clone());
        let response = request.send().await.map_err(|error| explain(hop.host(), &error))?;
        read(response, hop.host(), policy.max_body).await
    }

    /// The proxy's client when a proxy would carry `hop`, else the one that checks addresses.
    fn client_for(&self, policy: &Policy, hop: &Hop) -> Result<&Client, Failure> {
        let unusable =
            |error: reqwest::Error| unreachable(hop.host(), &format!("no TLS client: {}", root_cause(&error)));
        if policy.system_proxy {
            let (matcher, client) =
                initialised(&self.proxied, || Ok((Matcher::from_system(), client(policy).build()?)))
                    .map_err(unusable)?;
            if hop.url.as_str().parse().is_ok_and(|uri| matcher.intercept(&uri).is_some()) {
                return Ok(client);
            }
        }
        let guarded = Guarded { lookup: self.lookup.clone() };
        initialised(&self.direct, || client(policy).no_proxy().dns_resolver(guarded).build()).map_err(unusable)
    }
}

/// `OnceLock::get_or_try_init` is not stable; two callers may both build, and the first one's value stays.
fn initialised<T, E>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

fn client(policy: &Policy) -> reqwest::ClientBuilder {
    static PROVIDER: Once = Once::new();
    // Another part of the program may have installed a provider already, which serves as well.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    Client::builder()
        .user_agent(concat!("winclaw/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(policy.connect_timeout)
        .pool_max_idle_per_host(4)
}

async fn system_lookup(name: String) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.collect())
}

/// Resolves names at the moment of connecting and hands on only addresses that may be reached, so that no second
/// lookup can lead elsewhere.
struct Guarded {
    lookup: Lookup,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.lookup)(name.as_str().to_owned());
        Box::pin(async move { Ok(Box::new(reachable(name.as_str(), found.await?)?.into_iter()) as Addrs) })
    }
}

async fn read(mut response: Response, host: &str, cap: usize) -> Result<HttpResponse, Failure> {
    let status = response.status().as_u16();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| explain(host, &error))? {
        if body.len() + chunk.len() > cap {
            return Err(too_large(&format!("the answer of {host}"), cap));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(HttpResponse { status, headers, body: HttpBody(body) })
}

fn explain(host: &str, error: &reqwest::Error) -> Failure {
    let refused = causes(error).find_map(|cause| cause.downcast_ref::<ForbiddenAddress>());
    match refused {
        Some(refused) => forbidden(refused),
        None => unreachable(host, &root_cause(error)),
    }
}

fn root_cause(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| "the connection failed".to_owned(), ToString::to_string)
}

/// The errors below `error`, outermost first; without its own text, which repeats the URL and its query.
fn causes<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause: &&(dyn Error + 'static)| (*cause).source())
}
