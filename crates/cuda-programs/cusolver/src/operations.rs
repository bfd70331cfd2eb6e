//! Factorizations and solutions on device matrices, in stream order.

use crate::algorithms::factor::{Transposition, cholesky, lu, solve_cholesky, solve_lu};
use crate::algorithms::factor::{form_q, multiply_left, multiply_right, qr};
use crate::matrix::{DeviceMatrix, Element, Matrix, Number};
use crate::{Result, Status, refuse};
use lanework_standin::{Memory, submit, write};

/// The common arguments of all calls: the element type, the stream, and the address of `devInfo`, or 0.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub element: Element,
    pub stream: usize,
    pub info: usize,
}

impl Call {
    /// Stores `devInfo`: 0, or the step (from 1) at which the computation stopped.
    ///
    /// # Errors
    /// If `devInfo` is not allocated.
    pub fn store_info(&self, info: usize) -> Result {
        match self.info {
            0 => Ok(()),
            at => Ok(write(at, &(info as i32).to_le_bytes(), "devInfo")?),
        }
    }
}

/// The pivots of an LU factorization on the device: row numbers from 1, of 4 or 8 bytes (`wide`). Address 0 means LU
/// without pivoting.
#[derive(Clone, Copy, Debug)]
pub struct Pivots {
    pub at: usize,
    pub wide: bool,
}

impl Pivots {
    fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    fn store(self, pivots: &[usize]) -> Result {
        if self.at == 0 {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for pivot in pivots {
            bytes.extend(&(*pivot as u64 + 1).to_le_bytes()[..self.bytes()]);
        }
        Ok(write(self.at, &bytes, "the pivots")?)
    }

    fn load(self, count: usize) -> Result<Vec<usize>> {
        if self.at == 0 {
            return Ok((0..count).collect());
        }
        let bytes = Memory { at: self.at, bytes: count * self.bytes() }.read("the pivots")?;
        let number = |bytes: &[u8]| {
            let mut own = [0; 8];
            own[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(own) as usize
        };
        let pivots: Vec<usize> =
            bytes.chunks_exact(self.bytes()).map(|bytes| number(bytes).wrapping_sub(1)).collect();
        if pivots.iter().any(|pivot| *pivot >= count) {
            let why = format!("the pivots are not those of getrf for {count} rows");
            return refuse(Status::InvalidValue, &why);
        }
        Ok(pivots)
    }
}

/// Factors A = P L U.
///
/// # Errors
/// If memory is not allocated, or the stream does not exist.
pub fn getrf(call: Call, a: DeviceMatrix, pivots: Pivots) -> Result {
    submit(call.stream, move || {
        let mut factors = a.load(call.element, "A")?;
        let (exchanged, singular) = lu(&mut factors, pivots.at != 0);
        a.store(call.element, &factors, "A")?;
        pivots.store(&exchanged)?;
        call.store_info(singular)
    })
}

/// Solves with the factors of [`getrf`].
///
/// # Errors
/// As [`getrf`].
pub fn getrs(
    call: Call,
    form: Transposition,
    a: DeviceMatrix,
    pivots: Pivots,
    b: DeviceMatrix,
) -> Result {
    submit(call.stream, move || {
        let mut x = b.load(call.element, "B")?;
        let factors = a.load(call.element, "A")?;
        solve_lu(&factors, &pivots.load(a.rows)?, form, &mut x);
        b.store(call.element, &x, "B")?;
        call.store_info(0)
    })
}

/// Factors A = L L* or U* U (Cholesky).
///
/// # Errors
/// As [`getrf`].
pub fn potrf(call: Call, upper: bool, a: DeviceMatrix) -> Result {
    submit(call.stream, move || {
        let mut factor = a.load(call.element, "A")?;
        let failed = cholesky(&mut factor, upper);
        a.store(call.element, &factor, "A")?;
        call.store_info(failed)
    })
}

/// Solves with the factor of [`potrf`].
///
/// # Errors
/// As [`getrf`].
pub fn potrs(call: Call, upper: bool, a: DeviceMatrix, b: DeviceMatrix) -> Result {
    submit(call.stream, move || {
        let mut x = b.load(call.element, "B")?;
        solve_cholesky(&a.load(call.element, "A")?, upper, &mut x);
        b.store(call.element, &x, "B")?;
        call.store_info(0)
    })
}

/// Computes one triangle of the inverse from the factor of [`potrf`].
///
/// # Errors
/// As [`getrf`].
pub fn potri(call: Call, upper: bool, a: DeviceMatrix) -> Result {
    submit(call.stream, move || {
        let mut factor = a.load(call.element, "A")?;
        let zero = (0..a.rows).find(|&at| factor.get(at, at) == Number::ZERO);
        if let Some(at) = zero {
            return call.store_info(at + 1);
        }
        let mut inverse = Matrix::identity(a.rows, a.rows);
        solve_cholesky(&factor, upper, &mut inverse);
        for column in 0..a.rows {
            for row in 0..a.rows {
                let in_triangle = if upper { row <= column } else { row >= column };
                if in_triangle {
                    factor.set(row, column, inverse.get(row, column));
                }
            }
        }
        a.store(call.element, &factor, "A")?;
        call.store_info(0)
    })
}

/// Factors A = Q R: stores R and, below it, the vectors of the reflections; their scales go to `tau`.
///
/// # Errors
/// As [`getrf`].
pub fn geqrf(call: Call, a: DeviceMatrix, tau: usize) -> Result {
    submit(call.stream, move || {
        let mut factors = a.load(call.element, "A")?;
        let taus = qr(&mut factors);
        a.store(call.element, &factors, "A")?;
        let taus = Matrix::of(taus.len(), 1, |row, _| taus[row]);
        DeviceMatrix::vector(tau, taus.rows).store(call.element, &taus, "tau")?;
        call.store_info(0)
    })
}

/// Reads the scales of reflections.
fn taus(call: Call, at: usize, count: usize) -> Result<Vec<Number>> {
    Ok(DeviceMatrix::vector(at, count).load(call.element, "tau")?.column(0).to_vec())
}

/// Overwrites the reflections of [`geqrf`] with the columns of Q.
///
/// # Errors
/// As [`getrf`], and if there are more reflections than columns, or more columns than rows.
pub fn orgqr(call: Call, a: DeviceMatrix, count: usize, tau: usize) -> Result {
    if count > a.columns || a.columns > a.rows {
        let why =
            format!("{count} reflections, {} columns and {} rows do not fit", a.columns, a.rows);
        return refuse(Status::InvalidValue, &why);
    }
    submit(call.stream, move || {
        let factors = a.load(call.element, "A")?;
        let q = form_q(&factors, &taus(call, tau, count)?, a.columns);
        a.store(call.element, &q, "A")?;
        call.store_info(0)
    })
}

/// Multiplies C by Q or its adjoint, from the left or the right.
///
/// # Errors
/// As [`getrf`], and if there are more reflections than rows of Q.
pub fn ormqr(
    call: Call,
    right: bool,
    form: Transposition,
    a: DeviceMatrix,
    tau: usize,
    c: DeviceMatrix,
) -> Result {
    let count = a.columns;
    if count > a.rows {
        let why = format!("{count} reflections are more than the {} rows of Q", a.rows);
        return refuse(Status::InvalidValue, &why);
    }
    if form == Transposition::Transposed && call.element.is_complex {
        return refuse(Status::InvalidValue, "complex Q takes the operations N and C, not T");
    }
    let adjoint = form != Transposition::Plain;
    submit(call.stream, move || {
        let (factors, mut c_here) = (a.load(call.element, "A")?, c.load(call.element, "C")?);
        let taus = taus(call, tau, count)?;
        if right {
            c_here = multiply_right(&factors, &taus, adjoint, &c_here);
        } else {
            multiply_left(&factors, &taus, adjoint, &mut c_here);
        }
        c.store(call.element, &c_here, "C")?;
        call.store_info(0)
    })
}
