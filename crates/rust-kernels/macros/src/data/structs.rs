//! `#[device] struct`: the unchanged struct, and the type of its values while staging.
//!
//! For `struct Body { mass: f32 }` this declares `BodyOf<K>`, whose fields correspond to the
//! struct's: handles, variables or places, depending on the kind `K`. Kernels use it only through
//! the trait `Data`; only `#[device] impl` names it.

use crate::data::value_traits;
use crate::source::lifetimes;
use crate::source::{derives, missing_copies};
use crate::types::refuse;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, GenericParam, Generics, Index, ItemStruct, Member, Type};

/// Declares a device struct, or returns the error.
pub fn expand(item: &ItemStruct) -> syn::Result<TokenStream> {
    let layout = layout(&item.attrs)?;
    for field in &item.fields {
        if let Some(reference) = refused_reference(&field.ty) {
            return Err(refuse(
                reference,
                "a #[device] struct cannot hold a reference",
                "hold the value, or a slice `&[T]`",
            ));
        }
    }
    let parts = Parts::new(item);
    let (staged, data, uses) = (parts.staged(), parts.data(), parts.conversions());
    let copied = parts.copied();
    let storable = parts.storable();
    let compared = parts.comparisons();
    let (checks, default) = (parts.checks(), parts.default(&item.ident));
    let copies = copies(&item.ident);
    Ok(quote! {
        #copies
        #layout
        #item
        #staged
        #[allow(clippy::all, unused_qualifications)]
        const _: () = {
            #data
            #copied
            #uses
            #storable
            #compared
            #checks
            #default
        };
    })
}

/// `#[derive(Clone, Copy)]`, without the traits that the type implements: a value of a kernel is copied like a number.
pub fn copies(name: &Ident) -> TokenStream {
    let missing = missing_copies(name);
    match missing.is_empty() {
        true => TokenStream::new(),
        false => quote!(#[derive(#(#missing),*)]),
    }
}

/// `#[repr(C)]`, unless the struct has it already.
fn layout(attributes: &[Attribute]) -> syn::Result<TokenStream> {
    let mut known = false;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("repr")) {
        let text = attribute.meta.to_token_stream().to_string();
        if text.contains("packed") {
            return Err(refuse(
                attribute,
                "a packed struct cannot be a #[device] struct",
                "remove `packed`",
            ));
        }
        known |= text.contains('C') || text.contains("transparent");
    }
    Ok(if known { quote!() } else { quote!(#[repr(C)]) })
}

/// The reference in a type that values cannot hold: any but `&[T]`.
pub fn refused_reference(ty: &Type) -> Option<&syn::TypeReference> {
    match ty {
        Type::Reference(reference)
            if reference.mutability.is_some() || !matches!(&*reference.elem, Type::Slice(_)) =>
        {
            Some(reference)
        }
        _ => None,
    }
}

/// The name of the struct of a type's parts.
pub fn staged_name(name: &Ident) -> Ident {
    format_ident!("{}Of", name)
}

/// The parts of a struct's declaration.
pub struct Parts<'a> {
    item: &'a ItemStruct,
    name: &'a Ident,
    pub staged: Ident,
    members: Vec<Member>,
    types: Vec<Type>,
    /// The struct's generics, with the bound `Data` on every type, and without lifetimes.
    pub generics: Generics,
    /// The arguments that make a type of the struct: each lifetime is `'static`.
    pub arguments: TokenStream,
}

/// `<'static, T, N>`.
fn arguments(generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(constant) => constant.ident.to_token_stream(),
        GenericParam::Lifetime(_) => quote!('static),
    });
    quote!(<#(#arguments),*>)
}

impl<'a> Parts<'a> {
    /// Splits a struct into its parts.
    pub fn new(item: &'a ItemStruct) -> Self {
        let members = item.fields.iter().enumerate().map(|(index, field)| match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index { index: index as u32, span: field.span() }),
        });
        let arguments = arguments(&item.generics);
        let mut generics = lifetimes::of_generics(&item.generics);
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
            types: item.fields.iter().map(|field| lifetimes::of_field(&field.ty)).collect(),
            generics,
            arguments,
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
        let fields = self.item.fields.iter().zip(&self.types).map(|(field, ty)| {
            let (name, visibility) = (&field.ident, &field.vis);
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
    fn data(&self) -> TokenStream {
        let (name, members, types) = (self.name, &self.members, &self.types);
        let ((generics, _, clause), arguments) = (self.generics.split_for_impl(), &self.arguments);
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
        let (fields_of, text) = (numbers.clone(), name.to_string());
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
                fn described() -> ::std::string::String {
                    let (__at, __bytes) = ::lanework::lang::rt::laid_out(
                        &[#(#fields),*], ::core::mem::size_of::<Self>());
                    let __fields: &[::std::string::String] = &[#(::std::format!(
                        "{}@{}:{}", ::core::stringify!(#members), __at[#fields_of],
                        <#types as ::lanework::lang::Data>::described())),*];
                    ::std::format!("{{{};{};{}}}", #text, __bytes, __fields.join(","))
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

    /// The implementations through which the runtime accepts the struct's values.
    pub fn conversions(&self) -> TokenStream {
        let of = |kind: &str| {
            let kind = Ident::new(kind, Span::call_site());
            self.of(&quote!(::lanework::lang::rt::#kind))
        };
        value_traits(
            (self.name, &self.arguments),
            &self.generics,
            &self.with_kind(),
            &self.of(&quote!(__K)),
            &of,
        )
    }

    /// Checks that report an invalid field type at the field.
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
    fn comparisons(&self) -> TokenStream {
        let (types, members, rt) = (&self.types, &self.members, quote!(::lanework::lang::rt));
        let bool = quote!(::lanework::lang::Var<bool>);
        let equal = quote! {
            fn equal(first: #rt::Handle<Self>, second: #rt::Handle<Self>) -> #bool {
                #rt::all_equal(&[#(&|| <#types as #rt::Equal>::equal(first.#members, second.#members)),*])
            }
        };
        let related = quote! {
            fn related(
                relation: #rt::Relation, first: #rt::Handle<Self>, second: #rt::Handle<Self>,
            ) -> #bool {
                #rt::lexicographic(relation, &[
                    #(&|strict| #rt::part::<#types>(strict, first.#members, second.#members)),*
                ])
            }
        };
        let mut out = TokenStream::new();
        for (derived, of, body) in
            [("PartialEq", "Equal", equal), ("PartialOrd", "Ordered", related)]
        {
            if self.derives(derived) {
                out.extend(self.compared(&format_ident!("{}", of), &body));
            }
        }
        out
    }

    /// The implementation of a comparison, which each field's type needs, too.
    fn compared(&self, of: &Ident, body: &TokenStream) -> TokenStream {
        let (name, types, rt) = (self.name, &self.types, quote!(::lanework::lang::rt));
        let ((generics, _, clause), arguments) = (self.generics.split_for_impl(), &self.arguments);
        let predicates = clause.map(|clause| clause.predicates.iter()).into_iter().flatten();
        quote! {
            impl #generics #rt::#of for #name #arguments
            where #(#predicates,)* #(for<'__a> #types: #rt::#of),*
            {
                #[track_caller]
                #body
            }
        }
    }
}

impl Parts<'_> {
    /// `Body::default()` in kernels, for a type with `#[derive(Default)]`: the host's value.
    pub fn default(&self, name: &Ident) -> TokenStream {
        if !derives(name, "Default") {
            return TokenStream::new();
        }
        let generics = self.with_kind();
        let (generics, _, clause) = generics.split_for_impl();
        let arguments = &self.arguments;
        let (of, name) = (self.of(&quote!(__K)), quote!(#name #arguments));
        quote! {
            #[allow(dead_code)]
            impl #generics #of #clause {
                #[doc(hidden)]
                pub fn default() -> ::lanework::lang::rt::Handle<#name>
                where
                    #name: ::core::default::Default,
                {
                    ::lanework::lang::rt::constant::<#name>(::core::default::Default::default())
                }
            }
        }
    }

    /// Implements the traits that let buffers hold the struct; `Pod`, if it has no padding.
    fn storable(&self) -> TokenStream {
        let (name, types, members) = (self.name, &self.types, &self.members);
        let ((generics, _, clause), arguments) = (self.generics.split_for_impl(), &self.arguments);
        let predicates: Vec<_> =
            clause.map(|clause| clause.predicates.iter()).into_iter().flatten().collect();
        let (storable, rt) = (quote!(::lanework::lang::Storable), quote!(::lanework::lang::rt));
        let places: Vec<_> = members
            .iter()
            .zip(types)
            .map(|(member, ty)| {
                quote!([::core::mem::offset_of!(Self, #member)..][..::core::mem::size_of::<#ty>()])
            })
            .collect();
        // For a generic struct, it depends on the type parameters.
        let plain = self.generics.params.is_empty().then(|| {
            quote! {
                fn bytes(__values: &[Self]) -> ::core::option::Option<&[u8]> {
                    #[allow(unused_imports)]
                    use #rt::{BytesOfOther as _, BytesOfPlain as _};
                    (&&#rt::PlainOf::<Self>::NEW).bytes(__values)
                }
                fn bytes_mut(__values: &mut [Self]) -> ::core::option::Option<&mut [u8]> {
                    #[allow(unused_imports)]
                    use #rt::{BytesOfOther as _, BytesOfPlain as _};
                    (&&#rt::PlainOf::<Self>::NEW).bytes_mut(__values)
                }
            }
        });
        let pod = self.pod(&predicates);
        quote! {
            #pod
            impl #generics #storable for #name #arguments
            where #(#predicates,)* #(for<'__a> #types: #storable),*
            {
                #plain
                fn write(&self, __to: &mut [u8]) {
                    #(#storable::write(&self.#members, &mut __to #places);)*
                }
                fn read(__from: &[u8]) -> ::core::option::Option<Self> {
                    ::core::option::Option::Some(#name {
                        #(#members: <#types as #storable>::read(&__from #places)?,)*
                    })
                }
            }
        }
    }

    /// Implements `Pod`, for a struct without padding.
    fn pod(&self, predicates: &[&syn::WherePredicate]) -> TokenStream {
        let (name, types) = (self.name, &self.types);
        let ((generics, _, _), arguments) = (self.generics.split_for_impl(), &self.arguments);
        let bytemuck = quote!(::lanework::lang::rt::bytemuck);
        let declares_pod = self.item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("derive")
                && attribute.meta.to_token_stream().to_string().contains("Pod")
        });
        if declares_pod {
            return TokenStream::new();
        }
        let mut markers = TokenStream::new();
        let mut conditions = Vec::new();
        if self.generics.params.is_empty() {
            conditions.extend(types.iter().map(|ty| quote!(for<'__a> #ty: #bytemuck::Pod)));
            let ends = self
                .members
                .iter()
                .skip(1)
                .map(|next| quote!(::core::mem::offset_of!(#name, #next)));
            let ends = ends.chain([quote!(::core::mem::size_of::<#name>())]);
            for ((member, ty), end) in self.members.iter().zip(types).zip(ends) {
                let marker = format_ident!("padding_after_{}", member);
                markers.extend(quote! {
                    #[allow(non_camel_case_types)]
                    pub struct #marker<const BYTES: usize>;
                    impl ::lanework::lang::rt::NoPadding for #marker<0> {}
                });
                conditions.push(quote!(for<'__a> #marker<{
                    #end - ::core::mem::offset_of!(#name, #member) - ::core::mem::size_of::<#ty>()
                }>: ::lanework::lang::rt::NoPadding));
            }
        } else {
            // There is no padding if all fields have the same type and nothing raises the alignment.
            let [first, rest @ ..] = types.as_slice() else { return TokenStream::new() };
            let text = |ty: &syn::Type| ty.to_token_stream().to_string();
            if !rest.iter().all(|ty| text(ty) == text(first)) || self.may_raise_alignment() {
                return TokenStream::new();
            }
            conditions.push(quote!(#first: #bytemuck::Pod));
        }
        quote! {
            #markers
            // SAFETY: the conditions require that every field is `Pod`, so zeros are valid.
            unsafe impl #generics #bytemuck::Zeroable for #name #arguments
            where #(#predicates,)* #(#conditions),* {}
            // SAFETY: the conditions require that every field is `Pod`, and that there is no padding between or after
            // fields; `repr` adds `#[repr(C)]`, and `Copy` is a bound of `Pod`.
            unsafe impl #generics #bytemuck::Pod for #name #arguments
            where #(#predicates,)* #(#conditions),* {}
        }
    }

    /// Whether an attribute mentions an alignment, directly or inside `cfg_attr`.
    fn may_raise_alignment(&self) -> bool {
        let mut attributes = self.item.attrs.iter().filter(|a| !a.path().is_ident("doc"));
        attributes.any(|attribute| attribute.to_token_stream().to_string().contains("align"))
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;
    use syn::{ItemStruct, parse_quote};

    fn is_plain(item: &ItemStruct) -> bool {
        Parts::new(item).storable().to_string().contains("Pod for")
    }

    #[test]
    fn a_generic_struct_with_padding_is_not_plain() {
        assert!(is_plain(&parse_quote!(
            struct Pair<T> {
                x: T,
                y: T,
            }
        )));
        assert!(!is_plain(&parse_quote!(
            #[repr(align(16))]
            struct Padded<T> {
                x: T,
            }
        )));
        assert!(!is_plain(&parse_quote!(
            #[cfg_attr(all(), repr(align(16)))]
            struct Padded<T> {
                x: T,
            }
        )));
        assert!(!is_plain(&parse_quote!(
            struct Mixed<T> {
                x: T,
                y: u8,
            }
        )));
    }
}
