//! Reading a script: README.md beside this file says what it may hold.

use serde::Deserialize;
use serde_json::{Map, Value};
use winclaw_tool::{Failure, Outcome, ToolOutput};

/// Words that are no numbers and tell calls apart.
const WORDS: [&str; 48] = [
    "apple", "brook", "candle", "dune", "ember", "fern", "grove", "harbour", "island", "juniper", "kettle", "lantern",
    "meadow", "needle", "orchard", "pebble", "quarry", "river", "saddle", "timber", "umbrella", "valley", "willow",
    "yard", "zinc", "anchor", "barrel", "copper", "drum", "engine", "feather", "glacier", "hammer", "ivory", "jacket",
    "knot", "ladder", "marble", "nest", "oven", "paper", "quilt", "ribbon", "sail", "thread", "urn", "velvet", "wheel",
];

/// A script as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) name: String,
    /// Of a loop: in how many replies it must be stopped.
    #[serde(default)]
    pub(crate) bound: Option<usize>,
    #[serde(default)]
    rounds: Option<usize>,
    round: Vec<Reply>,
    #[serde(default)]
    before: Vec<Reply>,
    #[serde(default)]
    after: Vec<Reply>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reply {
    One(Call),
    Many {
        #[serde(default)]
        say: String,
        calls: Vec<Call>,
    },
}

#[derive(Debug, Deserialize)]
struct Call(String, Value, Value);

/// One reply of the model, as it is played.
pub(crate) struct Turn {
    pub(crate) say: String,
    pub(crate) calls: Vec<Made>,
}

/// One call of it.
pub(crate) struct Made {
    pub(crate) tool: String,
    pub(crate) arguments: String,
    pub(crate) result: Value,
}

impl Made {
    /// What came of the call, if it ran.
    pub(crate) fn outcome(&self) -> Outcome {
        let text = |key: &str| self.result.get(key).and_then(Value::as_str);
        match (text("!"), text("~"), text("no")) {
            (Some(failed), ..) => Err(Failure::tool_failed(failed)),
            (_, Some(passing), _) => Err(Failure::unavailable(passing)),
            (.., Some(denied)) => Err(Failure::denied(denied)),
            _ => Ok(ToolOutput::new(self.result.clone())),
        }
    }
}

/// The scripts of a file.
pub(crate) fn read(text: &str) -> Vec<Script> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

impl Script {
    /// The replies, one after another.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Turn> + '_ {
        let rounds = self.rounds.unwrap_or(if self.bound.is_some() { 200 } else { 1 });
        let before = self.before.iter().map(|reply| reply.at(0));
        let round = (0..rounds).flat_map(|n| self.round.iter().map(move |reply| reply.at(n)));
        before.chain(round).chain(self.after.iter().map(move |reply| reply.at(rounds)))
    }

    /// Whether its calls never run at all, so that nothing can be heard with their results.
    pub(crate) fn is_malformed(&self) -> bool {
        self.name.contains("arguments") || self.name.contains("where a number belongs")
    }
}

impl Reply {
    fn at(&self, n: usize) -> Turn {
        match self {
            Reply::One(call) => Turn { say: String::new(), calls: vec![call.at(n)] },
            Reply::Many { say, calls } => {
                Turn { say: text(say, n), calls: calls.iter().map(|call| call.at(n)).collect() }
            }
        }
    }
}

impl Call {
    fn at(&self, n: usize) -> Made {
        let Call(tool, arguments, result) = self;
        let arguments = match arguments {
            Value::String(raw) => raw.clone(),
            other => filled(other, n).to_string(),
        };
        Made { tool: text(tool, n), arguments, result: filled(result, n) }
    }
}

fn filled(value: &Value, n: usize) -> Value {
    match value {
        Value::String(raw) => {
            match raw.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).and_then(|what| number(what, n)) {
                Some(number) => Value::from(number),
                None => Value::from(text(raw, n)),
            }
        }
        Value::Array(items) => items.iter().map(|item| filled(item, n)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.clone(), filled(item, n))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// `n`, `n+2`, `n/3` or `n%4`.
fn number(what: &str, n: usize) -> Option<usize> {
    let rest = what.strip_prefix('n')?;
    let by = || rest.get(1..)?.parse::<usize>().ok();
    match rest.as_bytes().first() {
        None => Some(n),
        Some(b'+') => Some(n + by()?),
        Some(b'/') => Some(n / by()?),
        Some(b'%') => Some(n % by()?),
        Some(_) => None,
    }
}

/// `raw` with everything in brackets filled in.
fn text(raw: &str, n: usize) -> String {
    let mut pieces = raw.split('{');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('}').and_then(|(what, rest)| Some((word(what, n)?, rest))) {
            Some((word, rest)) => out.push_str(&format!("{word}{rest}")),
            None => out.push_str(&format!("{{{piece}")),
        }
    }
    out
}

fn word(what: &str, n: usize) -> Option<String> {
    if let Some(number) = number(what, n) {
        return Some(number.to_string());
    }
    if what == "x" {
        return Some(format!("{:x}", (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    }
    let place = number(&what.replacen('w', "n", 1), n).filter(|_| what.starts_with('w'))?;
    let again = if place < WORDS.len() { String::new() } else { "er".repeat(place / WORDS.len()) };
    Some(format!("{}{again}", WORDS[place % WORDS.len()]))
}
