//! Conformance: runs every form of every instruction on edge-case and random operands, on the emulator and on a GPU,
//! and keeps the GPU's results as golden vectors. The coverage of the instruction set follows from the comparison.

mod catalogue;
mod combine;
mod compare;
mod coverage;
mod execute;
pub mod exhaustive;
mod fidelity;
mod form;
mod operands;
mod text;
mod vectors;

pub use catalogue::{CHAPTERS, Chapter};
pub use combine::{OperandCandidate, Verdicts, candidates, combinations};
pub use compare::{Difference, compare};
pub use coverage::{Coverage, Covered, coverage};
pub use execute::{Outcome, TOGETHER, execute};
pub use fidelity::{Fidelity, fidelity};
pub use form::{InstructionForm, forms};
pub use operands::OperandKind;
pub use text::module;
pub use vectors::Vectors;
