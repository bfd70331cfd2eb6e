//! Optimizations: value numbering while staging, and peephole rewrites of a finished body.
//!
//! Value numbering: scoped hash tables after Briggs, Cooper and Simpson, "Value numbering" (Software: Practice and
//! Experience, 1997). A pure computation is emitted once within the structured scope that encloses
//! it, which dominates every use. Computations in the branches of an `if` are not shared with each
//! other or hoisted. Mutable variables carry a version, as in SSA renaming: every assignment increments it, and the
//! head of a loop increments the versions of all variables, because the loop's body may assign
//! them.
//!
//! Peephole rewrites: dead-code elimination by use counts, coalescing of
//! copies into the instruction that computed the value, fusion of integer products and sums into
//! `mad.lo`, and removal of jumps to the next line. Each rewrite looks at straight-line code only
//! and moves nothing across a label; ptxas does the rest.

use crate::emit::builder::Builder;
use crate::emit::frames::{Computation, Line, Scope};
use crate::emit::value::{Class, Register, Value};
use lanework_ptx::{AddressBase, Immediate, Instruction, Modifier, Opcode, Operand};
use std::collections::HashMap;

/// Optimizes a finished body in place.
pub(crate) fn optimize(lines: &mut Vec<Line>) {
    fold_moves(lines);
    drop_unread(lines);
    fuse_products(lines);
    drop_jumps_to_next(lines);
}

/// Calls `f` with the name of every register in an operand.
fn names<'a>(operand: &'a Operand, f: &mut impl FnMut(&'a str)) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => f(name),
        Operand::Immediate(_) => {}
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|o| names(o, f));
        }
        Operand::Pair(a, b) => {
            names(a, f);
            names(b, f);
        }
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                f(name);
            }
            address.extra.iter().for_each(|o| names(o, f));
        }
    }
}

/// Calls `f` with every register that the instruction reads.
fn reads<'a>(instruction: &'a Instruction, dest: Option<Register>, f: &mut impl FnMut(&'a str)) {
    if let Some(guard) = &instruction.guard {
        f(&guard.register);
    }
    let skip = usize::from(dest.is_some());
    instruction.operands.iter().skip(skip).for_each(|operand| names(operand, f));
}

/// Calls `f` with every register that a line of raw PTX mentions.
fn raw_reads(statement: &lanework_ptx::Statement, f: &mut impl FnMut(&str)) {
    match statement {
        lanework_ptx::Statement::Instruction(instruction) => reads(instruction, None, f),
        lanework_ptx::Statement::Block(inner) => inner.iter().for_each(|s| raw_reads(s, f)),
        _ => {}
    }
}

/// The number of uses of each register.
fn count_reads(lines: &[Line]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        let mut count = |name: &str| {
            if name.starts_with('%') {
                *counts.entry(name.to_owned()).or_insert(0) += 1;
            }
        };
        match line {
            Line::Op { instruction, dest, .. } => reads(instruction, *dest, &mut count),
            Line::Statement(statement) => raw_reads(statement, &mut count),
            Line::Label(_) => {}
        }
    }
    counts
}

/// Whether the instruction is a load without side effects: neither volatile nor ordered.
fn is_plain_load(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Ld
        && matches!(instruction.modifiers[..], [space, _] if space != Modifier::Volatile)
}

/// Dead-code elimination: removes pure computations, moves and plain loads whose result is never read, and those
/// whose only uses were removed.
fn drop_unread(lines: &mut Vec<Line>) {
    let mut counts = count_reads(lines);
    loop {
        let before = lines.len();
        // Backwards, so that a chain of dead computations is removed in one pass.
        let mut kept = Vec::with_capacity(lines.len());
        for line in lines.drain(..).rev() {
            if let Line::Op { instruction, dest: Some(dest), pure } = &line
                && (*pure || instruction.opcode == Opcode::Mov || is_plain_load(instruction))
                && instruction.guard.is_none()
                && counts.get(&dest.name()).is_none_or(|reads| *reads == 0)
            {
                reads(instruction, Some(*dest), &mut |name| {
                    if let Some(count) = counts.get_mut(name) {
                        *count -= 1;
                    }
                });
                continue;
            }
            kept.push(line);
        }
        kept.reverse();
        *lines = kept;
        if lines.len() == before {
            return;
        }
    }
}

/// Copy coalescing: turns `op t, ...; mov v, t` into `op v, ...` where `t` has no other use.
fn fold_moves(lines: &mut Vec<Line>) {
    let counts = count_reads(lines);
    let mut writes: HashMap<Register, usize> = HashMap::new();
    for line in lines.iter() {
        if let Line::Op { dest: Some(dest), .. } = line {
            *writes.entry(*dest).or_insert(0) += 1;
        }
    }
    let mut folded = vec![false; lines.len()];
    // The line of the current basic block that last computed each register.
    let mut computed: HashMap<String, usize> = HashMap::new();
    // The line that last mentioned each register.
    let mut mentioned: HashMap<String, usize> = HashMap::new();
    for at in 0..lines.len() {
        let Line::Op { instruction, dest, .. } = &lines[at] else {
            computed.clear();
            continue;
        };
        let (instruction, dest) = (instruction.clone(), *dest);
        if let Some(variable) = dest
            && let Some(source) = moved(&instruction)
            && counts.get(source) == Some(&1)
            && let Some(&origin) = computed.get(source)
            && mentioned.get(&variable.name()).is_none_or(|last| *last <= origin)
            && let Line::Op { instruction: first, dest: first_dest, pure } = &mut lines[origin]
            // A move between a float's register and an integer's changes the type of its value.
            && first_dest.is_some_and(|dest| dest.class == variable.class)
        {
            first.operands[0] = Operand::Name(variable.name());
            *first_dest = Some(variable);
            // A variable is written more than once: the line must not be removed or moved later.
            *pure = false;
            folded[at] = true;
            mentioned.insert(variable.name(), at);
            computed.remove(source);
            continue;
        }
        for operand in &instruction.operands {
            names(operand, &mut |name| {
                mentioned.insert(name.to_owned(), at);
            });
        }
        if let Some(guard) = &instruction.guard {
            mentioned.insert(guard.register.clone(), at);
        }
        if matches!(instruction.opcode, Opcode::Bra | Opcode::Ret | Opcode::Exit | Opcode::Call) {
            computed.clear();
        } else if let Some(dest) = dest
            && writes.get(&dest) == Some(&1)
            && instruction.guard.is_none()
        {
            computed.insert(dest.name(), at);
        }
    }
    let mut folded = folded.into_iter();
    lines.retain(|_| !folded.next().unwrap_or(false));
}

/// Fuses an integer product or shift whose only use is a sum into `mad.lo`.
fn fuse_products(lines: &mut Vec<Line>) {
    let counts = count_reads(lines);
    let mut writes: HashMap<String, usize> = HashMap::new();
    for line in lines.iter() {
        if let Line::Op { dest: Some(dest), .. } = line {
            *writes.entry(dest.name()).or_insert(0) += 1;
        }
    }
    // A mutable factor may have been assigned between the product and the sum.
    let steady = |operand: &Operand| match operand {
        Operand::Name(name) => writes.get(name) == Some(&1),
        _ => true,
    };
    let mut products: HashMap<String, usize> = HashMap::new();
    let mut dropped = vec![false; lines.len()];
    for at in 0..lines.len() {
        let Line::Op { instruction, dest: Some(dest), .. } = &lines[at] else { continue };
        let name = instruction.name();
        match name.as_str() {
            "mul.lo.u32" | "mul.lo.s32" | "mul.lo.u64" | "mul.lo.s64" | "shl.b32" | "shl.b64" => {
                let read_once =
                    counts.get(&dest.name()) == Some(&1) && writes.get(&dest.name()) == Some(&1);
                let scale = !name.starts_with("shl")
                    || matches!(instruction.operands[2], Operand::Immediate(_));
                if read_once && scale && instruction.operands[1..].iter().all(steady) {
                    products.insert(dest.name(), at);
                }
            }
            "add.u32" | "add.s32" | "add.u64" | "add.s64" => {
                let [_, left, right] = instruction.operands.as_slice() else { continue };
                let (product, rest) = match (is_in(&products, left), is_in(&products, right)) {
                    (Some(origin), _) => (origin, right.clone()),
                    (None, Some(origin)) => (origin, left.clone()),
                    (None, None) => continue,
                };
                let Line::Op { instruction: first, .. } = &lines[product] else { continue };
                let factors = (first.operands[1].clone(), scale(first));
                if let Line::Op { instruction, .. } = &mut lines[at] {
                    let sum = instruction.operands[0].clone();
                    instruction.opcode = Opcode::Mad;
                    instruction.modifiers.insert(0, Modifier::Lo);
                    instruction.operands = vec![sum, factors.0, factors.1, rest];
                }
                dropped[product] = true;
            }
            _ => {}
        }
    }
    let mut dropped = dropped.into_iter();
    lines.retain(|_| !dropped.next().unwrap_or(false));
}

/// The line that computed the product that an operand names.
fn is_in(products: &HashMap<String, usize>, operand: &Operand) -> Option<usize> {
    match operand {
        Operand::Name(name) => products.get(name).copied(),
        _ => None,
    }
}

/// The second factor of a product; a shift by `k` multiplies by `2^k`.
fn scale(product: &Instruction) -> Operand {
    match (&product.operands[2], product.opcode) {
        (Operand::Immediate(Immediate::Integer(k)), Opcode::Shl) => {
            Operand::integer(1i128 << (k & 63))
        }
        (factor, _) => factor.clone(),
    }
}

/// Removes jumps to the label that follows.
fn drop_jumps_to_next(lines: &mut Vec<Line>) {
    let is_needless = |pair: &[Line]| match pair {
        [Line::Op { instruction, .. }, Line::Label(label)] => {
            instruction.opcode == Opcode::Bra
                && instruction.guard.is_none()
                && instruction.operands == [Operand::Name(label.clone())]
        }
        _ => false,
    };
    let needless: Vec<bool> = lines.windows(2).map(is_needless).collect();
    let mut needless = needless.into_iter();
    lines.retain(|_| !needless.next().unwrap_or(false));
}

/// The source of a plain move from a register.
fn moved(instruction: &Instruction) -> Option<&str> {
    match (instruction.opcode, instruction.operands.as_slice()) {
        (Opcode::Mov, [_, Operand::Name(source)]) if source.starts_with('%') => Some(source),
        _ => None,
    }
}

impl Builder {
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

    /// The version that the start of the innermost loop gave every variable.
    fn loop_version(&self) -> u64 {
        self.versions.get(&LOOP_MARK).copied().unwrap_or(0)
    }

    /// The value of a computation that an enclosing scope has emitted.
    pub fn known(&self, key: &Computation) -> Option<Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(key)).copied()
    }

    /// Remembers a computation for the rest of this scope.
    pub fn remember(&mut self, key: Computation, value: Value) {
        if !self.dead {
            self.scopes.last_mut().expect("the outermost scope is never closed").insert(key, value);
        }
    }

    /// Opens a scope. Its value numbers are forgotten at its end.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes a scope and returns what was computed in it.
    pub fn leave(&mut self) -> Scope {
        self.scopes.pop().expect("entered before")
    }

    /// Keeps the value numbers of a closed scope that always runs.
    pub fn keep(&mut self, scope: Scope) {
        self.scopes.last_mut().expect("the outermost scope is never closed").extend(scope);
    }

    /// Closes a scope that ends at `label`. Jumps to the label skip computations, so their value
    /// numbers are forgotten.
    pub fn leave_at(&mut self, label: &str) {
        let scope = self.leave();
        if !self.used_labels.contains(label) {
            self.keep(scope);
        }
        self.place(label);
    }

    /// Records an assignment of `register`.
    pub fn assigned(&mut self, register: Register) {
        self.version += 1;
        self.versions.insert(register, self.version);
    }

    /// The version of a variable, which every assignment changes.
    pub fn writes(&self, register: Register) -> u64 {
        self.versions.get(&register).copied().unwrap_or(0)
    }

    /// Records that any variable may have been assigned, for example at the head of a loop.
    pub fn forget_variables(&mut self) {
        self.assigned(LOOP_MARK);
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
}

/// A pseudo register whose version counts the innermost loop.
const LOOP_MARK: Register = Register { class: Class::Predicate, index: u32::MAX, mutable: true };
