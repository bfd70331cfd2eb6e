//! cuSOLVER's functions, by family.

pub(crate) mod batches;
pub(crate) mod dense;
pub(crate) mod generic;
pub(crate) mod settings;
pub(crate) mod sparse;
