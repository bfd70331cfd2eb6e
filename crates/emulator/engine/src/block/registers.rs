//! Fills the register files of a block with constants and special registers, and widens the forms of registers.

use crate::assemble::code::Assembled;
use crate::assemble::{Code, Prefill};
use crate::block::worker::{Buffer, Worker};
use crate::machine::slot::{NO_SLOT, OFFSET, SCALAR, Scalar, Slot, WIDE};
use lanework_ptx_ir::analysis::uniformity::thread_index;
use lanework_ptx_ir::kernel::{LaneMask, SpecialRegister};

pub(crate) fn slot_bytes(slot: Slot, assembled: &Assembled, register: u32) -> usize {
    use lanework_ptx_ir::kernel::Width;
    match (assembled.kernel.registers[register as usize].width, slot & SCALAR != 0) {
        (Width::Predicate, _) => 4,
        (_, true) => 32,
        (Width::Word, false) => 128,
        (Width::Wide, false) => 256,
    }
}

/// # Safety
/// `a` and `b` are registers of this width in two register files, in the forms that the slots say.
unsafe fn move_register(
    old: *mut u8,
    from: Slot,
    new: *mut u8,
    to: Slot,
    width: lanework_ptx_ir::kernel::Width,
) {
    use lanework_ptx_ir::kernel::Width;
    let (a, b) =
        (old.wrapping_add((from & OFFSET) as usize), new.wrapping_add((to & OFFSET) as usize));
    // SAFETY: `a` and `b` are slots of register files of this form and width, as this function requires, in two
    // different files.
    unsafe {
        if width == Width::Predicate {
            *b.cast::<u32>() = *a.cast::<u32>();
        } else if from & SCALAR == 0 {
            b.copy_from_nonoverlapping(a, if width == Width::Wide { 256 } else { 128 });
        } else {
            let scalar = *a.cast::<Scalar>();
            for lane in 0..32 {
                let step = scalar.stride.wrapping_mul(lane as u64 & 15);
                let value = scalar.base[lane / 16].wrapping_add(step);
                if width == Width::Wide {
                    *b.cast::<u64>().add(lane) = value;
                } else {
                    *b.cast::<u32>().add(lane) = value as u32;
                }
            }
        }
    }
}

impl Worker<'_> {
    /// Writes constants and special registers.
    pub(crate) fn prefill(&mut self, w: usize, code: &Code) {
        for (slot, what) in &code.prefill {
            let regs = self.warps[w].regs;
            let at = regs.wrapping_add((slot & OFFSET) as usize);
            // SAFETY: `code.prefill` names slots that the assembler reserved within `register_bytes`, the size of each warp's
            // register file.
            unsafe {
                match *what {
                    Prefill::Special(special) => self.write_special(at, *slot, special, w as u32),
                    Prefill::Constant(value) => {
                        at.cast::<Scalar>().write(Scalar {
                            base: [value; 2],
                            stride: 0,
                            unused: 0,
                        });
                    }
                    Prefill::Truth(value) => {
                        at.cast::<u32>().write(if value { u32::MAX } else { 0 })
                    }
                }
            }
        }
    }

    /// Writes the special registers that change from block to block, the same for every warp.
    pub(crate) fn prefill_block(&mut self) {
        for i in 0..self.per_block.len() {
            let (slot, special) = self.per_block[i];
            let value = self.special(special, 0, 0);
            for w in 0..self.warps.len() {
                let at = self.warps[w].regs.wrapping_add((slot & OFFSET) as usize);
                // SAFETY: `code.prefill` names slots that the assembler reserved within `register_bytes`, the size of each warp's
                // register file.
                unsafe {
                    if slot & SCALAR != 0 {
                        at.cast::<Scalar>().write(Scalar {
                            base: [value; 2],
                            stride: 0,
                            unused: 0,
                        });
                    } else {
                        self.write_special(at, slot, special, w as u32);
                    }
                }
            }
        }
    }

    /// # Safety
    /// `at` is the register of this slot.
    unsafe fn write_special(&self, at: *mut u8, slot: Slot, special: SpecialRegister, warp: u32) {
        let value = |lane| self.special(special, warp, lane);
        // SAFETY: `at` is the register of `slot`, in the form that the slot says, as this function requires.
        unsafe {
            if slot & SCALAR != 0 {
                let stride = value(1).wrapping_sub(value(0));
                at.cast::<Scalar>().write(Scalar {
                    base: [value(0), value(16)],
                    stride,
                    unused: 0,
                });
            } else {
                for lane in 0..32 {
                    let bits = value(lane);
                    if slot & WIDE != 0 {
                        at.cast::<u64>().add(lane as usize).write(bits);
                    } else {
                        at.cast::<u32>().add(lane as usize).write(bits as u32);
                    }
                }
            }
        }
    }

    fn special(&self, special: SpecialRegister, warp: u32, lane: u32) -> u64 {
        let shape = &self.shape;
        let shared = self.assembled.kernel.static_shared;
        let value = match special {
            SpecialRegister::Thread(axis) => {
                thread_index(shape.block, warp * 32 + lane)[usize::from(axis)]
            }
            SpecialRegister::BlockShape(axis) => shape.block[usize::from(axis)],
            SpecialRegister::Block(axis) => self.block_index()[usize::from(axis)],
            SpecialRegister::GridShape(axis) => shape.grid[usize::from(axis)],
            SpecialRegister::Lane => lane,
            SpecialRegister::Warp => warp,
            SpecialRegister::Warps => self.warps.len() as u32,
            SpecialRegister::Multiprocessor => {
                (self.context.block % u64::from(shape.multiprocessors.max(1))) as u32
            }
            SpecialRegister::Multiprocessors => shape.multiprocessors,
            SpecialRegister::StackBytes => shape.stack_bytes,
            SpecialRegister::Grid => 1,
            SpecialRegister::LaneMask(which) => {
                let below = (1u32 << lane) - 1;
                match which {
                    LaneMask::Equal => 1 << lane,
                    LaneMask::AtMost => below | 1 << lane,
                    LaneMask::Below => below,
                    LaneMask::AtLeast => !below,
                    LaneMask::Above => !below & !(1 << lane),
                }
            }
            SpecialRegister::DynamicShared => shape.dynamic_shared,
            SpecialRegister::TotalShared => shared + shape.dynamic_shared,
            SpecialRegister::Cluster(axis) => {
                let axis = usize::from(axis);
                self.block_index()[axis] / shape.cluster[axis]
            }
            SpecialRegister::Clusters(axis) => {
                let axis = usize::from(axis);
                shape.grid[axis] / shape.cluster[axis]
            }
            SpecialRegister::ClusterBlock(axis) => {
                thread_index(shape.cluster, self.context.rank)[usize::from(axis)]
            }
            SpecialRegister::ClusterShape(axis) => shape.cluster[usize::from(axis)],
            SpecialRegister::ClusterRank => self.context.rank,
            SpecialRegister::ClusterBlocks => shape.cluster.iter().product(),
            SpecialRegister::ExplicitCluster => u32::from(shape.explicit_cluster),
            SpecialRegister::Environment(1) => (shape.workspace >> 32) as u32,
            SpecialRegister::Environment(_) => shape.workspace as u32,
        };
        u64::from(value)
    }

    /// Moves a warp to the code in which every register is varying.
    pub(crate) fn widen(&mut self, w: usize) {
        let assembled = self.assembled;
        let (code, wide) = (&assembled.code, assembled.wide());
        let stride = wide.register_bytes.next_multiple_of(64);
        let count = self.warps.len();
        let fresh = self.wide_registers.is_none();
        let base = self.wide_registers.get_or_insert_with(|| Buffer::new(stride * count)).start();
        if fresh {
            self.context.slots[1] = &raw const wide.slots[..];
            self.context.sites.extend_from_slice(&wide.sites);
            let sites = self.context.sites.as_mut_ptr();
            for warp in &mut self.warps {
                warp.sites = sites;
            }
        }
        let pc = self.warps[w].pc(self.warps[w].stopped_at);
        let old = self.warps[w].regs;
        let new = base.wrapping_add(stride * w);
        self.warps[w].regs = new;
        self.prefill(w, wide);
        for (r, register) in assembled.kernel.registers.iter().enumerate() {
            let (from, to) = (code.slots[r], wide.slots[r]);
            if register.special.is_none() && from != NO_SLOT {
                // SAFETY: both slots hold this register, each in the form its bits say.
                unsafe { move_register(old, from, new, to, register.width) };
            }
        }
        let warp = &mut self.warps[w];
        warp.ops = wide.ops.as_ptr();
        warp.stopped_at = warp.ops.wrapping_add(pc as usize);
        warp.widened = true;
    }
}
