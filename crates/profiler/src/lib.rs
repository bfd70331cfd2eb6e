//! Instruments that record what a launch did: counters, and traces.

#![allow(
    clippy::needless_range_loop,
    reason = "a loop over lanes reads several arrays and masks by the lane's number"
)]
#![allow(
    clippy::double_comparisons,
    reason = "`a < b || a > b` is false for NaN, as PTX's ordered `ne` is; `a != b` is not"
)]
#![allow(
    clippy::redundant_closure,
    reason = "instructions are closures; see `alu_operation::zero_sized_instance`"
)]
#![allow(clippy::large_enum_variant, reason = "plans live on the stack of one access")]

pub mod count;
pub mod trace;
