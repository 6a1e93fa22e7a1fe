use std::sync::Once;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};

/// A client builder with rustls over ring, without redirects, so that a key never follows one.
pub(crate) fn client(connect: Duration, url: &Url) -> ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody installed one before; theirs does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder()
        .tls_backend_rustls()
        .user_agent(concat!("winclaw/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none());
    let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    if is_loopback(url) { builder.no_proxy() } else { builder }
}

/// Whether the URL names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("").trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

/// The URL as people may see it: without user name, password, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // These fail only for URLs without a host, which hold neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// The innermost cause of a transport error, which is the part that says something: `Connection refused`.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    crate::vendor::tidy(&cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_all_its_names() {
        let cases = [
            ("http://127.0.0.1:1/v1", true),
            ("http://localhost/v1", true),
            ("http://[::1]:9/", true),
            ("http://0.0.0.0:9/", true),
            ("http://10.0.0.1/", false),
            ("https://localhost.example.org/", false),
        ];
        for (url, loopback) in cases {
            assert_eq!(is_loopback(&Url::parse(url).expect("a url")), loopback, "{url}");
        }
    }

    #[test]
    fn what_is_shown_of_a_url_holds_no_secret() {
        let url = Url::parse("https://me:secret@example.org/v1?key=secret#secret").expect("a url");
        assert_eq!(shown(&url), "https://example.org/v1");
    }
}
