//! cuBLASLt's matmul with bias and activation, and its only algorithm.

pub(crate) mod records;

use crate::gemm::{compute, product};
use crate::handle::Scalar;
use crate::kind::{ElementType, Number, add, element, mul};
use crate::lt::records::{Description, Layout, Preference, read};
use crate::matrix::{Matrix, Operation};
use crate::{Result, Status, handle, refuse};
use lanework_standin::{Memory, Out, abi, call, store, submit};

/// The matrix with a layout at an address.
fn matrix(layout: &Layout, at: usize) -> Result<Matrix> {
    let kind = element(layout.kind)?;
    let (rows, columns) = (layout.rows as i64, layout.columns as i64);
    match layout.order {
        0 => Matrix::by_columns(at, kind, rows, columns, layout.leading),
        1 => {
            let turned = Matrix::by_columns(at, kind, columns, rows, layout.leading)?;
            let Matrix { rows: columns, columns: rows, down: across, across: down, .. } = turned;
            Ok(Matrix { at, kind, rows, columns, down, across })
        }
        order => refuse(
            Status::NotSupported,
            &format!(
                "cublasLtOrder_t {order} is not supported; use column order (0) or row order (1)"
            ),
        ),
    }
}

/// Epilogue of a product: a bias for each row, then an activation.
#[derive(Clone, Copy)]
struct Epilogue {
    bias: Option<(Matrix, usize)>,
    relu: bool,
    gelu: bool,
}

impl Epilogue {
    fn of(description: &Description, result: &Matrix) -> Result<Epilogue> {
        let (relu, bias, gelu) = (2, 4, 32);
        let code = description.epilogue;
        if code & !(1 | relu | bias | gelu) != 0 {
            return refuse(
                Status::NotSupported,
                &format!(
                    "cublasLtEpilogue_t {code} is not supported; use bias, ReLU, GELU, or bias with ReLU or GELU"
                ),
            );
        }
        let kind = match description.bias_kind {
            code if code >= 0 => element(code)?,
            _ => result.kind,
        };
        let (at, stride) =
            (description.bias as usize, description.bias_stride as usize * kind.bytes());
        let vector = Matrix { at, kind, rows: result.rows, columns: 1, down: 1, across: 0 };
        Ok(Epilogue {
            bias: (code & bias != 0).then_some((vector, stride)),
            relu: code & relu != 0,
            gelu: code & gelu != 0,
        })
    }

    fn apply(self, value: f64) -> f64 {
        match (self.relu, self.gelu) {
            (true, _) => value.max(0.0),
            // The tanh approximation.
            (_, true) => {
                let inner = (2.0 / std::f64::consts::PI).sqrt()
                    * (value + 0.044715 * value * value * value);
                0.5 * value * (1.0 + inner.tanh())
            }
            _ => value,
        }
    }
}

/// Checks a product and submits it to a stream.
///
/// # Safety
/// `alpha` and `beta` are null, or in host pointer mode point to a scalar of the description's type.
unsafe fn matmul(
    handle: usize,
    description: Out<'_, Description>,
    [alpha, beta]: [usize; 2],
    addresses: [usize; 4],
    layouts: [Out<'_, Layout>; 4],
    stream: usize,
) -> Result {
    handle::get(handle as i64)?;
    let [a, b, c, d] = layouts;
    let (description, layouts) = (read(description)?, [read(a)?, read(b)?, read(c)?, read(d)?]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| matrix(&layouts[index], addresses[index]));
    let [a, b, c, d] = [a?, b?, c?, d?];
    let [ta, tb] =
        [Operation::of(description.operations[0])?, Operation::of(description.operations[1])?];
    let extents = |matrix: Matrix, operation: Operation| match operation.transposed {
        true => (matrix.columns, matrix.rows),
        false => (matrix.rows, matrix.columns),
    };
    let ((m, k), (other, n)) = (extents(a, ta), extents(b, tb));
    if k != other || (d.rows, d.columns) != (m, n) || (c.rows, c.columns) != (m, n) {
        return refuse(
            Status::InvalidValue,
            &format!(
                "a {m}x{k} matrix times a {other}x{n} matrix does not give {}x{}",
                d.rows, d.columns
            ),
        );
    }
    let (_, double) = compute(description.compute, d.kind.is_complex)?;
    if description.pointers > 1 {
        return refuse(Status::NotSupported, "vectors of alpha and beta are not supported");
    }
    let scale = element(description.scale)?;
    // SAFETY: by this function's contract, `alpha` and `beta` are null or valid for a scalar of type `scale`.
    let scalar = |pointer| unsafe { Scalar::at(pointer, scale, description.pointers == 1) };
    let (scalars, epilogue) = ([scalar(alpha)?, scalar(beta)?], Epilogue::of(&description, &d)?);
    let strides = [0, 1, 2, 3].map(|index| layouts[index].stride as usize);
    let count = layouts[3].count.max(1) as usize;
    submit(stream, move || {
        let factor = |index: usize| -> Result<Number> {
            match description.factors[index] {
                0 => Ok([1.0, 0.0]),
                address => {
                    let memory = Memory { at: address as usize, bytes: 4 };
                    // SAFETY: the factor is copied out of the slice immediately, and stream order excludes writers until
                    // then.
                    Ok(ElementType::F32.read(unsafe { memory.bytes("a factor") }?))
                }
            }
        };
        let alpha = mul(scalars[0].value()?, mul(factor(0)?, factor(1)?));
        let (beta, of_d) = (mul(scalars[1].value()?, factor(2)?), factor(3)?);
        for index in 0..count {
            let nth = |matrix: Matrix, stride: usize| Matrix {
                at: matrix.at + index * stride * matrix.kind.bytes(),
                ..matrix
            };
            let left = (nth(a, strides[0]), ta, "A");
            let right = (nth(b, strides[1]), tb, "B");
            let before = if beta == [0.0; 2] { None } else { Some(nth(c, strides[2]).read("C")?) };
            let mut after =
                product(&left, &right, [alpha, beta], before.as_ref(), double, d.kind.is_complex)?;
            let bias = match epilogue.bias {
                Some((vector, stride)) => {
                    Some(Matrix { at: vector.at + index * stride, ..vector }.read("the bias")?)
                }
                None => None,
            };
            for (place, element) in after.elements.iter_mut().enumerate() {
                if let Some(bias) = &bias {
                    *element = add(*element, bias.elements[place / d.columns]);
                }
                element[0] = epilogue.apply(element[0]);
                *element = mul(*element, of_d);
            }
            nth(d, strides[3]).write(&after, "D")?;
        }
        Ok(())
    })
}

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Heuristic {
    algorithm: [u64; 8],
    workspace: usize,
    state: i32,
    waves: f32,
    reserved: [i32; 4],
}
abi!(Heuristic = 96, 8 { algorithm: 0, workspace: 64, state: 72, waves: 76, reserved: 80 });

const ONLY: Heuristic = Heuristic {
    algorithm: [1, 0, 0, 0, 0, 0, 0, 0],
    workspace: 0,
    state: 0,
    waves: 1.0,
    reserved: [0; 4],
};

/// cuBLASLt's `cublasLtMatmul`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmul(
    handle: usize,
    description: Out<'_, Description>,
    alpha: usize,
    a: usize,
    of_a: Out<'_, Layout>,
    b: usize,
    of_b: Out<'_, Layout>,
    beta: usize,
    c: usize,
    of_c: Out<'_, Layout>,
    d: usize,
    of_d: Out<'_, Layout>,
    _algorithm: usize,
    _workspace: usize,
    _bytes: usize,
    stream: usize,
) -> i32 {
    // SAFETY: `alpha` and `beta` are the program's: null, or by cuBLASLt's documentation scalars of the description's type.
    call::<Status>("cublasLtMatmul", || unsafe {
        matmul(handle, description, [alpha, beta], [a, b, c, d], [of_a, of_b, of_c, of_d], stream)
    })
}

/// cuBLASLt's `cublasLtMatmulAlgoGetHeuristic`: always the only algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulAlgoGetHeuristic(
    _handle: usize,
    description: Out<'_, Description>,
    a: Out<'_, Layout>,
    b: Out<'_, Layout>,
    c: Out<'_, Layout>,
    d: Out<'_, Layout>,
    _preference: Out<'_, Preference>,
    wanted: i32,
    results: Out<'_, Heuristic>,
    count: Out<'_, i32>,
) -> i32 {
    call::<Status>("cublasLtMatmulAlgoGetHeuristic", || {
        let description = read(description)?;
        for layout in [a, b, c] {
            matrix(&read(layout)?, 0)?;
        }
        let result = matrix(&read(d)?, 0)?;
        compute(description.compute, result.kind.is_complex)?;
        Epilogue::of(&description, &result)?;
        if wanted < 1 {
            return Err(Status::InvalidValue);
        }
        store(results, ONLY).and_then(|()| store(count, 1))
    })
}

/// cuBLASLt's `cublasLtMatmulAlgoInit`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulAlgoInit(
    _handle: usize,
    _compute: i32,
    _scale: i32,
    _a: i32,
    _b: i32,
    _c: i32,
    _d: i32,
    _id: i32,
    algorithm: Out<'_, [u64; 8]>,
) -> i32 {
    call::<Status>("cublasLtMatmulAlgoInit", || store(algorithm, ONLY.algorithm))
}

/// cuBLASLt's `cublasLtMatmulAlgoCheck`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasLtMatmulAlgoCheck(
    _handle: usize,
    _description: Out<'_, Description>,
    _a: Out<'_, Layout>,
    _b: Out<'_, Layout>,
    _c: Out<'_, Layout>,
    _d: Out<'_, Layout>,
    _algorithm: usize,
    result: Out<'_, Heuristic>,
) -> i32 {
    call::<Status>("cublasLtMatmulAlgoCheck", || store(result, ONLY))
}
