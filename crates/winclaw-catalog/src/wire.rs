use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use winclaw_tool::ToolId;

/// Longest name every vendor takes, in bytes.
const MAX: usize = 64;

/// How many digits of the hash a name may carry. The longer ones are for ids whose shorter hashes clash.
const DIGITS: [usize; 3] = [8, 16, 32];

/// The wire name of each id, in order. The ids are distinct, and so are the names. Beside each id stands the name it
/// had before, which it keeps, or nothing.
///
/// A plain name is `source__name`. Where that is too long, has illegal characters, could be read as another id, or looks
/// like a hashed name, it is a readable head, `_` and hexadecimal digits of the id's SHA-256. Plain and hashed names are
/// thus never equal, and no name depends on which other tools exist, but for ids made to clash in 32 bits.
pub(crate) fn assign(ids: &[(&ToolId, &str)]) -> Vec<String> {
    let first = |&(id, before): &(&ToolId, &str)| match before {
        "" => plain(id).unwrap_or_else(|| hashed(id, DIGITS[0])),
        before => before.to_owned(),
    };
    let mut names: Vec<String> = ids.iter().map(first).collect();
    for digits in &DIGITS[1..] {
        let clashing = clashes(&names);
        if clashing.is_empty() {
            break;
        }
        for at in clashing.into_iter().filter(|at| ids[*at].1.is_empty()) {
            names[at] = hashed(ids[at].0, *digits);
        }
    }
    names
}

/// Places of all names that stand more than once.
fn clashes(names: &[String]) -> BTreeSet<usize> {
    let mut places: Vec<usize> = (0..names.len()).collect();
    places.sort_by(|a, b| names[*a].cmp(&names[*b]));
    let pairs = places.windows(2).filter(|pair| names[pair[0]] == names[pair[1]]);
    pairs.flatten().copied().collect()
}

/// `source__name`, if the first `__` of it ends the source, it is legal, and it cannot be taken for a hashed name.
fn plain(id: &ToolId) -> Option<String> {
    let (source, name) = (id.source(), id.name());
    let splits_back = !source.contains("__") && !source.ends_with('_');
    let fits = source.len() + 2 + name.len() <= MAX && name.bytes().all(is_legal);
    let whole = (splits_back && fits).then(|| format!("{source}__{name}"))?;
    (!looks_hashed(&whole)).then_some(whole)
}

/// Whether `wire_name` is `source__name` of this id.
pub(crate) fn is_plain(id: &ToolId, wire_name: &str) -> bool {
    wire_name.strip_prefix(id.source()).and_then(|rest| rest.strip_prefix("__")) == Some(id.name())
}

fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn looks_hashed(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or("");
    DIGITS.contains(&last.len()) && last.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn hashed(id: &ToolId, digits: usize) -> String {
    let mut head = format!("{}__{}", id.source(), legal_part(id.name()));
    head.truncate(MAX - 1 - digits);
    format!("{}_{}", head.trim_end_matches('_'), &digest(&[id.as_str()])[..digits])
}

/// `name` with every run of other characters made one `_`.
fn legal_part(name: &str) -> String {
    let mut part = String::new();
    for c in name.chars() {
        match u8::try_from(c) {
            Ok(byte) if is_legal(byte) => part.push(c),
            _ if part.ends_with('_') => {}
            _ => part.push('_'),
        }
    }
    part
}

/// Lower-case hexadecimal SHA-256 of `parts`, each preceded by its length so that no two lists run together.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let nibbles = hash.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.map(|nibble| char::from(b"0123456789abcdef"[usize::from(nibble)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ids: &[&str]) -> Vec<String> {
        let ids: Vec<ToolId> = ids.iter().map(|id| ToolId::parse(id).expect("an id")).collect();
        assign(&ids.iter().map(|id| (id, "")).collect::<Vec<_>>())
    }

    #[test]
    fn ordinary_ids_keep_readable_names() {
        assert_eq!(names(&["sky.forecast", "my-srv.getData"]), ["sky__forecast", "my-srv__getData"]);
    }

    #[test]
    fn ids_that_read_alike_get_different_names() {
        let found = names(&["a.b__c", "a__b.c", "a_.b", "a._b", "s.x y", "s.x_y", "s.x.y", "s.天气", "s.预报"]);
        let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
        assert_eq!(distinct.len(), found.len(), "{found:?}");
        assert_eq!(found[0], "a__b__c");
    }

    #[test]
    fn a_name_cannot_imitate_the_hashed_name_of_another() {
        for id in ["s.x 天气", "s._ x", "s.天气"] {
            let victim = names(&[id]).remove(0);
            let imitations = ["s__", "s_"].map(|head| victim.strip_prefix(head).map(|name| format!("s.{name}")));
            for imitation in imitations.into_iter().flatten() {
                let found = names(&[id, &imitation]);
                assert_ne!(found[0], found[1], "{id}");
                assert_eq!(found[0], victim, "{imitation} must not change the name of {id}");
            }
        }
    }

    #[test]
    fn ids_found_to_clash_in_32_bits_are_told_apart_and_the_others_keep_theirs() {
        // The first two of these ids, counted from 0, whose SHA-256 (of `digest`) begin alike: ba4ad5d1.
        let [one, two] = [6_219, 111_931].map(|number| format!("s.{}{number}", "x".repeat(60)));
        let alone = names(&[&one]).remove(0);
        assert_eq!(alone, names(&[&two])[0], "they clash");
        let found = names(&[&one, &two, "s.天气"]);
        assert_ne!(found[0], found[1]);
        assert!(found.iter().all(|name| name.len() <= MAX), "{found:?}");
        assert_eq!(found[2], names(&["s.天气"])[0]);
    }

    #[test]
    fn a_name_that_was_given_is_kept_when_a_newcomer_clashes_with_it() {
        let [one, two] =
            [6_219, 111_931].map(|number| ToolId::parse(&format!("s.{}{number}", "x".repeat(60))).expect("an id"));
        let before = assign(&[(&one, "")]).remove(0);
        let after = assign(&[(&one, &before), (&two, "")]);
        assert_eq!(after[0], before);
        assert_ne!(after[1], before);
    }
}
