//! Product of f32 factors rounded to TF32 (10 mantissa bits) and summed in f32; B is stored by columns.
//!
//! An f16 keeps the same mantissa bits as TF32, at half the bytes and twice the rate, except for numbers out of its
//! range: rows and columns are scaled into it.

mod fragments;
mod halved;
mod operands;
mod warpgroups;

pub use operands::Operands;

use crate::{Ladder, RungInfo};
use lanework::{Device, Job, Result};

/// A rung of this ladder, which may consist of several kernels.
#[derive(Clone, Copy)]
pub struct KernelsRung {
    /// Its name and source.
    pub info: RungInfo,
    /// Compiles its kernels for a problem.
    pub prepare: for<'a> fn(&'a mut Operands, &Device) -> Result<Job<'a>>,
}

macro_rules! rungs {
    ($($name:literal $file:ident;)*) => {
        /// The rungs, in the order of the ladder.
        pub fn rungs() -> Vec<KernelsRung> {
            vec![$(KernelsRung {
                info: RungInfo {
                    name: $name,
                    experiment: "beyond",
                    source: include_str!(concat!("tf32/", stringify!($file), ".rs")),
                },
                prepare: $file::prepare,
            }),*]
        }
    };
}

rungs! {
    "fragments" fragments;
    "warpgroups" warpgroups;
    "halved" halved;
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "tf32",
        title: "matrix product on tensor cores, f32 factors taken as TF32",
        story: [include_str!("tf32/story.en.md"), include_str!("tf32/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
