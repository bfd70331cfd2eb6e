//! The methods of a device trait in kernels.
//!
//! If the trait bounds a type parameter, the body of the generic function passes each receiver through the function
//! that has the trait's name. It returns an adapter with the trait's methods. For a known type, the methods that its
//! `impl` writes are methods of its parts, but the attribute on the `impl` does not see the default functions. Those are
//! methods of a second trait, `NameInKernels`, next to the trait.

use crate::body::closures::staged_generics;
use crate::body::scope::Translator;
use crate::bounds::in_kernels;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::items::receiver::{is_exclusive, plain};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{FnArg, GenericParam, Generics, ImplItemFn, ItemTrait, Signature, TraitItem};

/// The adapter of a trait, the function that makes one, and the trait for known types.
pub fn declare(item: &ItemTrait) -> syn::Result<TokenStream> {
    let (visibility, name, rt) = (&item.vis, &item.ident, quote!(::lanework::lang::rt));
    let (adapter, in_kernels) = (format_ident!("{}Of", name), format_ident!("{}InKernels", name));
    let mut functions = Vec::new();
    for inner in &item.items {
        if let TraitItem::Fn(function) = inner
            && !function.sig.inputs.is_empty()
        {
            functions.push(TraitMethod::new(&function.sig, name)?);
        }
    }
    let adapted = functions.iter().filter_map(TraitMethod::of_adapter);
    let declared = functions.iter().map(TraitMethod::declaration);
    let defined = functions.iter().map(TraitMethod::definition);
    let text = format!("The functions of [`{name}`] for values in kernels.");
    let allowed = allowed();
    Ok(quote! {
        #[doc(hidden)]
        #[derive(Clone, Copy)]
        #[allow(dead_code, missing_docs, missing_debug_implementations)]
        #visibility struct #adapter<W>(W);

        #[doc(hidden)]
        #[allow(non_snake_case, dead_code, missing_docs)]
        #visibility fn #name<W>(receiver: W) -> #adapter<W> {
            #adapter(receiver)
        }

        impl<W> ::core::ops::Deref for #adapter<W> {
            type Target = W;
            fn deref(&self) -> &W {
                &self.0
            }
        }

        impl<W: #rt::Receiver> #rt::Receiver for #adapter<W> {
            type Place = W::Place;
            fn place(self) -> W::Place {
                self.0.place()
            }
        }

        #allowed
        impl<W: #rt::Receiver, __V: #name> #adapter<W>
        where
            W::Place: #rt::Valued<Value = __V>,
        {
            #(#adapted)*
        }

        #[doc = #text]
        #[doc(hidden)]
        #allowed
        #visibility trait #in_kernels<__V: #name>: #rt::Valued<Value = __V> + Sized {
            #(#declared)*
        }

        #allowed
        impl<__V: #name, __X: #rt::InKernel + #rt::Valued<Value = __V>> #in_kernels<__V> for __X {
            #(#defined)*
        }
    })
}

/// A function of the trait, for values of the type `__V`.
struct TraitMethod {
    name: Ident,
    /// The hidden function that it calls.
    call: TokenStream,
    generics: Generics,
    /// Whether it has a receiver, and whether that is `&mut self`.
    receiver: Option<bool>,
    parameters: Vec<TokenStream>,
    arguments: Vec<Ident>,
    output: TokenStream,
}

impl TraitMethod {
    fn new(signature: &Signature, of: &Ident) -> syn::Result<Self> {
        let function = ImplItemFn {
            attrs: Vec::new(),
            vis: syn::Visibility::Inherited,
            modifiers: Default::default(),
            sig: signature.clone(),
            block: syn::parse_quote!({}),
        };
        let (plain, taken) = plain(&function, &quote!(__V))?;
        let mut translator = Translator::new(returns(&plain.sig));
        let nothing = (TokenStream::new(), TokenStream::new());
        let Staged { parameters, output, .. } =
            stage(&plain.sig, &plain.block, nothing, &mut translator)?;
        let arguments =
            plain.sig.inputs.iter().enumerate().map(|(number, argument)| match argument {
                FnArg::Typed(typed) => match &*typed.pat {
                    syn::Pat::Ident(name) => name.ident.clone(),
                    _ => format_ident!("argument_{}", number),
                },
                FnArg::Receiver(_) => Ident::new("this", Span::call_site()),
            });
        let hidden = in_kernels(&signature.ident);
        // rustc does not infer a constant from the arguments.
        let own = &plain.sig.generics;
        let names = own.params.iter().filter_map(|parameter| match parameter {
            GenericParam::Type(ty) => Some(&ty.ident),
            GenericParam::Const(constant) => Some(&constant.ident),
            GenericParam::Lifetime(_) => None,
        });
        let constants = own.const_params().next().map(|_| quote!(::<#(#names),*>));
        Ok(TraitMethod {
            name: signature.ident.clone(),
            call: quote!(<__V as #of>::#hidden #constants),
            generics: staged_generics(&plain.sig.generics),
            receiver: taken.as_ref().map(is_exclusive),
            arguments: arguments.collect(),
            parameters,
            output,
        })
    }

    /// `fn name(self, ..) -> ..`, where `place` is the type that a method with `&mut self` changes.
    fn header(&self, word: Option<TokenStream>, place: &TokenStream) -> TokenStream {
        let (name, parameters, output) = (&self.name, &self.parameters, &self.output);
        let mut generics = self.generics.clone();
        if self.receiver == Some(true) {
            let bound = syn::parse_quote!(#place: ::lanework::lang::rt::Exclusive<__V>);
            generics.make_where_clause().predicates.push(bound);
        }
        let clause = &generics.where_clause;
        let this = self.receiver.map(|_| quote!(self,));
        quote_spanned!(name.span() =>
            #[track_caller] #word fn #name #generics (#this #(#parameters),*) #output #clause)
    }

    /// The method of the adapter; `None` for a function without a receiver.
    fn of_adapter(&self) -> Option<TokenStream> {
        self.receiver?;
        let (call, arguments) = (&self.call, &self.arguments);
        let header = self.header(Some(quote!(pub)), &quote!(W::Place));
        Some(quote_spanned!(self.name.span() =>
            #[doc(hidden)] #header { #call(self.0.place() #(, #arguments)*) }))
    }

    fn declaration(&self) -> TokenStream {
        let header = self.header(None, &quote!(Self));
        quote_spanned!(self.name.span() => #[doc(hidden)] #header;)
    }

    fn definition(&self) -> TokenStream {
        let (call, arguments) = (&self.call, &self.arguments);
        let header = self.header(None, &quote!(Self));
        let this = self.receiver.map(|_| quote!(self,));
        quote_spanned!(self.name.span() => #header { #call(#this #(#arguments),*) })
    }
}
