//! Names of values for the debugger, in a kernel that is staged for it.
//!
//! Each named value has a place in the frame, an array in local memory: a `let` stores the value there, and so does each
//! later assignment. The frame holds what `-g` of a compiler without optimization keeps on the stack. The records go to the
//! debugger as comments of the module's text, one a line; tabs separate the fields:
//!
//! ```text
//! // lanework-debug: parameter NAME TYPE
//! // lanework-debug: shared SYMBOL TYPE
//! // lanework-debug: dynamic NAME SYMBOL OFFSET TYPE
//! // lanework-debug: local NAME TYPE SYMBOL OFFSET FILE FIRST-LINE LAST-LINE
//! ```
//!
//! A type is a scalar (`f32`), `*TYPE`, `[TYPE;COUNT]`, or a structure: `{NAME;BYTES;FIELD@OFFSET:TYPE,..}`.

use crate::emit::value::Register;
use lanework_ptx::{Location, ScalarType};
use std::collections::HashMap;
use std::panic::Location as Caller;

/// The named values of a kernel.
#[derive(Default)]
pub(crate) struct NamedValues {
    pub(crate) frame: String,
    pub(crate) bytes: u64,
    /// The offset of each name's value, by name, position and type: a `let` in an unrolled loop has one place.
    pub(crate) offsets: HashMap<(&'static str, &'static Caller<'static>, String), u64>,
    pub(crate) values: Vec<NamedValue>,
    /// Places in the frame that follow a variable's register.
    pub(crate) followers: HashMap<Register, Vec<(u64, ScalarType)>>,
    /// Records of parameters and shared arrays.
    pub(crate) other: String,
    /// The function whose parameters are being bound, and the position of its call.
    pub(crate) entered: Option<(&'static str, Location)>,
}

/// One name of a value.
pub(crate) struct NamedValue {
    pub(crate) name: &'static str,
    pub(crate) ty: String,
    pub(crate) offset: u64,
    pub(crate) file: &'static str,
    pub(crate) lines: [u32; 2],
    /// The register of its first leaf and the offset of this leaf, for a variable.
    pub(crate) first: Option<(Register, u64)>,
}

/// The type of an array with these extents, outermost first.
pub(crate) fn array_type(element: &str, extents: &[u32]) -> String {
    extents.iter().rev().fold(element.to_owned(), |inner, extent| format!("[{inner};{extent}]"))
}

/// The type of a structure without known fields: its leaves.
pub(crate) fn opaque_type(
    name: &str,
    bytes: u64,
    leaves: impl Iterator<Item = (u64, ScalarType)>,
) -> String {
    let field = |(at, (offset, ty)): (usize, (u64, ScalarType))| {
        format!("{at}@{offset}:{}", scalar_type(ty))
    };
    let fields: Vec<String> = leaves.enumerate().map(field).collect();
    format!("{{{};{bytes};{}}}", short_name(name), fields.join(","))
}

/// The name of a scalar type.
pub(crate) fn scalar_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Pred => "bool",
        ScalarType::S8 => "i8",
        ScalarType::S16 => "i16",
        ScalarType::S32 => "i32",
        ScalarType::S64 => "i64",
        ty => ty.name(),
    }
}

/// A type's name without its module, as `std::any::type_name` gives it.
fn short_name(name: &str) -> String {
    let head = name.split('<').next().unwrap_or(name);
    let short = head.rsplit("::").next().unwrap_or(head);
    short.chars().filter(|c| !matches!(c, ';' | '{' | '}' | '\t')).collect()
}
