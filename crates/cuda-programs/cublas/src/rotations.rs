//! Rotations of two vectors (level 1): plane ones, and modified ones of real numbers.

use crate::export::export;
use crate::handle;
use crate::kind::{Kind, Number, add, div, mul};
use crate::level1::{elements, write};
use crate::matrix::Matrix;
use crate::scalar::Place;
use crate::status::{Result, Status};
use lanework_standin::{Memory, submit};

/// `x, y = c x + s y, c y - conj(s) x`.
unsafe fn rot([kind, of_sine]: [Kind; 2], [h, n, x, incx, y, incy, c, s]: [i64; 8]) -> Result {
    let held = handle::get(h)?;
    let [x, y] = [
        Matrix::vector(x as usize, kind, n.max(0), incx)?,
        Matrix::vector(y as usize, kind, n.max(0), incy)?,
    ];
    let of_cosine = if kind.is_double() { Kind::F64 } else { Kind::F32 };
    // SAFETY: by the caller.
    let [c, s] = unsafe { [held.scalar(c, of_cosine)?, held.scalar(s, of_sine)?] };
    submit(held.stream, move || {
        let (c, s) = (c.value()?, s.value()?);
        turn(&x, &y, |a, b| {
            let less = mul([s[0], -s[1]], a);
            [add(mul(c, a), mul(s, b)), add(mul(c, b), [-less[0], -less[1]])]
        })
    })
}

/// Puts what each pair of elements becomes in its place.
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

/// What is at a place: an element of the host or of the device.
fn at(place: Place, kind: Kind) -> Result<Number> {
    match (place.on_device, place.at) {
        (_, 0) => Err(Status::InvalidValue),
        (true, at) => {
            let memory = Memory { at, bytes: kind.bytes() };
            // SAFETY: the number is read at once.
            Ok(kind.read(unsafe { memory.bytes("a number") }?))
        }
        (false, at) => {
            // SAFETY: the caller's pointer to an element of this kind.
            let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, kind.bytes()) };
            Ok(kind.read(bytes))
        }
    }
}

fn put(place: Place, kind: Kind, number: Number) -> Result {
    let mut bytes = Vec::new();
    kind.put(number, &mut bytes);
    place.store(&bytes)
}

fn magnitude([re, im]: Number) -> f64 {
    re.hypot(im)
}

/// The rotation that makes `b` 0: `a` becomes the length, and of reals `b` what both of c and s follow from.
unsafe fn rotg([kind]: [Kind; 1], [h, a, b, c, s]: [i64; 5]) -> Result {
    let held = handle::get(h)?;
    let [a, b, c, s] = [a, b, c, s].map(|pointer| held.place(pointer));
    let real = if kind.is_double() { Kind::F64 } else { Kind::F32 };
    submit(held.stream, move || {
        let (of_a, of_b) = (at(a, kind)?, at(b, kind)?);
        let (size_a, size_b) = (magnitude(of_a), magnitude(of_b));
        let size = size_a.hypot(size_b);
        let (cosine, sine, length, code) = if kind.is_complex() {
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

/// `x, y = H [x y]`, H by its flag and its elements of a list of five.
unsafe fn rotm([kind]: [Kind; 1], [h, n, x, incx, y, incy, list]: [i64; 7]) -> Result {
    let held = handle::get(h)?;
    let [x, y] = [
        Matrix::vector(x as usize, kind, n.max(0), incx)?,
        Matrix::vector(y as usize, kind, n.max(0), incy)?,
    ];
    let place = held.place(list);
    submit(held.stream, move || {
        let mut list = [0.0; 5];
        for (index, to) in list.iter_mut().enumerate() {
            let one = Place {
                at: if place.at == 0 { 0 } else { place.at + index * kind.bytes() },
                ..place
            };
            *to = at(one, kind)?[0];
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
