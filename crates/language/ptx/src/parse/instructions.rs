//! Statements of a function's body: labels, instructions with their operands, blocks.

use super::lexer::TokenKind;
use super::{Parsed, Parser};
use crate::ast::*;
use crate::instructions::{Modifier, Opcode};
use crate::types::StateSpace;

impl<'a> Parser<'a> {
    /// Statements up to the `}` of the enclosing block, or the end of the text.
    pub(super) fn statements(&mut self, statements: &mut Vec<Statement>) {
        while !matches!(self.kind(), TokenKind::End | TokenKind::Punctuation(b'}')) {
            let first = self.at;
            if self.statement(statements).is_err() {
                self.skip_statement(first);
            }
        }
    }

    /// `{ statements }`, starting at the open brace.
    pub(super) fn body(&mut self) -> Parsed<Vec<Statement>> {
        let open = self.token();
        self.nested(|p| {
            p.advance();
            let (mut statements, outer) = (Vec::new(), p.shadowed.len());
            let registers = p.registers.len();
            p.statements(&mut statements);
            p.registers.truncate(registers);
            for (name, former) in p.shadowed.drain(outer..).rev() {
                match former {
                    Some(bytes) => p.arrays.insert(name, bytes),
                    None => p.arrays.remove(name),
                };
            }
            if !p.eat(b'}') {
                let help = "close it with `}`; the text may be truncated";
                return Err(p.report_at(open, "this `{` is never closed", Some(help)));
            }
            Ok(statements)
        })
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        match self.kind() {
            TokenKind::Punctuation(b'{') => statements.push(Statement::Block(self.body()?)),
            TokenKind::Dotted => self.body_directive(statements)?,
            TokenKind::Word if self.ahead(1).kind == TokenKind::Punctuation(b':') => {
                statements.push(Statement::Label(self.spelling().to_owned()));
                self.advance();
                self.advance();
            }
            TokenKind::Word | TokenKind::Punctuation(b'@') => {
                let instruction = self.instruction()?;
                statements.push(self.with_elements(instruction));
            }
            _ => return Err(self.expected("an instruction, a label or a directive", None)),
        }
        Ok(())
    }

    fn body_directive(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let word = &self.spelling()[1..];
        match word {
            "reg" => statements.push(Statement::Registers(self.registers()?)),
            "loc" => {
                let location = self.loc()?;
                if self.instruction_before_next_loc() {
                    self.location = Some(location);
                } else {
                    // A later `inlined_at` may refer to it, and ptxas requires it to come first.
                    statements.push(Statement::Directive(location.to_string()));
                }
            }
            "target" if self.target.is_some() => {
                self.target()?;
            }
            "extern" | "visible" | "weak" | "common" => {
                let help = "remove it, or declare the variable at module scope";
                return Err(self.report("a variable in a body has no linkage", Some(help)));
            }
            _ if StateSpace::from_name(word).is_some() => {
                self.variables(Linkage::Internal, |v| statements.push(Statement::Variable(v)))?;
            }
            _ => statements.push(Statement::Directive(self.directive_words()?)),
        }
        Ok(())
    }

    /// Whether an instruction follows in this function before the next `.loc`.
    fn instruction_before_next_loc(&self) -> bool {
        let mut depth = self.depth;
        let mut at = self.at;
        loop {
            let token = self.tokens[at];
            match token.kind {
                TokenKind::Word if self.tokens[at + 1].kind == TokenKind::Punctuation(b':') => {
                    at += 1
                }
                TokenKind::Word | TokenKind::Punctuation(b'@') => return true,
                TokenKind::Punctuation(b'{') => depth += 1,
                TokenKind::Punctuation(b'}') if depth > 1 => depth -= 1,
                TokenKind::Punctuation(b'}') | TokenKind::End => return false,
                // Any other directive, which is not an instruction.
                TokenKind::Dotted => loop {
                    if self.tokens[at].kind == TokenKind::End
                        || self.spelling_of(self.tokens[at]) == ".loc"
                    {
                        return false;
                    }
                    if self.tokens[at].kind == TokenKind::Punctuation(b';') {
                        break;
                    }
                    at += 1;
                },
                _ => {}
            }
            at += 1;
        }
    }

    /// A directive as text without its semicolon. Consumes the semicolon.
    pub(super) fn directive_words(&mut self) -> Parsed<String> {
        let first = self.at;
        while !matches!(
            self.kind(),
            TokenKind::End | TokenKind::Punctuation(b';' | b'{' | b'}') | TokenKind::Unknown
        ) {
            self.advance();
        }
        let words = self.normalized(first);
        self.expect(b';', "after the directive")?;
        Ok(words)
    }

    /// `.loc 1 5 3, function_name $L__info_string0, inlined_at 1 9 7`.
    pub(super) fn loc(&mut self) -> Parsed<Location> {
        self.advance();
        let file = self.plain_number("a file number")?;
        let line = self.plain_number("a line number")?;
        let column = if self.kind() == TokenKind::Number {
            self.plain_number("a column number")?
        } else {
            0
        };
        let first = self.at + 1;
        while self.is(b',') {
            self.advance();
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("a label")?;
                    self.offset()?;
                }
                "inlined_at" => {
                    for what in ["a file number", "a line number", "a column number"] {
                        self.plain_number(what)?;
                    }
                }
                word => {
                    let message = format!("`.loc` has no `{word}`");
                    let help = "it has `function_name` and `inlined_at`";
                    return Err(self.report(message, Some(help)));
                }
            }
        }
        let inlined = (self.at > first).then(|| self.normalized(first));
        Ok(Location { file, line, column, inlined })
    }

    /// A literal without an operator after it.
    pub(super) fn plain_number(&mut self, what: &str) -> Parsed<u32> {
        let value =
            if self.kind() == TokenKind::Number { self.spelling().parse().ok() } else { None };
        match value {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => Err(self.expected(what, None)),
        }
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let guard = self.guard()?;
        let text_line = self.token().line;
        let first = self.at;
        let word = self.word("an instruction")?;
        if word.starts_with(['%', '$', '_']) {
            self.at -= 1;
            return Err(self.expected("an instruction, a label or a directive", None));
        }
        let opcode = Opcode::from_name(word);
        let mut modifiers = Vec::new();
        while self.kind() == TokenKind::Dotted && self.token().line == text_line {
            modifiers.push(Modifier::from_word(&self.spelling()[1..]));
            self.advance();
        }
        let known = opcode != Opcode::Unknown && !modifiers.contains(&Modifier::Unknown);
        let words = self.tokens[first..self.at].iter().map(|token| self.spelling_of(*token));
        let unknown_name = if known { None } else { Some(words.collect()) };
        let call = opcode == Opcode::Call;
        self.accesses =
            matches!(opcode, Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Atom | Opcode::Red);
        let mut operands = Vec::new();
        self.indexed.clear();
        if !matches!(self.kind(), TokenKind::Punctuation(b';' | b'}') | TokenKind::Dotted) {
            operands.push(self.operand(call)?);
            while self.eat(b',') {
                operands.push(self.operand(call)?);
            }
        }
        self.semicolon("after the instruction")?;
        let location = self.location.clone();
        Ok(Instruction { guard, opcode, modifiers, unknown_name, operands, location, text_line })
    }

    /// `@p` or `@!p`, if there is one.
    fn guard(&mut self) -> Parsed<Option<Guard>> {
        if !self.eat(b'@') {
            return Ok(None);
        }
        let negated = self.eat(b'!');
        let register = self.word("a predicate register after `@`")?.to_owned();
        Ok(Some(Guard { register, negated }))
    }

    /// A name with the dotted suffixes directly after it: `%tid.x`, `%v.y`.
    fn dotted_name(&mut self, what: &str) -> Parsed<String> {
        let mut name = self.word(what)?.to_owned();
        while self.kind() == TokenKind::Dotted && self.touches() {
            name.push_str(self.spelling());
            self.advance();
        }
        Ok(name)
    }

    /// An operand; parentheses hold arguments in a `call` and an expression elsewhere.
    fn operand(&mut self, call: bool) -> Parsed<Operand> {
        match self.kind() {
            TokenKind::Word if self.spelling() != "WARP_SZ" => self.named_operand(),
            TokenKind::Punctuation(b'!') if self.ahead(1).kind == TokenKind::Word => {
                self.advance();
                Ok(Operand::Not(self.dotted_name("a predicate register after `!`")?))
            }
            TokenKind::Punctuation(b'{') => {
                let vector = self.nested(|p| {
                    p.advance();
                    Ok(Operand::Vector(p.list(b'}', "the vector", Self::part)?))
                })?;
                if !self.eat(b'|') {
                    return Ok(vector);
                }
                let second = self.dotted_name("a predicate after `|`")?;
                Ok(Operand::Pair(Box::new(vector), Box::new(second.into())))
            }
            TokenKind::Punctuation(b'[') => self.nested(Self::address),
            TokenKind::Punctuation(b'(') if call => self.nested(|p| {
                p.advance();
                Ok(Operand::Arguments(p.list(b')', "the arguments", Self::part)?))
            }),
            TokenKind::Punctuation(b'-') if self.ahead(1).kind == TokenKind::Word => {
                let help = "negate it with `neg` into another register first";
                Err(self.report("a register operand cannot be negated", Some(help)))
            }
            TokenKind::Number
            | TokenKind::Punctuation(b'-' | b'+' | b'~' | b'!' | b'(')
            | TokenKind::Word => Ok(Operand::Immediate(self.constant()?)),
            _ => Err(self.expected("an operand", None)),
        }
    }

    /// An operand inside braces, or an argument of a call. These cannot add a constant.
    fn part(&mut self) -> Parsed<Operand> {
        let outer = std::mem::replace(&mut self.part_of_vector, true);
        let operand = self.operand(false);
        self.part_of_vector = outer;
        operand
    }

    fn named_operand(&mut self) -> Parsed<Operand> {
        let name = self.dotted_name("a name")?;
        if self.eat(b'|') {
            let second = self.dotted_name("a register after `|`")?;
            return Ok(Operand::Pair(Box::new(name.into()), Box::new(second.into())));
        }
        if self.is(b'[') {
            return self.element(name);
        }
        if !self.is(b'+') && !self.is(b'-') {
            return Ok(Operand::Name(name));
        }
        // As in ptxas, `%tid.x + 1`, `v.x + 1` and `{a + 1, b}` are not operands.
        if self.part_of_vector || name.contains('.') {
            let what =
                if self.part_of_vector { "an element of a vector" } else { "a part of a vector" };
            let help = "add it in a separate instruction first";
            return Err(self.report(format!("{what} cannot be offset by a constant"), Some(help)));
        }
        Ok(match self.offset()? {
            0 => Operand::Name(name),
            offset => Operand::Offset(name, offset),
        })
    }

    /// `[base+offset, extra, ...]`, starting at the open bracket.
    fn address(&mut self) -> Parsed<Operand> {
        self.advance();
        let base = match self.kind() {
            TokenKind::Word => AddressBase::Name(self.word("a base")?.to_owned()),
            TokenKind::Number => AddressBase::Absolute(self.absolute()?),
            _ => return Err(self.expected("a register, a variable or an address", None)),
        };
        let offset = self.offset()?;
        let mut extra = Vec::new();
        if !self.eat(b']') {
            if !self.eat(b',') {
                return Err(self.expected("`]` or `,` after the address", None));
            }
            extra = self.list(b']', "the address", |p| p.operand(false))?;
        }
        Ok(Operand::Address(Address { base, offset, extra }))
    }
}
