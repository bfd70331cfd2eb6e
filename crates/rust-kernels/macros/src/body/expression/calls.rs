//! Calls: of methods, functions, closures and constructors, and their arguments.

use super::operators::range;
use crate::body::places::{is_constructor, is_place};
use crate::body::scope::{Mode, Translator, as_name};
use crate::body::statement::is_array_function;
use crate::body::twin::PRIMITIVES;
use crate::types::ends_with;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

/// Methods of numbers that take numbers of the same type.
const PROMOTING: [&str; 24] = [
    "min",
    "max",
    "clamp",
    "powf",
    "powi",
    "pow",
    "atan2",
    "hypot",
    "copysign",
    "mul_add",
    "rem_euclid",
    "div_euclid",
    "abs_diff",
    "div_ceil",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "next_multiple_of",
    "is_multiple_of",
    "rotate_left",
    "rotate_right",
];

impl Translator {
    /// A call of a method.
    pub fn method_call(&mut self, call: &syn::ExprMethodCall) -> TokenStream {
        let span = call.span();
        // `(low..high).contains(&x)`
        if call.method == "contains"
            && call.args.len() == 1
            && let Some(range) = range(&call.receiver)
        {
            return self.contains(range, &call.args[0], span);
        }
        if let Some(chain) = self.iterated(call) {
            return chain;
        }
        if call.method == "into" && call.args.is_empty() {
            return self.refuse(
                call,
                "cannot infer the target type of `into` in a kernel",
                "write `u32::from(x)`, with the type that it gives",
            );
        }
        // `option.expect("text")`
        if call.method == "expect"
            && matches!(call.args.first(), Some(Expr::Lit(l)) if matches!(l.lit, syn::Lit::Str(_)))
        {
            let (receiver, text) = (self.receiver(&call.receiver), &call.args[0]);
            return quote_spanned!(span => #receiver.expect(#text));
        }
        let receiver = self.receiver(&call.receiver);
        let (method, turbofish) = (&call.method, &call.turbofish);
        let arguments: Vec<_> = call.args.iter().map(|a| self.argument(a)).collect();
        let promotes = PROMOTING.iter().any(|name| method == name);
        match arguments.as_slice() {
            // The receiver may be an ordinary value, and the argument a run-time one.
            [first, rest @ ..] if promotes && !is_place(self, &call.receiver) => {
                let own_type = ["pow", "powi", "rotate_left", "rotate_right"];
                let promote = match own_type.iter().any(|name| method == name) {
                    true => quote_spanned!(span => ::lanework::lang::rt::PromoteBase),
                    false => quote_spanned!(span => ::lanework::lang::rt::Promote),
                };
                quote_spanned!(span => {
                    let (__receiver, __argument) = (#receiver, #first);
                    (&&#promote(__receiver, &__argument))
                        .receiver()
                        .#method #turbofish(__argument #(, #rest)*)
                })
            }
            _ => quote_spanned!(span => #receiver.#method #turbofish(#(#arguments),*)),
        }
    }

    /// A call of a function, a closure or a constructor.
    pub fn call(&mut self, call: &syn::ExprCall) -> TokenStream {
        let span = call.span();
        if let Expr::Path(path) = &*call.func
            && ends_with(&path.path, "Some")
            && call.args.len() == 1
        {
            let value = self.bare(&call.args[0], Mode::Keep);
            return quote_spanned!(span => ::lanework::lang::rt::some(#value));
        }
        // `u64::from(x)`
        if let Expr::Path(path) = &*call.func
            && let Some(number) = converted_to(&path.path)
            && call.args.len() == 1
        {
            let value = self.bare(&call.args[0], Mode::View);
            return quote_spanned!(span => ::lanework::lang::rt::from::<#number, _>(#value));
        }
        if let Expr::Path(path) = &*call.func
            && let Some(staged) = self.of_primitive(path, call)
        {
            return staged;
        }
        let function = match &*call.func {
            Expr::Path(path) if is_constructor(&path.path) => {
                return self.tuple_structure(call, path);
            }
            Expr::Path(path) => {
                let path = with_inferred_shape(path.clone());
                self.callee(&path)
            }
            Expr::Paren(inner) if matches!(&*inner.expr, Expr::Closure(_)) => {
                let closure = self.value(&inner.expr, Mode::View);
                quote!((#closure))
            }
            other => self.refuse(
                other,
                "only functions called by name are supported in a kernel",
                "call a #[device] function or an intrinsic",
            ),
        };
        // A closure, or a parameter that is a function.
        let local = matches!(&*call.func, Expr::Paren(_))
            || as_name(&call.func).is_some_and(|name| self.is_declared(name));
        let argument = if local { Self::closure_argument } else { Self::argument };
        let arguments: Vec<_> = call.args.iter().map(|a| argument(self, a)).collect();
        quote_spanned!(span => #function(#(#arguments),*))
    }

    /// `f32::from_bits(x)`, `f32::max(a, b)`: a function of a primitive type with arguments.
    fn of_primitive(&mut self, path: &syn::ExprPath, call: &syn::ExprCall) -> Option<TokenStream> {
        let segments = &path.path.segments;
        let (first, name) = (call.args.first()?, &segments.last()?.ident);
        let number = &segments.iter().rev().nth(1)?.ident;
        let text = matches!(first, Expr::Lit(l) if matches!(l.lit, syn::Lit::Str(_)));
        if path.qself.is_some() || text || !PRIMITIVES.iter().any(|known| number == known) {
            return None;
        }
        let (span, rt) = (call.span(), quote!(::lanework::lang::rt));
        let value = |t: &mut Self| t.bare(first, Mode::View);
        Some(match (number.to_string().as_str(), name.to_string().as_str()) {
            ("f32" | "f64", "from_bits") => {
                let function = quote::format_ident!("{}_from_bits", number);
                let bits = value(self);
                quote_spanned!(span => ::lanework::lang::prelude::#function::staged(#bits))
            }
            ("f16" | "bf16", "from_f32" | "from_f64") => {
                let value = value(self);
                quote_spanned!(span => #rt::cast::<#number, _>(#value))
            }
            (_, "from_le_bytes" | "from_ne_bytes") => {
                let value = value(self);
                quote_spanned!(span => #rt::from_le_bytes::<#number, _>(#value))
            }
            (_, "from_be_bytes") => {
                let value = value(self);
                quote_spanned!(span => #rt::from_be_bytes::<#number, _>(#value))
            }
            // Not a method of the number.
            (_, function) if function.starts_with("from") || function.starts_with("try_from") => {
                return None;
            }
            _ => {
                let receiver: Expr = match first {
                    Expr::Lit(_) => syn::parse_quote!((#first as #number)),
                    Expr::Reference(reference) => (*reference.expr).clone(),
                    other => syn::parse_quote!((#other)),
                };
                let rest = call.args.iter().skip(1);
                let method = syn::parse_quote_spanned!(span => #receiver.#name(#(#rest),*));
                self.method_call(&method)
            }
        })
    }

    /// An argument of a call; a name that is a variable passes its current value.
    pub fn argument(&mut self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::Path(path) => match self.function_value(path) {
                Some(function) => function,
                None => self.bare(expression, Mode::View),
            },
            _ => self.bare(expression, Mode::View),
        }
    }
}

/// The type of `u64::from`, a conversion without loss.
fn converted_to(path: &syn::Path) -> Option<&syn::Ident> {
    const NUMBERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64"];
    let mut segments = path.segments.iter();
    let (number, function) = (&segments.next()?.ident, &segments.next()?.ident);
    let known = NUMBERS.iter().any(|name| number == name) && function == "from";
    (known && segments.next().is_none()).then_some(number)
}

/// `shared::<f32>` as `shared::<f32, _>`, since the number of dimensions follows from the shape, and `cp_async::<4>` as
/// `cp_async::<4, _>`, since the element does from the places.
fn with_inferred_shape(mut path: syn::ExprPath) -> syn::ExprPath {
    if let Some(last) = path.path.segments.last_mut()
        && (is_array_function(&last.ident)
            || last.ident == "cp_async"
            || last.ident == "cp_async_filled")
        && let syn::PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && arguments.args.len() == 1
    {
        arguments.args.push(syn::parse_quote!(_));
    }
    path
}
