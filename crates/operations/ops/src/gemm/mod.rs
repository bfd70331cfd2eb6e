//! Matrix products `C = alpha A B + beta C` of any shape and strides: single, batched, or grouped, with fused epilogues.
//!
//! [`gemm`] takes tensors of two dimensions, or of three for a batch. There is no transposition flag: a factor's strides say
//! whether its rows or its columns are adjacent, and [`Tensor::t`] exchanges them. A call becomes plain data (`problem`),
//! `families` selects a family of kernels, and each family makes its launches in its own module.

mod epilogue;
pub(crate) mod families;
mod finish;
mod operand;
mod problem;
mod split_k;
#[cfg(test)]
mod tests;

pub use epilogue::{Function, FunctionOf};
pub use families::ForcedVariant;
pub use operand::{Fp8E4m3, Fp8E5m2, GemmElement};
pub use problem::Precision;

use crate::workspace::{Scratch, Workspace, WorkspaceLayout};
use crate::{Plan, Tensor, TensorMut};
use epilogue::{Activation, Along, Epilogue, Vector};
use lanework::{Buffer, Prepared, Result};
use operand::{OperandMemory, ProductOutput, ResultMemory, refused, strides};
use problem::{Extents, Factor, GemmProblem, Recipe, extents, multiplied};

/// The product of two matrices: `a` of `[m, k]` and `b` of `[k, n]` elements, or of `[batch, m, k]` and `[batch, k, n]`. A batch of
/// 1 is broadcast.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, gemm};
///
/// let device = Device::best();
/// let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let a = Tensor::new(&a, [2, 3])?;
/// let square = gemm(&a, a.clone().t()).eval::<f32>()?; // a times its transpose
/// assert_eq!(square.download()?, [14.0, 32.0, 32.0, 77.0]);
///
/// // c = relu(2 a a' + c + bias per row), queued without waiting for the GPU.
/// let mut c = device.upload(&[-100.0f32; 4])?;
/// let bias = device.upload(&[0.5f32, 1.5])?;
/// let product = gemm(&a, a.clone().t()).alpha(2.0).beta(1.0).bias(&bias).relu();
/// product.run(TensorMut::new(&mut c, [2, 2])?)?;
/// assert_eq!(c.download()?, [0.0, 0.0, 0.0, 55.5]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn gemm<'a, A: GemmElement, B: GemmElement, const R: usize>(
    a: impl Into<Tensor<'a, A, R>>,
    b: impl Into<Tensor<'a, B, R>>,
) -> Gemm<'a, R> {
    let (a, b) = (Factor::new(a.into()), Factor::new(b.into()));
    Gemm {
        a,
        b,
        alpha: 1.0,
        beta: 0.0,
        precision: Precision::Full,
        epilogue: Epilogue::default(),
        one_kernel: false,
        forced: None,
        elsewhere: None,
    }
}

/// A matrix product with its options; made by [`gemm`].
///
/// ```
/// use half::bf16;
/// use lanework::Device;
/// use lanework_ops::{Tensor, gemm};
///
/// let device = Device::best();
/// // Three products of 2 x 4 by 4 x 1 elements with a shared right factor.
/// let a = device.upload(&[bf16::ONE; 24])?;
/// let b = device.upload(&[bf16::ONE; 4])?;
/// let product = gemm(Tensor::new(&a, [3, 2, 4])?, Tensor::new(&b, [1, 4, 1])?);
/// let mut c = device.zeros::<bf16>(6)?;
/// let mut plan = product.gelu().prepare(lanework_ops::TensorMut::new(&mut c, [3, 2, 1])?)?;
/// plan.launch()?; // any number of times
/// drop(plan);
/// assert_eq!(c.download()?, [bf16::from_f32(4.0); 6]);
///
/// // Shapes that do not match are rejected with their numbers.
/// let refused = gemm(Tensor::new(&a, [3, 8])?, Tensor::new(&b, [4, 1])?).eval::<f32>();
/// assert!(refused.unwrap_err().to_string().contains("8 columns"));
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "a product does nothing until `.run(..)`, `.prepare(..)` or `.eval()`"]
#[derive(Clone, Debug)]
pub struct Gemm<'a, const R: usize> {
    a: Factor<'a, R>,
    b: Factor<'a, R>,
    alpha: f64,
    beta: f64,
    precision: Precision,
    epilogue: Epilogue<'a>,
    one_kernel: bool,
    forced: Option<ForcedVariant>,
    /// The name of an epilogue operand on another device.
    elsewhere: Option<&'static str>,
}

impl<'a, const R: usize> Gemm<'a, R> {
    /// Multiplies the product by a number, rounded to the accumulator type.
    pub fn alpha(self, alpha: f64) -> Self {
        Gemm { alpha, ..self }
    }

    /// Adds the output's previous values times a number. With 0, the default, they are not read.
    pub fn beta(self, beta: f64) -> Self {
        Gemm { beta, ..self }
    }

    /// Precision of f32 products; other types ignore all but [`Precision::Compensated`].
    pub fn precision(self, precision: Precision) -> Self {
        Gemm { precision, ..self }
    }

    /// Restricts the plan to a single kernel: no split-K reduction, and no copies of f32 and f64 factors (other types
    /// are copied only if `wgmma` cannot read their layout). Slower for shapes that need a reduction or a copy.
    /// [`Plan::into_kernel`](crate::Plan::into_kernel) then returns the kernel.
    ///
    /// ```
    /// use lanework::Device;
    /// use lanework_ops::{Tensor, TensorMut, gemm};
    ///
    /// let device = Device::best();
    /// let x = device.upload(&[1.0f32; 64 * 512])?;
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// let x = Tensor::new(&x, [64, 512])?;
    /// let product = gemm(&x, x.clone().t()).one_kernel();
    /// let mut kernel = product.prepare(TensorMut::new(&mut c, [64, 64])?)?.into_kernel().expect("one");
    /// kernel.launch()?;
    /// drop(kernel);
    /// assert_eq!(c.download()?, [512.0; 4096]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn one_kernel(self) -> Self {
        Gemm { one_kernel: true, ..self }
    }

    /// Forces a kernel variant. For the ladders, which measure variants against each other.
    #[doc(hidden)]
    pub fn force_variant(self, forced: ForcedVariant) -> Self {
        Gemm { forced: Some(forced), ..self }
    }

    /// Adds a bias vector with one element per column, of the output's type or of the accumulator type.
    pub fn bias<T: GemmElement>(mut self, bias: impl Into<Tensor<'a, T, 1>>) -> Self {
        let bias = self.vector(bias.into(), "the bias", Along::Columns);
        self.epilogue.bias = Some(bias);
        self
    }

    /// Multiplies the product of 8-bit factors by scales in device memory: one for A or one per row, times one for B or one per
    /// column.
    ///
    /// ```
    /// use lanework::Device;
    /// use lanework_ops::{Fp8E4m3, Tensor, gemm};
    ///
    /// let device = Device::best();
    /// let a = device.upload(&[Fp8E4m3::from_f32(2.0); 4])?;
    /// let (rows, one) = (device.upload(&[1.0f32, 10.0])?, device.upload(&[0.5f32])?);
    /// let a = Tensor::new(&a, [2, 2])?;
    /// let c = gemm(&a, &a).scales(&rows, &one).eval::<f32>()?;
    /// assert_eq!(c.download()?, [4.0, 4.0, 40.0, 40.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn scales(
        mut self,
        a: impl Into<Tensor<'a, f32, 1>>,
        b: impl Into<Tensor<'a, f32, 1>>,
    ) -> Self {
        let (a, b) = (a.into(), b.into());
        let along = |length: usize, along| if length == 1 { Along::Nothing } else { along };
        let (of_a, of_b) = (along(a.len(), Along::Rows), along(b.len(), Along::Columns));
        let a = self.vector(a, "the scale of A", of_a);
        let b = self.vector(b, "the scale of B", of_b);
        self.epilogue.scales = Some([a, b]);
        self
    }

    /// Replaces negative results by 0. Activations are applied in call order, after the bias.
    pub fn relu(self) -> Self {
        self.then(Activation::Relu)
    }

    /// Applies GELU to the results, `x/2 (1 + erf(x/sqrt 2))`.
    pub fn gelu(self) -> Self {
        self.then(Activation::Gelu)
    }

    /// Applies a `#[device]` function on the accumulator type to the results: `.map(function!(swish))`.
    pub fn map(self, function: Function) -> Self {
        self.then(Activation::Map(function))
    }

    fn then(mut self, activation: Activation) -> Self {
        self.epilogue.activations.push(activation);
        self
    }

    fn vector<T: GemmElement>(
        &mut self,
        vector: Tensor<'a, T, 1>,
        name: &'static str,
        along: Along,
    ) -> Vector<'a> {
        if *vector.device() != self.a.device {
            self.elsewhere = Some(name);
        }
        let (length, [stride]) = (vector.len(), vector.strides());
        let memory = OperandMemory::Memory(vector.into_view().cast());
        Vector { kind: T::KIND, memory, length, stride, along }
    }

    /// Queues the product into a matrix, or a batch of them.
    ///
    /// # Errors
    /// [`lanework::Error::Request`] if shapes, types or options do not match; driver errors.
    pub fn run<'c, C: GemmElement>(self, c: impl Into<TensorMut<'c, C, R>>) -> Result<()>
    where
        'a: 'c,
    {
        let workspace = Workspace::shared(&self.a.device);
        self.plan(c.into(), &workspace)?.launch()
    }

    /// Prepares the product into a matrix, or a batch of them, to run any number of times.
    ///
    /// # Errors
    /// As [`Gemm::run`].
    pub fn prepare<'c, C: GemmElement>(self, c: impl Into<TensorMut<'c, C, R>>) -> Result<Plan<'c>>
    where
        'a: 'c,
    {
        let workspace = Workspace::new(&self.a.device);
        self.plan(c.into(), &workspace)
    }

    /// Returns the product in a new buffer, row-major without gaps.
    ///
    /// # Errors
    /// As [`Gemm::run`]; also with a `beta`, because a new buffer has no previous values.
    pub fn eval<C: GemmElement>(self) -> Result<Buffer<C>> {
        if self.beta != 0.0 {
            return refused(
                format!("beta is {} and there is no output that it multiplies", self.beta),
                "end with `.run(c)`, or leave out `.beta(..)`",
            );
        }
        let [_, m, n] = [0, extents(self.a.shape)?[1], extents(self.b.shape)?[2]];
        let batch = extents(self.a.shape)?[0].max(extents(self.b.shape)?[0]);
        let mut shape = [batch; R];
        (shape[R - 2], shape[R - 1]) = (m, n);
        let length = batch.saturating_mul(m).saturating_mul(n);
        let mut c = self.a.device.uninit_named::<C>(length, "product")?;
        self.run(TensorMut::new(&mut c, shape)?)?;
        Ok(c)
    }

    fn plan<'c, C: GemmElement>(
        self,
        c: TensorMut<'c, C, R>,
        workspace: &Workspace,
    ) -> Result<Plan<'c>>
    where
        'a: 'c,
    {
        let mut layout = WorkspaceLayout::default();
        let recipe = self.recipe(c, &mut layout)?;
        let scratch = workspace.reserve(&layout)?;
        Ok(Plan::new(recipe(&scratch)?, [scratch]))
    }

    /// Checks the problem and selects its kernels.
    fn recipe<'c, C: GemmElement>(
        self,
        c: TensorMut<'c, C, R>,
        layout: &mut WorkspaceLayout,
    ) -> Result<Recipe<'c>>
    where
        'a: 'c,
    {
        let forced = self.forced;
        let problem = self.problem(c)?;
        problem.check()?;
        let Extents { batch, m, n, .. } = problem.extents;
        if batch == 0 || m == 0 || n == 0 {
            return Ok(Box::new(|_: &Scratch| Ok(Vec::<Prepared<'c>>::new())));
        }
        match forced {
            Some(forced) => forced.recipe(problem, layout),
            None => families::recipe(problem, layout),
        }
    }

    /// Erases the types: the problem as plain data.
    pub(crate) fn problem<'c, C: GemmElement>(
        self,
        c: TensorMut<'c, C, R>,
    ) -> Result<GemmProblem<'c>>
    where
        'a: 'c,
    {
        let Gemm { a, b, alpha, beta, precision, epilogue, one_kernel, forced: _, elsewhere } =
            self;
        let device = a.device.clone();
        let others = [("B", &b.device), ("the output", c.device())];
        let other = others.iter().find(|(_, of)| **of != device).map(|(name, _)| *name);
        if let Some(name) = other.or(elsewhere) {
            return refused(
                format!("{name} is on another device than A"),
                "upload both to one device",
            );
        }
        let (extents, [a, b]) = multiplied(a, b, c.shape())?;
        let strides = strides(c.strides());
        let c = ProductOutput {
            kind: C::KIND,
            memory: ResultMemory::Memory(c.into_view().cast()),
            strides,
        };
        Ok(GemmProblem { device, extents, a, b, c, alpha, beta, precision, epilogue, one_kernel })
    }
}

/// Several products of any shapes, such as the experts of a mixture. No product may read another's output.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, gemm, grouped};
///
/// let device = Device::best();
/// let x = device.upload(&[1.0f32; 12])?;
/// let (tall, wide) = (Tensor::new(&x, [4, 3])?, Tensor::new(&x, [3, 4])?);
/// let (mut c, mut d) = (device.zeros::<f32>(16)?, device.zeros::<f32>(9)?);
/// let products = [gemm(&tall, &wide), gemm(&wide, &tall).relu()];
/// grouped(products).run([TensorMut::new(&mut c, [4, 4])?, TensorMut::new(&mut d, [3, 3])?])?;
/// assert_eq!((c.download()?, d.download()?), (vec![3.0; 16], vec![4.0; 9]));
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn grouped<'a, const R: usize>(
    products: impl IntoIterator<Item = Gemm<'a, R>>,
) -> Grouped<'a, R> {
    Grouped { products: products.into_iter().collect() }
}

/// Several products; made by [`grouped`], which has the example.
#[must_use = "products do nothing until `.run(..)` or `.prepare(..)`"]
#[derive(Clone, Debug)]
pub struct Grouped<'a, const R: usize> {
    products: Vec<Gemm<'a, R>>,
}

impl<'a, const R: usize> Grouped<'a, R> {
    /// Queues the products into these outputs, one per product.
    ///
    /// # Errors
    /// As [`Gemm::run`], with the product's index; also if the number of outputs differs from the number of products.
    pub fn run<'c, C: GemmElement>(
        self,
        outputs: impl IntoIterator<Item = TensorMut<'c, C, R>>,
    ) -> Result<()>
    where
        'a: 'c,
    {
        let Some(first) = self.products.first() else {
            return Ok(());
        };
        let workspace = Workspace::shared(&first.a.device);
        self.plan(outputs, &workspace)?.launch()
    }

    /// Prepares the products into these outputs, to run any number of times.
    ///
    /// # Errors
    /// As [`Grouped::run`].
    pub fn prepare<'c, C: GemmElement>(
        self,
        outputs: impl IntoIterator<Item = TensorMut<'c, C, R>>,
    ) -> Result<Plan<'c>>
    where
        'a: 'c,
    {
        let Some(first) = self.products.first() else {
            return Ok(Plan::new(Vec::new(), []));
        };
        let workspace = Workspace::new(&first.a.device);
        self.plan(outputs, &workspace)
    }

    fn plan<'c, C: GemmElement>(
        self,
        outputs: impl IntoIterator<Item = TensorMut<'c, C, R>>,
        workspace: &Workspace,
    ) -> Result<Plan<'c>>
    where
        'a: 'c,
    {
        let outputs: Vec<TensorMut<'c, C, R>> = outputs.into_iter().collect();
        if outputs.len() != self.products.len() {
            return refused(
                format!("{} products and {} outputs", self.products.len(), outputs.len()),
                "give an output per product",
            );
        }
        let mut layout = WorkspaceLayout::default();
        let mut recipes = Vec::new();
        for (number, (product, output)) in self.products.into_iter().zip(outputs).enumerate() {
            if *output.device() != *workspace.device() {
                return refused(
                    format!("product {number} is on another device than product 0"),
                    "upload all to one device",
                );
            }
            recipes.push(product.recipe(output, &mut layout)?);
        }
        let scratch = workspace.reserve(&layout)?;
        let mut steps: Vec<Prepared<'c>> = Vec::new();
        for recipe in recipes {
            steps.extend(recipe(&scratch)?);
        }
        Ok(Plan::new(steps, [scratch]))
    }
}
