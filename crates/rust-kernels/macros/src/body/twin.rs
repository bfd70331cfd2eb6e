//! Calls by name: finds the calls of device functions and intrinsics, which their twins stage.

use crate::body::scope::Translator;
use crate::types::is_handle_name;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ExprPath, Ident, PathArguments};

/// The primitive types, whose functions are called as methods.
pub const PRIMITIVES: [&str; 16] = [
    "bool", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f16", "bf16",
    "f32", "f64", "char",
];

/// Functions of Rust that are called on types and constants, and stay unchanged.
const OF_THE_HOST: [&str; 5] = ["size_of", "align_of", "size_of_val", "type_name", "from_fn"];

impl Translator {
    /// The function that a kernel calls where the source says `path(..)`.
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
        let of_type = segments.len() > 1 && is_type(&segments[segments.len() - 2].ident);
        let of_std = ["std", "core", "alloc"].iter().any(|name| segments[0].ident == name);
        let of_host = OF_THE_HOST.iter().any(|name| last.ident == name);
        if path.qself.is_none() && of_type && !of_std && self.is_device_type(path) {
            return associated(path);
        }
        if path.qself.is_some() || local || of_type || of_std || of_host || is_type(&last.ident) {
            return quote!(#path);
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

/// Names of the language that are values, in lower case like functions.
const VALUES: [&str; 7] = [
    "thread_idx",
    "block_idx",
    "block_dim",
    "grid_dim",
    "cluster_idx",
    "cluster_dim",
    "cluster_block_idx",
];

/// Methods of numbers with one argument, which a closure may be named by: `f32::max`.
const OF_TWO: [&str; 14] = [
    "add",
    "sub",
    "mul",
    "div",
    "max",
    "min",
    "powf",
    "atan2",
    "hypot",
    "copysign",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "saturating_add",
];

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
        if path.qself.is_some() || name.starts_with(|c: char| !c.is_ascii_lowercase()) {
            return None;
        }
        if segments.len() > 1 {
            let of = segments[segments.len() - 2].ident.to_string();
            if PRIMITIVES.contains(&of.as_str()) {
                let method = &last.ident;
                return Some(match OF_TWO.contains(&name.as_str()) {
                    true => quote_spanned!(span => |left, right| left.#method(right)),
                    false => quote_spanned!(span => |value| value.#method()),
                });
            }
        } else if self.is_declared(&last.ident) || VALUES.contains(&name.as_str()) {
            return None;
        }
        Some(self.callee(path))
    }

    /// Whether `Type::function` is a function of a device struct or enum.
    fn is_device_type(&self, path: &ExprPath) -> bool {
        let segments = &path.path.segments;
        let name = &segments[segments.len() - 2].ident;
        let known = name.to_string();
        let of_language = PRIMITIVES.contains(&known.as_str()) || is_handle_name(&known);
        let generic = segments.len() == 2 && self.is_generic(name);
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
        ("mem", "swap" | "replace") => Some(quote_spanned!(span => ::lanework::lang::rt::#name)),
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
    quote_spanned!(span => <<#ty as ::lanework::lang::rt::Functions>::Of>::#function)
}

/// Whether a name is a type's or a variant's, by Rust's custom.
fn is_type(name: &Ident) -> bool {
    let name = name.to_string();
    PRIMITIVES.contains(&name.as_str()) || name.starts_with(char::is_uppercase)
}
