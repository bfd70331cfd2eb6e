//! The conversion of one value, whose kinds are in [`super::integer`] and [`super::float`].

use crate::kernel::{Operand, Reg};
use lanework_ptx::ScalarType;

/// What is converted, and into what.
#[derive(Clone, Copy)]
pub(super) struct Conversion {
    /// The result.
    pub dst: Option<Reg>,
    pub source: Operand,
    pub from: ScalarType,
    pub to: ScalarType,
}
