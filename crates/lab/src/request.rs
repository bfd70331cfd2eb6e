//! A request: the problem that a user gives a ladder, as numbers by name, an element type and arrays.

use crate::array::Array;
use crate::element::{ELEMENT_TYPES, ElementType};
use lanework::{Backend, Error, Result};
use std::collections::BTreeMap;

/// A named whole number that ladders may take, on the command line as `--name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
}

/// Every parameter of any ladder.
pub const PARAMETERS: [Parameter; 12] = [
    Parameter { name: "size", help: "Edge of a square matrix, or number of elements" },
    Parameter { name: "rows", help: "Rows of the matrix" },
    Parameter { name: "cols", help: "Columns of the matrix" },
    Parameter { name: "m", help: "Rows of A and C" },
    Parameter { name: "n", help: "Columns of B and C" },
    Parameter { name: "k", help: "Columns of A, rows of B" },
    Parameter { name: "lda", help: "Leading dimension of A: elements from row to row" },
    Parameter { name: "ldb", help: "Leading dimension of B" },
    Parameter { name: "ldc", help: "Leading dimension of C" },
    Parameter { name: "block", help: "Edge of a square block of threads, or threads of a block" },
    Parameter { name: "tile", help: "Edge of the tile, for the rungs that take one" },
    Parameter { name: "blocks", help: "Blocks of the grid, for the rungs that take them" },
];

/// A request for one case.
#[derive(Clone, Debug)]
pub struct Request {
    /// Parameters that were given, by name.
    pub parameters: BTreeMap<&'static str, u64>,
    /// Factor of the product.
    pub alpha: Option<f64>,
    /// Factor of the old C.
    pub beta: Option<f64>,
    /// The element type; the family's first when `None`.
    pub element: Option<ElementType>,
    /// Seed of the random elements.
    pub seed: u64,
    /// The user's own arrays, by name; what is missing is random.
    pub arrays: BTreeMap<&'static str, Array>,
    /// Where it will run, which decides default sizes.
    pub backend: Backend,
}

impl Request {
    /// A request with defaults throughout.
    pub fn new(backend: Backend) -> Self {
        Request {
            parameters: BTreeMap::new(),
            alpha: None,
            beta: None,
            element: None,
            seed: 1,
            arrays: BTreeMap::new(),
            backend,
        }
    }

    /// This request with a parameter set.
    pub fn with(mut self, name: &'static str, value: u64) -> Self {
        self.parameters.insert(name, value);
        self
    }

    /// The parameter, if given.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.parameters.get(name).copied()
    }

    /// The parameter as 32 bits, or `default`.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    pub fn u32(&self, name: &str, default: u32) -> Result<u32> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => u32::try_from(value).map_err(|_| Error::Request {
                why: format!("--{name} {value} exceeds 2^32 - 1"),
                help: "use a smaller value".to_owned(),
            }),
        }
    }

    /// The element type, or the one called `default`: that of the arrays, where there are some.
    pub fn element(&self, default: &str) -> ElementType {
        let of_arrays = self.arrays.values().next().map(|array| array.element);
        self.element
            .or(of_arrays)
            .unwrap_or_else(|| ElementType::named(default).unwrap_or(ELEMENT_TYPES[0]))
    }
}
