//! The kernels of Lanework: one folder per topic, one file per rung. A ladder goes from the
//! simplest kernel to the fastest, one idea per rung. A rung's file opens with a header: its idea,
//! its predicted counters and its costs. [`Rung`] reads the header, so the tables, the docs and the
//! tests all quote the file. To add a rung, add a file and its line in the ladder's table.
//!
//! Times in headers were measured on an H200 on 21 to 23 November 2026: `lanework bench LADDER/RUNG` at the sizes in
//! the header; other libraries as in `docs/results/h200.md`.

pub mod attention;
pub mod ceilings;
pub mod dgemm;
pub mod factors;
pub mod fp8;
pub mod hgemm;
pub mod int_matmul;
pub mod intro;
pub mod layer_norm;
pub mod matmul;
pub mod matvec;
pub mod multi_gpu;
pub mod rms_norm;
pub mod rows;
mod rung;
pub mod scan;
pub mod sgemm;
pub mod softmax;
mod sources;
pub mod streams;
pub mod sum_squares;
pub mod tf32;
pub mod transpose;
pub mod vector_add;

pub use rung::{Header, Ladder, Language, Rung, RungInfo};
pub use sources::source_text;

/// All ladders.
pub fn ladders() -> Vec<Ladder> {
    vec![
        vector_add::ladder(),
        sum_squares::ladder(),
        scan::ladder(),
        softmax::ladder(),
        layer_norm::ladder(),
        rms_norm::ladder(),
        transpose::ladder(),
        matvec::ladder(),
        matmul::ladder(),
        sgemm::ladder(),
        int_matmul::ladder(),
        hgemm::ladder(),
        tf32::ladder(),
        fp8::ladder(),
        dgemm::ladder(),
        attention::ladder(),
    ]
}
