//! Parses statements, and decides whether a statement is a declaration.

use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Name, Punctuation, TokenKind, known};
use crate::source::SourceProblem;
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// `{ statements }`.
    pub(super) fn compound(&mut self) -> Parsed<Vec<Statement>> {
        let open = self.expect(Punctuation::BraceOpen, "before the statements")?;
        let outer = self.enter();
        let mut list = Vec::new();
        let result = loop {
            if self.eat(Punctuation::BraceClose) {
                break Ok(());
            }
            if self.peek() == TokenKind::End {
                let problem = SourceProblem::error(open, "this `{` is never closed");
                break self.report(problem.label("opened here"));
            }
            let before = self.at;
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(SyntaxFailure) if self.trials > 0 => break Err(SyntaxFailure),
                Err(SyntaxFailure) => {
                    self.recover(before);
                    // Names that the invalid statement declares stay unknown; see `Invalid`.
                    list.push(Statement { kind: StatementKind::Invalid, span: self.last_span() });
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        };
        self.leave(outer);
        result.map(|()| list)
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(Self::statement_inner)
    }

    fn statement_inner(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let unroll = self.unroll()?;
        let token = self.token();
        if self.is(Punctuation::BracketOpen) && self.ahead(1).is(Punctuation::BracketOpen) {
            self.attributes(&mut Specifiers::default())?;
            return self.statement();
        }
        let kind = match token.kind {
            TokenKind::Punctuation(Punctuation::Semicolon) => {
                self.at += 1;
                StatementKind::Empty
            }
            TokenKind::Punctuation(Punctuation::BraceOpen) => {
                StatementKind::Block(self.compound()?)
            }
            TokenKind::Identifier(name) => match self.keyword_statement(name, unroll)? {
                Some(kind) => kind,
                None => self.plain_statement()?,
            },
            _ => self.plain_statement()?,
        };
        Ok(Statement { kind, span: start.to(self.last_span()) })
    }

    fn keyword_statement(
        &mut self,
        name: Name,
        unroll: Option<UnrollSyntax>,
    ) -> Parsed<Option<StatementKind>> {
        Ok(Some(match name {
            known::IF => self.if_statement()?,
            known::FOR => {
                let outer = self.enter();
                let result = self.for_statement(unroll);
                self.leave(outer);
                result?
            }
            known::WHILE => {
                self.at += 1;
                let outer = self.enter();
                let result = self.condition("while").and_then(|condition| {
                    Ok(StatementKind::While(condition, Box::new(self.statement()?), unroll))
                });
                self.leave(outer);
                result?
            }
            known::DO => {
                self.at += 1;
                let body = Box::new(self.statement()?);
                if !self.eat_name(known::WHILE) {
                    return self.unexpected("`while` after the body of `do`");
                }
                self.expect(Punctuation::ParenOpen, "after `while`")?;
                let condition = self.enclosed(Self::expression)?;
                self.expect(Punctuation::ParenClose, "after the condition")?;
                self.expect(Punctuation::Semicolon, "after `do ... while`")?;
                StatementKind::DoWhile(body, condition, unroll)
            }
            known::SWITCH => {
                self.at += 1;
                let outer = self.enter();
                let result = self.switch_rest();
                self.leave(outer);
                result?
            }
            known::CASE => {
                self.at += 1;
                let value = self.conditional()?;
                let last =
                    if self.eat(Punctuation::Ellipsis) { Some(self.conditional()?) } else { None };
                self.expect(Punctuation::Colon, "after the value of `case`")?;
                StatementKind::Case(value, last, Box::new(self.labeled()?))
            }
            known::DEFAULT => {
                self.at += 1;
                self.expect(Punctuation::Colon, "after `default`")?;
                StatementKind::Default(Box::new(self.labeled()?))
            }
            known::BREAK | known::CONTINUE => {
                self.at += 1;
                self.expect(Punctuation::Semicolon, "after the statement")?;
                if name == known::BREAK { StatementKind::Break } else { StatementKind::Continue }
            }
            known::RETURN => {
                self.at += 1;
                let value = if self.is(Punctuation::Semicolon) {
                    None
                } else if self.is(Punctuation::BraceOpen) {
                    Some(self.braced()?)
                } else {
                    Some(self.expression()?)
                };
                self.expect(Punctuation::Semicolon, "after `return`")?;
                StatementKind::Return(value)
            }
            known::GOTO => {
                self.at += 1;
                let Some(label) = self.identifier() else { return self.unexpected("a label") };
                self.at += 1;
                self.expect(Punctuation::Semicolon, "after `goto`")?;
                StatementKind::Goto(label)
            }
            known::ELSE => {
                let problem = SourceProblem::error(self.span(), "`else` without `if`");
                return self.report(
                    problem.help("a `;` after the `if` or a missing `{` may be the cause"),
                );
            }
            known::TRY => {
                self.at += 1;
                let body = self.compound()?;
                StatementKind::Try(body, self.handlers()?)
            }
            known::ASM | known::ASM_GNU | known::ASM_SHORT => {
                StatementKind::Asm(Rc::new(self.asm()?))
            }
            _ if !name.is_keyword()
                && self.ahead(1).is(Punctuation::Colon)
                && !self.ahead(2).is(Punctuation::Colon) =>
            {
                self.at += 2;
                StatementKind::Label(name, Box::new(self.labeled()?))
            }
            _ => return Ok(None),
        }))
    }

    /// The handlers after a `try` block.
    pub(super) fn handlers(&mut self) -> Parsed<Vec<HandlerSyntax>> {
        let mut handlers = Vec::new();
        while self.is_name(known::CATCH) {
            let outer = self.enter();
            let handler = self.handler();
            self.leave(outer);
            handlers.push(handler?);
        }
        Ok(handlers)
    }

    /// The statement after a label; an empty statement before `}`.
    fn labeled(&mut self) -> Parsed<Statement> {
        if self.is(Punctuation::BraceClose) {
            return Ok(Statement { kind: StatementKind::Empty, span: self.span() });
        }
        self.statement()
    }

    /// A declaration or an expression.
    pub(super) fn plain_statement(&mut self) -> Parsed<StatementKind> {
        if self.begins_declaration() {
            let mut items = Vec::new();
            self.in_class(None, |this| this.declaration(&mut items))?;
            return Ok(StatementKind::Declaration(items));
        }
        let value = self.expression()?;
        self.expect(Punctuation::Semicolon, "after the expression")?;
        Ok(StatementKind::Expression(value))
    }

    /// Whether a declaration starts at the cursor.
    pub(super) fn begins_declaration(&mut self) -> bool {
        let token = self.token();
        if token.is(Punctuation::ColonColon) {
            return self.name_begins_declaration();
        }
        let Some(name) = token.name() else { return false };
        match name {
            known::VOID
            | known::BOOL
            | known::CHAR
            | known::INT
            | known::FLOAT
            | known::DOUBLE
            | known::LONG
            | known::SHORT
            | known::UNSIGNED
            | known::SIGNED
            | known::WCHAR => {
                let mut after = 1;
                while self.ahead(after).name().is_some_and(|name| {
                    matches!(
                        name,
                        known::INT | known::LONG | known::CHAR | known::SHORT | known::UNSIGNED
                    )
                }) {
                    after += 1;
                }
                let next = self.ahead(after);
                if next.is(Punctuation::BraceOpen) {
                    return false;
                }
                if !next.is(Punctuation::ParenOpen) {
                    return true;
                }
                let inside = self.ahead(after + 1);
                let member = |this: &mut Self| {
                    this.at += after;
                    if this.looks_like_member_pointer() { Ok(()) } else { Err(SyntaxFailure) }
                };
                inside.is(Punctuation::Star)
                    || inside.is(Punctuation::And)
                    || self.look(member).is_some()
            }
            known::TYPENAME => true,
            known::TRUE
            | known::FALSE
            | known::NULLPTR
            | known::THIS
            | known::SIZEOF
            | known::ALIGNOF
            | known::NEW
            | known::DELETE
            | known::STATIC_CAST
            | known::REINTERPRET_CAST
            | known::CONST_CAST
            | known::DYNAMIC_CAST
            | known::OPERATOR
            | known::THROW
            | known::NOEXCEPT
            | known::TYPEID
            | known::EXTENSION => false,
            _ if name.is_keyword() => true,
            _ => self.name_begins_declaration(),
        }
    }

    fn name_begins_declaration(&mut self) -> bool {
        self.look(|this| {
            let name = this.qualified_name()?;
            let next = this.token();
            let is_type = this.names_type(&name);
            let unknown = this.kind_of(&name).is_none();
            Ok(match next.kind {
                TokenKind::Identifier(word) => {
                    !word.is_keyword() && (is_type || unknown)
                        || is_type
                            && matches!(
                                word,
                                known::CONST
                                    | known::VOLATILE
                                    | known::RESTRICT
                                    | known::RESTRICT_SHORT
                                    | known::SHARED
                                    | known::DEVICE
                                    | known::CONSTEXPR
                                    | known::STATIC
                            )
                        || matches!(word, known::CONST)
                }
                TokenKind::Punctuation(
                    Punctuation::Star | Punctuation::And | Punctuation::AndAnd,
                ) => {
                    let after = this.ahead(1);
                    let ends = this.ahead(2);
                    is_type
                        || unknown
                            && after.name().is_some_and(|name| !name.is_keyword())
                            && (ends.is(Punctuation::Assign) || ends.is(Punctuation::Semicolon))
                }
                TokenKind::Punctuation(Punctuation::ParenOpen) => {
                    is_type && this.looks_like_member_pointer()
                        || is_type
                            && (this.ahead(1).is(Punctuation::Star)
                                || this.ahead(1).is(Punctuation::And))
                            && this.ahead(2).name().is_some()
                            && this.ahead(3).is(Punctuation::ParenClose)
                            && (this.ahead(4).is(Punctuation::BracketOpen)
                                || this.ahead(4).is(Punctuation::ParenOpen))
                }
                _ => false,
            })
        })
        .unwrap_or(false)
    }

    fn asm(&mut self) -> Parsed<AsmSyntax> {
        self.at += 1;
        let mut is_volatile = false;
        while matches!(
            self.peek(),
            TokenKind::Identifier(
                known::VOLATILE | known::VOLATILE_GNU | known::INLINE | known::GOTO
            )
        ) {
            is_volatile = true;
            self.at += 1;
        }
        self.expect(Punctuation::ParenOpen, "after `asm`")?;
        let text = self.string()?;
        let mut asm =
            AsmSyntax { is_volatile, text, outputs: Vec::new(), inputs: Vec::new(), memory: false };
        let mut section = 0;
        loop {
            if self.eat(Punctuation::Colon) {
                section += 1;
            } else if self.eat(Punctuation::ColonColon) {
                section += 2;
            } else if self.eat(Punctuation::Comma) {
            } else {
                break;
            }
            if !matches!(self.peek(), TokenKind::Text(_)) {
                continue;
            }
            let constraint = self.string()?;
            if section >= 3 {
                asm.memory |= constraint == "memory";
                continue;
            }
            self.expect(Punctuation::ParenOpen, "after the constraint")?;
            let value = self.enclosed(Self::expression)?;
            self.expect(Punctuation::ParenClose, "after the operand")?;
            let operand = AsmOperandSyntax { constraint, value };
            if section == 1 { asm.outputs.push(operand) } else { asm.inputs.push(operand) }
        }
        self.expect(Punctuation::ParenClose, "after the operands of `asm`")?;
        self.expect(Punctuation::Semicolon, "after `asm`")?;
        Ok(asm)
    }
}
