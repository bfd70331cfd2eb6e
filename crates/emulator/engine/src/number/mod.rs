//! Number formats of a GPU on the host: arithmetic that its own floating point does not give.

pub(crate) mod approximate;
pub(crate) mod double;
pub(crate) mod eight;
pub(crate) mod narrow;
pub(crate) mod single;
pub(crate) mod soft;
