//! The parts of a device struct, and its implementation of the trait `Data`.

use crate::data::value_traits::value_traits;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, GenericParam, Generics, Index, ItemStruct, Member, Type};

/// The name of the struct of a type's parts.
pub fn staged_name(name: &Ident) -> Ident {
    format_ident!("{}Of", name)
}

/// A struct taken apart.
pub struct Parts<'a> {
    pub(super) item: &'a ItemStruct,
    pub(super) name: &'a Ident,
    pub staged: Ident,
    pub(super) members: Vec<Member>,
    pub(super) types: Vec<&'a Type>,
    /// The struct's generics; every type is `Data`.
    pub generics: Generics,
}

impl<'a> Parts<'a> {
    /// Takes a struct apart.
    pub fn new(item: &'a ItemStruct) -> Self {
        let members = item.fields.iter().enumerate().map(|(index, field)| match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index { index: index as u32, span: field.span() }),
        });
        let mut generics = item.generics.clone();
        for parameter in generics.params.iter_mut() {
            match parameter {
                GenericParam::Type(ty) => ty.default = None,
                GenericParam::Const(constant) => constant.default = None,
                GenericParam::Lifetime(_) => {}
            }
        }
        let names: Vec<_> = generics.type_params().map(|ty| ty.ident.clone()).collect();
        let clause = generics.make_where_clause();
        for name in names {
            clause.predicates.push(syn::parse_quote!(#name: ::lanework::lang::Data));
        }
        Parts {
            item,
            name: &item.ident,
            staged: staged_name(&item.ident),
            members: members.collect(),
            types: item.fields.iter().map(|field| &field.ty).collect(),
            generics,
        }
    }

    /// The generics with the kind `K` first.
    fn with_kind(&self) -> Generics {
        let mut generics = self.generics.clone();
        generics.params.insert(0, syn::parse_quote!(__K: ::lanework::lang::rt::Kind));
        generics
    }

    /// `BodyOf<kind, T>`.
    pub fn of(&self, kind: &TokenStream) -> TokenStream {
        let staged = &self.staged;
        let arguments = self.generics.params.iter().map(|parameter| match parameter {
            GenericParam::Type(ty) => ty.ident.to_token_stream(),
            GenericParam::Const(constant) => constant.ident.to_token_stream(),
            GenericParam::Lifetime(lifetime) => lifetime.to_token_stream(),
        });
        quote!(#staged<#kind #(, #arguments)*>)
    }

    /// The struct of the parts.
    pub fn staged(&self) -> TokenStream {
        let (staged, visibility) = (&self.staged, &self.item.vis);
        let generics = self.with_kind();
        let clause = &generics.where_clause;
        let text = format!("The parts of a [`{}`] while a kernel is staged.", self.name);
        let fields = self.item.fields.iter().map(|field| {
            let (name, visibility, ty) = (&field.ident, &field.vis, &field.ty);
            let colon = name.as_ref().map(|_| quote!(:));
            quote_spanned!(ty.span() =>
                #[doc(hidden)] #visibility #name #colon <#ty as ::lanework::lang::Data>::Of<__K>)
        });
        let kind = quote!(::core::marker::PhantomData<__K>);
        let body = match &self.item.fields {
            Fields::Named(_) => quote!(#clause { #(#fields,)* #[doc(hidden)] pub __kind: #kind }),
            _ => quote!((#(#fields,)* #[doc(hidden)] pub #kind) #clause;),
        };
        quote! {
            #[doc = #text]
            #[doc(hidden)]
            #[allow(dead_code)]
            #visibility struct #staged #generics #body
        }
    }

    /// `BodyOf { a: .., b: .. }`.
    fn construct(&self, values: &[TokenStream]) -> TokenStream {
        let (staged, members) = (&self.staged, &self.members);
        let kind = match &self.item.fields {
            Fields::Named(_) => quote!(__kind),
            fields => Index::from(fields.len()).to_token_stream(),
        };
        quote!(#staged { #(#members: #values,)* #kind: ::core::marker::PhantomData })
    }

    /// The implementation of `Data`.
    pub(super) fn data(&self) -> TokenStream {
        let (name, members, types) = (self.name, &self.members, &self.types);
        let (generics, arguments, clause) = self.generics.split_for_impl();
        let of = self.of(&quote!(__K));
        let built =
            types.iter().map(|ty| quote!(<#ty as ::lanework::lang::Data>::build::<__K>(__parts)));
        let built = self.construct(&built.collect::<Vec<_>>());
        let fields: Vec<_> = members
            .iter()
            .zip(types)
            .map(|(member, ty)| {
                quote!((
                    ::core::mem::offset_of!(Self, #member),
                    ::core::mem::size_of::<#ty>(),
                    <#ty as ::lanework::lang::Data>::size(),
                ))
            })
            .collect();
        let numbers = 0..types.len();
        quote! {
            impl #generics ::lanework::lang::Data for #name #arguments #clause {
                type Of<__K: ::lanework::lang::rt::Kind> = #of;
                fn size() -> u64 {
                    ::lanework::lang::rt::laid_out(&[#(#fields),*], ::core::mem::size_of::<Self>()).1
                }
                fn leaves(__offset: u64, __out: &mut ::std::vec::Vec<::lanework::lang::rt::Leaf>) {
                    let (__at, _) = ::lanework::lang::rt::laid_out(
                        &[#(#fields),*], ::core::mem::size_of::<Self>());
                    #(<#types as ::lanework::lang::Data>::leaves(__offset + __at[#numbers], __out);)*
                }
                fn bits(self, __out: &mut ::std::vec::Vec<u64>) {
                    #(<#types as ::lanework::lang::Data>::bits(self.#members, __out);)*
                }
                fn build<__K: ::lanework::lang::rt::Kind>(
                    __parts: &mut ::lanework::lang::rt::Parts<'_>,
                ) -> #of {
                    #built
                }
                fn parts<__K: ::lanework::lang::rt::Kind>(
                    __value: #of,
                    __out: &mut ::std::vec::Vec<::lanework::lang::rt::Part>,
                ) {
                    #(<#types as ::lanework::lang::Data>::parts::<__K>(__value.#members, __out);)*
                }
            }
        }
    }

    /// The parts are `Copy`, whatever the type's parameters are.
    pub fn copied(&self) -> TokenStream {
        let with_kind = self.with_kind();
        let (kinded, _, clause) = with_kind.split_for_impl();
        let of = self.of(&quote!(__K));
        quote! {
            impl #kinded ::core::clone::Clone for #of #clause {
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl #kinded ::core::marker::Copy for #of #clause {}
        }
    }

    /// The implementations by which the runtime takes the struct's values.
    pub fn conversions(&self) -> TokenStream {
        let of = |kind: &str| {
            let kind = Ident::new(kind, Span::call_site());
            self.of(&quote!(::lanework::lang::rt::#kind))
        };
        value_traits(self.name, &self.generics, &self.with_kind(), &self.of(&quote!(__K)), &of)
    }

    /// Checks that report a field's type at the field.
    pub fn checks(&self) -> TokenStream {
        if !self.generics.params.is_empty() {
            return TokenStream::new();
        }
        let checks = self
            .types
            .iter()
            .map(|ty| quote_spanned!(ty.span() => ::lanework::lang::rt::is_data::<#ty>();));
        quote!(fn __checks() { #(#checks)* })
    }
}
