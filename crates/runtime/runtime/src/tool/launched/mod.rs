//! Tools that run a launch more than once: pictures and predictions.

pub(super) mod look_at;
pub(super) mod predict;
