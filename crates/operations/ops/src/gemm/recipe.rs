//! Recipes: closures that make the launches of a product once the workspace is reserved.

use super::element::ElementKind;
use super::epilogue::Vector;
use super::operand::OperandMemory;
use super::problem::GemmProblem;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use half::{bf16, f16};
use lanework::lang::rt::Cast;
use lanework::prelude::*;
use lanework::{Element, Prepared, Result, View};

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
    kind: ElementKind,
    scratch: &Scratch,
) -> Result<Prepared<'a>> {
    match (from.kind, kind) {
        (ElementKind::F16, _) => conversion::<f16, f32>(device, from, to, scratch),
        (ElementKind::Bf16, _) => conversion::<bf16, f32>(device, from, to, scratch),
        (ElementKind::F64, _) => conversion::<f64, f64>(device, from, to, scratch),
        (ElementKind::I32, _) => conversion::<i32, i32>(device, from, to, scratch),
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
