use winclaw_tool::Text;

use crate::consent::seen;
use crate::origin::Destination;
use crate::policy::{Part, PolicyRule};

/// Longest name in a reason, in characters.
const MAX_NAME: usize = 120;

/// Most destinations that a reason names.
const MAX_NAMED: usize = 8;

/// What is out of the ordinary about a call that a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// A rule says that such calls are asked about.
    Rule(PolicyRule),
    /// It was allowed before, and the tool has changed since.
    Changed(Vec<Part>),
    /// It acts, after content of others, where nobody but that content may have sent it.
    New {
        /// What brought the content in.
        from: Vec<String>,
        /// The destinations that nobody named.
        to: Vec<Destination>,
    },
    /// It acts outside, after content of others, and does not say where.
    Unstated {
        /// What brought the content in.
        from: Vec<String>,
    },
    /// It only reads, but after content of others it would carry something to a host that nobody named.
    Carries {
        /// What brought the content in.
        from: Vec<String>,
        /// The hosts.
        to: Vec<Destination>,
    },
    /// It strays from the request after a failure; the doubt in words.
    Strays(Text),
    /// The model called it without having seen its description.
    Unshown,
}

impl Because {
    /// The reason in one word, as traces have it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Because::Rule(_) => "rule",
            Because::Changed(_) => "changed",
            Because::New { .. } => "new_destination",
            Because::Unstated { .. } => "unstated_destination",
            Because::Carries { .. } => "carries_data",
            Because::Strays(_) => "strays",
            Because::Unshown => "unshown",
        }
    }

    /// The reason as a sentence.
    pub fn text(&self) -> Text {
        match self {
            Because::Rule(rule) => {
                let line = seen(&rule.line(), MAX_NAME);
                Text::new(format!("A rule says to ask: {line}."), format!("规则要求先询问：{line}。"))
            }
            Because::Changed(parts) => changed(parts),
            Because::New { from, to } => {
                let (to, from) = (names(to), sources(from));
                Text::new(
                    format!("You have not named {to}, and the model has read content of others ({from})."),
                    format!("您没有提到过 {to}，而模型已读取来自他人的内容（{from}）。"),
                )
            }
            Because::Unstated { from } => {
                let from = sources(from);
                Text::new(
                    format!("It does not say where it acts, and the model has read content of others ({from})."),
                    format!("它没有说明作用于何处，而模型已读取来自他人的内容（{from}）。"),
                )
            }
            Because::Carries { from, to } => {
                let (to, from) = (names(to), sources(from));
                Text::new(
                    format!(
                        "It would carry something to {to}, which you have not named, and the model has read content of others ({from})."
                    ),
                    format!("它会把内容带给您没有提到过的 {to}，而模型已读取来自他人的内容（{from}）。"),
                )
            }
            Because::Strays(doubt) => doubt.clone(),
            Because::Unshown => Text::new(
                "The model called it without having seen its description.",
                "模型在没有看过它的说明的情况下调用了它。",
            ),
        }
    }
}

fn changed(parts: &[Part]) -> Text {
    let texts: Vec<Text> = parts.iter().map(|part| part.text()).collect();
    let en = texts.iter().map(|text| text.en.as_str()).collect::<Vec<_>>().join(", ");
    let zh = texts.iter().map(|text| text.zh.as_str()).collect::<Vec<_>>().join("、");
    Text::new(
        format!("You allowed it before, but the tool has changed since ({en}), so that this no longer holds."),
        format!("您以前允许过，但此工具之后有变化（{zh}），因此不再有效。"),
    )
}

fn names(to: &[Destination]) -> String {
    let named: Vec<String> = to.iter().take(MAX_NAMED).map(|to| seen(to.as_str(), MAX_NAME)).collect();
    let more = to.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn sources(from: &[String]) -> String {
    from.iter().map(|source| seen(source, MAX_NAME)).collect::<Vec<_>>().join(", ")
}
