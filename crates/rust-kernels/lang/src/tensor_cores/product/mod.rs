//! Matrix products: `mma` of a warp and `wgmma` of a warpgroup.

pub(crate) mod accumulator;
pub(crate) mod group;
pub(crate) mod mma;
