//! `==` and `<` of device structs that derive them.

use super::parts::Parts;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;

impl Parts<'_> {
    /// Whether the struct derives a trait, below the attribute.
    fn derives(&self, name: &str) -> bool {
        self.item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|a| {
            let parse = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
            let derived = a.parse_args_with(parse).unwrap_or_default();
            derived.iter().any(|path| crate::types::ends_with(path, name))
        })
    }

    /// `==` and `<` of a struct that derives them, field by field.
    pub(super) fn comparisons(&self) -> TokenStream {
        let (name, rt) = (self.name, quote!(::lanework::lang::rt));
        let (generics, arguments, clause) = self.generics.split_for_impl();
        let (host, values) = (quote!(#name #arguments), self.of(&quote!(#rt::Values)));
        let mut out = TokenStream::new();
        for (derived, kind, methods) in [
            (
                "PartialEq",
                "Equate",
                vec![
                    ("eq", quote!(#rt::same::<#host>(self, other))),
                    ("ne", quote!(!#rt::same::<#host>(self, other))),
                ],
            ),
            (
                "PartialOrd",
                "Order",
                [("lt", "Lt"), ("le", "Le"), ("gt", "Gt"), ("ge", "Ge")]
                    .map(|(method, relation)| {
                        let relation = format_ident!("{}", relation);
                        (
                            method,
                            quote!(#rt::ordered::<#host>(#rt::Relation::#relation, self, other)),
                        )
                    })
                    .to_vec(),
            ),
        ] {
            if !self.derives(derived) {
                continue;
            }
            let kind = format_ident!("{}", kind);
            for (left, right) in [(&values, &values), (&values, &host), (&host, &values)] {
                let methods = methods.iter().map(|(method, body)| {
                    let method = format_ident!("{}", method);
                    quote!(#[track_caller] fn #method(self, other: #right) -> Self::Output { #body })
                });
                out.extend(quote! {
                    impl #generics #rt::#kind<#right> for #left #clause {
                        type Output = ::lanework::lang::Var<bool>;
                        #(#methods)*
                    }
                });
            }
        }
        out
    }
}
