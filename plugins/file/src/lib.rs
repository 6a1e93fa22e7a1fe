//! Files inside the allowed folders, for WinClaw.
//!
//! Every path becomes a place below an allowed folder ([`winclaw_sdk::files`]); every tool works on the directory handle
//! of that place. Texts go through `charset`, so that no encoding and no line end is lost.
//!
//! Invariants:
//! - Nothing outside the allowed folders is read, written, moved or deleted, whatever `..`, links or other processes do.
//! - Below a folder that may only be read nothing changes.
//! - A file is replaced in one step or not at all, and only when the caller says so.
//! - An edit changes the bytes it was asked to change and no others.
//! - Memory is bounded: by the page, the file limit of an edit, or the limits of a search.

mod charset;
mod delete;
mod edit;
mod list;
mod moving;
mod read;
mod replace;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod write;

pub use delete::{DeleteArgs, Deleted};
pub use edit::{EditArgs, Edited};
pub use list::{Info, InfoArgs, ListArgs, Listed, Listing, Sort};
pub use moving::{Made, MakeDirArgs, TransferArgs, Transferred};
pub use read::{Page, ReadArgs};
pub use search::{Match, Matches, SearchArgs};
pub use tree::{Tree, TreeArgs};
pub use write::{AppendArgs, Ends, WriteArgs, Written};

winclaw_sdk::export!(
    plugin = "plugin.toml",
    tools = [
        read::read,
        write::write,
        write::append,
        edit::edit,
        list::list,
        tree::tree,
        search::search,
        list::info,
        moving::relocate,
        moving::copy,
        delete::delete,
        moving::make_dir,
    ]
);
