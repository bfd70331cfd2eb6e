//! Matrix products: single, batched, and of mixed types. `matrixmultiply` computes them on the host; factors are packed as
//! numbers of the accumulator type.
//!
//! The summation order of an element depends on the number of terms and on the processor's vector instructions, but
//! not on the number of threads. So results are deterministic on a given processor.

use crate::handle::{self, Scalar};
use crate::kind::{ElementType, Number, SumType, add, element, export, is_double, mul};
use crate::matrix::{Dense, Matrix, Operation, Packed};
use crate::{Result, Status, refuse};
use lanework_standin::{Memory, submit};

/// Placement of the matrices of a batch.
#[derive(Clone, Copy)]
pub enum Batch {
    /// A constant stride in bytes.
    Strided(usize),
    /// A list of pointers in device memory.
    Pointers,
}

impl Batch {
    /// The address of the matrix at an index.
    ///
    /// # Errors
    /// If the list of pointers is not allocated.
    pub fn address(self, start: usize, index: usize) -> Result<usize> {
        match self {
            Batch::Strided(bytes) => Ok(start.wrapping_add(index.wrapping_mul(bytes))),
            Batch::Pointers => {
                let pointer = Memory { at: start + 8 * index, bytes: 8 };
                // SAFETY: the pointer is copied out of the slice immediately, and stream order excludes writers until
                // then.
                let bytes = unsafe { pointer.bytes("a list of pointers") }?;
                Ok(usize::from_le_bytes(bytes.try_into().map_err(|_| Status::Internal)?))
            }
        }
    }
}

/// A matrix product, or a batch of them.
#[derive(Clone, Copy)]
pub struct Product {
    pub a: (Matrix, Operation),
    pub b: (Matrix, Operation),
    pub c: Matrix,
    pub batches: [Batch; 3],
    pub count: usize,
    pub scalars: [Scalar; 2],
    /// Whether sums use double precision.
    pub double: bool,
}

impl Product {
    /// Computes all products.
    ///
    /// # Errors
    /// If a matrix is not inside one allocation.
    pub fn run(&self) -> Result {
        let [alpha, beta] = [self.scalars[0].value()?, self.scalars[1].value()?];
        let complex = self.a.0.kind.is_complex || self.b.0.kind.is_complex;
        for index in 0..self.count {
            let at = |matrix: Matrix, batch: usize| -> Result<Matrix> {
                Ok(Matrix { at: self.batches[batch].address(matrix.at, index)?, ..matrix })
            };
            let a = (at(self.a.0, 0)?, self.a.1, "A");
            let b = (at(self.b.0, 1)?, self.b.1, "B");
            let c = at(self.c, 2)?;
            let before = if beta == [0.0; 2] { None } else { Some(c.read("C")?) };
            c.write(&product(&a, &b, [alpha, beta], before.as_ref(), self.double, complex)?, "C")?;
        }
        Ok(())
    }
}

/// Maps a `cublasComputeType_t` to the type of the scalars and whether sums use double precision.
///
/// # Errors
/// If the code is unknown, or does not fit real or complex elements.
pub fn compute(code: i32, complex: bool) -> Result<(ElementType, bool)> {
    Ok(match (code, complex) {
        (64 | 65, false) => (ElementType::F16, false),
        (68 | 69 | 74 | 75 | 77 | 78, false) => (ElementType::F32, false),
        (68 | 69 | 74 | 75 | 77 | 78, true) => (ElementType::C32, false),
        (70 | 71, false) => (ElementType::F64, true),
        (70 | 71, true) => (ElementType::C64, true),
        (72 | 73, false) => (ElementType::I32, true),
        _ => {
            return refuse(
                Status::NotSupported,
                &format!("cublasComputeType_t {code} is not supported for these elements"),
            );
        }
    })
}

/// The arguments common to all gemm functions.
struct Gemm {
    handle: i64,
    operations: [i64; 2],
    extents: [i64; 3],
    scalars: [i64; 2],
    addresses: [i64; 3],
    leading: [i64; 3],
}

/// The types of A, B and C and of the scalars, and whether sums use double precision.
struct GemmTypes {
    kinds: [ElementType; 3],
    scale: ElementType,
    double: bool,
}

impl GemmTypes {
    /// All of one type.
    fn of(kind: ElementType) -> GemmTypes {
        GemmTypes { kinds: [kind; 3], scale: kind, double: is_double(kind) }
    }

    /// From the codes of the types of A, B and C, and of the sums.
    fn mixed(codes: [i64; 3], code: i64) -> Result<GemmTypes> {
        let kinds = kinds(codes)?;
        let (scale, double) = compute(code as i32, kinds[2].is_complex)?;
        Ok(GemmTypes { kinds, scale, double })
    }
}

impl Gemm {
    /// Reads the arguments of plain gemm, in cuBLAS's order.
    fn new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]: [i64; 14]) -> Gemm {
        Gemm {
            handle,
            operations: [ta, tb],
            extents: [m, n, k],
            scalars: [alpha, beta],
            addresses: [a, b, c],
            leading: [lda, ldb, ldc],
        }
    }

    unsafe fn submit(self, form: GemmTypes, batches: [Batch; 3], count: i64) -> Result {
        let held = handle::get(self.handle)?;
        let [ta, tb] =
            [Operation::of(self.operations[0] as i32)?, Operation::of(self.operations[1] as i32)?];
        let ([m, n, k], [a, b, c]) = (self.extents, self.addresses.map(|at| at as usize));
        let ([lda, ldb, ldc], [ka, kb, kc]) = (self.leading, form.kinds);
        // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
        let scalars = unsafe {
            [held.scalar(self.scalars[0], form.scale)?, held.scalar(self.scalars[1], form.scale)?]
        };
        let product = Product {
            a: (Matrix::factor(a, ka, ta, m, k, lda)?, ta),
            b: (Matrix::factor(b, kb, tb, k, n, ldb)?, tb),
            c: Matrix::by_columns(c, kc, m, n, ldc)?,
            batches,
            count: usize::try_from(count).map_err(|_| Status::InvalidValue)?,
            scalars,
            double: form.double,
        };
        submit(held.stream, move || product.run())
    }
}

const ONE: [Batch; 3] = [Batch::Strided(0); 3];

unsafe fn gemm([kind]: [ElementType; 1], arguments: [i64; 14]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { Gemm::new(arguments).submit(GemmTypes::of(kind), ONE, 1) }
}

unsafe fn gemm_batched(
    [kind]: [ElementType; 1],
    [handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count]: [i64; 15],
) -> Result {
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(GemmTypes::of(kind), [Batch::Pointers; 3], count) }
}

fn strides(strides: [i64; 3], kinds: [ElementType; 3]) -> [Batch; 3] {
    [0, 1, 2]
        .map(|index| Batch::Strided((strides[index] as usize).wrapping_mul(kinds[index].bytes())))
}

unsafe fn gemm_strided(
    [kind]: [ElementType; 1],
    [handle, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count]: [i64; 18],
) -> Result {
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(GemmTypes::of(kind), strides([sa, sb, sc], [kind; 3]), count) }
}

fn kinds(codes: [i64; 3]) -> Result<[ElementType; 3]> {
    let [a, b, c] = codes.map(|code| element(code as i32));
    Ok([a?, b?, c?])
}

unsafe fn gemm_ex(
    _: [ElementType; 0],
    [handle, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, code, _]: [i64; 19],
) -> Result {
    let form = GemmTypes::mixed([at, bt, ct], code)?;
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(form, ONE, 1) }
}

unsafe fn gemm_batched_ex(
    _: [ElementType; 0],
    [handle, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, count, code, _]: [i64; 20],
) -> Result {
    let form = GemmTypes::mixed([at, bt, ct], code)?;
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(form, [Batch::Pointers; 3], count) }
}

#[rustfmt::skip]
unsafe fn gemm_strided_ex(
    _: [ElementType; 0],
    [handle, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count, code, _]: [i64; 23],
) -> Result {
    let form = GemmTypes::mixed([at, bt, ct], code)?;
    let batches = strides([sa, sb, sc], form.kinds);
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(form, batches, count) }
}

/// A product of mixed element types, with scalars of type `scale`.
unsafe fn gemm_of(
    [scale]: [ElementType; 1],
    [handle, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc]: [i64; 17],
) -> Result {
    let form = GemmTypes { kinds: kinds([at, bt, ct])?, scale, double: false };
    let gemm = Gemm::new([handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]);
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { gemm.submit(form, ONE, 1) }
}

export!(gemm, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasSgemm_v2 cublasSgemm_v2_64 F32] [cublasDgemm_v2 cublasDgemm_v2_64 F64]
    [cublasCgemm_v2 cublasCgemm_v2_64 C32] [cublasZgemm_v2 cublasZgemm_v2_64 C64] [cublasHgemm cublasHgemm_64 F16]
    [cublasCgemm3m cublasCgemm3m_64 C32] [cublasZgemm3m cublasZgemm3m_64 C64]);

export!(gemm_batched, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int, count int):
    [cublasSgemmBatched cublasSgemmBatched_64 F32] [cublasDgemmBatched cublasDgemmBatched_64 F64]
    [cublasCgemmBatched cublasCgemmBatched_64 C32] [cublasZgemmBatched cublasZgemmBatched_64 C64]
    [cublasHgemmBatched cublasHgemmBatched_64 F16]);

export!(gemm_strided, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, lda int, sa long, b ptr, ldb int, sb long, beta ptr, c ptr, ldc int, sc long, count int):
    [cublasSgemmStridedBatched cublasSgemmStridedBatched_64 F32] [cublasDgemmStridedBatched cublasDgemmStridedBatched_64 F64]
    [cublasCgemmStridedBatched cublasCgemmStridedBatched_64 C32] [cublasZgemmStridedBatched cublasZgemmStridedBatched_64 C64]
    [cublasHgemmStridedBatched cublasHgemmStridedBatched_64 F16]);

export!(gemm_ex, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, at opt, lda int, b ptr, bt opt, ldb int, beta ptr, c ptr, ct opt, ldc int, compute opt, algo opt):
    [cublasGemmEx cublasGemmEx_64]);

export!(gemm_batched_ex, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, at opt, lda int, b ptr, bt opt, ldb int, beta ptr, c ptr, ct opt, ldc int, count int, compute opt, algo opt):
    [cublasGemmBatchedEx cublasGemmBatchedEx_64]);

export!(gemm_strided_ex, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, at opt, lda int, sa long, b ptr, bt opt, ldb int, sb long, beta ptr, c ptr, ct opt, ldc int, sc long, count int, compute opt, algo opt):
    [cublasGemmStridedBatchedEx cublasGemmStridedBatchedEx_64]);

export!(gemm_of, (h ptr, ta opt, tb opt, m int, n int, k int, alpha ptr, a ptr, at opt, lda int, b ptr, bt opt, ldb int, beta ptr, c ptr, ct opt, ldc int):
    [cublasSgemmEx cublasSgemmEx_64 F32] [cublasCgemmEx cublasCgemmEx_64 C32]);

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
