//! Verdicts on kernels, references and the documentation page.

mod kernels;
mod page;
mod references;
