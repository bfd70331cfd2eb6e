//! The sm_90a family: TMA and `wgmma`, for factors of 8 and 16 bits, and f32 as TF32.

mod config;
pub mod kernel;
pub mod loads;
mod main_loops;
mod results;
mod shape;

use crate::gemm::finish::{Finishing, Sum, finishing};
use crate::gemm::operand::Major;
use crate::gemm::problem::{DeviceChoice, Extents, GemmProblem, Precision, Recipe};
use crate::workspace::{Scratch, WorkspaceLayout};
#[cfg(test)]
pub use config::TileOrder;
use config::{HopperConfig, ROWS, Store};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{F8Format, GroupProduct, MatrixElement};
use lanework::{Element, Prepared, Result, View};
use lanework_numbers::NumberType;
use results::ResultElement;
pub use shape::HopperShape;
use shape::shape;

/// Whether the family supports a problem.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let types = match problem.a.kind {
        NumberType::F32 => problem.precision == Precision::TensorFloat32,
        NumberType::F64 | NumberType::I32 => false,
        _ => true,
    };
    let (_, _, c) = problem.majors();
    let hopper = problem.device.info().compute_capability.0 == 9;
    let Extents { batch, m, n, k } = problem.extents;
    // If factors must be copied first, the product must be large enough.
    let direct = loads::direct(problem) == (true, true);
    let worth = direct || batch as f64 * m as f64 * n as f64 * k as f64 >= WORTH_A_COPY;
    types && hopper && worth && k > 0 && k < MOST_DEPTH && matches!(c, Major::Rows(_))
}

/// Minimum number of multiply-adds for which copying the factors pays off.
const WORTH_A_COPY: f64 = 131_072.0;
/// Maximum K that the grid of a copy can cover.
const MOST_DEPTH: usize = 65_535 * 64;

/// Reserves workspace, and returns the launches of a problem.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    recipe_if(problem, layout, None)
}

/// As [`recipe`], for a product that runs only if `choice` selects it; it has more than 64 rows and columns.
pub(crate) fn recipe_if<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    choice: Option<DeviceChoice>,
) -> Result<Recipe<'a>> {
    let (shape, turned) = shape(&problem);
    let problem = if turned { problem.transposed() } else { problem };
    loads::factors(problem, layout, choice, |problem, layout| {
        shaped(problem, layout, shape, choice)
    })
}

/// As [`recipe`], with a given shape and factors that are already in the required layout.
pub(crate) fn shaped<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    shape: HopperShape,
    choice: Option<DeviceChoice>,
) -> Result<Recipe<'a>> {
    use lanework::lang::prelude::Tf32;
    use lanework::lang::tensor_cores::F8;
    let spare = layout.scratch::<u8>(16);
    Ok(Box::new(move |scratch| {
        let spare = scratch.view(spare);
        let step = UntypedLaunch { problem, shape, choice, scratch, spare };
        let (a, b, c) = (step.problem.a.kind, step.problem.b.kind, step.problem.c.kind);
        use NumberType as K;
        let launch = match (a, b, c) {
            (K::F16, _, K::F16) => step.launched::<f16, f16, f32, f32, f16, 64, 64>(),
            (K::F16, ..) => step.launched::<f16, f16, f32, f32, f32, 64, 32>(),
            (K::Bf16, _, K::Bf16) => step.launched::<bf16, bf16, f32, f32, bf16, 64, 64>(),
            (K::Bf16, ..) => step.launched::<bf16, bf16, f32, f32, f32, 64, 32>(),
            (K::I8, _, K::I32) => step.launched::<i8, i8, i32, i32, i32, 128, 32>(),
            (K::I8, ..) => step.launched::<i8, i8, i32, f32, f32, 128, 32>(),
            (K::E4m3 | K::E5m2, _, K::F16) => step.launched::<F8, F8, f32, f32, f16, 128, 64>(),
            (K::E4m3 | K::E5m2, _, K::Bf16) => step.launched::<F8, F8, f32, f32, bf16, 128, 64>(),
            (K::E4m3 | K::E5m2, ..) => step.launched::<F8, F8, f32, f32, f32, 128, 32>(),
            _ => step.launched::<Tf32, Tf32, f32, f32, f32, 32, 32>(),
        };
        Ok(vec![launch?])
    }))
}

/// The format of a factor of 8-bit floats.
fn format(kind: NumberType) -> Option<F8Format> {
    match kind {
        NumberType::E4m3 => Some(F8Format::E4m3),
        NumberType::E5m2 => Some(F8Format::E5m2),
        _ => None,
    }
}

/// A launch of the kernel, before its types are selected.
struct UntypedLaunch<'a, 's> {
    problem: GemmProblem<'a>,
    shape: HopperShape,
    choice: Option<DeviceChoice>,
    scratch: &'s Scratch,
    /// Memory for an unused map.
    spare: lanework::ViewMut<'a, u8>,
}

impl<'a> UntypedLaunch<'a, '_> {
    fn launched<T, U, D, S, O, const DEPTH: u32, const WIDE: u32>(self) -> Result<Prepared<'a>>
    where
        T: GroupProduct<U, D>,
        U: MatrixElement,
        D: MatrixElement<Storage = D> + Element,
        S: Sum + MatrixElement<Storage = S>,
        O: ResultElement<S>,
    {
        let UntypedLaunch { problem, shape, choice, scratch, spare } = self;
        let HopperShape { columns, cluster, order, promote, split, alternate, overlapped, .. } =
            shape;
        let columns = if [256, 192, 128].contains(&columns) { columns } else { 64 };
        let Extents { batch, m, n, k } = problem.extents;
        let (of_a, of_b, of_c) = problem.majors();
        let along_k = (matches!(of_a, Major::Rows(_)), matches!(of_b, Major::Columns(_)));
        // Panels of this many B rows are shared.
        let shares = along_k.1 || columns.is_multiple_of(DEPTH * cluster.0);
        let cluster = if shares { cluster } else { (1, cluster.1) };
        let (chosen, choice, mine) = DeviceChoice::arguments(choice, &problem.device, scratch);
        let store = match of_c {
            Major::Rows(_) if shape.tma && split == 1 && loads::stored_by_tma(&problem) => {
                Store::Tma
            }
            Major::Rows(_) if loads::stored_by_pairs(&problem) => Store::Pairs,
            _ => Store::Single,
        };
        let tma_store = store == Store::Tma;
        let config = HopperConfig {
            along_k,
            cluster,
            split,
            stages: shape.stages,
            parts: shape.parts,
            order,
            store,
            promote,
            columns,
            alternate,
            overlapped,
            chosen,
            formats: (format(problem.a.kind), format(problem.b.kind)),
        }
        .filled();
        let lines = |all: u32, shared_by: u32| if shared_by == 1 { all } else { all / shared_by };
        let a = loads::factor::<T::Storage>(
            &problem,
            &problem.a,
            scratch,
            (m, k),
            of_a,
            along_k.0,
            lines(ROWS, cluster.1),
            DEPTH,
        )?;
        let b = loads::factor::<U::Storage>(
            &problem,
            &problem.b,
            scratch,
            (n, k),
            of_b,
            along_k.1,
            lines(columns, cluster.0),
            DEPTH,
        )?;
        let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
            finishing::<S>(&problem, scratch);
        let device = problem.device.clone();
        let strides = problem.c.strides;
        let ld = match of_c {
            Major::Rows(ld) => ld,
            _ => strides.row,
        };
        // SAFETY: the kernel reads an element of C before it stores it, in the same thread or before a barrier of the warpgroup
        // that stores it.
        let [stored, out] = [(); 2].map(|()| unsafe { problem.c.memory.again() });
        let before = if finish.reads_c {
            View::from(out.elements::<O>(scratch))
        } else {
            View::nothing(&device)
        };
        let (stored, out) = if tma_store {
            (
                loads::result::<O>(
                    &device,
                    stored.elements::<O>(scratch),
                    (batch, m, n),
                    (strides.batch, ld),
                    WIDE,
                )?,
                None,
            )
        } else {
            (loads::unused::<O>(&device, spare)?, Some(problem.c.memory.elements::<O>(scratch)))
        };
        let clusters = m.div_ceil((cluster.0 * ROWS) as usize) as u64
            * n.div_ceil((cluster.1 * columns) as usize) as u64
            * batch as u64;
        let processors = device.info().multiprocessors;
        let most = if shape.most > 0 { shape.most } else { processors };
        // Blocks that divide K compute one tile.
        let most = if split > 1 {
            u64::from(u32::MAX / split)
        } else {
            u64::from(most / config.blocks()).max(1)
        };
        let blocks = clusters.min(most) as u32 * config.blocks();
        let step = |stride: usize| u32::from(stride != 0 && batch > 1);
        let launch = kernel::product::<T, U, D, S, O, DEPTH, WIDE>(
            &a,
            &b,
            stored,
            out.unwrap_or(lanework::ViewMut::nothing(&device)),
            before,
            bias,
            scale_a,
            scale_b,
            [batch as u32, m as u32, n as u32, k as u32],
            [step(problem.a.strides.batch), step(problem.b.strides.batch)],
            [strides.batch as u64, strides.row as u64, strides.column as u64],
            choice,
            mine,
            alpha,
            beta,
            config,
            finish,
        );
        let launch = if overlapped { launch.programmatic() } else { launch };
        // SAFETY: tensor maps clip copies to their tensors; the kernel accesses elements of C and of epilogue vectors only at rows
        // below m and columns below n; stage indices come from the ring, and tile and part indices are below the numbers that
        // `HopperConfig::shared_bytes` counts.
        unsafe {
            launch
                .grid(blocks)
                .block(384)
                .shared_bytes(config.shared_bytes())
                .prepare_unchecked(&device)
        }
    }
}
