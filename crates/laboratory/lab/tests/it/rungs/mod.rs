//! Results of single ladders, against the host's references.

mod matmul;
mod sgemm;
mod sum_squares;
mod transpose;
