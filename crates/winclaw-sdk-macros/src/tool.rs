use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::Parser;
use syn::{Attribute, Expr, FnArg, Ident, ItemFn, Lit, LitStr, Meta, Type};

/// What stands in `#[tool(…)]`.
struct Options {
    name: LitStr,
    side_effect: Ident,
}

/// The parameters of the function, once their order is known to be right.
struct Inputs {
    args: Option<Box<Type>>,
    context: bool,
}

/// Expands `#[tool(name = "…", side_effect = "…")]`: the function as it was, and a type of its name that is a `Tool`.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let function: ItemFn = syn::parse2(item)?;
    let options = options(attribute, &function.sig.ident)?;
    refuse_generics(&function)?;
    let inputs = inputs(&function)?;
    let definition = definition(&function, &options, &inputs);
    Ok(quote! { #function #definition })
}

fn definition(function: &ItemFn, options: &Options, inputs: &Inputs) -> TokenStream {
    let (ident, vis) = (&function.sig.ident, &function.vis);
    let Options { name, side_effect } = options;
    let description = description(&function.attrs);
    let no_args: Type = syn::parse_quote!(::winclaw_sdk::NoArgs);
    let args_type = inputs.args.as_deref().unwrap_or(&no_args);
    let work = work(function, inputs);
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #ident {}

        impl ::winclaw_sdk::Tool for #ident {
            const DEF: ::winclaw_sdk::ToolDef = ::winclaw_sdk::ToolDef {
                name: #name,
                description: #description,
                side_effect: ::winclaw_sdk::SideEffect::#side_effect,
                parameters: ::winclaw_sdk::__private::parameters::<#args_type>,
                start: |args, cx| {
                    let args: #args_type = args.read()?;
                    ::core::result::Result::Ok(#work)
                },
            };
        }
    }
}

fn work(function: &ItemFn, inputs: &Inputs) -> TokenStream {
    let ident = &function.sig.ident;
    let args = inputs.args.as_ref().map(|_| quote! { args, });
    let context = inputs.context.then(|| quote! { &cx, });
    let keep = quote! { let _ = (&args, &cx); };
    if function.sig.asyncness.is_some() {
        quote! { ::winclaw_sdk::Work::future(async move { #keep ::winclaw_sdk::__private::finish(#ident(#args #context).await) }) }
    } else {
        quote! { ::winclaw_sdk::Work::blocking(move || { #keep ::winclaw_sdk::__private::finish(#ident(#args #context)) }) }
    }
}

fn options(attribute: TokenStream, function: &Ident) -> syn::Result<Options> {
    let mut name = LitStr::new(&function.to_string(), function.span());
    let mut side_effect = None;
    let parser = syn::meta::parser(|meta| {
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match key.as_str() {
            "name" => name = meta.value()?.parse()?,
            "side_effect" => side_effect = Some(side_effect_of(&meta.value()?.parse()?)?),
            _ => return Err(meta.error("unknown option; `#[tool]` knows `name` and `side_effect`")),
        }
        Ok(())
    });
    parser.parse2(attribute)?;
    let missing = || syn::Error::new(function.span(), format!("say what a call may do to the world: {SIDE_EFFECTS}"));
    let side_effect = side_effect.ok_or_else(missing)?;
    check_name(&name)?;
    Ok(Options { name, side_effect })
}

const SIDE_EFFECTS: &str = "`side_effect = \"read\"` (looks only), \"write\" (can be undone or made again), \
                            \"destructive\" (may lose something) or \"external\" (acts on the world outside)";

fn side_effect_of(word: &LitStr) -> syn::Result<Ident> {
    let variant = match word.value().as_str() {
        "read" => "Read",
        "write" => "Write",
        "destructive" => "Destructive",
        "external" => "External",
        other => {
            return Err(syn::Error::new(word.span(), format!("`{other}` is no side effect; use {SIDE_EFFECTS}")));
        }
    };
    Ok(format_ident!("{variant}", span = word.span()))
}

fn check_name(name: &LitStr) -> syn::Result<()> {
    let text = name.value();
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if (1..=64).contains(&text.len()) && text.bytes().all(legal) {
        return Ok(());
    }
    Err(syn::Error::new(name.span(), format!("`{text}` is no tool name; use 1 to 64 of a-z, 0-9 and _")))
}

fn refuse_generics(function: &ItemFn) -> syn::Result<()> {
    let generics = &function.sig.generics;
    if generics.params.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new_spanned(generics, "a tool cannot be generic: its argument type is its schema"))
}

fn inputs(function: &ItemFn) -> syn::Result<Inputs> {
    let wrong = "a tool takes its arguments and then `&Context`, and may leave out either: \
                 `fn name(args: Args, cx: &Context) -> Result<T, Failure>`";
    let mut found = Inputs { args: None, context: false };
    for input in &function.sig.inputs {
        match input {
            FnArg::Typed(typed) if !found.context && is_context(&typed.ty) => found.context = true,
            FnArg::Typed(typed) if !found.context && found.args.is_none() => found.args = Some(typed.ty.clone()),
            other => return Err(syn::Error::new_spanned(other, wrong)),
        }
    }
    match (&found.args, &function.sig.output) {
        (Some(args), _) if matches!(**args, Type::Reference(_)) => Err(syn::Error::new_spanned(args, wrong)),
        (_, syn::ReturnType::Default) => Err(syn::Error::new_spanned(
            &function.sig,
            "a tool returns `Result<T, Failure>`, where T can be written as JSON",
        )),
        _ => Ok(found),
    }
}

fn is_context(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else {
        return false;
    };
    reference.mutability.is_none() && path.path.segments.last().is_some_and(|last| last.ident == "Context")
}

/// The doc comment as text: one leading space off each line, no blank lines at either end.
fn description(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned()).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(attribute: TokenStream, item: TokenStream) -> String {
        expand(attribute, item).expect_err("a compile error").to_string()
    }

    #[test]
    fn the_function_stays_and_its_doc_comment_is_the_description() {
        let attribute = quote! { name = "forecast", side_effect = "read" };
        let item = quote! {
            /// Weather for a place.
            ///
            ///  - and more
            pub async fn sky(args: Args, cx: &Context) -> Result<u8, Failure> { Ok(1) }
        };
        let text = expand(attribute, item).expect("an expansion").to_string();
        for part in [
            "pub async fn sky",
            "struct sky",
            "Work :: future",
            "\"Weather for a place.\\n\\n - and more\"",
            "SideEffect :: Read",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn either_parameter_may_be_left_out() {
        for item in [
            quote! { fn now() -> Result<u8, Failure> { Ok(1) } },
            quote! { fn now(cx: &Context) -> Result<u8, Failure> { Ok(1) } },
            quote! { fn now(args: Args) -> Result<u8, Failure> { Ok(1) } },
            quote! { fn now(A { b }: A, cx: &winclaw_sdk::Context) -> Result<u8, Failure> { Ok(1) } },
        ] {
            assert!(expand(quote! { side_effect = "read" }, item.clone()).is_ok(), "{item}");
        }
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let plain = quote! { fn now() -> Result<u8, Failure> { Ok(1) } };
        let read = quote! { side_effect = "read" };
        let cases = [
            (quote! {}, plain.clone(), "`side_effect = \"read\"`"),
            (quote! { side_effect = "reed" }, plain.clone(), "`reed` is no side effect"),
            (quote! { name = "Now!", side_effect = "read" }, plain.clone(), "1 to 64 of a-z"),
            (quote! { title = "x", side_effect = "read" }, plain, "knows `name` and `side_effect`"),
            (read.clone(), quote! { fn now(cx: &Context, a: A) -> Result<u8, F> { } }, "may leave out either"),
            (read.clone(), quote! { fn now(a: &A) -> Result<u8, F> { } }, "may leave out either"),
            (read.clone(), quote! { fn now(&self) -> Result<u8, F> { } }, "may leave out either"),
            (read.clone(), quote! { fn now(a: A) { } }, "returns `Result<T, Failure>`"),
            (read, quote! { fn now<T>(a: T) -> Result<u8, F> { } }, "cannot be generic"),
        ];
        for (attribute, item, part) in cases {
            let text = error(attribute, item.clone());
            assert!(text.contains(part), "{item}: {text}");
        }
    }
}
