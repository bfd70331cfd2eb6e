//! The syntax tree, as parsed: names are not resolved, and templates are not instantiated.

mod declarations;
mod expressions;
mod statements;
pub mod visit;

pub use declarations::*;
pub use expressions::*;
pub use statements::*;

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
