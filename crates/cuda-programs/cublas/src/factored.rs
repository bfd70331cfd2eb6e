//! Factorizations and solutions: batched small systems by LU and QR (LAPACK's `getrf`, `getrs`, `getri` and `geqrf`, unblocked; `matinv`), and
//! triangular systems by substitution. Computes in double precision and rounds once when storing.

use crate::gemm::Batch;
use crate::kind::{ElementType, Number, add, div, export, mul};
use crate::matrix::{Dense, Matrix, Operation};
use crate::{Result, Status, handle, refuse};
use lanework_standin::{Memory, submit, write};

/// The matrix at position `index` of a list of pointers.
fn of_list(matrix: Matrix, index: usize) -> Result<Matrix> {
    Ok(Matrix { at: Batch::Pointers.address(matrix.at, index)?, ..matrix })
}

fn extent(value: i64, what: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => refuse(Status::InvalidValue, &format!("{what} is negative: {value}")),
    }
}

/// Stores the row exchanges of one matrix of a batch, as integers from 1.
fn write_pivots(at: usize, index: usize, pivots: &[usize]) -> Result {
    let bytes: Vec<u8> =
        pivots.iter().flat_map(|pivot| (*pivot as i32 + 1).to_le_bytes()).collect();
    Ok(write(at + index * bytes.len(), &bytes, "the pivots")?)
}

/// Reads the row exchanges of one matrix of a batch; without a pivot array, no row is exchanged.
fn read_pivots(at: usize, index: usize, order: usize) -> Result<Vec<usize>> {
    if at == 0 {
        return Ok((0..order).collect());
    }
    let memory = Memory { at: at + index * 4 * order, bytes: 4 * order };
    // SAFETY: the pivots are copied out of the slice immediately, and stream order excludes writers until then.
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
            &format!("a pivot is not in 1 to {order}; pass the pivots that getrfBatched stored"),
        ),
    }
}

fn write_info(at: usize, index: usize, info: usize) -> Result {
    Ok(write(at + 4 * index, &(info as i32).to_le_bytes(), "info")?)
}

unsafe fn getrf([kind]: [ElementType; 1], [h, n, a, lda, pivots, info, count]: [i64; 7]) -> Result {
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
    [kind]: [ElementType; 1],
    [h, operation, n, columns, a, lda, pivots, b, ldb, info, count]: [i64; 11],
) -> Result {
    let held = handle::get(h)?;
    let operation = Operation::of(operation as i32)?;
    let a = Matrix::by_columns(a as usize, kind, n, n, lda)?;
    let b = Matrix::by_columns(b as usize, kind, n, columns, ldb)?;
    let (pivots, count) = (pivots as usize, extent(count, "the batch")?);
    if info == 0 {
        return refuse(Status::InvalidValue, "info, an integer in host memory, is null");
    }
    // SAFETY: not null, so by `export`'s contract an `int`. `info` of this function is in host memory in either pointer mode.
    // 0 means that every argument is valid.
    unsafe { (info as usize as *mut i32).write_unaligned(0) };
    submit(held.stream, move || {
        for index in 0..count {
            let (factors, at) = (of_list(a, index)?.read_as(operation, "A")?, of_list(b, index)?);
            let pivots = read_pivots(pivots, index, a.rows)?;
            let mut x = at.read("B")?;
            // A = L U, where L has a unit diagonal. In the transposed product, U^T comes first and
            // L^T keeps the unit diagonal.
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
    [kind]: [ElementType; 1],
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

/// Stores an inverse, and in `info` the number of the first zero pivot, from 1 (0: none).
fn invert(factors: &Dense, pivots: &[usize], to: Matrix, (info, index): (usize, usize)) -> Result {
    let zero =
        (0..factors.rows).find(|row| factors.elements[row * (factors.columns + 1)] == [0.0; 2]);
    to.write(&inverse(factors, pivots), "C")?;
    write_info(info, index, zero.map_or(0, |row| row + 1))
}

unsafe fn matinv(
    [kind]: [ElementType; 1],
    [h, n, a, lda, c, ldc, info, count]: [i64; 8],
) -> Result {
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

unsafe fn geqrf([kind]: [ElementType; 1], [h, m, n, a, lda, tau, info, count]: [i64; 8]) -> Result {
    let held = handle::get(h)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let (tau, count) = (
        Matrix::by_columns(tau as usize, kind, m.min(n), 1, m.min(n).max(1))?,
        extent(count, "the batch")?,
    );
    if info == 0 {
        return refuse(Status::InvalidValue, "info, an integer in host memory, is null");
    }
    // SAFETY: not null, so by `export`'s contract an `int`. `info` of this function is in host memory in either pointer mode.
    // 0 means that every argument is valid.
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

/// Exports functions that have no variant with 64-bit extents.
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

fn minus(a: Number) -> Number {
    [-a[0], -a[1]]
}

/// The magnitude by which LAPACK chooses pivots: |re| + |im|.
fn size(a: Number) -> f64 {
    a[0].abs() + a[1].abs()
}

impl Dense {
    fn get(&self, row: usize, column: usize) -> Number {
        self.elements[row * self.columns + column]
    }

    fn set(&mut self, row: usize, column: usize, value: Number) {
        self.elements[row * self.columns + column] = value;
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.elements.swap(a * self.columns + column, b * self.columns + column);
        }
    }
}

/// Factors A in place. Returns the row exchanged with each row, and the number, from 1, of the first pivot that is 0 (0: none).
pub fn lu(a: &mut Dense, pivoting: bool) -> (Vec<usize>, usize) {
    let order = a.rows;
    let (mut pivots, mut singular) = (Vec::new(), 0);
    for step in 0..order {
        let mut pivot = step;
        for row in step + 1..if pivoting { order } else { step } {
            if size(a.get(row, step)) > size(a.get(pivot, step)) {
                pivot = row;
            }
        }
        pivots.push(pivot);
        if a.get(pivot, step) == [0.0; 2] {
            singular = if singular == 0 { step + 1 } else { singular };
            continue;
        }
        a.swap_rows(step, pivot);
        for row in step + 1..order {
            let factor = div(a.get(row, step), a.get(step, step));
            a.set(row, step, factor);
            for column in step + 1..order {
                let less = mul(factor, a.get(step, column));
                a.set(row, column, add(a.get(row, column), minus(less)));
            }
        }
    }
    (pivots, singular)
}

/// Computes the inverse from the factors and the row exchanges. Also divides by zero pivots: programs that ignore
/// `info` then get infinities and NaNs, which show that the matrix is singular.
pub fn inverse(factors: &Dense, pivots: &[usize]) -> Dense {
    let order = factors.rows;
    let mut result = identity(order);
    for (row, pivot) in pivots.iter().enumerate() {
        result.swap_rows(row, *pivot);
    }
    for column in 0..order {
        for row in 0..order {
            let known = (0..row).map(|k| mul(factors.get(row, k), result.get(k, column)));
            let sum = known.fold(result.get(row, column), |sum, term| add(sum, minus(term)));
            result.set(row, column, sum);
        }
        for row in (0..order).rev() {
            let known = (row + 1..order).map(|k| mul(factors.get(row, k), result.get(k, column)));
            let sum = known.fold(result.get(row, column), |sum, term| add(sum, minus(term)));
            result.set(row, column, div(sum, factors.get(row, row)));
        }
    }
    result
}

fn identity(order: usize) -> Dense {
    let mut result = Dense { rows: order, columns: order, elements: vec![[0.0; 2]; order * order] };
    (0..order).for_each(|index| result.set(index, index, [1.0, 0.0]));
    result
}

/// Factors A in place into R and, below it, the vectors of the reflections. Returns the scales of the reflections (tau).
pub fn qr(a: &mut Dense) -> Vec<Number> {
    let steps = a.rows.min(a.columns);
    (0..steps).map(|step| reflect(a, step)).collect()
}

/// Zeroes a column below the diagonal by one reflection (LAPACK's `larfg`), and applies its conjugate to the columns after it. Returns the
/// scale.
fn reflect(a: &mut Dense, step: usize) -> Number {
    let first = a.get(step, step);
    let below = (step + 1..a.rows).flat_map(|row| a.get(row, step)).map(|part| part * part);
    let below = below.sum::<f64>().sqrt();
    if below == 0.0 && first[1] == 0.0 {
        return [0.0; 2];
    }
    let length = first[0].hypot(first[1]).hypot(below);
    let diagonal = if first[0] >= 0.0 { -length } else { length };
    let tau = [(diagonal - first[0]) / diagonal, -first[1] / diagonal];
    let scale = div([1.0, 0.0], [first[0] - diagonal, first[1]]);
    for row in step + 1..a.rows {
        a.set(row, step, mul(scale, a.get(row, step)));
    }
    a.set(step, step, [diagonal, 0.0]);
    let conjugate = |[re, im]: Number| [re, -im];
    for column in step + 1..a.columns {
        let vector = |row: usize| if row == step { [1.0, 0.0] } else { a.get(row, step) };
        let terms = (step..a.rows).map(|row| mul(conjugate(vector(row)), a.get(row, column)));
        let dot = mul(conjugate(tau), terms.fold([0.0; 2], add));
        let less: Vec<Number> = (step..a.rows).map(|row| minus(mul(vector(row), dot))).collect();
        for (row, less) in (step..a.rows).zip(less) {
            a.set(row, column, add(a.get(row, column), less));
        }
    }
    tau
}

/// Shape of a triangular factor, and its side in the product.
#[derive(Clone, Copy)]
pub struct Triangle {
    pub left: bool,
    pub lower: bool,
    pub unit: bool,
}

/// Solves `A X = B` or `X A = B`; X overwrites B.
pub fn solve(a: &Dense, shape: Triangle, b: &mut Dense) {
    let order = a.rows;
    let Triangle { left, lower, unit } = shape;
    let factor = |row: usize, column: usize| a.elements[row * a.columns + column];
    // From the left, an unknown depends on the ones above it if the triangle is lower; from the right, on the ones
    // after it.
    let forwards = lower == left;
    let others = if left { b.columns } else { b.rows };
    for other in 0..others {
        let place = |index: usize| match left {
            true => index * b.columns + other,
            false => other * b.columns + index,
        };
        for step in 0..order {
            let index = if forwards { step } else { order - 1 - step };
            let mut rest: Number = b.elements[place(index)];
            for known in (0..step).map(|step| if forwards { step } else { order - 1 - step }) {
                let coefficient = if left { factor(index, known) } else { factor(known, index) };
                let [re, im] = mul(coefficient, b.elements[place(known)]);
                rest = add(rest, [-re, -im]);
            }
            b.elements[place(index)] = if unit { rest } else { div(rest, factor(index, index)) };
        }
    }
}
