//! Completes calls over the stack: which registers each call saves, and frame sizes. Also vector registers ([`element_names`]),
//! and the loads, stores and copies that pass parameters and results of calls and fill stack frames.
//!
//! A call saves the registers that are live after it and that any function of its group writes. Liveness is computed per function,
//! on a copy of the kernel where calls do nothing and the end of a function returns. So paths through a callee and back to another
//! call do not count. Then frame sizes are fixed, and saves and restores replace their markers.

use crate::LoweringResult;
use crate::analysis::Liveness;
use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::kernel::*;
use crate::lower::state::{CallGroup, Lowering, Symbol, width_of};
use crate::opcode::Alu;
use crate::opcode::logic::{CompareOp, LogicOp};
use lanework_ptx as syntax;
use lanework_ptx::{Instruction, ScalarType, Variable};
use std::borrow::Cow;
use std::collections::HashMap;

impl Lowering<'_> {
    /// Replaces the markers of all calls in groups, and the sizes of frames.
    pub(super) fn finish_frames(&mut self) {
        if self.groups.is_empty() {
            return;
        }
        let saved = self.saved_registers();
        let mut added: HashMap<usize, Vec<Inst>> = HashMap::new();
        for (group, saved) in self.groups.iter_mut().zip(&saved) {
            let mut slots: HashMap<(usize, Reg), u32> = HashMap::new();
            for (call, registers) in group.calls.iter().zip(saved) {
                let (mut saves, mut restores) = (Vec::new(), Vec::new());
                let origin = self.kernel.insts[call.save].origin;
                for register in registers {
                    let body = &mut group.bodies[call.caller];
                    let slot = slots.entry((call.caller, *register));
                    let at = *slot.or_insert_with(|| body.place_register());
                    let mut place =
                        FrameSlot { kernel: &mut self.kernel, sp: group.sp, at, origin };
                    saves.extend(place.save(*register));
                    restores.extend(place.restore(*register));
                }
                added.insert(call.save, saves);
                added.insert(call.restore, restores);
            }
        }
        let bodies = self.groups.iter().flat_map(|group| &group.bodies);
        let align = bodies.map(|body| body.align).max().unwrap_or(16);
        for size in &self.frame_sizes {
            let bytes = self.groups[size.group].bodies[size.body].bytes.next_multiple_of(align);
            let bytes = u64::from(bytes);
            let value = if size.negated { bytes.wrapping_neg() } else { bytes };
            if let Some(src) = self.kernel.insts[size.inst].src.get_mut(1) {
                *src = Operand::Const(value.wrapping_add(size.offset));
            }
        }
        self.insert(added);
    }

    /// For each call of each group, the registers to save.
    fn saved_registers(&self) -> Vec<Vec<Vec<Reg>>> {
        let mut alone = self.kernel.clone();
        let nothing = |inst: &mut Inst, src: Vec<Operand>| {
            (inst.opcode, inst.src, inst.guard) = (Opcode::Nothing, src, None);
            inst.dst.clear();
        };
        for group in &self.groups {
            for call in &group.calls {
                let range = call.save..call.restore;
                alone.insts[range].iter_mut().for_each(|inst| nothing(inst, Vec::new()));
            }
            for (i, body) in group.bodies.iter().enumerate() {
                let (first, end) = body.dispatch;
                // Keep the branch that leaves the group: the last instruction of the first body.
                let results: Vec<Operand> = body.results.iter().map(|r| Operand::Reg(*r)).collect();
                let last = end - usize::from(i == 0);
                alone.insts[first..last].iter_mut().for_each(|inst| nothing(inst, Vec::new()));
                if first < last {
                    nothing(&mut alone.insts[first], results);
                }
                if i > 0
                    && let Some(inst) = alone.insts[first..end].last_mut()
                {
                    inst.opcode = Opcode::Return;
                }
            }
        }
        let cfg = ControlFlowGraph::new(&alone);
        let liveness = Liveness::analyze(&alone, &cfg);
        self.groups.iter().map(|group| self.saved_in(group, &alone, &cfg, &liveness)).collect()
    }

    fn saved_in(
        &self,
        group: &CallGroup<'_>,
        alone: &Kernel,
        cfg: &ControlFlowGraph,
        liveness: &Liveness,
    ) -> Vec<Vec<Reg>> {
        let mut written = BitSet::new(self.kernel.registers.len());
        let inside = &self.kernel.insts[group.first..group.last];
        inside.iter().flat_map(Inst::writes).for_each(|r| written.insert(r as usize));
        let saved = group.calls.iter().map(|call| {
            let block = cfg.block_of(call.restore);
            let mut live = liveness.live_out(cfg, block);
            for inst in alone.insts[call.restore..cfg.blocks[block].end].iter().rev() {
                if inst.guard.is_none() {
                    inst.writes().for_each(|r| live.remove(r as usize));
                }
                inst.reads().for_each(|r| live.insert(r as usize));
                if inst.guard.is_some() {
                    inst.writes().for_each(|r| live.insert(r as usize));
                }
            }
            let own = |r: &Reg| *r == group.sp || call.keep.contains(r);
            let saved = live.iter().filter(|r| written.contains(*r)).map(|r| r as Reg);
            saved.filter(|r| !own(r) && Some(*r) != self.allocation).collect()
        });
        saved.collect()
    }

    /// Puts instructions in place of markers, and moves labels.
    fn insert(&mut self, mut added: HashMap<usize, Vec<Inst>>) {
        let old = std::mem::take(&mut self.kernel.insts);
        let mut place = Vec::with_capacity(old.len() + 1);
        for (i, inst) in old.into_iter().enumerate() {
            place.push(self.kernel.insts.len());
            match added.remove(&i) {
                Some(insts) => self.kernel.insts.extend(insts),
                None => self.kernel.insts.push(inst),
            }
        }
        place.push(self.kernel.insts.len());
        for label in &mut self.kernel.labels {
            *label = place[*label];
        }
    }
}

/// A register's place in the frame.
struct FrameSlot<'a> {
    kernel: &'a mut Kernel,
    sp: Reg,
    at: u32,
    origin: u32,
}

impl FrameSlot<'_> {
    fn inst(&self, opcode: Opcode, dst: Vec<Option<Reg>>, src: Vec<Operand>) -> Inst {
        Inst { opcode, dst, src, guard: None, origin: self.origin }
    }

    /// A predicate is saved as a word.
    fn word(&mut self) -> Reg {
        self.kernel.registers.push(Register { width: Width::Word, special: None });
        self.kernel.registers.len() as Reg - 1
    }

    fn memory(&self, kind: MemoryKind, width: Width) -> Opcode {
        let ty = if width == Width::Wide { ScalarType::B64 } else { ScalarType::B32 };
        Opcode::Memory(local(kind, ty, i64::from(self.at)))
    }

    fn save(&mut self, register: Reg) -> Vec<Inst> {
        let width = self.kernel.registers[register as usize].width;
        let (mut insts, mut value) = (Vec::new(), register);
        if width == Width::Predicate {
            value = self.word();
            let select = Opcode::Alu(Alu::Compare(CompareOp::Select { wide: false }));
            let src = vec![Operand::Const(1), Operand::Const(0), Operand::Reg(register)];
            insts.push(self.inst(select, vec![Some(value)], src));
        }
        let src = vec![Operand::Reg(self.sp), Operand::Reg(value)];
        insts.push(self.inst(self.memory(MemoryKind::Store, width), Vec::new(), src));
        insts
    }

    fn restore(&mut self, register: Reg) -> Vec<Inst> {
        let width = self.kernel.registers[register as usize].width;
        let load = self.memory(MemoryKind::Load, width);
        let src = vec![Operand::Reg(self.sp)];
        if width != Width::Predicate {
            return vec![self.inst(load, vec![Some(register)], src)];
        }
        let word = self.word();
        let test = Opcode::Alu(Alu::Logic(LogicOp::IsNonzero));
        vec![
            self.inst(load, vec![Some(word)], src),
            self.inst(test, vec![Some(register)], vec![Operand::Reg(word)]),
        ]
    }
}

/// The two names of each element.
const ELEMENTS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

/// The elements of a vector register, by name.
///
/// A vector register (`.reg .v4 .f32 v`; PTX manual, "Vectors") is lowered to scalar registers `v.x` to `v.w`, also named `v.r`,
/// `v.g`, `v.b` and `v.a`. An instruction that names the whole vector gets its elements instead.
pub fn element_names(name: &str, count: u8) -> Vec<syntax::Operand> {
    let elements = &ELEMENTS[..usize::from(count).min(ELEMENTS.len())];
    elements.iter().map(|[first, _]| format!("{name}.{first}").into()).collect()
}

impl Lowering<'_> {
    /// Declares a vector-register parameter in a function's scope; returns its elements.
    ///
    /// # Errors
    /// When no register has its type.
    pub fn vector_formal(
        &mut self,
        formal: &Variable,
        scope: &mut HashMap<String, Symbol>,
    ) -> LoweringResult<Vec<Reg>> {
        self.has_vectors = true;
        scope.insert(formal.name.clone(), Symbol::Vector(formal.vector));
        let width = width_of(formal.ty)?;
        let mut registers = Vec::new();
        for names in &ELEMENTS[..usize::from(formal.vector).min(ELEMENTS.len())] {
            let register = self.new_register(width);
            for name in names {
                scope.insert(format!("{}.{name}", formal.name), Symbol::Register(register));
            }
            registers.push(register);
        }
        Ok(registers)
    }

    /// Declares a vector register of `count` elements, 2 or 4.
    pub fn bind_vector(&mut self, name: &str, count: u8, width: Width) {
        self.has_vectors = true;
        self.bind(name, Symbol::Vector(count));
        for [first, second] in &ELEMENTS[..usize::from(count).min(ELEMENTS.len())] {
            let element = Symbol::Register(self.new_register(width));
            self.bind(&format!("{name}.{second}"), element.clone());
            self.bind(&format!("{name}.{first}"), element);
        }
    }

    /// Declares a register of 128 bits.
    pub fn bind_quad(&mut self, name: &str) {
        let halves = [(); 2].map(|()| self.new_register(Width::Wide));
        self.bind(name, Symbol::Quad(halves));
    }

    /// The instruction, with the elements in place of vector registers.
    pub fn with_elements<'i>(&mut self, instruction: &'i Instruction) -> Cow<'i, Instruction> {
        if !self.has_vectors || instruction.opcode == syntax::Opcode::Call {
            return Cow::Borrowed(instruction);
        }
        let mut instruction = instruction.clone();
        instruction.operands.iter_mut().for_each(|operand| self.expand(operand));
        Cow::Owned(instruction)
    }

    fn expand(&mut self, operand: &mut syntax::Operand) {
        match operand {
            syntax::Operand::Name(name) => {
                if let Some(Symbol::Vector(count)) = self.lookup(name) {
                    *operand = syntax::Operand::Vector(element_names(name, count));
                }
            }
            syntax::Operand::Address(address) => {
                address.extra.iter_mut().for_each(|operand| self.expand(operand));
            }
            _ => {}
        }
    }
}

/// A load or store of local memory.
pub fn local(kind: MemoryKind, ty: ScalarType, offset: i64) -> MemoryOp {
    MemoryOp { offset, ..memory(kind, MemorySpace::Local, ty) }
}

/// Loads from local memory.
pub fn load(lowering: &mut Lowering<'_>, ty: ScalarType, to: Reg, base: Operand, offset: i64) {
    let op = Opcode::Memory(local(MemoryKind::Load, ty, offset));
    lowering.emit(op, vec![Some(to)], vec![base], None);
}

/// Stores to local memory.
pub fn store(
    lowering: &mut Lowering<'_>,
    ty: ScalarType,
    base: Operand,
    offset: i64,
    value: Operand,
) {
    let op = Opcode::Memory(local(MemoryKind::Store, ty, offset));
    lowering.emit(op, Vec::new(), vec![base, value], None);
}

/// Copies a variable's bytes from one place to another: space, base and offset.
pub fn copy_memory(
    lowering: &mut Lowering<'_>,
    to: (MemorySpace, Operand, i64),
    from: (MemorySpace, Operand, i64),
    variable: &syntax::Variable,
) {
    use ScalarType::{B8, B16, B32, B64};
    let (bytes, align) = (variable.size() as i64, i64::from(variable.alignment()));
    let mut at = 0;
    while at < bytes {
        let fits = |ty: &ScalarType| {
            let size = i64::from(ty.size());
            size <= align && at % size == 0 && at + size <= bytes
        };
        let ty = [B64, B32, B16, B8].into_iter().find(fits).unwrap_or(B8);
        let width = if ty == B64 { Width::Wide } else { Width::Word };
        let value = lowering.new_register(width);
        let (space, base, offset) = from;
        let load = MemoryOp { offset: offset + at, ..memory(MemoryKind::Load, space, ty) };
        lowering.emit(Opcode::Memory(load), vec![Some(value)], vec![base], None);
        let (space, base, offset) = to;
        let store = MemoryOp { offset: offset + at, ..memory(MemoryKind::Store, space, ty) };
        let src = vec![base, Operand::Reg(value)];
        lowering.emit(Opcode::Memory(store), Vec::new(), src, None);
        at += i64::from(ty.size());
    }
}

/// A load or store of one value.
pub fn memory(kind: MemoryKind, space: MemorySpace, ty: ScalarType) -> MemoryOp {
    let (order, part) = (MemoryOrder::default(), AccessPart::Whole);
    MemoryOp { kind, space, ty, count: 1, offset: 0, volatile: false, order, part }
}
