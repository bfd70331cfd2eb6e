//! `ldmatrix`, `stmatrix`, `mma` and `wmma`: the warp's lanes hold matrices together.

mod descriptor;
pub mod group;
pub mod handlers;
mod multiply;
mod places;
pub mod plan;
mod quads;
mod registers;
mod rows;
mod sparse;
mod sum;
mod terms;
