//! Whole kernels.
