//! A family of cases: a ladder, the parameters and arrays that it takes, and the check of a request against
//! them.

use crate::problem::case::Case;
use crate::problem::request::Request;
use lanework::{Element, Error, Result};
use lanework_ladders::{Ladder, RungInfo};
use lanework_verify::host::array::Array;
use std::cell::OnceCell;

/// A ladder and how its cases are made.
#[derive(Clone, Copy)]
pub struct Family {
    /// The ladder with its rungs.
    pub ladder: fn() -> Ladder,
    /// A vendor's library that solves the same problem, for comparison; skipped if it is missing.
    pub peer: Option<RungInfo>,
    /// Names of its parameters; see [`crate::PARAMETERS`].
    pub parameters: &'static [&'static str],
    /// Whether it takes alpha and beta.
    pub scaled: bool,
    /// Its element types, the default first.
    pub elements: &'static [&'static str],
    /// Names of its arrays.
    pub arrays: &'static [&'static str],
    /// Whether it only moves elements, so that numbers of any kind work, including complex ones.
    pub moves: bool,
    /// The default axes of a sweep.
    pub sweep: &'static [(&'static str, &'static [u64])],
    /// Parameters that some rungs ignore, since their blocks and tiles have a fixed size.
    pub unused: &'static [(&'static str, &'static [&'static str])],
    /// Makes a case of a checked request.
    pub open: fn(&Request) -> Result<Box<dyn Case>>,
}

impl Family {
    /// The ladder with its peer on top.
    pub fn with_peer(&self) -> Ladder {
        let mut ladder = (self.ladder)();
        ladder.rungs.extend(self.peer);
        ladder
    }

    /// Checks that one of `rungs`, or of all rungs if that is empty, uses each given parameter.
    ///
    /// # Errors
    /// If none of them uses a parameter.
    pub fn check_used(&self, rungs: &[&str], request: &Request) -> Result<()> {
        for (name, idle) in self.unused {
            let Some(value) = request.get(name) else { continue };
            if !rungs.is_empty() && rungs.iter().all(|rung| idle.contains(rung)) {
                return Err(Error::Request {
                    why: format!("--{name} {value} is not used by {}", rungs.join(", ")),
                    help: format!("remove --{name}, or choose another rung"),
                });
            }
        }
        Ok(())
    }

    /// The case that `request` asks for.
    ///
    /// # Errors
    /// If the ladder does not accept the request, or the values describe no valid problem.
    pub fn case(&self, request: &Request) -> Result<Box<dyn Case>> {
        let name = (self.ladder)().name;
        let refuse = |why: String, help: String| Err(Error::Request { why, help });
        let flags = |names: &[&str]| {
            let flags: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
            flags.join(", ")
        };
        if let Some(other) = request.parameters.keys().find(|key| !self.parameters.contains(key)) {
            let why = format!("ladder `{name}` takes no --{other}");
            return refuse(why, format!("it takes {}", flags(self.parameters)));
        }
        if !self.scaled && (request.alpha.is_some() || request.beta.is_some()) {
            let why = format!("ladder `{name}` has no alpha and beta");
            return refuse(why, "remove --alpha and --beta".to_owned());
        }
        if let Some(other) = request.arrays.keys().find(|key| !self.arrays.contains(key)) {
            let why = format!("ladder `{name}` takes no --{other}");
            return refuse(why, format!("it takes {}", flags(self.arrays)));
        }
        let element = request.element(self.elements[0]);
        if !self.elements.contains(&element.name) {
            let why =
                format!("ladder `{name}` has no kernels for elements of type {}", element.name);
            return refuse(why, format!("use one of {}", self.elements.join(", ")));
        }
        if let Some((name, array)) =
            request.arrays.iter().find(|(_, array)| array.element != element)
        {
            let why = format!("--{name} holds {}, not {}", array.element.name, element.name);
            return refuse(why, format!("convert it: a.astype('{}')", element.name));
        }
        (self.open)(request)
    }
}

/// The error of a request that describes no valid problem.
pub(super) fn refuse(ladder: &str, why: String, help: &str) -> Error {
    Error::Launch { kernel: ladder.to_owned(), why, help: help.to_owned() }
}

/// The elements of an array of the user, if there is one.
pub(super) fn given<E: Element>(array: Option<&Array>) -> OnceCell<Vec<E>> {
    array.map(|array| OnceCell::from(array.elements::<E>())).unwrap_or_default()
}
