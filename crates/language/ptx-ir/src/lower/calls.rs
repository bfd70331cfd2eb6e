//! Calls: the callee is inlined, or, for functions that call each other in a cycle, called with a frame on the thread's stack
//! (`recursion`). Arguments are bound to the callee's parameters and results are copied back.

use crate::kernel::*;
use crate::lower::call_graph::Call;
use crate::lower::frames::{copy_memory, element_names, load, memory, store};
use crate::lower::state::{HEAP, Lowering, Symbol, width_of};
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::rules;
use crate::rules::context::{Cx, guard};
use crate::rules::mov::copy;
use crate::{LoadError, LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction};
use std::collections::HashMap;

/// Maximum depth of inlined calls; deeper calls use the stack.
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
        let call = Call::read(instruction).map_err(|r| self.error_here(r))?;
        if call.function == "vprintf" {
            return rules::device_functions::print(self, instruction, &call)
                .map_err(|r| self.error_here(r));
        }
        if call.function == "__assertfail" {
            return rules::device_functions::assert_fail(self, instruction, &call)
                .map_err(|r| self.error_here(r));
        }
        if let Some(Symbol::Register(address)) = self.lookup(&call.function) {
            return self.indirect(instruction, &call, address);
        }
        let heap = self.source.addresses.get(HEAP).map(|(_, address)| *address);
        if let (Some(heap), "malloc" | "free") = (heap, call.function.as_str()) {
            return rules::device_functions::heap(self, instruction, &call, heap)
                .map_err(|r| self.error_here(r));
        }
        let Some(callee) = self.call_graph.function(&call.function) else {
            let what = format!("call of `{}`, which the module does not define", call.function);
            let help =
                "link or inline the function; the device library is not part of the emulator";
            return Err(self.error_here(Unsupported::new(what, help)));
        };
        let guard = guard(self, instruction).map_err(|r| self.error_here(r))?;
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
            let what = format!("the call of `{}` has the wrong number of operands", callee.name);
            return Err(self.error_here(Unsupported::new(what, "")));
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
            self.enter_group(members, callee, call)
        }
    }

    /// The body of a function in place of its call.
    fn inline(&mut self, callee: &'m Function, call: &Call) -> Result<(), LoadError> {
        let scope = bind_arguments(self, callee, call).map_err(|r| self.error_here(r))?;
        let end = self.new_label();
        let outer = self.allocated(callee);
        let framed = std::mem::replace(&mut self.framed, false);
        let inner = self.body(callee, scope, end)?;
        self.framed = framed;
        self.set_label(end);
        self.release(outer);
        copy_results(self, callee, call, &inner).map_err(|r| self.error_here(r))?;
        Ok(())
    }

    /// A call through an address: compares the address with the address of every candidate function, and traps if none
    /// matches.
    fn indirect(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        address: Reg,
    ) -> Result<(), LoadError> {
        let guard = guard(self, instruction).map_err(|r| self.error_here(r))?;
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

/// The scope in which the callee's parameters denote the arguments.
///
/// # Errors
/// When the operands do not fit the callee.
fn bind_arguments(
    lowering: &mut Lowering<'_>,
    callee: &Function,
    call: &Call,
) -> LoweringResult<HashMap<String, Symbol>> {
    let mut scope = HashMap::new();
    for (formal, actual) in callee.params.iter().zip(&call.arguments) {
        if is_vector(formal) {
            pass_vector(lowering, formal, actual, &mut scope)?;
            continue;
        }
        let symbol = match actual {
            syntax::Operand::Name(name) => match lowering.lookup(name) {
                // A variable of the caller is read in place: it is not written while the call runs.
                Some(symbol @ Symbol::Variable(..)) => symbol,
                _ => pass(lowering, formal, actual)?,
            },
            _ => pass(lowering, formal, actual)?,
        };
        scope.insert(formal.name.clone(), symbol);
    }
    for (formal, actual) in callee.returns.iter().zip(&call.results) {
        if is_vector(formal) {
            lowering.vector_formal(formal, &mut scope)?;
            continue;
        }
        let symbol = match actual {
            syntax::Operand::Name(name) => match lowering.lookup(name) {
                Some(symbol @ Symbol::Variable(..)) => symbol,
                _ => lowering.formal(formal)?,
            },
            _ => return Err(Unsupported::new("a call's result is not a name", "")),
        };
        scope.insert(formal.name.clone(), symbol);
    }
    Ok(scope)
}

/// Whether a parameter is a vector register.
fn is_vector(formal: &lanework_ptx::Variable) -> bool {
    formal.space == lanework_ptx::StateSpace::Reg && formal.vector > 1
}

/// Copies a vector to a vector parameter, element by element.
fn pass_vector(
    lowering: &mut Lowering<'_>,
    formal: &lanework_ptx::Variable,
    actual: &syntax::Operand,
    scope: &mut HashMap<String, Symbol>,
) -> LoweringResult {
    let mut elements = vec![actual.clone()];
    if let syntax::Operand::Name(name) = actual
        && let Some(Symbol::Vector(count)) = lowering.lookup(name)
    {
        elements = element_names(name, count);
    } else if let syntax::Operand::Vector(list) = actual {
        elements.clone_from(list);
    }
    let registers = lowering.vector_formal(formal, scope)?;
    if elements.len() != registers.len() {
        let what = format!("parameter `{}` is a vector of {}", formal.name, registers.len());
        return Err(Unsupported::new(what, "pass a vector of as many elements"));
    }
    let instruction = Instruction::of(syntax::Opcode::Call, Vec::new());
    for (element, register) in elements.iter().zip(registers) {
        let mut cx = Cx::unguarded(lowering, &instruction);
        let source = cx.source(element, formal.ty)?;
        cx.alu(Some(register), &[source], crate::rules::mov::copy(formal.ty))?;
    }
    Ok(())
}

fn pass(
    lowering: &mut Lowering<'_>,
    formal: &lanework_ptx::Variable,
    actual: &syntax::Operand,
) -> LoweringResult<Symbol> {
    let symbol = lowering.formal(formal)?;
    let fake = Instruction::of(syntax::Opcode::Call, Vec::new());
    let mut cx = Cx::unguarded(lowering, &fake);
    let source = cx.source(actual, formal.ty)?;
    match symbol {
        Symbol::Register(register) => {
            cx.alu(Some(register), &[source], crate::rules::mov::copy(formal.ty))?;
        }
        Symbol::Variable(space, address) => {
            let op = memory(MemoryKind::Store, space, formal.ty);
            cx.lowering.emit(Opcode::Memory(op), Vec::new(), vec![address, source], None);
        }
        Symbol::Label(_)
        | Symbol::Targets(_)
        | Symbol::Vector(_)
        | Symbol::Framed(..)
        | Symbol::Quad(_) => {}
    }
    Ok(symbol)
}

/// Copies results that the caller takes in registers.
///
/// # Errors
/// When a result's register does not fit.
fn copy_results(
    lowering: &mut Lowering<'_>,
    callee: &Function,
    call: &Call,
    scope: &HashMap<String, Symbol>,
) -> LoweringResult {
    let fake = Instruction::of(syntax::Opcode::Call, Vec::new());
    for (formal, actual) in callee.returns.iter().zip(&call.results) {
        let syntax::Operand::Name(name) = actual else { continue };
        if let (true, Some(Symbol::Vector(count))) = (is_vector(formal), lowering.lookup(name)) {
            let elements = element_names(name, count).into_iter();
            for (from, to) in element_names(&formal.name, formal.vector).iter().zip(elements) {
                let syntax::Operand::Name(from) = from else { continue };
                let Some(Symbol::Register(from)) = scope.get(from).cloned() else { continue };
                let mut cx = Cx::unguarded(lowering, &fake);
                let to = cx.destination(&to, formal.ty)?;
                cx.alu(to, &[Operand::Reg(from)], crate::rules::mov::copy(formal.ty))?;
            }
            continue;
        }
        let Some(Symbol::Register(to)) = lowering.lookup(name) else { continue };
        let mut cx = Cx::unguarded(lowering, &fake);
        match scope.get(&formal.name) {
            Some(Symbol::Register(from)) => {
                cx.alu(Some(to), &[Operand::Reg(*from)], crate::rules::mov::copy(formal.ty))?;
            }
            Some(Symbol::Variable(space, address)) => {
                let op = memory(MemoryKind::Load, *space, formal.ty);
                cx.lowering.emit(Opcode::Memory(op), vec![Some(to)], vec![*address], None);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Lowering<'_> {
    /// The values of a call's arguments, in new registers or at their place in memory.
    pub(super) fn evaluate(
        &mut self,
        callee: &Function,
        call: &Call,
    ) -> LoweringResult<Vec<Symbol>> {
        let instruction = Instruction::of(syntax::Opcode::Call, Vec::new());
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
