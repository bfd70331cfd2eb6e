//! The names of patterns, and patterns of values.

use syn::Pat;
use syn::visit_mut::VisitMut;

/// The names that a pattern binds.
pub fn names(pattern: &Pat) -> Vec<syn::Ident> {
    struct Names(Vec<syn::Ident>);
    impl VisitMut for Names {
        fn visit_pat_ident_mut(&mut self, name: &mut syn::PatIdent) {
            self.0.push(name.ident.clone());
        }
    }
    let mut found = Names(Vec::new());
    found.visit_pat_mut(&mut pattern.clone());
    found.0
}

/// A pattern without references: elements are values in a kernel.
pub fn by_value(pattern: &Pat) -> Pat {
    match pattern {
        Pat::Reference(reference) => by_value(&reference.pat),
        Pat::Paren(inner) => by_value(&inner.pat),
        Pat::Tuple(tuple) => {
            let mut tuple = tuple.clone();
            tuple.elems.iter_mut().for_each(|part| *part = by_value(part));
            Pat::Tuple(tuple)
        }
        other => other.clone(),
    }
}
