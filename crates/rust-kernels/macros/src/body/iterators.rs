//! Chains of iterators: `(a..b).map(f).sum()`, `x.iter().zip(y).filter(p)`. If code calls an iterator method on a range
//! or on `.iter()`, that source becomes an iterator of the kernel language. Closures take the elements by value. A
//! `for` also accepts arrays and slices, with `.iter()`, `.copied()` and `.enumerate()`.

use crate::body::expression::range;
use crate::body::patterns::by_value;
use crate::body::scope::{Mode, Translator};
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall, RangeLimits};

/// The methods of Rust's iterators that kernels support.
const METHODS: &str = "\
    map filter take_while enumerate zip rev skip take step_by copied cloned for_each fold reduce \
    sum product count min max any all position find iter into_iter filter_map map_while skip_while chain last \
    min_by max_by min_by_key max_by_key nth peekable";

/// Methods that iterate over subslices.
const OF_PARTS: [&str; 3] = ["windows", "chunks", "chunks_exact"];

/// Methods without a staged version: they build a collection, or take elements one at a time.
const WITHOUT: [&str; 4] = ["collect", "next", "partition", "unzip"];

impl Translator {
    /// A call of an iterator method on a source or on a chain; `None` for any other call.
    pub fn iterated(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        if self.on_host || !is_chain(&call.receiver) {
            return None;
        }
        let span = call.span();
        if WITHOUT.iter().any(|name| call.method == name) {
            return Some(self.refuse(
                call,
                "an iterator of a kernel goes through all of its elements in one loop",
                "end it with a sum, a fold or a search, or go over it with `for`",
            ));
        }
        if !is_method(call) {
            return None;
        }
        let receiver = match source(&call.receiver) {
            Some(tokens) => self.source(tokens),
            None => self.bare(&call.receiver, Mode::View),
        };
        let zips = call.method == "zip" || call.method == "chain";
        let arguments: Vec<_> = call
            .args
            .iter()
            .map(|argument| match argument {
                Expr::Closure(closure) => {
                    let mut closure = closure.clone();
                    closure.inputs.iter_mut().for_each(|input| *input = by_value(input));
                    self.closure(&closure)
                }
                other if zips => match source(other) {
                    Some(tokens) => self.source(tokens),
                    None => self.base(unreferenced(other)),
                },
                other => self.argument(other),
            })
            .collect();
        let (method, turbofish) = (&call.method, &call.turbofish);
        Some(quote_spanned!(span => #receiver.#method #turbofish(#(#arguments),*)))
    }

    /// The source of a `for`, if it is a plain source.
    pub fn iterator(&mut self, expression: &Expr) -> TokenStream {
        match (expression, source(expression)) {
            (_, Some(tokens)) => self.source(tokens),
            (Expr::Reference(reference), None) if reference.mutability.is_some() => {
                self.source(Source::IterMut(&reference.expr))
            }
            _ => self.bare(expression, Mode::Keep),
        }
    }

    /// The iterator of a source.
    fn source(&mut self, source: Source<'_>) -> TokenStream {
        match source {
            Source::Range(range) => {
                let span = range.span();
                let Some(start) = &range.start else {
                    return self.refuse(
                        range,
                        "this range has no first value",
                        "write `a..b`, `a..=b` or `a..`",
                    );
                };
                let start = self.bare(start, Mode::Keep);
                let Some(end) = &range.end else {
                    return quote_spanned!(span => ::lanework::lang::rt::range_from(#start));
                };
                let end = self.bare(end, Mode::Keep);
                let inclusive = matches!(range.limits, RangeLimits::Closed(_));
                quote_spanned!(span => ::lanework::lang::rt::range(#start, #end, #inclusive))
            }
            Source::Iter(items) => {
                let span = items.span();
                let items = self.base(unreferenced(items));
                quote_spanned!(span => ::lanework::lang::rt::IntoStream::stream(#items))
            }
            Source::Parts(call) => {
                let (span, method) = (call.span(), &call.method);
                let size = self.bare(&call.args[0], Mode::Keep);
                let items = self.base(unreferenced(&call.receiver));
                quote_spanned!(span => ::lanework::lang::rt::#method(#items, #size))
            }
            Source::IterMut(items) => {
                let span = items.span();
                let items = self.base(unreferenced(items));
                quote_spanned!(span => ::lanework::lang::rt::IntoStreamMut::stream_mut(#items))
            }
        }
    }
}

/// The source of a chain.
enum Source<'a> {
    /// `a..b`.
    Range(&'a syn::ExprRange),
    /// The receiver of `.iter()`.
    Iter(&'a Expr),
    /// The receiver of `.iter_mut()`.
    IterMut(&'a Expr),
    /// `x.windows(n)`.
    Parts(&'a ExprMethodCall),
}

/// The source that an expression denotes.
fn source(expression: &Expr) -> Option<Source<'_>> {
    match expression {
        Expr::Paren(inner) => source(&inner.expr),
        Expr::MethodCall(call) if of_parts(call) => Some(Source::Parts(call)),
        Expr::MethodCall(call) if call.args.is_empty() && !is_chain(&call.receiver) => {
            match call.method.to_string().as_str() {
                "iter" | "into_iter" => Some(Source::Iter(&call.receiver)),
                "iter_mut" => Some(Source::IterMut(&call.receiver)),
                _ => None,
            }
        }
        other => range(other).map(Source::Range),
    }
}

/// Whether an expression is a source, or a chain of iterator methods on a source.
pub fn is_chain(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(inner) => is_chain(&inner.expr),
        Expr::Range(_) => true,
        Expr::MethodCall(call) if of_parts(call) => true,
        Expr::MethodCall(call)
            if ["iter", "into_iter", "iter_mut"].iter().any(|name| call.method == name) =>
        {
            true
        }
        Expr::MethodCall(call) => is_method(call) && is_chain(&call.receiver),
        _ => false,
    }
}

/// Whether the elements of a chain are writable places.
pub fn is_exclusive(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(inner) => is_exclusive(&inner.expr),
        Expr::Reference(reference) => reference.mutability.is_some(),
        Expr::MethodCall(call) => {
            call.method == "iter_mut"
                || is_exclusive(&call.receiver)
                || call.method == "zip" && call.args.iter().any(is_exclusive)
        }
        _ => false,
    }
}

/// Whether a call iterates over subslices.
fn of_parts(call: &ExprMethodCall) -> bool {
    call.args.len() == 1 && OF_PARTS.iter().any(|name| call.method == name)
}

fn is_method(call: &ExprMethodCall) -> bool {
    METHODS.split(' ').any(|name| call.method == name)
}

/// Whether an expression is a subslice, `x[a..b]`.
pub fn is_part(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(inner) => is_part(&inner.expr),
        Expr::Index(index) => range(&index.index).is_some(),
        _ => false,
    }
}

fn unreferenced(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => unreferenced(&inner.expr),
        Expr::Reference(reference) => unreferenced(&reference.expr),
        other => other,
    }
}

impl Translator {
    /// A `for` over the elements of an array or a slice.
    pub fn item_loop(&mut self, turn: &ExprForLoop, name: &TokenStream) -> TokenStream {
        let span = turn.span();
        let exclusive = is_exclusive(&turn.expr);
        let (items, enumerated) = if exclusive { (&*turn.expr, false) } else { items(&turn.expr) };
        let at = items.span();
        let items = self.iterator(items);
        let body = self.turns(&by_value(&turn.pat), &turn.body, exclusive);
        let function = match enumerated {
            true => quote_spanned!(at => ::lanework::lang::rt::for_enumerated),
            false => quote_spanned!(at => ::lanework::lang::rt::for_items),
        };
        quote_spanned!(span => #function(#name, #items, #body))
    }
}

/// The array or slice that a `for` iterates over, and whether it enumerates the elements.
fn items(expression: &Expr) -> (&Expr, bool) {
    match expression {
        Expr::Paren(inner) => items(&inner.expr),
        Expr::Reference(reference) => items(&reference.expr),
        Expr::MethodCall(call) if call.args.is_empty() => {
            let method = call.method.to_string();
            match method.as_str() {
                "iter" | "into_iter" | "copied" | "cloned" => items(&call.receiver),
                "enumerate" if is_whole(items(&call.receiver)) => (items(&call.receiver).0, true),
                _ => (expression, false),
            }
        }
        other => (other, false),
    }
}

/// Whether the `for` iterates over all elements, without adapters or positions.
fn is_whole((items, enumerated): (&Expr, bool)) -> bool {
    !enumerated && !matches!(items, Expr::MethodCall(_) | Expr::Range(_))
}
