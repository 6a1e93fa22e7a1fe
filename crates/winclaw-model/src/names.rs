use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{ChatRequest, Message, NameRule};

/// What stands between a name made legal and the digest of the name it stands for.
const MARK: &str = "_x";
/// Digits of the digest.
const DIGITS: usize = 16;

/// The name under which a tool is known on the wire, always the same for the same name and rule.
///
/// A legal name stays as it is, unless it looks like one that was made here. Any other becomes its legal characters,
/// `_x` and sixteen digits of a digest of the whole name, so two names have the same wire name only if their digests
/// are the same; of two such tools in one request the second is set aside.
pub(crate) fn wire_name<'a>(name: &'a str, rule: &NameRule) -> Cow<'a, str> {
    if rule.allows(name) && !looks_made(name) {
        return name.into();
    }
    let room = rule.longest.saturating_sub(MARK.len() + DIGITS);
    let legal = |c: char| if c.is_ascii_alphanumeric() || rule.marks.contains(c) { c } else { '_' };
    let mut stem: String = name.chars().map(legal).take(room).collect();
    let begins = stem.chars().next();
    if rule.letter_first && !begins.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
        stem = format!("t_{stem}").chars().take(room).collect();
    }
    format!("{stem}{MARK}{:0DIGITS$x}", digest(name)).into()
}

/// Whether a name has the form of those that [`wire_name`] makes.
fn looks_made(name: &str) -> bool {
    let Some(at) = name.len().checked_sub(DIGITS).filter(|at| name.is_char_boundary(*at)) else { return false };
    let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    name[..at].ends_with(MARK) && name[at..].bytes().all(digit)
}

/// FNV-1a, 64 bits, with its bits mixed once more; the standard hasher is not promised to stay the same.
pub(crate) fn digest(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// Finds the name that a wire name stands for: those of the request's tools, of what results reveal, and of all calls so
/// far, whether or not there is such a tool.
#[derive(Debug, Default, Clone)]
pub(crate) struct Originals(BTreeMap<String, String>);

impl Originals {
    pub(crate) fn of(request: &ChatRequest, rule: &NameRule) -> Self {
        let mut map = BTreeMap::new();
        let mut add = |name: &str| {
            if let Cow::Owned(wire) = wire_name(name, rule) {
                map.entry(wire).or_insert_with(|| name.to_owned());
            }
        };
        request.tools.iter().chain(&request.deferred).for_each(|spec| add(&spec.name));
        for message in &request.messages {
            match message {
                Message::Tool { reveals, .. } => reveals.iter().for_each(|spec| add(&spec.name)),
                Message::Assistant { calls, .. } => calls.iter().for_each(|call| add(&call.name)),
                Message::User { .. } => {}
            }
        }
        Originals(map)
    }

    /// What `wire` stands for; itself where nothing is known of it.
    pub(crate) fn get<'a>(&'a self, wire: &'a str) -> &'a str {
        self.0.get(wire).map_or(wire, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{PROFILES, WireCall};

    const RULE: NameRule = NameRule { longest: 64, marks: "_-", letter_first: true };

    #[test]
    fn d10_every_name_is_legal_for_every_provider_and_found_again() {
        let long = "n".repeat(90);
        let names =
            ["admin.tools.list", "Docker file scanner", &long, "北京天气", "", "21st_magic", "sky__forecast", "-x"];
        for profile in PROFILES.iter() {
            let calls = names.map(|name| WireCall { id: name.into(), name: name.into(), arguments: String::new() });
            let said = Message::Assistant { text: String::new(), reasoning: None, calls: calls.into(), sealed: vec![] };
            let request = ChatRequest { messages: vec![said], ..ChatRequest::default() };
            let originals = Originals::of(&request, &profile.names);
            for name in names {
                let wire = wire_name(name, &profile.names);
                assert!(profile.names.allows(&wire), "{}: {name:?} became {wire}", profile.provider);
                assert_eq!(originals.get(&wire), name);
            }
        }
        assert_eq!(wire_name("sky__forecast", &RULE), "sky__forecast");
    }

    #[test]
    fn a_name_that_looks_made_is_made_again() {
        let made = wire_name("sky.forecast", &RULE).into_owned();
        assert!(made.starts_with("sky_forecast_x"), "{made}");
        assert_ne!(wire_name(&made, &RULE), made);
        assert_eq!(wire_name("x_x0123", &RULE), "x_x0123");
    }

    #[test]
    fn a_name_nobody_knows_stays_what_it_is() {
        let originals = Originals::of(&ChatRequest::default(), &RULE);
        assert_eq!(originals.get("made.up"), "made.up");
    }

    proptest! {
        #[test]
        fn names_are_legal_and_never_shared(a in any::<String>(), b in any::<String>(), first in any::<bool>(), longest in 20usize..80) {
            let rule = NameRule { longest, letter_first: first, ..RULE };
            let (wire_a, wire_b) = (wire_name(&a, &rule), wire_name(&b, &rule));
            prop_assert!(rule.allows(&wire_a), "{a:?} became {wire_a}");
            prop_assert_eq!(wire_a == wire_b, a == b);
        }

        #[test]
        fn names_of_letters_and_digests_are_never_shared(a in "[ab]_x[0-9a-f]{16}|[a-z.]{1,3}", b in "[ab]_x[0-9a-f]{16}|[a-z.]{1,3}") {
            prop_assert_eq!(wire_name(&a, &RULE) == wire_name(&b, &RULE), a == b);
        }
    }
}
