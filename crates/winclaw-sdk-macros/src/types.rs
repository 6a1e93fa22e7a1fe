use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Meta};

/// What a type is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Arguments of a tool: read strictly, with a schema.
    Args,
    /// The result of a tool: written.
    Result,
    /// JSON that comes from somewhere else: read leniently.
    Data,
}

/// The attributes that this module defines; a type may carry several of them.
const ROLES: [&str; 3] = ["args", "result", "data"];

/// Expands `#[args]`, `#[result]` or `#[data]` to derives that find serde and schemars inside winclaw-sdk.
pub(crate) fn expand(role: Role, attribute: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if !attribute.is_empty() {
        return Err(syn::Error::new_spanned(attribute, "this attribute takes no arguments"));
    }
    let mut input: DeriveInput = syn::parse2(item)?;
    let attributes = std::mem::take(&mut input.attrs);
    // Attributes of this module that still wait must expand before the derives; helper attributes stand after them.
    let (waiting, rest): (Vec<_>, Vec<_>) = attributes.into_iter().partition(is_role);
    let derives = derives(role, &rest);
    Ok(quote! { #(#waiting)* #derives #(#rest)* #input })
}

fn derives(role: Role, present: &[Attribute]) -> TokenStream {
    let serde =
        (!mentions(present, "serde", "crate")).then(|| quote! { #[serde(crate = "::winclaw_sdk::__private::serde")] });
    let strict = (role == Role::Args && !mentions(present, "serde", "deny_unknown_fields"))
        .then(|| quote! { #[serde(deny_unknown_fields)] });
    match role {
        Role::Args => quote! {
            #[derive(::winclaw_sdk::__private::serde::Deserialize, ::winclaw_sdk::__private::schemars::JsonSchema)]
            #serde
            #strict
            #[schemars(crate = "::winclaw_sdk::__private::schemars")]
        },
        Role::Result => quote! { #[derive(::winclaw_sdk::__private::serde::Serialize)] #serde },
        Role::Data => quote! { #[derive(::winclaw_sdk::__private::serde::Deserialize)] #serde },
    }
}

fn is_role(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| ROLES.iter().any(|role| segment.ident == role))
}

/// Whether one of `attributes` is `#[name(… word …)]`.
fn mentions(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident(name) => {
            list.tokens.clone().into_iter().any(|token| token.to_string() == word)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(role: Role, item: TokenStream) -> String {
        expand(role, TokenStream::new(), item).expect("an expansion").to_string()
    }

    #[test]
    fn arguments_are_read_strictly_and_have_a_schema() {
        let text = expanded(Role::Args, quote! { struct A { x: u8 } });
        for part in ["Deserialize", "JsonSchema", "deny_unknown_fields", "\"::winclaw_sdk::__private::schemars\""] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn what_the_author_wrote_is_not_written_twice() {
        let text = expanded(Role::Args, quote! { #[serde(deny_unknown_fields, rename_all = "camelCase")] struct A {} });
        assert_eq!(text.matches("deny_unknown_fields").count(), 1, "{text}");
        let text = expanded(Role::Result, quote! { #[serde(crate = "x")] struct A {} });
        assert_eq!(text.matches("crate").count(), 1, "{text}");
    }

    #[test]
    fn a_second_role_is_left_to_expand_first() {
        let text = expanded(Role::Args, quote! { #[result] #[serde(default)] struct A {} });
        assert!(text.starts_with("# [result] # [derive"), "{text}");
    }

    #[test]
    fn arguments_of_the_attribute_are_refused() {
        assert!(expand(Role::Data, quote! { strict }, quote! { struct A; }).is_err());
    }
}
