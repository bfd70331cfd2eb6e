//! Textures and surfaces: images in global memory, read through a filter or accessed by position.

pub(crate) mod access;
pub mod object;
pub(crate) mod sample;
pub(crate) mod surface;

use crate::fault::RawFault;
use crate::instructions::texture::access::{Bound, Sample, TextureLane};
use crate::instructions::texture::sample::Level;
use crate::machine::context::{Body, Context, fault};
use crate::machine::lanes::{fetch_cold, put_cold};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::opcode::texture::{Geometry, MipLevel, TextureOp};

/// An instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// The operation.
    pub op: TextureOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources.
    pub src: Vec<Slot>,
}

/// The handler of texture instructions.
pub struct Texture;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Texture {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that lives as long as the code; the assembler gave it slots of this
        // warp's register file (`Body::run`).
        unsafe {
            let plan = &*std::ptr::with_exposed_provenance::<Plan>(op.imm as usize);
            match all_lanes(warp, plan) {
                Ok(()) => op.leave(),
                Err(raw) => fault(warp, op, raw),
            }
        }
    }
}

/// The first coordinate among the sources.
const COORDINATES: usize = 2;

/// # Safety
/// The warp runs this plan's operation (as [`Body::run`] requires), so that the plan's
/// slots are in its register file.
unsafe fn all_lanes(warp: &mut Warp, plan: &Plan) -> Result<(), RawFault> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; the worker owns the context
    // for as long as its warps run (`Body::run`).
    unsafe {
        let sources: Vec<Lanes<u64>> =
            plan.src.iter().map(|slot| fetch_cold::<u64>(warp, *slot)).collect();
        let mut results = [[0u64; 32]; 4];
        let context: &Context = &*warp.context;
        let mut last: Option<([u64; 2], Bound<'_>)> = None;
        for i in (0..32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let lane = TextureLane { context, warp: warp.index, lane: i as u32 };
            let source = |n: usize| sources.get(n).map_or(0, |source| source.0[i]);
            let (handle, sampler) = (source(0), source(1));
            let words: [u32; 4] = std::array::from_fn(|d| source(COORDINATES + d) as u32);
            let words = |geometry: Geometry| {
                std::array::from_fn(|d| if d < geometry.written() { words[d] } else { 0 })
            };
            let after = |geometry: Geometry, n: usize| source(COORDINATES + geometry.written() + n);
            let mut give = |values: &[u64]| {
                for (result, value) in results.iter_mut().zip(values) {
                    result[i] = *value;
                }
            };
            // The lanes of a warp mostly use one image.
            let key = [handle, sampler];
            if let TextureOp::Ask(query) = plan.op {
                give(&[lane.ask(handle, query, sampler)?.into()]);
                continue;
            }
            if last.as_ref().is_none_or(|(of, bound)| *of != key || !bound.direct) {
                let found = match plan.op {
                    TextureOp::Sample { .. } | TextureOp::Gather { .. } => {
                        lane.texture(handle, sampler)?
                    }
                    _ => lane.surface(handle)?,
                };
                last = Some((key, found));
            }
            let Some((_, bound)) = &last else { continue };
            let sample = |geometry: Geometry, fetch, mip: MipLevel, offset: bool, gather| {
                let axes = geometry.axes();
                let float = |n| f32::from_bits(after(geometry, n) as u32);
                let change = |from: usize| {
                    std::array::from_fn(|d| if d < axes { float(from + d) } else { 0.0 })
                };
                let level = match mip {
                    MipLevel::Base => Level::Number(0.0),
                    MipLevel::Level if fetch => Level::Number(after(geometry, 0) as i32 as f32),
                    MipLevel::Level => Level::Number(float(0)),
                    MipLevel::Gradient => Level::Gradient([change(0), change(axes)]),
                };
                let part = |d| after(geometry, mip.operands(axes) + d) as i32 as i64;
                let given = |d| offset && d < axes;
                let offset = std::array::from_fn(|d| if given(d) { part(d) } else { 0 });
                let ask = Sample { geometry, fetch, words: words(geometry), level, offset, gather };
                lane.sample(bound, &ask).map(|values| values.map(u64::from))
            };
            match plan.op {
                TextureOp::Sample { geometry, fetch, mip, offset } => {
                    give(&sample(geometry, fetch, mip, offset, None)?);
                }
                TextureOp::Gather { geometry, component, offset } => {
                    give(&sample(geometry, false, MipLevel::Base, offset, Some(component))?);
                }
                TextureOp::Load(surface) => {
                    give(&lane.load(bound, surface, words(surface.geometry))?);
                }
                TextureOp::Store(surface) => {
                    let data = std::array::from_fn(|n| after(surface.geometry, n));
                    lane.store(bound, surface, words(surface.geometry), data)?;
                }
                TextureOp::Reduce(surface, op) => {
                    let value = after(surface.geometry, 0);
                    lane.reduce(bound, surface, op, words(surface.geometry), value)?;
                }
                TextureOp::Ask(_) => {}
            }
        }
        let wide = matches!(plan.op, TextureOp::Load(surface) if surface.bytes == 8);
        for (result, slot) in results.iter().zip(&plan.dst).filter(|(_, slot)| **slot != NO_SLOT) {
            match wide {
                true => put_cold(warp, *slot, Lanes(*result)),
                false => put_cold(warp, *slot, Lanes(result.map(|word| word as u32))),
            }
        }
        Ok(())
    }
}
