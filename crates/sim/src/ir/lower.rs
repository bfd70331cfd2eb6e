//! From the syntax tree to a flat kernel: names resolved, variables placed, calls inlined.

use crate::engine::fault::{LoadError, SourceLocation};
use crate::ir::indirect::candidates;
use crate::ir::kernel::*;
use crate::ir::opcode::Alu;
use crate::ir::opcode::logic::LogicOp;
use crate::ir::rules;
use lanework_ptx::{
    Function, FunctionDirective, Instruction, Linkage, Location, Module, ScalarType, StateSpace,
    Statement, Variable,
};
use std::collections::HashMap;

/// Bytes left free between variables, so that an index out of one does not land in the next.
pub const GAP: u32 = 1024;
/// The same in local memory once it has so many bytes.
const NARROW_GAP: u32 = 32;
const WIDE_GAPS: u32 = 16 << 10;

/// Calls nested deeper than this are refused.
const MAX_DEPTH: usize = 64;
/// Instructions of one kernel after inlining.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A register.
    Register(Reg),
    /// A label.
    Label(Label),
    /// The labels that an indexed branch chooses from.
    Targets(Vec<Label>),
    /// A variable in a space, by address in that space.
    Variable(MemorySpace, Src),
}

/// What a decode rule says when it refuses: the message, and what to do.
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Refusal {
    /// A refusal with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: help.into() }
    }
}

/// Results of rules.
pub type Rule<T = ()> = Result<T, Refusal>;

/// Lowers the functions of one module.
pub struct Lowering<'m> {
    module: &'m Module,
    globals: &'m HashMap<String, (MemorySpace, u64)>,
    /// The kernel so far.
    pub kernel: Kernel,
    scopes: Vec<HashMap<String, Symbol>>,
    module_shared: HashMap<String, Src>,
    specials: HashMap<Special, Reg>,
    carry: Option<Reg>,
    active: Vec<String>,
    /// Where `ret` goes: the end of the inlined function, or the kernel's end.
    return_to: Option<Label>,
    origin: u32,
    /// The last place in the source that a `.loc` of the function gave.
    place: Option<SourceLocation>,
    /// Where the places of `.loc` were inlined at, those that say so.
    inlined: HashMap<[u32; 3], [u32; 3]>,
    /// Whether the instruction is of CUB or Thrust.
    of_library: bool,
    /// Whether variables in shared and local memory keep apart.
    gaps: bool,
    /// Bytes of shared memory without gaps.
    packed_shared: u32,
    /// The alignment of dynamic shared memory: that of what is declared there, 16 at least.
    dynamic_alignment: u32,
}

impl<'m> Lowering<'m> {
    /// Lowers an entry; `globals` are the module's variables in global and constant memory; `gaps`
    /// says whether variables in shared and local memory keep apart.
    ///
    /// # Errors
    /// At the first thing that the emulator does not know.
    pub fn entry(
        module: &'m Module,
        entry: &'m Function,
        globals: &'m HashMap<String, (MemorySpace, u64)>,
        gaps: bool,
    ) -> Result<Kernel, LoadError> {
        let mut lowering = Lowering {
            module,
            globals,
            kernel: Kernel { name: entry.name.clone(), ..Kernel::default() },
            scopes: vec![HashMap::new()],
            module_shared: HashMap::new(),
            specials: HashMap::new(),
            carry: None,
            active: vec![entry.name.clone()],
            return_to: None,
            origin: 0,
            place: None,
            inlined: HashMap::new(),
            of_library: false,
            gaps,
            packed_shared: 0,
            dynamic_alignment: 16,
        };
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
        lowering.kernel.of_library.push(false);
        let origin = lowering.kernel.origins.len() as u32 - 1;
        let needs_end = !matches!(
            lowering.kernel.insts.last(),
            Some(Inst { action: Action::Return | Action::Exit | Action::Trap, guard: None, .. })
        ) || lowering.kernel.labels.contains(&lowering.kernel.insts.len());
        if needs_end {
            lowering.kernel.insts.push(Inst {
                action: Action::Return,
                dst: Vec::new(),
                src: Vec::new(),
                guard: None,
                origin,
                nan: NanUse::Observes,
            });
        }
        crate::ir::canonicalize::canonicalize_nans(&mut lowering.kernel);
        lowering.kernel.declared_shared = lowering.packed_shared;
        let gap = if gaps && lowering.kernel.static_shared > 0 { GAP } else { 0 };
        let end = lowering.kernel.static_shared.saturating_add(gap);
        lowering.kernel.static_shared = end.next_multiple_of(lowering.dynamic_alignment);
        if gaps {
            crate::ir::load_uses::mark_load_uses(&mut lowering.kernel);
        }
        Ok(lowering.kernel)
    }

    fn place_parameters(&mut self, entry: &Function) {
        for parameter in &entry.params {
            let bytes = parameter.size().min(u64::from(u16::MAX)) as u32;
            let align = parameter.alignment().clamp(1, 1024);
            let offset = self.kernel.parameter_bytes.next_multiple_of(align);
            self.kernel.parameter_bytes = offset + bytes;
            let symbol = Symbol::Variable(MemorySpace::Parameter, Src::Const(u64::from(offset)));
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
                    if registers.vector > 1 {
                        let what = Refusal::new(
                            "vector registers are not supported",
                            "declare scalar registers and use `{a, b}`",
                        );
                        return Err(self.refuse(what));
                    }
                    for (name, count) in &registers.names {
                        match count {
                            None => self.bind_register(name.clone(), width),
                            Some(count) if *count > 1 << 20 => {
                                return Err(self.refuse(Refusal::new(
                                    format!("{count} registers `{name}` are too many"),
                                    "declare at most 1048576",
                                )));
                            }
                            Some(count) => {
                                for i in 0..*count {
                                    self.bind_register(format!("{name}{i}"), width);
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
                        return Err(self.refuse(Refusal::new("blocks are nested too deeply", "")));
                    }
                    self.statements(inner)?;
                }
                Statement::Directive(text) => self.directive(text),
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

    /// A `.loc` that stands alone says where an inlined call was.
    fn directive(&mut self, text: &str) {
        if let Some(words) = text.strip_prefix(".loc")
            && let (Some(place), Some(outer)) = (three(words), inlined_at(words))
        {
            self.inlined.insert(place, outer);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        // Line 0 is no line: compilers say it of what they made themselves, and of what came from two.
        let location = match instruction.location.as_ref().map(|l| self.source(l)) {
            Some(place) if place.line == 0 => self.place.clone(),
            place => place,
        };
        let position = instruction.location.as_ref().filter(|position| position.line > 0);
        self.of_library = match position {
            Some(position) => self.is_of_library(position),
            None => self.of_library && location.is_some(),
        };
        self.kernel.of_library.push(self.of_library);
        self.place.clone_from(&location);
        self.origin = self.kernel.origins.len() as u32;
        self.kernel.origins.push(Origin {
            name: instruction.name(),
            location,
            text_line: instruction.text_line,
        });
        if self.kernel.insts.len() > MAX_INSTRUCTIONS {
            let what = format!("the kernel has more than {MAX_INSTRUCTIONS} instructions");
            return Err(self.refuse(Refusal::new(what, "split it; calls are inlined")));
        }
        if instruction.opcode == "call" {
            return self.call(instruction);
        }
        rules::decode(self, instruction).map_err(|r| self.refuse(r))
    }

    /// Whether a `.loc` is in a header of the toolkit, and in CUB or Thrust or in what was inlined there.
    fn is_of_library(&self, location: &Location) -> bool {
        let file = |number: u32| {
            let index = (number as usize).checked_sub(1);
            index.and_then(|i| self.module.files.get(i)).map_or("", String::as_str)
        };
        let mut place = Some([location.file, location.line, location.column]);
        if !file(location.file).contains("/include/") {
            return false;
        }
        for _ in 0..MAX_DEPTH {
            let Some(at) = place else { return false };
            let name = file(at[0]);
            if name.contains("/cub/") || name.contains("/thrust/") {
                return true;
            }
            place = self.inlined.get(&at).copied();
        }
        false
    }

    /// The source position of a `.loc`. One in a toolkit's header stands for the place in the user's
    /// file that it was inlined at.
    fn source(&mut self, location: &Location) -> SourceLocation {
        let mut place = [location.file, location.line, location.column];
        if let Some(outer) = location.inlined.as_deref().and_then(inlined_at) {
            self.inlined.insert(place, outer);
        }
        let file = |number: u32| {
            let index = (number as usize).checked_sub(1);
            index.and_then(|i| self.module.files.get(i)).cloned().unwrap_or_default()
        };
        for _ in 0..MAX_DEPTH {
            match self.inlined.get(&place) {
                Some(outer) if file(place[0]).contains("/include/") => place = *outer,
                _ => break,
            }
        }
        SourceLocation { file: file(place[0]), line: place[1], column: place[2] }
    }

    /// Appends an instruction.
    pub fn emit(
        &mut self,
        action: Action,
        dst: Vec<Option<Reg>>,
        src: Vec<Src>,
        guard: Option<(Reg, bool)>,
    ) {
        let origin = self.origin;
        let nan = match action {
            Action::Alu(op) => op.nan_use(),
            _ => NanUse::Observes,
        };
        self.kernel.insts.push(Inst { action, dst, src, guard, origin, nan });
    }

    /// Appends a jump over what follows unless the guard holds; gives the label to set after it.
    pub fn skip_unless(&mut self, guard: Option<(Reg, bool)>) -> Option<Label> {
        let (register, negated) = guard?;
        let label = self.new_label();
        self.emit(Action::Branch(label), Vec::new(), Vec::new(), Some((register, !negated)));
        Some(label)
    }

    /// Where `ret` goes in an inlined function.
    pub fn return_label(&self) -> Option<Label> {
        self.return_to
    }

    /// A label not yet set.
    pub fn new_label(&mut self) -> Label {
        self.kernel.labels.push(0);
        self.kernel.labels.len() as u32 - 1
    }

    /// Puts a label before the next instruction.
    pub fn set_label(&mut self, label: Label) {
        self.kernel.labels[label as usize] = self.kernel.insts.len();
    }

    /// A register of its own.
    pub fn new_register(&mut self, width: Width) -> Reg {
        self.kernel.registers.push(Register { width, special: None });
        self.kernel.registers.len() as u32 - 1
    }

    /// The carry flag, a predicate.
    pub fn carry(&mut self) -> Reg {
        match self.carry {
            Some(register) => register,
            None => {
                let register = self.new_register(Width::Predicate);
                self.carry = Some(register);
                register
            }
        }
    }

    /// The register that stands for a special one.
    pub fn special(&mut self, special: Special, width: Width) -> Reg {
        if let Some(register) = self.specials.get(&special) {
            return *register;
        }
        self.kernel.registers.push(Register { width, special: Some(special) });
        let register = self.kernel.registers.len() as u32 - 1;
        self.specials.insert(special, register);
        register
    }

    /// What a name stands for here.
    pub fn lookup(&mut self, name: &str) -> Option<Symbol> {
        if let Some(symbol) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(symbol.clone());
        }
        if let Some((space, address)) = self.globals.get(name) {
            return Some(Symbol::Variable(*space, Src::Const(*address)));
        }
        if let Some(address) = self.module_shared.get(name) {
            return Some(Symbol::Variable(MemorySpace::Shared, *address));
        }
        let variable =
            self.module.variables().find(|v| v.name == name && v.space == StateSpace::Shared)?;
        let address = self.place_shared(variable);
        self.module_shared.insert(name.to_owned(), address);
        Some(Symbol::Variable(MemorySpace::Shared, address))
    }

    fn bind(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), symbol);
        }
    }

    fn bind_register(&mut self, name: String, width: Width) {
        let register = self.new_register(width);
        self.bind(&name, Symbol::Register(register));
    }

    fn place_shared(&mut self, variable: &Variable) -> Src {
        let open = variable.dims.iter().any(Option::is_none);
        if variable.linkage == Linkage::Extern && (open || variable.size() == 0) {
            self.kernel.dynamic_shared.get_or_insert_with(|| readable(&variable.name));
            let align = variable.alignment().clamp(1, 1024);
            self.dynamic_alignment = self.dynamic_alignment.max(align);
            return Src::DynamicShared(0);
        }
        let align = variable.alignment().clamp(1, 1024);
        let bytes = variable.size().min(1 << 31) as u32;
        let offset = self.place(self.kernel.static_shared, align, GAP);
        self.kernel.static_shared = offset.saturating_add(bytes);
        let packed = self.packed_shared.min(1 << 30).next_multiple_of(align);
        self.packed_shared = packed.saturating_add(bytes);
        let name = readable(&variable.name);
        self.kernel.shared_variables.push(Placed { name, offset, bytes });
        Src::Const(u64::from(offset))
    }

    /// Where a variable goes after `end` bytes of others, as far from them as `gap` says.
    fn place(&self, end: u32, align: u32, gap: u32) -> u32 {
        let gap = if self.gaps && end > 0 { gap } else { 0 };
        (end.min(1 << 30) + gap).next_multiple_of(align)
    }

    fn place_local(&mut self, variable: &Variable) -> Src {
        let align = variable.alignment().clamp(1, 1024);
        // Code for debugging has thousands of variables once its calls are inlined, and each thread
        // has them all: parameters of calls are not indexed, and gaps get narrow in the end.
        let gap = match variable.space {
            StateSpace::Param => 0,
            _ if self.kernel.local_bytes < WIDE_GAPS => GAP,
            _ => NARROW_GAP,
        };
        let offset = self.place(self.kernel.local_bytes, align, gap);
        let bytes = variable.size().min(1 << 31) as u32;
        self.kernel.local_bytes = offset.saturating_add(bytes);
        let name = variable.name.clone();
        self.kernel.local_variables.push(Placed { name, offset, bytes });
        Src::Const(u64::from(offset))
    }

    fn local_variable(&mut self, variable: &Variable) -> Result<(), LoadError> {
        let symbol = match variable.space {
            StateSpace::Shared => {
                let address = self.place_shared(variable);
                Symbol::Variable(MemorySpace::Shared, address)
            }
            StateSpace::Local | StateSpace::Param => {
                let address = self.place_local(variable);
                Symbol::Variable(MemorySpace::Local, address)
            }
            StateSpace::Reg => {
                let width = width_of(variable.ty).map_err(|r| self.refuse(r))?;
                Symbol::Register(self.new_register(width))
            }
            StateSpace::Global | StateSpace::Const => {
                let what =
                    format!("variable `{}` of {} inside a function", variable.name, variable.space);
                return Err(self.refuse(Refusal::new(what, "declare it at module scope")));
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
        let heap = self.globals.get(crate::engine::heap::NAME).map(|(_, address)| *address);
        if let (Some(heap), "malloc" | "free") = (heap, call.function.as_str()) {
            return rules::call::heap(self, instruction, &call, heap).map_err(|r| self.refuse(r));
        }
        let module = self.module;
        let callee = module.functions().find(|f| f.name == call.function && f.body.is_some());
        let Some(callee) = callee else {
            let what = format!("call of `{}`, which the module does not define", call.function);
            let help =
                "link or inline the function; the device library is not part of the emulator";
            return Err(self.refuse(Refusal::new(what, help)));
        };
        if self.active.contains(&call.function) || self.active.len() > MAX_DEPTH {
            let what = format!("`{}` calls itself", call.function);
            return Err(self.refuse(Refusal::new(what, "rewrite the recursion as a loop")));
        }
        let guard = rules::guard(self, instruction).map_err(|r| self.refuse(r))?;
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
        let outer_place = self.place.take();
        self.active.push(callee.name.clone());
        let body = callee.body.as_deref().unwrap_or_default();
        self.statements(body)?;
        self.active.pop();
        self.place = outer_place;
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
        let guard = rules::guard(self, instruction).map_err(|r| self.refuse(r))?;
        let skip = self.skip_unless(guard);
        let (end, origin) = (self.new_label(), self.origin);
        let module = self.module;
        for (place, callee) in candidates(module, call.results.len(), call.arguments.len()) {
            if self.active.contains(&callee.name) || self.active.len() > MAX_DEPTH {
                continue;
            }
            let (differs, next) = (self.new_register(Width::Predicate), self.new_label());
            let compare = Action::Alu(Alu::Logic(LogicOp::WideDiffer));
            let src = vec![Src::Reg(address), Src::Const(place)];
            self.emit(compare, vec![Some(differs)], src, None);
            self.emit(Action::Branch(next), Vec::new(), Vec::new(), Some((differs, false)));
            self.inline(callee, call)?;
            self.origin = origin;
            self.emit(Action::Branch(end), Vec::new(), Vec::new(), None);
            self.set_label(next);
        }
        self.emit(Action::Trap, Vec::new(), Vec::new(), None);
        self.set_label(end);
        if let Some(skip) = skip {
            self.set_label(skip);
        }
        Ok(())
    }

    /// The module that is lowered.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// Places a callee's formal parameter in local memory.
    pub fn formal(&mut self, variable: &Variable) -> Rule<Symbol> {
        Ok(match variable.space {
            StateSpace::Reg => Symbol::Register(self.new_register(width_of(variable.ty)?)),
            _ => Symbol::Variable(MemorySpace::Local, self.place_local(variable)),
        })
    }

    fn refuse(&self, refusal: Refusal) -> LoadError {
        let origin = self.kernel.origins.get(self.origin as usize);
        LoadError {
            message: refusal.message,
            function: self.active.last().cloned().unwrap_or_default(),
            location: origin.and_then(|o| o.location.clone()),
            text_line: origin.map_or(0, |o| o.text_line),
            help: refusal.help,
        }
    }
}

/// The first three numbers of a text.
fn three(words: &str) -> Option<[u32; 3]> {
    let mut numbers = words.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let mut next = || numbers.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

/// The place after `inlined_at`.
fn inlined_at(words: &str) -> Option<[u32; 3]> {
    three(words.split_once("inlined_at")?.1)
}

/// The name of a variable as the source has it: of `_ZZ6kernelE4tile` the last part.
fn readable(name: &str) -> String {
    let last = name.strip_prefix("_ZZ").and_then(|rest| {
        rest.match_indices('E').rev().find_map(|(at, _)| {
            let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            let start = at + 1 + digits.len();
            rest.get(start..start + digits.parse::<usize>().ok()?)
        })
    });
    last.unwrap_or(name).to_owned()
}

/// How registers of a type are stored.
pub fn width_of(ty: ScalarType) -> Rule<Width> {
    Ok(match ty {
        ScalarType::Pred => Width::Predicate,
        ScalarType::B128 => {
            return Err(Refusal::new(
                "128-bit registers are not supported",
                "use two 64-bit registers",
            ));
        }
        ty if ty.size() == 8 => Width::Wide,
        _ => Width::Word,
    })
}
