//! The typed tree: names are resolved, templates are instantiated, and conversions are explicit.
//!
//! Scalars are values; objects of class and array type are in memory. An expression of class type that is
//! not an lvalue initializes memory that its user provides.

use crate::source::Span;
use crate::syntax::{AsmSyntax, BinaryOperator};
use crate::types::TypeId;
use std::collections::HashMap;
use std::rc::Rc;

/// A function declaration of the analyzer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionNumber(pub u32);

/// A local variable of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalNumber(pub u32);

/// A variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableNumber(pub u32);

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Its kind.
    pub kind: TypedKind,
    /// Its type, never a reference.
    pub ty: TypeId,
    /// Whether it denotes an object.
    pub lvalue: bool,
    /// Whether it is an lvalue that may be moved from.
    pub expiring: bool,
    /// Its position in the source.
    pub span: Span,
}

/// Operators on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NumberOperator {
    Negate,
    Complement,
    Not,
}

/// A part of an aggregate: offset in bytes, first bit and width of a bit field, value.
pub type AggregatePart = (u64, Option<(u8, u8)>, Typed);

/// Kind of a typed expression.
#[derive(Clone, Debug)]
pub enum TypedKind {
    /// A scalar constant: an integer extended to 64 bits, or the bits of a float.
    Constant(u64),
    /// A local variable.
    Local(LocalNumber),
    /// A variable of the module.
    Variable(VariableNumber),
    /// A function.
    Function(FunctionNumber),
    /// The object that a pointer refers to.
    Dereference(Box<Typed>),
    /// A part of an object: offset in bytes, and first bit and width of a bit field.
    Field(Box<Typed>, u64, Option<(u8, u8)>),
    /// The value of an object. For a class type, a copy.
    Load(Box<Typed>),
    /// The address of an object.
    AddressOf(Box<Typed>),
    /// An operator on a number.
    Unary(NumberOperator, Box<Typed>),
    /// Arithmetic on numbers of the same type; the right operand of a shift may have another type.
    Binary(BinaryOperator, Box<Typed>, Box<Typed>),
    /// A comparison of numbers or pointers of the same type.
    Compare(BinaryOperator, Box<Typed>, Box<Typed>),
    /// A pointer plus an index (64 bits) times a size, which may be negative.
    PointerAdd(Box<Typed>, Box<Typed>, i64),
    /// The difference of two pointers in units of a size.
    PointerDifference(Box<Typed>, Box<Typed>, u64),
    /// `&&`, or `||` if `false`.
    Logical(bool, Box<Typed>, Box<Typed>),
    /// `a ? b : c`; if of class type, it initializes memory.
    Conditional(Box<Typed>, Box<Typed>, Box<Typed>),
    /// `a, b`.
    Comma(Box<Typed>, Box<Typed>),
    /// A number or pointer converted to another type.
    Convert(Box<Typed>),
    /// The same bits as another scalar type.
    Reinterpret(Box<Typed>),
    /// Assignment to an object.
    Assign(Box<Typed>, Box<Typed>),
    /// `a op= b`; the operation uses the given type.
    CompoundAssign(BinaryOperator, Box<Typed>, Box<Typed>, TypeId),
    /// `++` and `--` of a number or pointer: the amount, and whether the result is the old value.
    Increment(Box<Typed>, i64, bool),
    /// A call. References and `this` are passed as pointers.
    Call(FunctionNumber, Vec<Typed>),
    /// A call through a pointer.
    CallIndirect(Box<Typed>, Vec<Typed>),
    /// A call of a virtual function: its place in the table of the object whose address is the first argument.
    CallVirtual(u64, Vec<Typed>),
    /// An expression at whose end its temporary objects are destroyed.
    Full(Box<Typed>),
    /// Throws the exception that the calls create.
    Throw(Box<Typed>),
    /// Calls a constructor on the memory to initialize.
    ConstructorCall(FunctionNumber, Vec<Typed>),
    /// Initializes parts of the memory at offsets; if the flag is set, first fills the memory with zeros.
    Aggregate(Vec<AggregatePart>, bool),
    /// An array of `count` elements, each initialized in the same way.
    Repeat(Box<Typed>, u64),
    /// A temporary object that holds a value.
    Temporary(Box<Typed>),
    /// Initializes the object that a pointer refers to; the result is the pointer.
    InitializeAt(Box<Typed>, Box<Typed>),
    /// Statements, then a value.
    Statements(Rc<Vec<TypedStatement>>, Box<Typed>),
    /// The result of an error.
    Error,
}

impl Typed {
    /// Whether its evaluation may change an object, or call a function that does.
    pub fn has_effects(&self) -> bool {
        use TypedKind as K;
        match &self.kind {
            K::Constant(_) | K::Local(_) | K::Variable(_) | K::Function(_) | K::Error => false,
            K::Dereference(a)
            | K::Field(a, ..)
            | K::Load(a)
            | K::AddressOf(a)
            | K::Unary(_, a)
            | K::Convert(a)
            | K::Reinterpret(a)
            | K::Full(a)
            | K::Repeat(a, _)
            | K::Temporary(a) => a.has_effects(),
            K::Binary(_, a, b)
            | K::Compare(_, a, b)
            | K::PointerAdd(a, b, _)
            | K::PointerDifference(a, b, _)
            | K::Logical(_, a, b)
            | K::Comma(a, b) => a.has_effects() || b.has_effects(),
            K::Conditional(a, b, c) => [a, b, c].iter().any(|part| part.has_effects()),
            K::Aggregate(parts, _) => parts.iter().any(|(_, _, part)| part.has_effects()),
            _ => true,
        }
    }

    /// The width of the bit field that this object is.
    pub fn bit_width(&self) -> Option<u8> {
        match &self.kind {
            TypedKind::Field(_, _, bits) => bits.map(|(_, width)| width),
            TypedKind::Assign(object, _)
            | TypedKind::CompoundAssign(_, object, ..)
            | TypedKind::Increment(object, _, false)
            | TypedKind::Comma(_, object)
                if self.lvalue =>
            {
                object.bit_width()
            }
            _ => None,
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct TypedStatement {
    /// Its kind.
    pub kind: TypedStatementKind,
    /// Its position in the source.
    pub span: Span,
}

/// Unrolling of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnrollCount {
    /// The compiler decides.
    #[default]
    Automatic,
    /// Fully.
    Full,
    /// By this factor.
    By(u32),
}

/// Kind of a statement.
#[derive(Clone, Debug)]
pub enum TypedStatementKind {
    /// An expression.
    Expression(Typed),
    /// Declares a local variable with an initial value.
    Declare(LocalNumber, Option<Typed>),
    /// Several statements.
    Block(Vec<TypedStatement>),
    /// `if`.
    If(Typed, Box<TypedStatement>, Option<Box<TypedStatement>>),
    /// A loop: the declaration of the condition's variable, the condition, the step, and the body.
    Loop {
        /// Runs before each test of the condition.
        before: Option<Box<TypedStatement>>,
        /// The condition; `None` means true.
        condition: Option<Typed>,
        /// Runs after the body.
        step: Option<Typed>,
        /// The body.
        body: Box<TypedStatement>,
        /// Whether the first test is skipped (`do`).
        body_first: bool,
        /// From `#pragma unroll`.
        unroll: UnrollCount,
    },
    /// `switch`: the value and the body with its labels.
    Switch(Typed, Box<TypedStatement>),
    /// `case` of a `switch`; the bits of its first and last value.
    Case(u64, u64),
    /// `default` of a `switch`.
    Default,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`: the value, and the statements that run before the function ends.
    Return(Option<Typed>, Vec<TypedStatement>),
    /// `goto`: the number of the label, and the numbered cleanups of the open blocks.
    Goto(u32, Vec<(u32, TypedStatement)>),
    /// A label.
    Label(u32),
    /// `asm`: the text, outputs (lvalues), inputs.
    Asm(Rc<AsmSyntax>, Vec<Typed>, Vec<Typed>),
    /// From here, an exception runs these statements before it leaves the block.
    Guard(Vec<TypedStatement>),
    /// Ends the last guards, whose statements run on other ways out of the block, too.
    EndGuards(usize),
    /// `try`: the body, and the statements that find the handler of an exception and run it.
    Try(Box<TypedStatement>, Vec<TypedStatement>),
    /// Continues to throw the pending exception.
    Raise,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct LocalVariable {
    /// Its name, for messages.
    pub name: String,
    /// Its type; references are pointers.
    pub ty: TypeId,
    /// Whether its address is used.
    pub addressed: bool,
    /// Its declaration.
    pub span: Span,
    /// Alignment, if larger than its type's.
    pub align: u64,
}

/// A function's body.
#[derive(Clone, Debug, Default)]
pub struct TypedBody {
    /// Parameters. In a member function, `this` is the first.
    pub parameters: Vec<LocalNumber>,
    /// All local variables.
    pub locals: Vec<LocalVariable>,
    /// The statements.
    pub statements: Vec<TypedStatement>,
    /// By the number of a label: the numbers of the cleanups of the blocks around it.
    pub labels: HashMap<u32, Vec<u32>>,
}

/// Memory space of a module variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSpace {
    /// Device memory.
    Device,
    /// `__constant__`.
    Constant,
    /// `__shared__`.
    Shared,
    /// Host memory: the value may be known at compile time, but device code cannot access it.
    Host,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub struct ModuleVariable {
    /// Its name.
    pub name: String,
    /// The mangled name.
    pub symbol: String,
    /// Its type.
    pub ty: TypeId,
    /// Its memory.
    pub space: VariableSpace,
    /// `extern`: the size is defined elsewhere.
    pub is_extern: bool,
    /// Whether the host can look it up.
    pub visible: bool,
    /// `__managed__`.
    pub managed: bool,
    /// Alignment, if larger than its type's.
    pub align: u64,
    /// The bytes of a constant, if its value is known.
    pub bytes: Option<Rc<ConstantBytes>>,
    /// Its declaration.
    pub span: Span,
}

/// Bytes that contain addresses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstantBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offset, target, addend.
    pub addresses: Vec<(u64, AddressTarget, i64)>,
}

/// Target of a constant address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressTarget {
    /// A variable of the module.
    Variable(VariableNumber),
    /// A function.
    Function(FunctionNumber),
}
