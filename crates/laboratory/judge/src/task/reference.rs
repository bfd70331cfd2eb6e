//! Sources of a task's expected results, and the tolerance of a candidate's.

use super::Launch;
use crate::element::Element;
use crate::references::formula::Formula;
use std::path::PathBuf;

/// A source of expected results. Parameters are identified by number.
#[derive(Clone, Debug)]
pub enum Reference {
    /// Computes each element of an output by a formula of its indices.
    Formula {
        /// The output.
        output: usize,
        /// The formula.
        formula: Box<Formula>,
    },
    /// `alpha A B + beta C`.
    Product {
        /// The output, which is C if beta is not 0.
        output: usize,
        /// The first factor, m x k, or k x m if transposed.
        a: usize,
        /// The second factor, k x n, or n x k if transposed.
        b: usize,
        /// Whether each factor is transposed.
        transposed: (bool, bool),
        /// The factor of the product.
        alpha: Factor,
        /// The factor of the output's previous contents.
        beta: Factor,
    },
    /// `exp(x - max x) / sum exp(x - max x)` over the last extent.
    Softmax {
        /// The output.
        output: usize,
        /// The input.
        input: usize,
    },
    /// `(x - mean) / sqrt(variance + epsilon) * weight + bias` over the last extent; without the mean for a root mean
    /// square norm.
    Norm {
        /// The output.
        output: usize,
        /// The input.
        input: usize,
        /// The scale of each row element.
        weight: Option<usize>,
        /// The offset of each row element.
        bias: Option<usize>,
        /// Keeps the root away from zero.
        epsilon: Factor,
        /// Whether the mean is subtracted.
        centered: bool,
    },
    /// Running sums over the last extent.
    Scan {
        /// The output.
        output: usize,
        /// The input.
        input: usize,
        /// Whether the sum excludes the element itself.
        exclusive: bool,
    },
    /// A kernel of a file, run on its own emulator.
    Kernel {
        /// PTX, or CUDA C++.
        file: PathBuf,
        /// The kernel.
        entry: String,
        /// Its launch.
        launch: Box<Launch>,
    },
    /// A program that reads and writes `.npy` files.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
    },
}

/// A factor: a scalar parameter, or a number.
#[derive(Clone, Copy, Debug)]
pub enum Factor {
    /// A scalar parameter.
    Parameter(usize),
    /// A number.
    Number(f64),
}

/// How closely results must agree.
#[derive(Clone, Debug)]
pub enum Tolerance {
    /// Within the rounding errors of this arithmetic, for any order of operations.
    Derived {
        /// The format of intermediate results; `None` means single precision, or double for a double-precision
        /// output.
        arithmetic: Option<Element>,
        /// Maximum error of a library function in unit roundoffs; `None` means CUDA's.
        function_units: Option<f64>,
    },
    /// Bit for bit.
    Exact,
    /// `|y - ref| <= absolute + relative |ref|`, with a stated reason.
    Stated {
        /// The relative part.
        relative: f64,
        /// The absolute part.
        absolute: f64,
        /// The reason.
        reason: String,
    },
}

impl Reference {
    /// The output that this reference computes; `None` if it computes all.
    pub fn output(&self) -> Option<usize> {
        match self {
            Reference::Formula { output, .. }
            | Reference::Product { output, .. }
            | Reference::Softmax { output, .. }
            | Reference::Norm { output, .. }
            | Reference::Scan { output, .. } => Some(*output),
            Reference::Kernel { .. } | Reference::Command { .. } => None,
        }
    }
}
