//! A family of cases: a ladder, the parameters and arrays that it takes, and the check of a request against them; the
//! solver of a case, and trials whose results are floats within a bound of the host's.

use crate::problem::{Case, Request, Trial};
use lanework::{Buffer, Cublas, Device, Element, Error, Job, Result};
use lanework_bench::{Accuracy, Rejection};
use lanework_ladders::{Ladder, Rung, RungInfo};
use lanework_verify::bound::Bound;
use lanework_verify::host::{Array, ElementType};
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
    /// A ladder without a peer whose cases have a size and f32 elements.
    pub(crate) fn new(
        ladder: fn() -> Ladder,
        open: fn(&Request) -> Result<Box<dyn Case>>,
    ) -> Family {
        Family {
            ladder,
            peer: None,
            parameters: &["size"],
            scaled: false,
            elements: &["f32"],
            arrays: &[],
            moves: false,
            sweep: &[],
            unused: &[],
            open,
        }
    }

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

/// Name of the peer in every ladder that has one.
pub(super) const CUBLAS: &str = "cublas";

/// A rung for the problem `P`, or cuBLAS.
pub(super) enum Solver<P> {
    Rung(Rung<P>),
    Cublas(Cublas),
}

/// cuBLAS as a rung of `experiment`, with the description `source`.
pub(super) const fn cublas(experiment: &'static str, source: &'static str) -> RungInfo {
    RungInfo { name: CUBLAS, experiment, source }
}

impl<P> Solver<P> {
    /// The solver called `name`: a rung of `rungs` or the peer.
    ///
    /// # Errors
    /// If cuBLAS is requested but not installed.
    ///
    /// # Panics
    /// If no rung has this name.
    pub(super) fn named(name: &str, rungs: Vec<Rung<P>>, device: &Device) -> Result<Self> {
        if name == CUBLAS {
            return Ok(Solver::Cublas(Cublas::open(device)?));
        }
        let known = rungs.into_iter().find(|known| known.info.name == name);
        Ok(Solver::Rung(known.expect("a rung of the ladder")))
    }
}

/// The buffers of a rung on a device.
pub(super) trait OnDevice {
    /// The type of the results.
    type Output: Element + Into<f64>;
    /// Its name in Rust.
    const OUTPUT: &'static str;

    fn output(&self) -> &Buffer<Self::Output>;

    fn output_mut(&mut self) -> &mut Buffer<Self::Output>;
}

/// The results that the host expects.
pub(super) trait Expected {
    /// Their extents.
    fn shape(&self) -> Vec<u64>;

    /// Their error bound.
    fn bound(&self) -> Bound;

    /// Each result, and the sum of magnitudes that scales its rounding errors.
    fn reference(&self) -> &[(f64, f64)];
}

/// A rung with its problem on a device.
pub(super) struct BoundedTrial<'a, C, P> {
    pub(super) case: &'a C,
    pub(super) rung: Rung<P>,
    pub(super) device: Device,
    pub(super) problem: P,
}

impl<C, P: OnDevice> BoundedTrial<'_, C, P> {
    /// The results.
    fn download(&self) -> Result<Vec<P::Output>> {
        self.problem.output().download()
    }
}

impl<C: Expected, P: OnDevice> Trial for BoundedTrial<'_, C, P> {
    fn poison(&mut self) -> Result<()> {
        self.problem.output_mut().fill_bytes(0xFF)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        Ok((self.rung.prepare)(&mut self.problem, &self.device)?.into())
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let got = self.download()?;
        let (bound, reference) = (self.case.bound(), self.case.reference());
        let at = |i: usize| {
            let (want, scale) = reference[i];
            (got[i].into(), want, scale)
        };
        let found = bound.compare(got.len(), &at);
        let Some(&first) = found.wrong.first() else { return Ok(found.accuracy) };
        let (got, want, scale) = at(first);
        Err(Rejection::Wrong(format!(
            "{} of {} elements are wrong: {} {}",
            found.wrong.len(),
            reference.len(),
            place(first, &self.case.shape()),
            bound.words(got, want, scale)
        )))
    }

    fn output(&self) -> Result<Array> {
        let element = ElementType::named(P::OUTPUT).expect("a known type");
        Ok(Array::new(&self.case.shape(), element, &self.download()?))
    }
}

/// An element by its indices: `[3][7]`.
fn place(element: usize, shape: &[u64]) -> String {
    let mut rest = element as u64;
    let mut words = String::new();
    for extent in shape.iter().rev() {
        words = format!("[{}]{words}", rest % extent);
        rest /= extent;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_place_has_an_index_for_each_extent() {
        assert_eq!(place(23, &[100]), "[23]");
        assert_eq!(place(23, &[3, 10]), "[2][3]");
        assert_eq!(place(23, &[2, 3, 4]), "[1][2][3]");
    }
}
