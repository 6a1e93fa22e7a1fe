use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Where a call goes: one place, in the one form that all its spellings come to.
///
/// Letter case, a trailing dot, `www.`, percent-encoding, a login before the host, full-width letters and other forms of an
/// internationalised name or of an IP address make no difference; ports, and for hosts paths and queries, are not looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// A host by name, in ASCII (`xn--…`), or by IP address.
    Host(String),
    /// An e-mail address.
    Address(String),
    /// An absolute path with `/` between names and without `.` and `..`. Links are not followed.
    Path(String),
    /// Anybody or anything else that a call says it goes to: a channel, an account, a number.
    Recipient(String),
}

impl Destination {
    /// What it is called, without its kind.
    pub fn as_str(&self) -> &str {
        match self {
            Destination::Host(text)
            | Destination::Address(text)
            | Destination::Path(text)
            | Destination::Recipient(text) => text,
        }
    }
}

/// The folders a person works in, as text; paths in them are no new destinations. The default knows none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// The folder that relative paths start from, absolute.
    pub folder: String,
    /// The person's home, for `~`; empty if unknown.
    pub home: String,
    /// Other folders that the person opened to tools, absolute.
    pub also: Vec<String>,
}

impl Places {
    /// Whether the absolute `path` lies in one of the folders.
    pub fn hold(&self, path: &str) -> bool {
        let folders = std::iter::once(&self.folder).chain(&self.also);
        folders.filter(|folder| !folder.is_empty()).any(|folder| below(path, &tidy_path(folder)))
    }

    /// `text` as an absolute path without `.` and `..`.
    pub(crate) fn resolve(&self, text: &str) -> String {
        let text = text.replace('\\', "/");
        let home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match home {
            Some(rest) => tidy_path(&format!("{}/{rest}", self.home.replace('\\', "/"))),
            None if is_absolute(&text) => tidy_path(&text),
            None => tidy_path(&format!("{}/{text}", self.folder.replace('\\', "/"))),
        }
    }
}

/// Whether `path` is `folder` or lies in it; both tidy.
pub(crate) fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder.ends_with('/'))
}

/// Whether `text`, with `/` between names, begins at a root, a drive or another person's home.
fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '~']) || has_drive(text)
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// `/a/b` of `/a/./x/../b/`; a drive is written in lower case.
fn tidy_path(text: &str) -> String {
    let text = text.replace('\\', "/");
    let mut names: Vec<&str> = Vec::new();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let joined = names.join("/");
    if has_drive(&text) { joined.to_lowercase() } else { format!("/{joined}") }
}

/// Whether `text` is written as a path, whatever it stands under.
pub(crate) fn is_path(text: &str) -> bool {
    let begins = ["/", "~", "./", "../", "\\", ".\\", "..\\"].iter().any(|start| text.starts_with(start));
    (begins || text == ".." || has_drive(text)) && !text.contains(['\n', '\r'])
}

/// The server of `\\server\share`, or of `//server/share`.
fn share(text: &str) -> Option<Destination> {
    let rest = text.strip_prefix("\\\\").or_else(|| text.strip_prefix("//"))?;
    let server = rest.split(['\\', '/']).next()?;
    Some(Destination::Host(host(server)?))
}

/// A path; on another machine, its host.
pub(crate) fn path(text: &str, places: &Places) -> Destination {
    share(text).unwrap_or_else(|| Destination::Path(places.resolve(text)))
}

/// The one form of a host's name or address; `None` if it can be none.
pub(crate) fn host(text: &str) -> Option<String> {
    let parsed = Host::parse(text.trim().trim_matches(['[', ']'])).or_else(|_| Host::parse(text.trim())).ok();
    let parsed = parsed.or_else(|| Host::parse(&format!("[{}]", text.trim().trim_matches(['[', ']']))).ok())?;
    let name = parsed.to_string();
    let name = name.trim_end_matches('.');
    let name = name.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(name);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The host of `text` if it is written as one without a scheme, such as `example.org/path` or `example.org:80`.
pub(crate) fn bare_host(text: &str) -> Option<String> {
    let head = text.split(['/', '?', '#', ':']).next()?;
    let dotted = head.contains(['.', '。', '．', '｡']);
    if text.contains(char::is_whitespace) || head.contains('@') || !(dotted || head.eq_ignore_ascii_case("localhost")) {
        return None;
    }
    let name = host(head)?;
    let last = name.rsplit('.').next()?;
    let is_name = last.len() >= 2 && !last.bytes().any(|b| b.is_ascii_digit()) || last.starts_with("xn--");
    let is_number = head.split('.').count() == 4;
    (name == "localhost" || is_name || is_number).then_some(name)
}

/// The one form of an e-mail address, also as `Name <address>`; `None` if it is none.
pub(crate) fn address(text: &str) -> Option<Destination> {
    let text = text.trim();
    let inner =
        text.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or(text, |(inner, _)| inner.trim());
    let (mailbox, at) = inner.rsplit_once('@')?;
    let plain = !mailbox.is_empty() && (mailbox.starts_with('"') || !mailbox.contains(char::is_whitespace));
    let named = host(at).filter(|name| name.contains('.') || name == "localhost" || name.starts_with('['))?;
    plain.then(|| Destination::Address(format!("{}@{named}", mailbox.to_lowercase())))
}

/// A URL as far as consent looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The one form of the whole, without its fragment.
    pub(crate) whole: String,
    pub(crate) host: String,
    /// Whether it has room for data: a query, a login, or a part of the host or path longer than [`MAX_PART`].
    pub(crate) carries: bool,
}

/// Longest part of a host or path that is taken for a name and not for data, in characters: SHA-1 in hexadecimal, by which
/// commits are named, has 40.
const MAX_PART: usize = 40;

/// What a URL leads to.
#[derive(Debug, Default)]
pub(crate) struct Led {
    pub(crate) to: Vec<Destination>,
    pub(crate) link: Option<Link>,
}

/// Reads `text` as a URL with a scheme; `None` if it is none that leads anywhere.
pub(crate) fn url(text: &str, places: &Places) -> Option<Led> {
    let mut url = Url::parse(text).ok()?;
    url.set_fragment(None);
    match url.scheme() {
        "mailto" => Some(Led { to: mailto(&url), link: None }),
        "tel" | "sms" | "smsto" => {
            Some(Led { to: vec![Destination::Recipient(fold(&decoded(url.path())))], link: None })
        }
        "file" if url.host().is_none() => {
            Some(Led { to: vec![Destination::Path(places.resolve(&decoded(url.path())))], link: None })
        }
        _ => {
            let host = host(url.host_str().filter(|host| !host.is_empty())?)?;
            let link = Link { carries: carries(&url, &host), whole: url.to_string(), host: host.clone() };
            Some(Led { to: vec![Destination::Host(host)], link: Some(link) })
        }
    }
}

fn carries(url: &Url, host: &str) -> bool {
    let long = |part: &str| part.chars().count() > MAX_PART;
    let login = !url.username().is_empty() || url.password().is_some();
    login
        || url.query().is_some_and(|query| !query.is_empty())
        || host.split('.').any(long)
        || url.path().split('/').any(long)
}

fn mailto(url: &Url) -> Vec<Destination> {
    let fields = url.query_pairs().filter(|(key, _)| matches!(&*key.to_lowercase(), "to" | "cc" | "bcc"));
    let lists = std::iter::once(decoded(url.path())).chain(fields.map(|(_, value)| value.into_owned()));
    lists.flat_map(|list| list.split([',', ';']).filter_map(address).collect::<Vec<_>>()).collect()
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// `text` in lower case with single spaces.
pub(crate) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
