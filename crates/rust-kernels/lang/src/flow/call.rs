//! Calls of `#[device]` functions (parameters, early `return`, the value of a call), and inline PTX (`ptx!`).

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values};
use crate::data::operations;
use crate::data::place::{Place, ReadPlace};
use crate::emit::current::{here, in_call, leave_call, with};
use crate::emit::frames::Line;
use crate::emit::value::{Value, memory_type};
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_ptx::{Location, Statement, parse_instructions};
use std::cell::Cell;

/// A parameter taken by value: a copy that the caller's later assignments do not change.
#[track_caller]
pub fn by_value<T: Data>(argument: impl To<T>) -> Handle<T> {
    operations::read_copy::<T, Values>(argument.to())
}

/// A type that a device function may return: a value of the kernel language, or a fragment.
#[diagnostic::on_unimplemented(
    message = "a device function cannot return `{Self}`",
    note = "it returns scalars, #[device] structs and enums, and tuples and arrays of them"
)]
pub trait Returned {
    /// The handle that the caller receives.
    type Handle: Copy;
    /// Registers for the value.
    fn declare() -> Self::Handle;
    /// `out = value`.
    fn assign(out: Self::Handle, value: Self::Handle);
}

impl<T: Data> Returned for T {
    type Handle = Handle<T>;
    fn declare() -> Handle<T> {
        operations::declare::<T>()
    }
    fn assign(out: Handle<T>, value: Handle<T>) {
        operations::assign::<T>(out, value);
    }
}

/// A value that a function returning `T` may return.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{T}`, found `{Self}`",
    label = "not a `{T}`",
    note = "the kernel language has no implicit conversions: use `as` between numbers"
)]
pub trait ReturnAs<T: Returned> {
    /// The handle; `None` if control never reaches the end.
    fn handle(self) -> Option<T::Handle>;
}

impl<T: Data, X: To<T>> ReturnAs<T> for X {
    fn handle(self) -> Option<Handle<T>> {
        // A view of a variable behind `&` must not reflect the caller's later assignments.
        X::REACHED.then(|| operations::read_copy::<T, Values>(self.to()))
    }
}

/// The registers that hold a device function's return value.
pub struct ReturnSlot<T: Returned> {
    out: Cell<Option<T::Handle>>,
}

/// Stages a device function that returns a `T`.
#[track_caller]
pub fn call_value<T: Returned, X: ReturnAs<T>>(
    body: impl FnOnce(&ReturnSlot<T>) -> X,
) -> T::Handle {
    let slot = ReturnSlot { out: Cell::new(None) };
    in_call(|| {
        let last = body(&slot).handle();
        match (slot.out.get(), last) {
            (None, Some(value)) => value,
            (Some(out), last) => {
                if let Some(value) = last {
                    T::assign(out, value);
                }
                out
            }
            (None, None) => T::declare(),
        }
    })
}

/// Stages a device function that returns nothing.
#[track_caller]
pub fn call_unit(body: impl FnOnce()) {
    in_call(body);
}

/// `return value` in a device function.
#[track_caller]
pub fn return_value<T: Returned>(slot: &ReturnSlot<T>, value: impl ReturnAs<T>) {
    here();
    let out = slot.out.get().unwrap_or_else(T::declare);
    slot.out.set(Some(out));
    if let Some(value) = value.handle() {
        T::assign(out, value);
    }
    leave_call();
}

/// `return` in a device function without a value.
#[track_caller]
pub fn return_unit() {
    here();
    leave_call();
}

/// Stages the body of a closure.
#[track_caller]
pub fn call_closure<R>(body: impl FnOnce() -> R) -> R {
    in_call(body)
}

/// Stages the body of a closure that `?` may leave. The value at its end determines its type.
#[track_caller]
pub fn call_tried<X: Valued>(body: impl FnOnce(&ReturnSlot<X::Value>) -> X) -> Handle<X::Value> {
    call_value::<X::Value, X>(body)
}

/// The text of an operand.
#[derive(Clone, Debug)]
pub struct Written(String);

/// An operand of `in(...)`: a scalar, or a place, which becomes its address in brackets.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of `ptx!`",
    label = "not a scalar or a place",
    note = "pass a scalar, or `&x[i]` for the address of an element"
)]
pub trait Input {
    /// The operand's text.
    fn written(self) -> Written;
}

fn written<T: Scalar>(value: Value) -> Written {
    Written(with(|b| b.operand(value, T::SCALAR)).to_string())
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Input for T {
    fn written(self) -> Written {
        written::<T>(self.into_var().value)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Input for Var<T> {
    fn written(self) -> Written {
        written::<T>(self.value)
    }
}

impl<T> Input for Place<T> {
    fn written(self) -> Written {
        Written(with(|b| self.operand(b)).to_string())
    }
}

impl<T> Input for ReadPlace<T> {
    fn written(self) -> Written {
        self.place.written()
    }
}

/// `out(T)`: a new register.
pub fn output<T: Scalar>() -> Var<T> {
    Var::new(Value::Register(with(|b| b.register(memory_type(T::SCALAR), false))))
}

/// Appends the instructions of `text`, whose placeholders `{0}`, `{1}`, ... stand for `operands`;
/// `{{` and `}}` are braces.
#[track_caller]
pub fn inline(text: &str, operands: &[Written]) {
    here();
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        let tail = &rest[at..];
        if let Some(after) = tail.strip_prefix("{{") {
            filled.push('{');
            rest = after;
        } else if let Some(after) = tail.strip_prefix("}}") {
            filled.push('}');
            rest = after;
        } else if let Some((number, after)) = tail[1..].split_once('}') {
            let operand = number.parse::<usize>().ok().and_then(|n| operands.get(n));
            filled.push_str(operand.map_or("_", |o| &o.0));
            rest = after;
        } else {
            rest = &tail[1..];
        }
    }
    filled.push_str(rest);
    match parse_instructions(&filled) {
        Ok(statements) => with(|b| {
            for mut statement in statements {
                locate(&mut statement, b.position());
                b.push(match statement {
                    Statement::Label(label) => Line::Label(label),
                    Statement::Instruction(instruction) => {
                        Line::Op { instruction, dest: None, pure: false }
                    }
                    other => Line::Statement(other),
                });
            }
        }),
        Err(problems) => with(|b| {
            b.error(
                format!("the text of this ptx! is not valid PTX\n{problems}"),
                "each instruction ends with `;`; write `{{` and `}}` for braces",
            );
        }),
    }
}

/// Gives every instruction the source position of the `ptx!`.
fn locate(statement: &mut Statement, position: Option<&Location>) {
    match statement {
        Statement::Instruction(instruction) => {
            instruction.location = position.cloned();
            instruction.text_line = 0;
        }
        Statement::Block(inner) => inner.iter_mut().for_each(|s| locate(s, position)),
        _ => {}
    }
}
