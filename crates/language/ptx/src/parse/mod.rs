//! The parser: from PTX text to a [`Module`], by recursive descent in linear time.
//!
//! Error recovery is panic mode: after an error, the parser skips to the end of the statement and continues, so one run
//! reports several errors. Nesting is limited, so no input can exhaust the stack.
//!
//! The parser translates modules for first-generation devices (`sm_10` to `sm_13`) to current PTX. On those devices, f32
//! instructions flush subnormals, and `mad.f32` needs no rounding modifier. When ptxas compiles such a module for a later
//! device, it uses `.ftz` and fused multiply-add (verified in its machine code), so the parser adds these modifiers.

mod constants;
mod declarations;
mod elements;
mod instructions;
mod lexer;
mod module;
#[cfg(test)]
mod tests;

use crate::ast::{Instruction, Item, Location, Module, Statement};
use crate::diagnostics::{Collector, Diagnostic, Diagnostics};
use crate::instructions::Modifier::{self, Ftz, Rm, Rn, Rp, Rz, Sat, Type};
use crate::instructions::Opcode;
use crate::types::ScalarType::{F32, S32, U32};
use lexer::{Token, TokenKind};
use std::collections::HashMap;

/// Maximum nesting of blocks, braces and parentheses. Compilers stay below ten.
const DEEPEST: usize = 64;

impl Module {
    /// Parses the text of a whole module.
    ///
    /// # Errors
    /// The problems, each with its position and the expected token.
    pub fn parse(text: &str) -> Result<Module, Diagnostics> {
        let mut parser = Parser::for_text(text)?;
        let mut module = parser.module();
        translate(&mut module);
        parser.problems.finish(module)
    }
}

/// Parses the statements of a function's body: instructions, labels, declarations and `{ ... }`
/// blocks. Inline assembly consists of these.
///
/// # Errors
/// The problems, each with its position in `text` and the expected token.
pub fn parse_instructions(text: &str) -> Result<Vec<Statement>, Diagnostics> {
    let mut parser = Parser::for_text(text)?;
    let mut statements = Vec::new();
    loop {
        parser.statements(&mut statements);
        if parser.kind() == TokenKind::End {
            return parser.problems.finish(statements);
        }
        parser
            .report("`}` without a matching `{`", Some("remove it, or add the `{` it belongs to"));
        parser.advance();
    }
}

/// The parser reported a problem and abandoned the construct.
struct ParseFailed;

type Parsed<T> = Result<T, ParseFailed>;

/// The tokens, the current position, and the state of the parse.
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    problems: Collector,
    /// Position of the last `.loc` of this function.
    location: Option<Location>,
    /// Whether operands of the current instruction are memory contents rather than addresses.
    accesses: bool,
    /// The `.target` of the module.
    target: Option<crate::ast::Target>,
    /// Whether the current operand is inside braces or parentheses.
    part_of_vector: bool,
    /// The bytes of one element of each array in scope.
    arrays: HashMap<&'a str, u32>,
    /// The previous entry of `arrays` for each declaration, restored at the end of its block.
    shadowed: Vec<(&'a str, Option<u32>)>,
    /// The registers in scope: name, number if it is a list, and bytes.
    registers: Vec<(&'a str, Option<u32>, u32)>,
    /// The elements with a register as index that the current instruction accesses.
    indexed: Vec<Indexed>,
}

/// An element whose index is a register.
struct Indexed {
    array: String,
    register: String,
    /// Whether the register has 64 bits.
    wide: bool,
    /// Bytes of an element.
    bytes: u32,
}

impl<'a> Parser<'a> {
    /// A parser for a text. An unclosed comment is an error here, because it hides the rest of the text and would cause
    /// misleading problems.
    fn for_text(text: &'a str) -> Result<Parser<'a>, Diagnostics> {
        let mut parser = Parser::new(text);
        let open = parser.tokens.iter().rev().nth(1).filter(|t| t.kind == TokenKind::OpenComment);
        if let Some(open) = open.copied() {
            let help = "close it with `*/`; comments do not nest";
            parser.report_at(open, "this comment is never closed", Some(help));
            std::mem::take(&mut parser.problems).finish(())?;
        }
        Ok(parser)
    }

    fn new(text: &'a str) -> Self {
        let fits = u32::try_from(text.len()).is_ok();
        let text = if fits { text } else { "" };
        let tokens = lexer::tokens(text);
        let mut parser = Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            problems: Collector::default(),
            location: None,
            accesses: false,
            target: None,
            part_of_vector: false,
            arrays: HashMap::new(),
            shadowed: Vec::new(),
            registers: Vec::new(),
            indexed: Vec::new(),
        };
        if !fits {
            parser.report("the text is longer than 4 GiB", Some("split the module"));
        }
        parser
    }

    /// The current token.
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The token `ahead` tokens after the current one, at most `End`.
    fn ahead(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn spelling_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn spelling(&self) -> &'a str {
        self.spelling_of(self.token())
    }

    /// Whether the current token directly follows the one before it.
    fn touches(&self) -> bool {
        self.at > 0 && self.tokens[self.at - 1].end == self.token().start
    }

    /// Consumes the current token, but never the end.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, mark: u8) -> bool {
        self.kind() == TokenKind::Punctuation(mark)
    }

    /// Whether the current token is this dotted word.
    fn is_dotted(&self, word: &str) -> bool {
        self.kind() == TokenKind::Dotted && self.spelling() == word
    }

    /// Consumes the punctuation mark if it is the current token.
    fn eat(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the punctuation mark, or reports that it was expected `after` something.
    fn expect(&mut self, mark: u8, after: &str) -> Parsed<()> {
        if self.eat(mark) {
            return Ok(());
        }
        let wanted = format!("`{}` {after}", char::from(mark));
        Err(self.expected(&wanted, None))
    }

    /// Consumes the semicolon after a statement. If it is missing and the next token is on another line, reports that
    /// and continues as if the semicolon were there.
    fn semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.eat(b';') {
            return Ok(());
        }
        let before = self.tokens[self.at.saturating_sub(1)];
        if self.kind() != TokenKind::End && self.token().line == before.line {
            return Err(self.expected(&format!("`;` {after}"), None));
        }
        let end = Token { start: before.end, ..before };
        self.report_at(end, format!("expected `;` {after}"), Some("end the line with `;`"));
        Ok(())
    }

    /// A name, without any dotted suffix.
    fn word(&mut self, what: &str) -> Parsed<&'a str> {
        if self.kind() != TokenKind::Word {
            return Err(self.expected(what, None));
        }
        let word = self.spelling();
        self.advance();
        Ok(word)
    }

    /// Items separated by commas, up to and including `close`.
    fn list<T>(
        &mut self,
        close: u8,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(b',') {
                let wanted = format!("`,` or `{}` in {what}", char::from(close));
                return Err(self.expected(&wanted, None));
            }
        }
    }

    /// Runs `inner` one level deeper, or reports that the nesting is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            let help = "flatten the braces or parentheses";
            return Err(self.report("nested more than 64 levels deep", Some(help)));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The tokens from `first` up to the current one as text, without comments and with single
    /// blanks.
    fn normalized(&self, first: usize) -> String {
        let mut words = String::new();
        for (index, token) in self.tokens[first..self.at].iter().enumerate() {
            if index > 0 && self.tokens[first + index - 1].end != token.start {
                words.push(' ');
            }
            words.push_str(self.spelling_of(*token));
        }
        words
    }

    /// Skips to the end of the statement that began at token `first`: past its `;`, or to the `}`
    /// of the enclosing block.
    fn skip_statement(&mut self, first: usize) {
        if self.kind() == TokenKind::End {
            return; // Rescanning from `first` would read an unclosed block again at every enclosing level.
        }
        self.at = first;
        let mut open = 0;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Punctuation(b'{') => open += 1,
                TokenKind::Punctuation(b'}') if open == 0 => return,
                TokenKind::Punctuation(b'}') => open -= 1,
                TokenKind::Punctuation(b';') => return self.advance(),
                _ => {}
            }
            self.advance();
        }
    }

    /// Reports that `wanted` was expected at the current token.
    fn expected(&mut self, wanted: &str, help: Option<&str>) -> ParseFailed {
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Unknown if self.spelling().starts_with('"') => {
                "an unfinished string".to_owned()
            }
            TokenKind::Unknown => {
                format!("`{}`, which PTX does not use", self.spelling().escape_debug())
            }
            _ => format!("`{}`", shortened(self.spelling())),
        };
        self.report(format!("expected {wanted}, found {found}"), help)
    }

    /// Reports a problem at the current token.
    fn report(&mut self, message: impl Into<String>, help: Option<&str>) -> ParseFailed {
        self.report_at(self.token(), message, help)
    }

    /// Reports a problem at `token`.
    fn report_at(
        &mut self,
        token: Token,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ParseFailed {
        let (text, start) = (self.text, token.start as usize);
        self.problems.push(|| {
            let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
            let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
            Diagnostic {
                file: None,
                line: token.line as usize,
                column: text[line_start..start].chars().count() + 1,
                width: text[start..token.end as usize].chars().count().max(1),
                message: message.into(),
                help: help.map(str::to_owned),
                source_line: text[line_start..line_end].trim_end_matches('\r').to_owned(),
            }
        });
        ParseFailed
    }
}

/// At most forty characters of a token, for a message.
fn shortened(spelling: &str) -> String {
    match spelling.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &spelling[..end]),
        None => spelling.to_owned(),
    }
}

/// The first architecture of the second generation.
const SECOND: u32 = 20;

/// f32 instructions that flush subnormals on those devices and accept `.ftz`.
const FLUSHED: &[Opcode] = {
    use Opcode::*;
    &[
        Add, Sub, Mul, Mad, Fma, Div, Abs, Neg, Min, Max, Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2,
        Set, Setp,
    ]
};

/// Adds the implied modifiers.
fn translate(module: &mut Module) {
    if module.target.architecture >= SECOND {
        return;
    }
    for item in &mut module.items {
        if let Item::Function(function) = item {
            statements(function.body.as_deref_mut().unwrap_or_default());
        }
    }
}

fn statements(list: &mut [Statement]) {
    for statement in list {
        match statement {
            Statement::Instruction(one) => instruction(one),
            Statement::Block(inner) => statements(inner),
            _ => {}
        }
    }
}

fn instruction(instruction: &mut Instruction) {
    let is_f32 = instruction.modifiers.last() == Some(&Type(F32));
    let rounds = [Rn, Rz, Rm, Rp].iter().any(|rounding| instruction.has(*rounding));
    let flushes = !instruction.has(Ftz);
    // Validation rejects unknown words.
    if !is_f32 || !FLUSHED.contains(&instruction.opcode) || instruction.unknown_name.is_some() {
        return;
    }
    let modifiers = &mut instruction.modifiers;
    if instruction.opcode == Opcode::Mad && !rounds {
        modifiers.insert(0, Rn);
    }
    if flushes {
        let after = |modifier: &Modifier| matches!(modifier, Sat | Type(F32 | U32 | S32));
        let at = modifiers.iter().position(after).unwrap_or(modifiers.len());
        modifiers.insert(at, Ftz);
    }
}
