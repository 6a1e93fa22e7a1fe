//! Word and HTML documents from Markdown, for WinClaw.
//!
//! One straight line: Markdown to clean events (`markdown`), images read from the allowed folders (`images`), then
//! either a page (`html`) or a tree of blocks (`tree`) and an Office package (`docx`), saved through a directory
//! handle ([`winclaw_sdk::files`]).
//!
//! Invariants:
//! - The same arguments and images give the same bytes: no clock, no counter that outlives a document.
//! - A file is never replaced unless the caller says so, and never half written.
//! - Nothing outside the allowed folders is read or written, and nothing is fetched from the network.
//! - Whatever the Markdown, the .docx is well-formed and the page runs no script.

mod create;
mod docx;
mod emphasis;
mod html;
mod images;
mod links;
mod markdown;
mod names;
mod plan;
mod text;
mod tree;

pub use create::{CreateArgs, Created};
pub use plan::Format;

winclaw_sdk::export!(plugin = "plugin.toml", tools = [create::create]);

/// What both writers say about a document besides its body.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The title, for properties and the browser's tab.
    pub title: String,
    /// The title as a line above the body; absent when the body opens with it.
    pub heading: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// The date as YYYY-MM-DD.
    pub date: Option<String>,
    /// The script the text is in.
    pub script: text::Script,
}

/// What stands where an image could not be had.
pub(crate) fn missing_image(url: &str, alt: &str) -> String {
    let name = if alt.is_empty() { url.split(',').next().unwrap_or(url) } else { alt };
    format!("[image: {}]", name.chars().take(80).collect::<String>())
}
