//! Calls: of methods, functions, closures and constructors, and their arguments.

use super::operators::range;
use crate::patterns::ends_with;
use crate::places::{is_constructor, is_place};
use crate::scope::{Mode, Translator, as_name};
use crate::statement::is_array_function;
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
                quote_spanned!(span => {
                    let (__receiver, __argument) = (#receiver, #first);
                    (&&::lanework::lang::rt::Promote(__receiver, &__argument))
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

/// `shared::<f32>` as `shared::<f32, _>`: the number of dimensions follows from the shape.
fn with_inferred_shape(mut path: syn::ExprPath) -> syn::ExprPath {
    if let Some(last) = path.path.segments.last_mut()
        && is_array_function(&last.ident)
        && let syn::PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && arguments.args.len() == 1
    {
        arguments.args.push(syn::parse_quote!(_));
    }
    path
}
