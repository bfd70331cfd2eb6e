//! A matrix product as plain data, the only input of kernel selection: type-erased operands, extents, options. Its recipe is a
//! closure that makes the launches once the workspace is reserved.

use super::epilogue::{Epilogue, Vector};
use super::operand::{
    GemmElement, Major, MatrixOperand, OperandMemory, ProductOutput, Strides, is_fp8, refused,
    strides, sums,
};
use crate::Tensor;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use half::{bf16, f16};
use lanework::lang::rt::Cast;
use lanework::prelude::*;
use lanework::{Device, Element, Prepared, Result, View};
use lanework_numbers::NumberType;

/// Precision of a product.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Precision, Tensor, gemm};
///
/// let device = Device::best();
/// let a = device.upload(&[1.0f32 + 1e-7, -1.0])?;
/// let b = device.upload(&[1.0f32, 1.0])?;
/// let (a, b) = (Tensor::new(&a, [1, 2])?, Tensor::new(&b, [2, 1])?);
/// let c = gemm(a, b).precision(Precision::Compensated).eval::<f32>()?;
/// assert_eq!(c.download()?, [f32::EPSILON]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Every product and sum in the accumulator type, which is f32 for f32 factors. 8-bit floats are accumulated as the tensor
    /// cores do, with 14 bits.
    #[default]
    Full,
    /// f32 factors may be rounded to 10 mantissa bits (TF32) with f32 sums, as PyTorch's `allow_tf32`. On Hopper, large products
    /// round to f16 instead, which has as many bits, with rows of A and columns of B scaled into range; the device checks whether
    /// they fit, and otherwise uses TF32.
    TensorFloat32,
    /// f32 factors may be split into parts for the tensor cores. The errors are no larger than those of f32 sums, but the summation
    /// order differs. The device inspects the numbers: two f16 parts if they suffice, three bf16 parts if magnitudes within a row
    /// differ widely, and true f32 if numbers are not finite. Small products, and GPUs other than Hopper, use true f32.
    Accurate,
    /// Compensated summation of f32 and f64: the rounding errors of all products and sums are accumulated separately. The result is
    /// nearly as if computed with twice as many bits and rounded once.
    Compensated,
}

/// Extents: `batch` products of `m` x `k` by `k` x `n` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Extents {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// `c = then(alpha a b + beta c)`, checked: shapes match, types are supported, every extent is below 2^31.
#[derive(Debug)]
pub(crate) struct GemmProblem<'a> {
    pub device: Device,
    pub extents: Extents,
    pub a: MatrixOperand<'a>,
    pub b: MatrixOperand<'a>,
    pub c: ProductOutput<'a>,
    pub alpha: f64,
    pub beta: f64,
    pub precision: Precision,
    pub epilogue: Epilogue<'a>,
    /// Whether to use a single kernel, besides copies of factors that `wgmma` cannot read.
    pub one_kernel: bool,
}

impl<'a> GemmProblem<'a> {
    /// Duplicates the problem, including the mutable view of the results.
    ///
    /// # Safety
    /// As [`ViewMut::again`], for the memory of the results.
    pub unsafe fn again(&self) -> GemmProblem<'a> {
        // SAFETY: this function has the contract of `ViewMut::again`, and `c.memory` is the only mutable view that it duplicates.
        let c = ProductOutput { memory: unsafe { self.c.memory.again() }, ..self.c };
        let (device, epilogue) = (self.device.clone(), self.epilogue.clone());
        GemmProblem { device, c, epilogue, ..*self }
    }
}

impl GemmProblem<'_> {
    /// The accumulator type.
    pub fn sums(&self) -> NumberType {
        sums(self.a.kind).unwrap_or(NumberType::F32)
    }

    /// The epilogue's type, from the scaled product on.
    pub fn computes_in(&self) -> NumberType {
        match (self.sums(), self.c.kind) {
            (NumberType::I32, NumberType::F32) => NumberType::F32,
            (sums, _) => sums,
        }
    }

    /// The adjacent elements of A, B and C.
    pub fn majors(&self) -> (Major, Major, Major) {
        let Extents { m, n, k, .. } = self.extents;
        (self.a.strides.major(m, k), self.b.strides.major(k, n), self.c.strides.major(m, n))
    }

    /// The transposed product: `c' = b' a'`.
    pub fn transposed(self) -> Self {
        let GemmProblem { extents, a, b, c, epilogue, .. } = self;
        GemmProblem {
            extents: Extents { m: extents.n, n: extents.m, ..extents },
            a: MatrixOperand { strides: b.strides.t(), ..b },
            b: MatrixOperand { strides: a.strides.t(), ..a },
            c: ProductOutput { strides: c.strides.t(), ..c },
            epilogue: epilogue.transposed(),
            ..self
        }
    }

    /// Rejects unsupported types, numbers and extents.
    pub fn check(&self) -> Result<()> {
        let (a, b, c) = (self.a.kind, self.b.kind, self.c.kind);
        let multiplied = sums(a).is_some() && (a == b || is_fp8(a) && is_fp8(b));
        if !multiplied {
            return refused(
                format!("matrices of {} and {} are not multiplied", a.name(), b.name()),
                "give factors of one type: f32, f64, f16, bf16, i8, or both of 8-bit floats",
            );
        }
        let results: &[NumberType] = match a {
            NumberType::F32 => &[NumberType::F32],
            NumberType::F64 => &[NumberType::F64],
            NumberType::F16 => &[NumberType::F32, NumberType::F16],
            NumberType::Bf16 => &[NumberType::F32, NumberType::Bf16],
            NumberType::I8 => &[NumberType::I32, NumberType::F32],
            _ => &[NumberType::F32, NumberType::F16, NumberType::Bf16],
        };
        if !results.contains(&c) {
            let names: Vec<&str> = results.iter().map(|kind| kind.name()).collect();
            return refused(
                format!("a product of {} is not stored as {}", a.name(), c.name()),
                &format!("give an output of {}", names.join(" or ")),
            );
        }
        let Extents { batch, m, n, k } = self.extents;
        for (name, extent) in [("m", m), ("n", n), ("k", k), ("the number of products", batch)] {
            if extent >= 1 << 31 {
                return refused(
                    format!("{name} is {extent}, more than 2^31 - 1"),
                    "multiply parts of the matrices",
                );
            }
        }
        let whole = |x: f64| x == x.trunc() && x.abs() <= f64::from(i32::MAX);
        for (name, x) in [("alpha", self.alpha), ("beta", self.beta)] {
            if c == NumberType::I32 && !whole(x) {
                return refused(
                    format!("{name} is {x}, and the results are i32"),
                    "give a whole number below 2^31, or an output of f32",
                );
            }
        }
        if self.precision == Precision::Compensated
            && !matches!(a, NumberType::F32 | NumberType::F64)
        {
            return refused(
                format!("a compensated product of {}", a.name()),
                "compensated sums are for f32 and f64 factors",
            );
        }
        self.epilogue.check((a, c, self.computes_in()), [m, n])
    }
}

/// A factor without its element type.
#[derive(Clone, Debug)]
pub(super) struct Factor<'a, const R: usize> {
    pub(super) device: Device,
    pub(super) shape: [usize; R],
    matrix: MatrixOperand<'a>,
}

impl<'a, const R: usize> Factor<'a, R> {
    pub(super) fn new<T: GemmElement>(tensor: Tensor<'a, T, R>) -> Self {
        let (device, shape) = (tensor.device().clone(), tensor.shape());
        let strides = strides(tensor.strides());
        let memory = OperandMemory::Memory(tensor.into_view().cast());
        Factor { device, shape, matrix: MatrixOperand { kind: T::KIND, memory, strides } }
    }
}

/// Batch, rows and columns of a tensor of two or three dimensions.
pub(super) fn extents<const R: usize>(shape: [usize; R]) -> Result<[usize; 3]> {
    match shape.as_slice() {
        [rows, columns] => Ok([1, *rows, *columns]),
        [batch, rows, columns] => Ok([*batch, *rows, *columns]),
        _ => refused(
            format!("a matrix product of tensors of {R} dimensions"),
            "give tensors of two dimensions, or of three for a batch of products",
        ),
    }
}

/// The extents of a product into an output of shape `c`, and the type-erased factors.
pub(super) fn multiplied<'a, const R: usize>(
    a: Factor<'a, R>,
    b: Factor<'a, R>,
    c: [usize; R],
) -> Result<(Extents, [MatrixOperand<'a>; 2])> {
    let [batch_a, m, k] = extents(a.shape)?;
    let [batch_b, of_b, n] = extents(b.shape)?;
    if of_b != k {
        return refused(
            format!(
                "A has {k} columns and B has {of_b} rows: shapes {:?} and {:?}",
                a.shape, b.shape
            ),
            "give a B with a row per column of A; `.t()` exchanges rows and columns",
        );
    }
    let batch = if batch_a == 1 { batch_b } else { batch_a };
    if batch_b != batch && batch_b != 1 {
        return refused(
            format!("A has {batch_a} matrices and B has {batch_b}"),
            "give as many, or one for all",
        );
    }
    if extents(c)? != [batch, m, n] {
        return refused(
            format!("the output is {c:?} and the product has {batch} x {m} x {n} elements"),
            "give an output of the product's shape",
        );
    }
    let once = |matrix: MatrixOperand<'a>, own: usize| {
        let strides = matrix.strides;
        let step = if own == 1 { 0 } else { strides.batch };
        MatrixOperand { strides: Strides { batch: step, ..strides }, ..matrix }
    };
    Ok((Extents { batch, m, n, k }, [once(a.matrix, batch_a), once(b.matrix, batch_b)]))
}

/// Makes the launches of a problem once the workspace is reserved.
pub(crate) type Recipe<'a> = Box<dyn FnOnce(&Scratch) -> Result<Vec<Prepared<'a>>> + 'a>;

/// Selects one of several launched variants on the device: the workspace word that stores the choice, and the value
/// that selects this variant.
#[derive(Clone, Copy)]
pub(crate) struct DeviceChoice {
    pub word: WorkspacePart<u32>,
    pub mine: u32,
}

impl DeviceChoice {
    /// Kernel arguments: whether there is a choice, the word, and the selecting value.
    pub fn arguments<'a>(
        choice: Option<DeviceChoice>,
        device: &lanework::Device,
        scratch: &Scratch,
    ) -> (bool, View<'a, u32>, u32) {
        match choice {
            Some(DeviceChoice { word, mine }) => (true, scratch.view(word).into(), mine),
            None => (false, View::nothing(device), 0),
        }
    }
}

const THREADS: u32 = 256;

#[kernel(block = THREADS)]
fn gathered<T: Element, S: Element>(from: &[T], stride: u64, to: &mut [S]) {
    let i = block_idx.x * THREADS + thread_idx.x;
    if i < to.len() {
        to[i] = from[i as u64 * stride] as S;
    }
}

/// Converts the bias of the problem if necessary, and appends the launches that `then` makes.
pub(super) fn with_vectors_converted<'a>(
    mut problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    then: impl FnOnce(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let kind = problem.computes_in();
    let vectors = [problem.epilogue.bias.as_mut()].into_iter();
    let scales = problem.epilogue.scales.as_mut().map(|scales| scales.iter_mut());
    let mut steps = Vec::new();
    for vector in vectors.flatten().chain(scales.into_iter().flatten()) {
        let as_it_is = vector.kind == kind && (vector.stride == 1 || vector.length == 1);
        if !as_it_is {
            let part = layout.scratch::<u8>(vector.length * kind.bytes());
            steps.push((*vector, part));
            *vector = Vector { kind, memory: OperandMemory::Scratch(part), stride: 1, ..*vector };
        }
    }
    let device = problem.device.clone();
    let recipe = then(problem, layout)?;
    if steps.is_empty() {
        return Ok(recipe);
    }
    Ok(Box::new(move |scratch| {
        let conversions =
            steps.into_iter().map(|(vector, part)| step(&device, vector, part, kind, scratch));
        let mut launches = conversions.collect::<Result<Vec<_>>>()?;
        launches.extend(recipe(scratch)?);
        Ok(launches)
    }))
}

fn step<'a>(
    device: &Device,
    from: Vector<'a>,
    to: WorkspacePart<u8>,
    kind: NumberType,
    scratch: &Scratch,
) -> Result<Prepared<'a>> {
    match (from.kind, kind) {
        (NumberType::F16, _) => conversion::<f16, f32>(device, from, to, scratch),
        (NumberType::Bf16, _) => conversion::<bf16, f32>(device, from, to, scratch),
        (NumberType::F64, _) => conversion::<f64, f64>(device, from, to, scratch),
        (NumberType::I32, _) => conversion::<i32, i32>(device, from, to, scratch),
        _ => conversion::<f32, f32>(device, from, to, scratch),
    }
}

fn conversion<'a, T: Element + Cast<S, Output = S>, S: Element>(
    device: &Device,
    from: Vector<'a>,
    to: WorkspacePart<u8>,
    scratch: &Scratch,
) -> Result<Prepared<'a>> {
    let to = scratch.view(to).cast::<S>();
    let blocks = (to.len() as u32).div_ceil(THREADS);
    let launch = gathered::<T, S>(from.memory.elements(scratch), from.stride as u64, to);
    // SAFETY: an index is below the output's length, which equals the vector's, and `Tensor` checked the vector's stride against
    // its memory.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
