//! The traits that bound a function's type parameters, and what a bound by a device trait means in a kernel.
//!
//! An attribute sees the name of a trait but not its declaration, so whether a trait is `#[device]` is left to rustc's
//! name resolution: see [`imports`].

use crate::source::{declares, is_users};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{VisitMut, visit_type_mut};
use syn::{
    FnArg, Generics, Ident, Path, PathArguments, ReturnType, Signature, Token, Type,
    TypeParamBound, WherePredicate,
};

/// Traits of Rust's library, which are never device traits.
const OF_RUST: &str = "Default From Into TryFrom TryInto PartialEq Eq PartialOrd Ord Clone Copy Debug Display Hash Send \
    Sync Sized Iterator IntoIterator FromIterator Sum Product Deref DerefMut Index IndexMut AsRef AsMut Borrow Drop \
    Fn FnMut FnOnce Add Sub Mul Div Rem Neg Not BitAnd BitOr BitXor Shl Shr AddAssign \
    SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign FromStr ToString \
    Error Write Any Pod Zeroable";

/// Traits of Rust's library that say nothing about what a kernel computes with a value.
const PLAIN: &str =
    "Clone Copy Debug Default Display Eq Hash Ord PartialEq PartialOrd Send Sized Sync";

/// Traits that make a type parameter a type of the kernel language.
const OF_KERNELS: &str = "Scalar Number Integer Float Element Storable Data Bits";

/// The most device traits whose methods one function can call: the number of functions in `rt::bounds`.
const MOST: usize = 8;

/// Whether a trait is one of Rust's library, by its name.
pub fn is_of_rust(name: &Ident) -> bool {
    OF_RUST.split_whitespace().any(|known| name == known) && !declares(name)
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

/// The generics of a function. A type parameter that has a user's trait as a bound and is the element type of a slice
/// parameter also gets the bound `Storable`.
pub fn with_storable(signature: &Signature) -> Generics {
    let mut generics = signature.generics.clone();
    let held = |name: &Ident| {
        signature.inputs.iter().any(|input| match input {
            FnArg::Typed(typed) => is_slice_of(&typed.ty, name),
            FnArg::Receiver(_) => false,
        })
    };
    let mut held: Vec<Ident> = bounds(&generics)
        .into_iter()
        .filter(|(name, path)| may_be_device(path) && held(name))
        .map(|(name, _)| name)
        .collect();
    held.dedup();
    for name in held {
        add_storable(&mut generics, &name);
    }
    with_data(generics, signature)
}

/// The generics, with the bounds of values of the kernel language on each type parameter that only Rust's own traits bound
/// (`T: Copy`) and that is the type of a parameter or of the result.
fn with_data(mut generics: Generics, signature: &Signature) -> Generics {
    let known = bounds(&generics);
    let is = |ty: &Type, name: &Ident| matches!(ty, Type::Path(path) if path.path.is_ident(name));
    let passed = |name: &Ident| {
        signature
            .inputs
            .iter()
            .any(|input| matches!(input, FnArg::Typed(typed) if is(&typed.ty, name)))
            || matches!(&signature.output, ReturnType::Type(_, ty) if is(ty, name))
    };
    let plain = |path: &Path| {
        path.get_ident().is_some_and(|name| {
            PLAIN.split_whitespace().any(|known| name == known) && !is_users(name)
        })
    };
    for parameter in generics.type_params_mut() {
        let name = parameter.ident.clone();
        if passed(&name) && known.iter().all(|(of, path)| *of != name || plain(path)) {
            parameter.bounds.extend(of_values(&name));
        }
    }
    generics
}

/// Bounds of the handles and variables of a type.
fn of_values(ty: &Ident) -> Punctuated<TypeParamBound, Token![+]> {
    let (lang, rt) = (quote!(::lanework::lang), quote!(::lanework::lang::rt));
    let handle = quote!(<#ty as #lang::Data>::Of<#rt::Values>);
    let variable = quote!(<#ty as #lang::Data>::Of<#rt::Variables>);
    let value = quote!(#rt::Valued<Value = #ty> + #rt::To<#ty> + #rt::Read<Value = #handle>);
    syn::parse_quote! {
        #lang::Data<Of<#rt::Values>: #value + #rt::IntoVariable<Variable = #variable>>
        + #lang::Data<Of<#rt::Variables>: #value + #rt::Target<Value = #ty>>
    }
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

/// Whether a type is `&[name]` or `&mut [name]`.
fn is_slice_of(ty: &Type, name: &Ident) -> bool {
    if let Type::Reference(reference) = ty
        && let Type::Slice(slice) = &*reference.elem
        && let Type::Path(path) = &*slice.elem
    {
        return path.path.is_ident(name);
    }
    false
}

/// Adds the bound where the type parameter has its others, in the list or in the clause.
fn add_storable(generics: &mut Generics, name: &Ident) {
    let bound: TypeParamBound = syn::parse_quote!(::lanework::lang::Storable);
    let parameter = generics.type_params_mut().find(|parameter| parameter.ident == *name);
    if let Some(parameter) = parameter.filter(|parameter| !parameter.bounds.is_empty()) {
        parameter.bounds.push(bound);
        return;
    }
    let predicates = &mut generics.make_where_clause().predicates;
    let of = predicates.iter_mut().find_map(|predicate| match predicate {
        WherePredicate::Type(ty) => match &ty.bounded_ty {
            Type::Path(path) if path.path.is_ident(name) => Some(ty),
            _ => None,
        },
        _ => None,
    });
    if let Some(of) = of {
        of.bounds.push(bound);
    }
}
