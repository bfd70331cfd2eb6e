//! Elementary functions: the algorithms of `lanework-math` staged, and the hardware's approximations.

pub(crate) mod elementary;
pub mod fast;
pub mod functions;
pub(crate) mod real;
pub(crate) mod staged;
