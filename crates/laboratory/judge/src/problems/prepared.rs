//! Problems with their expected results, computed before a candidate is loaded.

use crate::candidates::candidate::Submission;
use crate::problems::problem::{Argument, Problem};
use crate::references::approx::{Approx, Arithmetic};
use crate::references::data::Data;
use crate::references::expected::{Expected, Right};
use crate::references::external;
use crate::task::{Element, Launch, Reference, Task, TaskError, Tolerance};
use crate::verdict::ProblemRecord;
use lanework_runtime::ptx::Module;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A problem and its expected results.
pub struct Prepared {
    /// The problem.
    pub problem: Problem,
    /// The expected result of each output.
    pub expected: Vec<Expected>,
}

/// Why no verdict is possible. None of these errors is the candidate's fault.
#[derive(Debug)]
pub enum Unjudged {
    /// The task file has a mistake.
    Task(Box<TaskError>),
    /// The reference, the compiler or the machine failed: the error, and how to fix it.
    Failed(String, String),
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unjudged::Task(error) => error.fmt(f),
            Unjudged::Failed(what, help) => write!(f, "{what}\n  = help: {help}"),
        }
    }
}

impl std::error::Error for Unjudged {}

impl From<TaskError> for Unjudged {
    fn from(error: TaskError) -> Self {
        Unjudged::Task(Box::new(error))
    }
}

/// PTX, and the compiler that made it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompiledCandidate {
    /// The PTX.
    pub ptx: String,
    /// The compiler: `NVRTC` or `Lanework`.
    pub by: String,
}

/// Compiles CUDA C++ to PTX, for kernels that serve as references and for candidates; the inner error is the compiler's log.
pub type Compile<'a> =
    &'a dyn Fn(&Submission, &Task) -> Result<Result<CompiledCandidate, String>, Unjudged>;

/// A task whose references are loaded.
pub struct Ready<'a> {
    /// The task.
    pub task: &'a Task,
    kernels: Vec<Option<Module>>,
}

/// Maximum multiply-adds, and elements, of a problem's reference; above it, only a sample of the elements is
/// computed.
const MOST_WORK: u64 = 1 << 28;
/// Minimum elements of a sample.
const FEWEST: usize = 4096;

impl<'a> Ready<'a> {
    /// Loads kernels that serve as references.
    ///
    /// # Errors
    /// If a reference is invalid.
    pub fn new(task: &'a Task, compile: Compile<'_>) -> Result<Ready<'a>, Unjudged> {
        let mut kernels = Vec::new();
        for reference in &task.references {
            let Reference::Kernel { file, entry, .. } = reference else {
                kernels.push(None);
                continue;
            };
            let name = file.display().to_string();
            let failed = |why: String| {
                Unjudged::Failed(
                    format!("the reference {name}: {why}"),
                    "correct the task".to_owned(),
                )
            };
            let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
            let ptx = match file.extension().is_some_and(|kind| kind == "cu") {
                false => text,
                true => {
                    let submission =
                        Submission { name: name.clone(), source: Some(text), ptx: None };
                    compile(&submission, task)?.map_err(&failed)?.ptx
                }
            };
            let parsed = Module::parse(&ptx).and_then(|module| module.validate().map(|()| module));
            let module = parsed.map_err(|problems| failed(problems.to_string()))?;
            if module.entry(entry).is_none() {
                return Err(failed(format!("it has no kernel `{entry}`")));
            }
            kernels.push(Some(module));
        }
        Ok(Ready { task, kernels })
    }

    /// The arithmetic that defines the error bound of an output of this type.
    pub fn arithmetic(&self, element: Element) -> Arithmetic {
        let plain = if element == Element::F64 { Element::F64 } else { Element::F32 };
        match self.task.tolerance {
            Tolerance::Derived { arithmetic, function_units } => {
                let arithmetic = Arithmetic::of(arithmetic.unwrap_or(plain));
                let units = function_units.unwrap_or(arithmetic.function_units);
                Arithmetic { function_units: units, ..arithmetic }
            }
            _ => Arithmetic::of(plain),
        }
    }

    /// Computes the expected results.
    ///
    /// # Errors
    /// If a reference fails.
    pub fn prepare(&self, problem: Problem) -> Result<Prepared, Unjudged> {
        let order: Vec<String> = self.task.extents.iter().map(|one| one.name.clone()).collect();
        let data = Data::of(&problem, &order, &|x| x);
        let mut expected = Vec::new();
        for (reference, kernel) in self.task.references.iter().zip(&self.kernels) {
            match (reference, kernel) {
                (Reference::Kernel { entry, launch, .. }, Some(module)) => {
                    expected.extend(self.of_kernel(&problem, module, entry, launch)?);
                }
                (Reference::Command { command }, _) => {
                    let results = external::of_command(self.task, &problem, command);
                    expected
                        .extend(results.map_err(|why| failed("the reference", &why, &problem))?);
                }
                _ => {
                    let Some(output) = reference.output() else { continue };
                    reference.fits(&data).map_err(|why| failed("the reference", &why, &problem))?;
                    let element = self.task.parameters[output].element;
                    let count = problem.arguments[output].bytes() as usize / element.bytes();
                    let at = sample(count, work_of(reference, &problem, output), problem.seed);
                    let all: Vec<usize>;
                    let asked = match &at {
                        Some(at) => at,
                        None => {
                            all = (0..count).collect();
                            &all
                        }
                    };
                    let right = reference
                        .at(&data, element, self.arithmetic(element), asked)
                        .map_err(|why| failed("the reference", &why, &problem))?;
                    if let Some(right) = right {
                        expected.push(Expected { output, at, right });
                    }
                }
            }
        }
        for one in &mut expected {
            self.apply_tolerance(one);
        }
        Ok(Prepared { problem, expected })
    }

    fn of_kernel(
        &self,
        problem: &Problem,
        module: &Module,
        entry: &str,
        launch: &Launch,
    ) -> Result<Vec<Expected>, Unjudged> {
        external::of_kernel(self.task, problem, (module, entry, launch))
            .map_err(|why| failed("the reference's kernel", &why, problem))
    }

    fn apply_tolerance(&self, expected: &mut Expected) {
        let Right::Numbers(numbers) = &mut expected.right else { return };
        for number in numbers {
            match &self.task.tolerance {
                Tolerance::Derived { .. } => {}
                Tolerance::Exact => *number = Approx::exact(number.value),
                // The comparison doubles first-order errors.
                Tolerance::Stated { relative, absolute, .. } => {
                    number.error = (absolute + relative * number.value.abs()) / 2.0;
                    number.wild = false;
                }
            }
        }
    }
}

fn failed(what: &str, why: &str, problem: &Problem) -> Unjudged {
    let what = format!("{what} failed on {}: {why}", problem.record());
    Unjudged::Failed(what, "correct the task: the candidate was not tested".to_owned())
}

/// Terms of one element of an output.
fn work_of(reference: &Reference, problem: &Problem, output: usize) -> u64 {
    let shape = |array: usize| match &problem.arguments[array] {
        Argument::Array { shape, .. } => shape.clone(),
        Argument::Scalar { .. } => Vec::new(),
    };
    match reference {
        Reference::Product { a, transposed, .. } => {
            let shape = shape(*a);
            shape.get(usize::from(!transposed.0)).copied().unwrap_or(1)
        }
        // A formula with a fold may have as many terms as the longest input.
        Reference::Formula { formula, .. } if formula.folds() => {
            problem.extents.values().copied().max().unwrap_or(1)
        }
        // Rows are computed as a whole, because the sampled elements are scattered over rows.
        Reference::Softmax { .. } | Reference::Norm { .. } | Reference::Scan { .. } => {
            shape(output).last().copied().unwrap_or(1)
        }
        _ => 1,
    }
}

/// The elements to compute; `None` if the work allows all.
fn sample(count: usize, each: u64, seed: u64) -> Option<Vec<usize>> {
    let affordable = usize::try_from(MOST_WORK / each.max(1)).unwrap_or(usize::MAX).max(FEWEST);
    if count <= affordable.min(1 << 24) {
        return None;
    }
    let mut random = StdRng::seed_from_u64(seed ^ 0x5a5a);
    let wanted = affordable.min(1 << 20);
    let mut at: Vec<usize> = (0..wanted).map(|_| random.random_range(0..count)).collect();
    at.extend([0, count - 1]);
    at.sort_unstable();
    at.dedup();
    Some(at)
}

impl Problem {
    /// The record from which the problem can be redrawn.
    pub fn record(&self) -> ProblemRecord {
        ProblemRecord {
            extents: self.extents.clone(),
            values: self.kind.name().to_owned(),
            seed: self.seed,
        }
    }
}
