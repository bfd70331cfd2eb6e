//! The call graph below a function: which functions it may reach, and which of them call it back.
//!
//! A call through an address counts as a call of each function that it may mean.

use super::callee::Call;
use crate::indirect::candidates;
use lanework_ptx::{Function, Module, Statement};
use std::collections::{HashMap, HashSet};

/// What is known of the calls of a module's functions.
pub struct CallGraph<'m> {
    module: &'m Module,
    /// The functions with a body, by name.
    defined: HashMap<&'m str, &'m Function>,
    calls: HashMap<&'m str, Vec<&'m str>>,
    candidates: HashMap<(usize, usize), Vec<(u64, &'m Function)>>,
    cycles: HashMap<&'m str, HashSet<&'m str>>,
}

impl<'m> CallGraph<'m> {
    /// That of a module; what a function calls is found when it is asked for.
    pub fn new(module: &'m Module) -> CallGraph<'m> {
        let defined = module.functions().filter(|f| f.body.is_some() && !f.entry);
        CallGraph {
            module,
            defined: defined.map(|f| (f.name.as_str(), f)).collect(),
            calls: HashMap::new(),
            candidates: HashMap::new(),
            cycles: HashMap::new(),
        }
    }

    /// The device function of a name, if the module defines it.
    pub fn function(&self, name: &str) -> Option<&'m Function> {
        self.defined.get(name).copied()
    }

    /// The functions that a call through an address may mean, with their addresses.
    pub fn candidates(&mut self, results: usize, arguments: usize) -> Vec<(u64, &'m Function)> {
        let module = self.module;
        let key = (results, arguments);
        self.candidates.entry(key).or_insert_with(|| candidates(module, results, arguments)).clone()
    }

    /// The function itself and what it may reach.
    pub fn reached(&mut self, function: &'m Function) -> HashSet<&'m str> {
        let mut seen = HashSet::from([function.name.as_str()]);
        let mut left = vec![function.name.as_str()];
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
                    if let Some((name, _)) = self.defined.get_key_value(call.function.as_str()) {
                        found.push(name);
                    } else if !self.module.functions().any(|f| f.name == call.function) {
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
