//! `#[device]` structs and enums: the traits by which kernels hold and store their values.

pub mod enums;
pub mod structs;
pub mod value_traits;
