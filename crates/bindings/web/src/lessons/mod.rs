//! Lessons of the page: the exercises, and the rungs of the ladders.

mod call;
mod exercises;
mod rungs;

pub use rungs::measured;

use crate::compiled::{compiled, refused};
use crate::request::RequestFailure;
use serde_json::Value;

/// The lessons with their sources and launches.
pub fn list() -> Value {
    Value::Array(exercises::list().into_iter().chain(rungs::list()).collect())
}

/// Checks a solution.
///
/// # Errors
/// If the lesson is unknown, the source does not compile, or the launch does not fit its kernel.
pub fn solve(name: &str, source: &str) -> Result<Value, RequestFailure> {
    let compiled = compiled(source).map_err(|problems| refused(&problems))?;
    let solved = exercises::solve(name, &compiled).or_else(|| rungs::solve(name, &compiled));
    solved.unwrap_or_else(|| Err(call::unknown(name)))
}
