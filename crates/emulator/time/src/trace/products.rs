//! Whether tensor products decide what a kernel does: its branches, barriers and addresses. If they only produce data, the
//! trace leaves them out, because the emulator takes a hundred times as long for a product as for another instruction.
//!
//! A forward slice (Weiser, "Program Slicing", 1981) over data dependences, flow-insensitive: from the products through
//! registers, and through shared and global memory as a whole. So it may find that products decide where they do not.

use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode};
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use lanework_ptx_ir::opcode::matrix::MatrixOp;

/// Multiply-adds that the emulator computes in the time of another instruction that is traced.
const PER_INSTRUCTION: usize = 256;

/// How often the emulator could have executed another instruction, for an instruction of one warp.
pub fn cost(inst: &Inst) -> u32 {
    let products = match &inst.opcode {
        Opcode::Matrix(MatrixOp::Multiply(op)) => op.shape.m * op.shape.n * op.shape.k,
        // A warp computes a quarter of the 64 rows.
        Opcode::Matrix(MatrixOp::Group(op)) => 16 * op.n * op.k,
        _ => 0,
    };
    (products / PER_INSTRUCTION) as u32
}

/// Whether the kernel has products, and all of them only produce data.
pub fn only_data(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|inst| cost(inst) > 0) && Slice::of(kernel).is_some()
}

/// The registers and memory that depend on products.
struct Slice {
    registers: Vec<bool>,
    shared: bool,
    global: bool,
}

/// Sentinel: a product decides something.
struct Decides;

impl Slice {
    /// The values that depend on products; `None` if a product decides something.
    fn of(kernel: &Kernel) -> Option<Slice> {
        let registers = vec![false; kernel.registers.len()];
        let mut slice = Slice { registers, shared: false, global: false };
        loop {
            let mut grew = false;
            for inst in &kernel.insts {
                grew |= slice.step(inst).ok()?;
            }
            if !grew {
                return Some(slice);
            }
        }
    }

    /// Whether a source depends on a product.
    fn source(&self, inst: &Inst, at: usize) -> bool {
        let register = inst.src.get(at).and_then(|src| src.register());
        register.is_some_and(|register| self.registers[register as usize])
    }

    fn any_source(&self, inst: &Inst, from: usize) -> bool {
        (from..inst.src.len()).any(|at| self.source(inst, at))
    }

    /// Whether memory of a space holds values that depend on products.
    fn holds(&self, space: MemorySpace) -> bool {
        match space {
            MemorySpace::Shared => self.shared,
            MemorySpace::Global => self.global,
            MemorySpace::Constant | MemorySpace::Parameter => false,
            _ => self.shared || self.global,
        }
    }

    fn store(&mut self, space: MemorySpace) -> bool {
        let before = (self.shared, self.global);
        self.shared |= space != MemorySpace::Global;
        self.global |= space != MemorySpace::Shared;
        before != (self.shared, self.global)
    }

    fn write(&mut self, inst: &Inst) -> bool {
        let mut grew = false;
        for register in inst.writes() {
            grew |= !std::mem::replace(&mut self.registers[register as usize], true);
        }
        grew
    }

    /// Follows one instruction; returns whether more depends on products now.
    fn step(&mut self, inst: &Inst) -> Result<bool, Decides> {
        let guarded = inst.guard.is_some_and(|(guard, _)| self.registers[guard as usize]);
        if guarded && !matches!(inst.opcode, Opcode::Alu(_) | Opcode::Nothing) {
            return Err(Decides);
        }
        let grew = match &inst.opcode {
            Opcode::Matrix(MatrixOp::Multiply(_) | MatrixOp::Group(_)) => self.write(inst),
            Opcode::Matrix(MatrixOp::Transpose) | Opcode::Alu(_) | Opcode::Warp(_) => {
                (guarded || self.any_source(inst, 0)) && self.write(inst)
            }
            Opcode::Matrix(MatrixOp::Rows { store, space, .. }) => {
                self.access(inst, (*store, !*store), *space, 1)?
            }
            Opcode::Matrix(MatrixOp::Tile { store, space, .. }) => {
                self.access(inst, (*store, !*store), *space, 2)?
            }
            Opcode::Memory(op) => {
                let stores = op.kind != MemoryKind::Load;
                self.access(inst, (stores, op.kind != MemoryKind::Store), op.space, 1)?
            }
            Opcode::Async(AsyncOp::Store { .. }) => {
                if self.source(inst, 0) || self.source(inst, 1) {
                    return Err(Decides);
                }
                self.any_source(inst, 2) && self.store(MemorySpace::Shared)
            }
            Opcode::Async(AsyncOp::Copy(_) | AsyncOp::Tensor(_)) | Opcode::AsyncCopy { .. } => {
                if self.any_source(inst, 0) {
                    return Err(Decides);
                }
                (self.shared || self.global) && self.store(MemorySpace::Generic)
            }
            _ if self.any_source(inst, 0) => return Err(Decides),
            _ => false,
        };
        Ok(grew)
    }

    /// Follows an access whose first `addresses` sources tell its place.
    fn access(
        &mut self,
        inst: &Inst,
        (stores, loads): (bool, bool),
        space: MemorySpace,
        addresses: usize,
    ) -> Result<bool, Decides> {
        if (0..addresses).any(|at| self.source(inst, at)) {
            return Err(Decides);
        }
        let stored = stores && self.any_source(inst, addresses) && self.store(space);
        let loaded = loads && self.holds(space) && self.write(inst);
        Ok(stored || loaded)
    }
}
