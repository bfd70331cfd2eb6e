//! What is checked of places in tensor memory, and its faults.

use super::address::Place;
use super::memory::{LANES, TensorMemory};
use crate::fault::{FaultKind, RawFault};
use crate::machine::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// A fault of what one lane does with tensor memory.
#[cold]
pub fn misuse(lane: u32, note: impl Into<String>) -> RawFault {
    RawFault {
        kind: FaultKind::TensorMemory,
        lane,
        address: None,
        bytes: 0,
        space: MemorySpace::Generic,
        access: None,
        note: note.into(),
    }
}

/// Checks that columns are allocated and lanes exist.
///
/// # Errors
/// When not; `what` is what they are for.
pub fn check_columns(
    memory: &TensorMemory,
    lane: u32,
    at: Place,
    (lanes, columns): (u32, u32),
    what: &str,
) -> Result<(), RawFault> {
    if at.lane + lanes > LANES {
        let note = format!(
            "{what}: lanes {} to {} of tensor memory, which has {LANES}",
            at.lane,
            at.lane + lanes - 1
        );
        return Err(misuse(lane, note));
    }
    if memory.holds(i64::from(at.column), columns) {
        return Ok(());
    }
    let given: Vec<String> = memory
        .allocations()
        .iter()
        .map(|a| format!("{} to {}", a.start, a.start + a.columns - 1))
        .collect();
    let given = match given.is_empty() {
        true => "none".to_owned(),
        false => given.join(", "),
    };
    let last = at.column + columns.max(1) - 1;
    let note = format!(
        "{what}: columns {} to {last} of tensor memory are not all allocated (allocated: {given})",
        at.column
    );
    Err(misuse(lane, note))
}

/// An operand that all lanes of a warp must give alike.
///
/// # Errors
/// When they do not.
pub fn same(warp: &Warp, lanes: &[u32; 32], what: &str) -> Result<u32, RawFault> {
    let first = warp.mask.trailing_zeros() & 31;
    let value = lanes[first as usize];
    let other = (0..32).find(|lane| warp.mask >> lane & 1 != 0 && lanes[*lane] != value);
    match other {
        None => Ok(value),
        Some(lane) => Err(misuse(
            lane as u32,
            format!(
                "the threads of a warp give different {what}: {value:#x} and {:#x}",
                lanes[lane]
            ),
        )),
    }
}
