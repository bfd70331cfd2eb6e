//! Syntax of expressions.

use super::{
    BuiltinType, FunctionTypeSyntax, QualifiedName, Statement, TemplateParameterSyntax, TypeSyntax,
};
use crate::lex::Name;
use crate::source::Span;
use std::rc::Rc;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its kind.
    pub kind: ExpressionKind,
    /// Its position in the source.
    pub span: Span,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Plus,
    Minus,
    Not,
    Complement,
    Dereference,
    AddressOf,
    Increment,
    Decrement,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
    Comma,
}

impl BinaryOperator {
    /// The operator's text.
    pub fn text(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            Add => "+",
            Subtract => "-",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Less => "<",
            Greater => ">",
            LessEqual => "<=",
            GreaterEqual => ">=",
            Equal => "==",
            NotEqual => "!=",
            BitAnd => "&",
            BitXor => "^",
            BitOr => "|",
            LogicalAnd => "&&",
            LogicalOr => "||",
            Comma => ",",
        }
    }

    /// Whether the result is a Boolean.
    pub fn compares(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Less | Greater | LessEqual | GreaterEqual | Equal | NotEqual)
    }
}

/// Kinds of casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CastStyle {
    Parentheses,
    Static,
    Reinterpret,
    Const,
    Dynamic,
}

/// An element of a braced list.
#[derive(Clone, Debug)]
pub struct ListElement {
    /// `.name =`.
    pub field: Option<Name>,
    /// The value.
    pub value: Expression,
}

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct LaunchSyntax {
    /// The kernel.
    pub kernel: Expression,
    /// Grid, block, dynamic shared memory, stream.
    pub configuration: Vec<Expression>,
    /// Arguments of the kernel.
    pub arguments: Vec<Expression>,
}

/// Kind of an expression.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// An integer literal.
    Integer {
        /// The value.
        value: u64,
        /// Suffix `u`.
        unsigned: bool,
        /// Number of `l`.
        long: u8,
        /// Whether it is decimal.
        decimal: bool,
    },
    /// A floating-point literal.
    Float {
        /// The value.
        value: f64,
        /// Suffix `f`.
        single: bool,
    },
    /// `true` or `false`.
    Bool(bool),
    /// `nullptr`.
    Null,
    /// A character literal.
    Character(u32),
    /// `typeid` of a type.
    TypeIdentity(Rc<TypeSyntax>),
    /// `typeid` of a value.
    ValueIdentity(Box<Expression>),
    /// A string literal without its final zero, and the type of its characters.
    Text(Rc<[u32]>, BuiltinType),
    /// `__PRETTY_FUNCTION__`.
    FunctionText,
    /// A name.
    Name(QualifiedName),
    /// `this`.
    This,
    /// A prefix operator.
    Unary(UnaryOperator, Box<Expression>),
    /// `x++`, or `x--` if `false`.
    Postfix(Box<Expression>, bool),
    /// A binary operator.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `a = b`, `a += b`.
    Assign(Option<BinaryOperator>, Box<Expression>, Box<Expression>),
    /// `a ? b : c`.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A call.
    Call(Box<Expression>, Vec<Expression>),
    /// `kernel<<<...>>>(...)`.
    Launch(Box<LaunchSyntax>),
    /// `a[b]`.
    Index(Box<Expression>, Box<Expression>),
    /// `a.b` and, if the flag is set, `a->b`.
    Member(Box<Expression>, bool, QualifiedName),
    /// `a.*b` and, if the flag is set, `a->*b`.
    MemberAccess(Box<Expression>, bool, Box<Expression>),
    /// A cast.
    Cast(CastStyle, Rc<TypeSyntax>, Box<Expression>),
    /// `T(...)`, or `T{...}` if the flag is set.
    Construct(Rc<TypeSyntax>, Vec<ListElement>, bool),
    /// `{...}`.
    List(Vec<ListElement>),
    /// `sizeof(type)`.
    SizeOfType(Rc<TypeSyntax>),
    /// `sizeof expression`.
    SizeOf(Box<Expression>),
    /// `sizeof...(pack)`.
    SizeOfPack(Name),
    /// `alignof(type)`.
    AlignOf(Rc<TypeSyntax>),
    /// `noexcept(expression)`.
    NoExcept,
    /// A lambda.
    Lambda(Rc<LambdaSyntax>),
    /// `pattern...`.
    Expansion(Box<Expression>),
    /// A fold expression: left side, right side and operator; one side contains the pack.
    Fold(BinaryOperator, Option<Box<Expression>>, Option<Box<Expression>>),
    /// `new`.
    New(Box<NewSyntax>),
    /// `delete`, or `delete[]` if the flag is set.
    Delete(Box<Expression>, bool),
    /// `throw`.
    Throw(Option<Box<Expression>>),
    /// A built-in type trait, such as `__is_same`.
    Trait(Name, Vec<TypeSyntax>),
    /// `({ ... })`.
    Statements(Rc<Vec<Statement>>),
}

/// `new (placement) type (arguments)`.
#[derive(Clone, Debug)]
pub struct NewSyntax {
    /// `::new`, which ignores the functions of the class.
    pub global: bool,
    /// The placement.
    pub placement: Vec<Expression>,
    /// The type.
    pub kind: TypeSyntax,
    /// Whether there is an initializer; `()` and `{}` have no arguments.
    pub initialized: bool,
    /// Whether the initializer is in braces.
    pub braces: bool,
    /// The initializer.
    pub arguments: Vec<ListElement>,
}

/// A lambda expression.
#[derive(Debug)]
pub struct LambdaSyntax {
    /// `[=]` or `[&]`: the default, by reference if `true`.
    pub default: Option<bool>,
    /// Explicit captures.
    pub captures: Vec<CaptureSyntax>,
    /// The template parameters, which C++20 allows.
    pub template: Vec<TemplateParameterSyntax>,
    /// The parameters.
    pub signature: Rc<FunctionTypeSyntax>,
    /// The body.
    pub body: Rc<Vec<Statement>>,
    /// Its position in the source.
    pub span: Span,
}

/// A capture.
#[derive(Clone, Debug)]
pub struct CaptureSyntax {
    /// The name; `None` for `this`.
    pub name: Option<Name>,
    /// `&name`.
    pub by_reference: bool,
    /// `name = value`.
    pub value: Option<Expression>,
    /// Its position in the source.
    pub span: Span,
}
