//! A task: the computation, its problems, its element types, and its tolerance.

mod parts;
mod read;

pub use crate::text::document::TaskError;
pub use lanework_numbers::NumberType as Element;
pub use parts::{Factor, Launch, Reference, Shape, Tolerance};

use crate::problems::{Extents, evaluate};
use crate::text::document::Expression;
use std::path::PathBuf;
use std::time::Duration;

/// A task, as parsed from its file.
#[derive(Clone, Debug)]
pub struct Task {
    /// Path of the task file.
    pub file: String,
    /// Folder of the task file; reference paths are relative to it.
    pub folder: PathBuf,
    /// Name of the kernel that a candidate must define.
    pub entry: String,
    /// The parameters, in the kernel's order.
    pub parameters: Vec<Parameter>,
    /// The extents.
    pub extents: Vec<Extent>,
    /// The launch, if the task fixes one.
    pub launch: Option<Launch>,
    /// Whether a candidate may declare its own launch.
    pub declared_launch: bool,
    /// Sources of the expected results, one per output.
    pub references: Vec<Reference>,
    /// How closely results must agree.
    pub tolerance: Tolerance,
    /// The kinds of values to draw.
    pub values: Vec<Values>,
    /// Extra permissions of candidates.
    pub allowed: Vec<Allowance>,
    /// Minimum bytes and operations of the timed problem.
    pub work: Option<(Expression, Expression)>,
    /// Limits.
    pub limits: Limits,
}

/// A parameter of the kernel.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in formulas and messages.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// Array or scalar, and how its values are chosen.
    pub kind: ParameterKind,
}

/// The kinds of parameters.
#[derive(Clone, Debug)]
pub enum ParameterKind {
    /// An array.
    Array {
        /// How the kernel may access it.
        role: Role,
        /// Its shape.
        shape: Vec<Expression>,
        /// Range of its integers (half-open), if restricted.
        range: Option<Box<[Expression; 2]>>,
    },
    /// A number computed from the extents.
    Computed(Expression),
    /// A number chosen from this list.
    Chosen(Vec<f64>),
    /// A number drawn between these two.
    Drawn(f64, f64),
}

/// How a kernel may access an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only.
    In,
    /// Write every element; undefined before the launch.
    Out,
    /// Read and write.
    InOut,
    /// Unrestricted; undefined before the launch and ignored after it.
    Scratch,
}

/// An extent of the problems.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Its name.
    pub name: String,
    /// The smallest and the largest value.
    pub range: (u64, u64),
    /// Every value is a multiple of this.
    pub multiple_of: u64,
    /// Values that are always tested.
    pub edges: Vec<u64>,
    /// Its value in the timed problem.
    pub timed: u64,
    /// An expression that computes it instead of drawing it.
    pub derived: Option<Expression>,
}

/// The kinds of values that inputs are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Values {
    /// Uniform in [-1, 1].
    Uniform,
    /// Normally distributed.
    Normal,
    /// Uniform in [0, 1]: every sum grows.
    Positive,
    /// Negative numbers only.
    Negative,
    /// Small integers, whose sums are exact in every order.
    Integers,
    /// Mostly zeros.
    Sparse,
    /// Zeros.
    Zeros,
    /// One number, repeated.
    Constant,
    /// A mix of large and small numbers.
    Spread,
    /// Subnormal numbers.
    Denormal,
    /// Numbers close to the largest finite one.
    Large,
    /// Some NaNs.
    Nan,
    /// Some infinities of either sign.
    Inf,
    /// The same numbers in every such problem, in a different order.
    Permuted,
}

impl Values {
    /// Every kind.
    pub const ALL: [Values; 14] = [
        Values::Uniform,
        Values::Normal,
        Values::Positive,
        Values::Negative,
        Values::Integers,
        Values::Sparse,
        Values::Zeros,
        Values::Constant,
        Values::Spread,
        Values::Denormal,
        Values::Large,
        Values::Nan,
        Values::Inf,
        Values::Permuted,
    ];

    /// Its name in task files and verdicts.
    pub fn name(self) -> &'static str {
        match self {
            Values::Uniform => "uniform",
            Values::Normal => "normal",
            Values::Positive => "positive",
            Values::Negative => "negative",
            Values::Integers => "integers",
            Values::Sparse => "sparse",
            Values::Zeros => "zeros",
            Values::Constant => "constant",
            Values::Spread => "spread",
            Values::Denormal => "denormal",
            Values::Large => "large",
            Values::Nan => "nan",
            Values::Inf => "inf",
            Values::Permuted => "permuted",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Values> {
        Values::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Permissions that a task may grant beyond the plain computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Reading clocks and timers.
    Clock,
    /// `printf`.
    Printf,
    /// Module variables that differ after a launch.
    State,
    /// Reading where threads were placed (`%smid`, `%warpid`, `%gridid`).
    Placement,
}

impl Allowance {
    /// Every permission, by name.
    pub const ALL: [(&'static str, Allowance); 4] = [
        ("clock", Allowance::Clock),
        ("printf", Allowance::Printf),
        ("state", Allowance::State),
        ("placement", Allowance::Placement),
    ];
}

/// Limits of one candidate.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time limit of one launch on the emulator, and of one command.
    pub launch: Duration,
    /// Time limit of compilation.
    pub compile: Duration,
    /// Maximum bytes of the source or the PTX.
    pub source: u64,
    /// Warp instructions of one launch on the emulator; `None` derives the limit from the sizes of the arrays.
    pub instructions: Option<u64>,
    /// Minimum number of drawn problems.
    pub rounds: usize,
    /// Maximum elements of the largest array of a drawn problem; the timed problem is exempt.
    pub elements: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            launch: Duration::from_secs(60),
            compile: Duration::from_secs(60),
            source: 4 << 20,
            instructions: None,
            rounds: 14,
            elements: 20_000,
        }
    }
}

impl Task {
    /// Adds the extents that others determine.
    ///
    /// # Errors
    /// If an expression has no value.
    pub fn complete(&self, mut extents: Extents) -> Result<Extents, TaskError> {
        for extent in &self.extents {
            if let Some(derived) = &extent.derived {
                let value = self.value(derived, &extents)?;
                extents.insert(extent.name.clone(), value);
            }
        }
        Ok(extents)
    }

    /// The extents of the timed problem.
    ///
    /// # Errors
    /// As [`Task::complete`].
    pub fn timed(&self) -> Result<Extents, TaskError> {
        let drawn = self.extents.iter().filter(|extent| extent.derived.is_none());
        self.complete(drawn.map(|extent| (extent.name.clone(), extent.timed)).collect())
    }

    /// The value of an expression of extents.
    ///
    /// # Errors
    /// If it has none.
    pub fn value(&self, expression: &Expression, extents: &Extents) -> Result<u64, TaskError> {
        evaluate(&expression.node, extents).map_err(|why| expression.error(why, ""))
    }

    /// The shape of an array.
    ///
    /// # Errors
    /// If an expression has no value, or the shape is too large.
    pub fn shape(&self, shape: &[Expression], extents: &Extents) -> Result<Vec<u64>, TaskError> {
        let shape_of = |one| self.value(one, extents);
        let values: Vec<u64> = shape.iter().map(shape_of).collect::<Result<_, _>>()?;
        let count = values.iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
        match (count, shape.first()) {
            (None, Some(first)) => Err(first.error("the array has more than 2^64 elements", "")),
            // The reference keeps eight bytes per element.
            (Some(count), Some(first)) if count > 1 << 28 => {
                Err(first.error(format!("the array has {count} elements, more than 2^28"), ""))
            }
            _ => Ok(values),
        }
    }

    /// Whether the task grants this permission.
    pub fn allows(&self, what: Allowance) -> bool {
        self.allowed.contains(&what)
    }

    /// The parameter with this name, and its position.
    pub fn parameter(&self, name: &str) -> Option<(usize, &Parameter)> {
        self.parameters.iter().enumerate().find(|(_, parameter)| parameter.name == name)
    }
}

impl Parameter {
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.kind, ParameterKind::Array { .. })
    }

    /// Whether the kernel writes results to it.
    pub fn is_output(&self) -> bool {
        matches!(self.kind, ParameterKind::Array { role: Role::Out | Role::InOut, .. })
    }
}

/// Every element type that a task may have.
pub const ELEMENTS: [Element; 10] = [
    Element::F32,
    Element::F64,
    Element::F16,
    Element::Bf16,
    Element::U8,
    Element::I8,
    Element::U32,
    Element::I32,
    Element::U64,
    Element::I64,
];

/// The element type with this name.
pub fn named(name: &str) -> Option<Element> {
    ELEMENTS.into_iter().find(|element| element.name() == name)
}
