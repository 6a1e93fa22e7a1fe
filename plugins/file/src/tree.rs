//! A folder and what is below it, drawn: `tree`.

use std::ops::ControlFlow;

use winclaw_sdk::files::{Access, Folders};
use winclaw_sdk::prelude::*;

use crate::list::here;
use crate::walk::{Rules, Visit, walk};

/// Which folder to draw.
#[args]
#[derive(Debug)]
pub struct TreeArgs {
    /// The folder, absolute or relative to the working folder.
    #[serde(default = "here")]
    pub path: String,
    /// How many levels to go down.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 12))]
    pub depth: u32,
    /// Most lines to return.
    #[serde(default = "hundreds")]
    #[schemars(range(min = 1, max = 5000))]
    pub limit: u32,
    /// Whether only folders are drawn.
    #[serde(default)]
    pub folders_only: bool,
    /// Whether names that start with a dot are drawn.
    #[serde(default)]
    pub hidden: bool,
}

fn three() -> u32 {
    3
}

fn hundreds() -> u32 {
    300
}

/// A folder, drawn.
#[result]
#[derive(Debug)]
pub struct Tree {
    /// Absolute path of the folder.
    pub path: String,
    /// One line an entry, two spaces a level; folders end in `/`, links in `@`.
    pub tree: String,
    /// How many folders are drawn.
    pub folders: usize,
    /// How many files and links are drawn.
    pub files: usize,
    /// Whether the drawing was cut at `limit`.
    pub more: bool,
}

/// Draw a folder as a tree of names, some levels deep.
#[tool(side_effect = "read")]
pub(crate) fn tree(args: TreeArgs, cx: &Context) -> Result<Tree, Failure> {
    tree_in(&Folders::of(cx), &args, &|| cx.check_cancelled())
}

pub(crate) fn tree_in(
    folders: &Folders,
    args: &TreeArgs,
    stop: &dyn Fn() -> Result<(), Failure>,
) -> Result<Tree, Failure> {
    let place = folders.find(&args.path, Access::Read)?;
    let dir = place.open_dir()?;
    let mut tree =
        Tree { path: place.path().display().to_string(), tree: String::new(), folders: 0, files: 0, more: false };
    let rules = Rules { hidden: args.hidden, depth: args.depth.clamp(1, 12) as usize };
    let limit = args.limit.clamp(1, 5_000) as usize;
    let _ = walk(&dir, rules, &mut |visit| {
        stop()?;
        if args.folders_only && !visit.metadata.is_dir() {
            return Ok(ControlFlow::Continue(()));
        }
        if tree.folders + tree.files == limit {
            tree.more = true;
            return Ok(ControlFlow::Break(()));
        }
        tree.draw(visit);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(tree)
}

impl Tree {
    fn draw(&mut self, visit: &Visit<'_>) {
        let mark = match visit.metadata {
            found if found.is_dir() => "/",
            found if found.is_symlink() => "@",
            _ => "",
        };
        let name = visit.name.to_string_lossy().replace(char::is_control, "?");
        self.tree.push_str(&format!("{}{name}{mark}\n", "  ".repeat(visit.depth - 1)));
        match visit.metadata.is_dir() {
            true => self.folders += 1,
            false => self.files += 1,
        }
    }
}
