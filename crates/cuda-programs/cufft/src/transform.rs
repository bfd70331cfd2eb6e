//! Transforms of row-major arrays by rustfft, one axis after the other; not normalized, as in cuFFT. Real numbers are transformed as
//! complex numbers with imaginary part 0; half of the spectrum along the last axis is kept.

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::Arc;

/// Columns per pass, so that all loaded bytes of a row are used.
const COLUMNS: usize = 16;

/// The transforms along each axis, in one direction.
pub struct Axes<T> {
    along: Vec<Arc<dyn Fft<T>>>,
}

impl<T: FftNum> Axes<T> {
    /// Plans the transforms of arrays of these sizes.
    pub fn new(sizes: &[usize], inverse: bool) -> Axes<T> {
        let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let mut planner = FftPlanner::new();
        Axes { along: sizes.iter().map(|size| planner.plan_fft(*size, direction)).collect() }
    }

    /// Transforms complex numbers.
    pub fn complex(&self, mut data: Vec<Complex<T>>) -> Vec<Complex<T>> {
        self.last(&mut data);
        let row = self.along[self.along.len() - 1].len();
        self.others(&mut data, row);
        data
    }

    /// Transforms real numbers, and keeps `n / 2 + 1` numbers of each row of `n`.
    pub fn half_spectrum(&self, mut data: Vec<Complex<T>>) -> Vec<Complex<T>> {
        self.last(&mut data);
        let row = self.along[self.along.len() - 1].len();
        let kept = row / 2 + 1;
        let mut half: Vec<Complex<T>> =
            data.chunks_exact(row).flat_map(|row| &row[..kept]).copied().collect();
        self.others(&mut half, kept);
        half
    }

    /// Transforms half spectra (`n / 2 + 1` numbers of each row of `n`) back: the other numbers are conjugates. The real parts of the
    /// result count.
    pub fn all_of_half_spectrum(&self, mut half: Vec<Complex<T>>) -> Vec<Complex<T>> {
        let row = self.along[self.along.len() - 1].len();
        let kept = row / 2 + 1;
        self.others(&mut half, kept);
        let mut data = Vec::with_capacity(half.len() / kept * row);
        for half in half.chunks_exact(kept) {
            data.extend_from_slice(half);
            data.extend((kept..row).map(|at| half[row - at].conj()));
        }
        self.last(&mut data);
        data
    }

    /// Transforms along the last axis.
    fn last(&self, data: &mut [Complex<T>]) {
        let fft = &self.along[self.along.len() - 1];
        fft.process_with_scratch(data, &mut vec![zero(); fft.get_inplace_scratch_len()]);
    }

    /// Transforms along all axes but the last, in rows of `row` elements.
    fn others(&self, data: &mut [Complex<T>], row: usize) {
        let mut inner = row;
        for fft in self.along[..self.along.len() - 1].iter().rev() {
            let size = fft.len();
            let mut scratch = vec![zero(); fft.get_inplace_scratch_len()];
            let mut columns = vec![zero(); size * COLUMNS];
            for part in data.chunks_exact_mut(size * inner) {
                for first in (0..inner).step_by(COLUMNS) {
                    let width = COLUMNS.min(inner - first);
                    let columns = &mut columns[..width * size];
                    for (at, row) in part.chunks_exact(inner).enumerate() {
                        for column in 0..width {
                            columns[column * size + at] = row[first + column];
                        }
                    }
                    fft.process_with_scratch(columns, &mut scratch);
                    for (at, row) in part.chunks_exact_mut(inner).enumerate() {
                        for column in 0..width {
                            row[first + column] = columns[column * size + at];
                        }
                    }
                }
            }
            inner *= size;
        }
    }
}

fn zero<T: FftNum>() -> Complex<T> {
    Complex::new(T::zero(), T::zero())
}
