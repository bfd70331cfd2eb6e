//! Value tracking for contraction: which values the operands of sums hold, and where each product is used.
//!
//! A register with one unguarded write holds one value everywhere; compilers emit such code. Values of other registers are
//! tracked within straight lines: chains of blocks with one successor and one predecessor. A value that leaves its line counts as
//! used by something other than a sum.

use crate::analysis::Liveness;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::dominance::Dominators;
use crate::kernel::{Inst, Kernel, MemoryKind, Opcode, Operand, Reg};
use crate::opcode::logic::MoveOp;
use crate::opcode::{Alu, TermKind};
use crate::passes::contract::terms::{OpenTerm, dead};
use crate::types::MemorySpace;
use std::collections::HashMap;
use std::ops::Range;

/// A value as a register holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub value: usize,
    /// The register holds its opposite.
    pub negated: bool,
}

/// A use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A sum or difference, by its term, as operand 0 or 1.
    Sum(usize, usize),
    /// Anything else.
    Other,
}

/// A tracked value.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The term, if the value is a product.
    pub product: Option<usize>,
    /// Whether a factor of the product is a constant or a parameter of the kernel.
    pub constant_factor: bool,
    pub uses: Vec<Use>,
    /// Copies and negations of it, as the instructions of each.
    pub copies: Vec<Range<usize>>,
    constant: Option<Constant>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Constant {
    Bits(u64),
    Parameter,
}

/// The values of a kernel.
pub(super) struct Values {
    pub all: Vec<Value>,
    /// By term: the values of the operands of a sum.
    pub sides: HashMap<usize, [Option<View>; 2]>,
    /// By instruction: ptxas's block.
    pub block: Vec<usize>,
    /// By register: the number of instructions that write it.
    pub writes: Vec<u32>,
    /// By register with one write: its value, once its writer was visited.
    single: Vec<Option<View>>,
    /// Registers of one write that were read before their writer was visited.
    early: Vec<bool>,
    /// The block that writes a register of one write.
    writer: Vec<usize>,
    /// The current values of all other registers.
    current: HashMap<Reg, View>,
    dominators: Dominators,
    /// The block of the graph that is visited.
    at: usize,
}

impl Values {
    /// Tracks the values of a kernel; `breaks` are the extra block boundaries of ptxas.
    pub fn analyze(kernel: &Kernel, terms: &[OpenTerm], breaks: &[usize]) -> Values {
        let cfg = ControlFlowGraph::new(kernel);
        let liveness = Liveness::analyze(kernel, &cfg);
        let registers = kernel.registers.len();
        let mut values = Values {
            all: Vec::new(),
            sides: HashMap::new(),
            block: vec![0; kernel.insts.len()],
            writes: vec![0; registers],
            single: vec![None; registers],
            early: vec![false; registers],
            writer: vec![0; registers],
            current: HashMap::new(),
            dominators: Dominators::new(ControlFlowGraph::new(kernel)),
            at: 0,
        };
        for inst in &kernel.insts {
            // A guarded write leaves two values in its register.
            let count = if inst.guard.is_some() { 2 } else { 1 };
            inst.writes().for_each(|r| values.writes[r as usize] += count);
        }
        let dead = dead(kernel, &values.writes);
        let mut number = 0;
        for line in lines(&cfg) {
            values.current.clear();
            for &b in &line {
                values.at = b;
                for i in cfg.blocks[b].start..cfg.blocks[b].end {
                    number += usize::from(breaks.binary_search(&i).is_ok());
                    values.block[i] = number;
                }
                values.visit_block(kernel, terms, cfg.blocks[b].start..cfg.blocks[b].end, &dead);
            }
            number += 1;
            let live = line.last().map(|b| liveness.live_out(&cfg, *b));
            let held: Vec<(Reg, View)> = values.current.drain().collect();
            for (register, view) in held {
                if live.as_ref().is_some_and(|live| live.contains(register as usize)) {
                    values.all[view.value].uses.push(Use::Other);
                }
            }
        }
        values
    }

    fn visit_block(
        &mut self,
        kernel: &Kernel,
        terms: &[OpenTerm],
        insts: Range<usize>,
        dead: &[bool],
    ) {
        let mut i = insts.start;
        while i < insts.end {
            let at = terms.partition_point(|term| term.insts.end <= i);
            let inst = &kernel.insts[i];
            match terms.get(at) {
                Some(term) if term.insts.contains(&i) => {
                    if !dead[term.core] {
                        self.visit_term(terms, at, &kernel.insts[term.core]);
                    }
                    i = term.insts.end;
                    continue;
                }
                _ if dead[i] => {}
                _ => self.visit(inst, i),
            }
            i += 1;
        }
    }

    fn visit_term(&mut self, terms: &[OpenTerm], at: usize, core: &Inst) {
        let term = &terms[at];
        let views: Vec<Option<View>> = term.src.iter().map(|src| self.view(*src)).collect();
        // A negation that flushes hides a product that does not.
        let flushed = |view: View| self.all[view.value].product.is_some_and(|at| terms[at].ftz);
        let opposite = (term.function == TermKind::Negation && core.guard.is_none())
            .then(|| views[0].filter(|view| !term.ftz || flushed(*view)))
            .flatten();
        let is_sum = matches!(term.function, TermKind::Sum | TermKind::Difference);
        let itself = is_sum && views[0].is_some_and(|left| same(views[1], left));
        match term.function {
            TermKind::Negation if opposite.is_some() => {}
            TermKind::Sum | TermKind::Difference if !itself => {
                for (side, view) in views.iter().enumerate() {
                    self.uses(*view, Use::Sum(at, side));
                }
                self.sides.insert(at, [views[0], views[1]]);
            }
            _ => views.iter().for_each(|view| self.uses(*view, Use::Other)),
        }
        let view = match (term.function, opposite) {
            (_, Some(view)) => {
                self.all[view.value].copies.push(term.insts.clone());
                View { negated: !view.negated, ..view }
            }
            (TermKind::Product | TermKind::Quotient, _) if core.guard.is_none() => {
                let constants: Vec<Option<Constant>> = term
                    .src
                    .iter()
                    .zip(&views)
                    .map(|(src, view)| self.constant(*src, *view))
                    .collect();
                let bits = |c: &Option<Constant>| matches!(c, Some(Constant::Bits(_)));
                let unit = |c: &Option<Constant>| matches!(c, Some(Constant::Bits(bits)) if term.op.is_unit(*bits));
                let folded = term.function == TermKind::Product
                    && (constants.iter().all(bits) || constants.iter().any(unit));
                let product = (!folded).then_some(at);
                let constant_factor =
                    term.function == TermKind::Product && constants.iter().any(Option::is_some);
                self.new_value(Value { product, constant_factor, ..Value::default() })
            }
            _ => self.new_value(Value::default()),
        };
        self.write(term.dst, view, core.guard.is_some());
    }

    /// An instruction that is not a term.
    fn visit(&mut self, inst: &Inst, at: usize) {
        let moved = match inst.opcode {
            Opcode::Alu(Alu::Move(MoveOp::Copy(_))) if inst.guard.is_none() => Some(inst.src[0]),
            _ => None,
        };
        let view = moved.and_then(|src| self.view(src));
        if moved.is_none() {
            for src in &inst.src {
                let read = self.view(*src);
                self.uses(read, Use::Other);
            }
        }
        for register in inst.writes() {
            let held = match view {
                Some(view) => {
                    self.all[view.value].copies.push(at..at + 1);
                    view
                }
                None => {
                    let constant = match (moved, inst.opcode) {
                        (Some(Operand::Const(bits)), _) => Some(Constant::Bits(bits)),
                        (_, Opcode::Memory(op))
                            if op.space == MemorySpace::Parameter
                                && op.kind == MemoryKind::Load
                                && matches!(inst.src[0], Operand::Const(_)) =>
                        {
                            Some(Constant::Parameter)
                        }
                        _ => None,
                    };
                    self.new_value(Value { constant, ..Value::default() })
                }
            };
            self.write(register, held, inst.guard.is_some());
        }
    }

    fn constant(&self, src: Operand, view: Option<View>) -> Option<Constant> {
        match (src, view) {
            (Operand::Const(bits), _) => Some(Constant::Bits(bits)),
            (_, Some(view)) => self.all[view.value].constant,
            _ => None,
        }
    }

    fn new_value(&mut self, value: Value) -> View {
        self.all.push(value);
        View { value: self.all.len() - 1, negated: false }
    }

    fn uses(&mut self, view: Option<View>, by: Use) {
        if let Some(view) = view {
            self.all[view.value].uses.push(by);
        }
    }

    /// The value of an operand here, if known.
    fn view(&mut self, operand: Operand) -> Option<View> {
        let register = operand.register()?;
        let r = register as usize;
        if self.writes[r] == 1 {
            self.early[r] |= self.single[r].is_none();
            let view = self.single[r]?;
            // A product that does not reach here on every path is merged with another value.
            if self.all[view.value].product.is_some()
                && !self.dominators.dominates(self.writer[r], self.at)
            {
                self.all[view.value].uses.push(Use::Other);
            }
            return Some(view);
        }
        self.current.get(&register).copied()
    }

    fn write(&mut self, register: Reg, view: View, guarded: bool) {
        let r = register as usize;
        if self.writes[r] == 1 {
            self.single[r] = Some(view);
            self.writer[r] = self.at;
            if self.early[r] {
                self.all[view.value].uses.push(Use::Other);
            }
            return;
        }
        let before = self.current.insert(register, view);
        if guarded {
            self.uses(before, Use::Other);
        }
    }
}

fn same(view: Option<View>, other: View) -> bool {
    view.is_some_and(|view| view.value == other.value)
}

/// Chains of blocks that can only follow each other, each in execution order.
fn lines(cfg: &ControlFlowGraph) -> Vec<Vec<usize>> {
    let next = |b: usize| match cfg.successors(b) {
        [s] if cfg.predecessors(*s).len() == 1 && *s != 0 => Some(*s),
        _ => None,
    };
    let mut follows = vec![false; cfg.blocks.len()];
    (0..cfg.blocks.len()).filter_map(next).for_each(|s| follows[s] = true);
    let heads = (0..cfg.blocks.len()).filter(|b| !follows[*b]);
    heads.map(|b| std::iter::successors(Some(b), |b| next(*b)).collect()).collect()
}
