//! Which registers are uniform or affine over the lanes of a warp, for one block shape.
//!
//! Each register has one class for the whole kernel, the join over all its writes. A write under a
//! divergent branch would clobber the value that waiting lanes still hold, unless none of them reads
//! it later; registers for which one may are varying.

use crate::ir::cfg::{Bits, Flow};
use crate::ir::kernel::*;

pub use crate::ir::types::Class;

/// The class of each register.
pub struct Classes {
    /// By register number.
    pub of: Vec<Class>,
}

impl Classes {
    /// Every register varying: no analysis.
    pub fn all_varying(kernel: &Kernel) -> Classes {
        Classes { of: vec![Class::Varying; kernel.registers.len()] }
    }

    /// The classes of a kernel's registers for a block shape.
    pub fn find(kernel: &Kernel, flow: &Flow, block: [u32; 3]) -> Classes {
        let mut classes = Classes { of: vec![Class::Undefined; kernel.registers.len()] };
        for (i, register) in kernel.registers.iter().enumerate() {
            if let Some(special) = register.special {
                classes.of[i] = special_class(special, block);
            }
        }
        let mut guarded: Vec<Option<[Bits; 2]>> = vec![None; flow.blocks.len()];
        loop {
            let mut changed = false;
            for inst in &kernel.insts {
                let mut class = classes.result(inst);
                if let Some((guard, _)) = inst.guard
                    && classes.of[guard as usize] > Class::Uniform
                {
                    class = Class::Varying;
                }
                for dst in inst.dst.iter().flatten() {
                    changed |= classes.raise(*dst, class, kernel);
                }
            }
            for (b, block) in flow.blocks.iter().enumerate() {
                let inst = &kernel.insts[block.end - 1];
                let (Action::Branch(_), Some((guard, _)), Some(next), Some(target)) =
                    (&inst.action, inst.guard, block.next, block.target)
                else {
                    continue;
                };
                if classes.of[guard as usize] <= Class::Uniform {
                    continue;
                }
                let meet = flow.meet[b];
                let hazards = guarded[b].get_or_insert_with(|| {
                    let hazard = |side: usize, other: usize| {
                        let mut written = flow.written_between(kernel, side, meet);
                        let mut read = Bits::new(kernel.registers.len());
                        if Some(other) != meet {
                            read.add(&flow.live_in[other]);
                        }
                        if let Some(meet) = meet {
                            read.add(&flow.live_in[meet]);
                        }
                        written.keep(&read);
                        written
                    };
                    [hazard(target, next), hazard(next, target)]
                });
                for r in hazards[0].iter().chain(hazards[1].iter()) {
                    if classes.of[r] != Class::Varying {
                        classes.of[r] = Class::Varying;
                        changed = true;
                    }
                }
            }
            if !changed {
                return classes;
            }
        }
    }

    fn raise(&mut self, register: Reg, class: Class, kernel: &Kernel) -> bool {
        let predicate = kernel.registers[register as usize].width == Width::Predicate;
        // A predicate has a bit per lane in any case: only uniform or not matters.
        let class = if predicate && class == Class::Affine { Class::Varying } else { class };
        let old = &mut self.of[register as usize];
        let raised = class > *old;
        *old = class.max(*old);
        raised
    }

    /// The class of an operand.
    pub fn source(&self, src: Src) -> Class {
        match src {
            Src::Reg(r) => self.of[r as usize],
            Src::Const(_) | Src::Truth(_) | Src::DynamicShared(_) => Class::Uniform,
        }
    }

    /// The class that an instruction gives its results.
    fn result(&self, inst: &Inst) -> Class {
        let sources = || inst.src.iter().map(|s| self.source(*s));
        match &inst.action {
            Action::Pure(pure) => {
                let worst = sources().max().unwrap_or(Class::Uniform);
                match worst {
                    Class::Varying => Class::Varying,
                    Class::Affine => {
                        let all: Vec<Class> = sources().collect();
                        match pure.affine {
                            Some(affine) if (affine.applies)(&all) => Class::Affine,
                            _ => Class::Varying,
                        }
                    }
                    other => other,
                }
            }
            Action::Alu(op) => match sources().max().unwrap_or(Class::Uniform) {
                Class::Affine => {
                    let all: Vec<Class> = sources().collect();
                    if op.keeps_affine(&all) { Class::Affine } else { Class::Varying }
                }
                other => other,
            },
            Action::Custom { form: Form::Uniform, .. } => Class::Uniform,
            Action::Memory(op) => {
                let address = self.source(inst.src[0]);
                let same = matches!(op.kind, MemoryKind::Load)
                    && !op.volatile
                    && !matches!(op.space, MemorySpace::Local | MemorySpace::Generic)
                    && address <= Class::Halves;
                if same { address } else { Class::Varying }
            }
            _ => Class::Varying,
        }
    }
}

fn special_class(special: Special, block: [u32; 3]) -> Class {
    match special {
        Special::Thread(axis) => thread_class(block, usize::from(axis)),
        Special::Lane => Class::Affine,
        Special::LaneMask(_) => Class::Varying,
        _ => Class::Uniform,
    }
}

/// The thread index of a linear thread number.
pub fn thread_index(block: [u32; 3], linear: u32) -> [u32; 3] {
    let (x, y) = (block[0].max(1), block[1].max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// The class of `%tid` on one axis, found by looking at every thread of the block.
fn thread_class(block: [u32; 3], axis: usize) -> Class {
    let threads: u32 = block.iter().product();
    let at = |t: u32| i64::from(thread_index(block, t)[axis]);
    let mut class = Class::Uniform;
    for warp in 0..threads.div_ceil(32) {
        let first = warp * 32;
        let stride = at(first + 1) - at(first);
        for half in 0..2 {
            let base = first + half * 16;
            for i in 0..16 {
                if at(base + i) != at(base) + stride * i64::from(i) {
                    return Class::Varying;
                }
            }
        }
        if stride != 0 {
            class = class.max(Class::Affine);
        } else if at(first) != at(first + 16) {
            class = class.max(Class::Halves);
        }
    }
    class
}
