//! The names and types of variables, for a debugger: local variables in the frame of their function, parameters, and
//! variables of the module.

use crate::types::TypeId;
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
    /// Its offset in the function's frame, `__local_depot0`.
    pub offset: u64,
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
