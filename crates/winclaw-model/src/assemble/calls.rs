use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::Sink;
use crate::wire::EXTRA;
use crate::{Delta, WireCall};

/// Most calls one reply may hold; pieces of further ones are passed over.
const MAX_CALLS: usize = 1024;
/// Longest id of a vendor that is used as it is, in bytes.
const MAX_ID: usize = 128;

/// The tool calls of one reply while their pieces come in.
#[derive(Debug, Default)]
pub(super) struct Calls {
    slots: Vec<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    /// The arguments may still be replaced by those that come piece by piece.
    provisional: bool,
    id: String,
    name: String,
    arguments: String,
    /// How far the arguments are from being a whole object.
    braces: Braces,
    /// What the vendor wants back with the call.
    extra: Option<Value>,
    /// The model wrote it as text; pieces never belong to it.
    written: bool,
}

/// Follows the braces of a JSON object piece by piece, so that a long one need not be read again for each.
#[derive(Debug, Default, Clone, Copy)]
struct Braces {
    open: usize,
    in_string: bool,
    escaped: bool,
    /// The object has ended, and nothing but white space came since.
    closed: bool,
}

impl Braces {
    fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.open += 1,
                b'}' if !self.in_string => self.open = self.open.saturating_sub(1),
                _ => {}
            }
            let ends = byte == b'}' && !self.in_string && self.open == 0;
            self.closed = ends || self.closed && byte.is_ascii_whitespace();
        }
    }
}

/// One element of a delta's `tool_calls`; what is absent is empty.
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
    extra: Option<&'a Value>,
}

impl<'a> Piece<'a> {
    fn read(piece: &'a Value) -> Option<Self> {
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or("");
        let function = piece.as_object()?.get("function").filter(|function| function.is_object()).unwrap_or(piece);
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(raw)) => raw.clone(),
            Some(other) => other.to_string(),
        };
        let index = piece.get("index");
        let index = index.and_then(|index| index.as_u64().or_else(|| index.as_str()?.parse().ok()));
        let extra = piece.get(EXTRA).filter(|extra| extra.is_object());
        Some(Piece {
            index,
            id: text(piece.get("id")).trim(),
            name: text(function.get("name")).trim(),
            arguments,
            extra,
        })
    }

    fn has_arguments(&self) -> bool {
        !self.arguments.trim().is_empty()
    }
}

impl Slot {
    /// Whether `piece`, which by id or index points here, in truth begins another call.
    ///
    /// Some servers send all parallel calls at index 0, some repeat id and name in every piece, some make up a new id
    /// for each; so a name counts as a beginning only when this call is complete or is called otherwise, and a new id
    /// only when the piece could not simply go on with the arguments.
    fn is_followed_by(&self, piece: &Piece<'_>) -> bool {
        let renamed = !piece.name.is_empty() && !self.name.is_empty() && piece.name != self.name;
        let other_id = !piece.id.is_empty() && !self.id.is_empty() && piece.id != self.id;
        let goes_on = || piece.name.is_empty() && piece.has_arguments() && !self.is_complete();
        let again = || !piece.name.is_empty() && piece.has_arguments() && self.is_complete();
        renamed || again() || (other_id && !goes_on())
    }

    fn is_complete(&self) -> bool {
        self.braces.closed && serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }

    fn push(&mut self, piece: Piece<'_>) {
        self.index = self.index.or(piece.index);
        if self.id.is_empty() {
            self.id = piece.id.to_owned();
        }
        if self.name.is_empty() {
            self.name = piece.name.to_owned();
        }
        // Some proxies open a call with `{}` as a placeholder and then stream the arguments.
        if piece.has_arguments() && self.arguments.trim() == "{}" {
            self.set(String::new());
        }
        self.braces.push(&piece.arguments);
        self.arguments.push_str(&piece.arguments);
        if let Some(extra) = piece.extra {
            self.extra = Some(extra.clone());
        }
    }

    fn set(&mut self, arguments: String) {
        self.braces = Braces::default();
        self.braces.push(&arguments);
        self.arguments = arguments;
    }
}

impl Calls {
    /// Takes one piece and says the name of a call that begins with it. `false`: the piece cannot be read.
    pub(super) fn take(&mut self, piece: &Value, mut started: impl FnMut(&str)) -> bool {
        let Some(piece) = Piece::read(piece) else { return false };
        let place = match self.place(&piece) {
            Some(place) => place,
            None if self.slots.len() == MAX_CALLS => return false,
            None => {
                self.slots.push(Slot::default());
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[place];
        let nameless = slot.name.is_empty();
        slot.push(piece);
        if nameless && !slot.name.is_empty() {
            started(&slot.name);
        }
        true
    }

    /// Begins a call whose pieces come under `index`. Arguments that are there at once hold until others come.
    /// `false`: there are too many.
    pub(super) fn begin(&mut self, index: u64, id: &str, name: &str, arguments: &str, sink: &mut Sink<'_>) -> bool {
        if self.slots.len() == MAX_CALLS {
            return false;
        }
        let text = |text: &str| text.trim().to_owned();
        let mut slot =
            Slot { index: Some(index), provisional: true, id: text(id), name: text(name), ..Slot::default() };
        slot.set(arguments.to_owned());
        if !slot.name.is_empty() {
            sink(Delta::CallStarted { name: &slot.name });
        }
        self.slots.push(slot);
        true
    }

    /// A whole call that the model wrote as text.
    pub(super) fn write(&mut self, name: String, arguments: String) {
        if self.slots.len() < MAX_CALLS {
            self.slots.push(Slot { name, arguments, written: true, ..Slot::default() });
        }
    }

    /// More arguments of the call under `index`. `false`: there is no such call.
    pub(super) fn append(&mut self, index: u64, arguments: &str) -> bool {
        let Some(slot) = self.under(index) else { return false };
        if std::mem::take(&mut slot.provisional) && !arguments.is_empty() {
            slot.set(String::new());
        }
        slot.braces.push(arguments);
        slot.arguments.push_str(arguments);
        true
    }

    /// The whole arguments of the call under `index`, if they are any.
    pub(super) fn settle(&mut self, index: u64, arguments: &str) {
        if let Some(slot) = self.under(index).filter(|_| !arguments.trim().is_empty()) {
            slot.set(arguments.to_owned());
            slot.provisional = false;
        }
    }

    /// The whole arguments of the call with this id, if none have come.
    pub(super) fn complete(&mut self, id: &str, arguments: &str) {
        let lacking = |slot: &&mut Slot| slot.id == id && slot.arguments.trim().is_empty();
        if let Some(slot) = self.slots.iter_mut().find(lacking) {
            slot.set(arguments.to_owned());
        }
    }

    fn under(&mut self, index: u64) -> Option<&mut Slot> {
        self.slots.iter_mut().rfind(|slot| slot.index == Some(index))
    }

    /// How many calls have begun.
    pub(super) fn count(&self) -> usize {
        self.slots.len()
    }

    /// Whether a call has this id, which is not empty.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.slots.iter().any(|slot| !id.is_empty() && slot.id == id)
    }

    /// The slot a piece goes on with; `None` when it begins a new one.
    fn place(&self, piece: &Piece<'_>) -> Option<usize> {
        let same_index = |slot: &Slot| piece.index.is_none() || slot.index.is_none() || slot.index == piece.index;
        let by_id =
            || self.slots.iter().rposition(|slot| !piece.id.is_empty() && slot.id == piece.id && same_index(slot));
        let by_index = || self.slots.iter().rposition(|slot| piece.index.is_some() && slot.index == piece.index);
        let unplaced = |slot: &Slot| piece.index.is_none() || slot.index.is_none();
        let last = || self.slots.iter().rposition(|slot| !slot.written).filter(|place| unplaced(&self.slots[*place]));
        by_id().or_else(by_index).or_else(last).filter(|place| !self.slots[*place].is_followed_by(piece))
    }

    /// The calls in the order they began. `taken` are the ids of the conversation; a missing, repeated or overlong id is
    /// replaced by `call_<turn>_<place>`. A call written as text that was also made is left out.
    pub(super) fn finish(self, taken: &mut BTreeSet<String>, turn: usize) -> Finished {
        let (named, nameless): (Vec<Slot>, Vec<Slot>) = self.slots.into_iter().partition(|slot| !slot.name.is_empty());
        let made = |slot: &Slot| named.iter().any(|other| !other.written && other.says_the_same(slot));
        let doubled: Vec<bool> = named.iter().map(|slot| slot.written && made(slot)).collect();
        let named = named.into_iter().zip(doubled).filter(|(_, doubled)| !doubled).map(|(slot, _)| slot);
        let nameless = u32::try_from(nameless.len()).unwrap_or(u32::MAX);
        let mut finished = Finished { nameless, ..Finished::default() };
        for (place, slot) in named.enumerate() {
            finished.written += u32::from(slot.written);
            finished.extras.extend(slot.extra.map(|extra| (place, extra)));
            let id = unique(slot.id, taken, turn, place);
            finished.calls.push(WireCall { id, name: slot.name, arguments: slot.arguments });
        }
        finished
    }
}

/// What the calls of a reply amount to.
#[derive(Debug, Default)]
pub(super) struct Finished {
    pub(super) calls: Vec<WireCall>,
    /// What the vendor wants back with a call, by its place.
    pub(super) extras: Vec<(usize, Value)>,
    /// How many were dropped for want of a name.
    pub(super) nameless: u32,
    /// How many the model wrote as text.
    pub(super) written: u32,
}

impl Slot {
    fn says_the_same(&self, other: &Slot) -> bool {
        let read = |slot: &Slot| serde_json::from_str::<Value>(&slot.arguments).ok();
        self.name == other.name && read(self) == read(other)
    }
}

fn unique(id: String, taken: &mut BTreeSet<String>, turn: usize, place: usize) -> String {
    let usable = !id.is_empty() && id.len() <= MAX_ID && !id.chars().any(char::is_control);
    let made = |round: usize| match round {
        0 => format!("call_{turn}_{place}"),
        _ => format!("call_{turn}_{place}_{round}"),
    };
    let (mut id, mut rounds) = if usable { (id, 0) } else { (made(0), 1) };
    while !taken.insert(id.clone()) {
        id = made(rounds);
        rounds += 1;
    }
    id
}
