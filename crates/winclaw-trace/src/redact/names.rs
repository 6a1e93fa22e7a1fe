use serde_json::Value;

/// Names that hold a secret when they stand alone, in lower case and without separators.
const WHOLE: [&str; 19] = [
    "authorization",
    "proxyauthorization",
    "cookie",
    "cookies",
    "setcookie",
    "pass",
    "pw",
    "credential",
    "credentials",
    "jwt",
    "otp",
    "totp",
    "auth",
    "bearer",
    "cvv",
    "cvc",
    "mnemonic",
    "seedphrase",
    "basicauth",
];

/// Ends of names that hold a secret, in lower case and without separators.
const ENDS: [&str; 24] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "token",
    "accesstokens",
    "refreshtokens",
    "apikey",
    "apikeys",
    "privatekey",
    "secretkey",
    "accesskey",
    "authkey",
    "accountkey",
    "encryptionkey",
    "signingkey",
    "masterkey",
    "sharedkey",
    "clientcredentials",
    "connectionstring",
];

/// Names that end like a secret and hold none: places in a list of results, and what models count and mark.
const HARMLESS: [&str; 26] = [
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "synctoken",
    "maxtoken",
    "mintoken",
    "inputtoken",
    "outputtoken",
    "prompttoken",
    "completiontoken",
    "reasoningtoken",
    "cachedtoken",
    "totaltoken",
    "pertoken",
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "septoken",
    "clstoken",
    "masktoken",
    "stoptoken",
    "endtoken",
    "firsttoken",
    "lasttoken",
    "specialtoken",
];

/// Chinese words that end a name which holds a secret.
pub(super) const CHINESE: [&str; 19] = [
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "秘钥",
    "金鑰",
    "令牌",
    "权杖",
    "權杖",
    "私钥",
    "私鑰",
    "授权码",
    "授權碼",
    "验证码",
    "驗證碼",
    "通行码",
    "凭据",
    "凭证",
];

/// Whether what a thing of this name holds is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    if name.len() > 128 {
        return false;
    }
    let bare = bare(name);
    let harmless = HARMLESS.iter().any(|end| bare.ends_with(end));
    let telling = WHOLE.contains(&bare.as_str()) || ENDS.iter().any(|end| bare.ends_with(end));
    telling && !harmless || ends_in_short(name) || CHINESE.iter().any(|word| bare.ends_with(word))
}

/// What stands before `pass` in a name that is no variable of the environment, as against `first_pass`.
const LOGINS: [&str; 14] =
    ["db", "user", "admin", "root", "smtp", "mail", "ftp", "redis", "mysql", "pg", "my", "login", "proxy", "http"];

/// Whether the last word of `name` is a short one that tells a secret there alone: `DB_PASS`, `GITHUB_PAT`, `db-pass`.
fn ends_in_short(name: &str) -> bool {
    let Some((head, last)) = name.rsplit_once(['-', '_', '.']) else { return false };
    let (variable, lower) = (!name.bytes().any(|b| b.is_ascii_lowercase()), head.to_ascii_lowercase());
    match last.to_ascii_lowercase().as_str() {
        "pass" | "pw" => variable || LOGINS.iter().any(|login| lower == *login),
        "pat" | "auth" => variable,
        _ => false,
    }
}

/// Whether `value` under `name` is a secret. The working folder is called `PWD` in the environment and is none.
pub(super) fn hides(name: &str, value: &Value) -> bool {
    let folder = || matches!(bare(name).as_str(), "pwd" | "oldpwd") && value.as_str().is_some_and(is_folder);
    !value.is_boolean() && !value.is_null() && is_secret(name) && !folder()
}

/// Whether `text` is the absolute path of a folder.
pub(super) fn is_folder(text: &str) -> bool {
    let drive =
        |text: &str| text.as_bytes().get(1) == Some(&b':') && matches!(text.as_bytes().get(2), Some(b'\\' | b'/'));
    text.starts_with('/') || text.starts_with('~') || drive(text)
}

/// Whether `name` can be nothing but a header that holds a secret.
pub(super) fn is_header(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "authorization" | "proxy-authorization" | "cookie" | "set-cookie" | "x-api-key" | "api-key" | "x-auth-token"
    )
}

/// Whether `word` is an option of a command line whose next word is a secret.
pub(super) fn is_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| !word.contains('=') && is_secret(name.trim_start_matches('-')))
}

/// Whether what `name` holds may be words of a language that are no sentence.
pub(super) fn holds_words(name: &str) -> bool {
    ["passphrase", "mnemonic", "seedphrase"].iter().any(|end| bare(name).ends_with(end))
}

/// Whether `name` is a word for a password, which people choose, and not for a key, which programs make.
pub(super) fn is_password(name: &str) -> bool {
    let bare = bare(name);
    ["password", "passwords", "passwd", "passcode", "pwd", "pass", "密码", "密碼", "口令"]
        .iter()
        .any(|end| bare.ends_with(end))
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}
