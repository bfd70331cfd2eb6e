//! The transpose: any element type, moved bit for bit.

use crate::families::family::{CUBLAS, Family, Solver, cublas};
use crate::problem::{Case, Request, Trial, check_countable};
use crate::record::HostRecord;
use lanework::{Cublas, Device, Element, Error, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::transpose::{self, Bits, Matrices};
use lanework_ladders::{Rung, RungInfo};
use lanework_verify::host::{Array, ElementType, random_elements};
use lanework_verify::{compare_transpose, with_bits};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A transpose rung for elements `E`.
pub type TransposeRung<E> = Rung<Matrices<E>>;

pub(super) fn family() -> Family {
    Family {
        peer: Some(PEER),
        parameters: &["size", "rows", "cols", "block"],
        elements: &[
            "f32", "f64", "f16", "bf16", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64",
        ],
        arrays: &["input"],
        moves: true,
        sweep: &[("block", &[8, 16, 32]), ("size", &[512, 1024, 2048])],
        unused: &[(
            "block",
            &["library", "registers", "swizzled", "tma", "vectorized", "windows", "cublas"],
        )],
        ..Family::new(transpose::ladder, open)
    }
}

/// cuBLAS's out-of-place transpose.
const PEER: RungInfo = cublas(
    "peer",
    "//! Idea: cublasSgeam of the installed cuBLAS, on f32.\n\
     //! 思路：已安装的 cuBLAS 的 cublasSgeam，仅 f32。\n\
     //! Predicts: nothing; the rungs are compared with it.\n\
     //! 预测：无；它是其他各级的比较对象。\n\
     //! Costs: a toolkit on the machine.\n\
     //! 代价：机器上必须装有 CUDA 工具包。\n",
);

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

/// A matrix of elements that have the bits of `E`.
struct Transpose<E> {
    matrix: Matrix,
    element: ElementType,
    seed: u64,
    /// The elements, drawn on first use, so that a case costs nothing until it runs.
    src: OnceCell<Vec<E>>,
}

impl<E: Element> Transpose<E> {
    fn src(&self) -> &[E] {
        self.src.get_or_init(|| random_elements(self.matrix.elements(), self.seed))
    }
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let element = request.element("f32");
    let block = request.u32("block", 32)?;
    let held = request.arrays.get("input").map(|input| input.matrix("input")).transpose()?;
    let mut extents = request.extents(1024);
    let rows = extents.next_u32("rows", held.map(|(rows, _)| ("input", rows)))?;
    let cols = extents.next_u32("cols", held.map(|(_, cols)| ("input", cols)))?;
    extents.finish()?;
    check_countable("transpose", &[(rows, cols)])?;
    let matrix = Matrix { rows, cols, block };
    if matrix.rows == 0 || matrix.cols == 0 {
        return Err(Error::Launch {
            kernel: "transpose".to_owned(),
            why: format!("a matrix of {}x{} has no elements", matrix.rows, matrix.cols),
            help: "give at least one row and one column".to_owned(),
        });
    }
    with_bits!(element.bytes, E => {
        let given = request.arrays.get("input").map(|input| OnceCell::from(input.elements::<E>()));
        let src = given.unwrap_or_default();
        Ok(Box::new(Transpose { matrix, element, seed: request.seed, src }))
    })
}

impl<E: Bits> Case for Transpose<E> {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("rows", self.matrix.rows.into()), ("cols", self.matrix.cols.into())]
    }

    fn settings(&self) -> Vec<(&'static str, u64)> {
        vec![("block", self.matrix.block.into())]
    }

    fn element(&self) -> &'static str {
        self.element.name
    }

    fn work(&self) -> Work {
        Work { bytes: 2 * (self.matrix.elements() * size_of::<E>()) as u64, flops: 0 }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let block = self.matrix.block;
        let (element, seed) = (self.element, self.seed.wrapping_add(1));
        let of = |rows, cols| -> Box<dyn Case> {
            let matrix = Matrix { rows, cols, block };
            Box::new(Transpose::<E> { matrix, element, seed, src: OnceCell::new() })
        };
        // Odd extents, and extents for rungs that need whole 16-byte chunks.
        let even = |extent: u32| extent.next_multiple_of(16);
        vec![of(2 * block + 5, 3 * block + 1), of(even(2 * block + 5), even(3 * block + 1))]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        check_transpose_fits(device, self.matrix, size_of::<E>())
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        if rung != CUBLAS {
            let shape = (self.matrix.rows, self.matrix.cols);
            return transpose::refuses(rung, device, size_of::<E>(), shape);
        }
        let foreign = (self.element.name != "f32").then(|| "cublasSgeam moves f32 only".to_owned());
        foreign.or_else(|| Cublas::missing(device))
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        Ok(Box::new(TransposeTrial {
            case: self,
            solver: Solver::named(rung, E::rungs(), device)?,
            device: device.clone(),
            matrices: place(device, self.src(), self.matrix)?,
        }))
    }

    fn host(&self) -> Option<HostRecord> {
        let (rows, cols) = (self.matrix.rows as usize, self.matrix.cols as usize);
        Some(HostRecord::time("B7", || {
            std::hint::black_box(transpose::on_host(self.src(), rows, cols));
        }))
    }
}

/// A rung with its matrices on a device.
struct TransposeTrial<'a, E: Element> {
    case: &'a Transpose<E>,
    solver: Solver<Matrices<E>>,
    device: Device,
    matrices: Matrices<E>,
}

impl<E: Bits> Trial for TransposeTrial<'_, E> {
    fn poison(&mut self) -> Result<()> {
        self.matrices.dst.fill_bytes(0xCD)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        let matrices = &mut self.matrices;
        match &self.solver {
            Solver::Rung(rung) => Ok((rung.prepare)(matrices, &self.device)?.into()),
            Solver::Cublas(cublas) => {
                let Matrices { rows, cols, src, dst, .. } = matrices;
                Ok(cublas.transpose(*rows, *cols, src, dst))
            }
        }
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let mut dst = self.matrices.dst.download()?;
        let mut src = Cow::Borrowed(self.case.src());
        if matches!(self.solver, Solver::Cublas(_)) {
            // It multiplies by one, which canonicalizes NaNs.
            quiet(src.to_mut());
            quiet(&mut dst);
        }
        let Matrix { rows, cols, .. } = self.case.matrix;
        compare_transpose(&src, &dst, rows as usize, cols as usize)
            .map_err(|mismatch| Rejection::Wrong(format!("at {rows}x{cols}: {mismatch}")))?;
        Ok(Accuracy::BitExact)
    }

    fn output(&self) -> Result<Array> {
        let Matrix { rows, cols, .. } = self.case.matrix;
        let dst = self.matrices.dst.download()?;
        Ok(Array::new(&[cols.into(), rows.into()], self.case.element, &dst))
    }
}

/// Canonicalizes NaNs in f32.
fn quiet<E: Element>(elements: &mut [E]) {
    for bits in bytemuck::cast_slice_mut::<E, u32>(elements) {
        if f32::from_bits(*bits).is_nan() {
            *bits = f32::NAN.to_bits();
        }
    }
}

/// Checks that `device` can run a block of this shape and has memory for a transpose of elements of this size.
///
/// # Errors
/// If it does not fit; the error says what would.
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
    let needed = 2 * u64::from(rows) * u64::from(cols) * element_bytes as u64;
    let what = format!("{rows}x{cols} elements of {element_bytes} bytes and their transpose");
    crate::problem::check_memory(device, "transpose", &what, needed)
}

/// Uploads `src` and allocates a poisoned output.
fn place<E: Element>(
    device: &Device,
    src: &[E],
    Matrix { rows, cols, block }: Matrix,
) -> Result<Matrices<E>> {
    let mut on_device = device.uninit_named(src.len(), "src")?;
    on_device.upload(src)?;
    let mut dst = device.uninit_named(src.len(), "dst")?;
    dst.fill_bytes(0xCD)?;
    Ok(Matrices { rows, cols, block, src: on_device, dst })
}

/// The transpose of `src` by one rung on `device`.
///
/// # Errors
/// If the rung cannot run at this shape, or a run fails.
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

/// Runs the rung on fresh random elements of this shape and compares every element.
///
/// # Errors
/// A device error, or a description of the differences.
pub fn verify_transpose<E: Element>(
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
