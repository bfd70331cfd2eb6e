//! Checks and starts copies of tiles.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::alu::atomic::combine;
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::copies::{Finish, Transfer};
use crate::instructions::asynchrony::shared::{
    begin, everywhere, lanes, mbarrier_at, raw, shared, shared_addresses, shared_span, words,
};
use crate::instructions::asynchrony::tile::{CHUNK, Tile};
use crate::instructions::tensor_map::{MAP_BYTES, MOST_DIMENSIONS, TensorMap};
use crate::instrument::event::AccessKind;
use crate::machine::context::Context;
use crate::machine::lanes::addresses;
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx::ScalarType;
use lanework_ptx_ir::opcode::asynchrony::{TensorMode, TensorOp};
use lanework_ptx_ir::opcode::memory::{AtomicKind, AtomicOp};

/// The alignment of a tile in shared memory.
const ALIGNMENT: u64 = 128;
/// The first coordinate among the sources.
const COORDINATES: usize = 4;

/// Starts copies of tiles.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub(crate) unsafe fn start(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    tensor: TensorOp,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; `map_of`, `shared` and
    // `mbarrier_at` check every place before it is accessed.
    unsafe {
        let to = shared_addresses(warp, plan.src[0], tensor.shared);
        let map_at = addresses(warp, plan.src[1], tensor.map.offset as u64);
        let bar = match tensor.barrier {
            Some(at) => shared_addresses(warp, plan.src[2], at),
            None => to,
        };
        let mask = words(warp, plan, 3);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let mut map = map_of(warp, lane, tensor, map_at.0[i])?;
            let (coordinates, offsets) = tensor.mode.numbers(tensor.dimensions);
            let mut at = [0; MOST_DIMENSIONS];
            for (d, at) in at.iter_mut().enumerate().take(coordinates) {
                *at = i64::from(words(warp, plan, COORDINATES + d).0[i] as i32);
            }
            let mut moved = [0; 3];
            for (d, moved) in moved.iter_mut().enumerate().take(offsets) {
                let word = words(warp, plan, COORDINATES + coordinates + d).0[i];
                *moved = i64::from(word as u16);
            }
            let rows = rows_of(&mut map, tensor.mode, at, moved)
                .map_err(|note| bad_map(lane, tensor, map_at.0[i], note.to_owned()))?;
            let bytes = map.tile_bytes();
            let room = map.shared_bytes();
            let reduction = match tensor.reduction {
                None => None,
                Some(kind) => {
                    let ty = map.element.scalar();
                    let note = format!("no reduction `.{}` of {ty} elements", modifier(kind));
                    let known = reduces(kind, ty);
                    let found = AtomicOp::for_copy(kind, ty).filter(|_| known).map(combine);
                    let fault = || bad_map(lane, tensor, map_at.0[i], note);
                    Some(found.ok_or_else(fault)?)
                }
            };
            starts_well(lane, tensor, map_at.0[i], &at, map.element.bytes())?;
            let targets: Vec<u64> = match tensor.multicast {
                true => everywhere(to.0[i], mask.0[i]).collect(),
                false => vec![to.0[i]],
            };
            for (n, target) in targets.into_iter().enumerate() {
                let place = shared(warp, lane, target, room, ALIGNMENT, "tile")?;
                let finish = match tensor.barrier {
                    None => Finish::Group(None),
                    Some(_) => {
                        let address = match tensor.multicast {
                            true => crate::instructions::asynchrony::cluster::address_in(
                                place.rank, bar.0[i],
                            ),
                            false => bar.0[i],
                        };
                        mbarrier_at(warp, lane, address, place, bytes as u32)?
                    }
                };
                let (host, offset) = (place.host, place.offset);
                let load = tensor.barrier.is_some();
                let tile = Tile {
                    map: map.clone(),
                    rows: rows.clone(),
                    at,
                    host,
                    offset,
                    load,
                    combine: reduction,
                };
                // The other end is not a run of bytes.
                let span = Some(shared_span(place.rank, offset, bytes));
                let spans = if load { [None, span] } else { [span, None] };
                begin(op, warp, lane, (Transfer::Tile(Box::new(tile)), finish), spans, n);
            }
        }
        Ok(true)
    }
}

/// The address of each row of a copy, if the rows are not a box of the tensor. If they are four
/// separate rows, the map gets a tile of four rows.
fn rows_of(
    map: &mut TensorMap,
    mode: TensorMode,
    at: [i64; MOST_DIMENSIONS],
    offsets: [i64; 3],
) -> Result<Option<Vec<Option<u64>>>, &'static str> {
    match (mode, map.im2col) {
        (TensorMode::Tile, None) => Ok(None),
        (TensorMode::Pixels | TensorMode::PixelsInPlace, Some(im2col)) => {
            Ok(Some(map.pixels(&im2col, at, offsets)))
        }
        (TensorMode::Rows, None) => {
            if map.tile[1] != 1 {
                return Err("a copy of four rows needs a tensor map whose tiles have one row");
            }
            map.tile[1] = 4;
            map.steps[1] = 1;
            let row = |y: i64| {
                let inside = (0..map.extent[1] as i64).contains(&y);
                inside.then(|| map.address.wrapping_add(y as u64 * map.strides[0]))
            };
            Ok(Some(at[1..].iter().map(|y| row(*y)).collect()))
        }
        (_, Some(_)) => Err("the tensor map is for `im2col`, but the instruction copies tiles"),
        (_, None) => Err("the tensor map is for tiles, but the instruction copies pixels"),
    }
}

/// The PTX modifier of a reduction.
fn modifier(kind: AtomicKind) -> &'static str {
    match kind {
        AtomicKind::Add => "add",
        AtomicKind::Min => "min",
        AtomicKind::Max => "max",
        AtomicKind::Increment => "inc",
        AtomicKind::Decrement => "dec",
        AtomicKind::CompareAndSwap => "cas",
        AtomicKind::Exchange => "exch",
        AtomicKind::And => "and",
        AtomicKind::Or => "or",
        AtomicKind::Xor => "xor",
    }
}

/// Whether PTX has this reduction of tiles.
fn reduces(kind: AtomicKind, ty: ScalarType) -> bool {
    use ScalarType::{Bf16, F16, F32, S32, S64, U32, U64};
    match kind {
        AtomicKind::Add => matches!(ty, U32 | S32 | U64 | F16 | Bf16 | F32),
        AtomicKind::Min | AtomicKind::Max => matches!(ty, U32 | S32 | U64 | S64 | F16 | Bf16),
        AtomicKind::Increment | AtomicKind::Decrement => ty == U32,
        _ => matches!(ty, U32 | S32 | U64 | S64),
    }
}

/// Refuses start positions at which an H200 ends the kernel with an illegal instruction: those that are not a multiple of 16
/// bytes into a row, and, for stores, those before the tensor's first element.
fn starts_well(
    lane: u32,
    tensor: TensorOp,
    map: u64,
    at: &[i64; MOST_DIMENSIONS],
    size: u64,
) -> Result<(), RawFault> {
    let at = &at[..tensor.dimensions];
    let why = if !(at[0] as u64).wrapping_mul(size).is_multiple_of(CHUNK) {
        format!("begins at byte {} of its row, not a multiple of {CHUNK}", at[0] * size as i64)
    } else if tensor.barrier.is_none() && at.iter().any(|at| *at < 0) {
        "starts before the tensor".to_owned()
    } else {
        return Ok(());
    };
    let note = format!("a tile at {at:?} {why}: a GPU ends the kernel with an illegal instruction");
    Err(raw(FaultKind::TilePlace, lane, (tensor.map.space, map, MAP_BYTES as u64), note))
}

fn bad_map(lane: u32, tensor: TensorOp, address: u64, note: String) -> RawFault {
    raw(FaultKind::TensorMap, lane, (tensor.map.space, address, MAP_BYTES as u64), note)
}

/// The map at an address.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn map_of(
    warp: &Warp,
    lane: u32,
    tensor: TensorOp,
    address: u64,
) -> Result<TensorMap, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    let context: &Context = unsafe { &*warp.context };
    let space = tensor.map.space;
    let place = (space, address, MAP_BYTES as u64);
    if !address.is_multiple_of(64) {
        let note = format!("misaligned tensor map: address {address:#x} is not a multiple of 64");
        return Err(raw(FaultKind::Misaligned, lane, place, note));
    }
    let host = context.lane_host(space, warp.index, lane, address, MAP_BYTES as u64);
    let Some(host) = host else {
        let out = raw(FaultKind::OutOfBounds, lane, place, "");
        return Err(RawFault { access: Some(AccessKind::Load), ..out });
    };
    let mut bytes = [0; MAP_BYTES];
    // SAFETY: `lane_host` checked the bytes of a map.
    unsafe { guest::read_bytes(host, &mut bytes) };
    let bad = |note: String| bad_map(lane, tensor, address, note);
    let map = TensorMap::decode(&bytes).ok_or_else(|| {
        bad(format!("the 128 bytes at {address:#x} are not a tensor map in the emulator's layout"))
    })?;
    if map.extent.len() != tensor.dimensions {
        return Err(bad(format!(
            "the tensor map has {} dimensions, the instruction {}",
            map.extent.len(),
            tensor.dimensions
        )));
    }
    Ok(map)
}
