//! The preprocessor: a stack of token sources, expanded while they are read (C++17, chapter [cpp]).
//!
//! A macro is disabled while a token source contains its expansion. A name that is found while its macro is disabled
//! stays frozen, as the standard requires. `#pragma unroll` survives as [`TokenKind::Pragma`].

mod condition;
mod directives;
mod macros;
mod units;

use crate::headers;
use crate::lex::{Interner, Name, Punctuation, Token, TokenKind, known, scan};
use crate::source::{Problems, SourceMap, SourceProblem, Span};
use macros::Macro;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use units::UnitMacros;

/// Finds the files that `#include` names. It is not called for built-in headers.
pub trait Loader {
    /// The full name and the text of the file `name`, which `from` includes.
    fn load(&mut self, name: &str, from: &str) -> Option<(String, String)>;
}

/// A loader that finds no files.
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str) -> Option<(String, String)> {
        None
    }
}

/// Maximum number of tokens that one compilation may produce.
const MOST_TOKENS: usize = 4_000_000;

/// Maximum nesting depth of includes.
const DEEPEST: usize = 64;

/// The state of an open `#if`.
struct Conditional {
    span: Span,
    /// Whether the current branch is compiled.
    taken: bool,
    /// Whether a branch was already compiled, or the whole conditional is skipped.
    done: bool,
    after_else: bool,
}

/// A source of tokens: a file, or the expansion of a macro.
struct TokenSource {
    tokens: Rc<[Token]>,
    at: usize,
    /// The macro that is disabled while this source is read.
    expands: Option<Name>,
    file: Option<FileState>,
}

struct FileState {
    name: String,
    conditionals: Vec<Conditional>,
}

/// The preprocessor's inputs and outputs.
pub struct Preprocessor<'a> {
    /// All source files.
    pub map: &'a mut SourceMap,
    /// All interned names.
    pub names: &'a mut Interner,
    /// The problems found.
    pub problems: &'a mut Problems,
    loader: &'a mut dyn Loader,
    macros: HashMap<Name, Rc<Macro>>,
    /// Definitions that `#pragma push_macro` kept.
    pushed: HashMap<Name, Vec<Option<Rc<Macro>>>>,
    /// Macros of the headers of earlier files of the program.
    units: UnitMacros<Macro>,
    disabled: HashMap<Name, u32>,
    once: HashSet<String>,
    sources: Vec<TokenSource>,
    output: Vec<Token>,
    produced: usize,
    counter: u64,
    /// The alignment that `#pragma pack` sets, and those that it pushed; 0 for none.
    pack: u8,
    packs: Vec<u8>,
    depth: usize,
    host: bool,
    /// Headers and files that were not found, or that are empty stand-ins.
    pub missing: Vec<String>,
}

impl<'a> Preprocessor<'a> {
    /// Creates a preprocessor without macros.
    pub fn new(
        map: &'a mut SourceMap,
        names: &'a mut Interner,
        problems: &'a mut Problems,
        loader: &'a mut dyn Loader,
    ) -> Preprocessor<'a> {
        Preprocessor {
            map,
            names,
            problems,
            loader,
            macros: HashMap::new(),
            pushed: HashMap::new(),
            units: UnitMacros::default(),
            disabled: HashMap::new(),
            once: HashSet::new(),
            sources: Vec::new(),
            output: Vec::new(),
            produced: 0,
            counter: 0,
            pack: 0,
            packs: Vec::new(),
            depth: 0,
            host: false,
            missing: Vec::new(),
        }
    }

    /// Preprocesses a file and everything that it includes. `builtin` marks the compiler's own headers.
    pub fn file(&mut self, name: &str, text: &str, builtin: bool) {
        if builtin {
            self.once.insert(name.to_owned());
        }
        self.open(name, text, builtin);
        while let Some(token) = self.next() {
            if self.produced > MOST_TOKENS {
                self.stop(token.span);
                break;
            }
            if !self.expand(token) {
                self.output.push(token);
                self.produced += 1;
            }
        }
    }

    /// The tokens produced, ending with [`TokenKind::End`].
    pub fn finish(mut self) -> Vec<Token> {
        let end = self.output.last().map_or(Span::default(), |token| token.span.end());
        let kind = TokenKind::End;
        self.output.push(Token { kind, span: end, spaced: true, starts_line: true, frozen: false });
        self.output
    }

    /// Reports that the token limit is reached, and drops all remaining input.
    fn stop(&mut self, span: Span) {
        if self.produced <= MOST_TOKENS * 2 {
            self.problems.push(SourceProblem::error(
                span,
                "the preprocessed source exceeds 4 million tokens",
            ));
            self.produced = MOST_TOKENS * 4;
        }
        self.sources.clear();
    }

    fn open(&mut self, name: &str, text: &str, builtin: bool) {
        let Some(number) = self.map.add(name, text, builtin) else { return };
        let start = self.map.files[number].start;
        let tokens = scan(text, start, self.names).into();
        let file = Some(FileState { name: name.to_owned(), conditionals: Vec::new() });
        self.sources.push(TokenSource { tokens, at: 0, expands: None, file });
        if builtin {
            return;
        }
        let needed: Vec<_> = headers::by_words(text, self.host).collect();
        for (header, text) in needed.into_iter().rev() {
            if self.once.insert(header.to_owned()) {
                self.open(header, text, true);
            }
        }
    }

    fn push(&mut self, tokens: Vec<Token>, expands: Option<Name>) {
        if let Some(name) = expands {
            *self.disabled.entry(name).or_default() += 1;
        }
        self.sources.push(TokenSource { tokens: tokens.into(), at: 0, expands, file: None });
    }

    fn pop(&mut self) {
        let Some(source) = self.sources.pop() else { return };
        if let Some(name) = source.expands
            && let Some(count) = self.disabled.get_mut(&name)
        {
            *count = count.saturating_sub(1);
        }
        for open in source.file.into_iter().flat_map(|file| file.conditionals) {
            let problem =
                SourceProblem::error(open.span, "this conditional directive has no `#endif`");
            self.problems.push(problem.label("opened here"));
        }
    }

    /// The next token before macro expansion. Executes directives on the way.
    fn next(&mut self) -> Option<Token> {
        loop {
            let source = self.sources.last_mut()?;
            let token = source.tokens.get(source.at).copied();
            let Some(token) =
                token.filter(|token| token.kind != TokenKind::End || source.file.is_none())
            else {
                self.pop();
                continue;
            };
            source.at += 1;
            let Some(file) = &source.file else { return Some(token) };
            if token.starts_line && token.is(Punctuation::Hash) {
                self.directive(token.span);
            } else if file.conditionals.last().is_none_or(|open| open.taken) {
                return Some(token);
            }
        }
    }

    /// Reads the rest of the line, and returns its tokens.
    fn line(&mut self) -> Vec<Token> {
        let Some(source) = self.sources.last_mut() else { return Vec::new() };
        let rest = source.tokens.get(source.at..).unwrap_or_default();
        let ends = |token: &Token| token.starts_line || token.kind == TokenKind::End;
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        source.at += length;
        rest[..length].to_vec()
    }

    /// Expands all macros in a list of tokens.
    fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.depth > 200 {
            return tokens;
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.sources);
        self.push(tokens, None);
        let mut expanded = Vec::new();
        while let Some(token) = self.next() {
            if self.produced > MOST_TOKENS {
                self.stop(token.span);
                break;
            }
            if !self.expand(token) {
                let frozen =
                    token.frozen || token.name().is_some_and(|name| self.is_disabled(name));
                expanded.push(Token { frozen, ..token });
                self.produced += 1;
            }
        }
        self.sources = outer;
        self.depth -= 1;
        expanded
    }

    fn is_disabled(&self, name: Name) -> bool {
        self.disabled.get(&name).is_some_and(|&count| count > 0)
    }

    /// The text of a token.
    fn spelling(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::Identifier(name)
            | TokenKind::Number(name)
            | TokenKind::Text(name)
            | TokenKind::Character(name) => self.names.text(name).to_owned(),
            TokenKind::Punctuation(punctuation) => punctuation.text().to_owned(),
            TokenKind::Stray(c) => c.to_string(),
            TokenKind::Pragma | TokenKind::End => String::new(),
        }
    }

    /// Emits `#pragma unroll` and `#pragma pack`; other pragmas have no meaning here.
    fn pragma(&mut self, mut line: Vec<Token>, span: Span) {
        let Some(first) = line.first().copied() else { return };
        if first.is_name(known::ONCE) {
            if let Some(file) = self.sources.iter().rev().find_map(|source| source.file.as_ref()) {
                self.once.insert(file.name.clone());
            }
            return;
        }
        let text = first.name().map(|name| self.names.text(name).to_owned());
        if let Some("push_macro" | "pop_macro") = text.as_deref() {
            self.keep_macro(text.as_deref() == Some("push_macro"), &line);
            return;
        }
        if text.as_deref() == Some("lanework_file") {
            self.start_unit();
            return;
        }
        let packs = first.is_name(known::PACK);
        if !packs && !first.is_name(known::UNROLL) && !first.is_name(known::NO_UNROLL) {
            return;
        }
        let mut rest = self.expand_all(line.split_off(1));
        if packs {
            self.set_pack(&rest, span);
            let kind = TokenKind::Number(self.names.intern(&self.pack.to_string()));
            rest = vec![Token { kind, ..first }];
        }
        let template =
            Token { kind: TokenKind::Pragma, span, spaced: true, starts_line: true, frozen: true };
        self.output.push(template);
        self.output.push(Token { frozen: true, ..first });
        self.output.extend(rest);
        self.output.push(Token { kind: TokenKind::End, ..template });
    }

    /// `push_macro("NAME")` keeps the definition of a macro, or keeps that it is undefined; `pop_macro("NAME")` restores it.
    fn keep_macro(&mut self, push: bool, line: &[Token]) {
        let named = line.iter().find_map(|token| match token.kind {
            TokenKind::Text(text) => Some(self.names.text(text).trim_matches('"').to_owned()),
            _ => None,
        });
        let Some(name) = named.map(|name| self.names.intern(&name)) else { return };
        if push {
            let now = self.macros.get(&name).cloned();
            self.pushed.entry(name).or_default().push(now);
        } else if let Some(before) = self.pushed.get_mut(&name).and_then(Vec::pop) {
            match before {
                Some(before) => drop(self.macros.insert(name, before)),
                None => drop(self.macros.remove(&name)),
            }
        }
    }

    /// `pack()`, `pack(N)`, `pack(push)`, `pack(push, N)` and `pack(pop)`.
    fn set_pack(&mut self, line: &[Token], span: Span) {
        let mut value = None;
        for token in line {
            match token.kind {
                TokenKind::Identifier(known::PUSH) => self.packs.push(self.pack),
                TokenKind::Identifier(known::POP) => value = Some(self.packs.pop().unwrap_or(0)),
                TokenKind::Number(text) => {
                    let number = self.names.text(text).parse().ok();
                    value = number.filter(|number| matches!(number, 0 | 1 | 2 | 4 | 8 | 16));
                    if value.is_none() {
                        let message = "the alignment of `#pragma pack` must be 1, 2, 4, 8 or 16";
                        self.problems.push(SourceProblem::error(token.span, message));
                    }
                }
                _ => {}
            }
        }
        match (value, line) {
            (Some(value), _) => self.pack = value,
            (None, [_, _]) => self.pack = 0,
            (None, [open, _, ..]) if open.is(Punctuation::ParenOpen) => {}
            _ => {
                let message = "expected `(` after `#pragma pack`";
                self.problems.push(SourceProblem::warning(span, message));
            }
        }
    }

    fn is_known_header(&self, name: &str) -> bool {
        headers::text(name, self.host).is_some()
    }
}

/// Macros with fixed values.
const FIXED: &[(&str, &str)] = &[
    ("__cplusplus", "201703L"),
    ("__CUDACC__", "1"),
    ("__CUDA__", "1"),
    ("__NVCC__", "1"),
    ("__LANEWORK__", "1"),
    ("__const__", "const"),
    ("__signed__", "signed"),
    ("__CUDACC_VER_MAJOR__", "12"),
    ("__CUDACC_VER_MINOR__", "8"),
    ("__CUDACC_VER_BUILD__", "0"),
    ("CUDART_VERSION", "12080"),
    ("CUDA_VERSION", "12080"),
    ("__STDC_HOSTED__", "1"),
    ("__GNUC__", "12"),
    ("__GNUC_MINOR__", "0"),
    ("__linux__", "1"),
    ("__GLIBC__", "2"),
    ("__GLIBC_MINOR__", "39"),
    ("__GNU_LIBRARY__", "6"),
    ("__LP64__", "1"),
    ("__CHAR_BIT__", "8"),
    ("__SIZEOF_POINTER__", "8"),
    ("__DATE__", "\"Jan  1 2026\""),
    ("__TIME__", "\"00:00:00\""),
    ("__STDC__", "1"),
    ("__cpp_if_constexpr", "201606L"),
    ("__CUDA_NO_HALF_UNDEFINED__", "1"),
];

impl Preprocessor<'_> {
    /// Defines the standard macros and the macros of the caller, given as `NAME` or `NAME=VALUE`.
    pub fn predefine(&mut self, architecture: u32, host: bool, defines: &[String]) {
        for (name, value) in FIXED {
            self.define_text(name, value);
        }
        self.host = host;
        if host {
            self.define_text("__LW_HOST__", "1");
        } else {
            self.define_text("__CUDA_ARCH__", &(architecture * 10).to_string());
        }
        if architecture >= 90 && !host {
            self.define_text("__CUDA_ARCH_FEAT_SM90_ALL", "1");
        }
        for define in defines {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            self.define_text(name, value);
        }
    }
}
