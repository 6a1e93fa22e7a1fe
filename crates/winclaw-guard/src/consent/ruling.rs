use winclaw_tool::Text;

use crate::consent::Because;
use crate::consent::seen;
use crate::policy::{Approve, Decision, PolicyRule};

/// What decides about a call, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What happens to it.
    pub decision: Decision,
    /// What said so.
    pub by: By,
    /// What is out of the ordinary; of a call that is allowed, what would have been asked about.
    pub because: Vec<Because>,
}

/// What decides about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The approve level.
    Level(Approve),
    /// A rule of the policy.
    Rule(Box<PolicyRule>),
    /// An answer of the person in this task.
    Answered,
    /// Something out of the ordinary, which [`Ruling::because`] names.
    Doubt,
}

/// Longest rule in words, in characters.
const MAX_RULE: usize = 300;

impl Ruling {
    /// What decided, in words for a person.
    pub fn text(&self) -> Text {
        match &self.by {
            By::Level(level) => {
                let level = level.as_str();
                Text::new(format!("the approve level `{level}`"), format!("批准级别 {level}"))
            }
            By::Rule(rule) => {
                let line = seen(&rule.line(), MAX_RULE);
                Text::new(format!("the rule `{line}`"), format!("规则“{line}”"))
            }
            By::Answered => Text::new("your answer in this task", "您在本次任务中的回答"),
            By::Doubt => {
                let texts: Vec<Text> = self.because.iter().map(Because::text).collect();
                let join = |word: fn(&Text) -> &str, gap: &str| texts.iter().map(word).collect::<Vec<_>>().join(gap);
                Text::new(join(|text| &text.en, " "), join(|text| &text.zh, ""))
            }
        }
    }

    /// What decided, in one line for traces: `level never`, `rule allow mail.send external`, `answer`, or the doubts; behind
    /// a decision that passes over doubts, these.
    pub fn as_trace(&self) -> String {
        let beside = self.because.iter().filter(|because| !matches!(because, Because::Rule(_)));
        let doubts: Vec<&str> = beside.map(Because::as_str).collect();
        let by = match &self.by {
            By::Level(level) => format!("level {}", level.as_str()),
            By::Rule(rule) => format!("rule {}", rule.line()),
            By::Answered => "answer".to_owned(),
            By::Doubt => return doubts.join(", "),
        };
        if doubts.is_empty() { by } else { format!("{by} ({})", doubts.join(", ")) }
    }

    /// Whether a trace should tell of it though nobody was asked: whatever is not simply the level.
    pub fn is_worth_telling(&self) -> bool {
        !matches!(self.by, By::Level(_)) || !self.because.is_empty()
    }
}
