//! Executes a plan from input bytes to output bytes, by rustfft, one axis after the other.
//!
//! All input is read before any output is written, so the two may overlap. As in cuFFT, transforms are not normalized.
//! Real numbers are transformed as complex numbers with imaginary part 0; only half of the spectrum along the last
//! axis is kept.

use crate::plan::{Layout, Plan, TransformForm};
use crate::{Result, Status, refuse};
use half::{bf16, f16};
use lanework_numbers::NumberType;
use lanework_standin::{Memory, write, write_spaced};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::{Arc, OnceLock};

/// Minimum number of elements of a batch for which several threads are used.
const SHARED: usize = 1 << 15;

/// A plan's forward and inverse transforms, created on first execution.
#[derive(Default)]
pub struct PlannedTransforms {
    single: [OnceLock<Axes<f32>>; 2],
    double: [OnceLock<Axes<f64>>; 2],
}

/// A storage type: how numbers are read and written, and the precision of their transforms.
trait StorageType {
    type Computed: FftNum;
    const SIZE: usize;
    fn get(bytes: &[u8]) -> Self::Computed;
    fn put(number: Self::Computed, to: &mut [u8]);
    fn axes(ready: &PlannedTransforms, inverse: bool) -> &OnceLock<Axes<Self::Computed>>;
}

macro_rules! stored {
    ($($type:ty, $computed:ty, $size:literal, $field:ident, $from:expr, $to:expr;)*) => {$(
        impl StorageType for $type {
            type Computed = $computed;
            const SIZE: usize = $size;
            fn get(bytes: &[u8]) -> $computed {
                let mut own = [0; $size];
                own.copy_from_slice(bytes);
                $from(<$type>::from_ne_bytes(own))
            }
            fn put(number: $computed, to: &mut [u8]) {
                to.copy_from_slice(&$to(number).to_ne_bytes());
            }
            fn axes(ready: &PlannedTransforms, inverse: bool) -> &OnceLock<Axes<$computed>> {
                &ready.$field[usize::from(inverse)]
            }
        }
    )*};
}

stored! {
    f16, f32, 2, single, f16::to_f32, f16::from_f32;
    bf16, f32, 2, single, bf16::to_f32, bf16::from_f32;
    f32, f32, 4, single, std::convert::identity, std::convert::identity;
    f64, f64, 8, double, std::convert::identity, std::convert::identity;
}

/// Executes a plan on two addresses.
///
/// # Errors
/// If a range is not inside one allocation, an address is not a multiple of the element size, or host memory runs out.
pub fn execute(
    plan: &Plan,
    ready: &PlannedTransforms,
    [from, to]: [usize; 2],
    inverse: bool,
) -> Result {
    let [input, output] = plan.sides(from == to);
    let bytes = ["the input", "the output"]
        .into_iter()
        .zip([from, to])
        .zip([input, output])
        .zip(plan.element_sizes());
    let mut ranges = vec![];
    for (((what, address), side), size) in bytes {
        if address % size != 0 {
            let why = format!(
                "{what} is at {address:#x}, which is not aligned to its elements of {size} bytes"
            );
            return refuse(Status::ExecutionFailed, &why);
        }
        // `Plan::new` checked the span.
        let bytes = side.span(plan.batch).unwrap_or(usize::MAX) * size;
        // SAFETY: all elements are read before the output is written, and stream order excludes other writers until then.
        ranges.push(unsafe { Memory { at: address, bytes }.bytes(what) }?);
    }
    let made = match plan.kind.precision {
        NumberType::F16 => transformed::<f16>(plan, ready, ranges[0], input, inverse),
        NumberType::Bf16 => transformed::<bf16>(plan, ready, ranges[0], input, inverse),
        NumberType::F32 => transformed::<f32>(plan, ready, ranges[0], input, inverse),
        NumberType::F64 => transformed::<f64>(plan, ready, ranges[0], input, inverse),
        // `TransformKind` has no other types.
        other => refuse(Status::Internal, &format!("no transform of {}", other.name())),
    }?;
    match output.step() > 1 && output.span(plan.batch) == Some(output.count() * plan.batch) {
        true => Ok(write(to, &arranged(&made, ranges[1], output, plan), "the output")?),
        false => write_rows(&made, to, output, plan),
    }
}

/// The output of a batch, packed without gaps.
fn transformed<S: StorageType>(
    plan: &Plan,
    ready: &PlannedTransforms,
    from: &[u8],
    input: &Layout,
    inverse: bool,
) -> Result<Vec<u8>> {
    let each = plan.sides(false)[1].count() * plan.element_sizes()[1];
    let mut made = Vec::new();
    if made.try_reserve_exact(each * plan.batch).is_err() {
        let why =
            format!("cannot allocate {} bytes of host memory for the output", each * plan.batch);
        return refuse(Status::AllocationFailed, &why);
    }
    made.resize(each * plan.batch, 0);
    let inverse = match plan.kind.form {
        TransformForm::ComplexToComplex => inverse,
        TransformForm::RealToComplex => false,
        TransformForm::ComplexToReal => true,
    };
    let axes = S::axes(ready, inverse).get_or_init(|| Axes::new(&plan.sizes, inverse));
    let work = |first: usize, to: &mut [u8]| {
        for (index, to) in to.chunks_exact_mut(each).enumerate() {
            one::<S>(plan, axes, from, input, first + index, to);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    let share = match input.count() * plan.batch < SHARED {
        true => plan.batch,
        false => plan.batch.div_ceil(workers),
    };
    if share == plan.batch {
        work(0, &mut made);
        return Ok(made);
    }
    std::thread::scope(|scope| {
        for (index, part) in made.chunks_mut(share * each).enumerate() {
            let work = &work;
            scope.spawn(move || work(index * share, part));
        }
    });
    Ok(made)
}

/// Computes one transform of a batch.
fn one<S: StorageType>(
    plan: &Plan,
    axes: &Axes<S::Computed>,
    from: &[u8],
    input: &Layout,
    index: usize,
    to: &mut [u8],
) {
    let [complex_input, complex_output] = plan.kind.complex();
    let zero = S::get(&[0; 8][..S::SIZE]);
    let number = |at: usize| S::get(&from[at * S::SIZE..(at + 1) * S::SIZE]);
    let mut data = Vec::with_capacity(input.count());
    for row in input.rows(index) {
        let places = (0..input.row()).map(|at| row + at * input.step());
        match complex_input {
            true => data.extend(places.map(|at| Complex::new(number(2 * at), number(2 * at + 1)))),
            false => data.extend(places.map(|at| Complex::new(number(at), zero))),
        }
    }
    let made = match plan.kind.form {
        TransformForm::ComplexToComplex => axes.complex(data),
        TransformForm::RealToComplex => axes.half_spectrum(data),
        TransformForm::ComplexToReal => axes.all_of_half_spectrum(data),
    };
    match complex_output {
        true => {
            for (to, number) in to.chunks_exact_mut(2 * S::SIZE).zip(made) {
                S::put(number.re, &mut to[..S::SIZE]);
                S::put(number.im, &mut to[S::SIZE..]);
            }
        }
        false => {
            for (to, number) in to.chunks_exact_mut(S::SIZE).zip(made) {
                S::put(number.re, to);
            }
        }
    }
}

/// The bytes of an output without gaps in memory order, for batches of interleaved transforms.
fn arranged(made: &[u8], before: &[u8], output: &Layout, plan: &Plan) -> Vec<u8> {
    let size = plan.element_sizes()[1];
    let mut range = before.to_vec();
    let starts = (0..plan.batch).flat_map(|index| output.rows(index));
    for (start, row) in starts.zip(made.chunks_exact(output.row() * size)) {
        for (at, element) in row.chunks_exact(size).enumerate() {
            let at = (start + at * output.step()) * size;
            range[at..at + size].copy_from_slice(element);
        }
    }
    range
}

/// Writes the output in pieces that are as long as possible; gaps stay unchanged.
fn write_rows(made: &[u8], to: usize, output: &Layout, plan: &Plan) -> Result {
    let size = plan.element_sizes()[1];
    let (row, step) = (output.row(), output.step());
    // The current piece: the offset of its first element in memory and in the output, and its length.
    let mut piece = (0, 0, 0);
    let put = |(at, first, count): (usize, usize, usize)| match count {
        0 => Ok(()),
        _ => write_spaced(
            to + at * size,
            &made[first * size..(first + count) * size],
            size,
            step * size,
            "the output",
        ),
    };
    let starts = (0..plan.batch).flat_map(|index| output.rows(index));
    for (index, at) in starts.enumerate() {
        let (begin, first, count) = piece;
        if count > 0 && at == begin + count * step {
            piece.2 += row;
        } else {
            put(piece)?;
            piece = (at, first + count, row);
        }
        debug_assert_eq!(piece.1 + piece.2, (index + 1) * row);
    }
    Ok(put(piece)?)
}

/// Columns per pass, chosen so that all loaded bytes of a row are used.
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

    /// Transforms half spectra (`n / 2 + 1` numbers of each row of `n`) back; the other numbers of a row are
    /// conjugates. Only the real parts of the result are meaningful.
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
