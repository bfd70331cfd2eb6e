//! Objects of the host in the body of a kernel: cells, atomics, locks, and statics that hold one.
//!
//! The body runs once, on the host, while the kernel is staged. A method of such an object would run then, once, and not
//! for each thread, so a kernel would silently compute something else.

use crate::body::scope::Translator;
use crate::host::visit_arguments;
use crate::source::{Static, is_mutable_type, is_of_std, static_of};
use syn::visit_mut::VisitMut;
use syn::{Expr, Ident, Path};

/// The orders of atomics, after `Ordering::`.
const ORDERS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// Reports the host's objects in a body. The block of a `const` runs on the host, as written.
pub fn check(block: &syn::Block, translator: &mut Translator) {
    let mut search = Search { translator, found: false, order: None };
    search.visit_block_mut(&mut block.clone());
    if let (false, Some(order)) = (search.found, search.order) {
        translator.refuse(
            order,
            "an atomic of Rust's library is an object of the host",
            "use `atomic_add` on a buffer",
        );
    }
}

struct Search<'a> {
    translator: &'a mut Translator,
    found: bool,
    /// The first order of an atomic: the sign of one that has no name here.
    order: Option<Path>,
}

impl VisitMut for Search<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if !matches!(expression, Expr::Const(_)) {
            syn::visit_mut::visit_expr_mut(self, expression);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        visit_arguments(self, call);
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        let parts: Vec<&Ident> = path.segments.iter().map(|part| &part.ident).collect();
        let of_std = parts.first().is_some_and(|first| is_of_std(first));
        if let Some(name) = parts.iter().find(|part| of_std && is_mutable_type(&part.to_string())) {
            self.found = true;
            self.translator.refuse(
                &*path,
                &format!("`{name}` is an object of the host"),
                "use `let mut` for a value of the thread, and `atomic_add` on a buffer for a common one",
            );
            return;
        }
        if let [.., module, order] = parts[..]
            && module == "Ordering"
            && ORDERS.iter().any(|known| order == known)
            && of_std
        {
            self.order.get_or_insert_with(|| path.clone());
            return;
        }
        if let Some(name) = path.get_ident()
            && let Some(of) = static_of(name)
        {
            let message = match of {
                Static::Mutable => format!("a kernel cannot use the `static mut` `{name}`"),
                Static::Object => format!("a kernel cannot use the static `{name}`"),
            };
            self.found = true;
            self.translator.refuse(
                &*path,
                &message,
                "pass the value as an argument; to count, use `atomic_add` on a buffer",
            );
            return;
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}
