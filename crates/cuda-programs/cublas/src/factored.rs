//! Batches of small systems by factors of LU, and of QR: `getrf`, `getrs`, `getri`, `matinv` and `geqrf`.

use crate::export::export;
use crate::factor::{inverse, lu, qr};
use crate::gemm::Batch;
use crate::handle;
use crate::kind::Kind;
use crate::matrix::{Dense, Matrix, Operation};
use crate::status::{Result, Status, refuse};
use crate::triangular::{Triangle, solve};
use lanework_standin::{Memory, submit, write};

/// The matrix of an index of a list of pointers.
fn of_list(matrix: Matrix, index: usize) -> Result<Matrix> {
    Ok(Matrix { at: Batch::Pointers.address(matrix.at, index)?, ..matrix })
}

fn extent(value: i64, what: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => refuse(Status::InvalidValue, &format!("{what} is negative: {value}")),
    }
}

/// Where the exchanges of a matrix of a batch are stored, as integers from 1.
fn write_pivots(at: usize, index: usize, pivots: &[usize]) -> Result {
    let bytes: Vec<u8> =
        pivots.iter().flat_map(|pivot| (*pivot as i32 + 1).to_le_bytes()).collect();
    Ok(write(at + index * bytes.len(), &bytes, "the pivots")?)
}

/// The exchanges of a matrix of a batch; in order where there are none.
fn read_pivots(at: usize, index: usize, order: usize) -> Result<Vec<usize>> {
    if at == 0 {
        return Ok((0..order).collect());
    }
    let memory = Memory { at: at + index * 4 * order, bytes: 4 * order };
    // SAFETY: the pivots are read at once.
    let bytes = unsafe { memory.bytes("the pivots") }?;
    let words =
        bytes.chunks_exact(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let pivots: Option<Vec<usize>> = words
        .map(|word| usize::try_from(word).ok().filter(|pivot| (1..=order).contains(pivot)))
        .map(|pivot| Some(pivot? - 1))
        .collect();
    match pivots {
        Some(pivots) => Ok(pivots),
        None => refuse(
            Status::InvalidValue,
            &format!("a pivot is not in 1 to {order}; pass what getrfBatched stored"),
        ),
    }
}

fn write_info(at: usize, index: usize, info: usize) -> Result {
    Ok(write(at + 4 * index, &(info as i32).to_le_bytes(), "info")?)
}

unsafe fn getrf([kind]: [Kind; 1], [h, n, a, lda, pivots, info, count]: [i64; 7]) -> Result {
    let held = handle::get(h)?;
    let (a, count) =
        (Matrix::by_columns(a as usize, kind, n, n, lda)?, extent(count, "the batch")?);
    let (pivots, info) = (pivots as usize, info as usize);
    submit(held.stream, move || {
        for index in 0..count {
            let at = of_list(a, index)?;
            let mut dense = at.read("A")?;
            let (exchanged, singular) = lu(&mut dense, pivots != 0);
            at.write(&dense, "A")?;
            if pivots != 0 {
                write_pivots(pivots, index, &exchanged)?;
            }
            write_info(info, index, singular)?;
        }
        Ok(())
    })
}

unsafe fn getrs(
    [kind]: [Kind; 1],
    [h, operation, n, columns, a, lda, pivots, b, ldb, info, count]: [i64; 11],
) -> Result {
    let held = handle::get(h)?;
    let operation = Operation::of(operation as i32)?;
    let a = Matrix::by_columns(a as usize, kind, n, n, lda)?;
    let b = Matrix::by_columns(b as usize, kind, n, columns, ldb)?;
    let (pivots, count) = (pivots as usize, extent(count, "the batch")?);
    if info == 0 {
        return refuse(Status::InvalidValue, "info, an integer of the host, is null");
    }
    // SAFETY: by the caller: an integer of the host. Every argument was fit.
    unsafe { (info as usize as *mut i32).write_unaligned(0) };
    submit(held.stream, move || {
        for index in 0..count {
            let (factors, at) = (of_list(a, index)?.read_as(operation, "A")?, of_list(b, index)?);
            let pivots = read_pivots(pivots, index, a.rows)?;
            let mut x = at.read("B")?;
            // Of L U, whose L has a diagonal of 1, or of the transposes.
            let lower = Triangle { left: true, lower: true, unit: !operation.transposed };
            let upper = Triangle { left: true, lower: false, unit: operation.transposed };
            let exchange = |x: &mut Dense, row: usize| {
                for column in 0..x.columns {
                    x.elements.swap(row * x.columns + column, pivots[row] * x.columns + column);
                }
            };
            if operation.transposed {
                solve(&factors, lower, &mut x);
                solve(&factors, upper, &mut x);
                (0..pivots.len()).rev().for_each(|row| exchange(&mut x, row));
            } else {
                (0..pivots.len()).for_each(|row| exchange(&mut x, row));
                solve(&factors, lower, &mut x);
                solve(&factors, upper, &mut x);
            }
            at.write(&x, "B")?;
        }
        Ok(())
    })
}

unsafe fn getri(
    [kind]: [Kind; 1],
    [h, n, a, lda, pivots, c, ldc, info, count]: [i64; 9],
) -> Result {
    let held = handle::get(h)?;
    let a = Matrix::by_columns(a as usize, kind, n, n, lda)?;
    let c = Matrix::by_columns(c as usize, kind, n, n, ldc)?;
    let (pivots, info, count) = (pivots as usize, info as usize, extent(count, "the batch")?);
    submit(held.stream, move || {
        for index in 0..count {
            let factors = of_list(a, index)?.read("A")?;
            let pivots = read_pivots(pivots, index, a.rows)?;
            invert(&factors, &pivots, of_list(c, index)?, (info, index))?;
        }
        Ok(())
    })
}

/// Stores an inverse, and which pivot is 0, if one is.
fn invert(factors: &Dense, pivots: &[usize], to: Matrix, (info, index): (usize, usize)) -> Result {
    let zero =
        (0..factors.rows).find(|row| factors.elements[row * (factors.columns + 1)] == [0.0; 2]);
    to.write(&inverse(factors, pivots), "C")?;
    write_info(info, index, zero.map_or(0, |row| row + 1))
}

unsafe fn matinv([kind]: [Kind; 1], [h, n, a, lda, c, ldc, info, count]: [i64; 8]) -> Result {
    let held = handle::get(h)?;
    if n > 32 {
        return refuse(
            Status::InvalidValue,
            &format!(
                "matinvBatched inverts up to 32 rows, not {n}; use getrfBatched and getriBatched"
            ),
        );
    }
    let a = Matrix::by_columns(a as usize, kind, n, n, lda)?;
    let c = Matrix::by_columns(c as usize, kind, n, n, ldc)?;
    let (info, count) = (info as usize, extent(count, "the batch")?);
    submit(held.stream, move || {
        for index in 0..count {
            let mut factors = of_list(a, index)?.read("A")?;
            let (pivots, _) = lu(&mut factors, true);
            invert(&factors, &pivots, of_list(c, index)?, (info, index))?;
        }
        Ok(())
    })
}

unsafe fn geqrf([kind]: [Kind; 1], [h, m, n, a, lda, tau, info, count]: [i64; 8]) -> Result {
    let held = handle::get(h)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let (tau, count) = (
        Matrix::by_columns(tau as usize, kind, m.min(n), 1, m.min(n).max(1))?,
        extent(count, "the batch")?,
    );
    if info == 0 {
        return refuse(Status::InvalidValue, "info, an integer of the host, is null");
    }
    // SAFETY: by the caller: an integer of the host. Every argument was fit.
    unsafe { (info as usize as *mut i32).write_unaligned(0) };
    submit(held.stream, move || {
        for index in 0..count {
            let at = of_list(a, index)?;
            let mut dense = at.read("A")?;
            let elements = qr(&mut dense);
            at.write(&dense, "A")?;
            let scales = of_list(tau, index)?;
            scales.write(&Dense { rows: scales.rows, columns: 1, elements }, "tau")?;
        }
        Ok(())
    })
}

/// Names without a form for 64-bit extents.
macro_rules! narrow {
    ($function:path, $arguments:tt: $([$name:ident $kind:ident])*) => {
        $(export!(@one $function, i32, $name, [$kind], $arguments);)*
    };
}

narrow!(getrf, (h ptr, n int, a ptr, lda int, pivots ptr, info ptr, count int):
    [cublasSgetrfBatched F32] [cublasDgetrfBatched F64] [cublasCgetrfBatched C32] [cublasZgetrfBatched C64]);
narrow!(getrs, (h ptr, t opt, n int, columns int, a ptr, lda int, pivots ptr, b ptr, ldb int, info ptr, count int):
    [cublasSgetrsBatched F32] [cublasDgetrsBatched F64] [cublasCgetrsBatched C32] [cublasZgetrsBatched C64]);
narrow!(getri, (h ptr, n int, a ptr, lda int, pivots ptr, c ptr, ldc int, info ptr, count int):
    [cublasSgetriBatched F32] [cublasDgetriBatched F64] [cublasCgetriBatched C32] [cublasZgetriBatched C64]);
narrow!(matinv, (h ptr, n int, a ptr, lda int, c ptr, ldc int, info ptr, count int):
    [cublasSmatinvBatched F32] [cublasDmatinvBatched F64] [cublasCmatinvBatched C32] [cublasZmatinvBatched C64]);
narrow!(geqrf, (h ptr, m int, n int, a ptr, lda int, tau ptr, info ptr, count int):
    [cublasSgeqrfBatched F32] [cublasDgeqrfBatched F64] [cublasCgeqrfBatched C32] [cublasZgeqrfBatched C64]);
