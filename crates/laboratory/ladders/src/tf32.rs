//! Product of f32 factors rounded to TF32 (10 mantissa bits) and summed in f32; B is stored by columns.
//!
//! An f16 keeps the same mantissa bits as TF32, at half the bytes and twice the rate, except for numbers out of its
//! range: rows and columns are scaled into it.

mod fragments;
mod halved;
mod operands;
mod warpgroups;

pub use operands::Operands;

use crate::RungInfo;
use crate::rung::ladder;
use lanework::{Device, Job, Result};

/// A rung of this ladder, which may consist of several kernels.
#[derive(Clone, Copy)]
pub struct KernelsRung {
    /// Its name and source.
    pub info: RungInfo,
    /// Compiles its kernels for a problem.
    pub prepare: for<'a> fn(&'a mut Operands, &Device) -> Result<Job<'a>>,
}

ladder! {
    "tf32" in "tf32": "matrix product on tensor cores, f32 factors taken as TF32";
    pub fn rungs() -> [KernelsRung];
    "fragments" fragments;
    "warpgroups" warpgroups;
    "halved" halved;
}
