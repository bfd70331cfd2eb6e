//! The builder: the kernel being staged on this thread.
//!
//! Instructions are appended to a flat list. Pure instructions are numbered by value within the
//! enclosing structured scopes, so the same address is computed once.

use crate::definition::{CheckSite, Parameter, StageError};
use crate::value::{Class, Register, Value, literal};
use lanework_ptx::{Guard, Instruction, Location, Operand, ScalarType, Statement, Variable};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::Location as Caller;

/// One line of the body.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// An instruction; `pure` when it only computes its first operand from the others.
    Op { instruction: Instruction, dest: Option<Register>, pure: bool },
    /// A label.
    Label(String),
    /// Anything else.
    Statement(Statement),
}

/// A pure computation: its name and inputs, mutable ones with the version that was read.
type Computation = (String, Vec<(Value, u64)>);

/// The computations known within one structured scope.
pub(crate) type Scope = HashMap<Computation, Value>;

/// An enclosing loop.
pub(crate) struct LoopFrame {
    /// `'name` in the source.
    pub name: Option<&'static str>,
    /// Where `break` goes.
    pub exit: String,
    /// Where `continue` goes.
    pub next: String,
}

/// An enclosing `#[device]` call.
pub(crate) struct CallFrame {
    /// Where `return` goes.
    pub exit: String,
    /// Loops outside the call, which its body cannot leave.
    pub loops: Vec<LoopFrame>,
}

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
    pub failures: Vec<crate::memory::check::Failure>,
    /// Names of the arrays that places refer to.
    pub symbols: Vec<String>,
    /// Bytes of dynamic shared memory given out so far.
    pub dynamic_shared: u64,
    /// Whether `vprintf` must be declared.
    pub uses_printf: bool,
    /// Bytes of the largest argument list printed.
    pub print_bytes: u32,
    symbol_addresses: HashMap<usize, Register>,
    position: Option<Location>,
    caller: Option<&'static Caller<'static>>,
    scopes: Vec<Scope>,
    versions: HashMap<Register, u64>,
    version: u64,
    specials: HashMap<&'static str, Register>,
    constant_sums: HashMap<Register, (Value, i64)>,
    names: HashSet<String>,
    labels: u32,
    name_hint: Option<&'static str>,
}

thread_local! {
    static BUILDER: RefCell<Option<Builder>> = const { RefCell::new(None) };
}

/// Makes `builder` the one that this thread stages into, and returns the one before.
pub(crate) fn install(builder: Option<Builder>) -> Option<Builder> {
    BUILDER.with(|slot| slot.replace(builder))
}

/// Runs `f` on the kernel being staged.
///
/// # Panics
/// When none is: the kernel language only means something inside `#[kernel]` and `#[device]`.
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    BUILDER.with(|slot| {
        let mut slot = slot.borrow_mut();
        let Some(builder) = slot.as_mut() else {
            panic!(
                "the kernel language is used outside a kernel: \
                 call this only in functions marked #[kernel] or #[device]"
            )
        };
        f(builder)
    })
}

/// Makes the caller's source position that of the instructions that follow.
#[track_caller]
pub(crate) fn here() {
    let caller = Caller::caller();
    with(|b| b.set_position(caller));
}

impl Builder {
    /// An empty kernel.
    pub fn new(checked: bool) -> Self {
        Builder { checked, scopes: vec![HashMap::new()], ..Builder::default() }
    }

    fn set_position(&mut self, caller: &'static Caller<'static>) {
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

    /// Offers a name for the next array that is declared.
    pub fn hint_name(&mut self, name: Option<&'static str>) {
        self.name_hint = name;
    }

    /// The name offered, else `fallback`.
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

    /// The key of a computation.
    pub fn computation(&self, name: &str, inputs: impl Iterator<Item = Value>) -> Computation {
        let version = |value: &Value| match value {
            Value::Register(r) if r.mutable => {
                self.versions.get(r).copied().unwrap_or(0).max(self.loop_version())
            }
            _ => 0,
        };
        (name.to_owned(), inputs.map(|value| (value, version(&value))).collect())
    }

    /// The version that the innermost loop's start gave every variable.
    fn loop_version(&self) -> u64 {
        self.versions.get(&LOOP_MARK).copied().unwrap_or(0)
    }

    /// The value of a computation done in an enclosing scope.
    pub fn known(&self, key: &Computation) -> Option<Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(key)).copied()
    }

    /// Remembers a computation for the rest of this scope.
    pub fn remember(&mut self, key: Computation, value: Value) {
        if !self.dead {
            self.scopes.last_mut().expect("the outermost scope stays").insert(key, value);
        }
    }

    /// Opens a scope whose computations are forgotten at its end.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes a scope and returns what was computed in it.
    pub fn leave(&mut self) -> Scope {
        self.scopes.pop().expect("entered before")
    }

    /// Keeps what a closed scope computed, because it always runs.
    pub fn keep(&mut self, scope: Scope) {
        self.scopes.last_mut().expect("the outermost scope stays").extend(scope);
    }

    /// Notes that `register` has been assigned.
    pub fn assigned(&mut self, register: Register) {
        self.version += 1;
        self.versions.insert(register, self.version);
    }

    /// Notes that any variable may have been assigned, as at the head of a loop.
    pub fn forget_variables(&mut self) {
        self.assigned(LOOP_MARK);
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

    /// A jump to `label`.
    pub fn jump(&mut self, label: &str) {
        self.emit("bra.uni", vec![Operand::from(label)]);
        if !self.dead {
            self.used_labels.insert(label.to_owned());
        }
        self.dead = true;
    }

    /// A jump to `label` where `predicate` is set (or clear, when `negated`).
    pub fn jump_if(&mut self, predicate: Register, negated: bool, label: &str) {
        let mut instruction = self.located(Instruction::new("bra", vec![Operand::from(label)]));
        instruction.guard = Some(Guard { register: predicate.name(), negated });
        if !self.dead {
            self.used_labels.insert(label.to_owned());
        }
        self.push(Line::Op { instruction, dest: None, pure: false });
    }

    /// Places `label` here if anything jumps to it.
    pub fn place(&mut self, label: &str) {
        if self.used_labels.contains(label) {
            self.dead = false;
            self.lines.push(Line::Label(label.to_owned()));
        }
    }

    /// Places `label` here for jumps that come later, as at the head of a loop.
    pub fn place_always(&mut self, label: &str) {
        self.push(Line::Label(label.to_owned()));
    }

    /// Remembers that `sum` is `base + constant` in wrapping 32- or 64-bit arithmetic.
    pub fn note_sum(&mut self, sum: Value, base: Value, constant: i64) {
        if let Value::Register(register) = sum
            && !matches!(base, Value::Register(r) if r.mutable)
        {
            self.constant_sums.insert(register, (base, constant));
        }
    }

    /// Splits a value into a base and a constant added to it.
    pub fn split_sum(&self, value: Value) -> (Value, i64) {
        let mut split = (value, 0i64);
        while let Value::Register(register) = split.0
            && let Some((base, constant)) = self.constant_sums.get(&register)
        {
            split = (*base, split.1.wrapping_add(*constant));
        }
        split
    }

    /// The source position of the instructions that follow.
    pub fn position(&self) -> Option<&Location> {
        self.position.as_ref()
    }

    pub fn located(&self, mut instruction: Instruction) -> Instruction {
        instruction.location = self.position.clone();
        instruction
    }
}

/// Not a register: its version is that of the innermost loop.
const LOOP_MARK: Register = Register { class: Class::Predicate, index: u32::MAX, mutable: true };
