//! Where the right results of a task come from, and how closely a candidate's have to agree with them.

use super::Launch;
use crate::element::Element;
use crate::references::formula::Formula;
use std::path::PathBuf;

/// A source of right results. Parameters are meant by their number.
#[derive(Clone, Debug)]
pub enum Reference {
    /// Each element of an output by a formula of its indices.
    Formula {
        /// The output.
        output: usize,
        /// The formula.
        formula: Box<Formula>,
    },
    /// `alpha A B + beta C`.
    Product {
        /// The output, which is C where beta is not 0.
        output: usize,
        /// The first factor, m x k, or k x m where it is transposed.
        a: usize,
        /// The second factor, k x n, or n x k where it is transposed.
        b: usize,
        /// Whether each factor is transposed.
        transposed: (bool, bool),
        /// The factor of the product.
        alpha: Factor,
        /// The factor of what the output held.
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
        /// The factors of a row.
        weight: Option<usize>,
        /// What is added to a row.
        bias: Option<usize>,
        /// What keeps the root from zero.
        epsilon: Factor,
        /// Whether the mean is taken out.
        centred: bool,
    },
    /// Running sums over the last extent.
    Scan {
        /// The output.
        output: usize,
        /// The input.
        input: usize,
        /// Whether an element's sum is that of those before it.
        exclusive: bool,
    },
    /// A kernel of a file, run on an emulator of its own.
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

/// How closely results have to agree.
#[derive(Clone, Debug)]
pub enum Tolerance {
    /// As roundings of this arithmetic allow, whatever the order.
    Derived {
        /// The format of intermediate results; `None` takes single precision, or double for an output of that.
        arithmetic: Option<Element>,
        /// Unit roundoffs that a library function may be off; `None` takes CUDA's.
        function_units: Option<f64>,
    },
    /// Bit for bit.
    Exact,
    /// `|y - ref| <= absolute + relative |ref|`, for a reason.
    Stated {
        /// The part that grows with the result.
        relative: f64,
        /// The part that does not.
        absolute: f64,
        /// Why.
        reason: String,
    },
}

impl Reference {
    /// The output that this is of; `None` where it is of all.
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
