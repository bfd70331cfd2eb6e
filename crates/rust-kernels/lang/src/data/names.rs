//! Records the names of values for the debugger ([`crate::emit::named`]): stores a named value in the frame, and follows the
//! assignments of a variable.

use crate::data::convert::Valued;
use crate::data::leaves::{Data, Leaf, leaves};
use crate::data::operations::{self, stored_type};
use crate::emit::builder::Builder;
use crate::emit::current::{track_call, with};
use crate::emit::frames::Line;
use crate::emit::named::NamedValue;
use crate::emit::value::{Register, Value};
use lanework_ptx::{Instruction, Location, Operand, ScalarType, StateSpace, Statement, Variable};
use std::fmt::Write as _;
use std::panic::Location as Caller;

/// The name of the frame's array.
const FRAME: &str = "named_values";

/// A value that a `let` or a parameter names. `(&&Named(&value)).name_value(..)` records it, if it has registers.
#[derive(Clone, Copy, Debug)]
pub struct Named<'x, X>(pub &'x X);

/// A value of the kernel language.
pub trait NameValue {
    /// Records its name, and the last line of the block that declares it.
    fn name_value(self, name: &'static str, last: u32);
}

impl<X: Valued> NameValue for &&Named<'_, X> {
    #[track_caller]
    fn name_value(self, name: &'static str, last: u32) {
        // A place in memory is not a value: to load it would be an access.
        if X::IN_MEMORY || !is_wanted() {
            return;
        }
        let caller = Caller::caller();
        let values = operations::values::<X::Value>((*self.0).to());
        let (ty, bytes) = (X::Value::described(), X::Value::size());
        name_leaves((name, caller, last), (ty, bytes), &leaves::<X::Value>(), &values);
    }
}

/// Any other value, which has no name in the debugger.
pub trait NameAny {
    /// Does nothing.
    fn name_value(self, name: &'static str, last: u32);
}

impl<X> NameAny for &Named<'_, X> {
    fn name_value(self, _name: &'static str, _last: u32) {}
}

/// Whether the kernel is staged for the debugger, and control reaches this point.
fn is_wanted() -> bool {
    with(|b| b.named.is_some() && !b.dead)
}

fn name_leaves(
    (name, caller, last): (&'static str, &'static Caller<'static>, u32),
    (ty, bytes): (String, u64),
    leaves: &[Leaf],
    values: &[Value],
) {
    with(|b| {
        b.set_position(caller);
        if b.named.as_ref().is_some_and(|named| named.frame.is_empty()) {
            let frame = b.unique(FRAME);
            b.named.iter_mut().for_each(|named| named.frame = frame.clone());
        }
        let Some(named) = &mut b.named else { return };
        let end = named.bytes;
        let at = *named.offsets.entry((name, caller, ty.clone())).or_insert(end);
        if at == end {
            named.bytes += bytes.max(1).next_multiple_of(16);
        }
        let frame = named.frame.clone();
        let mut first = None;
        for (leaf, value) in leaves.iter().zip(values) {
            let place = at + leaf.offset;
            if let (Value::Register(register), Some(named)) = (value, &mut b.named)
                && register.mutable
            {
                first = first.or(Some((*register, leaf.offset)));
                named.followers.entry(*register).or_default().push((place, leaf.ty));
            }
            b.store_named(&frame, place, leaf.ty, *value);
        }
        let lines = [caller.line(), last.max(caller.line())];
        let value = NamedValue { name, ty, offset: at, file: caller.file(), lines, first };
        if let Some(named) = &mut b.named {
            named.values.push(value);
        }
    });
}

/// A record of a parameter, or of an array in shared memory.
pub(crate) fn record(kind: &str, name: &str, ty: &str) {
    with(|b| {
        if let Some(named) = &mut b.named {
            let _ = writeln!(named.other, "// lanework-debug: {kind}\t{name}\t{ty}");
        }
    });
}

/// Records the call of a `#[device]` function, whose parameters and body are staged next.
pub fn called(function: &'static str, caller: &'static Caller<'static>) {
    track_call(function, caller);
    with(|b| {
        if b.named.is_none() {
            return;
        }
        b.set_position(caller);
        let Some(position) = b.position().cloned() else { return };
        // Instructions of the function refer to this position.
        let inlined = position.inlined.as_ref().map_or(String::new(), |words| format!(", {words}"));
        let Location { file, line, column, .. } = position;
        let directive = Statement::Directive(format!(".loc {file} {line} {column}{inlined}"));
        b.push(Line::Statement(directive));
        b.set_location(None);
        if let Some(named) = &mut b.named {
            named.entered = Some((function, position));
        }
    });
}

impl Builder {
    /// The function whose body is staged next, and the position of its call.
    pub(crate) fn enter_function(&mut self) -> Option<(&'static str, Location)> {
        self.named.as_mut()?.entered.take()
    }

    /// The words of `.loc` that name the function and the call around it.
    pub(crate) fn inlined_words(&self) -> Option<String> {
        let entered = self.named.as_ref()?.entered.as_ref();
        let around = || self.calls.iter().rev().find_map(|frame| frame.site.as_ref());
        let (function, Location { file, line, column, .. }) = entered.or_else(around)?;
        Some(format!("function_name {function}, inlined_at {file} {line} {column}"))
    }

    fn store_named(&mut self, frame: &str, place: u64, ty: ScalarType, value: Value) {
        let (value, ty) = match ty {
            ScalarType::Pred => {
                (crate::scalar::cast::cast(self, value, ty, ScalarType::U8), ScalarType::U8)
            }
            ty => (value, ty),
        };
        let operands = vec![Operand::address(frame, place as i64), self.operand(value, ty)];
        self.emit(&format!("st.local.{}", stored_type(ty).name()), operands);
    }

    /// Adds a store to the frame after each assignment of a named variable, and declares the frame.
    pub(crate) fn store_named_variables(&mut self) {
        let Some(named) = self.named.take() else { return };
        for line in std::mem::take(&mut self.lines) {
            let written = match &line {
                Line::Op { instruction, dest: Some(dest), .. } => Some((*dest, instruction)),
                _ => None,
            };
            let places = written.and_then(|(dest, of)| {
                let location = (of.guard.clone(), of.location.clone());
                Some((dest, named.followers.get(&dest)?, location))
            });
            self.lines.push(line);
            let Some((register, places, (guard, location))) = places else { continue };
            for (place, ty) in places {
                let mut value = Operand::Name(register.name());
                let mut add = |name: &str, operands, guard| {
                    let mut instruction = Instruction::new(name, operands);
                    (instruction.guard, instruction.location) = (guard, location.clone());
                    self.lines.push(Line::Op { instruction, dest: None, pure: false });
                };
                if *ty == ScalarType::Pred {
                    let class = crate::emit::value::Class::Word;
                    let count = self.counts.entry(class).or_default();
                    *count += 1;
                    let byte = Register { class, index: *count, mutable: false };
                    let [byte, one, zero] =
                        [Operand::Name(byte.name()), Operand::integer(1), Operand::integer(0)];
                    add("selp.u32", vec![byte.clone(), one, zero, value], None);
                    value = byte;
                }
                let name = format!("st.local.{}", stored_type(*ty).name());
                let address = Operand::address(named.frame.clone(), *place as i64);
                add(&name, vec![address, value], guard.clone());
            }
        }
        if named.bytes > 0 {
            self.variables.push(Variable {
                align: Some(16),
                dims: vec![Some(named.bytes)],
                ..Variable::new(StateSpace::Local, ScalarType::B8, named.frame.clone())
            });
        }
        self.named = Some(named);
    }

    /// The records, as comments. Empty if the kernel is not staged for the debugger.
    pub(crate) fn named_records(&self) -> String {
        let Some(named) = &self.named else { return String::new() };
        let mut text = named.other.clone();
        let mut known: Vec<(&str, u64)> = Vec::new();
        for value in &named.values {
            let NamedValue { name, ty, offset, file, lines: [first_line, last_line], first } =
                value;
            if known.contains(&(name, *offset)) {
                continue;
            }
            known.push((name, *offset));
            // The elements of an array that is indexed at run time are in a block of their own.
            let home = first.and_then(|(register, leaf)| Some((self.home(register)?, leaf)));
            let (symbol, offset) = match home {
                Some(((symbol, at), leaf)) => (symbol, at.saturating_sub(leaf)),
                None => (named.frame.clone(), *offset),
            };
            let _ = writeln!(
                text,
                "// lanework-debug: local\t{name}\t{ty}\t{symbol}\t{offset}\t{file}\t{first_line}\t{last_line}"
            );
        }
        text
    }

    /// The block of local memory that holds a variable, and its offset there.
    fn home(&self, register: Register) -> Option<(String, u64)> {
        let (block, offset, _) = self.locals.homes.get(&register)?;
        let (mut last, mut offset) = (*block, *offset);
        while let Some((next, further)) = self.locals.blocks[last].moved {
            (last, offset) = (next, offset + further);
        }
        Some((self.symbols[self.locals.blocks[last].symbol].clone(), offset))
    }
}
