//! Link targets: which are kept, and how they are written so that Word accepts them.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What RFC 3986 does not allow in a URI. Word calls a document damaged when a link holds one of these.
const NOT_URI: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// Schemes a reader may be sent to. Anything that runs code or hides content is not among them.
const SCHEMES: [&str; 7] = ["http", "https", "mailto", "tel", "ftp", "sftp", "sms"];

/// The link to write for `url`, or nothing when it must not or cannot be one.
///
/// Kept are the usual schemes, relative paths and `#anchors`. `javascript:`, `data:` and any other scheme are not.
pub(crate) fn target(url: &str) -> Option<String> {
    let url = url.trim();
    if url.len() > 1 && url.starts_with('#') {
        return Some(url.to_owned());
    }
    let written = encoded(url);
    match scheme(url) {
        Some(scheme) if !SCHEMES.contains(&scheme.as_str()) => None,
        Some(scheme) if scheme.starts_with("http") => has_host(&written).then_some(written),
        Some(_) => Some(written),
        None if url.is_empty() || url.starts_with("//") => None,
        None => Some(written),
    }
}

/// The scheme before the first colon, in lower case, when what stands before it can be one.
fn scheme(url: &str) -> Option<String> {
    let (head, _) = url.split_once(':')?;
    let visible: String = head.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let legal = visible.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (legal && !visible.is_empty()).then(|| visible.to_ascii_lowercase())
}

fn has_host(url: &str) -> bool {
    let host = url.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(""));
    host.is_some_and(|host| !host.is_empty() && !host.starts_with(':') && !host.contains('%'))
}

fn encoded(url: &str) -> String {
    let mut out = utf8_percent_encode(url, NOT_URI).to_string();
    let mut from = 0;
    while let Some(at) = out[from..].find('%').map(|at| from + at) {
        let escape = out.as_bytes().get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        if !escape {
            out.insert_str(at + 1, "25");
        }
        from = at + 1;
    }
    bracketed(out)
}

/// Square brackets are legal in an IPv6 host only.
fn bracketed(url: String) -> String {
    let host_end =
        url.find("://").map_or(0, |at| url[at + 3..].find(['/', '?', '#']).map_or(url.len(), |end| at + 3 + end));
    let (head, tail) = url.split_at(host_end);
    format!("{head}{}", tail.replace('[', "%5B").replace(']', "%5D"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_kept_mended_or_dropped() {
        let cases = [
            ("https://example.org/a?b=c#d", Some("https://example.org/a?b=c#d")),
            ("https://example.org/北京 天气", Some("https://example.org/%E5%8C%97%E4%BA%AC%20%E5%A4%A9%E6%B0%94")),
            ("https://example.org/100%", Some("https://example.org/100%25")),
            ("https://example.org/a%20b", Some("https://example.org/a%20b")),
            ("https://[::1]:80/x[1]", Some("https://[::1]:80/x%5B1%5D")),
            ("mailto:a@example.org", Some("mailto:a@example.org")),
            ("notes/第一章.md", Some("notes/%E7%AC%AC%E4%B8%80%E7%AB%A0.md")),
            ("#第一章", Some("#第一章")),
            ("javascript:alert(1)", None),
            ("JaVa\tScript:alert(1)", None),
            (" javascript:alert(1)", None),
            ("vbscript:x", None),
            ("data:text/html,<script>", None),
            ("file:///etc/passwd", None),
            ("http://", None),
            ("//example.org/x", None),
            ("", None),
        ];
        for (url, written) in cases {
            assert_eq!(target(url).as_deref(), written, "{url}");
        }
    }
}
