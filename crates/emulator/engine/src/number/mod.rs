//! A GPU's number formats on the host: arithmetic that host floating point does not provide.

pub(crate) mod approximate;
pub(crate) mod directed;
pub(crate) mod eight;
pub(crate) mod fused;
pub(crate) mod narrow;
pub(crate) mod single;
pub(crate) mod soft;
