//! Printing, assertions and panics in kernels. `print!` and `println!` become calls of CUDA's `vprintf`.
//!
//! An assertion on values known while staging is evaluated during staging: a failure is an error of the
//! kernel. At run time the thread prints the message. A checked launch then reports the assertion with its
//! thread, like an index out of range; an unchecked launch traps.

use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::frames::{Failure, Line};
use crate::emit::value::{Index, Value, compute_type};
use crate::scalar::cast::cast;
use crate::scalar::compare::Condition;
use crate::scalar::var::{Scalar, Var};
use lanework_abi::{CheckSite, IndexKind};
use lanework_ptx::{
    Function, Immediate, Initializer, Instruction, Linkage, Operand, ScalarType, StateSpace,
    Statement, Variable,
};

/// One part of a format string.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Literal text.
    Text(&'static str),
    /// A value.
    Value {
        /// Flags, width and precision in the syntax of `printf`.
        form: &'static str,
        /// The conversion.
        show: Show,
    },
}

/// The conversion of a printed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// `{}`: integers in decimal, floats in the shorter of decimal and scientific notation.
    Plain,
    /// `{:.3}`: floats with this number of decimals.
    Fixed,
    /// `{:x}`.
    Hex,
    /// `{:X}`.
    UpperHex,
    /// `{:e}`.
    Scientific,
}

/// A value that may be printed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed from a kernel",
    label = "not a scalar"
)]
pub trait Printable {
    /// The value and its type.
    fn printable(&self) -> Printed;
}

/// A value to print.
#[derive(Clone, Copy, Debug)]
pub struct Printed {
    value: Value,
    ty: ScalarType,
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Printable for T {
    fn printable(&self) -> Printed {
        Printed { value: Value::Constant(self.bits()), ty: T::SCALAR }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Printable for Var<T> {
    fn printable(&self) -> Printed {
        Printed { value: self.value, ty: T::SCALAR }
    }
}

/// The buffer that holds the arguments of `vprintf`.
const BUFFER: &str = "print_arguments";

/// Prints `pieces`. Each `Piece::Value` consumes the next element of `values`.
#[track_caller]
pub fn print(pieces: &[Piece], values: &[Printed]) {
    here();
    with(|b| {
        let mut text = String::new();
        let mut values = values.iter();
        if let Some(mut said) = b.rendering.take() {
            for piece in pieces {
                match piece {
                    Piece::Text(part) => said.push_str(part),
                    Piece::Value { .. } => {
                        said.push_str(&values.next().map_or_else(String::new, shown))
                    }
                }
            }
            b.rendering = Some(said);
            return;
        }
        let mut offset = 0;
        for piece in pieces {
            match piece {
                Piece::Text(part) => text.push_str(&part.replace('%', "%%")),
                Piece::Value { form, show } => {
                    let Some(printed) = values.next() else { continue };
                    let (value, ty) = promoted(b, *printed);
                    text.push_str(&format!("%{form}{}", conversion(ty, *show)));
                    offset = u32::next_multiple_of(offset, ty.size());
                    let operands =
                        vec![Operand::address(BUFFER, offset.into()), b.operand(value, ty)];
                    b.emit(&format!("st.local.{}", ty.name()), operands);
                    offset += ty.size();
                }
            }
        }
        b.print_bytes = b.print_bytes.max(offset);
        let format = b.text(&text);
        b.call_vprintf(&format, offset > 0);
    });
}

/// A value that is known while staging, as text.
fn shown(printed: &Printed) -> String {
    match (printed.value, printed.ty) {
        (Value::Constant(bits), ScalarType::Pred) => (bits & 1 == 1).to_string(),
        (Value::Constant(bits), ScalarType::F32) => f32::from_bits(bits as u32).to_string(),
        (Value::Constant(bits), ScalarType::F64) => f64::from_bits(bits).to_string(),
        (Value::Constant(bits), ScalarType::F16) => half::f16::from_bits(bits as u16).to_string(),
        (Value::Constant(bits), ScalarType::Bf16) => half::bf16::from_bits(bits as u16).to_string(),
        (Value::Constant(bits), ty) => crate::emit::value::integer(bits, ty).to_string(),
        _ => "_".to_owned(),
    }
}

/// The value as C's variable arguments pass it: floats as `f64`, small integers in 32 bits.
fn promoted(b: &mut Builder, printed: Printed) -> (Value, ScalarType) {
    let ty = match printed.ty {
        ScalarType::Pred => ScalarType::U32,
        ty if ty.is_float() => ScalarType::F64,
        ty => compute_type(ty),
    };
    (cast(b, printed.value, printed.ty, ty), ty)
}

/// The `printf` conversion for a promoted type.
fn conversion(ty: ScalarType, show: Show) -> &'static str {
    match (ty, show) {
        (ScalarType::F64, Show::Fixed) => "f",
        (ScalarType::F64, Show::Scientific) => "e",
        (ScalarType::F64, _) => "g",
        (ScalarType::U64 | ScalarType::S64, Show::Hex) => "llx",
        (ScalarType::U64 | ScalarType::S64, Show::UpperHex) => "llX",
        (ScalarType::U64, _) => "llu",
        (ScalarType::S64, _) => "lld",
        (_, Show::Hex) => "x",
        (_, Show::UpperHex) => "X",
        (ScalarType::S32, _) => "d",
        _ => "u",
    }
}

impl Builder {
    /// The name of a module variable that holds `text` and a final zero.
    fn text(&mut self, text: &str) -> String {
        let byte = |byte: u8| Initializer::Value(Immediate::Integer(byte.into()));
        let bytes: Vec<_> = text.bytes().chain([0]).map(byte).collect();
        let init = Some(Initializer::List(bytes));
        if let Some(known) = self.globals.iter().find(|g| g.init == init) {
            return known.name.clone();
        }
        let name = self.unique("print_format");
        self.globals.push(Variable {
            align: Some(1),
            dims: vec![Some(text.len() as u64 + 1)],
            init,
            ..Variable::new(StateSpace::Global, ScalarType::B8, &name)
        });
        name
    }

    /// `vprintf(format, arguments)`.
    fn call_vprintf(&mut self, format: &str, has_arguments: bool) {
        self.uses_printf = true;
        let long = ScalarType::B64;
        let generic = |b: &mut Builder, space: &str, symbol: &str| {
            let key = b.computation(&format!("generic.{symbol}"), [].into_iter());
            let address = vec![Operand::from(symbol)];
            let address = b.pure_operands(key, "mov.u64", long, address);
            b.pure(&format!("cvta.{space}u64"), long, &[(address, long)])
        };
        let format = generic(self, "global.", format);
        let arguments = match has_arguments {
            true => generic(self, "local.", BUFFER),
            false => Value::Constant(0),
        };
        let parameter = |ty, name| Statement::Variable(Variable::new(StateSpace::Param, ty, name));
        let (format, arguments) = (self.operand(format, long), self.operand(arguments, long));
        let store = |name: &str, value| {
            Instruction::new("st.param.b64", vec![Operand::address(name, 0), value])
        };
        let call = Instruction::new(
            "call.uni",
            vec![
                Operand::Arguments(vec!["print_status".into()]),
                "vprintf".into(),
                Operand::Arguments(vec!["print_text".into(), "print_values".into()]),
            ],
        );
        let statements = vec![
            parameter(long, "print_text"),
            parameter(long, "print_values"),
            parameter(ScalarType::B32, "print_status"),
            Statement::Instruction(self.located(store("print_text", format))),
            Statement::Instruction(self.located(store("print_values", arguments))),
            Statement::Instruction(self.located(call)),
        ];
        self.push(Line::Statement(Statement::Block(statements)));
    }

    /// Declares the argument buffer and `vprintf`.
    pub fn finish_print(&mut self) {
        if self.print_bytes > 0 {
            self.variables.push(Variable {
                align: Some(8),
                dims: vec![Some(self.print_bytes.into())],
                ..Variable::new(StateSpace::Local, ScalarType::B8, BUFFER)
            });
        }
    }
}

/// The declaration of `vprintf`, which the driver provides.
pub(crate) fn vprintf_declaration() -> Function {
    Function {
        linkage: Linkage::Extern,
        entry: false,
        name: "vprintf".to_owned(),
        returns: vec![Variable::new(StateSpace::Param, ScalarType::B32, "status")],
        params: vec![
            Variable::new(StateSpace::Param, ScalarType::B64, "format"),
            Variable::new(StateSpace::Param, ScalarType::B64, "arguments"),
        ],
        directives: Vec::new(),
        body: None,
    }
}

/// `{}` in a format string.
pub const PLAIN: Piece = Piece::Value { form: "", show: Show::Plain };

/// `assert!(condition)`; `message` prints the author's message.
#[track_caller]
pub fn assertion(condition: impl Condition, text: &'static str, message: impl FnOnce()) {
    here();
    let caller = std::panic::Location::caller();
    let condition = condition.condition();
    match condition.known() {
        Some(true) => {}
        Some(false) => {
            with(|b| b.rendering = Some(String::new()));
            message();
            with(|b| {
                let said = b.rendering.take().unwrap_or_default();
                let said = if said.is_empty() { text } else { said.trim_end() };
                let help = "the kernel rejects these generics and constants; choose others";
                b.set_position(caller);
                b.error(said, help);
            });
        }
        None => {
            with(Builder::begin_capture);
            message();
            with(|b| {
                b.set_position(caller);
                b.fail(text);
                let lines = b.end_capture();
                let predicate = b.predicate(condition);
                let end = b.label("holds");
                b.jump_if(predicate, false, &end);
                b.append(lines);
                b.place(&end);
            });
        }
    }
}

/// `panic!()`.
#[track_caller]
pub fn ending(text: &'static str, message: impl FnOnce()) {
    here();
    message();
    here();
    with(|b| b.fail(text));
}

impl Builder {
    /// Ends the thread with a report.
    fn fail(&mut self, text: &str) {
        if self.checked {
            let (file, line, column) = self.source();
            let (array, what) = (text.to_owned(), IndexKind::Assertion);
            self.sites.push(CheckSite { file, line, column, array, what });
            let label = self.label("failed");
            let index = Index { value: Value::Constant(0), ty: ScalarType::U32 };
            let (site, length) = (self.sites.len(), Value::Constant(0));
            if !self.dead {
                self.failures.push(Failure { label: label.clone(), site, index, length });
            }
            self.jump(&label);
        } else {
            self.emit("trap", vec![]);
            self.emit("exit", vec![]);
            self.dead = true;
        }
    }
}
