//! `#[device]` structs and enums: implementations of the traits for their values in kernels.

pub mod enums;
pub mod structs;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Generics;

/// Implements the runtime's traits for a struct or an enum. `of` returns the type of its parts for a given kind. `any`
/// is that type for the generic kind `__K`, which `kinded` declares.
pub fn value_traits(
    (name, arguments): (&Ident, &TokenStream),
    generics: &Generics,
    kinded: &Generics,
    any: &TokenStream,
    of: &dyn Fn(&str) -> TokenStream,
) -> TokenStream {
    let clause = &generics.where_clause;
    let (plain, _, _) = generics.split_for_impl();
    let (kinded, _, _) = kinded.split_for_impl();
    let rt = quote!(::lanework::lang::rt);
    let (values, variables) = (of("Values"), of("Variables"));
    let host = quote!(#name #arguments);
    let read_host = quote! {
        fn view(self) -> Self { self }
        fn copy(self) -> Self { self }
    };
    let mut out = quote! {
        impl #plain #rt::To<#host> for #host #clause {
            fn to(self) -> #values { #rt::constant::<#host>(self) }
        }
        impl #plain #rt::Valued for #host #clause {
            type Value = #host;
        }
        impl #plain #rt::Read for #host #clause {
            type Value = #host;
            #read_host
        }
        impl #plain #rt::Receive for #host #clause {
            type Receiver = #host;
            fn receive(self) -> Self { self }
        }
        impl #plain #rt::IntoVariable for #host #clause {
            type Variable = #variables;
            fn into_variable(self) -> #variables { #rt::new_variable(self) }
        }
        impl #kinded #rt::IntoVariable for #any #clause {
            type Variable = #variables;
            fn into_variable(self) -> #variables { #rt::new_variable(self) }
        }
        impl #kinded #rt::To<#host> for #any #clause {
            #[track_caller]
            fn to(self) -> #values { #rt::read_view::<#host, __K>(self) }
        }
        impl #kinded #rt::Valued for #any #clause {
            type Value = #host;
            const IN_MEMORY: bool = <__K as #rt::Kind>::IN_MEMORY;
        }
        impl #kinded #rt::Read for #any #clause {
            type Value = #values;
            #[track_caller]
            fn view(self) -> #values { #rt::read_view::<#host, __K>(self) }
            #[track_caller]
            fn copy(self) -> #values { #rt::read_copy::<#host, __K>(self) }
        }
        impl #kinded #rt::InKernel for #any #clause {}
        impl #kinded #rt::Receive for #any #clause {
            type Receiver = Self;
            fn receive(self) -> Self { self }
        }
    };
    let temporaries = of("Temporaries");
    out.extend(quote! {
        impl #plain #rt::OfUser for #values #clause {
            type Receiver = #temporaries;
            fn temporary(self) -> #temporaries { #rt::temporary::<#host>(self) }
        }
        impl #plain #rt::Exclusive<#host> for #temporaries #clause {
            #[track_caller]
            fn enter(self) -> (#variables, #rt::Loan<#host>) {
                #rt::keep_nameless::<#host>(#rt::To::<#host>::to(self))
            }
        }
    });
    for (kind, enter) in [("Variables", "lend"), ("Places", "borrow")] {
        let of = of(kind);
        let (kind, enter) = (format_ident!("{}", kind), format_ident!("{}", enter));
        out.extend(quote! {
            impl #plain #rt::Target for #of #clause {
                type Value = #host;
                #[track_caller]
                fn set(self, value: #values) { #rt::set::<#host, #rt::#kind>(self, value) }
            }
            impl #plain #rt::Exclusive<#host> for #of #clause {
                #[track_caller]
                fn enter(self) -> (
                    <#host as ::lanework::lang::Data>::Of<#rt::Variables>,
                    #rt::Loan<#host>,
                ) {
                    #rt::#enter::<#host>(self)
                }
            }
        });
    }
    out
}
