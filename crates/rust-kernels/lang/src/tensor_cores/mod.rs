//! Tensor cores: typed tiles in shared memory, pipelines of asynchronous copies, fragments for `mma` and
//! accumulators for `wgmma`.

pub(crate) mod element;
pub(crate) mod fragment;
pub(crate) mod layout;
pub(crate) mod product;
pub(crate) mod tile;

pub use crate::tensor_cores::element::{B1, E4m3, E5m2, F8, F8Format, MatrixElement, S4, Tf32, U4};
pub use crate::tensor_cores::fragment::store::Narrow;
pub use crate::tensor_cores::fragment::{
    Fragment, FragmentA, FragmentB, FragmentC, Left, Right, Role, Sum,
};
pub use crate::tensor_cores::layout::{Layout, Linear, Part, STAGED};
pub use crate::tensor_cores::product::accumulator::{Accumulator, Finished};
pub use crate::tensor_cores::product::group::{GroupOperand, Stored};
pub use crate::tensor_cores::tile::pipeline::CopyPipeline;
pub use crate::tensor_cores::tile::source::{Matrix, MatrixMut, Source, Target};
pub use crate::tensor_cores::tile::swizzle::{
    NoSwizzle, Swizzle32, Swizzle64, Swizzle128, SwizzleMode,
};
pub use crate::tensor_cores::tile::tiles::SharedTiles;
pub use fragment::load::{ldmatrix, ldmatrix_trans, movmatrix, stmatrix, stmatrix_trans};
pub use product::{GROUP_PRODUCTS, GroupProduct, PRODUCTS, Product, Saturates};
pub use tile::{SharedTile, Transposed};
