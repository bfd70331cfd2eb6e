//! Types of Rust's standard library in kernels: `Option`, `Ordering`, iterators, methods of slices.

pub(crate) mod compare;
pub(crate) mod compared;
pub(crate) mod in_place;
pub(crate) mod iterate;
pub(crate) mod moved_slice;
pub(crate) mod option;
pub(crate) mod ordered;
pub(crate) mod ordering;
pub(crate) mod patterns;
pub(crate) mod result;
pub(crate) mod slices;
