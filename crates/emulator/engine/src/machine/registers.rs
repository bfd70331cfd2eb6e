//! Reads the state of a warp for instruments: registers by their numbers in the kernel, whatever their form in the
//! register file, and memory.

use crate::instrument::step_view::StepState;
use crate::machine::Warp;
use crate::machine::lanes::fetch_cold;
use crate::machine::slot::{Lanes, NO_SLOT};
use crate::memory::guest;
use lanework_ptx_ir::kernel::{MemorySpace, Reg, Width};

impl Warp {
    /// The bits of a register of the kernel in each lane, a predicate as 0 or 1; `None` if no instruction uses it. Lanes that
    /// have not executed an instruction that writes it hold any value.
    pub fn register(&self, register: Reg) -> Option<[u64; 32]> {
        // SAFETY: a warp outside of this crate was started by the scheduler, whose worker owns the context, and through it
        // the code and the kernel, for longer than the run. The slots are those of the code that the warp runs
        // (`Worker::new`, `Worker::widen`), so that they are in its register file, and a predicate's slot holds one.
        unsafe {
            let context = &*self.context;
            let registers = &*context.kernel_registers;
            let slots = &*context.slots[usize::from(self.widened)];
            let width = registers.get(register as usize)?.width;
            let slot = *slots.get(register as usize)?;
            if slot == NO_SLOT {
                return None;
            }
            Some(match width {
                Width::Predicate => {
                    let bits = *self.at(slot).cast::<u32>();
                    std::array::from_fn(|lane| u64::from(bits >> lane & 1))
                }
                Width::Word => {
                    let Lanes(words) = fetch_cold::<u32>(self, slot);
                    words.map(u64::from)
                }
                Width::Wide => fetch_cold::<u64>(self, slot).0,
            })
        }
    }
}

impl StepState for Warp {
    fn active(&self) -> u32 {
        self.mask
    }

    fn live(&self) -> u32 {
        self.live
    }

    fn register(&self, register: Reg) -> Option<[u64; 32]> {
        Warp::register(self, register)
    }

    fn read(&self, space: MemorySpace, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        let Some(from) = self.lane_host(space, lane & 31, address, bytes.len() as u64) else {
            return false;
        };
        // SAFETY: `lane_host` checked that the bytes are in one region, which the launch keeps alive. Workers of other
        // blocks write it by guest accesses, as `read_bytes` allows.
        unsafe { guest::read_bytes(from, bytes) };
        true
    }
}
