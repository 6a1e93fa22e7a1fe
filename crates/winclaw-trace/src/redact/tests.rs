mod leaks;

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
        format!("postgres://me:{body}@{body}@db.example.org:5432/x"),
        format!("https://{body}@example.org/x.git"),
        format!("sk-ant-api03-{body}-{body}"),
        format!("xapp-1-{body}"),
        format!("ya29.{body}"),
        format!("SG.{body}.{body}"),
        format!("LTAI{body}"),
        format!("dckr_pat_{body}"),
        format!("hvs.{body}"),
        format!("1234567890:AA{body}{body}"),
        format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n{body}\n-----END PGP PRIVATE KEY BLOCK-----"),
        format!("https://a.example.org/x?X-Amz-Signature={body}&n=2"),
        format!("curl -sS -u me:{body} https://example.org"),
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
        format!("支付密碼為{body}"),
        format!("验证码：{body}"),
        format!("密码 7{body}"),
        format!("MYSQL_PWD={body}"),
        format!("export GITHUB_TOKEN='{body}'"),
        format!("$env:APP_SECRET = \"{body}\""),
        format!("a=1\nDB_PASSWORD=x,y;{body}\nb=2"),
        format!("Incorrect API key provided: {body}. You can find your API key in the console."),
        format!("{{\"secrets\": [\"{body}\", \"{body}\"]"),
        format!("{{'password': '{body}', 'cut"),
        format!("password => {body}"),
        format!("--password {body}"),
        format!("run [\"--password\", \"{body}\""),
        format!("next=%2Fin%3Fpassword%3D{body}%26page%3D2"),
        format!("state=%7B%22client_secret%22%3A%22{body}%22%7D"),
        format!("X-Api-Key: {body}"),
        format!("to keep {{\"key\": \"password\", \"value\": \"{body}\"}} for later"),
        format!("Server=db;User Id=me;Password={body};"),
    ]
}

/// `secret` inside strings of JSON inside strings of JSON, so many levels deep.
fn nested(secret: &str, levels: usize) -> String {
    (0..levels).fold(secret.to_owned(), |inner, n| json!({"n": n, "body": inner, "list": [1, inner]}).to_string())
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
fn no_canary_survives_in_json_inside_strings() {
    for secret in shaped().iter().chain(&named()) {
        for levels in 1..4 {
            let text = nested(secret, levels);
            let clean = redact_text(&text);
            assert!(!clean.contains("CANARY") && clean.contains(MARK), "{text} became {clean}");
            // Cut in the middle it is no JSON any more; what can be seen of it is told by its name and shape.
            let end = text.rfind("CANARY").expect("a canary") + 12;
            let cut: String = text.chars().take(text[..end].chars().count()).collect();
            let clean = redact_text(&cut);
            assert!(clean.matches("CANARY").count() <= 1, "{cut} became {clean}");
        }
    }
    let names = json!({"password": "CANARY", "n": 1.5}).to_string();
    assert_eq!(redact_text(&names), r#"{"password":"[redacted]","n":1.5}"#);
}

#[test]
fn no_canary_survives_in_lists_of_words_and_headers() {
    let cases = [
        json!(["curl", "--token", "CANARY", "https://example.org"]),
        json!(["Accept", "*/*", "Authorization", "CANARY", "X-Api-Key", "CANARY"]),
        json!({"headers": [["Cookie", "CANARY"]]}),
        json!({"env": {"GITHUB_TOKEN": "CANARY", "HOME": "/home/me"}}),
        json!({"k": "api_key", "v": "CANARY"}),
        json!({"field": "密码", "value": "CANARY"}),
        json!({"a": {"credentials": {"user": "me", "x": ["CANARY"]}}}),
    ];
    for value in cases {
        assert!(!redact(&value).to_string().contains("CANARY"), "{value}");
    }
}

#[test]
fn a_known_secret_is_hidden_in_every_form() {
    let secret = "pässwörd/\"+7\"CANARY?";
    let secrets = Secrets::of([secret, "not-needed", "short1", ""]);
    assert_eq!(format!("{secrets:?}"), "Secrets(1)");
    let encode = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let mut texts = vec![
        secret.to_owned(),
        json!({"x": secret}).to_string(),
        json!([json!({"x": secret}).to_string()]).to_string(),
        "a=p%C3%A4ssw%C3%B6rd%2F%22%2B7%22CANARY%3F".to_owned(),
        "a=p%c3%a4ssw%c3%b6rd%2f%22%2b7%22CANARY%3f".to_owned(),
    ];
    texts.extend(["", "m", "me", "me:", "user:"].map(|user| encode(&format!("{user}{secret}"))));
    texts.extend(["", "!", "!!"].map(|tail| encode(&format!("{secret}{tail}"))));
    for text in &texts {
        let clean = secrets.hide(text);
        assert!(clean.contains(MARK) && !clean.contains("CANARY"), "{text} became {clean}");
    }
    assert_eq!(secrets.hide("no key is not-needed here, short1"), "no key is not-needed here, short1");
}

#[test]
fn two_secrets_that_are_names_keep_both_their_values() {
    let key = |n: u32| format!("sk-{n}{}", "CANARY7f3Kq9ZxV2mWb8Lr");
    let value = json!({(key(1)): 1, (key(2)): 2, "a": 3});
    assert_eq!(redact(&value), json!({"[redacted]": 1, "[redacted] 2": 2, "a": 3}));
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
        "482f22e3c1215a77517a304fb4f748ef299af3d5",
        "commit 482f22e: keep the key of the map",
        "gpt-4o-2024-08-06 claude-sonnet-4-5-20250929 deepseek-chat pplx-70b-online qwen2.5-72b-instruct",
        "sk-image-segmentation-0.19-notebook.ipynb",
        "电话 13800138000，或 +86 138-0013-8000",
        "密码学入门、口令红包、令牌环网、密钥管理",
        "请输入密码，忘记密码请点击这里",
        "reset-password page; a secret garden; the token is spent; basic training, basic auth",
        "max_tokens=4096, prompt_tokens: 1200, eos_token=</s>, tokens per second: 31.5",
        "PWD=/home/me/desk",
        "OPENAI_API_KEY=$OPENAI_API_KEY",
        "api_key: <your key>",
        "password: ********",
        "https://example.org/a?id=3f2504e0-4f89-41d3-9a0c-0305e82c3301&page=2",
        "sort -u a:b; docker run --user 1000:1000 x",
        "key=value; monkey=1; keyboard: mechanical",
        "https://example.org:8080，请联系a@example.org",
        "the author: Li; authority=high",
    ];
    for text in texts {
        assert_eq!(redact_text(text), text);
    }
    let value = json!({
        "tokens": {"input": 12, "cached": null, "output": 3}, "prefix_tokens": 900, "max_tokens": 4096,
        "prefix_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "page_token": "n2", "key": "C major", "secretary": "Ms Li", "passed": 3, "author": "Li", "list": [["a", 1]],
        "required": ["user", "password", "email"], "PWD": "/home/me", "sha256": "9f86d081884c7d659a2feaa0c55ad015",
        "eos_token": "</s>", "arguments": r#"{"city":"北京","n":1.0}"#, "pair": ["password", "token"]
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

/// The shape of a value: kinds, names of members and lengths, without what stands in strings and under hidden names.
fn fits(before: &serde_json::Value, after: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Object, String};
    match (before, after) {
        (Array(before), Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(before, after)| fits(before, after))
        }
        (Object(before), Object(after)) => {
            before.len() == after.len()
                && before.values().zip(after.values()).all(|(before, after)| fits(before, after))
        }
        (String(_), String(_)) => true,
        (_, String(mark)) if mark == MARK => true,
        (before, after) => before == after,
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let pieces = prop::sample::select(
        shaped().into_iter().chain(named()).chain([String::new(), "北京".into()]).collect::<Vec<_>>(),
    );
    let text = ("[ -~密码：\\n]{0,12}", pieces).prop_map(|(head, secret)| format!("{head}{secret}"));
    let keys =
        prop_oneof![Just("password".to_owned()), Just("name".to_owned()), Just("value".to_owned()), text.clone()];
    let leaf = prop_oneof![
        text.prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from)
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((keys.clone(), inner.clone()), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            inner.prop_map(|value| serde_json::Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn redacting_twice_is_redacting_once(head in "[ -~中密码]{0,24}", tail in "[ -~中：]{0,24}", n in 0_usize..64) {
        let secret = shaped().into_iter().chain(named()).nth(n).unwrap_or_default();
        let once = redact_text(&format!("{head}{secret}{tail}")).into_owned();
        prop_assert_eq!(redact_text(&once).into_owned(), once);
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let _ = redact_text(&text);
    }

    #[test]
    fn any_value_keeps_its_shape_and_is_redacted_once_for_all(value in any_json()) {
        let once = redact(&value);
        prop_assert!(fits(&value, &once), "{value} became {once}");
        prop_assert_eq!(redact(&once), once);
    }

    #[test]
    fn known_secrets_never_stay(head in "[ -~中]{0,9}", secret in "[!-~]{16,40}", tail in "[ -~中]{0,9}") {
        let secrets = Secrets::of([&secret]);
        let texts = [format!("{head}{secret}{tail}"), json!({(head): [secret, tail]}).to_string()];
        for text in &texts {
            let clean = secrets.redact_text(text);
            prop_assert!(!clean.contains(&secret), "{text} became {clean}");
        }
    }
}
