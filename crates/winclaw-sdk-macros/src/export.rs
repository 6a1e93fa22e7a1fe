use std::path::Path;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Token, bracketed};

use crate::plugin_toml::{self, Author};

const FORM: &str = "write it as `export!(plugin = \"plugin.toml\", tools = [first_tool, second_tool]);`";

/// What stands in `export!(…)`.
struct Export {
    file: LitStr,
    tools: Vec<syn::Path>,
}

impl Parse for Export {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut file, mut tools) = (None, None);
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            if key == "plugin" {
                file = Some(input.parse()?);
            } else if key == "tools" {
                tools = Some(parse_tools(input)?);
            } else {
                return Err(syn::Error::new(key.span(), FORM));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        match (file, tools) {
            (Some(file), Some(tools)) if !tools.is_empty() => Ok(Export { file, tools }),
            _ => Err(input.error(FORM)),
        }
    }
}

fn parse_tools(input: ParseStream<'_>) -> syn::Result<Vec<syn::Path>> {
    let list;
    bracketed!(list in input);
    let paths = Punctuated::<syn::Path, Token![,]>::parse_terminated_with(&list, syn::Path::parse_mod_style)?;
    Ok(paths.into_iter().collect())
}

/// Expands `export!(…)`: the checks of `plugin.toml` against the tools, `fn plugin()`, and the entry symbol.
pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let export: Export = syn::parse2(input)?;
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let path = Path::new(&folder).join(export.file.value());
    let name = export.file.value();
    let wrong = |what: String| syn::Error::new(export.file.span(), format!("{name}: {what}"));
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong(format!("cannot be read next to Cargo.toml: {error}; create it or mend the name")))?;
    let author = plugin_toml::read(&text).map_err(wrong)?;
    generate(&export, &author)
}

fn generate(export: &Export, author: &Author) -> syn::Result<TokenStream> {
    let manifest =
        serde_json::to_string(&author.manifest).map_err(|error| syn::Error::new(export.file.span(), error))?;
    let (checks, file, tools) = (checks(export, author), &export.file, &export.tools);
    let version = if author.has_version {
        quote! { ::core::option::Option::None }
    } else {
        quote! { ::core::option::Option::Some(::core::env!("CARGO_PKG_VERSION")) }
    };
    Ok(quote! {
        #checks

        // Makes cargo build the crate again when the file changes.
        const _: &[u8] = ::core::include_bytes!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #file));

        #[doc(hidden)]
        pub struct __WinclawExport;

        impl ::winclaw_sdk::__private::Export for __WinclawExport {
            fn core() -> &'static ::winclaw_sdk::__private::Core {
                static CORE: ::std::sync::OnceLock<::winclaw_sdk::__private::Core> = ::std::sync::OnceLock::new();
                CORE.get_or_init(|| {
                    let tools = [#(<#tools as ::winclaw_sdk::Tool>::DEF),*];
                    ::winclaw_sdk::__private::Core::new(#manifest, #version, &tools)
                })
            }
        }

        /// This plugin, as winclaw-sdk-testing takes it.
        pub fn plugin() -> ::winclaw_sdk::Plugin {
            ::winclaw_sdk::Plugin::of::<__WinclawExport>()
        }

        ::winclaw_sdk::__private::abi::export_module!(::winclaw_sdk::__private::module::<__WinclawExport>);
    })
}

/// Constants that do not compile when a tool lacks its table, a table its tool, or two tools share a name.
fn checks(export: &Export, author: &Author) -> TokenStream {
    let file = export.file.value();
    let tools = &export.tools;
    let tables: Vec<&str> = author.manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    let listed = quote! { &[#(<#tools as ::winclaw_sdk::Tool>::DEF.name),*] };
    let tables_have_tools = tables.iter().map(|table| {
        let message = format!("{file}: [tools.{table}] has no tool of that name in export!(tools = [...])");
        assertion(&export.file, &quote! { ::winclaw_sdk::__private::has(#listed, #table) }, &message)
    });
    let tools_have_tables = tools.iter().map(|tool| {
        let (shown, known) = (quote!(#tool).to_string().replace(' ', ""), tables.join(", "));
        let message = format!("{file}: there is no [tools.NAME] table for the tool `{shown}`; the tables are: {known}");
        let names = quote! { &[#(#tables),*] };
        assertion(
            tool,
            &quote! { ::winclaw_sdk::__private::has(#names, <#tool as ::winclaw_sdk::Tool>::DEF.name) },
            &message,
        )
    });
    let message = "two tools in export!(tools = [...]) have the same name";
    let distinct = assertion(&export.file, &quote! { ::winclaw_sdk::__private::distinct(#listed) }, message);
    quote! { #(#tables_have_tools)* #(#tools_have_tables)* #distinct }
}

fn assertion(at: &impl Spanned, condition: &TokenStream, message: &str) -> TokenStream {
    quote_spanned! { at.span() => const _: () = if !#condition { ::core::panic!("{}", #message) }; }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(input: TokenStream) -> String {
        expand(input).expect_err("a compile error").to_string()
    }

    #[test]
    fn a_wrong_form_shows_the_right_one() {
        for input in [
            quote! {},
            quote! { plugin = "plugin.toml" },
            quote! { plugin = "plugin.toml", tools = [] },
            quote! { file = "plugin.toml", tools = [a] },
        ] {
            assert!(error(input.clone()).contains("write it as `export!("), "{input}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let text = error(quote! { plugin = "nowhere.toml", tools = [a::b] });
        assert!(text.starts_with("nowhere.toml: cannot be read next to Cargo.toml"), "{text}");
    }

    #[test]
    fn tables_and_tools_are_held_against_each_other() {
        let export: Export = syn::parse2(quote! { plugin = "p.toml", tools = [sky::forecast,] }).expect("the form");
        let toml = "id = \"sky\"\n[tools.forecast]\ncategory = \"c\"\nsummary = \"s\"";
        let author = plugin_toml::read(toml).expect("a sound file");
        let text = checks(&export, &author).to_string();
        assert!(text.contains("p.toml: [tools.forecast] has no tool of that name"), "{text}");
        assert!(
            text.contains("no [tools.NAME] table for the tool `sky::forecast`; the tables are: forecast"),
            "{text}"
        );
    }
}
