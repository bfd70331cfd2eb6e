//! `print!`, `println!`, `assert!`, `panic!` and similar macros in kernels: parsing format strings, and messages.

use crate::body::scope::{Mode, Translator};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Token};

/// `"text {}", a, b`.
struct Arguments {
    text: LitStr,
    values: Punctuated<Expr, Token![,]>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let text = LitStr::new("", proc_macro2::Span::call_site());
            return Ok(Arguments { text, values: Punctuated::new() });
        }
        let text = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Arguments { text, values: Punctuated::parse_terminated(input)? })
    }
}

/// A part of a format string.
enum Piece {
    Text(String),
    Value { name: Option<String>, form: String, show: &'static str },
}

/// Macros of Rust's library without a meaning in kernels, which are refused.
const OF_RUST: &str = "vec format eprint eprintln dbg write writeln include include_str include_bytes concat stringify \
    line column file module_path env option_env cfg thread_local try compile_error format_args";

/// Whether a macro belongs to the kernel language or to Rust's library. All other macros are expanded.
pub fn is_known(name: &str) -> bool {
    const OWN: [&str; 10] = [
        "print",
        "println",
        "ptx",
        "matches",
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
    ];
    OWN.contains(&name)
        || ENDINGS.contains(&name)
        || OF_RUST.split_whitespace().any(|known| known == name)
}

impl Translator {
    /// A macro inside a kernel.
    pub fn macro_call(&mut self, call: &syn::Macro) -> TokenStream {
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "print" => self.print(call, false),
            "println" => self.print(call, true),
            "ptx" => self.inline_ptx(call),
            "matches" => self.matches_macro(call),
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
            | "debug_assert_ne" => self.assertion(call, &name),
            ending if ENDINGS.contains(&ending) => self.ending(call, ending),
            _ => self.refuse(
                call,
                &format!("`{name}!` is not supported in a kernel"),
                "kernels support print!, println!, ptx!, matches!, assert!, assert_eq!, debug_assert!, panic!, \
                 unreachable! and their like",
            ),
        }
    }

    fn print(&mut self, call: &syn::Macro, newline: bool) -> TokenStream {
        let arguments = match call.parse_body::<Arguments>() {
            Ok(arguments) => arguments,
            Err(error) => {
                self.push_error(error);
                return TokenStream::new();
            }
        };
        let span = arguments.text.span();
        let mut pieces = match parse(&arguments.text.value()) {
            Ok(pieces) => pieces,
            Err(message) => {
                return self.refuse(
                    &arguments.text,
                    &message,
                    "kernels print `{}`, `{name}`, `{:8}`, `{:<8}`, `{:08}`, `{:.3}`, `{:x}`, \
                     `{:X}` and `{:e}`",
                );
            }
        };
        if newline {
            pieces.push(Piece::Text("\n".to_owned()));
        }
        let mut positional = arguments.values.iter();
        let mut tokens = Vec::new();
        let mut values = Vec::new();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => tokens.push(quote!(::lanework::lang::rt::Piece::Text(#text))),
                Piece::Value { name, form, show } => {
                    let value = match name {
                        Some(name) => {
                            let name = syn::Ident::new(name, span);
                            let path: Expr = syn::parse_quote!(#name);
                            self.bare(&path, Mode::View)
                        }
                        None => match positional.next() {
                            Some(value) => self.bare(value, Mode::View),
                            None => {
                                return self.refuse(
                                    &arguments.text,
                                    "the format string has more `{}` than there are arguments",
                                    "pass one argument for each `{}`",
                                );
                            }
                        },
                    };
                    values.push(quote_spanned!(span =>
                        ::lanework::lang::rt::Printable::printable(&#value)));
                    let show = syn::Ident::new(show, span);
                    tokens.push(quote!(::lanework::lang::rt::Piece::Value {
                        form: #form, show: ::lanework::lang::rt::Show::#show
                    }));
                }
            }
        }
        if let Some(extra) = positional.next() {
            return self.refuse(
                extra,
                "this argument has no `{}` in the format string",
                "add one, or remove the argument",
            );
        }
        quote_spanned!(span => ::lanework::lang::rt::print(&[#(#tokens),*], &[#(#values),*]))
    }
}

/// Parses a format string.
fn parse(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' | '}' if characters.peek() == Some(&character) => {
                characters.next();
                plain.push(character);
            }
            '{' => {
                let inner: String = characters.by_ref().take_while(|c| *c != '}').collect();
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(placeholder(&inner)?);
            }
            '}' => return Err("`}` without `{` in the format string".to_owned()),
            other => plain.push(other),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// Parses the text between braces.
fn placeholder(inner: &str) -> Result<Piece, String> {
    let (name, spec) = inner.split_once(':').unwrap_or((inner, ""));
    let refuse = || format!("`{{{inner}}}` is not supported in a kernel's format string");
    let name = match name {
        "" => None,
        name if syn::parse_str::<syn::Ident>(name).is_ok() => Some(name.to_owned()),
        _ => return Err(refuse()),
    };
    let (spec, show) = match spec.chars().last() {
        Some('x') => (&spec[..spec.len() - 1], Some("Hex")),
        Some('X') => (&spec[..spec.len() - 1], Some("UpperHex")),
        Some('e') => (&spec[..spec.len() - 1], Some("Scientific")),
        Some('?') => (&spec[..spec.len() - 1], None),
        _ => (spec, None),
    };
    let mut form = String::new();
    let spec = match spec.strip_prefix('<') {
        Some(rest) => {
            form.push('-');
            rest
        }
        None => spec.strip_prefix('>').unwrap_or(spec),
    };
    if !spec.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '+' || c == '#') {
        return Err(refuse());
    }
    form.push_str(spec);
    let fixed = if spec.contains('.') { "Fixed" } else { "Plain" };
    Ok(Piece::Value { name, form, show: show.unwrap_or(fixed) })
}

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
    use super::*;

    fn describe(text: &str) -> Result<Vec<String>, String> {
        let describe = |piece: Piece| match piece {
            Piece::Text(text) => text,
            Piece::Value { name, form, show } => {
                format!("<{}|{form}|{show}>", name.unwrap_or_default())
            }
        };
        Ok(parse(text)?.into_iter().map(describe).collect())
    }

    #[test]
    fn text_and_values_alternate() {
        assert_eq!(
            describe("a {} b{{}} {x:.3}{:08x}").unwrap(),
            ["a ", "<||Plain>", " b{} ", "<x|.3|Fixed>", "<|08|Hex>"]
        );
    }

    #[test]
    fn unknown_forms_are_refused() {
        assert!(describe("{:^5}").is_err());
        assert!(describe("{0}").is_err());
        assert!(describe("}").is_err());
    }

    #[test]
    fn conditions_print_with_conventional_spacing() {
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
