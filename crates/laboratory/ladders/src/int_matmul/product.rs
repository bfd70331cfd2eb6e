//! The integer product as a problem: its matrices on a device, its grid, and the host reference.

use lanework::{Buffer, Dim3, Error, Result};

/// A product on a device. Matrices are stored by rows.
pub struct Product {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Edge of the tile: 1, 2, 4, 8, 16, 32 or 64.
    pub tile: u32,
    /// `m * k` elements.
    pub a: Buffer<i32>,
    /// `k * n` elements.
    pub b: Buffer<i32>,
    /// `m * n` elements.
    pub c: Buffer<i32>,
}

/// The tiles with kernels.
pub const TILES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

impl Product {
    /// The grid of blocks that each compute `rows` x `cols` elements of C.
    ///
    /// # Errors
    /// If an index would not fit 32 bits, or the grid would exceed its limit in y.
    pub(super) fn grid(&self, rows: u32, cols: u32) -> Result<Dim3> {
        let refuse = |why: String, help: &str| {
            let help = help.to_owned();
            Err(Error::Launch { kernel: "int-matmul".to_owned(), why, help })
        };
        let largest = [(self.m, self.k), (self.k, self.n), (self.m, self.n)]
            .map(|(rows, cols)| u64::from(rows) * u64::from(cols));
        // Tiles may extend past the edges until the kernel tests their extents.
        if largest.into_iter().any(|elements| elements > u64::from(u32::MAX)) {
            return refuse(
                format!("a matrix of {:?} elements needs indices above 32 bits", largest),
                "compute the product in parts of under 2^32 elements",
            );
        }
        let (x, y) = (self.n.div_ceil(cols), self.m.div_ceil(rows));
        if y > 65535 {
            return refuse(
                format!("{y} tiles along the grid's y, the limit is 65535"),
                "use a larger tile, or compute the product in parts",
            );
        }
        Ok(Dim3::from((x, y)))
    }
}

/// The product on the host: the reference for every rung.
pub fn on_host(a: &[i32], b: &[i32], m: usize, n: usize, k: usize) -> Vec<i32> {
    let mut c = vec![0i32; m * n];
    for i in 0..m {
        let row = &mut c[i * n..][..n];
        for p in 0..k {
            let left = a[i * k + p];
            for (sum, right) in row.iter_mut().zip(&b[p * n..][..n]) {
                *sum = sum.wrapping_add(left.wrapping_mul(*right));
            }
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_product_adds_rows_times_columns_and_wraps() {
        assert_eq!(on_host(&[1, 2, 3, 4], &[5, 6, 7, 8], 2, 2, 2), [19, 22, 43, 50]);
        assert_eq!(on_host(&[i32::MAX], &[2], 1, 1, 1), [-2]);
    }
}
