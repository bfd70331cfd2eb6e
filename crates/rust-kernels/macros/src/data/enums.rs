//! `#[device] enum`. While staging, an enum without data is an integer. An enum with data is a struct of its number and
//! the fields of all variants.

use crate::data::structs::{Parts, copies, refused_reference, staged_name};
use crate::data::value_traits;
use crate::source::derives;
use crate::source::lifetimes;
use crate::types::refuse;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Fields, Generics, ItemEnum, ItemStruct, Member, Path, Type};

/// The integer types that can store an enum.
const INTEGERS: [&str; 10] =
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// Declares a device enum, or returns the error.
pub fn expand(item: &ItemEnum) -> syn::Result<TokenStream> {
    if item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit)) {
        return expand_with_data(item);
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
    let uses = value_traits((name, &TokenStream::new()), &Generics::default(), &kinded, &any, &of);
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
    let mut comparisons =
        vec![compare(&values, &values), compare(&values, &host), compare(&host, &values)];
    comparisons.push(quote! {
        impl #rt::Equal for #name {
            #[track_caller]
            fn equal(first: #values, second: #values) -> ::lanework::lang::Var<bool> {
                <#repr as #rt::Equal>::equal(first.__tag, second.__tag)
            }
        }
    });
    if derives(name, "PartialOrd") {
        comparisons.push(quote! {
            impl #rt::Ordered for #name {
                #[track_caller]
                fn related(
                    relation: #rt::Relation, first: #values, second: #values,
                ) -> ::lanework::lang::Var<bool> {
                    <#repr as #rt::Ordered>::related(relation, first.__tag, second.__tag)
                }
            }
        });
    }
    let copies = copies(&item.ident);
    let variants: Vec<_> = item.variants.iter().map(|variant| &variant.ident).collect();
    let default = derives(name, "Default").then(|| {
        quote! {
            impl<__K: #rt::Kind> #staged<__K> {
                #[doc(hidden)]
                pub fn default() -> #rt::Handle<#name> {
                    #rt::constant::<#name>(::core::default::Default::default())
                }
            }
        }
    });
    Ok(quote! {
        #copies
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
            #default
            impl ::lanework::lang::Storable for #name {
                fn write(&self, __to: &mut [u8]) {
                    ::lanework::lang::Storable::write(&(*self as #repr), __to)
                }
                fn read(__from: &[u8]) -> ::core::option::Option<Self> {
                    let __number = <#repr as ::lanework::lang::Storable>::read(__from)?;
                    #(if __number == #name::#variants as #repr {
                        return ::core::option::Option::Some(#name::#variants);
                    })*
                    ::core::option::Option::None
                }
            }
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

/// The integer type that stores the enum, and whether its `repr` attribute names it.
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

/// The variant that a path names in an expression or a pattern: the part after a type's name.
pub fn variant_of(path: &Path) -> Option<&Ident> {
    let mut backwards = path.segments.iter().rev();
    let (variant, of) = (&backwards.next()?.ident, &backwards.next()?.ident);
    of.to_string().starts_with(|c: char| c.is_ascii_uppercase()).then_some(variant)
}

/// The field of the staged enum that holds a variant's field.
pub fn field_of(variant: &Ident, member: &Member) -> Ident {
    match member {
        Member::Named(name) => format_ident!("__{}_{}", variant, name),
        Member::Unnamed(index) => format_ident!("__{}_{}", variant, index.index),
    }
}

/// The method that tests a staged enum for a variant.
pub fn test_of(variant: &Ident) -> Ident {
    format_ident!("__is_{}", variant)
}

/// The method that sets a staged enum's variant.
pub fn choice_of(variant: &Ident) -> Ident {
    format_ident!("__be_{}", variant)
}

/// A field of a variant.
struct Field {
    /// The variant's number.
    variant: usize,
    member: Member,
    /// Its name in the staged enum.
    name: Ident,
    ty: Type,
}

fn fields(item: &ItemEnum) -> Vec<Field> {
    let mut all = Vec::new();
    for (number, variant) in item.variants.iter().enumerate() {
        for (member, field) in variant.fields.members().zip(&variant.fields) {
            let name = field_of(&variant.ident, &member);
            let ty = lifetimes::of_field(&field.ty);
            all.push(Field { variant: number, member, name, ty });
        }
    }
    all
}

/// Declares an enum with data, or returns the error.
pub fn expand_with_data(item: &ItemEnum) -> syn::Result<TokenStream> {
    let fields = fields(item);
    if let Some(reference) = fields.iter().find_map(|field| refused_reference(&field.ty)) {
        return Err(refuse(
            reference,
            "a #[device] enum cannot hold a reference",
            "hold the value, or a slice `&[T]`",
        ));
    }
    let taken = apart(item, &fields);
    let parts = Parts::new(&taken);
    let (staged, uses, copied) = (parts.staged(), parts.conversions(), parts.copied());
    let (data, variants) = (data(item, &fields, &parts), variants(item, &parts));
    let (compared, checks) = (comparisons(item, &parts), parts.checks());
    let default = parts.default(&item.ident);
    let copies = copies(&item.ident);
    Ok(quote! {
        #copies
        #item
        #[allow(non_snake_case)]
        #staged
        #[allow(clippy::all, unused_qualifications, non_snake_case)]
        const _: () = {
            #data
            #copied
            #variants
            #uses
            #compared
            #checks
            #default
        };
    })
}

/// A struct with the enum's name that holds the number and the fields of all variants.
fn apart(item: &ItemEnum, fields: &[Field]) -> ItemStruct {
    let (name, visibility, generics) = (&item.ident, &item.vis, &item.generics);
    let (names, types) = (fields.iter().map(|f| &f.name), fields.iter().map(|f| &f.ty));
    let clause = &generics.where_clause;
    syn::parse_quote! {
        #visibility struct #name #generics #clause {
            pub __tag: u32,
            #(pub #names: #types,)*
        }
    }
}

/// The implementation of `Data`.
fn data(item: &ItemEnum, fields: &[Field], parts: &Parts) -> TokenStream {
    let (name, rt) = (&item.ident, quote!(::lanework::lang::rt));
    let ((generics, _, clause), arguments) = (parts.generics.split_for_impl(), &parts.arguments);
    let (of, staged) = (parts.of(&quote!(__K)), &parts.staged);
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let numbers: Vec<_> = fields.iter().map(|field| field.variant as u64).collect();
    let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
    let arms = item.variants.iter().enumerate().map(|(number, variant)| {
        let (ident, tag) = (&variant.ident, number as u64);
        let own: Vec<_> = fields.iter().filter(|field| field.variant == number).collect();
        let (members, bound) = (own.iter().map(|f| &f.member), own.iter().map(|f| &f.name));
        let bits = fields.iter().map(|field| {
            let (ty, held) = (&field.ty, &field.name);
            match field.variant == number {
                true => quote!(<#ty as ::lanework::lang::Data>::bits(#held, __out);),
                false => quote!(#rt::no_bits::<#ty>(__out);),
            }
        });
        quote!(#name::#ident { #(#members: #bound),* } => { __out.push(#tag); #(#bits)* })
    });
    quote! {
        impl #generics ::lanework::lang::Data for #name #arguments #clause {
            type Of<__K: #rt::Kind> = #of;
            fn size() -> u64 {
                #rt::variants_size(&[#(<#types as ::lanework::lang::Data>::size()),*])
            }
            fn leaves(__offset: u64, __out: &mut ::std::vec::Vec<#rt::Leaf>) {
                #rt::variants_leaves(__offset, &[#((
                    #numbers,
                    <#types as ::lanework::lang::Data>::size(),
                    <#types as ::lanework::lang::Data>::leaves,
                )),*], __out)
            }
            fn bits(self, __out: &mut ::std::vec::Vec<u64>) {
                match self { #(#arms)* }
            }
            fn build<__K: #rt::Kind>(__parts: &mut #rt::Parts<'_>) -> #of {
                #staged {
                    __tag: <u32 as ::lanework::lang::Data>::build::<__K>(__parts),
                    #(#names: <#types as ::lanework::lang::Data>::build::<__K>(__parts),)*
                    __kind: ::core::marker::PhantomData,
                }
            }
            fn parts<__K: #rt::Kind>(__value: #of, __out: &mut ::std::vec::Vec<#rt::Part>) {
                <u32 as ::lanework::lang::Data>::parts::<__K>(__value.__tag, __out);
                #(<#types as ::lanework::lang::Data>::parts::<__K>(__value.#names, __out);)*
            }
        }
    }
}

/// Methods of a staged enum for patterns and expressions: test for a variant, and set one.
fn variants(item: &ItemEnum, parts: &Parts) -> TokenStream {
    let rt = quote!(::lanework::lang::rt);
    let (generics, _, clause) = parts.generics.split_for_impl();
    let values = parts.of(&quote!(#rt::Values));
    let of = item.variants.iter().enumerate().map(|(number, variant)| {
        let (test, choice) = (test_of(&variant.ident), choice_of(&variant.ident));
        let number = number as u32;
        quote! {
            #[track_caller]
            pub fn #test(self) -> ::lanework::lang::Var<bool> {
                #rt::Equate::eq(self.__tag, #number)
            }
            pub fn #choice(&mut self) {
                self.__tag = #rt::lift(#number);
            }
        }
    });
    quote! {
        #[doc(hidden)]
        #[allow(dead_code)]
        impl #generics #values #clause { #(#of)* }
    }
}

/// `==` of two values. For a variant without data, the number decides.
fn comparisons(item: &ItemEnum, parts: &Parts) -> TokenStream {
    let (name, rt) = (&item.ident, quote!(::lanework::lang::rt));
    let ((generics, _, clause), arguments) = (parts.generics.split_for_impl(), &parts.arguments);
    let (values, host) = (parts.of(&quote!(#rt::Values)), quote!(#name #arguments));
    let units = item.variants.iter().filter(|v| matches!(v.fields, Fields::Unit)).map(|variant| {
        let (ident, test) = (&variant.ident, test_of(&variant.ident));
        quote!(if let #name::#ident = other { return self.#test(); })
    });
    let whole = quote!(#rt::same::<#host>(self, other));
    let with_host = quote! {
        #(#units)*
        #rt::same::<#host>(self, other)
    };
    let pairs = [(&values, &values, &whole), (&values, &host, &with_host)];
    let mut out = TokenStream::new();
    for (left, right, body) in pairs {
        out.extend(quote! {
            impl #generics #rt::Equate<#right> for #left #clause {
                type Output = ::lanework::lang::Var<bool>;
                #[track_caller]
                fn eq(self, other: #right) -> Self::Output { #body }
                #[track_caller]
                fn ne(self, other: #right) -> Self::Output { !#rt::Equate::eq(self, other) }
            }
        });
    }
    out.extend(quote! {
        impl #generics #rt::Equate<#values> for #host #clause {
            type Output = ::lanework::lang::Var<bool>;
            #[track_caller]
            fn eq(self, other: #values) -> Self::Output { #rt::Equate::eq(other, self) }
            #[track_caller]
            fn ne(self, other: #values) -> Self::Output { !#rt::Equate::eq(other, self) }
        }
        impl #generics #rt::Equal for #host #clause {
            #[track_caller]
            fn equal(first: #values, second: #values) -> ::lanework::lang::Var<bool> {
                #rt::same::<#host>(first, second)
            }
        }
    });
    out
}
