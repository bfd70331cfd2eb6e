//! Instructions as written: opcode, modifiers, operands, guard and source location.

/// An instruction, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The token before the first dot, such as `ld`.
    pub opcode: String,
    /// The tokens after each dot, in order, such as `["global", "v4", "f32"]`.
    pub modifiers: Vec<String>,
    /// Operands, destination first.
    pub operands: Vec<Operand>,
    /// The source location (`.loc`).
    pub location: Option<Location>,
    /// Line of the PTX text it was parsed from, from 1; 0 when it was not parsed.
    pub text_line: u32,
}

/// The predicate that guards an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: String,
    /// Whether it is `@!p`.
    pub negated: bool,
}

/// A source location of `.loc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Index into [`Module::files`](crate::Module::files), from 1.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, or 0 when unknown.
    pub column: u32,
    /// The tokens after the position, such as `function_name $L__info, inlined_at 1 5 3`.
    pub inlined: Option<String>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register (`%tid.x`), vector element (`%v.x`), label, variable, function, or `_`.
    Name(String),
    /// `!p`.
    Not(String),
    /// A literal.
    Immediate(Immediate),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `p|q`; the first may be a vector.
    Pair(Box<Operand>, Box<Operand>),
    /// `name + 8` outside brackets: the address of a variable plus an offset.
    Offset(String, i64),
    /// `[base + offset]`.
    Address(Address),
    /// `(a, b)`: the arguments or results of a call.
    Arguments(Vec<Operand>),
}

/// An address in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The register or variable, or a literal for an absolute address.
    pub base: AddressBase,
    /// Byte offset.
    pub offset: i64,
    /// Tensor coordinates and the like: `[map, {x, y}]` has the vector here.
    pub extra: Vec<Operand>,
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register or a variable.
    Name(String),
    /// An absolute address.
    Absolute(u64),
}

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Immediate {
    /// An integer; hexadecimal and unsigned 64-bit literals fit too.
    Integer(i128),
    /// A single-precision literal by its bits (`0f3F800000`).
    F32(u32),
    /// A double-precision literal by its bits (`0d...` or decimal).
    F64(u64),
}

impl From<&str> for Operand {
    fn from(name: &str) -> Self {
        Operand::Name(name.to_owned())
    }
}

impl From<String> for Operand {
    fn from(name: String) -> Self {
        Operand::Name(name)
    }
}

impl From<Immediate> for Operand {
    fn from(value: Immediate) -> Self {
        Operand::Immediate(value)
    }
}

impl Operand {
    /// An integer literal.
    pub fn integer(value: impl Into<i128>) -> Self {
        Operand::Immediate(Immediate::Integer(value.into()))
    }

    /// `[base + offset]`.
    pub fn address(base: impl Into<String>, offset: i64) -> Self {
        Operand::Address(Address {
            base: AddressBase::Name(base.into()),
            offset,
            extra: Vec::new(),
        })
    }
}

impl Instruction {
    /// An instruction from its dotted name (`"ld.global.f32"`) and operands.
    pub fn new(name: &str, operands: Vec<Operand>) -> Self {
        let mut words = name.split('.').map(str::to_owned);
        Instruction {
            opcode: words.next().unwrap_or_default(),
            modifiers: words.collect(),
            operands,
            ..Instruction::default()
        }
    }

    /// Opcode and modifiers joined by dots, as in the text.
    pub fn name(&self) -> String {
        let mut name = self.opcode.clone();
        for modifier in &self.modifiers {
            name.push('.');
            name.push_str(modifier);
        }
        name
    }

    /// Whether `modifier` is among the modifiers.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|m| m == modifier)
    }
}
