//! Two factors and their product on a device, in a rung's layout.

use lanework::{Buffer, Device, Dim3, Error, Result};

/// Edge of the tiles of rungs with a fixed tile, and the multiple for zero-padding.
pub(super) const TILE: u32 = 16;
/// Threads per block of the rungs with blocks of one dimension.
pub(super) const THREADS: u32 = 256;

/// The three extents of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Rows of A and of C.
    pub m: u32,
    /// Columns of B and of C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// The memory layout of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Contiguous rows.
    Packed,
    /// Each row starts at a multiple of the device's alignment.
    Pitched,
    /// Rows and columns are padded with zeros to a multiple of the tile.
    ZeroPadded,
}

/// A matrix in a buffer.
pub struct Matrix {
    /// The elements, row by row, with the padding between rows.
    pub buffer: Buffer<f32>,
    /// Rows, without padding.
    pub rows: u32,
    /// Columns, without padding.
    pub cols: u32,
    /// Elements from the start of one row to the start of the next.
    pub pitch: u32,
}

/// Two factors and the buffer for their product.
pub struct Matrices {
    /// The extents of the product.
    pub extents: Extents,
    /// Edge of the square block, and of the tile unless the rung has a fixed one.
    pub block: u32,
    /// The first factor, m x k.
    pub a: Matrix,
    /// The second factor, k x n.
    pub b: Matrix,
    /// The product, m x n.
    pub c: Matrix,
}

impl Extents {
    /// Floating-point operations of the product: a multiplication and an addition per step.
    pub fn flops(self) -> u64 {
        2 * u64::from(self.m) * u64::from(self.n) * u64::from(self.k)
    }

    /// Bytes of the three matrices; each must be moved once.
    pub fn bytes(self) -> u64 {
        let [m, n, k] = [self.m, self.n, self.k].map(u64::from);
        4 * (m * k + k * n + m * n)
    }
}

impl Matrix {
    /// A zeroed buffer for a matrix.
    ///
    /// # Errors
    /// If an index would not fit 32 bits, or the device has too little memory.
    pub fn zeros(device: &Device, rows: u32, cols: u32, layout: Layout) -> Result<Self> {
        let (lines, pitch) = match layout {
            Layout::Packed => (rows, cols),
            Layout::Pitched => (rows, device.row_pitch::<f32>(cols as usize) as u32),
            Layout::ZeroPadded => (rows.next_multiple_of(TILE), cols.next_multiple_of(TILE)),
        };
        let elements = u64::from(lines) * u64::from(pitch);
        // A block may compute indices past the last row and column before its edge test.
        if elements + 1024 * u64::from(pitch) > u64::from(u32::MAX) {
            return Err(refusal(
                format!("{rows}x{cols} elements need indices above 32 bits"),
                "multiply the matrices in parts of under 2^32 elements",
            ));
        }
        Ok(Matrix { buffer: device.zeros(elements as usize)?, rows, cols, pitch })
    }

    /// Replaces the matrix, without the padding between its rows.
    ///
    /// # Errors
    /// If the driver rejects the copy.
    ///
    /// # Panics
    /// If `host` is not the whole matrix.
    pub fn upload(&mut self, host: &[f32]) -> Result<()> {
        self.buffer.upload_2d(host, self.cols as usize, self.pitch as usize)
    }

    /// The matrix, without the padding between its rows.
    ///
    /// # Errors
    /// Any error of a launch that had not been reported yet.
    pub fn download(&self) -> Result<Vec<f32>> {
        let mut host = vec![0.0; self.rows as usize * self.cols as usize];
        self.buffer.download_2d(&mut host, self.cols as usize, self.pitch as usize)?;
        Ok(host)
    }
}

impl Matrices {
    /// Uploads the factors to a device and allocates their product.
    ///
    /// # Errors
    /// If an index would not fit 32 bits, or the device has too little memory.
    ///
    /// # Panics
    /// If `a` or `b` is not the whole matrix.
    pub fn place(
        device: &Device,
        extents: Extents,
        block: u32,
        layout: Layout,
        (a, b): (&[f32], &[f32]),
    ) -> Result<Self> {
        let Extents { m, n, k } = extents;
        let mut matrices = Matrices {
            extents,
            block,
            a: Matrix::zeros(device, m, k, layout)?,
            b: Matrix::zeros(device, k, n, layout)?,
            c: Matrix::zeros(device, m, n, layout)?,
        };
        matrices.a.upload(a)?;
        matrices.b.upload(b)?;
        matrices.poison()?;
        Ok(matrices)
    }

    /// Fills the product with NaN.
    ///
    /// # Errors
    /// If the driver rejects the fill.
    pub fn poison(&mut self) -> Result<()> {
        self.c.buffer.fill_bytes(0xFF)
    }

    /// One block of [`THREADS`] threads per `THREADS` elements of C.
    pub(super) fn line_of_blocks(&self) -> Dim3 {
        let elements = u64::from(self.extents.m) * u64::from(self.extents.n);
        Dim3::from(elements.div_ceil(THREADS.into()) as u32)
    }

    /// The grid of `tile` x `tile` tiles that covers C, x along its columns.
    ///
    /// # Errors
    /// If the device does not allow such a block, or the grid would exceed its limit in y.
    pub(super) fn tiles(&self, device: &Device, tile: u32) -> Result<Dim3> {
        let most = device.info().max_threads_per_block;
        let threads = u64::from(tile) * u64::from(tile);
        if tile == 0 || threads > most.into() {
            return Err(refusal(
                format!(
                    "a tile of {tile}x{tile} with a thread per element needs a block of {threads} \
                     threads, and a block has 1 to {most}"
                ),
                "use a tile of 8, 16 or 32; the ladder `sgemm` gives each thread several elements",
            ));
        }
        let grid = Dim3::from((self.extents.n.div_ceil(tile), self.extents.m.div_ceil(tile)));
        if grid.y > 65535 {
            return Err(refusal(
                format!("{} tiles along the grid's y, the limit is 65535", grid.y),
                "use a larger block, or multiply the matrices in parts",
            ));
        }
        Ok(grid)
    }

    /// Bytes of shared memory for a row of A.
    ///
    /// # Errors
    /// If it exceeds the limit of a block.
    pub(super) fn row_bytes(&self, device: &Device) -> Result<u32> {
        let (_, most) = device.info().shared_per_block;
        match self.extents.k.checked_mul(4).filter(|bytes| *bytes <= most) {
            Some(bytes) => Ok(bytes),
            None => Err(refusal(
                format!(
                    "a row of {} elements does not fit the {most} bytes of shared memory that a \
                     block can have",
                    self.extents.k
                ),
                "use `blocked`, whose tiles do not grow with the matrix",
            )),
        }
    }
}

fn refusal(why: String, help: &str) -> Error {
    Error::Launch { kernel: "matmul".to_owned(), why, help: help.to_owned() }
}
