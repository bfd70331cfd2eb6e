//! The interface between the kernel language and the runtime: staged kernels as data, and the types that device
//! memory holds. Neither side depends on the other.

mod kernel;
mod storable;

pub use kernel::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged, Tile,
};

pub use storable::Storable;
#[doc(hidden)]
pub use storable::{BytesOfOther, BytesOfPlain, PlainOf};
