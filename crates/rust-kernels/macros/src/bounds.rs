//! The traits that bound a function's type parameters, and what a bound by a device trait means in a kernel.
//!
//! An attribute sees the name of a trait but not its declaration, so whether a trait is `#[device]` is left to rustc's
//! name resolution: see [`imports`].

use crate::source::is_users;
use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::visit_mut::{VisitMut, visit_type_mut};
use syn::{
    FnArg, GenericArgument, Generics, Ident, Path, PathArguments, Signature, Type, TypeParamBound,
    WherePredicate,
};

/// Traits of Rust's library, which are never device traits.
const OF_RUST: &str = "Default From Into TryFrom TryInto PartialEq Eq PartialOrd Ord Clone Copy Debug Display Hash Send \
    Sync Sized Iterator IntoIterator FromIterator Sum Product Deref DerefMut Index IndexMut AsRef AsMut Borrow Drop \
    Fn FnMut FnOnce Add Sub Mul Div Rem Neg Not BitAnd BitOr BitXor Shl Shr AddAssign \
    SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign FromStr ToString \
    Error Write Any Pod Zeroable";

/// Traits that make a type parameter a type of the kernel language.
const OF_KERNELS: &str = "Scalar Number Integer Float Element Storable Data Bits";

/// The most device traits whose methods one function can call: the number of functions in `rt::bounds`.
const MOST: usize = 8;

/// Whether a trait is one of Rust's library, by its name.
pub fn is_of_rust(name: &Ident) -> bool {
    OF_RUST.split_whitespace().any(|known| name == known) && !is_users(name)
}

/// Whether a trait is one of the kernel language, by its name.
pub fn is_of_kernels(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        OF_KERNELS.split_whitespace().any(|known| last.ident == known) && !is_users(&last.ident)
    })
}

/// Whether a trait may be a device trait.
pub fn may_be_device(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| !is_of_rust(&last.ident)) && !is_of_kernels(path)
}

/// Each type parameter with each trait that bounds it.
pub fn bounds(generics: &Generics) -> Vec<(Ident, Path)> {
    let own = generics.type_params().map(|parameter| (&parameter.ident, &parameter.bounds));
    let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let clause = clause.filter_map(|predicate| match predicate {
        WherePredicate::Type(ty) => match &ty.bounded_ty {
            Type::Path(path) => Some((path.path.get_ident()?, &ty.bounds)),
            _ => None,
        },
        _ => None,
    });
    let traits = own.chain(clause).flat_map(|(name, bounds)| {
        bounds.iter().filter_map(move |bound| match bound {
            TypeParamBound::Trait(bound) => Some((name.clone(), bound.path.clone())),
            _ => None,
        })
    });
    traits.collect()
}

/// The hidden function that a kernel calls for a function of a device trait.
pub fn in_kernels(name: &Ident) -> Ident {
    format_ident!("{}_in_kernels", name)
}

/// The name of the function that adds a trait's methods to a value. `position` counts the traits of
/// a function.
pub fn adapter(position: usize) -> Option<Ident> {
    (position < MOST).then(|| format_ident!("__bound{}", position))
}

/// Declares the adapters of these traits at the start of a body.
///
/// A device trait comes with a function of the same name, which adds the trait's methods to a value; `use` imports
/// both. For any other trait, `use` imports only the trait, and the name refers to the function in `rt::bounds`, which
/// returns the value unchanged. This works because an explicit import shadows a glob import in each namespace
/// separately.
pub fn imports(traits: &[Path]) -> TokenStream {
    if traits.is_empty() {
        return TokenStream::new();
    }
    let uses = traits.iter().enumerate().filter_map(|(position, path)| {
        let (mut path, adapter) = (path.clone(), adapter(position)?);
        path.segments.last_mut()?.arguments = PathArguments::None;
        Some(quote!(#[allow(unused_imports)] use #path as #adapter;))
    });
    quote! {
        #[allow(unused_imports)]
        use ::lanework::lang::rt::bounds::*;
        #(#uses)*
    }
}

/// The generics of a kernel or a device function, with the bounds that its body needs. A type parameter that is the element of a slice
/// parameter also gets the bound `Storable`.
pub fn with_storable(signature: &Signature) -> Generics {
    let mut generics = signature.generics.clone();
    let known = bounds(&generics);
    let names: Vec<Ident> = generics.type_params().map(|ty| ty.ident.clone()).collect();
    let of_kernels =
        |name: &Ident| known.iter().any(|(of, path)| of == name && is_of_kernels(path));
    let mut stored: Vec<Type> = Vec::new();
    for input in &signature.inputs {
        let Some(element) = element_of(input) else { continue };
        let own = matches!(element, Type::Path(path)
            if path.path.get_ident().is_some_and(|name| names.contains(name) && of_kernels(name)));
        if !own && names.iter().any(|name| mentions(element, name)) {
            stored.push(element.clone());
        }
    }
    generics = with_values(&generics, Some(signature));
    for element in stored {
        let clause = generics.make_where_clause();
        clause.predicates.push(syn::parse_quote!(#element: ::lanework::lang::Storable));
    }
    generics
}

/// The generics, with the bounds of values of the kernel language on each type parameter that no trait of the kernel language
/// bounds. (With both `Data` and `Float`, rustc would no longer see that a `T` is a `Var<T>` while staging.)
///
/// If only traits of Rust's library bound the parameter (`T: Copy`), it becomes a value. A user's trait may have functions without
/// a value of its type, so a function with such a parameter leaves it as it is, and the methods of a type make it `Data`.
pub fn with_values(generics: &Generics, of_function: Option<&Signature>) -> Generics {
    let known = bounds(generics);
    let mut generics = generics.clone();
    let (lang, rt) = (quote!(::lanework::lang), quote!(::lanework::lang::rt));
    let mut added: Vec<WherePredicate> = Vec::new();
    for parameter in generics.type_params() {
        let name = &parameter.ident;
        let own: Vec<&Path> = known.iter().filter(|(of, _)| of == name).map(|(_, p)| p).collect();
        if own.iter().any(|path| is_of_kernels(path)) || is_function_parameter(&own, parameter) {
            continue;
        }
        let of_rust = own.iter().all(|path| !may_be_device(path));
        match (of_rust, of_function) {
            // A parameter may only select types, as in `T::Storage`.
            (true, Some(signature)) if !is_value(signature, name) => continue,
            (true, _) => added.push(syn::parse_quote!(#name: #rt::KernelValue)),
            (false, None) => added.push(syn::parse_quote!(#name: #lang::Data)),
            (false, Some(_)) => {}
        }
        let ty = syn::parse_quote!(#name);
        let staged = own.iter().filter_map(|path| staged_bound(path, &ty));
        added.extend(staged.map(|bound| -> WherePredicate { syn::parse_quote!(#name: #bound) }));
    }
    if !added.is_empty() {
        generics.make_where_clause().predicates.extend(added);
    }
    generics
}

/// Whether a signature has values of the type parameter. `T::Storage` is another type.
fn is_value(signature: &Signature, name: &Ident) -> bool {
    fn mentioned(tokens: TokenStream, name: &Ident) -> bool {
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let path = matches!(trees.peek(), Some(TokenTree::Punct(next))
                if next.as_char() == ':' && next.spacing() == Spacing::Joint);
            let found = match tree {
                TokenTree::Ident(word) => word == *name && !path,
                TokenTree::Group(group) => mentioned(group.stream(), name),
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }
    let (inputs, output) = (&signature.inputs, &signature.output);
    mentioned(quote!(#inputs #output), name)
}

/// Whether a type parameter is a function or an iterator.
fn is_function_parameter(own: &[&Path], parameter: &syn::TypeParam) -> bool {
    let function = parameter.bounds.iter().any(is_function_bound);
    let iterator = |path: &&Path| {
        path.segments.last().is_some_and(|last| {
            ["Fn", "FnMut", "FnOnce", "Iterator", "IntoIterator"].iter().any(|n| last.ident == n)
        })
    };
    function || own.iter().any(iterator)
}

/// The bound on a type in kernels that corresponds to a bound by a trait of Rust's library.
pub fn staged_bound(path: &Path, ty: &Type) -> Option<TokenStream> {
    let last = path.segments.last()?;
    if !is_of_rust(&last.ident) {
        return None;
    }
    let (lang, rt) = (quote!(::lanework::lang), quote!(::lanework::lang::rt));
    let name = last.ident.to_string();
    let name = name.strip_suffix("Assign").unwrap_or(&name);
    match name {
        "PartialEq" | "Eq" => return Some(quote!(#rt::Equal)),
        "PartialOrd" | "Ord" => return Some(quote!(#rt::Ordered)),
        _ => {}
    }
    let (operator, values) = (format_ident!("{}", name), quote!(#lang::Data<Of<#rt::Values>:));
    if name == "Neg" || name == "Not" {
        return Some(quote!(#values ::core::ops::#operator<Output = #rt::Handle<#ty>>>));
    }
    if !BINARY.split(' ').any(|known| name == known) {
        return None;
    }
    let (mut right, mut output) = (ty.clone(), ty.clone());
    if let PathArguments::AngleBracketed(arguments) = &last.arguments {
        for argument in &arguments.args {
            match argument {
                GenericArgument::Type(ty) => right = ty.clone(),
                GenericArgument::AssocType(of) if of.ident == "Output" => output = of.ty.clone(),
                _ => {}
            }
        }
    }
    let (right, output) = (with_type(&right, ty), with_type(&output, ty));
    Some(quote! {
        #values ::core::ops::#operator<#rt::Handle<#right>, Output = #rt::Handle<#output>>
            + ::core::ops::#operator<#right, Output = #rt::Handle<#output>>>
    })
}

/// The operator traits with two operands.
const BINARY: &str = "Add Sub Mul Div Rem BitAnd BitOr BitXor Shl Shr";

/// A type with `ty` in the place of `Self`.
fn with_type(written: &Type, ty: &Type) -> Type {
    match written {
        Type::Path(path) if path.path.is_ident("Self") => ty.clone(),
        other => other.clone(),
    }
}

/// The element type of a slice parameter.
fn element_of(input: &FnArg) -> Option<&Type> {
    if let FnArg::Typed(typed) = input
        && let Type::Reference(reference) = &*typed.ty
        && let Type::Slice(slice) = &*reference.elem
    {
        return Some(&slice.elem);
    }
    None
}

/// Whether a type mentions a type parameter.
fn mentions(ty: &Type, name: &Ident) -> bool {
    struct Search<'a>(&'a Ident, bool);
    impl VisitMut for Search<'_> {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            self.1 |= ident == self.0;
        }
    }
    let mut search = Search(name, false);
    search.visit_type_mut(&mut ty.clone());
    search.1
}

/// The signature with a type parameter in the place of each `impl Trait`, apart from functions: the staged function
/// names the types of its parameters.
pub fn with_names(signature: &Signature) -> Signature {
    struct Names(Vec<syn::TypeParam>);
    impl VisitMut for Names {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::ImplTrait(bounds) if !bounds.bounds.iter().any(is_function_bound) => {
                    let (name, list) = (format_ident!("Argument{}", self.0.len()), &bounds.bounds);
                    self.0.push(syn::parse_quote!(#name: #list));
                    *ty = syn::parse_quote!(#name);
                }
                other => visit_type_mut(self, other),
            }
        }
    }
    let mut signature = signature.clone();
    let mut names = Names(Vec::new());
    signature.inputs.iter_mut().for_each(|input| names.visit_fn_arg_mut(input));
    signature.generics.params.extend(names.0.into_iter().map(syn::GenericParam::Type));
    signature
}

/// Whether a bound is `Fn(..)`, `FnMut(..)` or `FnOnce(..)`.
pub fn is_function_bound(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| {
        ["Fn", "FnMut", "FnOnce"].iter().any(|name| last.ident == name)
            && matches!(last.arguments, PathArguments::Parenthesized(_))
    })
}
