//! Level 1: sums, norms, dot products, scaled vectors, largest and smallest elements, and rotations.

use crate::handle::{Place, Scalar};
use crate::kind::{ElementType, Number, add, div, element, export, is_double, mul};
use crate::matrix::{Dense, Matrix};
use crate::{Result, handle};
use lanework_standin::submit;

/// The elements of a vector in logical order: a negative increment starts at the end.
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

fn vector(at: i64, kind: ElementType, n: i64, increment: i64) -> Result<(Matrix, bool)> {
    Matrix::vector(at as usize, kind, n.max(0), increment)
}

/// Reduces one vector to a result of type `to`.
unsafe fn reduce(
    [kind, to]: [ElementType; 2],
    [h, n, x, incx, result]: [i64; 5],
    of: fn(&[Number]) -> Number,
) -> Result {
    let held = handle::get(h)?;
    // SAFETY: by `export`'s contract the pointer is null or, in host pointer mode, valid for the result for as long as
    // the call or the captured graph exists.
    let (x, place) = (vector(x, kind, n, incx)?, unsafe { held.place(result) });
    submit(held.stream, move || {
        let mut bytes = Vec::new();
        to.put(of(&elements(&x, "x")?), &mut bytes);
        place.store(&bytes)
    })
}

unsafe fn asum(kinds: [ElementType; 2], arguments: [i64; 5]) -> Result {
    let sum = |x: &[Number]| [x.iter().map(|[re, im]| re.abs() + im.abs()).sum(), 0.0];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { reduce(kinds, arguments, sum) }
}

unsafe fn nrm2(kinds: [ElementType; 2], arguments: [i64; 5]) -> Result {
    let norm = |x: &[Number]| {
        let most = x.iter().flatten().fold(0.0f64, |most, part| most.max(part.abs()));
        let scaled = |part: &f64| (part / most) * (part / most);
        match most > 0.0 && most.is_finite() {
            true => [most * x.iter().flatten().map(scaled).sum::<f64>().sqrt(), 0.0],
            false => [x.iter().flatten().map(|part| part * part).sum::<f64>().sqrt(), 0.0],
        }
    };
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { reduce(kinds, arguments, norm) }
}

/// The index, from 1, of the first element that `better` prefers over all others; 0 for an empty vector.
fn first(x: &[Number], better: fn(f64, f64) -> bool) -> Number {
    let sizes = x.iter().map(|[re, im]| re.abs() + im.abs());
    let best =
        sizes.enumerate().fold(None, |best: Option<(usize, f64)>, (index, size)| match best {
            Some((_, known)) if !better(size, known) => best,
            _ => Some((index, size)),
        });
    [best.map_or(0.0, |(index, _)| index as f64 + 1.0), 0.0]
}

unsafe fn amax([kind]: [ElementType; 1], arguments: [i64; 5]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { reduce([kind, ElementType::I32], arguments, |x| first(x, |size, known| size > known)) }
}

unsafe fn amin([kind]: [ElementType; 1], arguments: [i64; 5]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { reduce([kind, ElementType::I32], arguments, |x| first(x, |size, known| size < known)) }
}

/// Dot product; `conjugate` conjugates the first vector.
unsafe fn inner(
    [kx, ky, to]: [ElementType; 3],
    conjugated: bool,
    [h, n, x, incx, y, incy, result]: [i64; 7],
) -> Result {
    let held = handle::get(h)?;
    // SAFETY: by `export`'s contract the pointer is null or, in host pointer mode, valid for the result for as long as
    // the call or the captured graph exists.
    let place = unsafe { held.place(result) };
    let (x, y) = (vector(x, kx, n, incx)?, vector(y, ky, n, incy)?);
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

unsafe fn dot([kind]: [ElementType; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { inner([kind; 3], false, arguments) }
}

unsafe fn dotc([kind]: [ElementType; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { inner([kind; 3], true, arguments) }
}

unsafe fn dot_ex(
    _: [ElementType; 0],
    [h, n, x, kx, incx, y, ky, incy, result, to, _]: [i64; 11],
) -> Result {
    let kinds = [element(kx as i32)?, element(ky as i32)?, element(to as i32)?];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { inner(kinds, false, [h, n, x, incx, y, incy, result]) }
}

unsafe fn dotc_ex(
    _: [ElementType; 0],
    [h, n, x, kx, incx, y, ky, incy, result, to, _]: [i64; 11],
) -> Result {
    let kinds = [element(kx as i32)?, element(ky as i32)?, element(to as i32)?];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { inner(kinds, true, [h, n, x, incx, y, incy, result]) }
}

unsafe fn nrm2_ex(_: [ElementType; 0], [h, n, x, kx, incx, result, to, _]: [i64; 8]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { nrm2([element(kx as i32)?, element(to as i32)?], [h, n, x, incx, result]) }
}

fn scaled(stream: usize, factor: Scalar, x: (Matrix, bool)) -> Result {
    submit(stream, move || {
        let factor = factor.value()?;
        let scaled = elements(&x, "x")?.into_iter().map(|element| mul(factor, element)).collect();
        write(&x, scaled, "x")
    })
}

unsafe fn scal([kind, scale]: [ElementType; 2], [h, n, alpha, x, incx]: [i64; 5]) -> Result {
    let held = handle::get(h)?;
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
    scaled(held.stream, unsafe { held.scalar(alpha, scale)? }, vector(x, kind, n, incx)?)
}

unsafe fn scal_ex(_: [ElementType; 0], [h, n, alpha, scale, x, kind, incx, _]: [i64; 8]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { scal([element(kind as i32)?, element(scale as i32)?], [h, n, alpha, x, incx]) }
}

/// `y = alpha x + y`.
unsafe fn axpy_of(
    [kx, ky, scale]: [ElementType; 3],
    [h, n, alpha, x, incx, y, incy]: [i64; 7],
) -> Result {
    let held = handle::get(h)?;
    let (x, y) = (vector(x, kx, n, incx)?, vector(y, ky, n, incy)?);
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
    let alpha = unsafe { held.scalar(alpha, scale)? };
    submit(held.stream, move || {
        let (alpha, x, mut sum) = (alpha.value()?, elements(&x, "x")?, elements(&y, "y")?);
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum = add(*sum, mul(alpha, x)));
        write(&y, sum, "y")
    })
}

unsafe fn axpy([kind]: [ElementType; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { axpy_of([kind; 3], arguments) }
}

unsafe fn axpy_ex(
    _: [ElementType; 0],
    [h, n, alpha, scale, x, kx, incx, y, ky, incy, _]: [i64; 11],
) -> Result {
    let kinds = [element(kx as i32)?, element(ky as i32)?, element(scale as i32)?];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { axpy_of(kinds, [h, n, alpha, x, incx, y, incy]) }
}

unsafe fn copy([kind]: [ElementType; 1], [h, n, x, incx, y, incy]: [i64; 6]) -> Result {
    let held = handle::get(h)?;
    let (x, y) = (vector(x, kind, n, incx)?, vector(y, kind, n, incy)?);
    submit(held.stream, move || write(&y, elements(&x, "x")?, "y"))
}

unsafe fn swap([kind]: [ElementType; 1], [h, n, x, incx, y, incy]: [i64; 6]) -> Result {
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

/// `x, y = c x + s y, c y - conj(s) x`.
unsafe fn rot(
    [kind, of_sine]: [ElementType; 2],
    [h, n, x, incx, y, incy, c, s]: [i64; 8],
) -> Result {
    let held = handle::get(h)?;
    let [x, y] = [
        Matrix::vector(x as usize, kind, n.max(0), incx)?,
        Matrix::vector(y as usize, kind, n.max(0), incy)?,
    ];
    let of_cosine = if is_double(kind) { ElementType::F64 } else { ElementType::F32 };
    // SAFETY: by `export`'s contract, `c` and `s` are null or, in host pointer mode, valid for a scalar.
    let [c, s] = unsafe { [held.scalar(c, of_cosine)?, held.scalar(s, of_sine)?] };
    submit(held.stream, move || {
        let (c, s) = (c.value()?, s.value()?);
        turn(&x, &y, |a, b| {
            let less = mul([s[0], -s[1]], a);
            [add(mul(c, a), mul(s, b)), add(mul(c, b), [-less[0], -less[1]])]
        })
    })
}

/// Replaces each pair of elements with the result of `of` for the pair.
fn turn(
    x: &(Matrix, bool),
    y: &(Matrix, bool),
    of: impl Fn(Number, Number) -> [Number; 2],
) -> Result {
    let pairs = elements(x, "x")?.into_iter().zip(elements(y, "y")?).map(|(a, b)| of(a, b));
    let (a, b) = pairs.map(|[a, b]| (a, b)).unzip();
    write(x, a, "x")?;
    write(y, b, "y")
}

fn put(place: Place, kind: ElementType, number: Number) -> Result {
    let mut bytes = Vec::new();
    kind.put(number, &mut bytes);
    place.store(&bytes)
}

fn magnitude([re, im]: Number) -> f64 {
    re.hypot(im)
}

/// Computes the rotation that zeroes `b`. `a` becomes the length; for real numbers, `b` becomes a code from which c and s can be recovered.
unsafe fn rotg([kind]: [ElementType; 1], [h, a, b, c, s]: [i64; 5]) -> Result {
    let held = handle::get(h)?;
    // SAFETY: by `export`'s contract, all four are null or, in host pointer mode, valid for their results. cuBLAS
    // stores the results before it returns, unless the stream is captured: then the program keeps all four pointers
    // valid for as long as the graph exists.
    let [a, b, c, s] = [a, b, c, s].map(|pointer| unsafe { held.place(pointer) });
    let real = if is_double(kind) { ElementType::F64 } else { ElementType::F32 };
    submit(held.stream, move || {
        let (of_a, of_b) = (a.read(kind)?, b.read(kind)?);
        let (size_a, size_b) = (magnitude(of_a), magnitude(of_b));
        let size = size_a.hypot(size_b);
        let (cosine, sine, length, code) = if kind.is_complex {
            let unit = div(of_a, [size_a, 0.0]);
            match size_a == 0.0 {
                true => (0.0, [1.0, 0.0], of_b, None),
                false => {
                    let conjugate = [of_b[0] / size, -of_b[1] / size];
                    (size_a / size, mul(unit, conjugate), mul(unit, [size, 0.0]), None)
                }
            }
        } else if size == 0.0 {
            (1.0, [0.0; 2], [0.0; 2], Some(0.0))
        } else {
            let larger = if size_a > size_b { of_a[0] } else { of_b[0] };
            let length = size.copysign(larger);
            let (cosine, sine) = (of_a[0] / length, of_b[0] / length);
            let code = match size_a > size_b {
                true => sine,
                false if cosine == 0.0 => 1.0,
                false => 1.0 / cosine,
            };
            (cosine, [sine, 0.0], [length, 0.0], Some(code))
        };
        put(c, real, [cosine, 0.0])?;
        put(s, kind, sine)?;
        put(a, kind, length)?;
        code.map_or(Ok(()), |code| put(b, kind, [code, 0.0]))
    })
}

/// `x, y = H [x y]`; a list of five numbers holds H (a flag and four elements).
unsafe fn rotm([kind]: [ElementType; 1], [h, n, x, incx, y, incy, list]: [i64; 7]) -> Result {
    let held = handle::get(h)?;
    let [x, y] = [
        Matrix::vector(x as usize, kind, n.max(0), incx)?,
        Matrix::vector(y as usize, kind, n.max(0), incy)?,
    ];
    // SAFETY: by `export`'s contract the pointer is null or, in host pointer mode, valid for five elements for as long
    // as the call or the captured graph exists.
    let place = unsafe { held.place(list) };
    submit(held.stream, move || {
        let mut list = [0.0; 5];
        for (index, to) in list.iter_mut().enumerate() {
            *to = place.element(index, kind).read(kind)?[0];
        }
        let [flag, h11, h21, h12, h22] = list;
        let [h11, h21, h12, h22] = match flag {
            -2.0 => return Ok(()),
            -1.0 => [h11, h21, h12, h22],
            0.0 => [1.0, h21, h12, 1.0],
            _ => [h11, -1.0, 1.0, h22],
        };
        turn(&x, &y, |[a, _], [b, _]| [[h11 * a + h12 * b, 0.0], [h21 * a + h22 * b, 0.0]])
    })
}

export!(rot, (h ptr, n int, x ptr, incx int, y ptr, incy int, c ptr, s ptr):
    [cublasSrot_v2 cublasSrot_v2_64 F32 F32] [cublasDrot_v2 cublasDrot_v2_64 F64 F64]
    [cublasCrot_v2 cublasCrot_v2_64 C32 C32] [cublasZrot_v2 cublasZrot_v2_64 C64 C64]
    [cublasCsrot_v2 cublasCsrot_v2_64 C32 F32] [cublasZdrot_v2 cublasZdrot_v2_64 C64 F64]);
export!(rotm, (h ptr, n int, x ptr, incx int, y ptr, incy int, list ptr):
    [cublasSrotm_v2 cublasSrotm_v2_64 F32] [cublasDrotm_v2 cublasDrotm_v2_64 F64]);
export!(@one rotg, i32, cublasSrotg_v2, [F32], (h ptr, a ptr, b ptr, c ptr, s ptr));
export!(@one rotg, i32, cublasDrotg_v2, [F64], (h ptr, a ptr, b ptr, c ptr, s ptr));
export!(@one rotg, i32, cublasCrotg_v2, [C32], (h ptr, a ptr, b ptr, c ptr, s ptr));
export!(@one rotg, i32, cublasZrotg_v2, [C64], (h ptr, a ptr, b ptr, c ptr, s ptr));
