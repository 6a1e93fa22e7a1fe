//! What secrets look like. Shapes are from the vendors' pages on secret scanning and from keys as their consoles show them.

/// What a text must hold for any rule to match; most texts hold none of it.
pub(super) const MAY: &str = concat!(
    r"(?i)pass|pwd|secret|token|key|auth|cookie|credential|bearer|basic|signature|mnemonic|cvv|cvc|otp|jwt|seed",
    r"|[密口令秘金权權私授验驗通凭]|-----BEGIN|://|[?&](?:sig|code|ticket|sid)=|curl|sk-|eyJ",
    r"|AKIA|ASIA|LTAI|AKID|gh[pousr]_|github_pat|gl[a-z]{2,5}-|gsk_|xai-|xox|xapp-|AIza|ya29|hf_|npm_|pypi-|[sr]k_",
    r"|SG\.|dop_v1|shp[a-z]{2}_|tvly-|pplx-|r8_|dckr_|hvs\.|lin_|sbp_|ntn_|[0-9a-f]{32}\.|:AA|AGE-",
    r"|pw|_pat|mysql|mariadb|redis-cli|sqlcmd|mongo|login|hooks\.slack|telegram\.org|webhook|/hook/",
);

/// Where a word begins: after anything but an ASCII letter, digit or `_`, so that a key right after a Chinese character is
/// found; and after what is written as an escape, whose last character is a letter: `\n`, `\u000a`, `%0A`, colours.
macro_rules! start {
    () => {
        r"(?:^|[^A-Za-z0-9_]|\\[abefnrtv0]|\\[ux][0-9A-Fa-f]{2,4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)"
    };
}

/// Up to the end of a line of a shell, real or escaped; a line may go on behind a backslash.
macro_rules! line {
    () => {
        r"(?:[^\r\n\\]|\\\r?\n|\\{3}n|\\[^nr\r\n])*?"
    };
}

/// A word of a shell, with its quotes.
macro_rules! word {
    () => {
        r#"(\\*"[^"\r\n]+"|\\*'[^'\r\n]+'|(?:[!-~&&[^"'\\]]|\\[!-~&&[^nrt"'\\]])+)"#
    };
}

/// Keys by their beginnings.
pub(super) const SHAPES: &str = concat!(
    "(",
    start!(),
    ")(?:",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",
    r"|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{13,40}",
    r"|gh[pousr]_[A-Za-z0-9]{16,}",
    r"|github_pat_[A-Za-z0-9_]{20,}",
    r"|gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent)-[A-Za-z0-9_-]{16,}",
    r"|gsk_[A-Za-z0-9]{20,}",
    r"|xai-[A-Za-z0-9]{20,}",
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}",
    r"|hf_[A-Za-z0-9]{20,}",
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}",
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}",
    r"|SG\.[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]*)?",
    r"|dop_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}",
    r"|tvly-[A-Za-z0-9-]{20,}|pplx-[A-Za-z0-9]{32,}|r8_[A-Za-z0-9]{30,}",
    r"|dckr_pat_[A-Za-z0-9_-]{20,}|hvs\.[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{30,}|sbp_[a-f0-9]{30,}|ntn_[A-Za-z0-9]{30,}",
    r"|[0-9a-f]{32}\.[A-Za-z0-9]{16}(?-u:\b)",
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}",
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    r"|eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?",
    r")",
);

pub(super) const PEM: &str =
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)";

pub(super) const VENDOR_KEY: &str = concat!("(", start!(), ")(sk-[A-Za-z0-9_-]{12,})");

pub(super) const BEARER: &str = concat!("(?i)(", start!(), r"bearer\s+)([A-Za-z0-9._~+/=-]{8,})");

pub(super) const BASIC: &str = concat!("(?i)(", start!(), r"basic\s+)([A-Za-z0-9+/_-]{6,}={0,2})");

/// `user:password@` in a URL, up to the last `@` before its path.
pub(super) const USER_IN_URL: &str = r##"(://)[!-~&&[^/:@?#"'<>\\]]*:[!-~&&[^/?#"'<>\\]]+(@)"##;

/// A key alone before the host of a URL.
pub(super) const KEY_IN_URL: &str = r"(://)([A-Za-z0-9_-]{16,})(@)";

/// All of the line, real or escaped.
pub(super) const COOKIE: &str =
    concat!("(?i)(", start!(), r#"(?:set-)?cookie\s*:\s*)((?:[^\r\n"\\]|\\+[^nr"\\\r\n])+)"#);

/// Addresses that are a secret themselves: whoever has them may post.
pub(super) const HOOKS: &str = concat!(
    r"(?i)(api\.telegram\.org/(?:file/)?bot[0-9]+:|discord(?:app)?\.com/api/webhooks/[0-9]+/|/open-apis/bot/v2/hook/)",
    r"([A-Za-z0-9_-]+)",
);

/// The same of Slack, whose parts are all of the secret.
pub(super) const SLACK_HOOK: &str = r"(?i)(hooks\.slack\.com/(?:services|workflows|triggers)/)([A-Za-z0-9/_-]+)";

/// Parameters of signed links.
pub(super) const QUERY: &str = concat!(
    r"(?i)([?&;](?:x-amz-|x-goog-)?(?:sig|sign|signature|security-token|key|code|ticket|sid|auth)=)",
    r##"([^&\s"'#\\]{8,})"##,
);

/// `-u user:password` of curl.
pub(super) const CURL_USER: &str = concat!(
    "(",
    start!(),
    r"curl(?-u:\b)",
    line!(),
    r#"\s(?:-u|--user|--proxy-user)[\s=]*(?:\\*["'])?[^\s:"'\\]+:)"#,
    r#"((?:[^\s"'\\]|\\[^nrt"'\\\s])+)"#,
);

/// Passwords that programs take behind short options.
pub(super) const COMMANDS: &str = concat!(
    "(",
    start!(),
    r"(?:(?:mysql|mariadb)[a-z-]*(?-u:\b)",
    line!(),
    r"\s-p|sshpass\s+(?:-[a-oq-z]+\s+)*-p\s*|redis-cli(?-u:\b)",
    line!(),
    r"\s-a\s*|(?:docker|podman|nerdctl|helm\s+registry|az)\s+login(?-u:\b)",
    line!(),
    r"\s-p\s*|(?:mongo|mongosh|mongodump|mongorestore)(?-u:\b)",
    line!(),
    r"\s-p\s*|sqlcmd(?-u:\b)",
    line!(),
    r"\s-P\s*|-pass(?:in|out)?\s+pass:))",
    word!(),
);

/// A variable anywhere in a line.
pub(super) const VARIABLE: &str = concat!(
    "(",
    start!(),
    r")([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(=)",
    r#"(\[redacted\]|\\*"[^"\r\n]+"|\\*'[^'\r\n]+'|[!-~&&[^"'`\\,;&}\])]]+)"#,
);

/// A header and its value without a colon.
pub(super) const BARE_HEADER: &str =
    concat!("(?i)(", start!(), r#"x-(?:[a-z0-9]+-)*(?:token|key|secret|password)\s+)([!-~&&[^"'`\\,;:=]]{6,})"#);

/// Words that mean a password as well as other things.
pub(super) const SHORT_NAME: &str =
    concat!("(", start!(), r#"(?:[Pp]w|PW|[Pp]ass)\s*[:=：]\s*\\*["']?)([!-~&&[^"'`\\,;]]{3,})"#);

/// A key or password that follows its name and a space.
pub(super) const ENGLISH_NAME: &str =
    r#"(?i)((?:password|passcode|passphrase|api[ _-]?key)(?:\s+is)?\s+["'“]?)([!-~&&[^"']]{6,})"#;

/// A password that follows its Chinese name at once, or in quotes.
pub(super) const CHINESE_NAME: &str = concat!(
    r#"((?:密码|密碼|口令|密钥|密鑰|秘钥|金鑰|令牌|私钥|私鑰|授权码|授權碼|验证码|驗證碼|通行码)\s*["'“‘«「『(（]?\s*)"#,
    r#"([!-~&&[^"'`\\,;&}\])]]{6,})"#,
);

/// A variable on a line of its own, as `env` and shell scripts write it: all of the line is its value.
pub(super) const ENV_LINE: &str =
    r"(?m)(^\s*(?:export\s+|set\s+|declare\s+-x\s+|-\s+|\$env:)?)([A-Z][A-Z0-9_]{2,63})(\s?=\s?)([^\r\n]+)$";

/// The same where line breaks are written as escapes, as in JSON that was cut off.
pub(super) const ENV_ESCAPED: &str =
    r#"(\\+n\s*(?:export\s+|set\s+|declare\s+-x\s+)?)([A-Z][A-Z0-9_]{2,63})(\s?=\s?)([^\r\n\\"]+)"#;

/// A telling name as it stands in running text. What it matches is still asked of [`super::names::is_secret`].
pub(super) const NAME: &str = concat!(
    r"(?:[A-Za-z0-9_.-]{0,64}(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|token|credentials?",
    r"|(?:api|private|secret|access|auth|account|encryption|signing|master|shared)[ _.-]?key)",
    r"|(?:proxy-)?authorization|mnemonic|(?:支付|登录|登陆)?(?:密码|密碼|口令|密钥|密鑰|秘钥|金鑰|令牌|权杖|權杖|私钥|私鑰|授权码|授權碼|验证码|驗證碼|通行码|凭据|凭证))",
);

/// What stands between a telling name and its secret.
pub(super) const BETWEEN: &str =
    r#"\\*["'`]?(?:\s+(?:provided|given|used|supplied|received|value))?\s*(?:=>|:=|[:=：＝]|是|为|為)\s*\\*"#;

/// The secret after a telling name: quoted, a list, or ASCII up to what ends a value in code, JSON, URLs and sentences.
pub(super) const SECRET: &str = concat!(
    r"(?:\[redacted\]",
    r#"|“[^“”\r\n]+”|‘[^‘’\r\n]+’|«[^«»\r\n]+»|「[^「」\r\n]+」|『[^『』\r\n]+』|[“‘«「『][!-~&&[^"'`\\,;&}\])]]{3,}"#,
    r#"|<[^<>]*>|"[^"]*"|'[^']*'|`[^`]*`|\[\s*\\*["'][^\]]*(?:\]|\z)"#,
    r#"|(?:(?:bearer|basic|digest|token|negotiate)\s+)?(?:\[redacted\]|[!-~&&[^"'`\\,;&}\])]]{3,}))"#,
);

/// What stands between the two members of `{"name": "password", "value": "…"}` inside running text.
pub(super) const PAIRED: &str = r#"\\*"\s*,\s*\\*"(?:value|val|v|content)\\*"\s*:\s*\\*""#;

/// The same after a name in a URL within a URL: `%` with any two digits but those of `"`, `&`, `,` and `}`.
pub(super) const URL_SECRET: &str =
    r"(?:[A-Za-z0-9._~!*()+/=-]|%(?:[013-689a-f][0-9a-f]|2[0-13-57-9abdef]|7[0-9a-cef]))+";
