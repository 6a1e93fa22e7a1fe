//! The destinations that the arguments of a call name.

use std::collections::BTreeSet;

use serde_json::Value;
use winclaw_tool::SideEffect;

use super::destination::{self, Destination, Led, Link, Places};
use super::words;

/// Most texts of one call that are looked at, and the longest of them that can be a destination, in bytes.
const MAX_TEXTS: usize = 4_096;
const MAX_TEXT: usize = 8_192;

/// Deepest nesting that is looked into.
const MAX_DEPTH: usize = 64;

/// Where a call goes, as far as its arguments say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) to: BTreeSet<Destination>,
    pub(crate) links: Vec<Link>,
    /// Whether there was more than is looked at.
    pub(crate) more: bool,
}

impl Reading {
    /// What `arguments` name. In a call that may act outside or lose something, also whom it goes to by the name of a
    /// parameter, and hosts without a scheme.
    pub(crate) fn of(arguments: &Value, effect: SideEffect, places: &Places) -> Reading {
        let outward = effect >= SideEffect::Destructive;
        let mut reader = Reader { places, outward, texts: 0, found: Reading::default() };
        reader.value(arguments, Kind::Any, MAX_DEPTH);
        reader.found
    }

    /// The destinations that are not paths in the folders the person works in.
    pub(crate) fn foreign(&self, places: &Places) -> Vec<&Destination> {
        let is_foreign = |to: &&Destination| !matches!(to, Destination::Path(path) if places.hold(path));
        self.to.iter().filter(is_foreign).collect()
    }
}

/// What the name of a parameter says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Path,
    Host,
    Recipient,
    Program,
}

/// Names of parameters, by their last word in the singular.
const PATHS: [&str; 16] = [
    "path",
    "file",
    "filename",
    "filepath",
    "folder",
    "dir",
    "directory",
    "attachment",
    "output",
    "root",
    "cwd",
    "文件",
    "路径",
    "文件夹",
    "目录",
    "附件",
];
const HOSTS: [&str; 20] = [
    "url",
    "uri",
    "link",
    "href",
    "host",
    "hostname",
    "domain",
    "site",
    "website",
    "server",
    "endpoint",
    "webhook",
    "proxy",
    "callback",
    "origin",
    "网址",
    "链接",
    "域名",
    "主机",
    "服务器",
];
const RECIPIENTS: [&str; 34] = [
    "to",
    "cc",
    "bcc",
    "recipient",
    "receiver",
    "addressee",
    "channel",
    "room",
    "chat",
    "group",
    "user",
    "username",
    "account",
    "payee",
    "phone",
    "tel",
    "contact",
    "handle",
    "email",
    "mail",
    "iban",
    "destination",
    "target",
    "收件人",
    "接收人",
    "抄送",
    "密送",
    "收款人",
    "账号",
    "频道",
    "群",
    "联系人",
    "电话",
    "邮箱",
];
const PROGRAMS: [&str; 12] =
    ["command", "cmd", "script", "code", "shell", "arg", "argv", "program", "header", "命令", "脚本", "代码"];

/// Words behind the one that counts, as in `chat_id`.
const TAILS: [&str; 6] = ["id", "ids", "name", "names", "list", "address"];

impl Kind {
    fn of(name: &str) -> Kind {
        let words = split(name);
        let last = words.iter().rev().find(|word| !TAILS.contains(&word.as_str())).or(words.last());
        let Some(word) = last.map(String::as_str) else { return Kind::Any };
        let singular = word.strip_suffix('s').filter(|one| one.len() > 2).unwrap_or(word);
        let is = |list: &[&str]| list.contains(&word) || list.contains(&singular);
        match () {
            () if is(&PATHS) => Kind::Path,
            () if is(&HOSTS) => Kind::Host,
            () if is(&RECIPIENTS) => Kind::Recipient,
            () if is(&PROGRAMS) => Kind::Program,
            () => Kind::Any,
        }
    }
}

/// The words of `chatId`, `chat_id` or `Chat-ID`, in lower case.
fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

struct Reader<'a> {
    places: &'a Places,
    outward: bool,
    texts: usize,
    found: Reading,
}

impl Reader<'_> {
    fn value(&mut self, value: &Value, kind: Kind, depth: usize) {
        if depth == 0 || self.texts >= MAX_TEXTS {
            self.found.more = true;
            return;
        }
        match value {
            Value::String(text) => self.text(text, kind),
            Value::Number(number) if kind == Kind::Recipient => self.text(&number.to_string(), kind),
            Value::Array(items) => items.iter().for_each(|item| self.value(item, kind, depth - 1)),
            Value::Object(map) => {
                for (name, inner) in map {
                    // The names of an object that maps names to values, such as headers, say no more than its own.
                    let named = Kind::of(name);
                    self.value(inner, if named == Kind::Any { kind } else { named }, depth - 1);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, kind: Kind) {
        self.texts += 1;
        let text = text.trim();
        if kind == Kind::Program {
            return self.program(text);
        }
        if text.is_empty() || text.len() > MAX_TEXT {
            // A text that long is content, unless it stands where a destination does.
            self.found.more |= text.len() > MAX_TEXT && kind != Kind::Any;
            return;
        }
        if let Some(led) = destination::url(text, self.places) {
            return self.led(led);
        }
        match kind {
            Kind::Path => self.add(destination::path(text, self.places)),
            Kind::Host => self.host(text),
            Kind::Recipient if self.outward => self.recipients(text),
            _ => self.any(text),
        }
    }

    fn add(&mut self, to: Destination) {
        self.found.to.insert(to);
    }

    fn led(&mut self, led: Led) {
        self.found.to.extend(led.to);
        self.found.links.extend(led.link);
    }

    /// What stands under a name for hosts: `//host/path`, `host/path?query` and the like.
    fn host(&mut self, text: &str) {
        let rest = text.strip_prefix("//").unwrap_or(text);
        match destination::address(text) {
            Some(to) => self.add(to),
            None if is_local(text) => {}
            None => match destination::url(&format!("https://{rest}"), self.places) {
                Some(led) => self.led(led),
                None => self.add(Destination::Recipient(destination::fold(text))),
            },
        }
    }

    fn recipients(&mut self, text: &str) {
        for item in text.split([',', ';', '\n', '，', '；', '、']).map(str::trim).filter(|item| !item.is_empty()) {
            match destination::url(item, self.places) {
                Some(led) => self.led(led),
                None => self.recipient(item),
            }
        }
    }

    fn recipient(&mut self, item: &str) {
        let addresses: Vec<Destination> = item.split_whitespace().filter_map(destination::address).collect();
        match destination::address(item) {
            _ if addresses.len() > 1 => self.found.to.extend(addresses),
            Some(to) => self.add(to),
            None if destination::is_path(item) => self.add(destination::path(item, self.places)),
            None => match destination::bare_host(item) {
                Some(host) => self.add(Destination::Host(host)),
                None => self.add(Destination::Recipient(destination::fold(item))),
            },
        }
    }

    /// A text under a name that says nothing: a destination only if the whole of it, or each part of a list, is written as
    /// one.
    fn any(&mut self, text: &str) {
        let items: Vec<&str> = text.split([',', ';', '\n']).map(str::trim).filter(|item| !item.is_empty()).collect();
        let addresses: Option<Vec<Destination>> = items.iter().map(|item| destination::address(item)).collect();
        match addresses {
            Some(addresses) => self.found.to.extend(addresses),
            None if destination::is_path(text) => self.add(destination::path(text, self.places)),
            None if self.outward => self.found.to.extend(destination::bare_host(text).map(Destination::Host)),
            None => {}
        }
    }

    /// A command may name a destination anywhere.
    fn program(&mut self, text: &str) {
        let found = words::read(text, self.places);
        self.found.more |= found.more;
        self.found.to.extend(found.to);
        self.found.links.extend(found.links);
    }
}

/// Whether `text` under a name for hosts means something on this machine: an anchor or a relative reference.
fn is_local(text: &str) -> bool {
    text.starts_with(['#', '?']) || (text.starts_with('/') && !text.starts_with("//"))
}

#[cfg(test)]
mod tests;
