mod dialect;
mod rows;
mod voice;
mod words;

use winclaw_model::Format;

pub use self::dialect::{Arguments, CallIds, Continued, Dialect, Finish, Index, UsageAt, UsageShape};
pub use self::rows::VENDORS;
pub use self::voice::Voice;
use crate::rules::{self, Accepted, Refusal, Rules};

/// How a vendor is reached, what it refuses, how it says so, and how it answers. Plain data, a row of [`VENDORS`]; what was
/// found in which source stands at each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Vendor {
    /// Its name, as in `--model name/model`.
    pub name: &'static str,
    /// The wire format it speaks.
    pub format: Format,
    /// The path of its base URL, such as `/api/v1`; the format's path follows.
    pub base: &'static str,
    /// What it refuses. The formats of one vendor have rules of their own and regard nothing of this.
    pub rules: Rules,
    /// How it words its errors.
    pub voice: Voice,
    /// How it answers. The formats of one vendor have a dialect of their own and regard nothing of this.
    pub dialect: Dialect,
}

impl Vendor {
    /// The row of `name`, if there is one.
    pub fn of(name: &str) -> Option<&'static Vendor> {
        VENDORS.iter().find(|vendor| vendor.name == name)
    }

    /// The whole path of its chat requests.
    pub fn path(&self) -> String {
        let end = match self.format {
            Format::Chat => "/chat/completions",
            Format::Messages => "/v1/messages",
            Format::Responses => "/responses",
        };
        format!("{}{end}", self.base)
    }

    /// Checks a body as this vendor does, and reads it.
    pub fn check(&self, body: &[u8]) -> Result<Accepted, Refusal> {
        rules::read(self.format, body, &self.rules).map_err(|fault| self.voice.refusal(&fault))
    }
}
