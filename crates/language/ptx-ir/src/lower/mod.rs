//! Lowering: from the syntax tree to a flat kernel, with names resolved, variables placed and calls inlined.

pub(crate) mod allocation;
pub mod call_graph;
mod calls;
pub mod frames;
mod layout;
mod positions;
mod recursion;
pub mod state;
pub mod unreached;

use crate::analysis::Liveness;
use crate::analysis::cfg::ControlFlowGraph;
use crate::kernel::*;
use crate::lower::positions::Position;
use crate::lower::state::{DEFINE_EXTERN, Symbol, width_of};
use crate::module::{PlacedModule, key_of};
use crate::opcode::asynchrony::AsyncOp;
use crate::{LoadError, rules};
use lanework_ptx::{
    Function, FunctionDirective, Instruction, ScalarType, StateSpace, Statement, Variable,
};
use std::collections::HashMap;
use std::sync::Arc;

pub use crate::Unsupported;
pub use crate::lower::layout::readable as readable_variable;
pub use crate::lower::recursion::STACK_BYTES;
pub use crate::lower::state::{Lowering, LoweringOptions};

/// Maximum instructions of one kernel after inlining.
const MAX_INSTRUCTIONS: usize = 1 << 20;
/// Limit on the bits of a set of live registers (256 MiB); an analysis holds three.
const MAX_LIVENESS_BITS: u64 = 1 << 31;

impl<'m> Lowering<'m> {
    /// Lowers an entry of a module.
    ///
    /// # Errors
    /// The first unsupported construct.
    pub fn entry(
        source: PlacedModule<'m>,
        entry: &'m Function,
        options: LoweringOptions,
    ) -> Result<Kernel, LoadError> {
        let mut lowering = Lowering::new(source, entry, options, rules::lower_step);
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
        lowering.start_allocation(body);
        lowering.statements(body)?;
        lowering.finish_allocation();
        lowering.kernel.entry_registers = entry_registers(entry, &lowering.kernel.insts);
        lowering.kernel.origins.push(Origin {
            name: "end of kernel".to_owned(),
            location: None,
            text_line: 0,
            callers: Arc::default(),
        });
        lowering.kernel.source_files.push(Box::default());
        let origin = lowering.kernel.origins.len() as u32 - 1;
        let needs_end = !matches!(
            lowering.kernel.insts.last(),
            Some(Inst {
                opcode: Opcode::Return | Opcode::Exit | Opcode::Trap | Opcode::AssertFail,
                guard: None,
                ..
            })
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
        lowering.finish_frames();
        lowering.check_size()?;
        if !source.module.target.is_for_debugging() {
            crate::passes::contract::contract(&mut lowering.kernel, &lowering.rounding);
        }
        crate::passes::drop_unused_elements(&mut lowering.kernel);
        crate::passes::canonicalize_nans(&mut lowering.kernel);
        lowering.layout.finish(&mut lowering.kernel);
        if options.gaps {
            crate::analysis::load_uses::mark_load_uses(&mut lowering.kernel);
        }
        Ok(lowering.kernel)
    }

    /// Refuses kernels for which the analyses would take too much memory.
    fn check_size(&self) -> Result<(), LoadError> {
        let kernel = &self.kernel;
        if Liveness::bits(kernel, &ControlFlowGraph::new(kernel)) <= MAX_LIVENESS_BITS {
            return Ok(());
        }
        let message = "the kernel is too large to analyze".to_owned();
        let help = "split it into smaller kernels";
        Err(self.error_here(Unsupported::new(message, help)))
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
                    let quad = registers.ty == ScalarType::B128;
                    let ty = if quad { ScalarType::B64 } else { registers.ty };
                    let width = width_of(ty).map_err(|r| self.error_here(r))?;
                    let vector = registers.vector;
                    let first = self.kernel.registers.len();
                    for (name, count) in &registers.names {
                        match count {
                            None if quad => self.bind_quad(name),
                            None => self.bind_register(name.clone(), vector, width),
                            Some(count)
                                if !self.has_room(u64::from(*count) * u64::from(vector)) =>
                            {
                                return Err(self.error_here(Unsupported::new(
                                    format!("{count} registers `{name}` are too many"),
                                    "declare at most 1048576 at once, and four times as many in total",
                                )));
                            }
                            Some(count) if quad => {
                                (0..*count).for_each(|i| self.bind_quad(&format!("{name}{i}")));
                            }
                            Some(count) => {
                                for i in 0..*count {
                                    self.bind_register(format!("{name}{i}"), vector, width);
                                }
                            }
                        }
                    }
                    if registers.ty.is_float() {
                        self.declare_floats(first);
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
                            self.error_here(Unsupported::new("blocks are nested too deeply", ""))
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

    /// Whether the kernel may have this many more registers.
    fn has_room(&self, count: u64) -> bool {
        count <= 1 << 20 && count + self.kernel.registers.len() as u64 <= 1 << 22
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
        let Position { location, files, callers } = self.positions.next(instruction);
        self.kernel.source_files.push(files);
        self.origin = self.kernel.origins.len() as u32;
        self.kernel.origins.push(Origin {
            name: instruction.name(),
            location,
            text_line: instruction.text_line,
            callers,
        });
        if self.kernel.insts.len() > MAX_INSTRUCTIONS {
            let what = format!("the kernel has more than {MAX_INSTRUCTIONS} instructions");
            return Err(self.error_here(Unsupported::new(what, "split it; calls are inlined")));
        }
        if instruction.opcode == lanework_ptx::Opcode::Call {
            return self.call(instruction);
        }
        let instruction = self.with_elements(instruction);
        rules::lower_instruction(self, &instruction).map_err(|r| self.error_here(r))
    }

    fn local_variable(&mut self, variable: &Variable) -> Result<(), LoadError> {
        let symbol = match variable.space {
            StateSpace::Shared => {
                // A shared variable of a function exists once, however often the function is inlined.
                let key = std::ptr::from_ref(variable).addr();
                let known = self.placed_shared.get(&key).copied();
                let address =
                    known.unwrap_or_else(|| self.layout.shared(&mut self.kernel, variable));
                self.placed_shared.insert(key, address);
                Symbol::Variable(MemorySpace::Shared, address)
            }
            StateSpace::Local | StateSpace::Param => match self.in_frame(variable) {
                Some(symbol) => symbol,
                None => {
                    let address = self.layout.local(&mut self.kernel, variable);
                    Symbol::Variable(MemorySpace::Local, address)
                }
            },
            StateSpace::Reg => {
                let width = width_of(variable.ty).map_err(|r| self.error_here(r))?;
                Symbol::Register(self.new_register(width))
            }
            StateSpace::Global | StateSpace::Const => {
                let key = key_of(self.source.module, variable);
                match key.and_then(|key| self.source.addresses.get(&key)) {
                    Some((space, address)) => Symbol::Variable(*space, Operand::Const(*address)),
                    None => {
                        let what = format!("variable `{}` was not placed", variable.name);
                        return Err(self.error_here(Unsupported::new(what, DEFINE_EXTERN)));
                    }
                }
            }
        };
        self.bind(&variable.name, symbol);
        Ok(())
    }

    /// Lowers the body of a function with the names in `scope`; `ret` goes to `end`. Returns the scope.
    fn body(
        &mut self,
        function: &'m Function,
        scope: HashMap<String, Symbol>,
        end: Label,
    ) -> Result<HashMap<String, Symbol>, LoadError> {
        let outer_scopes = std::mem::replace(&mut self.scopes, vec![scope]);
        let outer_return = self.return_to.replace(end);
        let outer_position = self.positions.enter();
        self.active.push(function.name.clone());
        let (first, inlined) = (self.kernel.origins.len() as u32, self.kernel.functions.len());
        self.kernel.functions.push(InlinedFunction {
            name: function.name.clone(),
            origins: first..first,
            first_local: self.kernel.local_variables.len() as u32,
        });
        self.statements(function.body.as_deref().unwrap_or_default())?;
        self.kernel.functions[inlined].origins.end = self.kernel.origins.len() as u32;
        self.active.pop();
        self.positions.leave(outer_position);
        self.return_to = outer_return;
        Ok(std::mem::replace(&mut self.scopes, outer_scopes).swap_remove(0))
    }
}

/// Registers per thread at the launch of an entry, if its directives determine them. As in ptxas, thread bounds without `.maxnreg`
/// give the largest count that `setmaxnreg` requests, limited to what a multiprocessor has for these threads. `.reqntid` alone
/// determines no count; a GPU then hangs.
fn entry_registers(entry: &Function, insts: &[Inst]) -> Option<u32> {
    const REGISTERS: u32 = 65_536;
    let find = |of: fn(&FunctionDirective) -> Option<u32>| entry.directives.iter().find_map(of);
    let most = find(|directive| match directive {
        FunctionDirective::MaxRegisters(count) => Some(*count),
        _ => None,
    });
    let blocks = find(|directive| match directive {
        FunctionDirective::MinBlocksPerSm(blocks) => Some(*blocks),
        _ => None,
    });
    let bounds = find(|directive| match directive {
        FunctionDirective::MaxBlock(shape) => Some(shape.iter().product()),
        _ => None,
    });
    let threads = match blocks {
        Some(_) => entry.max_threads(),
        None => bounds,
    };
    let counts = insts.iter().filter_map(|inst| match inst.opcode {
        Opcode::Async(AsyncOp::Registers { count, .. }) => Some(count),
        _ => None,
    });
    let wanted = counts.max()?;
    let per_thread = |threads: u32| {
        let all = threads.saturating_mul(blocks.unwrap_or(1)).max(1);
        (REGISTERS / all / 8 * 8).min(wanted)
    };
    most.or_else(|| threads.map(per_thread))
}
