//! A `#[device] enum` whose variants hold data: its number, and the fields of all variants side by side.
//!
//! While staging, `enum Shape { Circle { r: f32 }, Rect(f32, f32) }` is taken apart as the struct
//! `{ __tag, __Circle_r, __Rect_0, __Rect_1 }`. The fields of inactive variants are undefined and never read.
//! Rust does not define the layout of such an enum, so buffers cannot hold it.

use crate::data::structs::Parts;
use crate::types::refuse;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Fields, ItemEnum, ItemStruct, Member, Path, Type};

/// The variant that a path names in an expression or a pattern: the part after a type's name.
pub fn variant_of(path: &Path) -> Option<&Ident> {
    let mut backwards = path.segments.iter().rev();
    let (variant, of) = (&backwards.next()?.ident, &backwards.next()?.ident);
    of.to_string().starts_with(|c: char| c.is_ascii_uppercase()).then_some(variant)
}

/// The field of the staged enum that holds a variant's.
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
struct Field<'a> {
    /// The variant's number.
    variant: usize,
    member: Member,
    /// Its name in the staged enum.
    name: Ident,
    ty: &'a Type,
}

fn fields(item: &ItemEnum) -> Vec<Field<'_>> {
    let mut all = Vec::new();
    for (number, variant) in item.variants.iter().enumerate() {
        for (member, field) in variant.fields.members().zip(&variant.fields) {
            let name = field_of(&variant.ident, &member);
            all.push(Field { variant: number, member, name, ty: &field.ty });
        }
    }
    all
}

/// Declares an enum with data, or reports why it cannot.
pub fn expand(item: &ItemEnum) -> syn::Result<TokenStream> {
    let fields = fields(item);
    if let Some(field) = fields.iter().find(|field| matches!(field.ty, Type::Reference(_))) {
        return Err(refuse(
            field.ty,
            "a #[device] enum cannot hold a reference",
            "pass slices to the function beside the enum",
        ));
    }
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(refuse(lifetime, "a #[device] enum has no lifetimes", "hold values"));
    }
    let taken = apart(item, &fields);
    let parts = Parts::new(&taken);
    let (staged, uses, copied) = (parts.staged(), parts.conversions(), parts.copied());
    let (data, variants) = (data(item, &fields, &parts), variants(item, &parts));
    let (compared, checks) = (comparisons(item, &parts), parts.checks());
    Ok(quote! {
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
        };
    })
}

/// A struct with the enum's name that holds the number and the fields of all variants.
fn apart(item: &ItemEnum, fields: &[Field]) -> ItemStruct {
    let (name, visibility, generics) = (&item.ident, &item.vis, &item.generics);
    let (names, types) = (fields.iter().map(|f| &f.name), fields.iter().map(|f| f.ty));
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
    let (generics, arguments, clause) = parts.generics.split_for_impl();
    let (of, staged) = (parts.of(&quote!(__K)), &parts.staged);
    let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
    let numbers: Vec<_> = fields.iter().map(|field| field.variant as u64).collect();
    let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
    let arms = item.variants.iter().enumerate().map(|(number, variant)| {
        let (ident, tag) = (&variant.ident, number as u64);
        let own: Vec<_> = fields.iter().filter(|field| field.variant == number).collect();
        let (members, bound) = (own.iter().map(|f| &f.member), own.iter().map(|f| &f.name));
        let bits = fields.iter().map(|field| {
            let (ty, held) = (field.ty, &field.name);
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

/// `==` of two values: with a variant without data the number decides.
fn comparisons(item: &ItemEnum, parts: &Parts) -> TokenStream {
    let (name, rt) = (&item.ident, quote!(::lanework::lang::rt));
    let (generics, arguments, clause) = parts.generics.split_for_impl();
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
    });
    out
}
