//! Emission of PTX: the kernel being staged, its untyped values, and the passes over its finished body.

pub(crate) mod arithmetic;
pub(crate) mod builder;
pub(crate) mod current;
pub(crate) mod frames;
pub(crate) mod named;
pub(crate) mod optimize;
pub(crate) mod recursion;
pub(crate) mod value;
