//! The families of ladders: the parameters of each, and how a request becomes a case. To add one, add a file and its
//! line in [`families`].

mod attention;
mod family;
/// Products of matrices, and of a matrix and a vector.
mod products {
    pub mod factors;
    pub mod hgemm;
    pub mod int_matmul;
    pub mod matmul;
    pub mod matvec;
    pub mod sgemm;
}
mod rows;
mod scan;
mod sum_squares;
mod transpose;
mod vector_add;

pub use family::Family;
pub use products::sgemm::verify_sgemm;
pub use sum_squares::{Draw, SumSquaresRung, draw_numbers, verify_sum_squares};
pub use transpose::{
    Matrix, TransposeRung, check_transpose_fits, transpose_with, verify_transpose,
};

use products::{factors, hgemm, int_matmul, matmul, matvec, sgemm};

/// Every family.
pub fn families() -> Vec<Family> {
    vec![
        vector_add::family(),
        sum_squares::family(),
        scan::family(),
        rows::of_softmax(),
        rows::of_layer_norm(),
        rows::of_rms_norm(),
        transpose::family(),
        matvec::family(),
        matmul::family(),
        sgemm::family(),
        int_matmul::family(),
        hgemm::family(),
        factors::of_tf32(),
        factors::of_fp8(),
        factors::of_double(),
        attention::family(),
    ]
}

/// The family of the ladder called `name`.
pub fn family(name: &str) -> Option<Family> {
    families().into_iter().find(|family| (family.ladder)().name == name)
}
