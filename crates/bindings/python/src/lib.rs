//! The native part of the Python package in `python/lanework`: launches on the caller's arrays, and operations on arrays.
//! Results of launches are JSON, which the package converts to objects.
//!
//! Arrays are copied to the emulator and back, so a kernel can only access the bytes of its arguments, and cannot
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
