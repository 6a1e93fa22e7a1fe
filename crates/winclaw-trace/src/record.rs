use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_tool::Problem;

mod parts;
mod schema;

pub use parts::{CallMade, EvidenceHit, ShownTool, TokenUsage};
pub use schema::schema;

/// Version of the line form this crate writes. A change that an old reader would misread raises it; a new field or kind does not.
pub const VERSION: u32 = 1;

/// What happened, one decision at a time. Written in the order it happened; `docs/trace-format.md` has the wire form.
///
/// A field that a file lacks reads as its empty value, so that older and newer files stay readable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// The head of the file: what was asked of what.
    Start {
        /// The task's id, which is the file's name.
        #[serde(default)]
        task_id: String,
        /// Wall clock at the start, in milliseconds since 1970, as the caller gave it.
        #[serde(default)]
        started_unix_ms: u64,
        /// Version of the program that wrote the file.
        #[serde(default)]
        program: String,
        /// The model's label.
        #[serde(default)]
        model: String,
        /// Whether the model is a replayed script and not a real one.
        #[serde(default)]
        replayed: bool,
        /// What the person asked.
        #[serde(default)]
        request: String,
        /// Language of the texts for people: `en` or `zh`.
        #[serde(default)]
        lang: String,
    },
    /// The task is one of a session.
    Session {
        /// The session's id.
        #[serde(default)]
        session_id: String,
        /// Which request of the session, from 1.
        #[serde(default)]
        request_no: u64,
        /// The id of the task before it in the session, whose trace a replay needs first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
    },
    /// What the request, or the plan of a later step, says about the tools.
    Evidence {
        /// Before which call of the model, from 1.
        #[serde(default)]
        call_no: u64,
        /// The tools that fit, best first; the first of many.
        #[serde(default)]
        hits: Vec<EvidenceHit>,
        /// How many fit in all.
        #[serde(default)]
        total: u64,
        /// How far the best stands above the rest: 0 (nothing known) to 1 (one clear answer).
        #[serde(default)]
        margin: f32,
    },
    /// What the model is shown in its next call, and why.
    Exposure {
        /// Which call of the model in this task, from 1.
        #[serde(default)]
        call_no: u64,
        /// Which frozen prefix, from 1 or as the exposure counts.
        #[serde(default)]
        epoch: u64,
        /// `direct`, `bridge` or `native`.
        #[serde(default)]
        transport: String,
        /// `recommended`, `extended` or `full`.
        #[serde(default)]
        reach: String,
        /// The tools above the catalogue.
        #[serde(default)]
        shown: Vec<ShownTool>,
        /// How many more tools the catalogue names.
        #[serde(default)]
        named: u64,
        /// SHA-256 of the prefix, lower-case hexadecimal.
        #[serde(default)]
        prefix_sha256: String,
        /// Estimated tokens of the prefix.
        #[serde(default)]
        prefix_tokens: u64,
        /// Estimated tokens of the tail.
        #[serde(default)]
        tail_tokens: u64,
        /// Estimated tokens if every schema were shown, to compare.
        #[serde(default)]
        everything_tokens: u64,
        /// The advice after the conversation, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tail: Option<String>,
    },
    /// A tool is not sent to this model any more: it is illegal for its vendor.
    SetAside {
        /// Before which call of the model, from 1.
        #[serde(default)]
        call_no: u64,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// Why, in words.
        #[serde(default)]
        why: String,
    },
    /// One body that went over the wire to the model; a call that is tried again has several.
    Request {
        /// Which call of the model in this task, from 1.
        #[serde(default)]
        call_no: u64,
        /// Which attempt at this call, from 1.
        #[serde(default = "first")]
        attempt: u64,
        /// Size of the payload in bytes.
        #[serde(default)]
        bytes: u64,
        /// SHA-256 of the payload, lower-case hexadecimal.
        #[serde(default)]
        sha256: String,
        /// Number of tools in the tools array.
        #[serde(default)]
        tools: u64,
        /// Number of messages.
        #[serde(default)]
        messages: u64,
    },
    /// What the model answered.
    Reply {
        /// Length of its text in characters.
        #[serde(default)]
        text_chars: u64,
        /// The calls it made, in order.
        #[serde(default)]
        calls: Vec<CallMade>,
        /// What it cost.
        #[serde(default)]
        usage: TokenUsage,
        /// Whether the reply was cut off at the output limit.
        #[serde(default)]
        cut_off: bool,
        /// How long it took, in milliseconds.
        #[serde(default)]
        ms: u64,
        /// The estimate for what was sent, before scaling; 0 when the file does not say.
        #[serde(default)]
        estimated: u64,
        /// Real tokens for each estimated one, as known after this reply; 0 when the file does not say.
        #[serde(default)]
        scale: f32,
        /// How many of the calls were written as text and recovered from it.
        #[serde(default)]
        text_calls: u64,
    },
    /// A call of the model that came to nothing, after its last attempt.
    ModelFailed {
        /// Which call of the model in this task, from 1.
        #[serde(default)]
        call_no: u64,
        /// Why, in one word, such as `authentication` or `overloaded`.
        #[serde(default)]
        code: String,
        /// Why, in words.
        #[serde(default)]
        error: String,
        /// How long it took with all attempts, in milliseconds.
        #[serde(default)]
        ms: u64,
    },
    /// What a call of the model cost, by the price that is known for it.
    Cost {
        /// Which call of the model in this task, from 1.
        #[serde(default)]
        call_no: u64,
        /// Its price, all attempts counted, in millionths of the currency.
        #[serde(default)]
        micros: u64,
        /// The price of the task or session so far, in millionths of the currency.
        #[serde(default)]
        total_micros: u64,
        /// `USD` or `CNY`.
        #[serde(default)]
        currency: String,
        /// Of when the price is, such as `2026-11`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        as_of: Option<String>,
    },
    /// What a name the model used stands for.
    Resolve {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The name the model used.
        #[serde(default)]
        name: String,
        /// The tool's id, or that there are several or none, with the nearest.
        #[serde(default)]
        resolution: String,
    },
    /// The arguments of a call were put right without changing what they mean.
    Repair {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// What sort of repair, in one word.
        #[serde(default)]
        repair: String,
        /// Where: a JSON pointer into the arguments; empty for the whole.
        #[serde(default)]
        at: String,
        /// What the model was told of it.
        #[serde(default)]
        said: String,
    },
    /// Whether a call may run.
    Verdict {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// `run`, `run_with_advice`, `ask_user` or `not_run`.
        #[serde(default)]
        verdict: String,
        /// The rule that decided, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Why, in words; empty for a plain run.
        #[serde(default)]
        reason: String,
    },
    /// Whether a call with a side effect was allowed: by a question to the person, or by a rule.
    Consent {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// What the person was asked; empty when a rule decided.
        #[serde(default)]
        asked: String,
        /// What was answered, such as `once`, `no` or `nobody_to_ask`.
        #[serde(default)]
        answer: String,
        /// `read`, `write` and so on: what the call may do to the world.
        #[serde(default)]
        side_effect: String,
        /// How far the answer holds: `once`, `task` or `always`; empty when the file does not say.
        #[serde(default)]
        scope: String,
        /// What decided, or made it a question: a rule of the policy, an answer that is remembered, where content came from.
        #[serde(default)]
        rule: String,
    },
    /// A call that ran.
    Call {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// One line that says what it was about.
        #[serde(default)]
        detail: String,
        /// The arguments, redacted.
        #[serde(default)]
        arguments: Value,
        /// How long it took, in milliseconds.
        #[serde(default)]
        ms: u64,
        /// `ok`, or the code of the failure.
        #[serde(default)]
        outcome: String,
        /// Length of the result in characters.
        #[serde(default)]
        result_chars: u64,
        /// SHA-256 of the result's text, lower-case hexadecimal.
        #[serde(default)]
        result_sha256: String,
        /// The failure's message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The file that holds the whole result, where the model was given a part of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whole: Option<String>,
    },
    /// A call that ran no tool: of a meta tool, or one that was answered before any tool was found.
    Aside {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The name the model used.
        #[serde(default)]
        name: String,
        /// The arguments as the model wrote them, redacted.
        #[serde(default)]
        arguments: String,
        /// `ok`, or the code of the failure.
        #[serde(default)]
        outcome: String,
        /// What came of it, in short: ids that were found, what the person answered, or the failure's message.
        #[serde(default)]
        detail: String,
        /// Length of the answer in characters.
        #[serde(default)]
        result_chars: u64,
    },
    /// The task repeats itself, and what was done about it.
    Loop {
        /// What repeats, in one word, such as `repeat`, `cycle`, `same_failure`, `search`, `unknown_tool` or `plan`.
        #[serde(default)]
        pattern: String,
        /// Ids of the tools in it, in the order of the calls; names where a name means no tool.
        #[serde(default)]
        tools: Vec<String>,
        /// How often it was seen.
        #[serde(default)]
        times: u64,
        /// How far the answer to it went: `hint`, `block`, `must_answer` or `stop`.
        #[serde(default)]
        rung: String,
        /// What the model was told, or the person when it was stopped.
        #[serde(default)]
        said: String,
    },
    /// A call led away from what was asked.
    Drift {
        /// The call's id.
        #[serde(default)]
        call_id: String,
        /// The tool's id.
        #[serde(default)]
        tool: String,
        /// How far the answer to it went: `note` or `consent`.
        #[serde(default)]
        rung: String,
        /// Why it counts as far from what was asked.
        #[serde(default)]
        why: String,
        /// What the model was told.
        #[serde(default)]
        said: String,
    },
    /// One thing done to the exposure, so that a reader can do it again: see `docs/trace-format.md`.
    Step {
        /// What; tagged by `op`.
        #[serde(default)]
        step: Value,
    },
    /// A frozen prefix was opened, which ends the one before it.
    Epoch {
        /// Its number, from 1.
        #[serde(default)]
        epoch: u64,
        /// `direct`, `bridge` or `native`.
        #[serde(default)]
        transport: String,
        /// What made it necessary, in words.
        #[serde(default)]
        cause: String,
        /// Estimated tokens of the prefix.
        #[serde(default)]
        prefix_tokens: u64,
        /// The price: estimated tokens that no cache can serve any more.
        #[serde(default)]
        rebilled: u64,
    },
    /// The list of tools changed.
    Tools {
        /// SHA-256 of the catalogue from now on, lower-case hexadecimal.
        #[serde(default)]
        sha256: String,
        /// How many tools it has, those included that are no longer offered.
        #[serde(default)]
        count: u64,
        /// Ids of tools that are new.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new: Vec<String>,
        /// Ids of tools that could run before and cannot any more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<String>,
        /// Ids of tools that could not run before and can again.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        back: Vec<String>,
        /// Ids of tools whose description or parameters are others now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
    },
    /// The conversation grew too long, and its oldest turns were folded.
    Compacted {
        /// Results that were cut to a line.
        #[serde(default)]
        results: u64,
        /// Turns that were left out but for a line for each call.
        #[serde(default)]
        turns: u64,
        /// Results of the last turns that were cut in the middle.
        #[serde(default)]
        cut: u64,
        /// Estimated tokens of prefix and conversation before.
        #[serde(default)]
        before_tokens: u64,
        /// Estimated tokens of prefix and conversation after.
        #[serde(default)]
        after_tokens: u64,
    },
    /// The exposure widened.
    Rise {
        /// What made it widen, in words.
        #[serde(default)]
        cause: String,
        /// Ids of the tools that rose.
        #[serde(default)]
        tools: Vec<String>,
        /// The reach after it.
        #[serde(default)]
        reach: String,
    },
    /// Something was wrong that cost only itself.
    Problem {
        /// What.
        #[schemars(with = "schema::Problem")]
        problem: Problem,
    },
    /// The task is over.
    End {
        /// How: `done`, `not_completed`, `interrupted` and so on.
        #[serde(default)]
        state: String,
        /// The program's exit code.
        #[serde(default)]
        exit_code: i32,
        /// Calls that ran.
        #[serde(default)]
        calls: u64,
        /// Tokens over all replies.
        #[serde(default)]
        tokens: TokenUsage,
        /// How long the whole task took, in milliseconds.
        #[serde(default)]
        ms: u64,
        /// Length of the answer in characters.
        #[serde(default)]
        answer_chars: u64,
    },
    /// A kind this version does not know, from a newer program. Never written.
    #[serde(other, skip_serializing)]
    Unknown,
}

/// A file that does not say which attempt it was had one.
fn first() -> u64 {
    1
}

#[cfg(test)]
pub(crate) mod tests;
