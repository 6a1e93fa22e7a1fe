use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{any, get};
use futures_util::stream;
use winclaw_tool::{FailureCode, HttpBody};

use super::*;

/// A server on a free loopback port.
async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

fn hosts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn live() -> NetClient {
    NetClient::live(Policy { system_proxy: false, ..Policy::default() })
}

/// A live client for which every name leads to the addresses `lead` gives, in turn by lookup.
fn led(lead: impl Fn(usize) -> &'static str + Send + Sync + 'static) -> NetClient {
    let count = Arc::new(AtomicUsize::new(0));
    let lookup = move |_: String| {
        let address = lead(count.fetch_add(1, Ordering::SeqCst)).parse().expect("an address");
        Box::pin(async move { Ok(vec![SocketAddr::new(address, 0)]) }) as _
    };
    let policy = Policy { system_proxy: false, ..Policy::default() };
    NetClient { policy, door: Door::Live(Box::new(Live::with_lookup(Arc::new(lookup)))) }
}

fn to(location: String) -> (StatusCode, [(header::HeaderName, String); 1]) {
    (StatusCode::FOUND, [(header::LOCATION, location)])
}

#[tokio::test]
async fn a_permitted_host_answers_with_status_headers_and_body() {
    let echo = |headers: HeaderMap, body: String| async move {
        let asked = headers.get("x-asked").and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
        (StatusCode::IM_A_TEAPOT, [("x-told", asked)], format!("北京 {body}"))
    };
    let port = serve(Router::new().route("/", any(echo))).await.port();
    for host in ["127.0.0.1", "localhost"] {
        let mut request = HttpRequest::get(format!("http://{host}:{port}/"));
        request.method = "POST".into();
        request.headers = vec![("X-Asked".into(), "yes".into())];
        request.body = HttpBody(b"in".to_vec());
        let response = live().send(&hosts(&[host]), request).await.expect("an answer");
        assert_eq!((response.status, response.body.text()), (418, Some("北京 in")));
        assert!(response.headers.contains(&("x-told".into(), "yes".into())));
    }
}

#[tokio::test]
async fn a_name_that_leads_inside_is_denied_where_the_connection_is_made() {
    let port = serve(Router::new().route("/", get(|| async { "secret" }))).await.port();
    for inner in ["127.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "10.0.0.1"] {
        let request = HttpRequest::get(format!("http://api.example.org:{port}/"));
        let failure = led(move |_| inner).send(&hosts(&["api.example.org"]), request).await.expect_err("denied");
        assert_eq!(failure.code, FailureCode::Denied, "{failure}");
        assert!(
            failure.message.contains("api.example.org") && failure.message.contains("permissions.http"),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_a_connection_so_a_second_answer_cannot_rebind_it() {
    // 192.0.2.1 is a documentation address: public by the rules, answered by nobody.
    let client = led(|lookup| if lookup == 0 { "192.0.2.1" } else { "127.0.0.1" });
    let mut request = HttpRequest::get("http://api.example.org:9/");
    request.timeout_ms = Some(200);
    let first = client.send(&hosts(&["api.example.org"]), request.clone()).await.expect_err("nobody there");
    assert!(matches!(first.code, FailureCode::Timeout | FailureCode::Unavailable), "{first}");
    let second = client.send(&hosts(&["api.example.org"]), request).await.expect_err("inside");
    assert_eq!(second.code, FailureCode::Denied, "{second}");
}

#[tokio::test]
async fn redirects_are_followed_with_the_same_checks() {
    let shown = |headers: HeaderMap| async move { format!("{:?}", headers.get("authorization").is_some()) };
    let other = serve(Router::new().route("/seen", get(shown))).await.port();
    let router = Router::new()
        .route("/seen", get(shown))
        .route("/same", get(|| async { to("/seen".into()) }))
        .route("/other", get(move || async move { to(format!("http://localhost:{other}/seen")) }))
        .route("/inside", get(|| async { to("http://169.254.169.254/latest".into()) }))
        .route("/loop", get(|| async { to("/loop".into()) }));
    let port = serve(router).await.port();
    let ask = |path: &str| {
        let mut request = HttpRequest::get(format!("http://127.0.0.1:{port}{path}"));
        request.headers = vec![("Authorization".into(), "Bearer k".into())];
        request
    };
    let (client, permitted) = (live(), hosts(&["127.0.0.1", "localhost"]));
    for (path, seen) in [("/same", "true"), ("/other", "false")] {
        let response = client.send(&permitted, ask(path)).await.expect("an answer");
        assert_eq!(response.body.text(), Some(seen), "{path}");
    }
    let inside = client.send(&permitted, ask("/inside")).await.expect_err("denied");
    assert_eq!(inside.code, FailureCode::Denied, "{inside}");
    let endless = client.send(&permitted, ask("/loop")).await.expect_err("too many");
    assert!(endless.message.contains("more than 5"), "{endless}");
}

#[tokio::test]
async fn bodies_and_time_are_bounded() {
    let flood = || async { Body::from_stream(stream::repeat_with(|| Ok::<_, std::io::Error>(vec![0_u8; 65_536]))) };
    let silence = || async { std::future::pending::<String>().await };
    let port = serve(Router::new().route("/flood", get(flood)).route("/silence", get(silence))).await.port();
    let (client, permitted) = (live(), hosts(&["127.0.0.1"]));
    let flood = client.send(&permitted, HttpRequest::get(format!("http://127.0.0.1:{port}/flood"))).await;
    assert!(flood.expect_err("too large").message.contains("8388608 bytes"));
    let mut request = HttpRequest::get(format!("http://127.0.0.1:{port}/silence"));
    request.timeout_ms = Some(50);
    assert_eq!(client.send(&permitted, request).await.expect_err("too slow").code, FailureCode::Timeout);
}

#[tokio::test]
async fn a_host_that_is_not_there_is_unavailable_and_named_in_both_languages() {
    let port = {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let absent = live().send(&hosts(&["127.0.0.1"]), HttpRequest::get(format!("http://127.0.0.1:{port}/"))).await;
    let offline = NetClient::offline().send(&hosts(&["127.0.0.1"]), HttpRequest::get("http://127.0.0.1/")).await;
    for failure in [absent.expect_err("absent"), offline.expect_err("offline")] {
        assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true));
        assert!(failure.message.starts_with("cannot reach 127.0.0.1: "), "{failure}");
        let hint = failure.hint.expect("a hint");
        assert!(hint.en.contains("127.0.0.1") && hint.zh.contains("网络"), "{hint:?}");
    }
}

#[tokio::test]
async fn a_record_answers_by_method_and_url_and_names_what_it_lacks() {
    let record = serde_json::json!([
        {"method": "POST", "url": "https://a.example/x", "body": "posted"},
        {"url": "https://a.example/x", "body": "got"},
        {"url": "https://a.example/old*", "status": 301, "headers": [["Location", "/x"]]},
    ]);
    let client = NetClient::recorded(Exchange::list(&record).expect("a record"));
    let permitted = hosts(&["a.example"]);
    for (url, body) in [("https://a.example/x", "got"), ("https://a.example/old?page=1", "got")] {
        let response = client.send(&permitted, HttpRequest::get(url)).await.expect("recorded");
        assert_eq!(response.body.text(), Some(body), "{url}");
    }
    let missing = client.send(&permitted, HttpRequest::get("https://a.example/y")).await.expect_err("not recorded");
    assert!(missing.message.contains("https://a.example/y"), "{missing}");
    let outside = client.send(&permitted, HttpRequest::get("https://b.example/x")).await.expect_err("denied");
    assert_eq!(outside.code, FailureCode::Denied);
}

#[test]
fn a_request_may_ask_for_more_time_up_to_the_longest() {
    let policy = Policy::default();
    assert_eq!(policy.limit(None), Duration::from_secs(20));
    assert_eq!(policy.limit(Some(60_000)), Duration::from_secs(60));
    assert_eq!(policy.limit(Some(u64::MAX)), Duration::from_secs(300));
}
