//! The builder: the kernel being staged on this thread.
//!
//! Instructions are appended to a flat list. Pure instructions go through value numbering
//! ([`crate::emit::optimize`]) within the enclosing structured scopes, so the same address is computed
//! once.
//!
//! The builder tracks which groups of copies are in flight at each label. It captures a block of lines if it is not yet known
//! whether they become a branch target, straight-line code or one guarded jump.

use crate::emit::frames::{
    BarrierSetup, Branches, CallFrame, Captured, Computation, Failure, Flight, Interrupted, Line,
    Locals, LoopFrame, MovedRegisters, Repeat, Scope,
};
use crate::emit::named::NamedValues;
use crate::emit::recursion::ActiveCalls;
use crate::emit::value::{Class, Register, Value, literal};
use lanework_abi::{CheckSite, Parameter, StageError, StageOptions};
use lanework_ptx::{Guard, Instruction, Location, Opcode, Operand, ScalarType, Variable};
use std::collections::{HashMap, HashSet};
use std::panic::Location as Caller;

/// A kernel under construction.
#[derive(Default)]
pub(crate) struct Builder {
    pub checked: bool,
    pub prologue: Vec<Line>,
    pub lines: Vec<Line>,
    /// Whether control cannot reach the end of `lines`.
    pub dead: bool,
    pub used_labels: HashSet<String>,
    pub loops: Vec<LoopFrame>,
    pub calls: Vec<CallFrame>,
    pub functions: ActiveCalls,
    /// State saved by the enclosing captures.
    pub interrupted: Vec<Interrupted>,
    /// The enclosing `if`s with `else`, with their staged branches.
    pub branches: Vec<Branches>,
    /// The enclosing loops, including those outside of a `#[device]` call.
    pub repeats: Vec<Repeat>,
    /// Labels at the ends of unrolled loops.
    pub unrolled: Vec<String>,
    /// Variables of the entry's body: shared and local arrays.
    pub variables: Vec<Variable>,
    /// Items of the module: format strings, dynamic shared memory.
    pub globals: Vec<Variable>,
    pub parameters: Vec<Parameter>,
    pub entry_parameters: Vec<Variable>,
    pub sites: Vec<CheckSite>,
    pub errors: Vec<StageError>,
    pub files: Vec<String>,
    pub counts: HashMap<Class, u32>,
    /// The bounds checks that failed out of line: site, index, length.
    pub failures: Vec<Failure>,
    /// Names of the arrays that places refer to.
    pub symbols: Vec<String>,
    pub barriers: Vec<BarrierSetup>,
    /// Named barriers of the block, without barrier 0.
    pub named_barriers: u32,
    /// Blocks of the kernel's cluster; `None` if the kernel declares none.
    pub cluster: Option<[u32; 3]>,
    /// Threads of the kernel's blocks; `None` if the kernel declares none.
    pub block: Option<[u32; 3]>,
    /// Registers that each thread is launched with; `None` if the kernel does not declare it.
    pub max_registers: Option<u32>,
    /// Register counts that roles change to.
    pub moved_registers: Vec<MovedRegisters>,
    /// Bytes of dynamic shared memory allocated so far.
    pub dynamic_shared: u64,
    /// Whether `vprintf` must be declared.
    pub uses_printf: bool,
    /// The text that `print!` produces for an error message of the kernel, while one is being built.
    pub rendering: Option<String>,
    /// Bytes of the largest argument list printed.
    pub print_bytes: u32,
    /// Arrays of variables and tables that are indexed at run time.
    pub locals: Locals,
    pub symbol_addresses: HashMap<usize, Register>,
    position: Option<Location>,
    caller: Option<&'static Caller<'static>>,
    pub scopes: Vec<Scope>,
    pub versions: HashMap<Register, u64>,
    pub version: u64,
    pub specials: HashMap<&'static str, Register>,
    pub constant_sums: HashMap<Register, (Value, i64)>,
    /// Groups of asynchronous copies in flight.
    pub flight: Flight,
    /// The named values, if the kernel is staged for the debugger.
    pub named: Option<Box<NamedValues>>,
    names: HashSet<String>,
    labels: u32,
    name_hint: Option<&'static str>,
}

impl Builder {
    /// An empty kernel.
    pub fn new(options: &StageOptions) -> Self {
        let StageOptions { checked, debug } = *options;
        let named = debug.then(Box::default);
        Builder { checked, named, scopes: vec![HashMap::new()], ..Builder::default() }
    }

    pub fn set_position(&mut self, caller: &'static Caller<'static>) {
        if self.caller.is_some_and(|now| std::ptr::eq(now, caller)) {
            return;
        }
        self.caller = Some(caller);
        let file = match self.files.iter().position(|f| f == caller.file()) {
            Some(index) => index,
            None => {
                self.files.push(caller.file().to_owned());
                self.files.len() - 1
            }
        };
        self.position = Some(Location {
            file: file as u32 + 1,
            line: caller.line(),
            column: caller.column(),
            inlined: self.inlined_words(),
        });
    }

    /// File, line and column of the source being staged.
    pub fn source(&self) -> (String, u32, u32) {
        self.caller.map_or((String::new(), 0, 0), |c| (c.file().to_owned(), c.line(), c.column()))
    }

    /// Records an error of the kernel at the current position.
    pub fn error(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let (file, line, column) = self.source();
        let error = StageError { message: message.into(), help: help.into(), file, line, column };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// A new register for values of `ty`.
    pub fn register(&mut self, ty: ScalarType, mutable: bool) -> Register {
        let class = Class::of(ty);
        let count = self.counts.entry(class).or_default();
        *count += 1;
        Register { class, index: *count, mutable }
    }

    /// Returns a new label whose name starts with `purpose`.
    pub fn label(&mut self, purpose: &str) -> String {
        self.labels += 1;
        format!("${purpose}_{}", self.labels)
    }

    /// A name not used yet: `wanted`, or `wanted` with a number.
    pub fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    /// Suggests a name for the next array that is declared.
    pub fn hint_name(&mut self, name: Option<&'static str>) {
        self.name_hint = name;
    }

    /// The suggested name, else `fallback`.
    pub fn take_hint(&mut self, fallback: &'static str) -> &'static str {
        self.name_hint.take().unwrap_or(fallback)
    }

    /// Appends a line unless control cannot reach it.
    pub fn push(&mut self, line: Line) {
        if !self.dead {
            self.lines.push(line);
        }
    }

    /// Appends an instruction with side effects.
    pub fn emit(&mut self, name: &str, operands: Vec<Operand>) {
        let instruction = self.located(Instruction::new(name, operands));
        self.push(Line::Op { instruction, dest: None, pure: false });
    }

    /// Appends an instruction with a new register of `ty` as its first operand.
    pub fn emit_to(&mut self, name: &str, ty: ScalarType, mut operands: Vec<Operand>) -> Value {
        let dest = self.register(ty, false);
        operands.insert(0, Operand::Name(dest.name()));
        let instruction = self.located(Instruction::new(name, operands));
        self.push(Line::Op { instruction, dest: Some(dest), pure: false });
        Value::Register(dest)
    }

    /// A pure computation, done once per scope: `name dest, inputs...`.
    pub fn pure(&mut self, name: &str, ty: ScalarType, inputs: &[(Value, ScalarType)]) -> Value {
        let key = self.computation(name, inputs.iter().map(|(value, _)| *value));
        if let Some(known) = self.known(&key) {
            return known;
        }
        let operands = inputs.iter().map(|(value, ty)| self.operand(*value, *ty)).collect();
        self.pure_operands(key, name, ty, operands)
    }

    /// A pure computation whose operands are written out, numbered under `key`.
    pub fn pure_operands(
        &mut self,
        key: Computation,
        name: &str,
        ty: ScalarType,
        mut operands: Vec<Operand>,
    ) -> Value {
        if let Some(known) = self.known(&key) {
            return known;
        }
        let dest = self.register(ty, false);
        operands.insert(0, Operand::Name(dest.name()));
        let instruction = self.located(Instruction::new(name, operands));
        self.push(Line::Op { instruction, dest: Some(dest), pure: true });
        self.remember(key, Value::Register(dest));
        Value::Register(dest)
    }

    /// `dest = value` as a move.
    pub fn assign(&mut self, dest: Register, value: Value, ty: ScalarType) {
        if value == Value::Register(dest) {
            return;
        }
        let source = match (value, dest.class) {
            (Value::Constant(bits), Class::Half | Class::Predicate) => {
                Operand::Immediate(literal(bits, ScalarType::B32))
            }
            _ => self.operand(value, ty),
        };
        let name = format!("mov.{}", dest.class.bits_type().name());
        let operands = vec![Operand::Name(dest.name()), source];
        let instruction = self.located(Instruction::new(&name, operands));
        self.push(Line::Op { instruction, dest: Some(dest), pure: false });
        if dest.mutable {
            self.assigned(dest);
        }
    }

    /// Sets the source position of the next instructions.
    pub fn set_location(&mut self, position: Option<Location>) {
        self.position = position;
        self.caller = None;
    }

    /// The source position of the next instructions.
    pub fn position(&self) -> Option<&Location> {
        self.position.as_ref()
    }

    /// The instruction with the current source position.
    pub fn located(&self, mut instruction: Instruction) -> Instruction {
        instruction.location = self.position.clone();
        instruction
    }
}

impl Builder {
    /// The value as an operand of an instruction of type `ty`.
    pub fn operand(&mut self, value: Value, ty: ScalarType) -> Operand {
        match value {
            Value::Register(register) => Operand::Name(register.name()),
            Value::Special(name) => Operand::Name(self.special(name).name()),
            Value::Constant(bits) => match Class::of(ty) {
                class @ (Class::Half | Class::Predicate) => {
                    let literal = literal(bits, ScalarType::B32);
                    let key = (format!("constant.{}", class.prefix()), vec![(value, 0)]);
                    let name = format!("mov.{}", class.bits_type().name());
                    match self.pure_operands(key, &name, ty, vec![literal.into()]) {
                        Value::Register(register) => Operand::Name(register.name()),
                        _ => unreachable!("a computation yields a register"),
                    }
                }
                _ => Operand::Immediate(literal(bits, ty)),
            },
        }
    }

    /// The value as an operand of an untyped (`.b32`, `.b64`) instruction.
    pub fn bit_operand(&mut self, value: Value, ty: ScalarType) -> Operand {
        match value {
            Value::Constant(bits) => Operand::integer(bits),
            other => self.operand(other, ty),
        }
    }

    /// The register that holds a special register's value, read at the kernel's top.
    fn special(&mut self, name: &'static str) -> Register {
        if let Some(register) = self.specials.get(name) {
            return *register;
        }
        let register = self.register(ScalarType::U32, false);
        self.specials.insert(name, register);
        let operands = vec![Operand::Name(register.name()), Operand::from(name)];
        self.at_top("mov.u32", register, operands);
        register
    }

    /// The register with the address of an array in shared memory, set at the kernel's top.
    pub fn symbol_address(&mut self, symbol: usize) -> Value {
        if let Some(register) = self.symbol_addresses.get(&symbol) {
            return Value::Register(*register);
        }
        let register = self.register(ScalarType::U32, false);
        self.symbol_addresses.insert(symbol, register);
        let operands =
            vec![Operand::Name(register.name()), Operand::Name(self.symbols[symbol].clone())];
        self.at_top("mov.u32", register, operands);
        Value::Register(register)
    }

    /// Appends a pure instruction to the kernel's prologue, before everything else.
    pub fn at_top(&mut self, name: &str, dest: Register, operands: Vec<Operand>) {
        let instruction = self.located(Instruction::new(name, operands));
        self.prologue.push(Line::Op { instruction, dest: Some(dest), pure: true });
    }
}

impl Builder {
    /// A jump to `label`.
    pub fn jump(&mut self, label: &str) {
        self.emit("bra.uni", vec![Operand::from(label)]);
        if !self.dead {
            self.used_labels.insert(label.to_owned());
            self.leave_for(label);
        }
        self.dead = true;
    }

    /// A jump to `label` if `predicate` is set (or clear, if `negated`).
    pub fn jump_if(&mut self, predicate: Register, negated: bool, label: &str) {
        let mut instruction = self.located(Instruction::new("bra", vec![Operand::from(label)]));
        instruction.guard = Some(Guard { register: predicate.name(), negated });
        if !self.dead {
            self.used_labels.insert(label.to_owned());
            self.leave_for(label);
        }
        self.push(Line::Op { instruction, dest: None, pure: false });
    }

    /// Places `label` here if there is a jump to it.
    pub fn place(&mut self, label: &str) {
        if self.used_labels.contains(label) {
            if !self.flight.arrive(label, self.dead) {
                self.disagreement();
            }
            self.dead = false;
            self.lines.push(Line::Label(label.to_owned()));
        }
    }

    /// Places `label` here for later jumps, for example at the head of a loop.
    pub fn place_always(&mut self, label: &str) {
        self.leave_for(label);
        self.push(Line::Label(label.to_owned()));
    }

    /// Records which copies are in flight at `label`.
    fn leave_for(&mut self, label: &str) {
        if !self.flight.leave(label) {
            self.disagreement();
        }
    }

    fn disagreement(&mut self) {
        self.error(
            "not every path to here has the same groups of copies in flight",
            "commit and wait equally often in each iteration and in each branch: commit outside of \
             `if`, since an empty group costs nothing, and fill the first stages in an `#[unroll]` loop",
        );
    }
}

/// Maximum number of pure instructions in a block that is computed unconditionally (if-conversion), which costs less than a branch.
const CHEAP: usize = 4;

impl Captured {
    /// Whether there are few instructions, none with side effects or memory accesses.
    pub fn is_cheap(&self) -> bool {
        !self.dead
            && self.lines.len() <= CHEAP
            && self.lines.iter().all(|line| matches!(line, Line::Op { pure: true, .. }))
    }

    /// The instruction, if the block is a single unguarded jump or return.
    pub fn only_jump(&self) -> Option<&Instruction> {
        match self.lines.as_slice() {
            [Line::Op { instruction, .. }]
                if instruction.guard.is_none()
                    && matches!(instruction.opcode, Opcode::Bra | Opcode::Ret | Opcode::Exit) =>
            {
                Some(instruction)
            }
            _ => None,
        }
    }
}

impl Builder {
    /// Starts a capture. Captures nest. The builder keeps the interrupted state, so that the generic functions that
    /// kernels instantiate hold no values with destructors.
    pub fn begin_capture(&mut self) {
        self.enter();
        let interrupted = Interrupted {
            lines: std::mem::take(&mut self.lines),
            dead: self.dead,
            groups: self.flight.groups(),
        };
        self.interrupted.push(interrupted);
    }

    /// Ends the innermost capture, and returns the lines staged since it began.
    pub fn end_capture(&mut self) -> Captured {
        let outer = self.interrupted.pop().expect("begun before");
        let lines = std::mem::replace(&mut self.lines, outer.lines);
        let dead = std::mem::replace(&mut self.dead, outer.dead);
        let groups = self.flight.replace(outer.groups);
        Captured { lines, dead, scope: self.leave(), groups }
    }

    /// Appends a captured block that may be skipped: its value numbers are forgotten.
    pub fn append(&mut self, captured: Captured) {
        if !self.dead {
            self.lines.extend(captured.lines);
            self.flight.replace(captured.groups);
            self.dead = captured.dead;
        }
    }

    /// Appends a captured block that always runs: its value numbers are kept.
    pub fn append_kept(&mut self, captured: Captured) {
        let scope = captured.scope.clone();
        self.append(captured);
        self.keep(scope);
    }
}
