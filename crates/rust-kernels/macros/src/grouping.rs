//! Groups without delimiters, which surround the fragments of a `macro_rules!` (`$a:expr`). rustc ignores them in the tokens that an
//! attribute returns: `$a * 2` with `x + 1` for `$a` would become `x + 1 * 2`. Those around operators become parentheses.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Expr;

/// The tokens with parentheses for groups without delimiters, where the grouping matters.
pub fn grouped(tokens: TokenStream) -> TokenStream {
    let one = |tree| match tree {
        TokenTree::Group(group) => {
            let inner = grouped(group.stream());
            let delimiter = match group.delimiter() {
                Delimiter::None if has_operator(&inner) => Delimiter::Parenthesis,
                other => other,
            };
            let mut whole = Group::new(delimiter, inner);
            // Generated parentheses are never superfluous to rustc.
            whole.set_span(match delimiter == group.delimiter() {
                true => group.span(),
                false => Span::mixed_site().located_at(group.span()),
            });
            TokenTree::Group(whole)
        }
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

/// Whether tokens are an expression that a neighboring operator could take apart. Types and patterns of such a form may be in
/// parentheses, too. Not an assignment: it may be the content of an attribute (`$doc:meta`).
fn has_operator(tokens: &TokenStream) -> bool {
    match syn::parse2::<Expr>(tokens.clone()) {
        Ok(
            Expr::Binary(_) | Expr::Cast(_) | Expr::Closure(_) | Expr::Range(_) | Expr::Unary(_),
        ) => true,
        Ok(_) | Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn fragments_with_operators_get_parentheses() {
        let of = |fragment: TokenStream| {
            let group = TokenTree::Group(Group::new(Delimiter::None, fragment));
            grouped(quote!(f(#group * 2))).to_string()
        };
        let shown = |tokens: TokenStream| tokens.to_string();
        assert_eq!(of(quote!(x + 1)), shown(quote!(f((x + 1) * 2))));
        assert_eq!(of(quote!(-x)), shown(quote!(f((-x) * 2))));
        assert_eq!(of(quote!(0..n)), shown(quote!(f((0..n) * 2))));
        for plain in [
            quote!(x),
            quote!(x[i].y),
            quote!(f(1)),
            quote!(&[T]),
            quote!(Vec<T>),
            quote!(doc = "text"),
        ] {
            assert!(!of(plain.clone()).contains("(("), "{plain}");
            assert_eq!(
                of(plain.clone()).matches('(').count(),
                1 + plain.to_string().matches('(').count()
            );
        }
    }
}
