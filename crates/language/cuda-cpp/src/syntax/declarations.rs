//! Syntax of declarations.

use super::{Expression, FunctionTypeSyntax, HandlerSyntax, QualifiedName, Statement, TypeSyntax};
use crate::lex::Name;
use crate::source::Span;
use std::cell::OnceCell;
use std::rc::Rc;

/// A declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its kind.
    pub kind: DeclarationKind,
    /// Its position in the source.
    pub span: Span,
}

/// Kind of a declaration.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `namespace name { ... }`.
    Namespace {
        /// The names, outermost first; empty for an unnamed namespace.
        names: Vec<Name>,
        /// `inline`.
        is_inline: bool,
        /// Its contents.
        items: Vec<Declaration>,
    },
    /// `namespace a = b`.
    NamespaceAlias(Name, QualifiedName),
    /// `extern "C" { ... }` and `extern "C++" { ... }`.
    Linkage(Vec<Declaration>),
    /// `using namespace`.
    UsingNamespace(QualifiedName),
    /// `using name, name...`: the names, and whether each expands a pack.
    Using(Vec<(QualifiedName, bool)>),
    /// `typedef` and `using name = type`.
    Alias(Name, Rc<TypeSyntax>),
    /// A variable.
    Variable(Rc<VariableSyntax>),
    /// A function.
    Function(Rc<FunctionSyntax>),
    /// A class, or a declaration of it.
    Record(Rc<RecordSyntax>),
    /// An enumeration.
    Enumeration(Rc<EnumerationSyntax>),
    /// `template <...> declaration`.
    Template(Rc<Vec<TemplateParameterSyntax>>, Box<Declaration>),
    /// `template declaration`: an explicit instantiation.
    Instantiation(Box<Declaration>),
    /// `static_assert`.
    StaticAssert(Expression, Option<String>),
    /// An empty declaration.
    Empty,
}

/// Storage, execution space and other specifiers.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Specifiers {
    pub is_static: bool,
    pub is_extern: bool,
    pub is_inline: bool,
    pub is_constexpr: bool,
    pub is_typedef: bool,
    pub is_virtual: bool,
    pub is_explicit: bool,
    pub is_friend: bool,
    pub is_mutable: bool,
    pub device: bool,
    pub global: bool,
    pub host: bool,
    pub shared: bool,
    pub constant: bool,
    pub managed: bool,
    pub no_inline: bool,
    pub force_inline: bool,
    /// `__launch_bounds__`.
    pub launch_bounds: Vec<Expression>,
    /// `__cluster_dims__`.
    pub cluster: Vec<Expression>,
    /// `alignas` and similar specifiers.
    pub alignment: Vec<AlignmentSyntax>,
    /// `__attribute__((packed))`.
    pub packed: bool,
    /// `__attribute__((KIND("TEXT")))` of a built-in header: the intrinsic to which calls lower.
    pub intrinsic: Option<(Name, String)>,
}

/// The argument of `alignas`.
#[derive(Clone, Debug)]
pub enum AlignmentSyntax {
    /// A number.
    Value(Expression),
    /// The alignment of a type.
    Type(TypeSyntax),
    /// The largest alignment of the types that a pattern expands to.
    Types(TypeSyntax),
}

/// How a variable is initialized.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// No initializer.
    None,
    /// `= value`.
    Copy(Expression),
    /// `(values)`.
    Direct(Vec<Expression>),
    /// `{values}` without `=`.
    List(Expression),
}

/// A variable, or a data member.
#[derive(Clone, Debug)]
pub struct VariableSyntax {
    /// Its name.
    pub name: QualifiedName,
    /// Names of a structured binding.
    pub bindings: Vec<Name>,
    /// Its type.
    pub kind: Rc<TypeSyntax>,
    /// Its specifiers.
    pub specifiers: Rc<Specifiers>,
    /// Its initializer.
    pub initializer: Initializer,
    /// The width of a bit field.
    pub width: Option<Expression>,
    /// Its position in the source.
    pub span: Span,
}

/// A function.
#[derive(Debug)]
pub struct FunctionSyntax {
    /// Its name.
    pub name: QualifiedName,
    /// Its result.
    pub result: TypeSyntax,
    /// Its parameters.
    pub signature: Rc<FunctionTypeSyntax>,
    /// Its specifiers.
    pub specifiers: Rc<Specifiers>,
    /// The tokens of its body.
    pub body: Option<BodyTokens>,
    /// The body, parsed.
    pub parsed: OnceCell<Option<Rc<FunctionBody>>>,
    /// `= delete`.
    pub deleted: bool,
    /// `= default`.
    pub defaulted: bool,
    /// `= 0`.
    pub pure_virtual: bool,
    /// Whether it has C linkage.
    pub extern_c: bool,
    /// Its position in the source.
    pub span: Span,
}

impl FunctionSyntax {
    /// Whether it is a deduction guide: a result after `->` but no type in front.
    pub fn is_guide(&self) -> bool {
        matches!(self.result.base, super::BaseType::Absent) && self.signature.trailing.is_some()
    }
}

/// The tokens of a function's body.
#[derive(Clone, Copy, Debug)]
pub struct BodyTokens {
    /// Index of the first token: `{`, `:` or `try`.
    pub start: usize,
    /// Index after the last token.
    pub end: usize,
    /// The parser's scope at its start.
    pub scope: usize,
}

/// A function's body.
#[derive(Debug)]
pub struct FunctionBody {
    /// Initializers of a constructor.
    pub members: Vec<MemberInitializer>,
    /// The statements.
    pub statements: Rc<Vec<Statement>>,
    /// The handlers of the whole body: `f() try { ... } catch ...`.
    pub handlers: Vec<HandlerSyntax>,
    /// The closing brace.
    pub end: Span,
}

/// `name(values)` before a constructor's body.
#[derive(Clone, Debug)]
pub struct MemberInitializer {
    /// A member or base.
    pub name: QualifiedName,
    /// The values.
    pub values: Vec<Expression>,
    /// Whether the values are in braces.
    pub braces: bool,
}

/// `struct`, `class` or `union`.
#[derive(Debug)]
pub struct RecordSyntax {
    /// Its name.
    pub name: Option<QualifiedName>,
    /// `union`.
    pub is_union: bool,
    /// The direct bases, and whether each expands a pack.
    pub bases: Vec<(TypeSyntax, bool)>,
    /// The members; `None` for a declaration.
    pub members: Option<Vec<Declaration>>,
    /// A use such as `struct Name* p`, not `struct Name;`: if the class is unknown, the use declares it, outside of
    /// all enclosing classes.
    pub is_use: bool,
    /// `alignas`.
    pub alignment: Vec<AlignmentSyntax>,
    /// The largest alignment of its members in bytes; 0 for no limit.
    pub pack: u8,
    /// Its position in the source.
    pub span: Span,
}

/// An enumeration.
#[derive(Debug)]
pub struct EnumerationSyntax {
    /// Its name.
    pub name: Option<QualifiedName>,
    /// `enum class`.
    pub scoped: bool,
    /// The underlying type.
    pub underlying: Option<TypeSyntax>,
    /// The enumerators; `None` for a declaration.
    pub enumerators: Option<Vec<(Name, Span, Option<Expression>)>>,
}

/// A template parameter.
#[derive(Clone, Debug)]
pub struct TemplateParameterSyntax {
    /// Its name.
    pub name: Option<Name>,
    /// The kind of argument it takes.
    pub kind: TemplateParameterKind,
    /// A parameter pack.
    pub pack: bool,
    /// Its position in the source.
    pub span: Span,
}

/// Kinds of template parameters, with their defaults.
#[derive(Clone, Debug)]
pub enum TemplateParameterKind {
    /// `typename`.
    Type(Option<TypeSyntax>),
    /// A constant of a type.
    Value(TypeSyntax, Option<Rc<Expression>>),
    /// A template.
    Template(Option<TypeSyntax>),
}
