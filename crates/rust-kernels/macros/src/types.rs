//! The types of parameters.

use crate::source::is_users;
use syn::{Attribute, FnArg, GenericArgument, Ident, PathArguments, Type};

/// The kind of a parameter.
pub enum Kind {
    /// `#[constant] t: u32`: an ordinary Rust value.
    Constant(Box<Type>),
    /// `x: f32`, `body: Body`, `pair: (u32, f32)`.
    Value(Box<Type>),
    /// `x: &[f32]` or `&mut [f32]`.
    Slice {
        /// Element type.
        element: Box<Type>,
        /// Whether it is `&mut`.
        mutable: bool,
    },
    /// `x: &T` or `&mut T`, where `T` is not a slice.
    Reference {
        /// The referenced type.
        inner: Box<Type>,
        /// Whether it is `&mut`.
        mutable: bool,
    },
}

/// A parameter of a kernel or a device function.
pub struct Parameter {
    /// The parameter's name.
    pub name: Ident,
    /// Whether it is written `mut x`.
    pub mutable: bool,
    /// The pattern that destructures it.
    pub pattern: Option<syn::Pat>,
    /// The kind.
    pub kind: Kind,
}

/// Parses parameter `number`.
pub fn parameter(argument: &FnArg, number: usize) -> syn::Result<Parameter> {
    let typed = match argument {
        FnArg::Typed(typed) => typed,
        FnArg::Receiver(receiver) => {
            return Err(refuse(
                receiver,
                "a kernel is a free function",
                "move it out of the `impl` block; methods are #[device] functions of a #[device] impl",
            ));
        }
    };
    let (name, mutable, pattern) = match &*typed.pat {
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            (name.ident.clone(), name.mutability.is_some(), None)
        }
        other => (quote::format_ident!("argument_{}", number), false, Some(other.clone())),
    };
    let constant = is_constant(&typed.attrs)?;
    let kind = if constant { Kind::Constant(typed.ty.clone()) } else { kind(&typed.ty)? };
    Ok(Parameter { name, mutable, pattern, kind })
}

fn is_constant(attributes: &[Attribute]) -> syn::Result<bool> {
    let mut constant = false;
    for attribute in attributes {
        if attribute.path().is_ident("constant") {
            constant = true;
        } else if !attribute.path().is_ident("doc") && !attribute.path().is_ident("allow") {
            return Err(refuse(
                attribute,
                "the only attribute of a parameter is #[constant]",
                "remove it",
            ));
        }
    }
    Ok(constant)
}

fn kind(ty: &Type) -> syn::Result<Kind> {
    match ty {
        Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            match &*reference.elem {
                Type::Slice(slice) => Ok(Kind::Slice { element: slice.elem.clone(), mutable }),
                Type::Path(path) if path.path.is_ident("str") => Err(refuse(
                    path,
                    "a string cannot be passed to a kernel",
                    "pass bytes as `&[u8]`",
                )),
                Type::TraitObject(object) => Err(refuse(
                    object,
                    "trait objects are not supported in a kernel",
                    "take `impl Fn(f32) -> f32` for a closure, or a type parameter with a #[device] trait",
                )),
                _ => Ok(Kind::Reference { inner: reference.elem.clone(), mutable }),
            }
        }
        Type::Path(_) | Type::Tuple(_) | Type::Array(_) => Ok(Kind::Value(Box::new(ty.clone()))),
        Type::Paren(inner) => kind(&inner.elem),
        Type::Group(inner) => kind(&inner.elem),
        other => Err(refuse(
            other,
            "this type cannot be a kernel parameter",
            "use scalars, tuples, #[device] structs, `&[T]`, `&mut [T]`, or mark it #[constant]",
        )),
    }
}

/// Whether a type is a tensor map, which kernels take by reference.
pub fn is_tensor_map(ty: &Type) -> bool {
    is_named(ty, &["TensorMap", "TensorMapMut", "PixelMap"])
}

/// Whether a type is a tensor map that kernels write through.
pub fn is_written_map(ty: &Type) -> bool {
    is_named(ty, &["TensorMapMut"])
}

fn is_named(ty: &Type, names: &[&str]) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| names.iter().any(|name| last.ident == name) && !is_users(&last.ident))
}

/// Whether the last part of a path is `name`.
pub fn ends_with(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// The type of a tensor map for a launch. The launch copies the map, so only the map's memory is borrowed for the
/// launch's lifetime.
pub fn of_launch(map: &Type) -> Type {
    let mut map = map.clone();
    if let Type::Path(path) = &mut map
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && !arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
    {
        arguments.args.insert(0, syn::parse_quote!('launch));
    }
    map
}

/// An error at `place` with a remedy.
pub fn refuse(place: impl quote::ToTokens, message: &str, help: &str) -> syn::Error {
    syn::Error::new_spanned(place, crate::why::explained(message, help))
}

/// The kernel language's types.
const HANDLES: &str = "\
    Shared SharedSlice Slice SliceMut Place ReadPlace RegisterArray Var Mut Part Remote Mbarrier \
    Mbarriers RemoteMbarrier Waiter Arrival Pipeline Producer Consumer Filling Filled NamedBarrier \
    Role CacheHint ClusterArrival Span SpanMut";

/// Types of tensor cores.
const TENSOR_CORES: &str = "\
    Accumulator CopyPipeline FragmentA FragmentB FragmentC Matrix MatrixMut SharedTile SharedTiles \
    Transposed";

/// Whether a name is a type of tensor cores, which kernels also construct by name.
pub fn is_of_tensor_cores(name: &Ident) -> bool {
    is_one_of(name, TENSOR_CORES)
}

/// Whether a name is one of the kernel language's types.
pub fn is_handle_name(name: &Ident) -> bool {
    is_one_of(name, HANDLES) || is_of_tensor_cores(name)
}

/// Whether a name is in a list, and is not the user's.
fn is_one_of(name: &Ident, list: &str) -> bool {
    list.split(' ').any(|known| name == known) && !is_users(name)
}

/// Whether a type is one of the kernel language's types, which the macros leave unchanged.
pub fn is_handle(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| is_handle_name(&last.ident))
}
