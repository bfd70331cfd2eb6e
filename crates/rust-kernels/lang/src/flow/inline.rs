//! `ptx!`: inline PTX.

use crate::data::place::{Place, ReadPlace};
use crate::emit::current::{here, with};
use crate::emit::frames::Line;
use crate::emit::value::{Value, memory_type};
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_ptx::{Location, Statement, parse_instructions};

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

impl<T: Scalar> Input for T {
    fn written(self) -> Written {
        written::<T>(self.into_var().value)
    }
}

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
