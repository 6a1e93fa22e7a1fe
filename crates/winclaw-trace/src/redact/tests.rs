use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Secrets by shape, each with a canary that must not survive. Put together at run time, so that no scanner takes this
/// file for a leak.
fn shaped() -> Vec<String> {
    let body = "CANARY7f3Kq9ZxV2mWb8Lr4TnYp6Hs";
    vec![
        format!("sk-{body}"),
        format!("sk-proj-{body}-{body}"),
        format!("Bearer {body}"),
        format!("bearer   {body}.{body}"),
        format!("AKIA{}", "CANARY7F3KQ9ZXV2"),
        format!("ghp_{body}"),
        format!("gsk_{body}"),
        format!("github_pat_{body}_{body}"),
        format!("glpat-{body}"),
        format!("xoxb-{body}"),
        format!("AIza{body}12345"),
        format!("hf_{body}"),
        format!("sk_live_{body}"),
        format!("eyJhbGciOi{body}.eyJzdWIi{body}.{body}"),
        format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"),
        format!("-----BEGIN PRIVATE KEY-----\n{body} and it is cut off"),
        format!("https://me:{body}@example.org/x"),
    ]
}

fn named() -> Vec<String> {
    let body = "CANARY-horse staple".replace(' ', "-");
    vec![
        format!("password={body}"),
        format!("Password: {body}"),
        format!("DB_PASSWORD=\"{body} and more\""),
        format!("api_key: '{body}'"),
        format!("OPENAI_API_KEY={body}"),
        format!("?access_token={body}&page=2"),
        format!("Authorization: Basic {body}"),
        format!("x-api-key: {body}"),
        format!("Cookie: a={body}; b={body}"),
        format!("{{\"client_secret\":\"{body}\"}}"),
        format!("{{\\\"client_secret\\\": \\\"{body}\\\"}}"),
        format!("curl --token {body} https://example.org"),
        format!("密码：{body}"),
        format!("密码是{body}"),
        format!("令牌 = {body}"),
    ]
}

#[test]
fn no_canary_survives_in_any_surrounding() {
    let around: [fn(&str) -> String; 5] = [
        str::to_owned,
        |s| format!("我的密钥{s}，请保密"),
        |s| format!("（{s}）"),
        |s| format!("a {s} b"),
        |s| format!("x=1&{s}"),
    ];
    for secret in shaped().iter().chain(&named()) {
        for wrap in around {
            let text = wrap(secret);
            let clean = redact_text(&text);
            assert!(!clean.contains("CANARY"), "{text} became {clean}");
            assert!(clean.contains(MARK), "{text} became {clean}");
        }
    }
}

#[test]
fn no_canary_survives_at_any_depth_or_under_a_telling_name() {
    for secret in shaped() {
        let value = json!({"a": [[["deep", [{"note": secret}]]]], "原文": format!("密钥是{secret}。")});
        assert!(!redact(&value).to_string().contains("CANARY"), "{value}");
    }
    let names = [
        "token",
        "api_key",
        "apiKey",
        "API-KEY",
        "password",
        "db.password",
        "secret",
        "clientSecret",
        "authorization",
        "Cookie",
        "set-cookie",
        "refresh_token",
        "private_key",
        "passphrase",
        "密码",
        "登录密码",
    ];
    for name in names {
        for secret in [json!("CANARY"), json!(["CANARY"]), json!({"x": "CANARY"})] {
            let values = [json!({name: secret}), json!([[name, secret]]), json!([{"name": name, "value": secret}])];
            for value in values {
                assert!(!redact(&value).to_string().contains("CANARY"), "{value}");
            }
        }
        assert_eq!(redact(&json!({name: 123_456})), json!({name: MARK}));
        assert_eq!(redact(&json!({name: true})), json!({name: true}));
    }
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    let texts = [
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "sk-learn-pipeline-notebook.ipynb",
        "risk-management-strategy-2026-final.docx",
        "task-2026-11-30-report-0042.md",
        "C:\\Users\\me\\token_report.docx",
        "notes/password-rules.md",
        "the bearer of good tidings; a standard bearer",
        "the secretary: Ms Li",
        "next_page_token=abc123def456",
        "used 1200 tokens: 900 in, 300 out",
        "https://example.org:8080/a?b=c@d",
        "查北京天气，写成 Word 文档",
        "密码学是什么？",
        "SGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0",
    ];
    for text in texts {
        assert_eq!(redact_text(text), text);
    }
    let value = json!({
        "tokens": {"input": 12, "cached": null, "output": 3}, "prefix_tokens": 900, "max_tokens": 4096,
        "prefix_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "page_token": "n2", "key": "C major", "secretary": "Ms Li", "passed": 3, "author": "Li", "list": [["a", 1]]
    });
    assert_eq!(redact(&value), value);
}

#[test]
fn the_text_around_a_secret_stays() {
    assert_eq!(
        redact_text("去 https://a.org/?token=abc123&city=北京 看"),
        "去 https://a.org/?token=[redacted]&city=北京 看"
    );
    assert_eq!(redact_text(r#"{"password":"x y","city":"北京"}"#), r#"{"password":"[redacted]","city":"北京"}"#);
    assert_eq!(redact_text("密码：hunter22，然后登录"), "密码：[redacted]，然后登录");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn redacting_twice_is_redacting_once(head in "[ -~中密码]{0,24}", tail in "[ -~中：]{0,24}", n in 0_usize..31) {
        let secret = shaped().into_iter().chain(named()).nth(n).unwrap_or_default();
        let once = redact_text(&format!("{head}{secret}{tail}")).into_owned();
        prop_assert_eq!(redact_text(&once).into_owned(), once);
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let _ = redact_text(&text);
    }
}
