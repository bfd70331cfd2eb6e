//! The parser: recursive descent, with backtracking where C++ is ambiguous.
//!
//! Function bodies are stored as token ranges and parsed on demand. So bodies of host functions and of unused
//! header functions cost nothing, and members may be used before they are declared.

mod control;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod names;
mod primary;
mod records;
mod scopes;
mod statements;
mod types;

pub use scopes::ParserScopes;

use crate::lex::{Interner, Name, Punctuation, Token, TokenKind, known};
use crate::source::{Problems, SourceMap, SourceProblem, Span};
use crate::syntax::*;
use std::collections::HashMap;
use std::rc::Rc;

/// An error was already reported; the caller recovers or fails.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxFailure;

/// The result of a parse function.
pub type Parsed<T> = Result<T, SyntaxFailure>;

/// Maximum nesting depth of expressions, statements and types.
const DEEPEST: usize = 256;

/// The parser and its symbol table.
pub struct Parser {
    tokens: Rc<[Token]>,
    at: usize,
    /// Positions of `#pragma unroll`: by the token that it precedes, its name and the index of its own tokens.
    pragmas: HashMap<usize, (Name, usize)>,
    scopes: ParserScopes,
    scope: usize,
    /// Whether `>` ends a template argument list.
    greater_closes: bool,
    depth: usize,
    /// Number of nested trial parses.
    trials: usize,
    /// Remaining work for trial parses.
    budget: usize,
    extern_c: bool,
    /// The name of the class that is being parsed, by which constructors are recognized.
    class: Option<Name>,
    /// The value of `__func__`.
    function: Name,
    /// Where `#pragma pack` sets the largest alignment of members, and that alignment; 0 for none.
    packs: Vec<(usize, u8)>,
    /// All interned names.
    pub names: Interner,
    /// All reported problems.
    pub problems: Problems,
    /// All source files.
    pub map: SourceMap,
}

impl Parser {
    /// Creates a parser for the tokens of a translation unit; the last one is [`TokenKind::End`].
    pub fn new(tokens: Vec<Token>, names: Interner, problems: Problems, map: SourceMap) -> Parser {
        let (mut kept, mut aside, mut pragmas) =
            (Vec::with_capacity(tokens.len()), Vec::new(), Vec::new());
        let mut packs = Vec::new();
        let mut rest = tokens.into_iter();
        while let Some(token) = rest.next() {
            if token.kind != TokenKind::Pragma {
                kept.push(token);
                continue;
            }
            let name = rest.next().and_then(|token| token.name()).unwrap_or(known::UNROLL);
            if name == known::PACK {
                let most = rest.next().map_or(TokenKind::End, |token| token.kind);
                if let TokenKind::Number(text) = most {
                    packs.push((kept.len(), names.text(text).parse().unwrap_or(0)));
                }
                rest.next();
                continue;
            }
            pragmas.push((kept.len(), name, aside.len()));
            for token in rest.by_ref() {
                aside.push(token);
                if token.kind == TokenKind::End {
                    break;
                }
            }
        }
        let count = kept.len();
        let pragmas = pragmas.into_iter().map(|(at, name, start)| (at, (name, count + start)));
        let pragmas = pragmas.collect();
        kept.extend(aside);
        Parser {
            tokens: kept.into(),
            at: 0,
            pragmas,
            scopes: ParserScopes::new(),
            scope: 0,
            greater_closes: false,
            depth: 0,
            trials: 0,
            budget: 4_000_000,
            extern_c: false,
            class: None,
            function: known::EMPTY,
            packs,
            names,
            problems,
            map,
        }
    }

    /// Parses the translation unit.
    pub fn unit(&mut self) -> Vec<Declaration> {
        let mut items = Vec::new();
        while self.peek() != TokenKind::End && !self.problems.full() {
            let before = self.at;
            match self.declaration(&mut items) {
                Ok(()) => {}
                Err(SyntaxFailure) => self.recover(before),
            }
            if self.at == before {
                let _: Parsed<()> = self.unexpected("a declaration");
                self.bump();
            }
        }
        items
    }

    /// Whether two functions have bodies of the same tokens after preprocessing, without `static` variables.
    pub fn same_body(&self, a: &FunctionSyntax, b: &FunctionSyntax) -> bool {
        let (Some(a), Some(b)) = (a.body, b.body) else { return false };
        let kinds = |body: BodyTokens| {
            let tokens = self.tokens.get(body.start..body.end).unwrap_or_default();
            tokens.iter().map(|token| token.kind)
        };
        kinds(a).eq(kinds(b)) && !kinds(a).any(|kind| kind == TokenKind::Identifier(known::STATIC))
    }

    /// Parses the body of a function.
    pub fn body(&mut self, function: &FunctionSyntax) -> Option<Rc<FunctionBody>> {
        if let Some(parsed) = function.parsed.get() {
            return parsed.clone();
        }
        let tokens = function.body?;
        let parse = || {
            let saved = (self.at, self.scope, self.greater_closes, self.depth);
            (self.at, self.scope, self.greater_closes) = (tokens.start, tokens.scope, false);
            let named = std::mem::replace(&mut self.function, function.name.last().name);
            let scope = self.enter();
            for parameter in &function.signature.parameters {
                if let Some(name) = parameter.name {
                    self.scopes.declare(self.scope, name, scopes::NameKind::Value);
                }
            }
            let body = self.function_body().ok();
            self.leave(scope);
            (self.at, self.scope, self.greater_closes, self.depth) = saved;
            self.function = named;
            body.map(Rc::new)
        };
        function.parsed.get_or_init(parse).clone()
    }

    fn token(&self) -> Token {
        let end = Token {
            kind: TokenKind::End,
            span: Span::default(),
            spaced: true,
            starts_line: true,
            frozen: false,
        };
        self.tokens.get(self.at).or(self.tokens.last()).copied().unwrap_or(end)
    }

    fn peek(&self) -> TokenKind {
        self.token().kind
    }

    fn ahead(&self, count: usize) -> Token {
        self.tokens.get(self.at + count).copied().unwrap_or_else(|| self.token())
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The position of the last token read.
    fn last_span(&self) -> Span {
        self.tokens.get(self.at.wrapping_sub(1)).map_or(Span::default(), |token| token.span)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is(&self, punctuation: Punctuation) -> bool {
        self.token().is(punctuation)
    }

    fn is_name(&self, name: Name) -> bool {
        self.token().is_name(name)
    }

    fn eat(&mut self, punctuation: Punctuation) -> bool {
        let found = self.is(punctuation);
        if found {
            self.at += 1;
        }
        found
    }

    fn eat_name(&mut self, name: Name) -> bool {
        let found = self.is_name(name);
        if found {
            self.at += 1;
        }
        found
    }

    /// The identifier at the cursor, if it is not a keyword.
    fn identifier(&self) -> Option<Name> {
        self.token().name().filter(|name| !name.is_keyword())
    }

    fn expect(&mut self, punctuation: Punctuation, after: &str) -> Parsed<Span> {
        if self.is(punctuation) {
            return Ok(self.bump().span);
        }
        let found = self.describe();
        let text = punctuation.text();
        let last = self.last_span();
        let here = if matches!(
            punctuation,
            Punctuation::Semicolon | Punctuation::ParenClose | Punctuation::BracketClose
        ) {
            let end = last.end();
            Span { low: end.low.saturating_sub(1).max(last.low), ..end }
        } else {
            self.span()
        };
        let label = format!("expected `{text}` after this");
        let label = if here == self.span() { format!("found {found}") } else { label };
        let problem =
            SourceProblem::error(here, format!("expected `{text}` {after}, found {found}"));
        let problem = problem.label(label);
        self.report(if punctuation == Punctuation::Semicolon {
            problem.help("add `;` at the end of the line")
        } else {
            problem
        })
    }

    fn report<T>(&mut self, problem: SourceProblem) -> Parsed<T> {
        // Trial parses drop their problems.
        if self.trials == 0 {
            self.problems.push(problem);
        }
        Err(SyntaxFailure)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let problem = SourceProblem::error(
            self.span(),
            format!("expected {wanted}, found {}", self.describe()),
        );
        self.report(problem)
    }

    /// The token at the cursor, for messages.
    fn describe(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Identifier(name) if name.is_keyword() => {
                format!("keyword `{}`", self.names.text(name))
            }
            TokenKind::Identifier(name) | TokenKind::Number(name) => {
                format!("`{}`", self.names.text(name))
            }
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Character(_) => "a character".to_owned(),
            TokenKind::Punctuation(punctuation) => format!("`{}`", punctuation.text()),
            TokenKind::Stray(c) => format!("`{}`", c.escape_debug()),
            TokenKind::Pragma => "a pragma".to_owned(),
        }
    }

    /// Runs a parse function. If it fails, goes back and drops its errors.
    fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        if self.budget == 0 {
            return None;
        }
        let start = self.at;
        let (depth, greater, scope) = (self.depth, self.greater_closes, self.scope);
        self.trials += 1;
        let result = parse(self);
        self.trials -= 1;
        self.budget = self.budget.saturating_sub(self.at.saturating_sub(start) + 1);
        (self.depth, self.greater_closes, self.scope) = (depth, greater, scope);
        if result.is_err() {
            self.at = start;
        }
        result.ok()
    }

    /// Runs a parse function, then goes back in any case.
    fn look<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let start = self.at;
        let result = self.attempt(parse);
        self.at = start;
        result
    }

    /// Runs a parse function one level deeper; reports an error if the nesting is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let problem =
                SourceProblem::error(self.span(), "this is nested more than 256 levels deep");
            return self.report(problem);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses with `>` as an operator.
    fn enclosed<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let saved = std::mem::replace(&mut self.greater_closes, false);
        let result = parse(self);
        self.greater_closes = saved;
        result
    }

    /// Opens a block scope, and returns the previous scope.
    fn enter(&mut self) -> usize {
        let outer = self.scope;
        self.scope = self.scopes.add(outer);
        outer
    }

    fn leave(&mut self, outer: usize) {
        self.scope = outer;
    }

    /// Skips to the end of an invalid declaration or statement that began at `start`.
    fn recover(&mut self, start: usize) {
        if self.at == start {
            self.at = start;
        }
        let mut depth = 0usize;
        // Count the braces that were opened before the failure.
        for token in self.tokens.get(start..self.at).unwrap_or_default() {
            match token.kind {
                TokenKind::Punctuation(Punctuation::BraceOpen) => depth += 1,
                TokenKind::Punctuation(Punctuation::BraceClose) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Punctuation(Punctuation::BraceOpen) => depth += 1,
                TokenKind::Punctuation(Punctuation::BraceClose) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        self.eat(Punctuation::Semicolon);
                        return;
                    }
                }
                TokenKind::Punctuation(Punctuation::Semicolon) if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {
                    // A statement that starts on a new line after a missing `;`.
                    let token = self.token();
                    let starts = token.name().is_some_and(begins_statement);
                    if depth == 0 && self.at > start && token.starts_line && starts {
                        return;
                    }
                }
            }
            self.at += 1;
        }
    }

    /// Skips a bracketed group at the cursor, which must be closed.
    fn skip_group(&mut self) -> Parsed<()> {
        let start = self.span();
        let mut stack = Vec::new();
        loop {
            use Punctuation::*;
            match self.peek() {
                TokenKind::End => {
                    let open = stack.first().map_or("{", |_| "{");
                    let problem =
                        SourceProblem::error(start, format!("this `{open}` is never closed"));
                    return self.report(problem.label("opened here"));
                }
                TokenKind::Punctuation(open @ (ParenOpen | BraceOpen | BracketOpen)) => {
                    stack.push(open)
                }
                TokenKind::Punctuation(close @ (ParenClose | BraceClose | BracketClose)) => {
                    let wanted = match close {
                        ParenClose => ParenOpen,
                        BraceClose => BraceOpen,
                        _ => BracketOpen,
                    };
                    // An unbalanced parenthesis must not hide a brace.
                    while stack.last().is_some_and(|&open| open != wanted && wanted == BraceOpen) {
                        stack.pop();
                    }
                    if stack.last() == Some(&wanted) {
                        stack.pop();
                    }
                }
                _ => {}
            }
            self.at += 1;
            if stack.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Whether a keyword starts a statement, so recovery may stop there.
fn begins_statement(name: Name) -> bool {
    matches!(
        name,
        known::IF
            | known::FOR
            | known::WHILE
            | known::DO
            | known::RETURN
            | known::SWITCH
            | known::BREAK
            | known::CONTINUE
            | known::CASE
            | known::DEFAULT
            | known::GLOBAL
            | known::DEVICE
            | known::TEMPLATE
            | known::SHARED
            | known::INT
            | known::FLOAT
            | known::CONST
    )
}
