//! The parts of a task: the launch as expressions over the extents, the sources of its expected results, and the
//! tolerance.

use super::TaskError;
use crate::problems::{Extents, evaluate};
use crate::references::formula::Formula;
use crate::task::Element;
use crate::text::document::{Expression, Source, Value};
use lanework_runtime::{Dim3, PtxShape};
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

/// The launch configuration of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    grid: Vec<Expression>,
    block: Vec<Expression>,
    shared: Option<Expression>,
    cluster: Vec<Expression>,
    cooperative: bool,
}

/// The shape of one launch.
pub type Shape = PtxShape;

/// Prefix of the lines that declare a candidate's launch.
const MARK: &str = "// judge:";

impl Launch {
    /// Reads a table.
    ///
    /// # Errors
    /// The mistake in the table.
    pub fn read(value: &Value<'_>) -> Result<Launch, TaskError> {
        let table = value.table(&["grid", "block", "shared", "cluster", "cooperative"])?;
        let dimensions = |name: &str| match table.get(name) {
            None => Ok(Vec::new()),
            Some(value) => {
                let list = value.one_or_more();
                if list.is_empty() || list.len() > 3 {
                    return Err(value.error("expected 1 to 3 numbers or expressions", ""));
                }
                list.iter().map(Value::expression).collect()
            }
        };
        table.need("grid", "blocks, such as grid = [\"ceil_div(n, 256)\"]")?;
        table.need("block", "threads of a block, such as block = [256]")?;
        Ok(Launch {
            grid: dimensions("grid")?,
            block: dimensions("block")?,
            shared: table.get("shared").map(Value::expression).transpose()?,
            cluster: dimensions("cluster")?,
            cooperative: table.get("cooperative").map_or(Ok(false), Value::boolean)?,
        })
    }

    /// Parses the launch that a candidate declares in lines `// judge: grid = [..]`; `None` without such lines.
    ///
    /// # Errors
    /// If the lines do not describe a launch.
    pub fn declared(file: &str, text: &str) -> Option<Result<Launch, TaskError>> {
        // Other lines stay empty to keep line numbers right in messages.
        let mut marked = false;
        let lines = text.lines().map(|line| match line.trim_start().strip_prefix(MARK) {
            Some(rest) => {
                marked = true;
                format!("{}\n", rest.trim())
            }
            None => "\n".to_owned(),
        });
        let own: String = lines.collect();
        let source = Source { name: file, text: &own };
        marked.then(|| Launch::read(&Value::parse(source)?))
    }

    /// The shape for these extents. An empty grid becomes one block, as hosts do.
    ///
    /// # Errors
    /// If an expression has no value, or no GPU can launch the shape.
    pub fn shape(&self, extents: &Extents) -> Result<Shape, TaskError> {
        let value = |expression: &Expression| -> Result<u32, TaskError> {
            let value = evaluate(&expression.node, extents);
            let value = value.map_err(|why| expression.error(why, ""))?;
            u32::try_from(value)
                .map_err(|_| expression.error(format!("{value} exceeds 2^32 - 1"), ""))
        };
        let dimensions = |list: &[Expression], of: &Axes| -> Result<Dim3, TaskError> {
            let mut values = [1; 3];
            for (axis, (to, from)) in values.iter_mut().zip(list).enumerate() {
                let (value, most) = (value(from)?, of.most[axis]);
                // Hosts launch one block, or nothing, if the extents leave no work.
                let is_given = evaluate(&from.node, &Extents::new()).is_ok();
                if value == 0 && (is_given || !of.may_be_empty) {
                    let why = format!("the {} has size 0 in {}", of.name, ["x", "y", "z"][axis]);
                    return Err(from.error(why, "every axis is at least 1"));
                }
                if value > most {
                    let why = format!(
                        "{value} {} in {} exceed the limit of {most}",
                        of.parts,
                        ["x", "y", "z"][axis]
                    );
                    return Err(from.error(why, ""));
                }
                *to = value.max(1);
            }
            let all = values.iter().map(|value| u64::from(*value)).product::<u64>();
            match list.first().filter(|_| all > of.most_in_all) {
                Some(first) => {
                    let why = format!("{all} {} exceed the limit of {}", of.parts, of.most_in_all);
                    Err(first.error(why, ""))
                }
                None => Ok(values.into()),
            }
        };
        let mut shape =
            Shape::new(dimensions(&self.grid, &GRID)?, dimensions(&self.block, &BLOCK)?);
        if let Some(shared) = &self.shared {
            shape = shape.shared_bytes(value(shared)?);
        }
        if !self.cluster.is_empty() {
            shape = shape.cluster(dimensions(&self.cluster, &CLUSTER)?);
        }
        Ok(if self.cooperative { shape.cooperative() } else { shape })
    }
}

/// The limits of all GPUs for the axes of a part of a launch.
struct Axes {
    name: &'static str,
    parts: &'static str,
    most: [u32; 3],
    most_in_all: u64,
    may_be_empty: bool,
}

const GRID: Axes = Axes {
    name: "grid",
    parts: "blocks",
    most: [i32::MAX as u32, 65_535, 65_535],
    most_in_all: u64::MAX,
    may_be_empty: true,
};

const BLOCK: Axes = Axes {
    name: "block",
    parts: "threads",
    most: [1024, 1024, 64],
    most_in_all: 1024,
    may_be_empty: false,
};

const CLUSTER: Axes = Axes {
    name: "cluster",
    parts: "blocks of a cluster",
    most: [16; 3],
    most_in_all: 16,
    may_be_empty: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_declares_its_launch() {
        let text = "// judge: grid = [\"ceil_div(n, 64)\"]\n// judge: block = [64]\n__global__ void k() {}\n";
        let launch = Launch::declared("k.cu", text).expect("declared").expect("a launch");
        let extents = Extents::from([("n".to_owned(), 130)]);
        let shape = launch.shape(&extents).expect("a shape");
        assert_eq!((shape.grid.x, shape.block.x, shape.cooperative), (3, 64, false));
        assert!(Launch::declared("k.cu", "int x;").is_none());
        let wrong = Launch::declared("k.cu", "\n// judge: grids = [1]\n").expect("declared");
        assert_eq!(wrong.expect_err("unknown name").line, 2);
    }

    #[test]
    fn an_empty_grid_becomes_one_block() {
        let text = "// judge: grid = \"n\"\n// judge: block = 32\n";
        let launch = Launch::declared("k.cu", text).expect("declared").expect("a launch");
        let shape = launch.shape(&Extents::from([("n".to_owned(), 0)])).expect("a shape");
        assert_eq!(shape.grid.x, 1);
    }
    #[test]
    fn a_launch_that_no_gpu_can_make_is_an_error_at_its_place() {
        let extents = Extents::from([("n".to_owned(), 0)]);
        for (grid, block, column, why) in [
            ("[0]", "[32]", 9, "grid has size 0 in x"),
            ("[1, 70000]", "[32]", 12, "70000 blocks in y exceed the limit of 65535"),
            ("[1]", "[0]", 10, "block has size 0 in x"),
            ("[1]", "[32, \"n\"]", 14, "block has size 0 in y"),
            ("[1]", "[2048]", 10, "2048 threads in x exceed the limit of 1024"),
            ("[1]", "[64, 32]", 10, "2048 threads exceed the limit of 1024"),
        ] {
            let text = format!("grid = {grid}\nblock = {block}\n");
            let source = Source { name: "task.toml", text: &text };
            let launch = Launch::read(&Value::parse(source).expect("TOML")).expect("a launch");
            let error = launch.shape(&extents).expect_err("no launch");
            let line = if why.contains("grid") || why.contains("blocks") { 1 } else { 2 };
            assert_eq!((error.line, error.column), (line, column), "{text}{error}");
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
