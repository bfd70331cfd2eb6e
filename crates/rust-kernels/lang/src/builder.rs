//! The builder: the kernel being staged on this thread.
//!
//! Instructions are appended to a flat list. Pure instructions go through value numbering
//! ([`crate::numbering`]) within the enclosing structured scopes, so the same address is computed
//! once.

use crate::flight::Flight;
use crate::frames::{
    Branches, CallFrame, Computation, Interrupted, Line, LoopFrame, Repeat, Scope,
};
use crate::locals::Locals;
use crate::pending::{BarrierSetup, Failure, MovedRegisters};
use crate::value::{Class, Register, Value, literal};
use lanework_abi::{CheckSite, Parameter, StageError};
use lanework_ptx::{Instruction, Location, Operand, ScalarType, Variable};
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
    /// What the captures around here interrupted.
    pub interrupted: Vec<Interrupted>,
    /// Each `if` with `else` around here, with the branches that are staged.
    pub branches: Vec<Branches>,
    /// The loops that are being staged, also those outside of a `#[device]` call.
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
    /// Barriers of the block that have a name of their own, besides barrier 0.
    pub named_barriers: u32,
    /// Blocks of the kernel's cluster; `None` where the kernel declares none.
    pub cluster: Option<[u32; 3]>,
    /// Threads of the kernel's blocks; `None` where the kernel declares none.
    pub block: Option<[u32; 3]>,
    /// Registers that each thread is launched with; `None` where the kernel does not say it.
    pub max_registers: Option<u32>,
    /// What roles change their registers to.
    pub moved_registers: Vec<MovedRegisters>,
    /// Bytes of dynamic shared memory allocated so far.
    pub dynamic_shared: u64,
    /// Whether `vprintf` must be declared.
    pub uses_printf: bool,
    /// Text that `print!` gives for an error of the kernel, while one is made.
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
    names: HashSet<String>,
    labels: u32,
    name_hint: Option<&'static str>,
}

impl Builder {
    /// An empty kernel.
    pub fn new(checked: bool) -> Self {
        Builder { checked, scopes: vec![HashMap::new()], ..Builder::default() }
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
            inlined: None,
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

    /// A new label whose name starts with `purpose`.
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

    /// Makes a position that of the instructions that follow.
    pub fn set_location(&mut self, position: Option<Location>) {
        self.position = position;
        self.caller = None;
    }

    /// The source position of the instructions that follow.
    pub fn position(&self) -> Option<&Location> {
        self.position.as_ref()
    }

    /// The instruction with the current source position.
    pub fn located(&self, mut instruction: Instruction) -> Instruction {
        instruction.location = self.position.clone();
        instruction
    }
}
