//! Parses specifiers and declarators.

use super::scopes::NameKind;
use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::names::known;
use crate::lex::{Name, Punctuation, TokenKind};
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use std::rc::Rc;

/// The specifiers of a declaration, including its type.
pub(super) struct DeclarationSpecifiers {
    pub flags: Specifiers,
    pub base: BaseType,
    pub is_const: bool,
    pub is_volatile: bool,
    pub span: Span,
}

/// A declared name, and what its declarator adds to the type.
pub(super) struct Declarator {
    pub name: Option<QualifiedName>,
    pub derived: Vec<Derivation>,
    pub pack: bool,
    pub span: Span,
}

/// How often each word of a fundamental type occurs.
#[derive(Default)]
struct TypeWords {
    base: Option<Name>,
    signed: bool,
    unsigned: bool,
    short: bool,
    long: u8,
}

impl TypeWords {
    fn any(&self) -> bool {
        self.base.is_some() || self.signed || self.unsigned || self.short || self.long > 0
    }

    fn kind(&self) -> Option<BuiltinType> {
        use BuiltinType::*;
        Some(match (self.base, self.unsigned) {
            (Some(known::VOID), _) => Void,
            (Some(known::BOOL), _) => Bool,
            (Some(known::CHAR), true) => UnsignedChar,
            (Some(known::CHAR), _) if self.signed => SignedChar,
            (Some(known::CHAR), _) => Char,
            (Some(known::WCHAR), _) => WideChar,
            (Some(known::CHAR16), _) => Char16,
            (Some(known::CHAR32), _) => Char32,
            (Some(known::FLOAT), _) => Float,
            (Some(known::DOUBLE), _) => Double,
            (None | Some(known::INT), unsigned) => match (self.short, self.long, unsigned) {
                (true, _, false) => Short,
                (true, _, true) => UnsignedShort,
                (_, 0, false) => Int,
                (_, 0, true) => UnsignedInt,
                (_, 1, false) => Long,
                (_, 1, true) => UnsignedLong,
                (_, _, false) => LongLong,
                (_, _, true) => UnsignedLongLong,
            },
            _ => return None,
        })
    }
}

impl Parser {
    /// Attributes in any notation; stores those that matter.
    pub(super) fn attributes(&mut self, flags: &mut Specifiers) -> Parsed<bool> {
        let mut any = false;
        loop {
            if self.is(Punctuation::BracketOpen) && self.ahead(1).is(Punctuation::BracketOpen) {
                self.skip_group()?;
            } else if self.is_name(known::ATTRIBUTE) || self.is_name(known::DECLSPEC) {
                self.at += 1;
                let start = self.at;
                self.skip_group()?;
                self.gnu_attributes(start, flags)?;
            } else if self.is_name(known::ALIGN)
                || self.is_name(known::BUILTIN_ALIGN)
                || self.is_name(known::ALIGNAS)
            {
                self.at += 1;
                self.expect(Punctuation::ParenOpen, "before an alignment")?;
                let alignment = self.enclosed(|this| {
                    let kind = this.attempt(|this| {
                        let kind = this.type_id()?;
                        if this.is(Punctuation::ParenClose) { Ok(kind) } else { Err(SyntaxFailure) }
                    });
                    Ok(match kind {
                        Some(kind) => AlignmentSyntax::Type(kind),
                        None => AlignmentSyntax::Value(this.conditional()?),
                    })
                })?;
                self.expect(Punctuation::ParenClose, "after an alignment")?;
                flags.alignment.push(alignment);
            } else {
                return Ok(any);
            }
            any = true;
        }
    }

    /// Searches `__attribute__((...))`, which was already skipped, for `aligned` and intrinsics.
    fn gnu_attributes(&mut self, start: usize, flags: &mut Specifiers) -> Parsed<()> {
        let end = std::mem::replace(&mut self.at, start);
        while self.at < end {
            let name = self.bump().name();
            if !self.is(Punctuation::ParenOpen) {
                continue;
            }
            match name {
                Some(known::ALIGNED) => {
                    self.at += 1;
                    let value = self.enclosed(Self::conditional)?;
                    flags.alignment.push(AlignmentSyntax::Value(value));
                }
                Some(name) if matches!(self.ahead(1).kind, TokenKind::Text(_)) => {
                    self.at += 1;
                    flags.intrinsic = Some((name, self.string()?));
                }
                _ => {}
            }
        }
        self.at = end;
        Ok(())
    }

    /// Specifiers up to the declarator. `only_type` stops before anything that does not belong to a type.
    pub(super) fn specifiers(&mut self, only_type: bool) -> Parsed<DeclarationSpecifiers> {
        let start = self.span();
        let mut flags = Specifiers::default();
        let (mut is_const, mut is_volatile) = (false, false);
        let mut words = TypeWords::default();
        let mut base: Option<BaseType> = None;
        loop {
            if self.attributes(&mut flags)? {
                continue;
            }
            let token = self.token();
            if token.is(Punctuation::ColonColon) && base.is_none() && !words.any() {
                base = Some(self.named_type()?);
                continue;
            }
            let Some(name) = token.name() else { break };
            let mut flag = None;
            match name {
                known::CONST | known::CONST_GNU => is_const = true,
                known::VOLATILE | known::VOLATILE_GNU => is_volatile = true,
                known::SIGNED | known::SIGNED_GNU => words.signed = true,
                known::UNSIGNED => words.unsigned = true,
                known::SHORT => words.short = true,
                known::LONG => words.long += 1,
                known::VOID
                | known::BOOL
                | known::CHAR
                | known::WCHAR
                | known::CHAR16
                | known::CHAR32
                | known::INT
                | known::FLOAT
                | known::DOUBLE => {
                    if words.base.is_some() || base.is_some() {
                        let problem =
                            SourceProblem::error(token.span, "two types in one declaration");
                        return self
                            .report(problem.help("a `;` or a `,` may be missing before it"));
                    }
                    words.base = Some(name);
                }
                known::INT128 => {
                    return self
                        .report(SourceProblem::unsupported(token.span, "the type `__int128`"));
                }
                known::AUTO if base.is_none() => base = Some(BaseType::Auto),
                known::EXTENSION
                | known::REGISTER
                | known::MUTABLE
                | known::THREAD_LOCAL
                | known::RESTRICT
                | known::RESTRICT_SHORT
                | known::GRID_CONSTANT
                | known::EXPORT => {
                    flags.is_mutable |= name == known::MUTABLE;
                }
                known::DECLTYPE | known::TYPEOF if base.is_none() && !words.any() => {
                    base = Some(self.decltype()?);
                    continue;
                }
                known::STRUCT | known::CLASS | known::UNION if base.is_none() && !words.any() => {
                    base = Some(self.record()?);
                    continue;
                }
                known::ENUM if base.is_none() && !words.any() => {
                    base = Some(self.enumeration()?);
                    continue;
                }
                known::TYPENAME if base.is_none() && !words.any() => {
                    base = Some(self.named_type()?);
                    continue;
                }
                known::STATIC => flag = Some(&mut flags.is_static),
                known::EXTERN => flag = Some(&mut flags.is_extern),
                known::INLINE | known::INLINE_GNU | known::INLINE_SHORT => {
                    flag = Some(&mut flags.is_inline)
                }
                known::CONSTEXPR | known::CONST_EVAL | known::CONST_INIT => {
                    flag = Some(&mut flags.is_constexpr)
                }
                known::TYPEDEF => flag = Some(&mut flags.is_typedef),
                known::VIRTUAL => flag = Some(&mut flags.is_virtual),
                known::FRIEND => flag = Some(&mut flags.is_friend),
                known::DEVICE => flag = Some(&mut flags.device),
                known::GLOBAL => flag = Some(&mut flags.global),
                known::HOST => flag = Some(&mut flags.host),
                known::SHARED => flag = Some(&mut flags.shared),
                known::CONSTANT => flag = Some(&mut flags.constant),
                known::MANAGED => flag = Some(&mut flags.managed),
                known::NO_INLINE => flag = Some(&mut flags.no_inline),
                known::FORCE_INLINE => flag = Some(&mut flags.force_inline),
                known::EXPLICIT if !only_type => {
                    flags.is_explicit = true;
                    if self.ahead(1).is(Punctuation::ParenOpen) {
                        self.at += 1;
                        self.skip_group()?;
                        continue;
                    }
                }
                known::LAUNCH_BOUNDS | known::CLUSTER_DIMS | known::MAX_REGISTERS if !only_type => {
                    self.at += 1;
                    self.expect(Punctuation::ParenOpen, "after the attribute")?;
                    let values =
                        self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
                    match name {
                        known::LAUNCH_BOUNDS => flags.launch_bounds = values,
                        known::CLUSTER_DIMS => flags.cluster = values,
                        _ => {}
                    }
                    continue;
                }
                _ if name.is_keyword() || base.is_some() || words.any() => break,
                _ => {
                    if !self.begins_type_name(only_type) {
                        break;
                    }
                    base = Some(self.named_type()?);
                    continue;
                }
            }
            if let Some(flag) = flag {
                if only_type && !matches!(name, known::CONSTEXPR | known::STATIC | known::INLINE) {
                    break;
                }
                *flag = true;
            }
            self.at += 1;
        }
        let base = match base {
            Some(base) => base,
            None if words.any() => match words.kind() {
                Some(kind) => BaseType::Builtin(kind),
                None => {
                    return self
                        .report(SourceProblem::error(start, "these words do not form a type"));
                }
            },
            None => BaseType::Absent,
        };
        let span = start.to(self.last_span());
        Ok(DeclarationSpecifiers { flags, base, is_const, is_volatile, span })
    }

    /// Whether the name at the cursor is the type of the declaration, rather than the declared name.
    fn begins_type_name(&mut self, only_type: bool) -> bool {
        let class = self.class;
        let looked = self.look(|this| {
            let name = this.qualified_name()?;
            let known = this.names_type(&name);
            // Constructors: `Name(` in its class, and `Name::Name(`.
            let constructs = this.is(Punctuation::ParenOpen)
                && match name.parts.as_slice() {
                    [only] => Some(only.name) == class && !only_type,
                    [.., before, last] => before.name == last.name,
                    [] => false,
                };
            let special = name.last().conversion.is_some()
                || this.names.text(name.last().name).starts_with('~');
            if constructs || special {
                return Ok(false);
            }
            if known {
                return Ok(true);
            }
            if this.kind_of(&name).is_some() {
                return Ok(false);
            }
            // An unknown name is taken for a type if a declarator follows.
            let next = this.token();
            Ok(match next.kind {
                TokenKind::Identifier(word) => !word.is_keyword() || word == known::CONST,
                TokenKind::Punctuation(
                    Punctuation::Star
                    | Punctuation::And
                    | Punctuation::AndAnd
                    | Punctuation::Ellipsis,
                ) => true,
                TokenKind::Punctuation(
                    Punctuation::Greater
                    | Punctuation::Comma
                    | Punctuation::ParenClose
                    | Punctuation::Semicolon,
                ) => name.parts.len() > 1 || only_type,
                _ => name.parts.len() > 1 && only_type,
            })
        });
        looked.unwrap_or(false)
    }

    fn named_type(&mut self) -> Parsed<BaseType> {
        Ok(BaseType::Named(self.qualified_name()?))
    }

    fn decltype(&mut self) -> Parsed<BaseType> {
        self.at += 1;
        self.expect(Punctuation::ParenOpen, "after `decltype`")?;
        if self.is_name(known::AUTO) {
            self.at += 1;
            self.expect(Punctuation::ParenClose, "after `auto`")?;
            return Ok(BaseType::DecltypeAuto);
        }
        let value = self.enclosed(Self::expression)?;
        self.expect(Punctuation::ParenClose, "after the expression")?;
        Ok(BaseType::Decltype(Rc::new(value)))
    }

    /// A type without a name, as in casts and template arguments.
    pub(super) fn type_id(&mut self) -> Parsed<TypeSyntax> {
        self.nested(|this| {
            let specifiers = this.specifiers(true)?;
            if matches!(specifiers.base, BaseType::Absent) {
                return this.unexpected("a type");
            }
            let declarator = this.declarator(false)?;
            Ok(Self::assemble(&specifiers, declarator.derived, this.last_span()))
        })
    }

    /// The type after `operator`, without parentheses.
    pub(super) fn conversion_type(&mut self) -> Parsed<TypeSyntax> {
        let specifiers = self.specifiers(true)?;
        if matches!(specifiers.base, BaseType::Absent) {
            return self.unexpected("an operator or a type");
        }
        let derived = self.pointers()?;
        Ok(Self::assemble(&specifiers, derived, self.last_span()))
    }

    /// Builds a type from specifiers and a declarator.
    pub(super) fn assemble(
        specifiers: &DeclarationSpecifiers,
        derived: Vec<Derivation>,
        end: Span,
    ) -> TypeSyntax {
        TypeSyntax {
            base: specifiers.base.clone(),
            is_const: specifiers.is_const,
            is_volatile: specifiers.is_volatile,
            derived,
            span: specifiers.span.to(end),
        }
    }

    /// `*`, `&` and `&&` with their qualifiers.
    pub(super) fn pointers(&mut self) -> Parsed<Vec<Derivation>> {
        let mut derived = Vec::new();
        loop {
            if self.eat(Punctuation::Star) {
                let (mut is_const, mut is_volatile, mut is_restrict) = (false, false, false);
                loop {
                    match self.token().name() {
                        Some(known::CONST) => is_const = true,
                        Some(known::VOLATILE) => is_volatile = true,
                        Some(known::RESTRICT | known::RESTRICT_SHORT) => is_restrict = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                derived.push(Derivation::Pointer { is_const, is_volatile, is_restrict });
            } else if self.eat(Punctuation::And) {
                derived.push(Derivation::Reference);
                while self.eat_name(known::RESTRICT) || self.eat_name(known::RESTRICT_SHORT) {}
            } else if self.eat(Punctuation::AndAnd) {
                derived.push(Derivation::RvalueReference);
            } else {
                return Ok(derived);
            }
            if derived.len() > super::DEEPEST {
                return self
                    .report(SourceProblem::error(self.span(), "this type is nested too deeply"));
            }
        }
    }

    /// A declarator; if `named`, it may have a name.
    pub(super) fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        self.nested(|this| {
            let start = this.span();
            let mut derived = this.pointers()?;
            this.attributes(&mut Specifiers::default())?;
            while this.eat_name(known::GRID_CONSTANT) {}
            let pack = this.is(Punctuation::Ellipsis) && (this.ahead(1).name().is_some() || named);
            if pack {
                this.at += 1;
            }
            let mut name = None;
            let mut inner = Vec::new();
            let is_name = this.identifier().is_some()
                || this.is_name(known::OPERATOR)
                || this.is(Punctuation::ColonColon)
                || this.is(Punctuation::Tilde);
            if named && is_name {
                name = Some(this.qualified_name()?);
            } else if this.is(Punctuation::ParenOpen) && this.is_nested_declarator(named) {
                this.at += 1;
                let nested = this.declarator(named)?;
                this.expect(Punctuation::ParenClose, "after the declarator")?;
                name = nested.name;
                inner = nested.derived;
            }
            let span = start.to(this.last_span());
            let mut suffixes = Vec::new();
            loop {
                this.attributes(&mut Specifiers::default())?;
                if this.is(Punctuation::BracketOpen) {
                    this.at += 1;
                    let size = if this.is(Punctuation::BracketClose) {
                        None
                    } else {
                        Some(Rc::new(this.enclosed(Self::expression)?))
                    };
                    this.expect(Punctuation::BracketClose, "after the size of an array")?;
                    suffixes.push(Derivation::Array(size));
                } else if this.is(Punctuation::ParenOpen) && this.begins_parameters(name.is_some())
                {
                    let signature = this.parameters()?;
                    suffixes.push(Derivation::Function(Rc::new(signature)));
                } else {
                    break;
                }
                if suffixes.len() > super::DEEPEST {
                    return this.report(SourceProblem::error(
                        this.span(),
                        "this type is nested too deeply",
                    ));
                }
            }
            derived.extend(suffixes.into_iter().rev());
            derived.extend(inner);
            Ok(Declarator { name, derived, pack, span })
        })
    }

    /// Whether `(` encloses a declarator, as in `(*f)(int)`.
    fn is_nested_declarator(&mut self, named: bool) -> bool {
        let next = self.ahead(1);
        match next.kind {
            TokenKind::Punctuation(Punctuation::Star | Punctuation::And | Punctuation::AndAnd) => {
                true
            }
            TokenKind::Punctuation(Punctuation::ParenOpen) => named,
            TokenKind::Identifier(name) if named && !name.is_keyword() => {
                !matches!(
                    self.scopes.kind(self.scope, name),
                    Some(NameKind::Type | NameKind::TypeTemplate)
                ) && self.ahead(2).is(Punctuation::ParenClose)
            }
            _ => false,
        }
    }

    /// Whether `(` starts parameters, rather than an initializer.
    fn begins_parameters(&mut self, named: bool) -> bool {
        let next = self.ahead(1);
        match next.kind {
            TokenKind::Punctuation(Punctuation::ParenClose | Punctuation::Ellipsis) => true,
            TokenKind::Punctuation(Punctuation::BracketOpen) => {
                self.ahead(2).is(Punctuation::BracketOpen)
            }
            TokenKind::Punctuation(Punctuation::ColonColon) | TokenKind::Identifier(_) => {
                if !named {
                    return self
                        .look(|this| {
                            this.at += 1;
                            this.type_id()
                        })
                        .is_some();
                }
                self.look(|this| {
                    this.at += 1;
                    let specifiers = this.specifiers(false)?;
                    if matches!(specifiers.base, BaseType::Absent) {
                        return Err(SyntaxFailure);
                    }
                    let _ = this.declarator(true)?;
                    let ends = this.is(Punctuation::Comma)
                        || this.is(Punctuation::ParenClose)
                        || this.is(Punctuation::Assign)
                        || this.is(Punctuation::Ellipsis);
                    if ends { Ok(()) } else { Err(SyntaxFailure) }
                })
                .is_some()
            }
            _ => false,
        }
    }

    /// `(parameters) const noexcept -> type`.
    pub(super) fn parameters(&mut self) -> Parsed<FunctionTypeSyntax> {
        self.expect(Punctuation::ParenOpen, "before parameters")?;
        let (parameters, variadic) = self.enclosed(Self::parameter_list)?;
        let mut signature =
            FunctionTypeSyntax { parameters, variadic, is_const: false, trailing: None };
        loop {
            match self.peek() {
                TokenKind::Identifier(known::CONST) => signature.is_const = true,
                TokenKind::Identifier(known::VOLATILE | known::OVERRIDE | known::FINAL) => {}
                TokenKind::Punctuation(Punctuation::And | Punctuation::AndAnd) => {}
                TokenKind::Identifier(known::NOEXCEPT | known::THROW) => {
                    if self.ahead(1).is(Punctuation::ParenOpen) {
                        self.at += 1;
                        self.skip_group()?;
                        continue;
                    }
                }
                TokenKind::Punctuation(Punctuation::Arrow) => {
                    self.at += 1;
                    // The trailing type may use the names of parameters.
                    let scope = self.enter();
                    for parameter in &signature.parameters {
                        if let Some(name) = parameter.name {
                            self.scopes.declare(self.scope, name, NameKind::Value);
                        }
                    }
                    let trailing = self.type_id();
                    self.leave(scope);
                    signature.trailing = Some(trailing?);
                    continue;
                }
                _ => {
                    if self.attributes(&mut Specifiers::default())? {
                        continue;
                    }
                    return Ok(signature);
                }
            }
            self.at += 1;
        }
    }

    /// Parameters up to and including `)`.
    pub(super) fn parameter_list(&mut self) -> Parsed<(Vec<ParameterSyntax>, bool)> {
        let mut parameters = Vec::new();
        let mut variadic = false;
        let scope = self.enter();
        while !self.is(Punctuation::ParenClose) {
            if self.eat(Punctuation::Ellipsis) {
                variadic = true;
                break;
            }
            let start = self.span();
            let specifiers = self.specifiers(false)?;
            if matches!(specifiers.base, BaseType::Absent) {
                return self.unexpected("a parameter's type");
            }
            let declarator = self.declarator(true)?;
            let name = declarator.name.as_ref().and_then(QualifiedName::simple);
            if let Some(name) = name {
                self.declare(name, NameKind::Value);
            }
            let default = if self.eat(Punctuation::Assign) {
                Some(Rc::new(if self.is(Punctuation::BraceOpen) {
                    self.braced()?
                } else {
                    self.assignment()?
                }))
            } else {
                None
            };
            let span = start.to(self.last_span());
            let mut kind = Self::assemble(&specifiers, declarator.derived, self.last_span());
            kind.span = specifiers.span;
            let pack = declarator.pack || self.eat(Punctuation::Ellipsis) && name.is_none();
            parameters.push(ParameterSyntax { name, kind, default, pack, span });
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.leave(scope);
        self.expect(Punctuation::ParenClose, "after the parameters")?;
        let lone_void = |parameter: &ParameterSyntax| {
            matches!(parameter.kind.base, BaseType::Builtin(BuiltinType::Void))
                && parameter.kind.derived.is_empty()
        };
        if parameters.len() == 1 && parameters.iter().all(lone_void) {
            parameters.clear();
        }
        Ok((parameters, variadic))
    }
}
