//! Compares the outputs of a run with the expected ones: every element within its tolerance, at the promised
//! precision.

use crate::candidates::compare::{Closeness, Compared};
use crate::candidates::precision;
use crate::candidates::run::Results;
use crate::problems::prepared::{Prepared, Ready};
use crate::problems::problem::{Argument, Problem};
use crate::task::Task;
use crate::verdict::Reason;

/// Compares all outputs.
///
/// # Errors
/// The first wrong element.
pub fn compare(task: &Task, prepared: &Prepared, results: &Results) -> Result<Closeness, Reason> {
    let mut all = Closeness::default();
    for expected in &prepared.expected {
        let output = expected.output;
        let parameter = &task.parameters[output];
        let Argument::Array { shape, .. } = &prepared.problem.arguments[output] else { continue };
        let held = results.iter().find(|(number, _)| *number == output);
        let bytes = held.map_or(&[][..], |(_, bytes)| bytes);
        if bytes.len() as u64 != prepared.problem.arguments[output].bytes() {
            continue;
        }
        let result = Compared { name: &parameter.name, element: parameter.element, shape, bytes };
        match result.with(expected) {
            Ok(closeness) => all = add(all, closeness),
            Err(found) => {
                let why = format!(
                    "{} of {} elements of `{}` are wrong",
                    found.wrong, found.of, parameter.name
                );
                return Err(Reason {
                    problem: Some(prepared.problem.record()),
                    counterexample: Some(found),
                    ..Reason::new("wrong", why)
                });
            }
        }
    }
    Ok(all)
}

fn add(a: Closeness, b: Closeness) -> Closeness {
    Closeness {
        elements: a.elements + b.elements,
        tolerance_used: a.tolerance_used.max(b.tolerance_used),
        max_relative: a.max_relative.max(b.max_relative),
    }
}

/// Merges the accuracy of one comparison into the total.
pub fn merge(all: &mut Option<Closeness>, one: Closeness) {
    *all = Some(all.map_or(one, |all| add(all, one)));
}

/// Describes the lower precision of the results, if the problem's values can reveal it.
pub fn lower_precision(ready: &Ready<'_>, problem: &Problem, results: &Results) -> Option<String> {
    if !precision::is_conclusive(problem.kind) {
        return None;
    }
    precision::detect(ready.task, problem, results, &|element| ready.arithmetic(element))
}
