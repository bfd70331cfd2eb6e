//! Closures that a kernel binds to a name and calls, or passes to device functions. A staged closure is a Rust closure
//! on handles; each call stages its body.

use crate::body::patterns::by_value;
use crate::body::scope::{Mode, Returns, Tail, Translator, as_name, returned};
use crate::bounds::is_function_bound;
use crate::types::{is_handle, is_handle_name};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, ExprClosure, Generics, Pat, PathArguments, ReturnType, Type};

impl Translator {
    /// A closure of handles.
    pub fn closure(&mut self, closure: &ExprClosure) -> TokenStream {
        let span = closure.span();
        if let Some(word) = &closure.asyncness {
            return self.refuse(word, "a closure in a kernel is not `async`", "remove it");
        }
        let mut parameters = Vec::new();
        let (bindings, body) = self.scoped(|t| {
            let mut bindings = TokenStream::new();
            for (number, input) in closure.inputs.iter().map(by_value).enumerate() {
                let input = &input;
                let (pattern, ty) = match input {
                    Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
                    other => (other, None),
                };
                let annotation = ty.map(|ty| {
                    let ty = staged_type(ty);
                    quote_spanned!(ty.span() => : #ty)
                });
                let exclusive = matches!(ty, Some(Type::Reference(r)) if r.mutability.is_some());
                match pattern {
                    Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                        let mutable = name.mutability.is_some();
                        let name = &name.ident;
                        parameters.push(quote!(#name #annotation));
                        match exclusive && !mutable {
                            true => t.declare_reference(name),
                            false => t.declare(name, mutable),
                        }
                        if mutable {
                            bindings.extend(quote_spanned!(name.span() =>
                                let #name = ::lanework::lang::rt::variable(#name);));
                        }
                    }
                    pattern => {
                        let name = format_ident!("argument_{}", number, span = pattern.span());
                        parameters.push(quote!(#name #annotation));
                        bindings.extend(t.destructure(pattern, quote!(#name), pattern.span()));
                    }
                }
            }
            (bindings, t.closure_body(closure))
        });
        let copies = closure.capture.map(|_| self.captured(closure)).unwrap_or_default();
        let word = &closure.capture;
        quote_spanned!(span => {
            #copies
            #word |#(#parameters),*| { #bindings #body }
        })
    }

    /// The body. Its `return` ends only the closure.
    fn closure_body(&mut self, closure: &ExprClosure) -> TokenStream {
        let span = closure.body.span();
        if let ReturnType::Type(_, ty) = &closure.output {
            let outer = std::mem::replace(&mut self.returns, Returns::Value);
            let body = self.bare(&closure.body, Mode::Keep);
            self.returns = outer;
            let returned = returned();
            return quote_spanned!(span =>
                ::lanework::lang::rt::call_value::<#ty, _>(|#returned| #body));
        }
        if let Some(jump) = returns(&closure.body) {
            return self.refuse(
                jump,
                "a closure with `return` must declare its return type",
                "write `|x: f32| -> f32 { .. }`",
            );
        }
        if has_try(&closure.body) {
            let outer = std::mem::replace(&mut self.returns, Returns::Value);
            let body = self.bare(&closure.body, Mode::Keep);
            self.returns = outer;
            let returned = returned();
            return quote_spanned!(span =>
                ::lanework::lang::rt::call_tried(|#returned| #body));
        }
        let body = match &*closure.body {
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, Tail::Value(Mode::Keep))
            }
            body => self.bare(body, Mode::Keep),
        };
        quote_spanned!(span =>
            ::lanework::lang::rt::call_closure(|| ::lanework::lang::rt::lift(#body)))
    }

    /// Copies of the variables that a `move` closure captures.
    fn captured(&mut self, closure: &ExprClosure) -> TokenStream {
        let mut names = Names(Vec::new());
        names.visit_expr_mut(&mut closure.body.clone());
        let names: Vec<_> = names.0.into_iter().filter(|name| self.is_variable(name)).collect();
        quote!(#(let #names = ::lanework::lang::rt::variable(::lanework::lang::rt::copy(#names));)*)
    }

    /// An argument of a call of a closure, or of a function's parameter `f: impl Fn(..)`.
    pub fn closure_argument(&mut self, argument: &Expr) -> TokenStream {
        let value = self.argument(argument);
        match argument {
            // rustc infers the types of its parameters from the function's.
            Expr::Closure(_) => value,
            Expr::Reference(reference) if reference.mutability.is_some() => value,
            other if as_name(other).is_some_and(|name| self.is_reference(name)) => value,
            _ => quote_spanned!(argument.span() =>
                (&&::lanework::lang::rt::Passed(#value)).pass()),
        }
    }
}

/// The distinct names that an expression mentions.
struct Names(Vec<syn::Ident>);

impl VisitMut for Names {
    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if let Some(name) = path.path.get_ident()
            && !self.0.contains(name)
        {
            self.0.push(name.clone());
        }
    }
}

/// The first `return` in a closure's body, ignoring nested closures.
fn returns(body: &Expr) -> Option<syn::ExprReturn> {
    let mut search = Exits::default();
    search.visit_expr_mut(&mut body.clone());
    search.jump
}

/// Whether a closure's body has a `?`, ignoring nested closures.
fn has_try(body: &Expr) -> bool {
    let mut search = Exits::default();
    search.visit_expr_mut(&mut body.clone());
    search.tries
}

/// Searches for `return` and `?` outside nested closures.
#[derive(Default)]
struct Exits {
    jump: Option<syn::ExprReturn>,
    tries: bool,
}

impl VisitMut for Exits {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Closure(_) => return,
            Expr::Return(jump) => self.jump = self.jump.take().or(Some(jump.clone())),
            Expr::Try(_) => self.tries = true,
            _ => {}
        }
        visit_expr_mut(self, expression);
    }
}

/// The staged type of a closure's parameter or result.
pub fn staged_type(ty: &Type) -> TokenStream {
    let span = ty.span();
    match ty {
        Type::Infer(_) => quote!(#ty),
        Type::Paren(inner) => staged_type(&inner.elem),
        Type::Group(inner) => staged_type(&inner.elem),
        Type::Reference(reference) => {
            let inner = &reference.elem;
            match (&**inner, reference.mutability.is_some()) {
                (Type::Slice(slice), mutable) => {
                    let element = &slice.elem;
                    match mutable {
                        true => quote_spanned!(span => ::lanework::lang::SliceMut<#element>),
                        false => quote_spanned!(span => ::lanework::lang::Slice<#element>),
                    }
                }
                (inner, _) if is_handle(inner) => quote!(#inner),
                (inner, true) => quote_spanned!(span =>
                    <#inner as ::lanework::lang::Data>::Of<::lanework::lang::rt::Variables>),
                (inner, false) => staged_type(inner),
            }
        }
        ty if is_handle(ty) => quote!(#ty),
        Type::FnPtr(pointer) => {
            let (inputs, output) = staged_pointer(pointer);
            quote_spanned!(span => fn(#(#inputs),*) #output)
        }
        ty => quote_spanned!(span => ::lanework::lang::rt::Handle<#ty>),
    }
}

/// The staged types of a function pointer's parameters, and of its result with the arrow.
fn staged_pointer(pointer: &syn::TypeFnPtr) -> (Vec<TokenStream>, Option<TokenStream>) {
    let inputs = pointer.inputs.iter().map(|input| staged_type(&input.ty)).collect();
    let output = match &pointer.output {
        ReturnType::Type(_, ty) => {
            let ty = staged_type(ty);
            Some(quote!(-> #ty))
        }
        ReturnType::Default => None,
    };
    (inputs, output)
}

/// Whether a type is a function type: `impl Fn(f32) -> f32`, an `F` with such a bound, or a
/// reference to one.
pub fn is_function(ty: &Type, generics: &Generics) -> bool {
    match ty {
        Type::ImplTrait(bounds) => bounds.bounds.iter().any(is_function_bound),
        Type::FnPtr(_) => true,
        Type::Reference(reference) => is_function(&reference.elem, generics),
        Type::Paren(inner) => is_function(&inner.elem, generics),
        Type::Path(path) => {
            let Some(name) = path.path.get_ident() else { return false };
            let own = generics.type_params().filter(|p| p.ident == *name).flat_map(|p| &p.bounds);
            let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
            let others = clause.filter_map(|predicate| match predicate {
                syn::WherePredicate::Type(bounded) => match &bounded.bounded_ty {
                    Type::Path(path) if path.path.is_ident(name) => Some(&bounded.bounds),
                    _ => None,
                },
                _ => None,
            });
            !is_handle_name(name) && own.chain(others.flatten()).any(is_function_bound)
        }
        _ => false,
    }
}

/// Rewrites function types and bounds to their staged form.
struct Functions;

impl VisitMut for Functions {
    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        let known = ["Fn", "FnMut", "FnOnce"].iter().any(|name| segment.ident == name);
        let PathArguments::Parenthesized(arguments) = &mut segment.arguments else {
            return syn::visit_mut::visit_path_segment_mut(self, segment);
        };
        if !known {
            return;
        }
        for input in &mut arguments.inputs {
            let staged = staged_type(&input.ty);
            input.ty = syn::parse_quote!(#staged);
        }
        if let ReturnType::Type(_, ty) = &mut arguments.output {
            let staged = staged_type(ty);
            **ty = syn::parse_quote!(#staged);
        }
        // A staged closure is `Fn`, because it assigns registers and no Rust value.
        if segment.ident == "FnMut" {
            segment.ident = syn::Ident::new("Fn", segment.ident.span());
        }
    }
}

/// The staged type of a function parameter, by value.
pub fn function_type(ty: &Type) -> TokenStream {
    let mut ty = match ty {
        Type::Reference(reference) => (*reference.elem).clone(),
        other => other.clone(),
    };
    if let Type::Paren(inner) = ty {
        ty = *inner.elem;
    }
    if let Type::FnPtr(pointer) = &ty {
        let (inputs, output) = staged_pointer(pointer);
        return quote_spanned!(ty.span() => impl Fn(#(#inputs),*) #output + ::core::marker::Copy);
    }
    Functions.visit_type_mut(&mut ty);
    ty.into_token_stream()
}

/// Generics whose function bounds are bounds on staged closures.
pub fn staged_generics(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    Functions.visit_generics_mut(&mut generics);
    generics
}
