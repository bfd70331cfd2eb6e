//! Matrix product on the host. Factors are packed so that each result is a dot product of two rows, with several partial sums that the
//! compiler vectorizes.

use crate::kind::{Number, add, mul};
use crate::matrix::Dense;

/// Partial sums per element.
const LANES: usize = 16;

/// Number types of the sums.
trait Real: Copy + Send + Sync + 'static {
    const ZERO: Self;
    fn of(value: f64) -> Self;
    fn value(self) -> f64;
    fn plus_product(self, a: Self, b: Self) -> Self;
}

macro_rules! real {
    ($($type:ty)*) => {$(
        impl Real for $type {
            const ZERO: Self = 0.0;
            fn of(value: f64) -> Self {
                value as $type
            }
            fn value(self) -> f64 {
                self.into()
            }
            fn plus_product(self, a: Self, b: Self) -> Self {
                self + a * b
            }
        }
    )*};
}
real!(f32 f64);

fn sum<T: Real>(a: &[T], b: &[T]) -> f64 {
    let mut sums = [T::ZERO; LANES];
    let (chunks, others) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = chunks.remainder().iter().zip(others.remainder());
    let rest = rest.fold(T::ZERO, |sum, (a, b)| sum.plus_product(*a, *b));
    for (a, b) in chunks.zip(others) {
        for lane in 0..LANES {
            sums[lane] = sums[lane].plus_product(a[lane], b[lane]);
        }
    }
    sums.iter().map(|sum| sum.value()).sum::<f64>() + rest.value()
}

/// The real or imaginary parts of the elements, packed by rows.
fn rows<T: Real>(matrix: &Dense, part: usize) -> Vec<T> {
    matrix.elements.iter().map(|element| T::of(element[part])).collect()
}

fn columns<T: Real>(matrix: &Dense, part: usize) -> Vec<T> {
    let mut packed = Vec::with_capacity(matrix.elements.len());
    for column in 0..matrix.columns {
        packed.extend(
            (0..matrix.rows).map(|row| T::of(matrix.elements[row * matrix.columns + column][part])),
        );
    }
    packed
}

fn in_type<T: Real>(a: &Dense, b: &Dense, complex: bool) -> Vec<Number> {
    let (n, k) = (b.columns, a.columns);
    let parts = if complex { 2 } else { 1 };
    let a_parts: Vec<Vec<T>> = (0..parts).map(|part| rows(a, part)).collect();
    let b_parts: Vec<Vec<T>> = (0..parts).map(|part| columns(b, part)).collect();
    let mut result = vec![[0.0; 2]; a.rows * n];
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    let share = if a.rows * n * k < 1 << 18 { a.rows } else { a.rows.div_ceil(workers) };
    let work = |first: usize, part: &mut [Number]| {
        for (index, element) in part.iter_mut().enumerate() {
            let (row, column) = (first + index / n, index % n);
            let (x, y) = (row * k..(row + 1) * k, column * k..(column + 1) * k);
            let dot = |p: usize, q: usize| sum(&a_parts[p][x.clone()], &b_parts[q][y.clone()]);
            *element = match complex {
                false => [dot(0, 0), 0.0],
                true => [dot(0, 0) - dot(1, 1), dot(0, 1) + dot(1, 0)],
            };
        }
    };
    if n == 0 || share == 0 {
        return result;
    }
    std::thread::scope(|scope| {
        for (index, part) in result.chunks_mut(share * n).enumerate() {
            match share == a.rows {
                true => work(0, part),
                false => {
                    let work = &work;
                    scope.spawn(move || work(index * share, part));
                }
            }
        }
    });
    result
}

/// `alpha * a * b + beta * c`; `c` is not read if `beta` is 0.
pub fn product(
    a: &Dense,
    b: &Dense,
    [alpha, beta]: [Number; 2],
    c: Option<&Dense>,
    double: bool,
    complex: bool,
) -> Dense {
    let mut elements = match double {
        true => in_type::<f64>(a, b, complex),
        false => in_type::<f32>(a, b, complex),
    };
    for (index, element) in elements.iter_mut().enumerate() {
        *element = mul(alpha, *element);
        if let Some(c) = c.filter(|_| beta != [0.0; 2]) {
            *element = add(*element, mul(beta, c.elements[index]));
        }
    }
    Dense { rows: a.rows, columns: b.columns, elements }
}
