//! The call graph below a function: which functions it may reach, and which of them call it back.
//!
//! A call through an address counts as a call of every function that it may reach.

use crate::module::{PlacedModule, candidates};
use crate::{LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction, Statement};
use std::collections::{HashMap, HashSet};

/// The calls of a module's functions.
pub struct CallGraph<'m> {
    source: PlacedModule<'m>,
    calls: HashMap<&'m str, Vec<&'m str>>,
    candidates: HashMap<(usize, usize), Vec<(u64, &'m Function)>>,
    cycles: HashMap<&'m str, HashSet<&'m str>>,
}

impl<'m> CallGraph<'m> {
    /// The call graph of a module; calls of a function are found on first use.
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

    /// The function itself and the functions that it may reach.
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

    /// The functions that reach `function` and are reached by it, including itself; empty if it never calls itself,
    /// directly or through others.
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
                Statement::Instruction(instruction)
                    if instruction.opcode == lanework_ptx::Opcode::Call =>
                {
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

/// The operands of a `call`.
pub struct Call {
    /// The callee, or the register that holds its address.
    pub function: String,
    /// Where results go.
    pub results: Vec<syntax::Operand>,
    /// The arguments.
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
            return Err(Unsupported::new(
                "a call without a callee",
                "name a function, or its address",
            ));
        }
        Ok(call)
    }
}
