//! `#[device] enum`: an enum without data is an integer while staging; `variants.rs` handles enums
//! with data.

use crate::data::structs::staged_name;
use crate::data::value_traits::value_traits;
use crate::types::refuse;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Fields, Generics, ItemEnum};

mod variants;

pub use variants::{choice_of, field_of, test_of, variant_of};

/// The integers that an enum may be stored as.
const INTEGERS: [&str; 10] =
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// Declares a device enum, or reports why it cannot.
pub fn expand(item: &ItemEnum) -> syn::Result<TokenStream> {
    if item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit)) {
        return variants::expand(item);
    }
    if !item.generics.params.is_empty() {
        return Err(refuse(&item.generics, "a #[device] enum has no generics", "remove them"));
    }
    if item.variants.is_empty() {
        return Err(refuse(item, "a #[device] enum has at least one variant", "add one"));
    }
    let (known, repr) = repr(item)?;
    let layout = if known { quote!() } else { quote!(#[repr(#repr)]) };
    let (name, visibility, staged) = (&item.ident, &item.vis, staged_name(&item.ident));
    let text = format!("A [`{name}`] while a kernel is staged.");
    let kinded: Generics = syn::parse_quote!(<__K: ::lanework::lang::rt::Kind>);
    let of = |kind: &str| {
        let kind = format_ident!("{}", kind);
        quote!(#staged<::lanework::lang::rt::#kind>)
    };
    let any = quote!(#staged<__K>);
    let uses = value_traits(name, &Generics::default(), &kinded, &any, &of);
    let rt = quote!(::lanework::lang::rt);
    let values = of("Values");
    let compare = |left: &TokenStream, right: &TokenStream| {
        quote! {
            impl #rt::Equate<#right> for #left {
                type Output = ::lanework::lang::Var<bool>;
                #[track_caller]
                fn eq(self, other: #right) -> Self::Output {
                    #rt::same::<#name>(self, other)
                }
                #[track_caller]
                fn ne(self, other: #right) -> Self::Output {
                    !#rt::same::<#name>(self, other)
                }
            }
        }
    };
    let host = quote!(#name);
    let comparisons = [compare(&values, &values), compare(&values, &host), compare(&host, &values)];
    Ok(quote! {
        #layout
        #item
        #[doc = #text]
        #[doc(hidden)]
        #[allow(dead_code)]
        #visibility struct #staged<__K: #rt::Kind> {
            #[doc(hidden)]
            pub __tag: __K::Scalar<#repr>,
        }
        #[allow(clippy::all, unused_qualifications)]
        const _: () = {
            impl ::lanework::lang::Data for #name {
                type Of<__K: #rt::Kind> = #staged<__K>;
                fn leaves(__offset: u64, __out: &mut ::std::vec::Vec<#rt::Leaf>) {
                    <#repr as ::lanework::lang::Data>::leaves(__offset, __out)
                }
                fn bits(self, __out: &mut ::std::vec::Vec<u64>) {
                    ::lanework::lang::Data::bits(self as #repr, __out)
                }
                fn build<__K: #rt::Kind>(__parts: &mut #rt::Parts<'_>) -> #staged<__K> {
                    #staged { __tag: <#repr as ::lanework::lang::Data>::build::<__K>(__parts) }
                }
                fn parts<__K: #rt::Kind>(
                    __value: #staged<__K>,
                    __out: &mut ::std::vec::Vec<#rt::Part>,
                ) {
                    <#repr as ::lanework::lang::Data>::parts::<__K>(__value.__tag, __out)
                }
            }
            impl<__K: #rt::Kind> ::core::clone::Clone for #staged<__K> {
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl<__K: #rt::Kind> ::core::marker::Copy for #staged<__K> {}
            #uses
            #(#comparisons)*
            impl<__U: ::lanework::lang::Scalar> #rt::Cast<__U> for #name {
                type Output = __U;
                fn cast(self) -> __U {
                    #rt::Cast::<__U>::cast(self as #repr)
                }
            }
            impl<__U: ::lanework::lang::Scalar> #rt::Cast<__U> for #values {
                type Output = ::lanework::lang::Var<__U>;
                #[track_caller]
                fn cast(self) -> Self::Output {
                    #rt::Cast::<__U>::cast(self.__tag)
                }
            }
        };
    })
}

/// The integer type that the enum is stored as, and whether its `repr` attribute names it.
fn repr(item: &ItemEnum) -> syn::Result<(bool, Ident)> {
    if let Some(attribute) = item.attrs.iter().find(|a| a.path().is_ident("repr")) {
        let word: Ident = attribute.parse_args()?;
        if INTEGERS.iter().any(|known| word == known) {
            return Ok((true, word));
        }
        return Err(refuse(
            attribute,
            "a #[device] enum is stored as an integer",
            "write `#[repr(u32)]`, or no `repr` at all",
        ));
    }
    let negative = item.variants.iter().any(|variant| {
        matches!(&variant.discriminant, Some((_, syn::Expr::Unary(unary)))
            if matches!(unary.op, syn::UnOp::Neg(_)))
    });
    Ok((false, Ident::new(if negative { "i32" } else { "u32" }, Span::call_site())))
}
