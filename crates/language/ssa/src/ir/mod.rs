//! The intermediate representation (IR) as plain data.

mod function;
mod module;
mod operation;
mod print;
mod types;

pub use function::*;
pub use module::*;
pub use operation::*;
pub use types::*;
