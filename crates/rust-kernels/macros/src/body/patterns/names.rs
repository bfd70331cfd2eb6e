//! The names in a pattern: constants, bindings, and the pattern's form for rustc.

use syn::visit_mut::VisitMut;
use syn::{Ident, Pat};

/// Whether a name in a pattern is a constant's, by Rust's custom.
pub fn is_constant(name: &syn::PatIdent) -> bool {
    name.by_ref.is_none()
        && name.mutability.is_none()
        && name.subpat.is_none()
        && name.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase())
}

/// The names that a pattern binds.
pub(super) fn bound(pattern: &Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl VisitMut for Names {
        fn visit_pat_ident_mut(&mut self, name: &mut syn::PatIdent) {
            if !is_constant(name) {
                self.0.push(name.ident.clone());
            }
            syn::visit_mut::visit_pat_ident_mut(self, name);
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat_mut(&mut pattern.clone());
    names.0
}

/// The pattern as rustc checks it on an ordinary value: without `mut` and `&`.
pub fn for_check(pattern: &Pat) -> Pat {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_pat_mut(&mut self, pattern: &mut Pat) {
            if let Pat::Reference(inner) = pattern {
                *pattern = (*inner.pat).clone();
            }
            if let Pat::Ident(name) = pattern {
                name.mutability = None;
                name.by_ref = None;
            }
            syn::visit_mut::visit_pat_mut(self, pattern);
        }
    }
    let mut plain = pattern.clone();
    Plain.visit_pat_mut(&mut plain);
    plain
}

/// Whether a `let` pattern names a struct, and so has to be destructured by name.
pub fn names_a_struct(pattern: &Pat) -> bool {
    struct Search(bool);
    impl VisitMut for Search {
        fn visit_pat_mut(&mut self, pattern: &mut Pat) {
            self.0 |= matches!(
                pattern,
                Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Reference(_) | Pat::Rest(_)
            ) || matches!(pattern, Pat::Ident(name) if name.subpat.is_some());
            syn::visit_mut::visit_pat_mut(self, pattern);
        }
    }
    let mut search = Search(false);
    search.visit_pat_mut(&mut pattern.clone());
    search.0
}
