//! Syntax of statements.

use super::{Declaration, Expression, VariableSyntax};
use crate::lex::Name;
use crate::source::Span;
use std::rc::Rc;

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
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
