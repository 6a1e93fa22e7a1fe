//! The macros of winclaw-sdk: `#[tool]`, `#[args]`, `#[result]`, `#[data]` and `export!`.
//!
//! Use them through winclaw-sdk, which says how; what they expand to names `::winclaw_sdk` only, so an author needs no
//! other dependency.
//!
//! Invariants:
//! - A mistake of the author is a compile error that stands at the mistake and says what would be right.
//! - The expansion holds no `unsafe` but the export of the entry symbol, which lies in `winclaw_abi::export_module!`.
//! - `plugin.toml` is read when the crate is compiled, and changing it recompiles the crate.

mod export;
mod plugin_toml;
mod tool;
mod types;

use proc_macro::TokenStream;

/// Makes a function a tool. See winclaw-sdk.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(tool::expand(attribute.into(), item.into()))
}

/// Makes a type the arguments of a tool. See winclaw-sdk.
#[proc_macro_attribute]
pub fn args(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(types::expand(types::Role::Args, attribute.into(), item.into()))
}

/// Makes a type the result of a tool. See winclaw-sdk.
#[proc_macro_attribute]
pub fn result(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(types::expand(types::Role::Result, attribute.into(), item.into()))
}

/// Makes a type readable from JSON of others. See winclaw-sdk.
#[proc_macro_attribute]
pub fn data(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(types::expand(types::Role::Data, attribute.into(), item.into()))
}

/// Makes a crate a plugin. See winclaw-sdk.
#[proc_macro]
pub fn export(input: TokenStream) -> TokenStream {
    finish(export::expand(input.into()))
}

fn finish(expansion: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expansion.unwrap_or_else(|error| error.to_compile_error()).into()
}
