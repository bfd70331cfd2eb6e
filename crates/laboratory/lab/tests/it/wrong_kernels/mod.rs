//! Deliberately wrong kernels, which verification must reject.

mod sgemm;
mod sum_squares;
mod transpose;
