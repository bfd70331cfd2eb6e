//! Lifetimes and references in the types of staged code.
//!
//! A thread's values are registers, which borrow nothing: `&T` is a `T` there, and a slice is an address and a length, of type
//! `&'static [T]`. The host's version of an item keeps the types as they are written.

use crate::source::lifetime_count;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, FnArg, GenericArgument, GenericParam, Generics, ImplItem, ItemImpl, Lifetime,
    PathArguments, Signature, Type, WherePredicate,
};

/// The signature, without lifetimes.
pub fn of_signature(signature: &Signature) -> Signature {
    let mut signature = signature.clone();
    Staged.visit_signature_mut(&mut signature);
    signature
}

/// The block, without lifetimes.
pub fn of_block(block: &Block) -> Block {
    let mut block = block.clone();
    Staged.visit_block_mut(&mut block);
    block
}

/// The generics, without lifetimes.
pub fn of_generics(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    Staged.visit_generics_mut(&mut generics);
    generics
}

/// A type that a `#[device]` struct or enum holds.
pub fn of_field(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Static.visit_type_mut(&mut ty);
    ty
}

/// The block of a type's functions, without lifetimes.
pub fn of_impl(item: &ItemImpl) -> ItemImpl {
    let mut item = item.clone();
    Staged.visit_generics_mut(&mut item.generics);
    // A block for a reference is refused.
    if !matches!(&*item.self_ty, Type::Reference(_)) {
        Staged.visit_type_mut(&mut item.self_ty);
    }
    if let Some((path, _)) = &mut item.trait_ {
        Static.visit_path_mut(path);
    }
    for inner in &mut item.items {
        match inner {
            ImplItem::Fn(function) => Staged.visit_impl_item_fn_mut(function),
            ImplItem::Type(ty) => Staged.visit_type_mut(&mut ty.ty),
            _ => {}
        }
    }
    item
}

fn make_static(lifetime: &mut Lifetime) {
    lifetime.ident = syn::Ident::new("static", lifetime.ident.span());
}

/// Replaces each lifetime by `'static`.
struct Static;

impl VisitMut for Static {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        make_static(lifetime);
    }

    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        reference.lifetime.get_or_insert_with(|| syn::parse_quote!('static));
        visit_mut::visit_type_reference_mut(self, reference);
    }
}

/// Rewrites the types of staged code.
struct Staged;

impl VisitMut for Staged {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        make_static(lifetime);
    }

    // The names of loops are lifetimes, too.
    fn visit_label_mut(&mut self, _: &mut syn::Label) {}

    fn visit_expr_break_mut(&mut self, jump: &mut syn::ExprBreak) {
        if let Some(value) = &mut jump.expr {
            self.visit_expr_mut(value);
        }
    }

    fn visit_expr_continue_mut(&mut self, _: &mut syn::ExprContinue) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_generics_mut(&mut self, generics: &mut Generics) {
        let parameters = std::mem::take(&mut generics.params).into_iter();
        generics.params = parameters.filter(|p| !matches!(p, GenericParam::Lifetime(_))).collect();
        if let Some(clause) = &mut generics.where_clause {
            let predicates = std::mem::take(&mut clause.predicates).into_iter();
            clause.predicates =
                predicates.filter(|p| !matches!(p, WherePredicate::Lifetime(_))).collect();
        }
        if generics.where_clause.as_ref().is_some_and(|clause| clause.predicates.is_empty()) {
            generics.where_clause = None;
        }
        visit_mut::visit_generics_mut(self, generics);
    }

    // A parameter `&T` or `&mut T` stays a reference, because its kind depends on that.
    fn visit_fn_arg_mut(&mut self, argument: &mut FnArg) {
        if let FnArg::Typed(typed) = argument
            && let Type::Reference(reference) = &mut *typed.ty
        {
            reference.lifetime = None;
            return self.visit_type_mut(&mut reference.elem);
        }
        visit_mut::visit_fn_arg_mut(self, argument);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        let Type::Reference(reference) = ty else { return };
        let sized =
            !matches!(&*reference.elem, Type::Slice(_) | Type::TraitObject(_) | Type::ImplTrait(_))
                && !matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"));
        if sized && reference.mutability.is_none() {
            *ty = (*reference.elem).clone();
        } else {
            reference.lifetime.get_or_insert_with(|| syn::parse_quote!('static));
        }
    }

    fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, path);
        let Some(last) = path.path.segments.last_mut() else { return };
        let named = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().any(|one| matches!(one, GenericArgument::Lifetime(_)))
            }
            _ => false,
        };
        let count = if named { 0 } else { lifetime_count(&last.ident) };
        for _ in 0..count {
            match &mut last.arguments {
                PathArguments::AngleBracketed(arguments) => {
                    arguments.args.insert(0, syn::parse_quote!('static));
                }
                other => *other = PathArguments::AngleBracketed(syn::parse_quote!(<'static>)),
            }
        }
    }
}
