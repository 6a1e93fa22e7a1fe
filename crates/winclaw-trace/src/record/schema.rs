//! The JSON Schema of a line, and the forms of values of other crates for it.

use schemars::JsonSchema;
use serde_json::Value;

use crate::Line;

/// The JSON Schema of a line of a trace file, generated from the types; `docs/trace.schema.json` holds it.
///
/// A reader takes more than it says: kinds and fields that it does not name are from a newer program.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Line);
    schema.insert("title".into(), "A line of a WinClaw trace".into());
    schema.to_value()
}

/// Something that was wrong and cost only itself.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
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
#[expect(dead_code, reason = "only its schema is used")]
struct Text {
    /// The English wording.
    en: String,
    /// The Chinese wording.
    zh: String,
}
