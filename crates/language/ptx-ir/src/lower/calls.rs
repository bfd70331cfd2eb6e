//! Calls: a function's body in place of its call, or, where functions call each other in a cycle, a jump with
//! a frame on the thread's stack (`recursion`).

use super::callee::Call;
use super::state::{HEAP, Lowering, Symbol};
use super::unsupported::Unsupported;
use crate::error::LoadError;
use crate::kernel::*;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::rules;
use crate::rules::context::guard;
use lanework_ptx::{Function, Instruction};

/// Bodies that are put inside each other; deeper calls go over the stack.
const MAX_DEPTH: usize = 64;

impl<'m> Lowering<'m> {
    /// `call`.
    pub(super) fn call(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        self.begin_block();
        let called = self.lower_call(instruction);
        self.begin_block();
        called
    }

    fn lower_call(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        let call = Call::read(instruction).map_err(|r| self.refuse(r))?;
        if call.function == "vprintf" {
            return rules::device_functions::print(self, instruction, &call)
                .map_err(|r| self.refuse(r));
        }
        if call.function == "__assertfail" {
            return rules::device_functions::assert_fail(self, instruction)
                .map_err(|r| self.refuse(r));
        }
        if let Some(Symbol::Register(address)) = self.lookup(&call.function) {
            return self.indirect(instruction, &call, address);
        }
        let heap = self.source.addresses.get(HEAP).map(|(_, address)| *address);
        if let (Some(heap), "malloc" | "free") = (heap, call.function.as_str()) {
            return rules::device_functions::heap(self, instruction, &call, heap)
                .map_err(|r| self.refuse(r));
        }
        let Some(callee) = self.call_graph.function(&call.function) else {
            let what = format!("call of `{}`, which the module does not define", call.function);
            let help =
                "link or inline the function; the device library is not part of the emulator";
            return Err(self.refuse(Unsupported::new(what, help)));
        };
        let guard = guard(self, instruction).map_err(|r| self.refuse(r))?;
        let skip = self.skip_unless(guard);
        self.call_of(callee, &call)?;
        if let Some(skip) = skip {
            self.set_label(skip);
        }
        Ok(())
    }

    /// A call of a known function.
    fn call_of(&mut self, callee: &'m Function, call: &Call) -> Result<(), LoadError> {
        if callee.params.len() != call.arguments.len() || callee.returns.len() != call.results.len()
        {
            let what = format!("the call of `{}` has another number of operands", callee.name);
            return Err(self.refuse(Unsupported::new(what, "")));
        }
        if self.is_member(callee) {
            return self.call_member(callee, call);
        }
        let members = match self.active.len() > MAX_DEPTH {
            true => self.call_graph.reached(callee),
            false => self.call_graph.cycle(callee),
        };
        if members.is_empty() {
            self.inline(callee, call)
        } else {
            self.nest(members, callee, call)
        }
    }

    /// The body of a function in place of its call.
    fn inline(&mut self, callee: &'m Function, call: &Call) -> Result<(), LoadError> {
        let scope = rules::call::bind(self, callee, call).map_err(|r| self.refuse(r))?;
        let end = self.new_label();
        let outer = self.allocated(callee);
        let framed = std::mem::replace(&mut self.framed, false);
        let inner = self.body(callee, scope, end)?;
        self.framed = framed;
        self.set_label(end);
        self.release(outer);
        rules::call::results(self, callee, call, &inner).map_err(|r| self.refuse(r))?;
        Ok(())
    }

    /// A call through an address: each function that it may mean, if the address is the function's. An
    /// address that is none of theirs is a trap.
    fn indirect(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        address: Reg,
    ) -> Result<(), LoadError> {
        let guard = guard(self, instruction).map_err(|r| self.refuse(r))?;
        let skip = self.skip_unless(guard);
        let (end, origin) = (self.new_label(), self.origin);
        for (place, callee) in self.call_graph.candidates(call.results.len(), call.arguments.len())
        {
            let (differs, next) = (self.new_register(Width::Predicate), self.new_label());
            let compare = Opcode::Alu(Alu::Logic(LogicOp::WideDiffer));
            let src = vec![Operand::Reg(address), Operand::Const(place)];
            self.emit(compare, vec![Some(differs)], src, None);
            self.emit(Opcode::Branch(next), Vec::new(), Vec::new(), Some((differs, false)));
            self.call_of(callee, call)?;
            self.origin = origin;
            self.emit(Opcode::Branch(end), Vec::new(), Vec::new(), None);
            self.set_label(next);
        }
        self.emit(Opcode::Trap, Vec::new(), Vec::new(), None);
        self.set_label(end);
        if let Some(skip) = skip {
            self.set_label(skip);
        }
        Ok(())
    }
}
