//! Calls of methods, functions, closures and constructors, and their arguments. A call by name calls a device function
//! or an intrinsic; its staged version generates the code.

use super::range;
use crate::body::iterators::is_part;
use crate::body::places::{is_constructor, is_place};
use crate::body::scope::{Mode, Translator, as_name};
use crate::body::statement::is_array_function;
use crate::bounds::in_kernels;
use crate::source::{Unknown, generic_count, unknown};
use crate::types::{ends_with, is_handle_name};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Ident, PathArguments};

/// Methods of numbers that take arguments of the same type.
const PROMOTING: &str = "\
    min max clamp powf powi pow atan2 hypot copysign mul_add rem_euclid div_euclid abs_diff \
    div_ceil wrapping_add wrapping_sub wrapping_mul wrapping_div wrapping_rem midpoint saturating_add saturating_sub saturating_mul \
    next_multiple_of is_multiple_of rotate_left rotate_right";

/// Methods of numbers whose receiver becomes a run-time value only if it is a literal or a constant.
const OF_ORDINARY: &str = "\
    checked_add checked_sub checked_mul checked_div checked_rem overflowing_add overflowing_sub \
    overflowing_mul overflowing_div overflowing_rem saturating_div";

/// Methods of numbers whose argument has a type of its own.
const BY_COUNT: &str = "\
    pow powi rotate_left rotate_right wrapping_shl wrapping_shr wrapping_pow checked_shl checked_shr \
    checked_pow overflowing_shl overflowing_shr overflowing_pow saturating_pow";

/// Methods of Rust's library that change an `Option` or an array in its place, with the number of their arguments.
const IN_PLACE: [(&str, usize); 18] = [
    ("sort", 0),
    ("sort_unstable", 0),
    ("sort_by", 1),
    ("sort_unstable_by", 1),
    ("sort_by_key", 1),
    ("sort_unstable_by_key", 1),
    ("get_mut", 1),
    ("first_mut", 0),
    ("last_mut", 0),
    ("take", 0),
    ("replace", 1),
    ("insert", 1),
    ("get_or_insert", 1),
    ("swap", 2),
    ("reverse", 0),
    ("fill", 1),
    ("rotate_left", 1),
    ("rotate_right", 1),
];

/// Methods of Rust's slices that read an array.
const OF_ARRAY: [(&str, usize); 5] =
    [("get", 1), ("first", 0), ("last", 0), ("contains", 1), ("starts_with", 1)];

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
        let (method, turbofish) = (&call.method, &call.turbofish);
        let promotes = !call.args.is_empty()
            && !is_place(self, &call.receiver)
            && (PROMOTING.split_whitespace().any(|name| method == name)
                || (self.is_ordinary(&call.receiver)
                    && [OF_ORDINARY, BY_COUNT]
                        .iter()
                        .any(|list| list.split_whitespace().any(|name| method == name))));
        // `x.get(a..b)`
        if method == "get"
            && let [Expr::Range(range)] = &call.args.iter().collect::<Vec<_>>()[..]
        {
            return self.found_part(&call.receiver, range, span);
        }
        let form = (method.to_string(), call.args.len());
        let form = (form.0.as_str(), form.1);
        let (changes, reads) = (IN_PLACE.contains(&form), OF_ARRAY.contains(&form));
        let place = is_place(self, &call.receiver) && !is_part(&call.receiver);
        let receiver = match promotes || !self.adapts() {
            _ if (changes || reads) && place => {
                let base = self.base(&call.receiver);
                let place = quote_spanned!(call.receiver.span() =>
                    ::lanework::lang::rt::changed(#base));
                if self.adapts() { self.adapted(place) } else { place }
            }
            _ if reads && !is_part(&call.receiver) => {
                let value = self.value(&call.receiver, Mode::View);
                let held = quote_spanned!(call.receiver.span() =>
                    ::lanework::lang::rt::held(#value));
                if self.adapts() { self.adapted(held) } else { held }
            }
            true => self.receiver(&call.receiver),
            false => self.adaptable_receiver(&call.receiver),
        };
        let mut arguments: Vec<_> = call.args.iter().map(|a| self.argument(a)).collect();
        let fixed = self.is_constant(&call.receiver)
            || as_name(&call.receiver).is_some_and(|name| {
                self.is_declared(name) && !self.is_variable(name) && !self.is_reference(name)
            });
        if !(promotes || changes || reads) && fixed {
            let value = self.value(&call.receiver, Mode::View);
            if let Some((names, values, chosen)) = self.chosen(call, &value, &mut arguments) {
                let chosen = match self.adapts() {
                    true => {
                        self.adapted(quote_spanned!(span => ::lanework::lang::rt::ByValue(#chosen)))
                    }
                    false => chosen,
                };
                return quote_spanned!(span => {
                    #(let #names = #values;)*
                    #chosen.#method #turbofish(#(#arguments),*)
                });
            }
        }
        match arguments.as_slice() {
            // The receiver may be a host value while the argument is a run-time value.
            [first, rest @ ..] if promotes => {
                let promote = match BY_COUNT.split_whitespace().any(|name| method == name) {
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

    /// Whether an expression is the path of a constant or a variant: `LIMIT`, `Self::EMPTY`, `Side::East`.
    fn is_constant(&self, expression: &Expr) -> bool {
        let Expr::Path(path) = expression else { return false };
        let last = path.path.segments.last();
        let upper = last.is_some_and(|last| {
            last.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase())
        });
        let name = path.path.get_ident();
        !self.on_host && upper && name.is_none_or(|name| !self.is_declared(name))
    }

    /// Whether an expression is a literal, possibly with its type, or a constant.
    fn is_ordinary(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Paren(inner) => self.is_ordinary(&inner.expr),
            Expr::Cast(cast) => self.is_ordinary(&cast.expr),
            other => super::is_literal(other) || self.is_constant(other),
        }
    }

    /// The receiver of a method of a constant, chosen by the arguments that may exist only in a kernel. Gives these
    /// arguments names.
    fn chosen(
        &self,
        call: &syn::ExprMethodCall,
        receiver: &TokenStream,
        arguments: &mut [TokenStream],
    ) -> Option<(Vec<Ident>, Vec<TokenStream>, TokenStream)> {
        let (mut names, mut values, mut chosen) = (Vec::new(), Vec::new(), receiver.clone());
        for (at, (source, argument)) in call.args.iter().zip(arguments).enumerate() {
            let function = match source {
                Expr::Path(path) => {
                    path.path.get_ident().is_none_or(|name| !self.is_declared(name))
                }
                other => matches!(other, Expr::Closure(_)),
            };
            if function || super::is_literal(source) {
                continue;
            }
            let name = quote::format_ident!("__argument{}", at, span = Span::mixed_site());
            let value = std::mem::replace(argument, quote!(#name));
            chosen = quote_spanned!(call.receiver.span() =>
                (&&&::lanework::lang::rt::Chosen(#chosen, &#name)).receiver());
            names.push(name);
            values.push(value);
        }
        (!names.is_empty()).then_some((names, values, chosen))
    }

    /// `x.get(a..b)`: the part, if the range is within the slice.
    fn found_part(&mut self, slice: &Expr, range: &syn::ExprRange, span: Span) -> TokenStream {
        let base = self.base(slice);
        let mut end = |end: &Option<Box<Expr>>| match end {
            Some(end) => {
                let end = self.bare(end, Mode::Keep);
                quote_spanned!(span => ::lanework::lang::rt::end_at(#end))
            }
            None => quote!(::core::option::Option::None),
        };
        let (start, end) = (end(&range.start), end(&range.end));
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        quote_spanned!(span => ::lanework::lang::rt::found_part(#base, #start, #end, #inclusive))
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
        for (name, function) in [("Ok", "ok"), ("Err", "err")] {
            if let Expr::Path(path) = &*call.func
                && path.path.is_ident(name)
                && call.args.len() == 1
            {
                let function = Ident::new(function, path.span());
                let value = self.bare(&call.args[0], Mode::Keep);
                return quote_spanned!(span => ::lanework::lang::rt::#function(#value));
            }
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
        // `T::from(x)` of a type parameter, and `Default::default()`
        if let Expr::Path(path) = &*call.func
            && let [of, function] = path.path.segments.iter().collect::<Vec<_>>()[..]
            && path.qself.is_none()
        {
            if function.ident == "from" && call.args.len() == 1 && self.is_parameter(&of.ident) {
                let (value, ty) = (self.bare(&call.args[0], Mode::View), &of.ident);
                return quote_spanned!(span =>
                    (&&::lanework::lang::rt::Converted(#value)).converted::<#ty>());
            }
            if of.ident == "Default" && function.ident == "default" && call.args.is_empty() {
                return quote_spanned!(span => ::lanework::lang::rt::Defaulted);
            }
        }
        // `shared::<[[f32; 32]; 32]>()`
        if let Expr::Path(path) = &*call.func
            && call.args.is_empty()
            && let Some(last) = path.path.segments.last()
            && last.ident == "shared"
        {
            let arguments = &last.arguments;
            return quote_spanned!(span => ::lanework::lang::rt::shared_value #arguments ());
        }
        let function = match &*call.func {
            Expr::Path(path) if is_constructor(&path.path) => {
                return self.tuple_structure(call, path);
            }
            Expr::Path(path) => {
                let path = with_inferred_shape(path.clone());
                match self.of_bound(&path) {
                    Some(function) if !call.args.is_empty() => function,
                    _ => self.callee(&path),
                }
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
            ("char", "from_u32") => {
                let value = value(self);
                quote_spanned!(span => #rt::char_from_u32(#value))
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
            // These functions are not methods of the number.
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

    /// An argument of a call. A variable passes its current value, and a mutable reference what it refers to.
    pub fn argument(&mut self, expression: &Expr) -> TokenStream {
        if let Some(name) = as_name(expression).filter(|name| self.is_reference(name)) {
            return quote!(#name);
        }
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
    const NUMBERS: [&str; 13] = [
        "char", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32",
        "f64",
    ];
    let mut segments = path.segments.iter();
    let (number, function) = (&segments.next()?.ident, &segments.next()?.ident);
    let known = NUMBERS.iter().any(|name| number == name) && function == "from";
    (known && segments.next().is_none()).then_some(number)
}

/// Completes generic arguments that rustc infers: `shared::<f32>` becomes `shared::<f32, _>` (the shape gives the
/// number of dimensions), and `cp_async::<4>` becomes `cp_async::<4, _>` (the places give the element).
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

/// The primitive types, whose functions the macros call as methods.
pub const PRIMITIVES: [&str; 16] = [
    "bool", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f16", "bf16",
    "f32", "f64", "char",
];

/// Rust functions on types and constants, which stay unchanged.
const OF_THE_HOST: [&str; 5] = ["size_of", "align_of", "size_of_val", "type_name", "from_fn"];

impl Translator {
    /// The function that a kernel calls for `T::f(..)`, where `T` is a type parameter bounded by a user's trait.
    /// Without arguments, `T::f()` is a constant, which the host computes.
    fn of_bound(&self, path: &ExprPath) -> Option<TokenStream> {
        let mut segments = path.path.segments.iter();
        let (of, function) = (&segments.next()?.ident, segments.next()?);
        if segments.next().is_some()
            || path.qself.is_some()
            || is_type(&function.ident)
            || !self.is_bounded(of)
        {
            return None;
        }
        let (name, arguments) = (in_kernels(&function.ident), &function.arguments);
        Some(quote_spanned!(path.span() => #of::#name #arguments))
    }

    /// The function that a kernel calls for `path(..)` in the source.
    pub fn callee(&mut self, path: &ExprPath) -> TokenStream {
        let segments = &path.path.segments;
        let Some(last) = segments.last() else { return quote!(#path) };
        if let Some(refused) = self.of_cuda(path) {
            return refused;
        }
        let local = segments.len() == 1 && self.is_declared(&last.ident);
        if let Some(staged) = of_rust(path) {
            return staged;
        }
        if path.path.is_ident("drop") && !local && !self.has_function(&last.ident) {
            return quote_spanned!(path.span() => ::lanework::lang::rt::discard);
        }
        let of_type = segments.len() > 1 && is_type(&segments[segments.len() - 2].ident);
        let of_std = ["std", "core", "alloc"].iter().any(|name| segments[0].ident == name);
        let of_host = OF_THE_HOST.iter().any(|name| last.ident == name);
        if path.qself.is_none() && of_type && !of_std && self.is_device_type(path) {
            return associated(path);
        }
        if path.qself.is_some() || local || of_type || of_std || of_host || is_type(&last.ident) {
            return quote!(#path);
        }
        if segments.len() == 1
            && !self.has_function(&last.ident)
            && let Some(why) = unknown(&last.ident)
        {
            return self.not_staged(path, why);
        }
        let mut twin = path.path.clone();
        let arguments = twin
            .segments
            .last_mut()
            .map(|segment| std::mem::replace(&mut segment.arguments, PathArguments::None));
        let span = path.span();
        quote_spanned!(span => #twin::staged #arguments)
    }
}

impl Translator {
    /// The error for a call of a function that kernels cannot call.
    fn not_staged(&mut self, path: &ExprPath, why: Unknown) -> TokenStream {
        let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        match why {
            Unknown::Unmarked => self.refuse(
                path,
                &format!("`{name}` is not marked #[device]"),
                &format!("put #[device] above `fn {name}`; the host can still call it"),
            ),
            Unknown::Kernel => self.refuse(
                path,
                &format!("a kernel cannot call the kernel `{name}`"),
                "move the common code to a #[device] function",
            ),
            Unknown::Misspelled(known) => self.refuse(
                path,
                &format!("no function is called `{name}`"),
                &format!("did you mean `{name}`?", name = known),
            ),
        }
    }
}

/// Names of CUDA C++, and their equivalents in Rust kernels. None of them is a Rust name.
const OF_CUDA: [(&str, &str); 34] = [
    ("threadIdx", "`thread_idx`"),
    ("blockIdx", "`block_idx`"),
    ("blockDim", "`block_dim`"),
    ("gridDim", "`grid_dim`"),
    ("warpSize", "`32`"),
    ("__syncthreads", "`sync_threads()`"),
    ("__syncwarp", "`sync_warp(FULL_MASK)`"),
    ("__threadfence", "`threadfence()`"),
    ("__shfl_sync", "`shfl_sync`"),
    ("__shfl_up_sync", "`shfl_up_sync`"),
    ("__shfl_down_sync", "`shfl_down_sync`"),
    ("__shfl_xor_sync", "`shfl_xor_sync`"),
    ("__ballot_sync", "`ballot_sync`"),
    ("__any_sync", "`any_sync`"),
    ("__all_sync", "`all_sync`"),
    ("__activemask", "`active_mask()`"),
    ("__match_any_sync", "`match_any_sync`"),
    ("__reduce_add_sync", "`reduce_add_sync`"),
    ("__popc", "`x.count_ones()`"),
    ("__clz", "`x.leading_zeros()`"),
    ("__ffs", "`ffs(x)`"),
    ("__brev", "`x.reverse_bits()`"),
    ("__ldg", "`load_nc(&x[i])`"),
    ("__float_as_uint", "`x.to_bits()`"),
    ("__uint_as_float", "`f32::from_bits(x)`"),
    ("atomicAdd", "`atomic_add(&mut x[i], v)`"),
    ("atomicSub", "`atomic_sub(&mut x[i], v)`"),
    ("atomicMin", "`atomic_min(&mut x[i], v)`"),
    ("atomicMax", "`atomic_max(&mut x[i], v)`"),
    ("atomicAnd", "`atomic_and(&mut x[i], v)`"),
    ("atomicOr", "`atomic_or(&mut x[i], v)`"),
    ("atomicXor", "`atomic_xor(&mut x[i], v)`"),
    ("atomicExch", "`atomic_exch(&mut x[i], v)`"),
    ("atomicCAS", "`atomic_cas(&mut x[i], expected, v)`"),
];

/// Names of the kernel language that denote values, although they are in lower case like functions.
const VALUES: [&str; 7] = [
    "thread_idx",
    "block_idx",
    "block_dim",
    "grid_dim",
    "cluster_idx",
    "cluster_dim",
    "cluster_block_idx",
];

/// Methods of numbers with one argument, whose paths can be closures: `f32::max`.
const OF_TWO: &str = "\
    add sub mul div max min powf atan2 hypot copysign wrapping_add wrapping_sub wrapping_mul \
    saturating_add";

impl Translator {
    /// The error for a name of CUDA C++.
    pub fn of_cuda(&mut self, path: &ExprPath) -> Option<TokenStream> {
        let name = path.path.get_ident()?;
        let (_, ours) = OF_CUDA.iter().find(|(theirs, _)| name == theirs)?;
        if self.is_declared(name) {
            return None;
        }
        Some(self.refuse(path, &format!("`{name}` is CUDA C++"), &format!("write {ours} in Rust")))
    }

    /// A function passed by its name: `reduce(x, f32::max)`, `map(x, square)`.
    pub fn function_value(&mut self, path: &ExprPath) -> Option<TokenStream> {
        let segments = &path.path.segments;
        let (span, last) = (path.span(), segments.last()?);
        let name = last.ident.to_string();
        let wrapper = match name.as_str() {
            "Some" => Some("some"),
            "Ok" => Some("ok"),
            "Err" => Some("err"),
            _ => None,
        };
        if let Some(wrapper) = wrapper {
            let wrapper = Ident::new(wrapper, span);
            return Some(quote_spanned!(span => |value| ::lanework::lang::rt::#wrapper(value)));
        }
        if let Some(number) = converted_to(&path.path) {
            return Some(
                quote_spanned!(span => |value| ::lanework::lang::rt::from::<#number, _>(value)),
            );
        }
        if path.qself.is_some() || name.starts_with(|c: char| !c.is_ascii_lowercase()) {
            return None;
        }
        if segments.len() > 1 {
            let of = segments[segments.len() - 2].ident.to_string();
            if PRIMITIVES.contains(&of.as_str()) {
                let method = &last.ident;
                return Some(match OF_TWO.split(' ').any(|known| known == name) {
                    true => quote_spanned!(span => |left, right| left.#method(right)),
                    false => quote_spanned!(span => |value| value.#method()),
                });
            }
        } else if self.is_declared(&last.ident) || VALUES.contains(&name.as_str()) {
            return None;
        }
        Some(self.callee(path))
    }

    /// Whether a name is a type parameter, or `Self` of a trait.
    fn is_parameter(&self, name: &Ident) -> bool {
        self.is_generic(name) || self.is_bounded(name)
    }

    /// Whether `Type::function` is a function of a device struct or enum.
    fn is_device_type(&self, path: &ExprPath) -> bool {
        let segments = &path.path.segments;
        let name = &segments[segments.len() - 2].ident;
        let known = name.to_string();
        let of_language = PRIMITIVES.contains(&known.as_str()) || is_handle_name(name);
        // `T::f()`, or `Self::f()` of a trait, is a constant.
        let generic = segments.len() == 2 && (self.is_generic(name) || self.is_bounded(name));
        !of_language && !generic
    }
}

/// Functions of Rust's own modules that kernels have: `std::mem::swap`, `cmp::min`.
fn of_rust(path: &ExprPath) -> Option<TokenStream> {
    let segments = &path.path.segments;
    let module = segments.iter().rev().nth(1)?.ident.to_string();
    let name = &segments.last()?.ident;
    let (span, known) = (path.span(), name.to_string());
    match (module.as_str(), known.as_str()) {
        ("mem", "swap" | "replace" | "take") => {
            Some(quote_spanned!(span => ::lanework::lang::rt::#name))
        }
        ("mem", "drop") => Some(quote_spanned!(span => ::lanework::lang::rt::discard)),
        ("cmp", "min" | "max") => {
            Some(quote_spanned!(span => ::lanework::lang::prelude::#name::staged))
        }
        _ => None,
    }
}

/// `Type::function` of the handle of a device struct or enum.
fn associated(path: &ExprPath) -> TokenStream {
    let span = path.span();
    let mut ty = path.path.clone();
    let Some(function) = ty.segments.pop() else {
        return quote!(#path);
    };
    ty.segments.pop_punct();
    if let Some(last) = ty.segments.last_mut()
        && last.arguments.is_none()
        && let count @ 1.. = generic_count(&last.ident)
    {
        // rustc infers the parameters, as in Rust.
        let inferred = std::iter::repeat_n(quote!(_), count);
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(::<#(#inferred),*>));
    }
    quote_spanned!(span => <<#ty as ::lanework::lang::rt::Functions>::Of>::#function)
}

/// Whether a name is a type or a variant by Rust's naming convention.
fn is_type(name: &Ident) -> bool {
    let name = name.to_string();
    PRIMITIVES.contains(&name.as_str()) || name.starts_with(char::is_uppercase)
}
