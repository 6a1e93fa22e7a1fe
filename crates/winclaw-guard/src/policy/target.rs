//! What the `to` of a rule covers.

use crate::origin::{Destination, Places, below, fold, host, path};

/// Whether `target` covers `to`. A target is not of one kind: it covers what it would be if it were of the kind of `to`.
pub(crate) fn covers(target: &str, to: &Destination, places: &Places) -> bool {
    if target == "*" {
        return true;
    }
    match to {
        Destination::Host(name) => covers_host(target, name),
        Destination::Address(address) => covers_address(target, address),
        Destination::Path(inner) => match path(target, places) {
            Destination::Path(folder) => looks_like_path(target) && below(inner, &folder),
            _ => false,
        },
        Destination::Recipient(name) => fold(target) == *name,
    }
}

fn covers_host(target: &str, name: &str) -> bool {
    match target.strip_prefix("*.") {
        Some(parent) => {
            host(parent).is_some_and(|parent| name.strip_suffix(&parent).is_some_and(|sub| sub.ends_with('.')))
        }
        None => host(target).is_some_and(|host| host == name),
    }
}

fn covers_address(target: &str, address: &str) -> bool {
    let Some((mailbox, at)) = target.rsplit_once('@') else { return false };
    let (Some((known, known_at)), Some(at)) = (address.rsplit_once('@'), host(at)) else { return false };
    known_at == at && (mailbox == "*" || mailbox.to_lowercase() == known)
}

/// A bare word is no path: it would lie in the working folder of the day.
fn looks_like_path(target: &str) -> bool {
    target.starts_with('.') || target.contains(['/', '\\', '~'])
}

/// How narrow a target is: none and `*`, then a pattern, then one destination; among paths, the deeper the narrower.
pub(crate) fn breadth(target: Option<&str>) -> (u8, usize) {
    match target {
        None | Some("*") => (0, 0),
        Some(pattern) if pattern.starts_with('*') => (1, 0),
        Some(path) if looks_like_path(path) => (2, path.split(['/', '\\']).filter(|name| !name.is_empty()).count()),
        Some(_) => (2, 0),
    }
}
