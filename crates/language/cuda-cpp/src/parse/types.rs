//! Parses attributes, specifiers, and the names of types.

use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Name, Punctuation, TokenKind, known};
use crate::source::{SourceProblem, Span};
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
            (Some(known::DOUBLE), _) if self.long > 0 => LongDouble,
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
                        let expands = this.eat(Punctuation::Ellipsis);
                        let ends = this.is(Punctuation::ParenClose);
                        if ends { Ok((kind, expands)) } else { Err(SyntaxFailure) }
                    });
                    Ok(match kind {
                        Some((kind, true)) => AlignmentSyntax::Types(kind),
                        Some((kind, false)) => AlignmentSyntax::Type(kind),
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

    /// Searches `__attribute__((...))`, which was already skipped, for `aligned`, `packed` and intrinsics.
    fn gnu_attributes(&mut self, start: usize, flags: &mut Specifiers) -> Parsed<()> {
        let end = std::mem::replace(&mut self.at, start);
        while self.at < end {
            let name = self.bump().name();
            flags.packed |= matches!(name, Some(known::PACKED | known::PACKED_GNU));
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
                // All threads of a program run on one thread of the interpreter.
                known::THREAD_LOCAL if self.trials == 0 && self.has_threads() => {
                    let what = "a `thread_local` variable in a program with threads";
                    self.problems.push(SourceProblem::unsupported(token.span, what));
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
                    let member = name == known::DECLTYPE && self.qualifies();
                    base = Some(if member { self.named_type()? } else { self.decltype()? });
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
                    return self.report(SourceProblem::error(
                        start,
                        "these type specifiers cannot be combined",
                    ));
                }
            },
            None => BaseType::Absent,
        };
        let span = start.to(self.last_span());
        Ok(DeclarationSpecifiers { flags, base, is_const, is_volatile, span })
    }

    /// Whether the source includes a header for threads.
    fn has_threads(&self) -> bool {
        !self.map.is_builtin(self.span())
            && ["joinable", "pthread_create"].iter().any(|name| self.names.find(name).is_some())
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
            // An unknown name counts as a type if a declarator follows.
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

    pub(super) fn decltype(&mut self) -> Parsed<BaseType> {
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
}
