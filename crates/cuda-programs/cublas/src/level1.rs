//! Vectors: sums, scaled copies, largest elements.

use crate::export::export;
use crate::handle;
use crate::kind::{Kind, Number, add, mul};
use crate::matrix::{Dense, Matrix};
use crate::scalar::Scalar;
use crate::status::Result;
use lanework_standin::submit;

/// The elements of a vector in their order.
pub fn elements((matrix, backwards): &(Matrix, bool), what: &str) -> Result<Vec<Number>> {
    let mut elements = matrix.read(what)?.elements;
    if *backwards {
        elements.reverse();
    }
    Ok(elements)
}

/// Writes the elements of a vector.
pub fn write(
    (matrix, backwards): &(Matrix, bool),
    mut elements: Vec<Number>,
    what: &str,
) -> Result {
    if *backwards {
        elements.reverse();
    }
    matrix.write(&Dense { rows: matrix.rows, columns: 1, elements }, what)
}

fn vector(at: i64, kind: Kind, n: i64, increment: i64) -> Result<(Matrix, bool)> {
    Matrix::vector(at as usize, kind, n.max(0), increment)
}

/// A reduction of one vector, whose result has a kind of its own.
unsafe fn reduce(
    [kind, to]: [Kind; 2],
    [h, n, x, incx, result]: [i64; 5],
    of: fn(&[Number]) -> Number,
) -> Result {
    let held = handle::get(h)?;
    let (x, place) = (vector(x, kind, n, incx)?, held.place(result));
    submit(held.stream, move || {
        let mut bytes = Vec::new();
        to.put(of(&elements(&x, "x")?), &mut bytes);
        place.store(&bytes)
    })
}

unsafe fn asum(kinds: [Kind; 2], arguments: [i64; 5]) -> Result {
    let sum = |x: &[Number]| [x.iter().map(|[re, im]| re.abs() + im.abs()).sum(), 0.0];
    // SAFETY: by the caller.
    unsafe { reduce(kinds, arguments, sum) }
}

unsafe fn nrm2(kinds: [Kind; 2], arguments: [i64; 5]) -> Result {
    let norm = |x: &[Number]| {
        let most = x.iter().flatten().fold(0.0f64, |most, part| most.max(part.abs()));
        let scaled = |part: &f64| (part / most) * (part / most);
        match most > 0.0 && most.is_finite() {
            true => [most * x.iter().flatten().map(scaled).sum::<f64>().sqrt(), 0.0],
            false => [x.iter().flatten().map(|part| part * part).sum::<f64>().sqrt(), 0.0],
        }
    };
    // SAFETY: by the caller.
    unsafe { reduce(kinds, arguments, norm) }
}

/// The first of the elements that `better` prefers, counted from 1; 0 of an empty vector.
fn first(x: &[Number], better: fn(f64, f64) -> bool) -> Number {
    let sizes = x.iter().map(|[re, im]| re.abs() + im.abs());
    let best =
        sizes.enumerate().fold(None, |best: Option<(usize, f64)>, (index, size)| match best {
            Some((_, known)) if !better(size, known) => best,
            _ => Some((index, size)),
        });
    [best.map_or(0.0, |(index, _)| index as f64 + 1.0), 0.0]
}

unsafe fn amax([kind]: [Kind; 1], arguments: [i64; 5]) -> Result {
    // SAFETY: by the caller.
    unsafe { reduce([kind, Kind::I32], arguments, |x| first(x, |size, known| size > known)) }
}

unsafe fn amin([kind]: [Kind; 1], arguments: [i64; 5]) -> Result {
    // SAFETY: by the caller.
    unsafe { reduce([kind, Kind::I32], arguments, |x| first(x, |size, known| size < known)) }
}

/// The sum of products, with the first vector's conjugates where that is asked for.
unsafe fn inner(
    [kx, ky, to]: [Kind; 3],
    conjugated: bool,
    [h, n, x, incx, y, incy, result]: [i64; 7],
) -> Result {
    let held = handle::get(h)?;
    let (x, y, place) = (vector(x, kx, n, incx)?, vector(y, ky, n, incy)?, held.place(result));
    submit(held.stream, move || {
        let (x, y) = (elements(&x, "x")?, elements(&y, "y")?);
        let products = x
            .iter()
            .zip(&y)
            .map(|([re, im], y)| mul([*re, if conjugated { -im } else { *im }], *y));
        let mut bytes = Vec::new();
        to.put(products.fold([0.0; 2], add), &mut bytes);
        place.store(&bytes)
    })
}

unsafe fn dot([kind]: [Kind; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: by the caller.
    unsafe { inner([kind; 3], false, arguments) }
}

unsafe fn dotc([kind]: [Kind; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: by the caller.
    unsafe { inner([kind; 3], true, arguments) }
}

unsafe fn dot_ex(
    _: [Kind; 0],
    [h, n, x, kx, incx, y, ky, incy, result, to, _]: [i64; 11],
) -> Result {
    let kinds = [Kind::of(kx as i32)?, Kind::of(ky as i32)?, Kind::of(to as i32)?];
    // SAFETY: by the caller.
    unsafe { inner(kinds, false, [h, n, x, incx, y, incy, result]) }
}

unsafe fn dotc_ex(
    _: [Kind; 0],
    [h, n, x, kx, incx, y, ky, incy, result, to, _]: [i64; 11],
) -> Result {
    let kinds = [Kind::of(kx as i32)?, Kind::of(ky as i32)?, Kind::of(to as i32)?];
    // SAFETY: by the caller.
    unsafe { inner(kinds, true, [h, n, x, incx, y, incy, result]) }
}

unsafe fn nrm2_ex(_: [Kind; 0], [h, n, x, kx, incx, result, to, _]: [i64; 8]) -> Result {
    // SAFETY: by the caller.
    unsafe { nrm2([Kind::of(kx as i32)?, Kind::of(to as i32)?], [h, n, x, incx, result]) }
}

fn scaled(stream: usize, factor: Scalar, x: (Matrix, bool)) -> Result {
    submit(stream, move || {
        let factor = factor.value()?;
        let scaled = elements(&x, "x")?.into_iter().map(|element| mul(factor, element)).collect();
        write(&x, scaled, "x")
    })
}

unsafe fn scal([kind, scale]: [Kind; 2], [h, n, alpha, x, incx]: [i64; 5]) -> Result {
    let held = handle::get(h)?;
    // SAFETY: by the caller.
    scaled(held.stream, unsafe { held.scalar(alpha, scale)? }, vector(x, kind, n, incx)?)
}

unsafe fn scal_ex(_: [Kind; 0], [h, n, alpha, scale, x, kind, incx, _]: [i64; 8]) -> Result {
    // SAFETY: by the caller.
    unsafe { scal([Kind::of(kind as i32)?, Kind::of(scale as i32)?], [h, n, alpha, x, incx]) }
}

/// `y = alpha x + y`.
unsafe fn axpy_of([kx, ky, scale]: [Kind; 3], [h, n, alpha, x, incx, y, incy]: [i64; 7]) -> Result {
    let held = handle::get(h)?;
    let (x, y) = (vector(x, kx, n, incx)?, vector(y, ky, n, incy)?);
    // SAFETY: by the caller.
    let alpha = unsafe { held.scalar(alpha, scale)? };
    submit(held.stream, move || {
        let (alpha, x, mut sum) = (alpha.value()?, elements(&x, "x")?, elements(&y, "y")?);
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum = add(*sum, mul(alpha, x)));
        write(&y, sum, "y")
    })
}

unsafe fn axpy([kind]: [Kind; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: by the caller.
    unsafe { axpy_of([kind; 3], arguments) }
}

unsafe fn axpy_ex(
    _: [Kind; 0],
    [h, n, alpha, scale, x, kx, incx, y, ky, incy, _]: [i64; 11],
) -> Result {
    let kinds = [Kind::of(kx as i32)?, Kind::of(ky as i32)?, Kind::of(scale as i32)?];
    // SAFETY: by the caller.
    unsafe { axpy_of(kinds, [h, n, alpha, x, incx, y, incy]) }
}

unsafe fn copy([kind]: [Kind; 1], [h, n, x, incx, y, incy]: [i64; 6]) -> Result {
    let held = handle::get(h)?;
    let (x, y) = (vector(x, kind, n, incx)?, vector(y, kind, n, incy)?);
    submit(held.stream, move || write(&y, elements(&x, "x")?, "y"))
}

unsafe fn swap([kind]: [Kind; 1], [h, n, x, incx, y, incy]: [i64; 6]) -> Result {
    let held = handle::get(h)?;
    let (x, y) = (vector(x, kind, n, incx)?, vector(y, kind, n, incy)?);
    submit(held.stream, move || {
        let (of_x, of_y) = (elements(&x, "x")?, elements(&y, "y")?);
        write(&y, of_x, "y")?;
        write(&x, of_y, "x")
    })
}

export!(asum, (h ptr, n int, x ptr, incx int, result ptr):
    [cublasSasum_v2 cublasSasum_v2_64 F32 F32] [cublasDasum_v2 cublasDasum_v2_64 F64 F64]
    [cublasScasum_v2 cublasScasum_v2_64 C32 F32] [cublasDzasum_v2 cublasDzasum_v2_64 C64 F64]);
export!(nrm2, (h ptr, n int, x ptr, incx int, result ptr):
    [cublasSnrm2_v2 cublasSnrm2_v2_64 F32 F32] [cublasDnrm2_v2 cublasDnrm2_v2_64 F64 F64]
    [cublasScnrm2_v2 cublasScnrm2_v2_64 C32 F32] [cublasDznrm2_v2 cublasDznrm2_v2_64 C64 F64]);
export!(@one amax, i32, cublasIsamax_v2, [F32], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amax, i32, cublasIdamax_v2, [F64], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amax, i32, cublasIcamax_v2, [C32], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amax, i32, cublasIzamax_v2, [C64], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amin, i32, cublasIsamin_v2, [F32], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amin, i32, cublasIdamin_v2, [F64], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amin, i32, cublasIcamin_v2, [C32], (h ptr, n int, x ptr, incx int, result ptr));
export!(@one amin, i32, cublasIzamin_v2, [C64], (h ptr, n int, x ptr, incx int, result ptr));
export!(dot, (h ptr, n int, x ptr, incx int, y ptr, incy int, result ptr):
    [cublasSdot_v2 cublasSdot_v2_64 F32] [cublasDdot_v2 cublasDdot_v2_64 F64]
    [cublasCdotu_v2 cublasCdotu_v2_64 C32] [cublasZdotu_v2 cublasZdotu_v2_64 C64]);
export!(dotc, (h ptr, n int, x ptr, incx int, y ptr, incy int, result ptr):
    [cublasCdotc_v2 cublasCdotc_v2_64 C32] [cublasZdotc_v2 cublasZdotc_v2_64 C64]);
export!(dot_ex, (h ptr, n int, x ptr, kx opt, incx int, y ptr, ky opt, incy int, result ptr, to opt, e opt): [cublasDotEx cublasDotEx_64]);
export!(dotc_ex, (h ptr, n int, x ptr, kx opt, incx int, y ptr, ky opt, incy int, result ptr, to opt, e opt): [cublasDotcEx cublasDotcEx_64]);
export!(nrm2_ex, (h ptr, n int, x ptr, kx opt, incx int, result ptr, to opt, e opt): [cublasNrm2Ex cublasNrm2Ex_64]);
export!(scal, (h ptr, n int, alpha ptr, x ptr, incx int):
    [cublasSscal_v2 cublasSscal_v2_64 F32 F32] [cublasDscal_v2 cublasDscal_v2_64 F64 F64]
    [cublasCscal_v2 cublasCscal_v2_64 C32 C32] [cublasZscal_v2 cublasZscal_v2_64 C64 C64]
    [cublasCsscal_v2 cublasCsscal_v2_64 C32 F32] [cublasZdscal_v2 cublasZdscal_v2_64 C64 F64]);
export!(scal_ex, (h ptr, n int, alpha ptr, scale opt, x ptr, kind opt, incx int, e opt): [cublasScalEx cublasScalEx_64]);
export!(axpy, (h ptr, n int, alpha ptr, x ptr, incx int, y ptr, incy int):
    [cublasSaxpy_v2 cublasSaxpy_v2_64 F32] [cublasDaxpy_v2 cublasDaxpy_v2_64 F64]
    [cublasCaxpy_v2 cublasCaxpy_v2_64 C32] [cublasZaxpy_v2 cublasZaxpy_v2_64 C64]);
export!(axpy_ex, (h ptr, n int, alpha ptr, scale opt, x ptr, kx opt, incx int, y ptr, ky opt, incy int, e opt): [cublasAxpyEx cublasAxpyEx_64]);
export!(copy, (h ptr, n int, x ptr, incx int, y ptr, incy int):
    [cublasScopy_v2 cublasScopy_v2_64 F32] [cublasDcopy_v2 cublasDcopy_v2_64 F64]
    [cublasCcopy_v2 cublasCcopy_v2_64 C32] [cublasZcopy_v2 cublasZcopy_v2_64 C64]);
export!(swap, (h ptr, n int, x ptr, incx int, y ptr, incy int):
    [cublasSswap_v2 cublasSswap_v2_64 F32] [cublasDswap_v2 cublasDswap_v2_64 F64]
    [cublasCswap_v2 cublasCswap_v2_64 C32] [cublasZswap_v2 cublasZswap_v2_64 C64]);
