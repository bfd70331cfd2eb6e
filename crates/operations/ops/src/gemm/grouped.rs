//! Grouped products: several products of different shapes as one operation.

use super::operand::refused;
use super::{Gemm, GemmElement};
use crate::workspace::{Workspace, WorkspaceLayout};
use crate::{Plan, TensorMut};
use lanework::{Prepared, Result};

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
