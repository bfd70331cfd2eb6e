//! Problems: the request of a user, the case that it makes, and whether a device can hold it.

pub mod case;
pub mod request;
