//! A trial whose results are floats within a bound of the host's.

use crate::problem::case::Trial;
use lanework::{Buffer, Device, Element, Job, Result};
use lanework_bench::{Accuracy, Rejection};
use lanework_ladders::Rung;
use lanework_verify::bound::Bound;
use lanework_verify::host::array::{Array, ElementType};

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
