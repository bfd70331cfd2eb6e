//! Matrix product on the host, by `matrixmultiply`. Factors are packed as numbers of the accumulator type.
//!
//! The summation order of an element depends on the number of terms and on the processor's vector instructions, but
//! not on the number of threads. So results are deterministic on a given processor.

use crate::kind::{Number, SumType, add, mul};
use crate::matrix::{Dense, Matrix, Operation, Packed};
use crate::status::Result;

/// A factor of a product.
pub trait FactorSource {
    /// Packs the factor.
    ///
    /// # Errors
    /// If its memory is not inside one allocation.
    fn pack<T: SumType>(&self) -> Result<Packed<T>>;
}

impl FactorSource for Dense {
    fn pack<T: SumType>(&self) -> Result<Packed<T>> {
        let elements = self.elements.iter().map(|element| T::of(*element)).collect();
        Ok(Packed::new(self.rows, self.columns, true, elements))
    }
}

/// A matrix in memory, after an operation, with its name for messages.
impl FactorSource for (Matrix, Operation, &str) {
    fn pack<T: SumType>(&self) -> Result<Packed<T>> {
        self.0.pack(self.1, self.2)
    }
}

/// Minimum number of multiplications for which several threads share a product.
const SHARED_WORK: usize = 1 << 20;

/// A B, row by row.
fn multiply<T: SumType>(a: &Packed<T>, b: &Packed<T>) -> Vec<T> {
    assert_eq!(a.columns, b.rows, "the factors fit");
    assert!(a.is_whole() && b.is_whole(), "the factors have all elements");
    let (m, k, n) = (a.rows, a.columns, b.columns);
    let mut result = vec![T::default(); m * n];
    if result.is_empty() {
        return result;
    }
    let workers = match m.saturating_mul(n).saturating_mul(k) < SHARED_WORK {
        true => 1,
        false => std::thread::available_parallelism().map_or(1, |count| count.get()),
    };
    let share = m.div_ceil(workers);
    let work = |first: usize, part: &mut [T]| {
        // Without columns there are no elements to point to.
        let start = if k == 0 { 0 } else { first * a.down };
        let strides = |packed: &Packed<T>| [packed.down as isize, packed.across as isize];
        let extents = [part.len() / n, k, n];
        let (from, b) =
            ((a.elements[start..].as_ptr(), strides(a)), (b.elements.as_ptr(), strides(b)));
        // SAFETY: both factors have all elements of their strides, asserted above; `part` has the rows of A from `first` on.
        unsafe { T::multiply(extents, from, b, part.as_mut_ptr()) }
    };
    if workers == 1 {
        work(0, &mut result);
        return result;
    }
    std::thread::scope(|scope| {
        for (index, part) in result.chunks_mut(share * n).enumerate() {
            let work = &work;
            scope.spawn(move || work(index * share, part));
        }
    });
    result
}

/// `alpha * a * b + beta * c`, summed in single or double precision; `c` is not read if `beta` is 0.
///
/// # Errors
/// If the memory of a factor is not inside one allocation.
pub fn product(
    a: &impl FactorSource,
    b: &impl FactorSource,
    scalars: [Number; 2],
    c: Option<&Dense>,
    double: bool,
    complex: bool,
) -> Result<Dense> {
    match (double, complex) {
        (false, false) => product_in::<f32>(a, b, scalars, c),
        (true, false) => product_in::<f64>(a, b, scalars, c),
        (false, true) => product_in::<[f32; 2]>(a, b, scalars, c),
        (true, true) => product_in::<[f64; 2]>(a, b, scalars, c),
    }
}

fn product_in<T: SumType>(
    a: &impl FactorSource,
    b: &impl FactorSource,
    [alpha, beta]: [Number; 2],
    c: Option<&Dense>,
) -> Result<Dense> {
    let (a, b) = (a.pack::<T>()?, b.pack::<T>()?);
    let sums = multiply(&a, &b).into_iter().map(|sum| mul(alpha, sum.number()));
    let elements = match c.filter(|_| beta != [0.0; 2]) {
        Some(c) => sums.zip(&c.elements).map(|(sum, c)| add(sum, mul(beta, *c))).collect(),
        None => sums.collect(),
    };
    Ok(Dense { rows: a.rows, columns: b.columns, elements })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(rows: usize, columns: usize, seed: usize) -> Dense {
        let number = |at: usize| ((at * 37 + seed) % 17) as f64 - 8.0;
        let elements = (0..rows * columns).map(|at| [number(at), number(at + 5)]).collect();
        Dense { rows, columns, elements }
    }

    #[test]
    fn products_match_naive_sums_in_every_type_on_any_number_of_threads() {
        // Threads share the last one.
        for (m, k, n) in [(1, 1, 1), (3, 0, 2), (0, 4, 2), (7, 19, 5), (101, 103, 107)] {
            let (a, b, c) = (numbers(m, k, 1), numbers(k, n, 2), numbers(m, n, 3));
            for (double, complex) in [(false, false), (false, true), (true, false), (true, true)] {
                let part = |[re, im]: Number| [re, if complex { im } else { 0.0 }];
                let scalars = [[2.0, 0.0], [-1.0, 0.0]];
                let found = product(&a, &b, scalars, Some(&c), double, complex).expect("packs");
                for (index, found) in found.elements.iter().enumerate() {
                    let (row, column) = (index / n, index % n);
                    let terms = (0..k).map(|at| {
                        let [x, y] = [a.elements[row * k + at], b.elements[at * n + column]];
                        mul(part(x), part(y))
                    });
                    let sum = terms.fold([0.0; 2], add);
                    let expected = add(mul(scalars[0], sum), mul(scalars[1], c.elements[index]));
                    // Small integers are exact.
                    assert_eq!(*found, expected, "{m} {k} {n} {double} {complex}");
                }
            }
        }
    }
}
