//! Implements `Storable` for device structs without padding.

use super::parts::Parts;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

impl Parts<'_> {
    /// Buffers hold structs of elements without padding.
    pub(super) fn storable(&self) -> TokenStream {
        let (name, types) = (self.name, &self.types);
        let (generics, arguments, clause) = self.generics.split_for_impl();
        let declares_pod = self.item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("derive")
                && attribute.meta.to_token_stream().to_string().contains("Pod")
        });
        let mut markers = TokenStream::new();
        let mut conditions = Vec::new();
        if self.generics.params.is_empty() {
            conditions
                .extend(types.iter().map(|ty| quote!(for<'__a> #ty: ::lanework::lang::Storable)));
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
            // Without padding when every field is of one type and nothing raises the alignment.
            let [first, rest @ ..] = types.as_slice() else { return TokenStream::new() };
            let text = |ty: &&syn::Type| ty.to_token_stream().to_string();
            if !rest.iter().all(|ty| text(ty) == text(first)) || self.may_raise_alignment() {
                return TokenStream::new();
            }
            conditions.push(quote!(#first: ::lanework::lang::Storable));
        }
        let predicates = clause.map(|clause| &clause.predicates).filter(|p| !p.is_empty());
        let predicates = predicates.map(|predicates| {
            let list = predicates.iter();
            quote!(#(#list,)*)
        });
        let pod = if declares_pod {
            TokenStream::new()
        } else {
            quote! {
                // SAFETY: the conditions require that every field is `Storable`, hence `Pod`, so zeros are valid.
                unsafe impl #generics ::lanework::lang::rt::bytemuck::Zeroable for #name #arguments
                where #predicates #(#conditions),* {}
                // SAFETY: the conditions require that every field is `Storable`, hence `Pod`, and that no padding
                // is between or after fields; `repr` adds `#[repr(C)]`, and `Copy` is a bound of `Pod`.
                unsafe impl #generics ::lanework::lang::rt::bytemuck::Pod for #name #arguments
                where #predicates #(#conditions),* {}
            }
        };
        quote! {
            #markers
            #pod
            impl #generics ::lanework::lang::Storable for #name #arguments
            where #predicates #(#conditions),* {}
        }
    }

    /// Whether an attribute mentions an alignment, also inside of `cfg_attr`.
    fn may_raise_alignment(&self) -> bool {
        let mut attributes = self.item.attrs.iter().filter(|a| !a.path().is_ident("doc"));
        attributes.any(|attribute| attribute.to_token_stream().to_string().contains("align"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parts;
    use syn::{ItemStruct, parse_quote};

    fn is_storable(item: &ItemStruct) -> bool {
        Parts::new(item).storable().to_string().contains("Storable for")
    }

    #[test]
    fn a_generic_struct_with_padding_is_not_stored() {
        assert!(is_storable(&parse_quote!(
            struct Pair<T> {
                x: T,
                y: T,
            }
        )));
        assert!(!is_storable(&parse_quote!(
            #[repr(align(16))]
            struct Padded<T> {
                x: T,
            }
        )));
        assert!(!is_storable(&parse_quote!(
            #[cfg_attr(all(), repr(align(16)))]
            struct Padded<T> {
                x: T,
            }
        )));
        assert!(!is_storable(&parse_quote!(
            struct Mixed<T> {
                x: T,
                y: u8,
            }
        )));
    }
}
