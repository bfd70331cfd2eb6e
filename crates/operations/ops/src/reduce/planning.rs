//! Plans a reduction: validates the request and builds the launch.

use super::config::{ReductionConfig, ReductionOperation, accumulator};
use super::dense::dense;
use super::elements::{NumberMemory, NumberMemoryMut};
use super::shape::{self, Dimension, ReductionShape};
use super::strided::{self, DIMENSIONS, columns, general};
use crate::workspace::{Plan, Workspace, WorkspaceLayout};
use lanework::{Device, Error, Launch, Result, View, ViewMut};
use lanework_numbers::NumberType;

/// An operand: its strides and its memory.
pub(crate) struct ReductionOperand<'a> {
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub memory: NumberMemory<'a>,
}

/// A type-erased reduction.
pub(crate) struct ReductionRequest<'a> {
    pub device: Device,
    pub operation: ReductionOperation,
    pub element: NumberType,
    pub axis: Option<usize>,
    pub compensated: bool,
    pub x: ReductionOperand<'a>,
    /// The second operand of a dot product.
    pub y: Option<ReductionOperand<'a>>,
}

/// An output.
pub(crate) struct ReductionOutput<'a> {
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub memory: NumberMemoryMut<'a>,
}

fn refused<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}

impl ReductionRequest<'_> {
    /// The shape of the results.
    ///
    /// # Errors
    /// If the axis does not exist, the operands differ in shape, an option does not apply to the operation, or the extremum of an
    /// empty input is requested.
    pub fn results(&self) -> Result<Vec<usize>> {
        let (name, shape) = (self.operation.name(), &self.x.shape);
        if let Some(y) = &self.y
            && y.shape != *shape
        {
            let why = format!("`{name}` of arrays of shapes {shape:?} and {:?}", y.shape);
            return refused(why, "both need the same shape");
        }
        if self.compensated && !self.operation.adds() {
            let why = format!("`{name}` is not a sum: there is no rounding error to compensate");
            return refused(why, "remove `.compensated()`");
        }
        let mut results = Vec::new();
        if let Some(axis) = self.axis {
            if axis >= shape.len() {
                let why = format!(
                    "`{name}` along axis {axis} of an array of {} dimensions, {shape:?}",
                    shape.len()
                );
                return refused(why, "axes are numbered from 0, the outermost one");
            }
            results.clone_from(shape);
            results.remove(axis);
        }
        let length = match self.axis {
            Some(axis) => shape[axis],
            None => shape.iter().copied().fold(1, usize::saturating_mul),
        };
        if !self.operation.adds() && length == 0 && !results.contains(&0) {
            let along = self.axis.map_or(String::new(), |axis| format!(" along axis {axis}"));
            let why =
                format!("`{name}`{along} of an array of shape {shape:?}, which has no elements");
            return refused(why, "only a sum of no elements has a value: 0");
        }
        Ok(results)
    }

    /// The dimensions with the output's strides; an error if the output has another shape.
    fn dimensions(
        &self,
        output: &ReductionOutput<'_>,
        results: &[usize],
    ) -> Result<ReductionShape> {
        let ones = results.iter().all(|extent| *extent == 1);
        let strides: Vec<usize> = if output.shape == results {
            output.strides.clone()
        } else if ones && output.shape.iter().all(|extent| *extent == 1) {
            vec![1; results.len()]
        } else {
            let why = format!(
                "`{}` has results of shape {results:?}, the output has shape {:?}",
                self.operation.name(),
                output.shape
            );
            return refused(
                why,
                "the output has the dimensions of the input but the axis that is reduced, or one element",
            );
        };
        let y = self.y.as_ref().unwrap_or(&self.x);
        let mut strides = strides.into_iter();
        let (mut kept, mut reduced) = (Vec::new(), Vec::new());
        for (axis, extent) in self.x.shape.iter().enumerate() {
            let mut dimension =
                Dimension { extent: *extent, x: self.x.strides[axis], y: y.strides[axis], out: 0 };
            match self.axis {
                Some(along) if along != axis => {
                    dimension.out = strides.next().unwrap_or(1);
                    kept.push(dimension);
                }
                _ => reduced.push(dimension),
            }
        }
        Ok(ReductionShape::new(kept, reduced, self.operation.finds()))
    }
}

/// Selects the instance of `$kernel` for the accumulator of an element type.
macro_rules! of_type {
    ($kind:expr, $kernel:ident($($argument:expr),* $(,)?)) => {
        match accumulator($kind) {
            NumberType::F32 => $kernel::<f32>($($argument),*),
            NumberType::F64 => $kernel::<f64>($($argument),*),
            _ => $kernel::<i64>($($argument),*),
        }
    };
}

/// The launch of a reduction, with workspace memory.
pub(crate) fn plan<'a>(
    request: ReductionRequest<'a>,
    output: ReductionOutput<'a>,
    workspace: &Workspace,
) -> Result<Plan<'a>> {
    let results = request.results()?;
    let shape = request.dimensions(&output, &results)?;
    let ReductionRequest { device, operation, element, compensated, x, y, .. } = request;
    let (x, y) = (x.memory, y.map_or(x.memory, |y| y.memory));
    let count = shape.results();
    if count == 0 {
        return Ok(Plan::new(vec![], []));
    }
    let multiprocessors = device.info().multiprocessors;
    let length = shape.length();
    let aligned = x.address().is_multiple_of(16) && y.address().is_multiple_of(16);
    let countable = !operation.finds() || u32::try_from(length).is_ok();
    let is_dense = shape.is_dense() && aligned && countable;

    let dot = operation == ReductionOperation::Dot;
    let mut overlaps = device.info().compute_capability >= (9, 0);
    let mut layout = WorkspaceLayout::default();
    let (launch, blocks, scratch);
    // Both kernels wait only for blocks of the same launch that started earlier, and only if all blocks are resident.
    if is_dense {
        let vectors = (length * element.bytes() / 16) as u64;
        let (sharing, all) = shape::dense(vectors, if dot { 2 } else { 1 }, multiprocessors);
        let config = ReductionConfig::new(operation, element, compensated, sharing, overlaps);
        let config = ReductionConfig { fetches: overlaps && sharing.resident > 1, ..config };
        let slots = layout.zeroed::<u64>(all as usize * config.words as usize);
        let memory = workspace.reserve(&layout)?;
        let nothing = || -> ViewMut<'a, u64> { memory.view(slots) };
        let x = x.slices(View::from(nothing()), true);
        let y = y.slices(View::from(nothing()), true);
        let out = output.memory.slices(nothing);
        launch = of_type!(
            element,
            dense(
                x.halves,
                x.shorts,
                x.words,
                x.longs,
                y.halves,
                y.shorts,
                y.words,
                y.longs,
                length as u64,
                out.halves,
                out.shorts,
                out.words,
                out.longs,
                nothing(),
                config,
            )
        )
        .block(config.sharing.threads);
        (blocks, scratch) = (all, memory);
    } else if let Some(units) = shape
        .of_units(strided::BYTES / element.bytes())
        .filter(|_| !dot && x.address().is_multiple_of(strided::BYTES as u64))
    {
        let plan = shape::general(&units, 1, operation.adds(), multiprocessors)?;
        overlaps &= plan.splits == 1 || plan.blocks <= multiprocessors;
        let config = ReductionConfig::new(operation, element, compensated, plan.sharing, overlaps);
        let per_thread = strided::BYTES / element.bytes();
        let slots = layout.zeroed::<u64>(slots_of(plan.blocks, &config) * per_thread);
        let memory = workspace.reserve(&layout)?;
        let nothing = || -> ViewMut<'a, u64> { memory.view(slots) };
        let x = x.slices(View::from(nothing()), true);
        let out = output.memory.slices(nothing);
        let (inner, outer, kept) = places(&units);
        let step = shape.kept.last().map_or(1, |last| last.out as u64);
        launch = of_type!(
            element,
            columns(
                x.words,
                units.results() as u32,
                plan.width,
                plan.splits,
                [inner[0], inner[1]],
                outer,
                kept,
                step,
                out.halves,
                out.shorts,
                out.words,
                out.longs,
                nothing(),
                config,
            )
        )
        .block(config.sharing.threads);
        (blocks, scratch) = (plan.blocks, memory);
    } else {
        let per_vector = 16 / element.bytes();
        let vectors = aligned && shape.is_of_vectors(per_vector, dot);
        let inner = shape.inner();
        let peeled = !vectors
            && aligned
            && !dot
            && inner.x == 1
            && !shape.has_columns()
            && inner.extent >= 4 * per_vector;
        let vectors = vectors || peeled;
        let unit = if vectors { per_vector } else { 1 };
        let plan = shape::general(&shape, unit, operation.adds(), multiprocessors)?;
        // Blocks of an overlapping next launch would crowd onto the multiprocessors that finish first.
        overlaps &= plan.splits == 1 || plan.blocks <= multiprocessors;
        let config = ReductionConfig::new(operation, element, compensated, plan.sharing, overlaps);
        let slots = layout.zeroed::<u64>(slots_of(plan.blocks, &config));
        let memory = workspace.reserve(&layout)?;
        let nothing = || -> ViewMut<'a, u64> { memory.view(slots) };
        let x = x.slices(View::from(nothing()), vectors);
        let y = y.slices(View::from(nothing()), vectors);
        let out = output.memory.slices(nothing);
        let (inner, outer, kept) = places(&shape);
        launch = of_type!(
            element,
            general(
                x.halves,
                x.shorts,
                x.words,
                x.longs,
                y.halves,
                y.shorts,
                y.words,
                y.longs,
                count as u32,
                plan.width,
                plan.splits,
                [inner[0] / unit as u64, if peeled { inner[0] } else { inner[1] }, inner[2]],
                outer,
                kept,
                out.halves,
                out.shorts,
                out.words,
                out.longs,
                nothing(),
                config,
            )
        )
        .block(config.sharing.threads);
        (blocks, scratch) = (plan.blocks, memory);
    }
    let launch = Launch::grid(launch, blocks);
    let launch = if overlaps { launch.programmatic() } else { launch };
    // SAFETY: every index of an operand or of the output is a sum of indices below the extents times the strides, which `Tensor`
    // checked against the memory of the slices; vectors end below the `length` elements. `slots_of` counts a slot for every word of
    // every partial result.
    let step = unsafe { launch.prepare_unchecked(&device)? };
    Ok(Plan::new(vec![step], [scratch]))
}

/// Extents and strides: of the innermost reduced dimension, of the other reduced ones, and of the results.
type ReductionExtents = ([u64; 3], [[u64; 3]; DIMENSIONS], [[u64; 4]; DIMENSIONS]);

fn places(shape: &ReductionShape) -> ReductionExtents {
    let inner = shape.inner();
    let mut outer = [[0; 3]; DIMENSIONS];
    for (place, d) in outer.iter_mut().zip(shape.outer()) {
        *place = [d.extent as u64, d.x as u64, d.y as u64];
    }
    let mut kept = [[0; 4]; DIMENSIONS];
    for (place, d) in kept.iter_mut().zip(&shape.kept) {
        *place = [d.extent as u64, d.x as u64, d.y as u64, d.out as u64];
    }
    ([inner.extent as u64, inner.x as u64, inner.y as u64], outer, kept)
}

/// The number of words that the blocks of a launch publish.
fn slots_of(blocks: u32, config: &ReductionConfig) -> usize {
    if config.sharing.split {
        blocks as usize * config.tile as usize * config.words as usize
    } else {
        1
    }
}
