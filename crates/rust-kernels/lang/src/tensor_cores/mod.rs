//! Tensor cores: typed tiles in shared memory, pipelines of asynchronous copies, fragments for `mma` and
//! accumulators for `wgmma`.

mod access;
mod accumulator;
mod base;
mod chained;
mod columns;
mod convert;
mod descriptor;
mod draw;
mod element;
mod fragment;
mod group;
mod lanes;
mod layout;
mod load;
mod mma;
mod packing;
mod pipeline;
mod products;
mod rows;
mod source;
mod store;
mod swizzle;
mod tile;
mod tiles;
mod values;
mod words;

pub use accumulator::{Accumulator, Finished};
pub use convert::Narrow;
pub use descriptor::{GroupOperand, Stored};
pub use element::{B1, E4m3, E5m2, MatrixElement, S4, Tf32, U4};
pub use fragment::{Fragment, FragmentA, FragmentB, FragmentC, Left, Right, Role, Sum};
pub use layout::{Layout, Linear, Part};
pub use pipeline::CopyPipeline;
pub use products::{GROUP_PRODUCTS, GroupProduct, PRODUCTS, Product, Saturates};
pub use rows::{ldmatrix, ldmatrix_trans, movmatrix, stmatrix, stmatrix_trans};
pub use source::{Matrix, MatrixMut, Source, Target};
pub use swizzle::{NoSwizzle, Swizzle32, Swizzle64, Swizzle128, SwizzleMode};
pub use tile::{SharedTile, Transposed};
pub use tiles::SharedTiles;
