//! `assert!`, `assert_eq!`, `debug_assert!`, `panic!`, `unreachable!` and similar macros in
//! kernels.

use crate::body::scope::{Mode, Translator};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

/// Macros that never return.
pub const ENDINGS: [&str; 4] = ["panic", "unreachable", "todo", "unimplemented"];

impl Translator {
    /// `assert!(condition, "text {}", x)` and similar macros.
    pub fn assertion(&mut self, call: &syn::Macro, name: &str) -> TokenStream {
        let span = call.span();
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        let arguments: Vec<Expr> = match call.parse_body_with(parse) {
            Ok(arguments) => arguments.into_iter().collect(),
            Err(error) => {
                self.push_error(error);
                return TokenStream::new();
            }
        };
        let (plain, debug) = match name.strip_prefix("debug_") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let sides = if plain == "assert" { 1 } else { 2 };
        if arguments.len() < sides {
            return self.refuse(
                call,
                &format!(
                    "`{name}!` needs {sides} {arguments}",
                    arguments = if sides == 1 { "argument" } else { "arguments" }
                ),
                match sides {
                    1 => "write `assert!(i < n, \"text {i}\")`",
                    _ => "write `assert_eq!(a, b)`",
                },
            );
        }
        let (text, condition, values) = match (plain, &arguments[..sides]) {
            ("assert", [condition]) => {
                let text = as_written(&condition.to_token_stream().to_string());
                let condition = self.bare(condition, Mode::View);
                (format!("assertion failed: {text}"), condition, quote!())
            }
            (_, sides) => {
                let (relation, sign) = match plain {
                    "assert_eq" => ("is_equal", "=="),
                    _ => ("is_unequal", "!="),
                };
                let relation = syn::Ident::new(relation, span);
                let left = self.bare(&sides[0], Mode::Keep);
                let right = self.bare(&sides[1], Mode::Keep);
                let condition = quote_spanned!(span => {
                    __sides = (#left, #right);
                    (&&::lanework::lang::rt::Compare(__sides.0, __sides.1)).#relation()
                });
                let values = quote_spanned!(span =>
                    ::lanework::lang::rt::print(
                        &[::lanework::lang::rt::Piece::Text("  left: "),
                          ::lanework::lang::rt::PLAIN,
                          ::lanework::lang::rt::Piece::Text("\n right: "),
                          ::lanework::lang::rt::PLAIN,
                          ::lanework::lang::rt::Piece::Text("\n")],
                        &[::lanework::lang::rt::Printable::printable(&__sides.0),
                          ::lanework::lang::rt::Printable::printable(&__sides.1)]););
                (format!("assertion `left {sign} right` failed"), condition, values)
            }
        };
        let message = self.message(&arguments[sides..], call);
        let declared = (sides == 2).then(|| quote_spanned!(span => let __sides;));
        let check = quote_spanned!(span => {
            #declared
            ::lanework::lang::rt::assertion(#condition, #text, || { #values #message });
        });
        match debug {
            true => quote_spanned!(span => { if ::core::cfg!(debug_assertions) #check }),
            false => check,
        }
    }

    /// `panic!("text {}", x)` and similar macros.
    pub fn ending(&mut self, call: &syn::Macro, name: &str) -> TokenStream {
        let span = call.span();
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        let arguments: Vec<Expr> = match call.parse_body_with(parse) {
            Ok(arguments) => arguments.into_iter().collect(),
            Err(error) => {
                self.push_error(error);
                return TokenStream::new();
            }
        };
        let text = match (name, arguments.first()) {
            ("unreachable", _) => "entered unreachable code".to_owned(),
            ("todo", _) => "not yet implemented".to_owned(),
            ("unimplemented", _) => "not implemented".to_owned(),
            (_, Some(Expr::Lit(literal))) => match &literal.lit {
                syn::Lit::Str(text) => text.value(),
                other => other.to_token_stream().to_string(),
            },
            _ => "explicit panic".to_owned(),
        };
        let message = self.message(&arguments, call);
        quote_spanned!(span => {
            ::lanework::lang::rt::ending(#text, || { #message });
            ::lanework::lang::rt::Never
        })
    }

    /// The message of an assertion, printed.
    fn message(&mut self, arguments: &[Expr], call: &syn::Macro) -> TokenStream {
        if arguments.is_empty() {
            return TokenStream::new();
        }
        let mut print = call.clone();
        print.path = syn::parse_quote!(println);
        print.tokens = quote!(#(#arguments),*);
        let print = self.macro_call(&print);
        quote!(#print;)
    }
}

/// The text of tokens with conventional spacing: `x[i] >= f(0)` for `x [i] >= f (0)`.
fn as_written(tokens: &str) -> String {
    let mut text = tokens.to_owned();
    for (spaced, plain) in [
        (" . ", "."),
        (" :: ", "::"),
        (" ,", ","),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        ("( ", "("),
        (" )", ")"),
        ("! ", "!"),
    ] {
        text = text.replace(spaced, plain);
    }
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let opens = matches!(rest.peek(), Some('[' | '('));
        let after = out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
        if !(c == ' ' && opens && after) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::as_written;

    #[test]
    fn conditions_read_as_they_are_written() {
        for [tokens, text] in [
            ["x [i] >= 0.0", "x[i] >= 0.0"],
            ["! x . is_nan () && (a + b) [2] != c", "!x.is_nan() && (a + b)[2] != c"],
            ["u32 :: max (a , b) < tile [[i , j]]", "u32::max(a, b) < tile[[i, j]]"],
            ["a * (b + 1) == c", "a * (b + 1) == c"],
        ] {
            assert_eq!(as_written(tokens), text);
        }
    }
}
