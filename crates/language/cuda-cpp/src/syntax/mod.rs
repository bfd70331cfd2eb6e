//! The syntax tree, as parsed: names are not resolved, and templates are not instantiated. This file has names, types and
//! statements.

mod declarations;
mod expressions;
pub mod visit;

pub use declarations::*;
pub use expressions::*;

use crate::lex::Name;
use crate::source::Span;
use std::rc::Rc;

/// A name with its qualifiers and template arguments.
#[derive(Clone, Debug)]
pub struct QualifiedName {
    /// The whole name.
    pub span: Span,
    /// Whether it starts with `::`.
    pub global: bool,
    /// Qualifiers, then the name itself. Never empty.
    pub parts: Vec<NamePart>,
}

impl QualifiedName {
    /// The last part.
    pub fn last(&self) -> &NamePart {
        &self.parts[self.parts.len() - 1]
    }

    /// The name, if it has no qualifiers and no template arguments.
    pub fn simple(&self) -> Option<Name> {
        match self.parts.as_slice() {
            [part] if part.arguments.is_none() && !self.global => Some(part.name),
            _ => None,
        }
    }
}

/// A part of a [`QualifiedName`].
#[derive(Clone, Debug)]
pub struct NamePart {
    /// The name; for operators `operator+`, for destructors `~Name`.
    pub name: Name,
    /// Its position in the source.
    pub span: Span,
    /// Template arguments.
    pub arguments: Option<Rc<[TemplateArgumentSyntax]>>,
    /// The type, if it is a conversion operator.
    pub conversion: Option<Rc<TypeSyntax>>,
}

/// A template argument.
#[derive(Clone, Debug)]
pub struct TemplateArgumentSyntax {
    /// The argument.
    pub kind: TemplateArgumentKind,
    /// Whether `...` follows.
    pub expands: bool,
    /// Its position in the source.
    pub span: Span,
}

/// Kinds of template arguments.
#[derive(Clone, Debug)]
pub enum TemplateArgumentKind {
    /// A type, or the name of a template.
    Type(TypeSyntax),
    /// A constant.
    Value(Expression),
}

/// A type in the source.
#[derive(Clone, Debug)]
pub struct TypeSyntax {
    /// The type specifier.
    pub base: BaseType,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// Pointers, arrays and so on, in the order of application.
    pub derived: Vec<Derivation>,
    /// Its position in the source.
    pub span: Span,
}

/// A type specifier.
#[derive(Clone, Debug)]
pub enum BaseType {
    /// A fundamental type.
    Builtin(BuiltinType),
    /// A name.
    Named(QualifiedName),
    /// `auto`.
    Auto,
    /// `decltype(expression)`.
    Decltype(Rc<Expression>),
    /// `decltype(auto)`.
    DecltypeAuto,
    /// A class definition or `struct Name`.
    Record(Rc<RecordSyntax>),
    /// An enumeration.
    Enumeration(Rc<EnumerationSyntax>),
    /// No type: a constructor, destructor or conversion operator.
    Absent,
}

/// Fundamental types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum BuiltinType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    WideChar,
    Char16,
    Char32,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    /// A type of its own with the values of `double`.
    LongDouble,
}

/// One step from a type to a derived type.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// `*`.
    Pointer {
        /// `const` after it.
        is_const: bool,
        /// `volatile` after it.
        is_volatile: bool,
        /// `__restrict__` after it.
        is_restrict: bool,
    },
    /// `Class::*`.
    MemberPointer {
        /// The class.
        class: QualifiedName,
        /// `const` after it.
        is_const: bool,
        /// `volatile` after it.
        is_volatile: bool,
    },
    /// `&`.
    Reference,
    /// `&&`.
    RvalueReference,
    /// `[size]`.
    Array(Option<Rc<Expression>>),
    /// `(parameters)`.
    Function(Rc<FunctionTypeSyntax>),
}

/// Parameters and what follows them.
#[derive(Clone, Debug)]
pub struct FunctionTypeSyntax {
    /// The parameters.
    pub parameters: Vec<ParameterSyntax>,
    /// C's `...`.
    pub variadic: bool,
    /// `const` after the parameters.
    pub is_const: bool,
    /// `-> type`.
    pub trailing: Option<TypeSyntax>,
}

/// A function parameter.
#[derive(Clone, Debug)]
pub struct ParameterSyntax {
    /// Its name.
    pub name: Option<Name>,
    /// Its type.
    pub kind: TypeSyntax,
    /// The default argument.
    pub default: Option<Rc<Expression>>,
    /// A parameter pack.
    pub pack: bool,
    /// Its position in the source.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// Its position in the source.
    pub span: Span,
}

/// A handler of exceptions.
#[derive(Clone, Debug)]
pub struct HandlerSyntax {
    /// The variable; `None` for `catch (...)`.
    pub variable: Option<ParameterSyntax>,
    /// The statements.
    pub body: Vec<Statement>,
    /// Its position in the source.
    pub span: Span,
}

/// A condition: an expression or a declaration.
#[derive(Clone, Debug)]
pub enum Condition {
    /// An expression.
    Value(Expression),
    /// `T x = value`.
    Variable(Rc<VariableSyntax>),
}

/// `#pragma unroll` before a loop.
#[derive(Clone, Debug)]
pub enum UnrollSyntax {
    /// `#pragma unroll`.
    Full,
    /// `#pragma unroll N`.
    Count(Rc<Expression>),
}

/// Kind of a statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;`.
    Empty,
    /// `expression;`.
    Expression(Expression),
    /// `{...}`.
    Block(Vec<Statement>),
    /// Declarations.
    Declaration(Vec<Declaration>),
    /// `if`.
    If {
        /// `if constexpr`.
        is_constexpr: bool,
        /// The part before `;`.
        init: Option<Box<Statement>>,
        /// The condition.
        condition: Condition,
        /// The statement if the condition is true.
        then: Box<Statement>,
        /// The statement if it is false.
        otherwise: Option<Box<Statement>>,
    },
    /// `while`.
    While(Condition, Box<Statement>, Option<UnrollSyntax>),
    /// `do ... while`.
    DoWhile(Box<Statement>, Expression, Option<UnrollSyntax>),
    /// `for`.
    For {
        /// The first part.
        init: Option<Box<Statement>>,
        /// The condition.
        condition: Option<Condition>,
        /// The step.
        step: Option<Expression>,
        /// The body.
        body: Box<Statement>,
        /// The pragma before it.
        unroll: Option<UnrollSyntax>,
    },
    /// `for (T x : range)`.
    RangeFor {
        /// The variable.
        variable: Rc<VariableSyntax>,
        /// The range.
        range: Expression,
        /// The body.
        body: Box<Statement>,
        /// The pragma before it.
        unroll: Option<UnrollSyntax>,
    },
    /// `switch`.
    Switch(Option<Box<Statement>>, Condition, Box<Statement>),
    /// `case value:` (or `case first ... last:`) and the statement after it.
    Case(Expression, Option<Expression>, Box<Statement>),
    /// `default:` and the statement after it.
    Default(Box<Statement>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expression>),
    /// `goto`.
    Goto(Name),
    /// `name:` and the statement after it.
    Label(Name, Box<Statement>),
    /// `try` and its handlers.
    Try(Vec<Statement>, Vec<HandlerSyntax>),
    /// `asm`.
    Asm(Rc<AsmSyntax>),
    /// A statement that could not be parsed; an error was reported.
    Invalid,
}

/// An operand of `asm`.
#[derive(Clone, Debug)]
pub struct AsmOperandSyntax {
    /// The constraint.
    pub constraint: String,
    /// The value or variable.
    pub value: Expression,
}

/// An `asm` statement.
#[derive(Clone, Debug)]
pub struct AsmSyntax {
    /// `volatile`.
    pub is_volatile: bool,
    /// The template.
    pub text: String,
    /// Outputs.
    pub outputs: Vec<AsmOperandSyntax>,
    /// Inputs.
    pub inputs: Vec<AsmOperandSyntax>,
    /// Whether it clobbers memory.
    pub memory: bool,
}
