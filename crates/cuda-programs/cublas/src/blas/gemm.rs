//! Matrix products: single, batched, and of mixed types.

use crate::blas::product::product;
use crate::export::export;
use crate::handle;
use crate::handle::Scalar;
use crate::kind::{ElementType, element, is_double};
use crate::matrix::{Matrix, Operation};
use crate::status::{Result, Status, refuse};
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
