//! Running transpose rungs: fit, prove, count.

use crate::element::with_bits;
use crate::inputs::random_elements;
use crate::verify::{Mismatch, compare_transpose};
use lanework::{Device, Element, Error, Profile, Result};
use lanework_kernels::Rung;
use lanework_kernels::transpose::Matrices;

/// A transpose rung for elements `E`.
pub type TransposeRung<E> = Rung<Matrices<E>>;

/// The shape of a matrix and the edge of the block that works on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
    /// Edge of the square block.
    pub block: u32,
}

impl Matrix {
    /// Number of elements.
    pub fn elements(self) -> usize {
        self.rows as usize * self.cols as usize
    }
}

/// Whether a transpose of this shape, of elements of this size, is possible on `device`: a block it can run, memory it has.
///
/// # Errors
/// What does not fit, and what would.
pub fn check_transpose_fits(device: &Device, matrix: Matrix, element_bytes: usize) -> Result<()> {
    let refuse = |why: String, help: String| {
        Err(Error::Launch { kernel: "transpose".to_owned(), why, help })
    };
    let Matrix { rows, cols, block } = matrix;
    let most = device.info().max_threads_per_block;
    if block == 0 || u64::from(block) * u64::from(block) > u64::from(most) {
        return refuse(
            format!(
                "a block of {block}x{block} has {} threads, a block has 1 to {most}",
                u64::from(block) * u64::from(block)
            ),
            format!("use a block edge of 1 to {}", most.isqrt()),
        );
    }
    if rows == 0 || cols == 0 {
        return refuse(
            format!("a matrix of {rows}x{cols} has no elements"),
            "give at least one row and one column".to_owned(),
        );
    }
    let needed = 2 * u64::from(rows) * u64::from(cols) * element_bytes as u64;
    let (free, _) = device.memory()?;
    if needed > free {
        return refuse(
            format!(
                "{rows}x{cols} elements of {} bytes and their transpose need {:.1} GB, {} has {:.1} GB free",
                element_bytes,
                needed as f64 / 1e9,
                device.info().name,
                free as f64 / 1e9
            ),
            "use a smaller matrix or a device with more memory".to_owned(),
        );
    }
    Ok(())
}

/// Uploads `src` and a poisoned place for its transpose.
pub(crate) fn place<E: Element>(
    device: &Device,
    src: &[E],
    Matrix { rows, cols, block }: Matrix,
) -> Result<Matrices<E>> {
    let mut on_device = device.uninit_named(src.len(), "src")?;
    on_device.upload(src)?;
    let mut matrices =
        Matrices { rows, cols, block, src: on_device, dst: device.uninit_named(src.len(), "dst")? };
    poison(&mut matrices)?;
    Ok(matrices)
}

/// Fills the destination with bytes that no run has written.
pub(crate) fn poison<E: Element>(matrices: &mut Matrices<E>) -> Result<()> {
    matrices.dst.fill_bytes(0xCD)
}

/// The transpose of `src` by one rung on `device`.
///
/// # Errors
/// When the rung cannot run at this shape, or a run goes wrong.
pub fn transpose_with<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    src: &[E],
    matrix: Matrix,
) -> Result<Vec<E>> {
    let mut matrices = place(device, src, matrix)?;
    (rung.prepare)(&mut matrices, device)?.launch()?;
    matrices.dst.download()
}

/// The transpose, by the rung called `name`, of elements of `element_bytes` bytes each (1, 2, 4 or
/// 8), compared with the host's.
///
/// # Errors
/// When the shape does not fit the device or the rung cannot run. The inner error says what differs
/// from the host's transpose.
///
/// # Panics
/// When there is no such rung, or `src` is not a whole matrix.
pub fn transpose_bytes(
    name: &str,
    device: &Device,
    src: &[u8],
    element_bytes: usize,
    matrix: Matrix,
) -> Result<Result<Vec<u8>, Mismatch>> {
    check_transpose_fits(device, matrix, element_bytes)?;
    with_bits!(element_bytes, E => {
        let rungs = lanework_kernels::transpose::rungs::<E>();
        let rung = rungs.iter().find(|rung| rung.info.name == name).expect("a rung's name");
        let mut elements: Vec<E> = vec![0; matrix.elements()];
        bytemuck::cast_slice_mut(&mut elements).copy_from_slice(src);
        let dst = transpose_with(rung, device, &elements, matrix)?;
        let compared =
            compare_transpose(&elements, &dst, matrix.rows as usize, matrix.cols as usize);
        Ok(compared.map(|()| bytemuck::cast_slice(&dst).to_vec()))
    })
}

/// Runs the rung on fresh random elements of this shape and compares every element.
///
/// # Errors
/// A device error, or in words what differs.
pub fn prove_transpose<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    matrix: Matrix,
    seed: u64,
) -> Result<(), String> {
    let src: Vec<E> = random_elements(matrix.elements(), seed);
    let dst = transpose_with(rung, device, &src, matrix).map_err(|error| error.to_string())?;
    let Matrix { rows, cols, .. } = matrix;
    compare_transpose(&src, &dst, rows as usize, cols as usize)
        .map_err(|mismatch| format!("at {rows}x{cols}: {mismatch}"))
}

/// Counts one run of the rung on the emulator, over all blocks or a sample of about `most`.
pub(crate) fn count<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    matrices: &mut Matrices<E>,
    blocks: lanework::sim::Blocks,
) -> Result<Profile> {
    (rung.prepare)(matrices, device)?.profile(blocks)
}
