//! A task: what a candidate has to compute, on which problems, and how closely.

mod launch;
mod read;
mod reference;

use crate::element::Element;
use crate::problems::extents::{Extents, evaluate};
use crate::text::document::Expression;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::text::source::TaskError;
pub use launch::{Launch, Shape};
pub use reference::{Factor, Reference, Tolerance};

/// A task, as its file says.
#[derive(Clone, Debug)]
pub struct Task {
    /// The file.
    pub file: String,
    /// The folder of the file, where its references lie.
    pub folder: PathBuf,
    /// The kernel that a candidate has to have.
    pub entry: String,
    /// The parameters in the kernel's order.
    pub parameters: Vec<Parameter>,
    /// The extents.
    pub extents: Vec<Extent>,
    /// The launch, where the task gives one.
    pub launch: Option<Launch>,
    /// Whether a candidate may declare its own launch.
    pub declared_launch: bool,
    /// Where right results come from, output after output.
    pub references: Vec<Reference>,
    /// How closely results have to agree.
    pub tolerance: Tolerance,
    /// The kinds of values that are drawn.
    pub values: Vec<Values>,
    /// What else a candidate may do.
    pub allowed: Vec<Allowance>,
    /// The least work, for the timed shape.
    pub work: Option<(Expression, Expression)>,
    /// Limits.
    pub limits: Limits,
}

/// A parameter of the kernel.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name, in formulas and messages.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// What it is.
    pub kind: ParameterKind,
}

/// The kinds of parameters.
#[derive(Clone, Debug)]
pub enum ParameterKind {
    /// An array.
    Array {
        /// What the kernel may do with it.
        role: Role,
        /// Its shape.
        shape: Vec<Expression>,
        /// The integers that it holds, from the first to below the second, where they are limited.
        range: Option<Box<[Expression; 2]>>,
    },
    /// A number that follows from the extents.
    Computed(Expression),
    /// A number that is one of these.
    Chosen(Vec<f64>),
    /// A number that is drawn between these.
    Drawn(f64, f64),
}

/// What a kernel may do with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read it.
    In,
    /// Write all of it; it is undefined before.
    Out,
    /// Read and write it.
    InOut,
    /// Anything; it is undefined before, and nobody looks at it after.
    Scratch,
}

/// An extent of the problems.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Its name.
    pub name: String,
    /// The smallest and the largest.
    pub range: (u64, u64),
    /// What it is a multiple of.
    pub multiple_of: u64,
    /// Values that are always tried.
    pub edges: Vec<u64>,
    /// Its value where the kernel is timed.
    pub timed: u64,
    /// An expression that gives it, in place of a draw.
    pub derived: Option<Expression>,
}

/// The kinds of values that inputs are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Values {
    /// Evenly from -1 to 1.
    Uniform,
    /// Normally distributed.
    Normal,
    /// Evenly from 0 to 1: every sum grows.
    Positive,
    /// All of one sign, negative.
    Negative,
    /// Small integers, whose sums are exact in every order.
    Integers,
    /// Zeros with few numbers in between.
    Sparse,
    /// Zeros.
    Zeros,
    /// One number throughout.
    Constant,
    /// Large and small numbers mixed.
    Spread,
    /// Subnormal numbers.
    Denormal,
    /// Numbers near the largest.
    Large,
    /// Some NaN.
    Nan,
    /// Some infinities of either sign.
    Inf,
    /// The same numbers in every such problem, in another order.
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

/// What a task may allow beside the plain computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Reading clocks and timers.
    Clock,
    /// `printf`.
    Printf,
    /// Variables of the module that differ after a launch.
    State,
    /// Reading where threads were placed (`%smid`, `%warpid`, `%gridid`).
    Placement,
}

impl Allowance {
    /// Every one, by name.
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
    /// Time of one launch on the emulator, and of one command.
    pub launch: Duration,
    /// Time of compilation.
    pub compile: Duration,
    /// Bytes of the source or of the PTX.
    pub source: u64,
    /// Warp instructions of one launch on the emulator; `None` takes as many as its arrays may need.
    pub instructions: Option<u64>,
    /// Problems that are drawn at least.
    pub rounds: usize,
    /// Elements of the largest array of a drawn problem, but for the timed one.
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
    /// The extents with those that others give.
    ///
    /// # Errors
    /// When an expression has no value.
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
    /// When it has none.
    pub fn value(&self, expression: &Expression, extents: &Extents) -> Result<u64, TaskError> {
        evaluate(&expression.node, extents).map_err(|why| expression.error(why, ""))
    }

    /// The shape of an array.
    ///
    /// # Errors
    /// When an expression has no value, or it is too large.
    pub fn shape(&self, shape: &[Expression], extents: &Extents) -> Result<Vec<u64>, TaskError> {
        let shape_of = |one| self.value(one, extents);
        let values: Vec<u64> = shape.iter().map(shape_of).collect::<Result<_, _>>()?;
        let count = values.iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
        match (count, shape.first()) {
            (None, Some(first)) => Err(first.error("the array has more than 2^64 elements", "")),
            // The reference keeps eight bytes of each.
            (Some(count), Some(first)) if count > 1 << 28 => {
                Err(first.error(format!("the array has {count} elements, more than 2^28"), ""))
            }
            _ => Ok(values),
        }
    }

    /// Whether the task allows this.
    pub fn allows(&self, what: Allowance) -> bool {
        self.allowed.contains(&what)
    }

    /// The parameter of this name, with its place.
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
