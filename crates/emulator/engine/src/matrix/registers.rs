//! The registers of fragments, read and written for the whole warp.

use crate::lanes::{fetch_cold, put_cold};
use crate::machine::Warp;
use crate::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::opcode::matrix::ElementType;

/// What up to 8 registers hold in each lane.
pub type Registers = [[u64; 32]; 8];

/// Reads the registers of a fragment of `number`.
///
/// # Safety
/// The slots are registers of the warp.
pub unsafe fn read_registers(warp: &Warp, number: ElementType, slots: &[Slot]) -> Registers {
    let mut words = [[0; 32]; 8];
    for (to, slot) in words.iter_mut().zip(slots) {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
        unsafe {
            match number {
                ElementType::F64 => *to = fetch_cold::<u64>(warp, *slot).0,
                _ => {
                    let lanes = fetch_cold::<u32>(warp, *slot);
                    for i in 0..32 {
                        to[i] = lanes.0[i].into();
                    }
                }
            }
        }
    }
    words
}

/// Writes the registers of a fragment of `number`.
///
/// # Safety
/// The slots are registers of the warp.
pub unsafe fn write_registers(
    warp: &mut Warp,
    number: ElementType,
    slots: &[Slot],
    words: &Registers,
) {
    for (word, slot) in words.iter().zip(slots).filter(|(_, slot)| **slot != NO_SLOT) {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
        unsafe {
            match number {
                ElementType::F64 => put_cold(warp, *slot, Lanes(*word)),
                _ => {
                    let mut lanes = Lanes([0u32; 32]);
                    for i in 0..32 {
                        lanes.0[i] = word[i] as u32;
                    }
                    put_cold(warp, *slot, lanes);
                }
            }
        }
    }
}
