//! Factorisations and what is solved with them, on matrices of the device, in the order of a stream.

use crate::element::{Element, Number};
use crate::factor::{Form, cholesky, lu, solve_cholesky, solve_lu};
use crate::matrix::{Matrix, Place};
use crate::reflections::{form_q, multiply_left, multiply_right, qr};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, submit, write};

/// What a call works with: the type of its elements, its stream, and where it tells how it went.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub element: Element,
    pub stream: usize,
    pub info: usize,
}

impl Call {
    /// Tells how it went: 0, or where it stopped.
    ///
    /// # Errors
    /// When the place is not in an allocation.
    pub fn tell(&self, info: usize) -> Result {
        match self.info {
            0 => Ok(()),
            at => Ok(write(at, &(info as i32).to_le_bytes(), "devInfo")?),
        }
    }
}

/// Where exchanges of rows are: numbers of 4 or 8 bytes from 1; nowhere for LU without pivoting.
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
            let why = format!("the pivots are not those of getrf of {count} rows");
            return refuse(Status::InvalidValue, &why);
        }
        Ok(pivots)
    }
}

/// LU.
///
/// # Errors
/// When memory is not allocated, or the stream is not there; so below.
pub fn getrf(call: Call, a: Place, pivots: Pivots) -> Result {
    submit(call.stream, move || {
        let mut factors = a.load(call.element, "A")?;
        let (exchanged, singular) = lu(&mut factors, pivots.at != 0);
        a.store(call.element, &factors, "A")?;
        pivots.store(&exchanged)?;
        call.tell(singular)
    })
}

/// Solves with LU.
///
/// # Errors
/// As [`getrf`].
pub fn getrs(call: Call, form: Form, a: Place, pivots: Pivots, b: Place) -> Result {
    submit(call.stream, move || {
        let mut x = b.load(call.element, "B")?;
        let factors = a.load(call.element, "A")?;
        solve_lu(&factors, &pivots.load(a.rows)?, form, &mut x);
        b.store(call.element, &x, "B")?;
        call.tell(0)
    })
}

/// Cholesky's factor.
///
/// # Errors
/// As [`getrf`].
pub fn potrf(call: Call, upper: bool, a: Place) -> Result {
    submit(call.stream, move || {
        let mut factor = a.load(call.element, "A")?;
        let failed = cholesky(&mut factor, upper);
        a.store(call.element, &factor, "A")?;
        call.tell(failed)
    })
}

/// Solves with Cholesky's factor.
///
/// # Errors
/// As [`getrf`].
pub fn potrs(call: Call, upper: bool, a: Place, b: Place) -> Result {
    submit(call.stream, move || {
        let mut x = b.load(call.element, "B")?;
        solve_cholesky(&a.load(call.element, "A")?, upper, &mut x);
        b.store(call.element, &x, "B")?;
        call.tell(0)
    })
}

/// The inverse by Cholesky's factor, one triangle of it.
///
/// # Errors
/// As [`getrf`].
pub fn potri(call: Call, upper: bool, a: Place) -> Result {
    submit(call.stream, move || {
        let mut factor = a.load(call.element, "A")?;
        let zero = (0..a.rows).find(|&at| factor.get(at, at) == Number::ZERO);
        if let Some(at) = zero {
            return call.tell(at + 1);
        }
        let mut inverse = Matrix::identity(a.rows, a.rows);
        solve_cholesky(&factor, upper, &mut inverse);
        for column in 0..a.rows {
            for row in 0..a.rows {
                if if upper { row <= column } else { row >= column } {
                    factor.set(row, column, inverse.get(row, column));
                }
            }
        }
        a.store(call.element, &factor, "A")?;
        call.tell(0)
    })
}

/// QR.
///
/// # Errors
/// As [`getrf`].
pub fn geqrf(call: Call, a: Place, tau: usize) -> Result {
    submit(call.stream, move || {
        let mut factors = a.load(call.element, "A")?;
        let taus = qr(&mut factors);
        a.store(call.element, &factors, "A")?;
        let taus = Matrix::of(taus.len(), 1, |row, _| taus[row]);
        Place::vector(tau, taus.rows).store(call.element, &taus, "tau")?;
        call.tell(0)
    })
}

/// The scales of reflections.
fn taus(call: Call, at: usize, count: usize) -> Result<Vec<Number>> {
    Ok(Place::vector(at, count).load(call.element, "tau")?.column(0).to_vec())
}

/// The columns of Q, in the place of the reflections.
///
/// # Errors
/// As [`getrf`], and when there are more reflections than columns, or more columns than rows.
pub fn orgqr(call: Call, a: Place, count: usize, tau: usize) -> Result {
    if count > a.columns || a.columns > a.rows {
        let why =
            format!("{count} reflections, {} columns and {} rows do not fit", a.columns, a.rows);
        return refuse(Status::InvalidValue, &why);
    }
    submit(call.stream, move || {
        let factors = a.load(call.element, "A")?;
        let q = form_q(&factors, &taus(call, tau, count)?, a.columns);
        a.store(call.element, &q, "A")?;
        call.tell(0)
    })
}

/// The product of Q or its adjoint with C, from the left or the right.
///
/// # Errors
/// As [`getrf`], and when Q is smaller than its reflections are many.
pub fn ormqr(call: Call, right: bool, form: Form, a: Place, tau: usize, c: Place) -> Result {
    let count = a.columns;
    if count > a.rows {
        let why = format!("{count} reflections are more than the {} rows of Q", a.rows);
        return refuse(Status::InvalidValue, &why);
    }
    if form == Form::Transposed && call.element.is_complex() {
        return refuse(Status::InvalidValue, "complex Q is multiplied as it is or adjoint (C)");
    }
    let adjoint = form != Form::Plain;
    submit(call.stream, move || {
        let (factors, mut c_here) = (a.load(call.element, "A")?, c.load(call.element, "C")?);
        let taus = taus(call, tau, count)?;
        if right {
            c_here = multiply_right(&factors, &taus, adjoint, &c_here);
        } else {
            multiply_left(&factors, &taus, adjoint, &mut c_here);
        }
        c.store(call.element, &c_here, "C")?;
        call.tell(0)
    })
}
