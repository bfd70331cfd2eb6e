//! The names and types of variables, for a debugger: local variables in the frame of their function, parameters, and
//! variables of the module. Also the kernels and their parameters, for tools that ask a user for arguments.

use crate::analyze::Analyzer;
use crate::syntax::BuiltinType;
use crate::typed::FunctionNumber;
use crate::types::{TypeId, TypeKind};
use lanework_ssa as ssa;
use std::sync::Arc;

/// The names of a module's variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugNames {
    /// The parameters of kernels, in order.
    pub parameters: Vec<DebugParameter>,
    /// The local variables.
    pub variables: Vec<DebugVariable>,
    /// The variables of the module, in shared, global and constant memory.
    pub arrays: Vec<DebugArray>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugParameter {
    /// The kernel, by its name in PTX.
    pub function: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DebugType,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugVariable {
    /// The function, by its name in PTX.
    pub function: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DebugType,
    /// The PTX variable that holds it.
    pub memory: String,
    /// The first and the last line of its scope.
    pub lines: [u32; 2],
}

/// A variable of the module.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugArray {
    /// Its name in PTX.
    pub name: String,
    /// Its type.
    pub ty: DebugType,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum DebugType {
    /// `void`, or a type without values.
    Void,
    /// `bool`.
    Bool,
    /// An integer of this many bytes.
    Integer {
        /// Size in bytes.
        bytes: u8,
        /// Whether it is signed.
        signed: bool,
    },
    /// A floating-point number of this many bytes.
    Float(u8),
    /// A pointer or reference.
    Pointer(Arc<DebugType>),
    /// An array; 0 elements if the size is not known.
    Array(Arc<DebugType>, u64),
    /// A class: name, size, members.
    Record(Arc<str>, u64, Arc<[DebugField]>),
}

/// A data member.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugField {
    /// Its name.
    pub name: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: DebugType,
}

/// A local variable in a stack slot.
pub struct NamedSlot {
    pub(super) slot: ssa::SlotId,
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) lines: [u32; 2],
}

/// A kernel: its symbol in the PTX, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSignature {
    /// The entry in the PTX.
    pub entry: String,
    /// Its name in the source, with template arguments.
    pub name: String,
    /// The line of its definition, from 1; 0 if unknown.
    pub line: u32,
    /// Its parameters, in order.
    pub parameters: Vec<KernelParameter>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    /// Its name; may be empty.
    pub name: String,
    /// Its type as the source writes it: `const float *`.
    pub declared: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The element type that it points to; `None` for a value.
    pub pointee: Option<String>,
    /// Whether the kernel may not write through the pointer.
    pub is_const: bool,
    /// The number type: of the value, or of the elements that it points to. The empty string stands for a class.
    pub number: &'static str,
    /// Numbers in each element: 4 for `float4`.
    pub lanes: u32,
}

/// The name of a number type in Rust's style, such as `f32`.
fn number_name(kind: BuiltinType, bits: u64) -> &'static str {
    use BuiltinType::*;
    let signed = matches!(kind, Char | SignedChar | WideChar | Short | Int | Long | LongLong);
    match (kind, bits) {
        (Float, _) => "f32",
        (Double | LongDouble, _) => "f64",
        (Bool, _) => "bool",
        (_, 8) if signed => "i8",
        (_, 16) if signed => "i16",
        (_, 32) if signed => "i32",
        (_, 64) if signed => "i64",
        (_, 8) => "u8",
        (_, 16) => "u16",
        (_, 32) => "u32",
        (_, 64) => "u64",
        _ => "",
    }
}

/// The number type of a type and its count: a vector type such as `float4` has four.
fn number_of(analyzer: &Analyzer, ty: TypeId) -> (&'static str, u32) {
    let types = &analyzer.types;
    match types.kind(ty) {
        TypeKind::Builtin(kind) => (number_name(*kind, 8 * types.size(ty)), 1),
        TypeKind::Enumeration(_) if types.size(ty) == 4 => ("i32", 1),
        TypeKind::Array(element, Some(count)) => {
            let (name, lanes) = number_of(analyzer, *element);
            (name, lanes * *count as u32)
        }
        TypeKind::Record(record) => {
            let record = types.record(*record);
            match record.name.as_str() {
                "__half" | "half" => return ("f16", 1),
                "__half2" | "half2" => return ("f16", 2),
                "__nv_bfloat16" | "nv_bfloat16" => return ("bf16", 1),
                "__nv_bfloat162" | "nv_bfloat162" => return ("bf16", 2),
                _ => {}
            }
            let mut found: Option<(&'static str, u32)> = None;
            for field in &record.fields {
                let (name, lanes) = number_of(analyzer, field.kind);
                match found {
                    Some((known, _)) if known != name => return ("", 0),
                    Some((_, count)) => found = Some((name, count + lanes)),
                    None => found = Some((name, lanes)),
                }
            }
            found.unwrap_or(("", 0))
        }
        _ => ("", 0),
    }
}

/// The kernels that the PTX contains, in the order of the source.
pub fn kernels(analyzer: &mut Analyzer) -> Vec<KernelSignature> {
    let mut found = Vec::new();
    for at in 0..analyzer.functions.len() {
        let record = analyzer.functions[at].clone();
        let Some(body) = record.body.as_ref().filter(|_| record.syntax.specifiers.global) else {
            continue;
        };
        let number = FunctionNumber(at as u32);
        let Some(signature) = analyzer.signature(number) else { continue };
        let mut parameters = Vec::new();
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let name = body.parameters.get(index).map(|local| &body.locals[local.0 as usize].name);
            let ty = parameter.ty;
            let pointee = analyzer.types.pointee(ty);
            let (number, lanes) = number_of(analyzer, pointee.unwrap_or(ty));
            let types = &analyzer.types;
            parameters.push(KernelParameter {
                name: name.cloned().unwrap_or_default(),
                declared: types.display(ty),
                bytes: types.size(ty),
                pointee: pointee.map(|to| types.display(to)),
                is_const: pointee.is_some_and(|to| types.is_const(to)),
                number,
                lanes,
            });
        }
        let span = analyzer.parser.map.written(record.syntax.span);
        let line = analyzer.parser.map.location(span).map_or(0, |at| at.line as u32);
        let entry = analyzer.symbol(number);
        found.push(KernelSignature { entry, name: record.display.clone(), line, parameters });
    }
    found.sort_by_key(|kernel| kernel.line);
    found
}
