//! Sizes and openings: short functions, short files, and a lib.rs that says what the crate is for.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::{Breach, Source};
use crate::process::Failed;

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 80;
const SHORT_FUNCTION: usize = 35;
/// At most so many functions in a hundred may be longer than [`SHORT_FUNCTION`].
const LONG_IN_A_HUNDRED: usize = 5;

/// Files and functions (`path` or `path:function`) over a limit, each with its reason.
const EXCEPTIONS: [(&str, &str); 0] = [];

pub fn check(sources: &[Source]) -> Result<Vec<Breach>, Failed> {
    let mut breaches = Vec::new();
    let mut functions = Functions::default();
    for source in sources {
        breaches.extend(opening(source));
        breaches.extend(file_size(source));
        functions.path = source.path.clone();
        let file = syn::parse_file(&source.text).map_err(|error| Failed::new(format!("{}: {error}", source.path)))?;
        functions.visit_file(&file);
    }
    breaches.extend(functions.breaches());
    Ok(breaches)
}

fn is_excepted(place: &str) -> bool {
    EXCEPTIONS.iter().any(|(excepted, _)| *excepted == place)
}

fn opening(source: &Source) -> Option<Breach> {
    let is_root = source.path.ends_with("src/lib.rs") || source.path.ends_with("src/main.rs");
    let head: String = source.text.lines().take_while(|line| line.starts_with("//!")).collect();
    let opens = !head.is_empty() && head.contains("Invariants:");
    (is_root && !opens).then(|| Breach::new(&source.path, "must open with `//!` lines: its purpose, and `Invariants:`"))
}

fn file_size(source: &Source) -> Option<Breach> {
    let lines = source.text.lines().count();
    (lines > FILE_LINES && !is_excepted(&source.path))
        .then(|| Breach::new(&source.path, format!("has {lines} lines, over {FILE_LINES}; split it by what it does")))
}

/// Every function of the project with its length in lines.
#[derive(Default)]
struct Functions {
    path: String,
    all: Vec<(String, usize)>,
}

impl Functions {
    fn add(&mut self, name: &syn::Ident, block: Span) {
        let lines = block.end().line.saturating_sub(block.start().line) + 1;
        self.all.push((format!("{}:{name}", self.path), lines));
    }

    fn breaches(&self) -> Vec<Breach> {
        let too_long = self.all.iter().filter(|(place, lines)| *lines > FUNCTION_LINES && !is_excepted(place));
        let mut breaches: Vec<Breach> = too_long
            .map(|(place, lines)| Breach::new(place, format!("is {lines} lines long, over {FUNCTION_LINES}")))
            .collect();
        let long = self.all.iter().filter(|(_, lines)| *lines > SHORT_FUNCTION).count();
        if long * 100 > self.all.len() * LONG_IN_A_HUNDRED {
            let all = self.all.len();
            breaches.push(Breach::new(
                "functions",
                format!("{long} of {all} are over {SHORT_FUNCTION} lines; 5 in 100 may"),
            ));
        }
        breaches
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig.ident, item.block.span());
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig.ident, item.block.span());
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig.ident, block.span());
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}
