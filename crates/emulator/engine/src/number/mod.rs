//! Number formats of a GPU on the host: arithmetic that its own floating point does not give.

pub mod approximate;
pub mod double;
pub mod eight;
pub mod narrow;
pub mod scale;
pub mod single;
pub mod soft;
pub mod tiny;
