//! Conformance: every form of every instruction on edge and random operands, on the emulator and on a GPU,
//! whose results are kept as golden vectors; and the coverage of the instruction set that follows.

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
pub use combine::{Candidate, Verdicts, candidates, combinations};
pub use compare::{Difference, compare};
pub use coverage::{Coverage, Covered, coverage};
pub use execute::{Outcome, TOGETHER, execute};
pub use fidelity::{Fidelity, fidelity};
pub use form::{Form, forms};
pub use operands::Kind;
pub use text::module;
pub use vectors::Vectors;
