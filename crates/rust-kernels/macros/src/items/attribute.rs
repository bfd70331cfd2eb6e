//! The arguments of `#[kernel(...)]`.

use crate::types::refuse;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Token};

/// `block = (32, 8), min_blocks = 2`.
pub struct Directives {
    list: Vec<(Ident, Expr)>,
}

/// The arguments that the attribute accepts; each is a function of the runtime.
const KNOWN: [&str; 5] = ["block", "max_threads", "min_blocks", "max_registers", "cluster"];

impl Parse for Directives {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(input)?;
        let mut list: Vec<(Ident, Expr)> = Vec::new();
        for Pair { name, value } in pairs {
            if !KNOWN.iter().any(|known| name == known) {
                return Err(refuse(
                    &name,
                    &format!("`{name}` is not an argument of #[kernel]"),
                    &format!("it takes {}", KNOWN.join(", ")),
                ));
            }
            if list.iter().any(|(known, _)| *known == name) {
                let text = format!("`{name}` is given twice");
                return Err(refuse(&name, &text, "remove one"));
            }
            list.push((name, value));
        }
        Ok(Directives { list })
    }
}

struct Pair {
    name: Ident,
    value: Expr,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Pair { name, value: input.parse()? })
    }
}

impl Directives {
    /// The directives as calls of the runtime.
    pub fn tokens(&self) -> Vec<TokenStream> {
        self.list
            .iter()
            .map(|(name, value)| {
                let function = quote::format_ident!("{}_directive", name);
                quote_spanned!(value.span() => ::lanework::lang::rt::#function(#value))
            })
            .collect()
    }
}
