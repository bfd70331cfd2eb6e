//! Moves matrices between memory and registers, and between lanes.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::access::site::{AccessSite, Region, Rows};
use crate::instructions::matrix::Plan;
use crate::instructions::matrix::registers::{Registers, read_registers, write_registers};
use crate::instrument::event::{AccessKind, MatrixTile, Wants};
use crate::machine::context::{Context, recover};
use crate::machine::lanes::{addresses, fetch_cold};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{self as opcode, ElementType, Fragment, MatrixOp};

/// Checks one access of a lane and returns its host address. `near` is the region of the last
/// access.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn host(
    (op, warp): (&Op, &Warp),
    near: &mut Option<Region>,
    (space, access): (MemorySpace, AccessKind),
    lane: usize,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    let context: &Context = unsafe { &*warp.context };
    let aligned = address.is_multiple_of(bytes);
    if let Some(region) = near
        && aligned
        && region.holds(address, address, bytes)
    {
        // SAFETY: `holds` found the address in the region, so the pointer stays within one allocation.
        return Ok(unsafe { region.host.add((address - region.start) as usize) });
    }
    *near = context.region_of(space, address);
    let found = context.lane_host(space, warp.index, lane as u32, address, bytes);
    match found {
        Some(place) if aligned => Ok(place),
        _ => {
            let kind = if aligned { FaultKind::OutOfBounds } else { FaultKind::Misaligned };
            let raw = RawFault {
                kind,
                lane: lane as u32,
                address: Some(address),
                bytes: bytes as u32,
                space,
                access: Some(access),
                note: String::new(),
            };
            recover(warp, op, raw)
        }
    }
}

/// Reports an access by the lanes in `mask` to the instrument.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn observe(op: &Op, warp: &mut Warp, site: &AccessSite, mask: u32, at: &[u64; 32]) {
    let all = std::mem::replace(&mut warp.mask, mask);
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    unsafe { (*warp.context).observe(warp, op, site, at) };
    warp.mask = all;
}

fn kind_of(store: bool) -> AccessKind {
    if store { AccessKind::Store } else { AccessKind::Load }
}

/// `ldmatrix` and `stmatrix`: each of the first lanes gives the address of a row of 16 bytes. The
/// eight rows of a matrix pass through the banks together, as 16-byte accesses of eight lanes do.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn rows(op: &Op, warp: &mut Warp, plan: &Plan) -> Result<(), RawFault> {
    let MatrixOp::Rows { store, count, transposed, space, offset } = plan.op else {
        return Ok(());
    };
    let to = (space, kind_of(store));
    let lines = 8 * count;
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `host` checks
    // every row before it is accessed.
    unsafe {
        let at = addresses(warp, plan.src[0], offset).0;
        // The row among all matrices, and the column, of one half of a lane's register; the matrix starts at row `first`.
        let element = |first: usize, lane: usize, half: usize| {
            let (row, column) = (lane / 4, 2 * (lane % 4) + half);
            let (row, column) = if transposed { (column, row) } else { (row, column) };
            (first + row, column)
        };
        let mut matrices: Rows = [[0; 8]; 32];
        if store {
            let words = read_registers(warp, ElementType::F16, &plan.src[1..]);
            for matrix in 0..count {
                for lane in 0..32 {
                    for half in 0..2 {
                        let (row, column) = element(8 * matrix, lane, half);
                        matrices[row][column] = (words[matrix][lane] >> (16 * half)) as u16;
                    }
                }
            }
        }
        if plan.observed {
            let mut site = AccessSite::aside(space, kind_of(store), 16, AccessClass::Rows);
            site.rows = if store { &raw const matrices } else { std::ptr::null() };
            observe(op, warp, &site, u32::MAX >> (32 - lines), &at);
        }
        let mut near = None;
        let mut places = [std::ptr::null_mut::<[u16; 8]>(); 32];
        for (lane, place) in places.iter_mut().enumerate().take(lines) {
            *place = host((op, warp), &mut near, to, lane, at[lane], 16)?.cast();
        }
        if store {
            for (place, row) in places.iter().zip(matrices).take(lines) {
                place.write_unaligned(row);
            }
            return Ok(());
        }
        for (place, row) in places.iter().zip(&mut matrices).take(lines) {
            *row = place.read_unaligned();
        }
        let mut words = [[0; 32]; 8];
        for matrix in 0..count {
            for lane in 0..32 {
                for half in 0..2 {
                    let (row, column) = element(8 * matrix, lane, half);
                    words[matrix][lane] |= u64::from(matrices[row][column]) << (16 * half);
                }
            }
        }
        write_registers(warp, ElementType::F16, &plan.dst, &words);
    }
    Ok(())
}

/// `movmatrix`.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn transpose(warp: &mut Warp, plan: &Plan) {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    let words = unsafe { read_registers(warp, ElementType::F16, &plan.src) };
    let mut to: Registers = [[0; 32]; 8];
    for lane in 0..32 {
        for half in 0..2 {
            // The element's row and column are exchanged.
            let (row, column) = (2 * (lane % 4) + half, lane / 4);
            let bits = words[0][4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
            to[0][lane] |= bits << (16 * half);
        }
    }
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, ElementType::F16, &plan.dst, &to) }
}

/// `wmma.load` and `wmma.store`: each lane accesses the elements that it holds, with one access for a run of
/// contiguous elements.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn tile(op: &Op, warp: &mut Warp, plan: &Plan) -> Result<(), RawFault> {
    let MatrixOp::Tile { store, fragment, by_rows, space, offset } = plan.op else {
        return Ok(());
    };
    let to = (space, kind_of(store));
    // Elements smaller than a byte are moved as whole registers.
    let (packed, element_bits) = match fragment.number.bits() {
        bits @ ..8 => (32 / bits, bits),
        bits => (1, bits),
    };
    let fragment = if packed > 1 { fragment.of_words(packed) } else { fragment };
    let Fragment { part, number, .. } = fragment;
    let size = number.bits() / 8;
    let along = by_rows == (part != opcode::MatrixOperand::B);
    let step = if along { fragment.run() } else { 1 };
    let (per, bits) = (number.per_register(), number.bits());
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `host` checks
    // every element before it is accessed.
    unsafe {
        let base = addresses(warp, plan.src[0], offset).0;
        let stride = fetch_cold::<u32>(warp, plan.src[1]).0;
        if plan.observed {
            let registers = if store { plan.src.len() - 2 } else { plan.dst.len() };
            let tile = MatrixTile {
                space,
                kind: to.1,
                base: &base,
                pitch: u64::from(stride[0]) * element_bits as u64,
                fragment: (registers * if number == ElementType::F64 { 8 } else { 4 }) as u64,
            };
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::ACCESSES) {
                instrument.matrix_tile(warp, instruction, &tile);
            }
        }
        let mut words = match store {
            true => read_registers(warp, number, &plan.src[2..]),
            false => [[0; 32]; 8],
        };
        let mut near = None;
        for i in 0..fragment.elements() {
            let mut at = [0u64; 32];
            for lane in 0..32 {
                let (row, column) = fragment.place(lane, i);
                let (line, within) = if by_rows { (row, column) } else { (column, row) };
                let within = (within * packed) as u64;
                let index = (line as u64).wrapping_mul(u64::from(stride[lane])) + within;
                let bytes = index.wrapping_mul(element_bits as u64) / 8;
                at[lane] = base[lane].wrapping_add(bytes);
            }
            if plan.observed && i % step == 0 {
                let service = if store { AccessClass::Store } else { AccessClass::Load };
                let site = AccessSite::aside(space, kind_of(store), (size * step) as u8, service);
                observe(op, warp, &site, u32::MAX, &at);
            }
            for lane in 0..32 {
                let place = host((op, warp), &mut near, to, lane, at[lane], size as u64)?;
                let word = &mut words[i / per][lane];
                let shift = bits * (i % per);
                if store {
                    let bytes = (*word >> shift).to_le_bytes();
                    guest::write_bytes(place, &bytes[..size]);
                } else {
                    let mut bytes = [0; 8];
                    guest::read_bytes(place, &mut bytes[..size]);
                    *word |= u64::from_le_bytes(bytes) << shift;
                }
            }
        }
        if !store {
            // Registers beyond those needed repeat the first ones.
            for register in fragment.registers()..plan.dst.len() {
                words[register] = words[register - fragment.registers()];
            }
            write_registers(warp, number, &plan.dst, &words);
        }
    }
    Ok(())
}
