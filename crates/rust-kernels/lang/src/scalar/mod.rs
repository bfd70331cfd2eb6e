//! Scalars: number types, handles to run-time values, and their comparisons and conversions.

pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod host_methods;
pub(crate) mod left;
pub(crate) mod number;
pub(crate) mod operands;
pub(crate) mod relations;
pub(crate) mod var;
