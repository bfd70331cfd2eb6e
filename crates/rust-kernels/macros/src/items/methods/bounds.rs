//! The bounds of a block's generics: a type parameter is a type of the kernel language.

use proc_macro2::Ident;
use syn::{Generics, Type};

/// Bounds that make a type parameter a type of the kernel language.
const BOUNDS: [&str; 8] =
    ["Scalar", "Number", "Integer", "Float", "Element", "Storable", "Data", "Bits"];

/// The generics, where a type parameter without such a bound is `Data`. (With `Data` and `Float`,
/// rustc would no longer see that a `T` is a `Var<T>` while staging.)
pub(super) fn with_data(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    let names: Vec<_> = generics.type_params().map(|ty| ty.ident.clone()).collect();
    let bounded = |name: &Ident| {
        let own = generics.type_params().filter(|ty| ty.ident == *name).flat_map(|ty| &ty.bounds);
        let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        let others = clause.filter_map(|predicate| match predicate {
            syn::WherePredicate::Type(ty) => match &ty.bounded_ty {
                Type::Path(path) if path.path.is_ident(name) => Some(&ty.bounds),
                _ => None,
            },
            _ => None,
        });
        own.chain(others.flatten()).any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|s| BOUNDS.iter().any(|b| s.ident == b))
            }
            _ => false,
        })
    };
    let missing: Vec<_> = names.into_iter().filter(|name| !bounded(name)).collect();
    let clause = generics.make_where_clause();
    for name in missing {
        clause.predicates.push(syn::parse_quote!(#name: ::lanework::lang::Data));
    }
    generics
}
