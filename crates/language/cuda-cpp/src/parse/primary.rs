//! Parses primary and postfix expressions.

use super::scopes::NameKind;
use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::literals::{
    NumberLiteral, character, number, split_number, split_quoted, unescape,
};
use crate::lex::{Name, Punctuation, TokenKind, known};
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// An operand followed by calls, indices and members.
    pub(super) fn postfix(&mut self) -> Parsed<Expression> {
        let mut value = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > 4 * super::DEEPEST {
                return self
                    .report(SourceProblem::error(self.span(), "this expression is too long"));
            }
            let kind = match self.peek() {
                TokenKind::Punctuation(Punctuation::ParenOpen) => {
                    self.at += 1;
                    let arguments =
                        self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
                    ExpressionKind::Call(Box::new(value.clone()), arguments)
                }
                TokenKind::Punctuation(Punctuation::BracketOpen) => {
                    self.at += 1;
                    let index = self.enclosed(Self::expression)?;
                    self.expect(Punctuation::BracketClose, "after the index")?;
                    ExpressionKind::Index(Box::new(value.clone()), Box::new(index))
                }
                TokenKind::Punctuation(punctuation @ (Punctuation::Dot | Punctuation::Arrow)) => {
                    self.at += 1;
                    let member = self.member_name()?;
                    ExpressionKind::Member(
                        Box::new(value.clone()),
                        punctuation == Punctuation::Arrow,
                        member,
                    )
                }
                TokenKind::Punctuation(Punctuation::Increment) => {
                    self.at += 1;
                    ExpressionKind::Postfix(Box::new(value.clone()), true)
                }
                TokenKind::Punctuation(Punctuation::Decrement) => {
                    self.at += 1;
                    ExpressionKind::Postfix(Box::new(value.clone()), false)
                }
                TokenKind::Punctuation(Punctuation::ShiftLeft) if self.is_launch() => {
                    self.launch(value.clone())?
                }
                _ => return Ok(value),
            };
            value = Expression { kind, span: value.span.to(self.last_span()) };
        }
    }

    fn member_name(&mut self) -> Parsed<QualifiedName> {
        if self.identifier().is_none()
            && !matches!(
                self.peek(),
                TokenKind::Identifier(known::OPERATOR | known::TEMPLATE)
                    | TokenKind::Punctuation(Punctuation::Tilde)
            )
        {
            return self.unexpected("the name of a member");
        }
        if self.eat_name(known::TEMPLATE) {
            let part = self.name_part(None, false, true)?;
            return Ok(QualifiedName { span: part.span, global: false, parts: vec![part] });
        }
        if let Some(name) = self.identifier()
            && self.ahead(1).is(Punctuation::Less)
        {
            // `<` is a comparison, unless it starts template arguments: of a member template that is called, or of a base class
            // whose member is named (`Base<T>::member`).
            let called = self.scopes.member_template(name);
            let qualified = self.attempt(|this| {
                let name = this.qualified_name()?;
                let is_template = name.parts.len() > 1
                    || called && name.last().arguments.is_some() && this.is(Punctuation::ParenOpen);
                if is_template { Ok(name) } else { Err(SyntaxFailure) }
            });
            return Ok(qualified.unwrap_or_else(|| {
                let span = self.bump().span;
                Self::plain(name, span)
            }));
        }
        self.qualified_name()
    }

    fn launch(&mut self, kernel: Expression) -> Parsed<ExpressionKind> {
        self.at += 2;
        let saved = std::mem::replace(&mut self.greater_closes, true);
        let mut configuration = Vec::new();
        let result = loop {
            match self.assignment() {
                Ok(value) => configuration.push(value),
                Err(failure) => break Err(failure),
            }
            if !self.eat(Punctuation::Comma) {
                break Ok(());
            }
        };
        self.greater_closes = saved;
        result?;
        for _ in 0..3 {
            self.expect(Punctuation::Greater, "after the launch configuration")?;
        }
        self.expect(Punctuation::ParenOpen, "before the kernel's arguments")?;
        let arguments = self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
        Ok(ExpressionKind::Launch(Box::new(LaunchSyntax { kernel, configuration, arguments })))
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let token = self.token();
        let start = token.span;
        let kind = match token.kind {
            TokenKind::Number(text) => {
                self.at += 1;
                let (digits, suffix) = split_number(self.names.text(text));
                let (digits, suffix) = (digits.to_owned(), suffix.to_owned());
                if !suffix.is_empty() {
                    return self.user_number(&digits, &suffix, start);
                }
                match number(self.names.text(text)) {
                    Ok(NumberLiteral::Integer { value, unsigned, long, decimal }) => {
                        ExpressionKind::Integer { value, unsigned, long, decimal }
                    }
                    Ok(NumberLiteral::Float { value, single }) => {
                        let literal = ExpressionKind::Float { value, single };
                        match self.names.text(text).ends_with(['l', 'L']) {
                            true => Self::converted(literal, BuiltinType::LongDouble, start),
                            false => literal,
                        }
                    }
                    Err(why) => return self.report(SourceProblem::error(start, why)),
                }
            }
            TokenKind::Character(text) => {
                self.at += 1;
                let (text, suffix) = split_quoted(self.names.text(text));
                let suffix = suffix.to_owned();
                let kind = match text.split('\'').next() {
                    Some("L") => Some(BuiltinType::WideChar),
                    Some("u") => Some(BuiltinType::Char16),
                    Some("U") => Some(BuiltinType::Char32),
                    _ => None,
                };
                match (character(text), kind) {
                    (Ok((value, 1)), None) if !suffix.is_empty() => {
                        let kind = ExpressionKind::Character(value as u32);
                        let value = Expression { kind, span: start };
                        return Ok(self.user_literal(&suffix, vec![value], start));
                    }
                    (Ok((value, 1)), None) => ExpressionKind::Character(value as u32),
                    (Ok((value, _)), kind) => {
                        Self::typed_character(value, kind.unwrap_or(BuiltinType::Int), start)
                    }
                    (Err(why), _) => return self.report(SourceProblem::error(start, why)),
                }
            }
            TokenKind::Text(_) => {
                let (mut units, mut suffix) = (Vec::new(), String::new());
                // One prefix holds for all adjacent literals.
                let mut kind = BuiltinType::Char;
                for at in self.at..self.tokens.len() {
                    let TokenKind::Text(text) = self.tokens[at].kind else { break };
                    kind = match self.names.text(text).split('"').next() {
                        Some("L" | "LR") => BuiltinType::WideChar,
                        Some("u" | "uR") => BuiltinType::Char16,
                        Some("U" | "UR") => BuiltinType::Char32,
                        _ => kind,
                    };
                }
                while let TokenKind::Text(text) = self.peek() {
                    let span = self.span();
                    let (text, own) = split_quoted(self.names.text(text));
                    if !own.is_empty() {
                        suffix = own.to_owned();
                    }
                    match unescape(text, kind != BuiltinType::Char) {
                        Ok(more) if kind == BuiltinType::Char16 => {
                            more.iter().for_each(|unit| match unit.checked_sub(0x1_0000) {
                                Some(rest) => {
                                    units.extend([0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff)]);
                                }
                                None => units.push(*unit),
                            })
                        }
                        Ok(more) => units.extend(more),
                        Err(why) => return self.report(SourceProblem::error(span, why)),
                    }
                    self.at += 1;
                }
                let length = units.len() as u64;
                let text = ExpressionKind::Text(units.into(), kind);
                if !suffix.is_empty() {
                    let kind = ExpressionKind::Integer {
                        value: length,
                        unsigned: true,
                        long: 1,
                        decimal: true,
                    };
                    let span = start.to(self.last_span());
                    let list = vec![Expression { kind: text, span }, Expression { kind, span }];
                    return Ok(self.user_literal(&suffix, list, start));
                }
                text
            }
            TokenKind::Identifier(name) => return self.word(name, start),
            TokenKind::Punctuation(Punctuation::ParenOpen) => return self.parenthesized(),
            TokenKind::Punctuation(Punctuation::ColonColon | Punctuation::Tilde) => {
                return self.name_or_construction();
            }
            TokenKind::Punctuation(Punctuation::BracketOpen) => {
                ExpressionKind::Lambda(Rc::new(self.nested(Self::lambda)?))
            }
            TokenKind::Punctuation(Punctuation::BraceOpen) => return self.braced(),
            TokenKind::Stray(c) => {
                let problem = SourceProblem::error(
                    start,
                    format!("unexpected character `{}`", c.escape_debug()),
                );
                return self.report(problem.help("remove it; it may come from copied text"));
            }
            _ => return self.unexpected("an expression"),
        };
        Ok(Expression { kind, span: start.to(self.last_span()) })
    }

    /// A number with a suffix that a literal operator defines.
    fn user_number(&mut self, digits: &str, suffix: &str, start: Span) -> Parsed<Expression> {
        let kind = match number(digits) {
            Ok(NumberLiteral::Integer { value, .. }) => {
                ExpressionKind::Integer { value, unsigned: true, long: 2, decimal: true }
            }
            Ok(NumberLiteral::Float { value, .. }) => {
                let literal = ExpressionKind::Float { value, single: false };
                Self::converted(literal, BuiltinType::LongDouble, start)
            }
            Err(why) => return self.report(SourceProblem::error(start, why)),
        };
        Ok(self.user_literal(suffix, vec![Expression { kind, span: start }], start))
    }

    /// The call of a literal operator.
    fn user_literal(
        &mut self,
        suffix: &str,
        arguments: Vec<Expression>,
        start: Span,
    ) -> Expression {
        let span = start.to(self.last_span());
        let name = self.names.intern(&format!("operator\"\"{suffix}"));
        let callee = ExpressionKind::Name(Self::plain(name, span));
        let callee = Box::new(Expression { kind: callee, span });
        Expression { kind: ExpressionKind::Call(callee, arguments), span }
    }

    /// A character literal of a type other than `char`.
    fn typed_character(value: i64, kind: BuiltinType, span: Span) -> ExpressionKind {
        let integer = ExpressionKind::Integer {
            value: value as u64,
            unsigned: false,
            long: 1,
            decimal: false,
        };
        Self::converted(integer, kind, span)
    }

    /// A literal, converted to the type that its prefix or suffix names.
    fn converted(literal: ExpressionKind, kind: BuiltinType, span: Span) -> ExpressionKind {
        let ty = TypeSyntax {
            base: BaseType::Builtin(kind),
            is_const: false,
            is_volatile: false,
            derived: Vec::new(),
            span,
        };
        let value = Box::new(Expression { kind: literal, span });
        ExpressionKind::Cast(CastStyle::Static, Rc::new(ty), value)
    }

    /// `(a)`, `(... + a)` and `({ ... })`.
    fn parenthesized(&mut self) -> Parsed<Expression> {
        let start = self.bump().span;
        if self.is(Punctuation::BraceOpen) {
            let statements = self.enclosed(Self::compound)?;
            self.expect(Punctuation::ParenClose, "after the statements")?;
            let kind = ExpressionKind::Statements(Rc::new(statements));
            return Ok(Expression { kind, span: start.to(self.last_span()) });
        }
        if self.eat(Punctuation::Ellipsis) {
            let Some((operator, tokens)) = self.fold_operator() else {
                return self.unexpected("an operator");
            };
            self.at += tokens;
            let right = self.enclosed(Self::unary)?;
            self.expect(Punctuation::ParenClose, "after the fold expression")?;
            let kind = ExpressionKind::Fold(operator, None, Some(Box::new(right)));
            return Ok(Expression { kind, span: start.to(self.last_span()) });
        }
        let inner = self.enclosed(Self::expression)?;
        let fold = self
            .fold_operator()
            .filter(|&(_, tokens)| self.ahead(tokens).is(Punctuation::Ellipsis));
        if let Some((operator, tokens)) = fold {
            self.at += tokens + 1;
            let mut right = None;
            if let Some((_, tokens)) = self.fold_operator() {
                self.at += tokens;
                right = Some(Box::new(self.enclosed(Self::unary)?));
            }
            self.expect(Punctuation::ParenClose, "after the fold expression")?;
            let kind = ExpressionKind::Fold(operator, Some(Box::new(inner)), right);
            return Ok(Expression { kind, span: start.to(self.last_span()) });
        }
        self.expect(Punctuation::ParenClose, "after the expression")?;
        Ok(Expression { kind: inner.kind, span: start.to(self.last_span()) })
    }

    /// The operator of a fold expression, and its number of tokens.
    fn fold_operator(&mut self) -> Option<(BinaryOperator, usize)> {
        let saved = std::mem::replace(&mut self.greater_closes, false);
        let operator = self.binary_operator();
        self.greater_closes = saved;
        match operator {
            Some((operator, _, tokens)) => Some((operator, tokens)),
            None => self.is(Punctuation::Comma).then_some((BinaryOperator::Comma, 1)),
        }
    }

    /// Parses keywords and names.
    fn word(&mut self, name: Name, start: Span) -> Parsed<Expression> {
        let style = match name {
            known::STATIC_CAST => Some(CastStyle::Static),
            known::REINTERPRET_CAST => Some(CastStyle::Reinterpret),
            known::CONST_CAST => Some(CastStyle::Const),
            known::DYNAMIC_CAST => Some(CastStyle::Dynamic),
            _ => None,
        };
        if let Some(style) = style {
            self.at += 1;
            self.expect(Punctuation::Less, "after the cast")?;
            let saved = std::mem::replace(&mut self.greater_closes, true);
            let kind = self.type_id();
            self.greater_closes = saved;
            let kind = kind?;
            self.expect(Punctuation::Greater, "after the type of the cast")?;
            self.expect(Punctuation::ParenOpen, "before the value of the cast")?;
            let value = self.enclosed(Self::expression)?;
            self.expect(Punctuation::ParenClose, "after the value of the cast")?;
            let kind = ExpressionKind::Cast(style, Rc::new(kind), Box::new(value));
            return Ok(Expression { kind, span: start.to(self.last_span()) });
        }
        let kind = match name {
            known::TRUE => ExpressionKind::Bool(true),
            known::FALSE => ExpressionKind::Bool(false),
            known::NULLPTR => ExpressionKind::Null,
            known::THIS => ExpressionKind::This,
            known::FUNCTION_PRETTY => ExpressionKind::FunctionText,
            known::FUNCTION_NAME | known::FUNCTION_GNU => {
                let text = self.names.text(self.function);
                ExpressionKind::Text(text.bytes().map(u32::from).collect(), BuiltinType::Char)
            }
            known::TYPEID => {
                let kind = self.identity()?;
                return Ok(Expression { kind, span: start.to(self.last_span()) });
            }
            known::OPERATOR => return self.name_or_construction(),
            known::DECLTYPE if self.qualifies() => return self.name_or_construction(),
            _ if name.is_keyword() => {
                let begins_type = self.look(|this| {
                    let specifiers = this.specifiers(true)?;
                    if matches!(specifiers.base, BaseType::Absent) {
                        Err(SyntaxFailure)
                    } else {
                        Ok(())
                    }
                });
                if begins_type.is_none() {
                    return self.unexpected("an expression");
                }
                let specifiers = self.specifiers(true)?;
                let kind = Self::assemble(&specifiers, Vec::new(), self.last_span());
                return self.construction(kind, start);
            }
            _ => {
                if self.is_trait(name) {
                    return self.type_trait(name, start);
                }
                return self.name_or_construction();
            }
        };
        self.at += 1;
        Ok(Expression { kind, span: start })
    }

    fn is_trait(&self, name: Name) -> bool {
        let text = self.names.text(name);
        (text.starts_with("__is_") || text.starts_with("__has_") || text == "__underlying_type")
            && self.ahead(1).is(Punctuation::ParenOpen)
            && self.scopes.kind(self.scope, name).is_none()
    }

    /// `__is_same(A, B)`.
    fn type_trait(&mut self, name: Name, start: Span) -> Parsed<Expression> {
        self.at += 2;
        let mut kinds = Vec::new();
        while !self.is(Punctuation::ParenClose) {
            kinds.push(self.enclosed(Self::type_id)?);
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::ParenClose, "after the types")?;
        let kind = ExpressionKind::Trait(name, kinds);
        Ok(Expression { kind, span: start.to(self.last_span()) })
    }

    /// `T(...)` or `T{...}`, after the type was parsed.
    fn construction(&mut self, kind: TypeSyntax, start: Span) -> Parsed<Expression> {
        let (elements, braces) = if self.is(Punctuation::BraceOpen) {
            (self.braced_elements()?, true)
        } else if self.eat(Punctuation::ParenOpen) {
            let list = self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
            (list.into_iter().map(|value| ListElement { field: None, value }).collect(), false)
        } else {
            return self.unexpected("`(` or `{` after the type");
        };
        let kind = ExpressionKind::Construct(Rc::new(kind), elements, braces);
        Ok(Expression { kind, span: start.to(self.last_span()) })
    }

    fn name_or_construction(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let had_typename = self.is_name(known::TYPENAME);
        let name = self.qualified_name()?;
        let follows = self.is(Punctuation::ParenOpen) || self.is(Punctuation::BraceOpen);
        let kind = self.kind_of(&name);
        let is_type = had_typename || self.names_type(&name);
        // `T::value` is a value if the class is unknown.
        let braces_value =
            kind.is_none() && self.is(Punctuation::BraceOpen) && name.parts.len() == 1;
        if follows && is_type && !braces_value || had_typename {
            let span = name.span;
            let kind = TypeSyntax {
                base: BaseType::Named(name),
                is_const: false,
                is_volatile: false,
                derived: Vec::new(),
                span,
            };
            return self.construction(kind, start);
        }
        if follows && kind == Some(NameKind::Namespace) {
            return self
                .report(SourceProblem::error(name.span, "this is a namespace, not a function"));
        }
        Ok(Expression { kind: ExpressionKind::Name(name), span: start.to(self.last_span()) })
    }
}
