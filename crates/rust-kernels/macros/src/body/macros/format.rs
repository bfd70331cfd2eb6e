//! `print!` and `println!` in kernels: parsing format strings.

use crate::body::scope::{Mode, Translator};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
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
            ending if crate::body::macros::assertion::ENDINGS.contains(&ending) => self.ending(call, ending),
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
}
