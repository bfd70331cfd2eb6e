//! Fragments of `macro_rules!` (`$a:expr`, `$t:ty`) in the tokens that an attribute receives.
//!
//! rustc passes a fragment as a group without visible delimiters. When an attribute returns such a group, rustc's parser
//! ignores it, so `$a * 2` of `x + 1` would become `x + 1 * 2`. Therefore the attributes first replace each group by its
//! tokens, in parentheses where an operator beside the fragment could take a part of it.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use syn::{Expr, Lit, UnOp};

/// The tokens with visible parentheses, or none, in place of every invisible group.
pub fn visible(tokens: TokenStream) -> TokenStream {
    if !has_fragment(&tokens) {
        return tokens;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            out.extend([tree.clone()]);
            continue;
        };
        let inner = visible(group.stream());
        let delimiter = match group.delimiter() {
            Delimiter::None if !is_parted(&trees, at, &inner) => {
                out.extend(inner);
                continue;
            }
            Delimiter::None => Delimiter::Parenthesis,
            other => other,
        };
        let mut new = Group::new(delimiter, inner);
        new.set_span(group.span());
        out.extend([TokenTree::Group(new)]);
    }
    out
}

/// Whether the tokens contain an invisible group.
fn has_fragment(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => {
            group.delimiter() == Delimiter::None || has_fragment(&group.stream())
        }
        _ => false,
    })
}

/// Whether the tokens of the fragment `at` need parentheses between its neighbors.
fn is_parted(trees: &[TokenTree], at: usize, inner: &TokenStream) -> bool {
    let (before, after) = (&trees[..at], &trees[at + 1..]);
    if is_start(before) && is_end(after) || is_after(before, '-') {
        return false;
    }
    match syn::parse2::<Expr>(inner.clone()) {
        // A negative number may be a pattern, which allows no parentheses at a range.
        Ok(Expr::Unary(unary)) if is_negative_number(&unary) => {
            matches!(after, [TokenTree::Punct(next), rest @ ..]
                if next.as_char() == '?' || next.as_char() == '.' && !is_punct(rest.first(), '.'))
        }
        Ok(expression) => !is_operand(&expression),
        // A type, a pattern, a statement or an item.
        Err(_) => false,
    }
}

/// Whether nothing before a fragment can take a part of it.
fn is_start(before: &[TokenTree]) -> bool {
    let single = match before {
        [.., TokenTree::Punct(first), TokenTree::Punct(_)] => first.spacing() == Spacing::Alone,
        _ => true,
    };
    match before.last() {
        None => true,
        Some(TokenTree::Punct(last)) => match last.as_char() {
            ',' | ';' => true,
            '=' | ':' => single,
            '>' => is_after(before, '='),
            _ => false,
        },
        _ => false,
    }
}

/// Whether nothing after a fragment can take a part of it.
fn is_end(after: &[TokenTree]) -> bool {
    after.is_empty() || is_punct(after.first(), ',') || is_punct(after.first(), ';')
}

/// Whether a fragment follows an arrow: `=>`, where an expression starts, or `->`, where a type starts.
fn is_after(before: &[TokenTree], arrow: char) -> bool {
    match before {
        [.., TokenTree::Punct(first), TokenTree::Punct(last)] => {
            first.as_char() == arrow && first.spacing() == Spacing::Joint && last.as_char() == '>'
        }
        _ => false,
    }
}

fn is_punct(tree: Option<&TokenTree>, character: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_negative_number(unary: &syn::ExprUnary) -> bool {
    let number = |expression: &Expr| {
        matches!(expression, Expr::Lit(literal)
            if matches!(literal.lit, Lit::Int(_) | Lit::Float(_)))
    };
    matches!(unary.op, UnOp::Neg(_)) && number(&unary.expr)
}

/// Whether an expression binds more strongly than any operator beside it. A jump and a `let` take all that follows.
fn is_operand(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Array(_)
            | Expr::Block(_)
            | Expr::Break(_)
            | Expr::Call(_)
            | Expr::Continue(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Let(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Repeat(_)
            | Expr::Return(_)
            | Expr::Try(_)
            | Expr::Tuple(_)
            | Expr::Verbatim(_)
    )
}

#[cfg(test)]
mod tests {
    use super::visible;
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

    /// The visible form of a text in which `«` and `»` enclose a fragment.
    fn shown(text: &str) -> String {
        let marked = text.replace('«', "(FRAGMENT ").replace('»', ")");
        visible(hidden(marked.parse().unwrap())).to_string()
    }

    fn hidden(tokens: TokenStream) -> TokenStream {
        let tree = |tree| match tree {
            TokenTree::Group(group) => {
                let mut inner = hidden(group.stream()).into_iter().peekable();
                let marked =
                    matches!(inner.peek(), Some(TokenTree::Ident(word)) if word == "FRAGMENT");
                let delimiter = if marked { Delimiter::None } else { group.delimiter() };
                let inner = inner.skip(usize::from(marked)).collect();
                TokenTree::Group(Group::new(delimiter, inner))
            }
            other => other,
        };
        tokens.into_iter().map(tree).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text), expected.parse::<TokenStream>().unwrap().to_string(), "{text}");
    }

    #[test]
    fn an_operator_beside_a_fragment_takes_all_of_it() {
        check("«x + 1» * 2", "(x + 1) * 2");
        check("-«a - 20»", "-(a - 20)");
        check("«a» - «b - 1»", "a - (b - 1)");
        check("«a * 100» as «u8»", "(a * 100) as u8");
        check("«a == 10» == «true»", "(a == 10) == true");
        check("for i in «0..4u32».skip(1) {}", "for i in (0..4u32).skip(1) {}");
        check("«|q| q + 1»(«k»)", "(|q| q + 1)(k)");
        check("if a == «S { x: 1 }» {}", "if a == (S { x: 1 }) {}");
        check("««x + 1» * 2» * 3", "((x + 1) * 2) * 3");
        check("a <= «b = 1», 2", "a <= (b = 1), 2");
        check("«-1».abs() + -«1»", "(-1).abs() + -1");
        check("&«a[i]» + «f(x)?» * «m!(y)»", "&a[i] + f(x)? * m!(y)");
    }

    #[test]
    fn a_fragment_that_stands_alone_gets_no_parentheses() {
        check("x[0] = «a + b»; let y: «&T» = «|v| v»;", "x[0] = a + b; let y: (&T) = |v| v;");
        check(
            "f(«a + 1», «|v| v», S { a: «x + 1», b: «y - 1» })",
            "f(a + 1, |v| v, S { a: x + 1, b: y - 1 })",
        );
        check("impl Hash for «u32» {}", "impl Hash for u32 {}");
        check("fn f(x: «&[T]», y: «Vec<u8>») -> «&T» {}", "fn f(x: &[T], y: Vec<u8>) -> &T {}");
        check(
            "match x { «-1»..=«3» => «a + 1», «A | B» => {} }",
            "match x { -1..=3 => a + 1, (A | B) => {} }",
        );
        check("«pub» fn f() «{ 1 }»", "pub fn f() { 1 }");
        check("«let y = a + 1»; «fn g() {}» «»", "let y = a + 1; fn g() {}");
    }
}
