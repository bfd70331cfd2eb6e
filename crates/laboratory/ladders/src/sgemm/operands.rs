//! The operands of a product, its grids, and the element-wise loads and stores that rungs share.

use lanework::prelude::*;
use lanework::{Dim3, Error, Result};

/// Extents and leading dimensions of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and of C.
    pub m: u32,
    /// Columns of B and of C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Elements from one row of A to the next, at least k.
    pub lda: u32,
    /// Elements from one row of B to the next, at least n.
    pub ldb: u32,
    /// Elements from one row of C to the next, at least n.
    pub ldc: u32,
}

/// The operands of `C = alpha A B + beta C` on a device.
pub struct Operands {
    /// Extents and leading dimensions.
    pub shape: Shape,
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of the old C; if it is 0, C is not read.
    pub beta: f32,
    /// The first factor: m rows of k elements at a stride of `lda`.
    pub a: Buffer<f32>,
    /// The second factor: k rows of n elements at a stride of `ldb`.
    pub b: Buffer<f32>,
    /// The result: m rows of n elements at a stride of `ldc`.
    pub c: Buffer<f32>,
}

impl Shape {
    /// A product of matrices with contiguous rows.
    pub fn packed(m: u32, n: u32, k: u32) -> Self {
        Shape { m, n, k, lda: k, ldb: n, ldc: n }
    }

    /// Floating-point operations: k multiplications and additions for each element of C, and three
    /// to scale and add the old C.
    pub fn flops(self) -> u64 {
        u64::from(self.m) * u64::from(self.n) * (2 * u64::from(self.k) + 3)
    }

    /// Minimum number of elements of A, B and C; the last row ends after its last element.
    pub fn elements(self) -> [u64; 3] {
        let span = |rows: u32, ld: u32, cols: u32| match rows {
            0 => 0,
            _ => (u64::from(rows) - 1) * u64::from(ld) + u64::from(cols),
        };
        let Shape { m, n, k, lda, ldb, ldc } = self;
        [span(m, lda, k), span(k, ldb, n), span(m, ldc, n)]
    }
}

impl Operands {
    /// Whether C is read.
    pub(super) fn reads_c(&self) -> bool {
        self.beta != 0.0
    }

    /// Whether rows of A, B and C can be read and written four elements at a time: each starts at a multiple of 16
    /// bytes and consists of float4s.
    pub(super) fn wide(&self) -> (bool, bool, bool) {
        let Shape { n, k, lda, ldb, ldc, .. } = self.shape;
        let float4s = |cols: u32, ld: u32| cols.is_multiple_of(4) && ld.is_multiple_of(4);
        (float4s(k, lda), float4s(n, ldb), float4s(n, ldc))
    }

    /// Whether all extents are multiples of `tile_m` x `tile_n` x `tile_k`, so that no edge test is
    /// needed.
    pub(super) fn is_multiple_of_tile(&self, (tile_m, tile_n, tile_k): (u32, u32, u32)) -> bool {
        let Shape { m, n, k, .. } = self.shape;
        m > 0
            && n > 0
            && m.is_multiple_of(tile_m)
            && n.is_multiple_of(tile_n)
            && k.is_multiple_of(tile_k)
    }

    /// The grid of tiles of `rows` x `cols` elements that covers C, x along its columns.
    ///
    /// # Errors
    /// If the buffers are too short for the shape, an index would not fit 32 bits, or the grid would exceed its limit
    /// in y.
    pub(super) fn tiles(&self, rows: u32, cols: u32) -> Result<Dim3> {
        let Shape { m, n, k, lda, ldb, ldc } = self.shape;
        let refuse = |why: String, help: &str| Error::Launch {
            kernel: "sgemm".to_owned(),
            why,
            help: help.to_owned(),
        };
        let matrices = [
            ("A", m, k, lda, self.a.len()),
            ("B", k, n, ldb, self.b.len()),
            ("C", m, n, ldc, self.c.len()),
        ];
        for ((name, lines, width, ld, length), needed) in
            matrices.into_iter().zip(self.shape.elements())
        {
            if ld < width {
                let why = format!("rows of {name} have {width} elements but a stride of {ld}");
                return Err(refuse(why, "pass a leading dimension of at least the row's length"));
            }
            if (length as u64) < needed {
                let why = format!("{name} needs {needed} elements and its buffer has {length}");
                return Err(refuse(why, "make the buffer longer, or correct the extents"));
            }
            // A block computes indices at most this far past the last row before its edge test.
            const OVERHANG: u64 = 1024;
            if (u64::from(lines) + OVERHANG) * u64::from(ld) > u64::from(u32::MAX) {
                let why = format!(
                    "{lines} rows of {name} at a stride of {ld} need indices above 32 bits"
                );
                return Err(refuse(why, "multiply the matrices in parts of under 2^32 elements"));
            }
        }
        let grid = Dim3::from((n.div_ceil(cols).max(1), m.div_ceil(rows).max(1)));
        if grid.y > 65535 {
            let why = format!("{} tiles along the grid's y, the limit is 65535", grid.y);
            return Err(refuse(why, "multiply the matrices in parts of fewer rows"));
        }
        Ok(grid)
    }
}

/// The value to store to C: the scaled product plus the scaled old C, which is read only where
/// `beta` is not 0, since NaN times 0 is NaN.
#[device]
pub(super) fn scaled(
    product: f32,
    alpha: f32,
    beta: f32,
    c: &[f32],
    at: u32,
    #[constant] reads_c: bool,
) -> f32 {
    if reads_c { beta.mul_add(c[at], alpha * product) } else { alpha * product }
}

/// Element (`row`, `col`) of a matrix of `rows` x `cols` elements, or 0 outside it. Without `edge`
/// there is no test.
#[device]
pub(super) fn element(
    x: &[f32],
    row: u32,
    col: u32,
    rows: u32,
    cols: u32,
    ld: u32,
    #[constant] edge: bool,
) -> f32 {
    if !edge || row < rows && col < cols { x[row * ld + col] } else { 0.0 }
}

/// Elements `col` to `col + 3` of row `row`, with 0 for those outside the matrix; in one access
/// where rows are `wide`, that is, consist of aligned float4s.
#[device]
pub(super) fn load_float4(
    x: &[f32],
    row: u32,
    col: u32,
    rows: u32,
    cols: u32,
    ld: u32,
    #[constant] wide: bool,
    #[constant] edge: bool,
) -> [f32; 4] {
    let mut four = [0.0f32; 4];
    if !wide {
        #[unroll]
        for i in 0..4 {
            four[i] = element(&x, row, col + i, rows, cols, ld, edge);
        }
    } else if !edge || row < rows && col < cols {
        four = x.load4(row * ld + col);
    }
    four
}

/// Writes `sums`, scaled, to the existing elements among `col` to `col + 3` of row `row` of C.
#[device]
pub(super) fn store_float4(
    c: &mut [f32],
    row: u32,
    col: u32,
    rows: u32,
    cols: u32,
    ld: u32,
    sums: &[f32; 4],
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] wide: bool,
    #[constant] edge: bool,
) {
    let at = row * ld + col;
    if !wide {
        #[unroll]
        for i in 0..4 {
            if !edge || row < rows && col + i < cols {
                c[at + i] = scaled(sums[i], alpha, beta, &c, at + i, reads_c);
            }
        }
    } else if !edge || row < rows && col < cols {
        let mut four = [alpha * sums[0], alpha * sums[1], alpha * sums[2], alpha * sums[3]];
        if reads_c {
            let before = c.load4(at);
            #[unroll]
            for i in 0..4 {
                four[i] = beta.mul_add(before[i], four[i]);
            }
        }
        c.store4(at, four);
    }
}
