//! Calls: a function's body in place of its call, or, where functions call each other in a cycle, a jump with
//! a frame on the thread's stack (`recursion`).
//! Who is called, and with what.
//! The call graph below a function: which functions it may reach, and which of them call it back.
//!
//! A call through an address counts as a call of each function that it may mean.

use crate::error::{LoadError, LoweringResult, Unsupported};
use crate::kernel::*;
use crate::lower::arguments;
use crate::lower::state::{HEAP, Lowering, Symbol};
use crate::module::PlacedModule;
use crate::module::functions::candidates;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::rules;
use crate::rules::context::guard;
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction, Statement};
use std::collections::{HashMap, HashSet};

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
        let scope = arguments::bind(self, callee, call).map_err(|r| self.refuse(r))?;
        let end = self.new_label();
        let outer = self.allocated(callee);
        let framed = std::mem::replace(&mut self.framed, false);
        let inner = self.body(callee, scope, end)?;
        self.framed = framed;
        self.set_label(end);
        self.release(outer);
        arguments::results(self, callee, call, &inner).map_err(|r| self.refuse(r))?;
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

/// The operands of a `call`.
pub struct Call {
    /// The callee, or the register that holds its address.
    pub function: String,
    /// Where results go.
    pub results: Vec<syntax::Operand>,
    /// What is passed.
    pub arguments: Vec<syntax::Operand>,
}

impl Call {
    /// Reads `call (r), f, (a, b)` in all its shorter forms.
    ///
    /// # Errors
    /// When nothing is called.
    pub fn read(instruction: &Instruction) -> LoweringResult<Call> {
        let mut call = Call { function: String::new(), results: Vec::new(), arguments: Vec::new() };
        for operand in &instruction.operands {
            match operand {
                syntax::Operand::Arguments(list) if call.function.is_empty() => {
                    call.results.clone_from(list)
                }
                syntax::Operand::Arguments(list) => call.arguments.clone_from(list),
                syntax::Operand::Name(name) if call.function.is_empty() => {
                    call.function.clone_from(name)
                }
                _ => {}
            }
        }
        if call.function.is_empty() {
            return Err(Unsupported::new("a call of nothing", "name a function, or its address"));
        }
        Ok(call)
    }
}

/// What is known of the calls of a module's functions.
pub struct CallGraph<'m> {
    source: PlacedModule<'m>,
    calls: HashMap<&'m str, Vec<&'m str>>,
    candidates: HashMap<(usize, usize), Vec<(u64, &'m Function)>>,
    cycles: HashMap<&'m str, HashSet<&'m str>>,
}

impl<'m> CallGraph<'m> {
    /// That of a module; what a function calls is found when it is asked for.
    pub fn new(source: PlacedModule<'m>) -> CallGraph<'m> {
        CallGraph {
            source,
            calls: HashMap::new(),
            candidates: HashMap::new(),
            cycles: HashMap::new(),
        }
    }

    /// The device function of a name, if the module defines it.
    pub fn function(&self, name: &str) -> Option<&'m Function> {
        self.source.defined(name)
    }

    /// The functions that a call through an address may mean, with their addresses.
    pub fn candidates(&mut self, results: usize, arguments: usize) -> Vec<(u64, &'m Function)> {
        let module = self.source.module;
        let key = (results, arguments);
        self.candidates.entry(key).or_insert_with(|| candidates(module, results, arguments)).clone()
    }

    /// The function itself and what it may reach.
    pub fn reached(&mut self, function: &'m Function) -> HashSet<&'m str> {
        let mut reached = self.below(function.body.as_deref().unwrap_or_default());
        reached.insert(&function.name);
        reached
    }

    /// The functions that statements may reach.
    pub fn below(&mut self, statements: &'m [Statement]) -> HashSet<&'m str> {
        let mut left = Vec::new();
        self.in_statements(statements, &mut left);
        let mut seen: HashSet<&str> = left.iter().copied().collect();
        while let Some(name) = left.pop() {
            let calls = self.calls_of(name);
            left.extend(calls.into_iter().filter(|callee| seen.insert(callee)));
        }
        seen
    }

    /// The functions that reach `function` and are reached by it, itself among them; none if it never
    /// comes back to itself.
    pub fn cycle(&mut self, function: &'m Function) -> HashSet<&'m str> {
        let name = function.name.as_str();
        if let Some(cycle) = self.cycles.get(name) {
            return cycle.clone();
        }
        let reached = self.reached(function);
        let mut callers: HashMap<&str, Vec<&'m str>> = HashMap::new();
        for caller in &reached {
            for callee in self.calls_of(caller) {
                callers.entry(callee).or_default().push(caller);
            }
        }
        let mut cycle = HashSet::new();
        let mut left = vec![name];
        while let Some(at) = left.pop() {
            let callers = callers.get(at).into_iter().flatten();
            left.extend(callers.filter(|caller| cycle.insert(**caller)));
        }
        self.cycles.insert(name, cycle.clone());
        cycle
    }

    fn calls_of(&mut self, name: &'m str) -> Vec<&'m str> {
        if let Some(calls) = self.calls.get(name) {
            return calls.clone();
        }
        let mut found = Vec::new();
        if let Some(body) = self.function(name).and_then(|f| f.body.as_deref()) {
            self.in_statements(body, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        self.calls.insert(name, found.clone());
        found
    }

    fn in_statements(&mut self, statements: &'m [Statement], found: &mut Vec<&'m str>) {
        for statement in statements {
            match statement {
                Statement::Block(inner) => self.in_statements(inner, found),
                Statement::Instruction(instruction) if instruction.opcode == "call" => {
                    let Ok(call) = Call::read(instruction) else { continue };
                    if let Some(callee) = self.source.defined(&call.function) {
                        found.push(&callee.name);
                    } else if !self.source.has_function(&call.function) {
                        let (results, arguments) = (call.results.len(), call.arguments.len());
                        let may = self.candidates(results, arguments);
                        found.extend(may.iter().map(|(_, f)| f.name.as_str()));
                    }
                }
                _ => {}
            }
        }
    }
}
