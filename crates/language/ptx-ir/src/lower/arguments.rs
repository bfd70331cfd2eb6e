//! Arguments and results of calls inside a nest ([`super::recursion`]): evaluated, then passed in registers or in frames.

use super::callee::Call;
use super::state::{Lowering, Symbol, width_of};
use super::unsupported::{LoweringResult, Unsupported};
use crate::kernel::*;
use crate::rules::context::Cx;
use crate::rules::mov::copy;
use crate::rules::variables::{copy_memory, load, store};
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction};

impl Lowering<'_> {
    /// The values of a call's arguments: in registers of their own, or where they lie in memory.
    pub(super) fn evaluate(
        &mut self,
        callee: &Function,
        call: &Call,
    ) -> LoweringResult<Vec<Symbol>> {
        let instruction = Instruction::new("call", Vec::new());
        let mut values = Vec::new();
        for (formal, actual) in callee.params.iter().zip(&call.arguments) {
            let named = match actual {
                syntax::Operand::Name(name) => self.lookup(name),
                _ => None,
            };
            values.push(match named {
                Some(symbol @ Symbol::Variable(..)) => symbol,
                _ => {
                    let mut cx = Cx { lowering: self, instruction: &instruction, guard: None };
                    let source = cx.source(actual, formal.ty)?;
                    let to = cx.lowering.new_register(width_of(formal.ty)?);
                    cx.alu(Some(to), &[source], copy(formal.ty))?;
                    Symbol::Register(to)
                }
            });
        }
        Ok(values)
    }

    /// Puts arguments where the callee has its parameters, in the frame at `frame`.
    pub(super) fn pass(
        &mut self,
        callee: &Function,
        formals: &[Symbol],
        values: Vec<Symbol>,
        frame: Reg,
    ) -> LoweringResult {
        let frame = Operand::Reg(frame);
        for ((formal, symbol), value) in callee.params.iter().zip(formals).zip(values) {
            match (symbol, value) {
                (Symbol::Register(to), Symbol::Register(from)) => {
                    let op = Opcode::Alu(copy(formal.ty));
                    self.emit(op, vec![Some(*to)], vec![Operand::Reg(from)], None);
                }
                (Symbol::Register(to), Symbol::Variable(_, address)) => {
                    load(self, formal.ty, *to, address, 0);
                }
                (Symbol::Framed(_, at), Symbol::Register(from)) => {
                    store(self, formal.ty, frame, i64::from(*at), Operand::Reg(from));
                }
                (Symbol::Framed(_, at), Symbol::Variable(space, address)) => {
                    let to = (MemorySpace::Local, frame, i64::from(*at));
                    copy_memory(self, to, (space, address, 0), formal);
                }
                _ => return Err(Unsupported::new("an argument that is not a value", "")),
            }
        }
        Ok(())
    }

    /// Takes results from registers, or from the callee's frame at `frame`.
    pub(super) fn receive(
        &mut self,
        callee: &Function,
        call: &Call,
        returns: &[Symbol],
        frame: Reg,
    ) -> LoweringResult {
        let frame = Operand::Reg(frame);
        for ((formal, symbol), actual) in callee.returns.iter().zip(returns).zip(&call.results) {
            let syntax::Operand::Name(name) = actual else {
                return Err(Unsupported::new("a call's result is not a name", ""));
            };
            if name == "_" {
                continue;
            }
            match (symbol, self.lookup(name)) {
                (Symbol::Register(from), Some(Symbol::Register(to))) => {
                    let op = Opcode::Alu(copy(formal.ty));
                    self.emit(op, vec![Some(to)], vec![Operand::Reg(*from)], None);
                }
                (Symbol::Register(from), Some(Symbol::Variable(MemorySpace::Local, to))) => {
                    store(self, formal.ty, to, 0, Operand::Reg(*from));
                }
                (Symbol::Framed(_, at), Some(Symbol::Register(to))) => {
                    load(self, formal.ty, to, frame, i64::from(*at));
                }
                (Symbol::Framed(_, at), Some(Symbol::Variable(space, to))) => {
                    let from = (MemorySpace::Local, frame, i64::from(*at));
                    copy_memory(self, (space, to, 0), from, formal);
                }
                _ => return Err(Unsupported::new(format!("`{name}` takes no result"), "")),
            }
        }
        Ok(())
    }
}
