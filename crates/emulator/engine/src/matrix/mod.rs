//! `ldmatrix`, `stmatrix`, `mma` and `wmma`: the warp's lanes hold matrices together.

pub mod descriptor;
pub mod group;
pub mod handlers;
pub mod multiply;
mod places;
pub mod plan;
mod quads;
mod registers;
mod rows;
mod sparse;
pub mod sum;
pub mod terms;
