//! What an estimated token is in real ones, learnt from what the vendor reports.

use crate::Exposure;

/// A report that differs more than this from the estimate, either way, is taken for a mistake: cached tokens left out, or
/// bytes instead of tokens. No tokeniser is that far from the estimate.
const MAX_OFF: f32 = 4.0;

/// What the ratio may become.
const LOWEST: f32 = 0.4;
const HIGHEST: f32 = 3.0;

/// The weight of one report against all before it.
const WEIGHT: f32 = 0.3;

/// Requests estimated at less say little: what the vendor wraps around them outweighs them.
const LEAST: u32 = 64;

/// `scale` if it can be one, else 1.
pub(crate) fn sound(scale: f32) -> f32 {
    if scale.is_finite() && scale > 0.0 { scale.clamp(LOWEST, HIGHEST) } else { 1.0 }
}

/// The ratio after one more report, if the report can be believed.
fn follow(scale: f32, estimated: u32, reported: u64) -> Option<f32> {
    if estimated < LEAST || reported == 0 {
        return None;
    }
    let ratio = reported as f32 / estimated as f32;
    let believable = (1.0 / MAX_OFF..=MAX_OFF).contains(&ratio);
    believable.then(|| sound(sound(scale) * (1.0 - WEIGHT) + ratio * WEIGHT))
}

impl Exposure {
    /// Takes in what a vendor reported for a request: `estimated` is the plain [`estimate_tokens`](crate::estimate_tokens)
    /// of all that was sent, `reported` the whole input, what a cache served included.
    ///
    /// The ratio moves three tenths of the way to each report and stays within 0.4 and 3. Reports of nothing, of very
    /// small requests (below 64 estimated tokens) and of less than a quarter or more than four times the estimate are
    /// passed over. Budgets are in real tokens from the next decision on; the prefix of the epoch stays as it is.
    pub fn calibrate(&mut self, estimated: u32, reported: u64) {
        if let Some(scale) = follow(self.settings.scale, estimated, reported) {
            self.settings.scale = scale;
            self.last_request = estimated;
        }
    }

    /// Real tokens for each estimated one, as far as it is known. Give it to the settings of the next task with the model.
    pub fn scale(&self) -> f32 {
        sound(self.settings.scale)
    }

    /// An estimate as real tokens. All numbers of surfaces, rows and the ledger are plain estimates.
    pub fn estimated(&self, raw: u32) -> u32 {
        self.settings.scaled(raw)
    }

    /// What stood behind the prefix in the last request that was reported, as an estimate.
    pub(crate) fn last_history(&self) -> u32 {
        self.last_request.saturating_sub(self.prefix_tokens)
    }
}
