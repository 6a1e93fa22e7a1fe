use serde::Serialize;

use crate::Record;

/// Estimated input tokens, against a host that shows every schema in every model call.
///
/// Let call `i` of a task have a prefix of `P_i` tokens and a tail of `T_i`, and let every schema take `E_i`; let the
/// prefix that opens an epoch within the conversation cause `R` tokens (prefix and conversation) to be billed again.
///
/// - `saved` = Σ (`E_i` − `P_i` − `T_i`), `missed` = Σ `R`, and `net` = `saved` − `missed`: tokens, each counting the same.
/// - `net_priced` weighs them as they are billed, where a token from the cache costs `q` of one that is not. The other host
///   pays Σ `q·E_i`, and `E_1` in full where the conversation begins; ours pays Σ `q·P_i`, in full where an epoch opens,
///   every `T_i` in full, and `(1−q)` of the conversation where an epoch opens within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Savings {
    /// What every schema would have taken, over all model calls.
    pub everything: u64,
    /// What prefix and tail took.
    pub sent: u64,
    /// `everything` − `sent`.
    pub saved: i64,
    /// Tokens that no cache could serve because an epoch opened within a conversation.
    pub missed: u64,
    /// `saved` − `missed`.
    pub net: i64,
    /// The same as billed, in tokens at full price.
    pub net_priced: i64,
    /// What a token from the cache costs, in hundredths of one that is not.
    pub cached_percent: u32,
    /// Hundredths of a token, so that sums are exact.
    #[serde(skip)]
    hundredths: i128,
}

/// What one task has opened so far.
#[derive(Debug, Default)]
pub(super) struct Billed {
    calls: u64,
    /// Whether the conversation began in an earlier task.
    continued: bool,
    /// The price of the epoch that was opened since the last surface.
    opened: Option<u64>,
}

impl Savings {
    pub(super) fn new(cached_percent: u32) -> Savings {
        Savings { cached_percent: cached_percent.min(100), ..Savings::default() }
    }

    pub(super) fn record(&mut self, billed: &mut Billed, record: &Record) {
        match record {
            Record::Session { request_no, .. } => billed.continued = *request_no > 1,
            Record::Epoch { rebilled, .. } => {
                billed.opened = Some(billed.opened.unwrap_or(0).saturating_add(*rebilled));
            }
            Record::Exposure { prefix_tokens, tail_tokens, everything_tokens, .. } => {
                self.call(billed, *prefix_tokens, *tail_tokens, *everything_tokens);
            }
            _ => {}
        }
    }

    fn call(&mut self, billed: &mut Billed, prefix: u64, tail: u64, everything: u64) {
        let begins = billed.calls == 0 && !billed.continued;
        billed.calls += 1;
        let opened = billed.opened.take();
        let missed = if begins { None } else { opened };
        self.everything = self.everything.saturating_add(everything);
        self.sent = self.sent.saturating_add(prefix).saturating_add(tail);
        self.missed = self.missed.saturating_add(missed.unwrap_or(0));
        let cached = i128::from(self.cached_percent);
        let at = |tokens: u64, full: bool| i128::from(tokens) * if full { 100 } else { cached };
        let again = i128::from(missed.unwrap_or(0).saturating_sub(prefix)) * (100 - cached);
        let ours = at(prefix, begins || opened.is_some()) + at(tail, true) + if missed.is_some() { again } else { 0 };
        self.hundredths += at(everything, begins) - ours;
        self.sum();
    }

    fn sum(&mut self) {
        let small = |tokens: i128| i64::try_from(tokens).unwrap_or(if tokens < 0 { i64::MIN } else { i64::MAX });
        self.saved = small(i128::from(self.everything) - i128::from(self.sent));
        self.net = small(i128::from(self.everything) - i128::from(self.sent) - i128::from(self.missed));
        self.net_priced = small(self.hundredths / 100);
    }
}
