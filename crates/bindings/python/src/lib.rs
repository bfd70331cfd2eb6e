//! Lanework for Python, below `python/lanework`: launches on the arrays of the caller, and their results, as JSON that the package
//! makes objects of; and operations on arrays.
//!
//! Arrays are copied to the emulator and back, so that a kernel reaches only the bytes of its arguments, and cannot
//! change a read-only array.

mod launch;
mod memory;
#[cfg(feature = "operations")]
mod operations;
mod report;

use pyo3::prelude::*;

/// The extension module of the package `lanework`.
#[pymodule(name = "_lanework")]
mod module {
    #[pymodule_export]
    use super::launch::{LaunchError, SourceError, compile, entries, launch};
    #[cfg(feature = "operations")]
    #[pymodule_export]
    use super::operations::{attention, gemm, permute, reduce, reduced_type, rows, scan, sum_type};
    #[pymodule_export]
    use super::report::Records;

    /// The version of the library.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
