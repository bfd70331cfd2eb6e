//! The stored runs that `lanework compare` was asked to compare.

use crate::args::{CompareArgs, ProblemOptions};
use lanework_terminal::failure::Failure;

/// Selects the two sides of a comparison.
#[cfg_attr(not(feature = "history"), allow(dead_code))]
pub enum Stored {
    /// Two runs by their numbers.
    Runs(i64, i64),
    /// Two revisions of the user's checkout.
    Revisions(String, String),
    /// The last run and the one before it that timed the same kernel.
    Last,
}

/// The stored runs that the command line asks for; `None` if it asks to measure.
///
/// # Errors
/// If it describes a problem to run as well.
pub fn stored(args: &CompareArgs) -> Result<Option<Stored>, Failure> {
    let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse().ok());
    let asked = match (args.revision.as_slice(), number(&args.first), number(&args.second)) {
        ([a, b], ..) => Stored::Revisions(a.clone(), b.clone()),
        _ if args.last => Stored::Last,
        (_, Some(a), Some(b)) => Stored::Runs(a, b),
        _ => return Ok(None),
    };
    let ProblemOptions { parameters, numbers, arrays } = &args.problem;
    let describes = !parameters.0.is_empty()
        || arrays.given().count() > 0
        || args.time_limit.is_some()
        || numbers.element.is_some()
        || numbers.alpha.or(numbers.beta).is_some()
        || numbers.seed.is_some();
    if describes {
        return Err(Failure::input(
            "stored runs are not run again: their problems are fixed",
            "remove the options that describe a problem",
        ));
    }
    if args.save.save {
        return Err(Failure::input(
            "--save needs a measurement, and nothing is run",
            "remove --save",
        ));
    }
    Ok(Some(asked))
}
