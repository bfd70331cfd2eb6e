//! From the syntax tree to a flat kernel: names resolved, variables placed, calls inlined.

mod layout;
mod positions;
pub mod state;
pub mod unsupported;
mod vectors;

use crate::error::LoadError;
use crate::indirect::candidates;
use crate::kernel::*;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::rules;
use crate::rules::context::guard;
use crate::statics::key_of;
use lanework_ptx::{
    Function, FunctionDirective, Instruction, Module, StateSpace, Statement, Variable,
};
use state::{DEFINE_EXTERN, HEAP, Symbol, width_of};
use std::collections::HashMap;

pub use state::{Lowering, LoweringOptions};
pub use unsupported::Unsupported;

/// Calls nested deeper than this are refused.
const MAX_DEPTH: usize = 64;
/// Instructions of one kernel after inlining.
const MAX_INSTRUCTIONS: usize = 1 << 20;

impl<'m> Lowering<'m> {
    /// Lowers an entry; `globals` are the module's variables in global and constant memory.
    ///
    /// # Errors
    /// At the first thing that the emulator does not know.
    pub fn entry(
        module: &'m Module,
        entry: &'m Function,
        globals: &'m HashMap<String, (MemorySpace, u64)>,
        options: LoweringOptions,
    ) -> Result<Kernel, LoadError> {
        let mut lowering = Lowering::new(module, entry, globals, options);
        lowering.kernel.required_block = entry.required_block();
        lowering.kernel.max_threads = entry.max_threads();
        for directive in &entry.directives {
            match directive {
                FunctionDirective::RequiredCluster(shape) => {
                    lowering.kernel.required_cluster = Some(*shape);
                }
                FunctionDirective::Other(words) => {
                    let words: Vec<&str> = words.split_whitespace().collect();
                    match words[..] {
                        ["explicitcluster"] => lowering.kernel.explicit_cluster = true,
                        ["maxclusterrank", most] => {
                            lowering.kernel.max_cluster = most.parse().ok();
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        lowering.place_parameters(entry);
        let body = entry.body.as_deref().unwrap_or_default();
        lowering.statements(body)?;
        lowering.kernel.origins.push(Origin {
            name: "end of kernel".to_owned(),
            location: None,
            text_line: 0,
        });
        lowering.kernel.source_files.push(Box::default());
        let origin = lowering.kernel.origins.len() as u32 - 1;
        let needs_end = !matches!(
            lowering.kernel.insts.last(),
            Some(Inst { opcode: Opcode::Return | Opcode::Exit | Opcode::Trap, guard: None, .. })
        ) || lowering.kernel.labels.contains(&lowering.kernel.insts.len());
        if needs_end {
            lowering.kernel.insts.push(Inst {
                opcode: Opcode::Return,
                dst: Vec::new(),
                src: Vec::new(),
                guard: None,
                origin,
            });
        }
        crate::canonicalize::canonicalize_nans(&mut lowering.kernel);
        lowering.layout.finish(&mut lowering.kernel);
        if options.gaps {
            crate::load_uses::mark_load_uses(&mut lowering.kernel);
        }
        Ok(lowering.kernel)
    }

    fn place_parameters(&mut self, entry: &Function) {
        for parameter in &entry.params {
            let bytes = parameter.size().min(u64::from(u16::MAX)) as u32;
            let align = parameter.alignment().clamp(1, 1024);
            let offset = self.kernel.parameter_bytes.next_multiple_of(align);
            self.kernel.parameter_bytes = offset + bytes;
            let symbol =
                Symbol::Variable(MemorySpace::Parameter, Operand::Const(u64::from(offset)));
            self.scopes[0].insert(parameter.name.clone(), symbol);
            let name = parameter.name.clone();
            self.kernel.parameters.push(Parameter { name, offset, bytes });
        }
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), LoadError> {
        self.scopes.push(HashMap::new());
        for statement in statements {
            if let Statement::Label(name) = statement {
                let label = self.new_label();
                self.bind(name, Symbol::Label(label));
            }
        }
        for pair in statements.windows(2) {
            if let [Statement::Label(name), Statement::Directive(text)] = pair
                && let Some(targets) = self.targets(text)
            {
                self.bind(name, Symbol::Targets(targets));
            }
        }
        for statement in statements {
            match statement {
                Statement::Registers(registers) => {
                    let width = width_of(registers.ty).map_err(|r| self.refuse(r))?;
                    let vector = registers.vector;
                    for (name, count) in &registers.names {
                        match count {
                            None => self.bind_register(name.clone(), vector, width),
                            Some(count) if *count > 1 << 20 => {
                                return Err(self.refuse(Unsupported::new(
                                    format!("{count} registers `{name}` are too many"),
                                    "declare at most 1048576",
                                )));
                            }
                            Some(count) => {
                                for i in 0..*count {
                                    self.bind_register(format!("{name}{i}"), vector, width);
                                }
                            }
                        }
                    }
                }
                Statement::Variable(variable) => self.local_variable(variable)?,
                Statement::Label(name) => {
                    if let Some(Symbol::Label(label)) = self.lookup(name) {
                        self.set_label(label);
                    }
                }
                Statement::Instruction(instruction) => self.instruction(instruction)?,
                Statement::Block(inner) => {
                    if self.scopes.len() > 256 {
                        return Err(
                            self.refuse(Unsupported::new("blocks are nested too deeply", ""))
                        );
                    }
                    self.statements(inner)?;
                }
                Statement::Directive(text) => self.positions.directive(text),
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// The labels of a `.branchtargets`.
    fn targets(&mut self, directive: &str) -> Option<Vec<Label>> {
        let names = directive.strip_prefix(".branchtargets")?.split(',');
        let label = |name: &str| match self.lookup(name.trim()) {
            Some(Symbol::Label(label)) => Some(label),
            _ => None,
        };
        names.map(label).collect()
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        let (location, files) = self.positions.next(instruction);
        self.kernel.source_files.push(files);
        self.origin = self.kernel.origins.len() as u32;
        self.kernel.origins.push(Origin {
            name: instruction.name(),
            location,
            text_line: instruction.text_line,
        });
        if self.kernel.insts.len() > MAX_INSTRUCTIONS {
            let what = format!("the kernel has more than {MAX_INSTRUCTIONS} instructions");
            return Err(self.refuse(Unsupported::new(what, "split it; calls are inlined")));
        }
        if instruction.opcode == "call" {
            return self.call(instruction);
        }
        let instruction = self.with_elements(instruction);
        rules::lower_instruction(self, &instruction).map_err(|r| self.refuse(r))
    }

    fn local_variable(&mut self, variable: &Variable) -> Result<(), LoadError> {
        let symbol = match variable.space {
            StateSpace::Shared => {
                let address = self.layout.shared(&mut self.kernel, variable);
                Symbol::Variable(MemorySpace::Shared, address)
            }
            StateSpace::Local | StateSpace::Param => {
                let address = self.layout.local(&mut self.kernel, variable);
                Symbol::Variable(MemorySpace::Local, address)
            }
            StateSpace::Reg => {
                let width = width_of(variable.ty).map_err(|r| self.refuse(r))?;
                Symbol::Register(self.new_register(width))
            }
            StateSpace::Global | StateSpace::Const => {
                let key = key_of(self.module, variable);
                match key.and_then(|key| self.globals.get(&key)) {
                    Some((space, address)) => Symbol::Variable(*space, Operand::Const(*address)),
                    None => {
                        let what = format!("variable `{}` was not placed", variable.name);
                        return Err(self.refuse(Unsupported::new(what, DEFINE_EXTERN)));
                    }
                }
            }
        };
        self.bind(&variable.name, symbol);
        Ok(())
    }

    fn call(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        let call = rules::call::Call::read(instruction).map_err(|r| self.refuse(r))?;
        if call.function == "vprintf" {
            return rules::call::print(self, instruction, &call).map_err(|r| self.refuse(r));
        }
        if call.function == "__assertfail" {
            return rules::call::assert_fail(self, instruction).map_err(|r| self.refuse(r));
        }
        if let Some(Symbol::Register(address)) = self.lookup(&call.function) {
            return self.indirect(instruction, &call, address);
        }
        let heap = self.globals.get(HEAP).map(|(_, address)| *address);
        if let (Some(heap), "malloc" | "free") = (heap, call.function.as_str()) {
            return rules::call::heap(self, instruction, &call, heap).map_err(|r| self.refuse(r));
        }
        let module = self.module;
        let callee = module.functions().find(|f| f.name == call.function && f.body.is_some());
        let Some(callee) = callee else {
            let what = format!("call of `{}`, which the module does not define", call.function);
            let help =
                "link or inline the function; the device library is not part of the emulator";
            return Err(self.refuse(Unsupported::new(what, help)));
        };
        if self.active.contains(&call.function) || self.active.len() > MAX_DEPTH {
            let what = format!("`{}` calls itself", call.function);
            return Err(self.refuse(Unsupported::new(what, "rewrite the recursion as a loop")));
        }
        let guard = guard(self, instruction).map_err(|r| self.refuse(r))?;
        let skip = self.skip_unless(guard);
        self.inline(callee, &call)?;
        if let Some(skip) = skip {
            self.set_label(skip);
        }
        Ok(())
    }

    /// The body of a function in place of its call.
    fn inline(&mut self, callee: &'m Function, call: &rules::call::Call) -> Result<(), LoadError> {
        let scope = rules::call::bind(self, callee, call).map_err(|r| self.refuse(r))?;
        let end = self.new_label();
        let outer_scopes = std::mem::replace(&mut self.scopes, vec![scope]);
        let outer_return = self.return_to.replace(end);
        let outer_position = self.positions.enter();
        self.active.push(callee.name.clone());
        let body = callee.body.as_deref().unwrap_or_default();
        self.statements(body)?;
        self.active.pop();
        self.positions.leave(outer_position);
        self.return_to = outer_return;
        let inner = std::mem::replace(&mut self.scopes, outer_scopes);
        self.set_label(end);
        rules::call::results(self, callee, call, &inner[0]).map_err(|r| self.refuse(r))?;
        Ok(())
    }

    /// A call through an address: each function that it may mean, if the address is the function's. An
    /// address that is none of theirs, or of one that is being called already, is a trap.
    fn indirect(
        &mut self,
        instruction: &Instruction,
        call: &rules::call::Call,
        address: Reg,
    ) -> Result<(), LoadError> {
        let guard = guard(self, instruction).map_err(|r| self.refuse(r))?;
        let skip = self.skip_unless(guard);
        let (end, origin) = (self.new_label(), self.origin);
        let module = self.module;
        for (place, callee) in candidates(module, call.results.len(), call.arguments.len()) {
            if self.active.contains(&callee.name) || self.active.len() > MAX_DEPTH {
                continue;
            }
            let (differs, next) = (self.new_register(Width::Predicate), self.new_label());
            let compare = Opcode::Alu(Alu::Logic(LogicOp::WideDiffer));
            let src = vec![Operand::Reg(address), Operand::Const(place)];
            self.emit(compare, vec![Some(differs)], src, None);
            self.emit(Opcode::Branch(next), Vec::new(), Vec::new(), Some((differs, false)));
            self.inline(callee, call)?;
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
