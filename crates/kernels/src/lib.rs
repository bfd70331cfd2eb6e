//! The kernels of Lanework: one folder per topic, one file per rung. A ladder goes from the
//! simplest kernel to the fastest, one idea per rung. A rung's file opens with a header: its idea,
//! its predicted counters and its costs. [`Rung`] reads the header, so the tables, the docs and the
//! tests all quote the file. To add a rung, add a file and its line in the ladder's table.

pub mod ceilings;
pub mod int_matmul;
pub mod intro;
pub mod matmul;
pub mod multi_gpu;
mod rung;
pub mod sgemm;
mod sources;
pub mod streams;
pub mod sum_squares;
pub mod transpose;
pub mod vector_add;

pub use rung::{Header, Ladder, Language, Rung, RungInfo};
pub use sources::source_text;

/// Every ladder there is.
pub fn ladders() -> Vec<Ladder> {
    vec![
        vector_add::ladder(),
        sum_squares::ladder(),
        transpose::ladder(),
        matmul::ladder(),
        sgemm::ladder(),
        int_matmul::ladder(),
    ]
}
