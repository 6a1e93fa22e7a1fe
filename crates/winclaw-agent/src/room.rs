//! When a conversation no longer fits: what is counted before each request, and what is told when it was folded.

use winclaw_catalog::{Catalog, Resolution};
use winclaw_exposure::{Event as Decision, estimate_tokens};
use winclaw_model::{Message, WireCall};
use winclaw_tool::{Text, detail_line};
use winclaw_trace::Record;

use crate::compact::{self, Folded, Room};
use crate::conversation::size;
use crate::report::EndState;
use crate::task::Task;
use crate::{Event, Kept};

/// Longest part of a folded result that stays, in characters.
const MAX_HEAD: usize = 120;

impl Task<'_> {
    /// Folds the oldest turns when prefix and conversation take more than their share of the window.
    pub(crate) fn make_room(&mut self) {
        let before = self.sent_tokens();
        let limit = self.share_of_window();
        if self.session.lens.exposure.estimated(before) <= limit {
            return;
        }
        let room = self.room(limit);
        let catalog = self.catalog();
        let folded = compact::fold(&mut self.session.history, room, &|call, result| line(&catalog, call, result));
        if folded == Folded::default() {
            return;
        }
        self.session.lens.compacted();
        if let Some(keep) = self.parts.keep {
            keep(Kept::Rewritten(self.session.history.messages()));
        }
        let after = self.sent_tokens();
        self.tell_folded(folded, before, after);
    }

    /// How a task ends whose last message of a person is by itself longer than the window; nothing is sent then.
    pub(crate) fn too_long(&self) -> Option<EndState> {
        let is_person = |message: &&Message| matches!(message, Message::User { .. });
        let said = self.session.history.messages().iter().rev().find(is_person)?;
        let takes = self.session.lens.exposure.estimated(size(said));
        let window = self.options.exposure.window_tokens;
        (takes > window).then(|| EndState::NotCompleted { why: does_not_fit(takes, window) })
    }

    /// The plain estimate of what the next request takes, but for its tail.
    fn sent_tokens(&self) -> u32 {
        self.session.prefix_tokens.saturating_add(self.session.history.tokens())
    }

    /// Real tokens that prefix and conversation may take.
    fn share_of_window(&self) -> u32 {
        let tokens = u64::from(self.options.exposure.window_tokens) * u64::from(self.options.fold_at_percent) / 100;
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// What is left of `limit` beside the prefix, as plain estimates; folding goes on to half of it.
    fn room(&self, limit: u32) -> Room {
        let plain = (f64::from(limit) / f64::from(self.session.lens.exposure.scale())) as u32;
        let left = plain.saturating_sub(self.session.prefix_tokens);
        Room { limit: left, target: left / 2 }
    }

    /// Characters of `text` that the model may read as one result: at most a quarter of the window.
    pub(crate) fn result_limit(&self, text: &str) -> usize {
        let quarter = self.options.exposure.window_tokens / 4;
        if self.session.lens.exposure.estimated(estimate_tokens(text)) <= quarter {
            return self.options.result_chars;
        }
        let plain = (f64::from(quarter) / f64::from(self.session.lens.exposure.scale())) as u32;
        self.options.result_chars.min(crate::conversation::fitting(text, plain))
    }

    fn tell_folded(&mut self, folded: Folded, before: u32, after: u32) {
        self.recorder.put(Record::Compacted {
            results: folded.results as u64,
            turns: folded.turns as u64,
            cut: folded.cut as u64,
            before_tokens: before.into(),
            after_tokens: after.into(),
        });
        let price = self.session.lens.exposure.ledger().iter().rev().find_map(|entry| match entry.event {
            Decision::Opened { rebilled, .. } => Some(rebilled),
            _ => None,
        });
        let (price, results) = (price.unwrap_or(0), folded.results + folded.cut + folded.turns);
        self.parts.front.show(Event::Notice { text: notice(before, after, results, price) });
    }
}

fn does_not_fit(takes: u32, window: u32) -> Text {
    Text::new(
        format!(
            "the message does not fit: it takes about {takes} tokens and the model's window is {window}; nothing was sent. \
             Shorten it, name a file instead of its text, or use a model with a larger window"
        ),
        format!(
            "消息过长：约 {takes} 个 token，而模型的上下文窗口为 {window}；未发送任何内容。请缩短消息、改为给出文件名，或使用窗口更大的模型"
        ),
    )
}

fn notice(before: u32, after: u32, results: usize, price: u32) -> Text {
    Text::new(
        format!(
            "the conversation grew to about {before} tokens; {results} earlier results were folded to make room, about \
             {after} are left, and about {price} are billed again"
        ),
        format!(
            "对话已增至约 {before} 个 token；为腾出空间，已折叠 {results} 条早先的结果，剩余约 {after} 个，约 {price} 个需重新计费"
        ),
    )
}

/// One line on a call and what came of it.
fn line(catalog: &Catalog, call: &WireCall, result: &str) -> String {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
    let (name, arguments) = unwrapped(&call.name, arguments);
    let what = match catalog.resolve(&name) {
        Resolution::One(tool) => {
            let tool = catalog.get(tool);
            format!("{} ({})", tool.wire_name, detail_line(&tool.manifest.detail_keys, &arguments))
        }
        _ => format!("{name} ({arguments})"),
    };
    let worked = if result.starts_with("{\"error\":") { "failed" } else { "ok" };
    let head = winclaw_catalog::clean(&result.replace(['\n', '\r'], " "), MAX_HEAD);
    format!("{}: {worked}: {head}", winclaw_catalog::clean(&what.replace(['\n', '\r'], " "), MAX_HEAD))
}

/// A bridged call as the call of the tool it names.
fn unwrapped(name: &str, arguments: serde_json::Value) -> (String, serde_json::Value) {
    let inner = (name == "tool_call").then(|| arguments.get("name")?.as_str().map(str::to_owned)).flatten();
    match inner {
        Some(inner) => (inner, arguments.get("arguments").cloned().unwrap_or_default()),
        None => (name.to_owned(), arguments),
    }
}
