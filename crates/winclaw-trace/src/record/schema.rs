//! The forms of values of other crates, for the JSON Schema alone.
#![expect(dead_code, reason = "only their schema is used")]

use schemars::JsonSchema;

/// Something that was wrong and cost only itself.
#[derive(JsonSchema)]
pub(super) struct Problem {
    /// The sort of thing that is wrong.
    kind: String,
    /// What it is about.
    subject: String,
    /// What is wrong.
    what: Text,
    /// What a person can do about it.
    mend: Text,
    /// Whether the subject was left out because of it.
    fatal: bool,
}

/// One sentence for a person.
#[derive(JsonSchema)]
struct Text {
    /// The English wording.
    en: String,
    /// The Chinese wording.
    zh: String,
}
