//! Conformance: runs every form of every instruction on edge-case and random operands, on the emulator and on a GPU,
//! and keeps the GPU's results as golden vectors. The coverage of the instruction set follows from the comparison.

mod catalogue;
mod combine;
mod coverage;
mod execute;
pub mod exhaustive;
mod form;
mod operands;
mod vectors;

pub use catalogue::{CHAPTERS, Chapter};
pub use combine::{OperandCandidate, Verdicts, candidates, combinations};
pub use coverage::{Coverage, Covered, Fidelity, coverage, fidelity};
pub use execute::{Difference, Outcome, TOGETHER, compare, execute};
pub use form::{InstructionForm, forms, module};
pub use operands::OperandKind;
pub use vectors::Vectors;
