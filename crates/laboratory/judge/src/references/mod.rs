//! Expected results from formulas, built-in references and programs, each with an error bound.

pub mod approx;
pub mod data;
pub mod expected;
pub mod external;
pub mod formula;
pub mod functions;
