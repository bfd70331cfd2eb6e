//! Calls of macros in a body: assertions, printing, and inline PTX such as `ptx!("popc.b32 {}, {};", out(u32), in(x))`.

pub mod format;

use crate::body::scope::{Mode, Translator};
use crate::types::refuse;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Token, Type};

/// An operand of `ptx!`.
struct Operand {
    name: Option<Ident>,
    kind: Kind,
}

enum Kind {
    /// `in(x)`: a value, or the address of `&x[i]`.
    In(Box<Expr>),
    /// `out(T)`: a new register, which becomes the value of the `ptx!`.
    Out(Box<Type>),
}

struct Arguments {
    text: LitStr,
    operands: Punctuated<Operand, Token![,]>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let text = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Arguments { text, operands: Punctuated::parse_terminated(input)? })
    }
}

impl Parse for Operand {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = match input.peek(Ident) && input.peek2(Token![=]) {
            true => {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            }
            false => None,
        };
        let inner;
        let kind = if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            syn::parenthesized!(inner in input);
            Kind::In(inner.parse()?)
        } else {
            let word: Ident = input.parse()?;
            if word != "out" {
                return Err(refuse(
                    &word,
                    "an operand of ptx! is `in(value)` or `out(type)`",
                    "write `ptx!(\"popc.b32 {}, {};\", out(u32), in(x))`",
                ));
            }
            syn::parenthesized!(inner in input);
            Kind::Out(inner.parse()?)
        };
        Ok(Operand { name, kind })
    }
}

impl Translator {
    /// `ptx!` as a call of the runtime, which returns the outputs.
    pub fn inline_ptx(&mut self, call: &syn::Macro) -> TokenStream {
        let arguments = match call.parse_body::<Arguments>() {
            Ok(arguments) => arguments,
            Err(error) => {
                self.push_error(error);
                return TokenStream::new();
            }
        };
        let span = arguments.text.span();
        let names: Vec<_> =
            arguments.operands.iter().map(|o| o.name.as_ref().map(Ident::to_string)).collect();
        let text = match number(&arguments.text.value(), &names) {
            Ok(text) => text,
            Err(message) => {
                return self.refuse(
                    &arguments.text,
                    &message,
                    "`{}` takes the next operand, `{name}` the one written `name = in(..)`; \
                     write `{{` and `}}` for PTX's own braces",
                );
            }
        };
        let mut outputs = Vec::new();
        let mut declarations = Vec::new();
        let mut operands = Vec::new();
        for (index, operand) in arguments.operands.iter().enumerate() {
            match &operand.kind {
                Kind::In(value) => {
                    let value = self.bare(value, Mode::View);
                    operands.push(quote_spanned!(span =>
                        ::lanework::lang::rt::Input::written(#value)));
                }
                Kind::Out(ty) => {
                    let name = format_ident!("__out{}", index, span = span);
                    declarations.push(quote_spanned!(span =>
                        let #name = ::lanework::lang::rt::output::<#ty>();));
                    operands.push(quote_spanned!(span =>
                        ::lanework::lang::rt::Input::written(#name)));
                    outputs.push(name);
                }
            }
        }
        let value = match outputs.as_slice() {
            [] => quote!(),
            [one] => quote!(#one),
            more => quote!((#(#more),*)),
        };
        quote_spanned!(span => {
            #(#declarations)*
            ::lanework::lang::rt::inline(#text, &[#(#operands),*]);
            #value
        })
    }
}

/// Numbers the placeholders and checks that every operand is used.
fn number(text: &str, names: &[Option<String>]) -> Result<String, String> {
    let mut out = String::new();
    let mut used = vec![false; names.len()];
    let mut next = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' | '}' if characters.peek() == Some(&character) => {
                characters.next();
                out.extend([character, character]);
            }
            '{' => {
                let inner: String = characters.by_ref().take_while(|c| *c != '}').collect();
                let position = match inner.as_str() {
                    "" => {
                        next += 1;
                        next - 1
                    }
                    name => match name.parse() {
                        Ok(position) => position,
                        Err(_) => names
                            .iter()
                            .position(|n| n.as_deref() == Some(name))
                            .ok_or_else(|| format!("there is no operand called `{name}`"))?,
                    },
                };
                let Some(mark) = used.get_mut(position) else {
                    return Err(format!("there is no operand {position}"));
                };
                *mark = true;
                out.push_str(&format!("{{{position}}}"));
            }
            '}' => return Err("`}` without `{`".to_owned()),
            other => out.push(other),
        }
    }
    match used.iter().position(|used| !used) {
        Some(unused) => Err(format!("operand {unused} is not used in the PTX text")),
        None => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn placeholders_are_numbered() {
        let names = [None, Some("x".to_owned())];
        assert_eq!(number("popc.b32 {}, {x};", &names).unwrap(), "popc.b32 {0}, {1};");
        assert_eq!(number("{{ mov {1}, {0}; }}", &names).unwrap(), "{{ mov {1}, {0}; }}");
    }

    #[test]
    fn unknown_and_unused_operands_are_refused() {
        let names = [Some("x".to_owned())];
        assert!(number("mov {y};", &names).is_err());
        assert!(number("mov;", &names).is_err());
        assert!(number("mov {}, {};", &names).is_err());
    }
}
