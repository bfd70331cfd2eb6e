//! Rules of arithmetic, logic, comparison and conversion instructions.

pub mod compare;
pub mod convert;
pub mod expand;
pub mod float;
pub mod integer;
pub mod logic;
mod table;
pub mod video;
