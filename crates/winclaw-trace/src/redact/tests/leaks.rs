//! Texts in which a secret was once seen to stay, and harmless ones that look like them.

use super::super::*;

/// Every secret holds `CANARY`; shapes are put together at run time.
fn leaks() -> Vec<String> {
    let body = "CANARY7f3Kq9ZxV2mWb8Lr4TnYp6Hs12345";
    let mut leaks: Vec<String> = [
        "我的密码CANARY05abc在这里",
        "口令为“CANARY76”",
        "密码:“CANARY01”",
        "token=“CANARY02”",
        "密码：«CANARY3»",
        "密码：「CANARY two words」",
        "私钥 CANARY89",
        "令牌“CANARY90”",
        "run with DB_PASS=CANARY here",
        "set GITHUB_PAT=CANARY; go",
        "x REDIS_AUTH='CANARY y' z",
        "<password>CANARY</password>",
        "<ns:Password Type=\"text\"><![CDATA[CANARY]]></ns:Password>",
        "my pw: CANARY",
        "pass: CANARY7",
        "log: \\npass: CANARY7\\n",
        "send x-auth-token CANARY77 with it",
        "mysql -u root -pCANARY db",
        "sshpass -p CANARY ssh me@host",
        "sshpass -p 'CANARY x' ssh me@host",
        "redis-cli -h host -a CANARY ping",
        "openssl rsa -in k.pem -passin pass:CANARY",
        "docker login -u me -p CANARY registry",
        "curl -u me:CANARY https://example.org",
        "curl https://example.org \\\n  -u me:CANARY",
        "log: {\"msg\":\"a\\ncurl -u bob:CANARY x\\nb",
        "https://api.telegram.org/bot123456:CANARY_abc/sendMessage",
        "Password: Incorrect-CANARY7",
        "password: CANARY and then go on",
    ]
    .map(str::to_owned)
    .to_vec();
    leaks.extend([
        format!("log: {{\"msg\":\"start\\nsk-proj-{body}\\tAKIA{}\\nglpat-{body}\\nAIza{body}\"", "CANARY7F3KQ9ZXV2"),
        format!("a\\u000aghp_{body}%0Ahf_{body}\u{1b}[31mgsk_{body}"),
        format!("https://hooks.slack.com/services/TCANARY/BCANARY/{body}"),
        format!("OPENAI_API_KEY: Incorrect API key provided: sk-proj-{body}."),
    ]);
    leaks
}

#[test]
fn no_leak_comes_back() {
    for text in leaks() {
        let clean = redact_text(&text);
        assert!(!clean.contains("CANARY") && clean.contains(MARK), "{text} became {clean}");
        assert_eq!(redact_text(&clean), clean, "{text}");
    }
    assert_eq!(redact_text("wifi密码12345678"), "wifi密码[redacted]");
}

#[test]
fn harmless_texts_stay() {
    let texts = [
        "密码学、密码长度、密码是什么？密码16位以上",
        "密钥AES256、密码SHA256算法，密码2026-11-30过期",
        "the password policy says so; password strength",
        "pass: 3 tests; pass: 98%; pass: true; second pass: compile the modules",
        "PASS: test_all_of_it",
        "The token: must not be empty in any request",
        "password: must be longer than that",
        "the x-auth-token header is missing",
        "TEST_PATH=/a/b MAX_TOKENS=4096 AUTHOR_NAME=Li",
        "mysql -u root -p db; mysql -P 3306; mysql -p$DB_PASS",
        "redis-cli -h host ping; curl -s https://example.org",
        "curl -s x\\nsort -u a:b",
        "<path>x</path> <token> <max_tokens>4096</max_tokens>",
        "https://hooks.slack.com/services/",
        "gpt-5-mini-2026-01-01 \\nclaude-sonnet-4-5 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "next_page_token=abc123def456\\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ];
    for text in texts {
        assert_eq!(redact_text(text), text);
    }
}

#[test]
fn what_stands_around_stays() {
    let key = format!("sk-proj-{}", "CANARY7f3Kq9ZxV2mWb8Lr");
    let cases = [
        (
            format!("OPENAI_API_KEY: Incorrect API key provided: {key}."),
            "OPENAI_API_KEY: Incorrect API key provided: [redacted].",
        ),
        (r"Set-Cookie: a=b; c=d\nnext: line".to_owned(), r"Set-Cookie: [redacted]\nnext: line"),
        (format!(r"a\n{key}\tb"), r"a\n[redacted]\tb"),
        ("口令为“芝麻开门”，进去".to_owned(), "口令为“[redacted]”，进去"),
        ("<password>a b</password>".to_owned(), "<password>[redacted]</password>"),
        ("x A_PASS=\"x y\" go".to_owned(), "x A_PASS=\"[redacted]\" go"),
        ("go http://me:pw-7@host/x".to_owned(), "go http://[redacted]@host/x"),
    ];
    for (text, clean) in cases {
        assert_eq!(redact_text(&text), clean);
    }
}
