//! Directives: lines that start with `#`.

use super::macros::Macro;
use super::{Conditional, DEEPEST, Preprocessor};
use crate::headers;
use crate::lex::{Name, Punctuation, Token, TokenKind, known};
use crate::source::{SourceProblem, Span};
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Executes the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: Span) {
        let line = self.line();
        let Some(&first) = line.first() else { return };
        let Some(name) = first.name() else {
            if self.compiling() && !matches!(first.kind, TokenKind::Number(_)) {
                self.problems
                    .push(SourceProblem::error(first.span, "expected the name of a directive"));
            }
            return;
        };
        let rest = line.get(1..).unwrap_or_default();
        let span = hash.to(first.span);
        match name {
            known::IF => self.begin(span, |this| this.condition(rest, span)),
            known::IFDEF => self.begin(span, |this| this.is_defined(rest.first(), span)),
            known::IFNDEF => self.begin(span, |this| !this.is_defined(rest.first(), span)),
            known::ELIF => self.branch(span, Some(rest)),
            known::ELSE => self.branch(span, None),
            known::ENDIF => {
                if self.conditionals().and_then(Vec::pop).is_none() {
                    self.problems.push(SourceProblem::error(span, "`#endif` without `#if`"));
                }
            }
            _ if !self.compiling() => {}
            known::DEFINE => self.define(rest, span),
            known::UNDEF => {
                if let Some(name) = rest.first().and_then(Token::name) {
                    self.macros.remove(&name);
                }
            }
            known::INCLUDE => self.include(rest, span),
            known::PRAGMA => self.pragma(rest.to_vec(), span),
            known::LINE => {}
            known::ERROR | known::WARNING => {
                let text = match (rest.first(), rest.last()) {
                    (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).to_owned(),
                    _ => String::new(),
                };
                self.problems.push(if name == known::ERROR {
                    SourceProblem::error(span, format!("#error {text}"))
                } else {
                    SourceProblem::warning(span, format!("#warning {text}"))
                });
            }
            _ => {
                let text = self.names.text(name).to_owned();
                let mut problem =
                    SourceProblem::error(first.span, format!("unknown directive `#{text}`"));
                let directives =
                    ["include", "define", "ifdef", "ifndef", "endif", "pragma", "elif", "undef"];
                if let Some(near) = crate::source::nearest(&text, directives.into_iter()) {
                    problem = problem.help(format!("a directive with a similar name is `#{near}`"));
                }
                self.problems.push(problem);
            }
        }
    }

    fn conditionals(&mut self) -> Option<&mut Vec<Conditional>> {
        self.sources.last_mut()?.file.as_mut().map(|file| &mut file.conditionals)
    }

    /// Whether the current branch is compiled.
    fn compiling(&self) -> bool {
        let file = self.sources.last().and_then(|source| source.file.as_ref());
        file.and_then(|file| file.conditionals.last()).is_none_or(|open| open.taken)
    }

    fn begin(&mut self, span: Span, test: impl FnOnce(&mut Self) -> bool) {
        let compiling = self.compiling();
        let taken = compiling && test(self);
        let open = Conditional { span, taken, done: taken || !compiling, after_else: false };
        if let Some(conditionals) = self.conditionals() {
            conditionals.push(open);
        }
    }

    /// `#elif` with its condition, or `#else`.
    fn branch(&mut self, span: Span, condition: Option<&[Token]>) {
        let Some((done, after_else)) = self
            .conditionals()
            .and_then(|list| list.last())
            .map(|open| (open.done, open.after_else))
        else {
            self.problems.push(SourceProblem::error(span, "this directive has no `#if`"));
            return;
        };
        if after_else {
            self.problems.push(SourceProblem::error(span, "this directive follows `#else`"));
        }
        let taken = !done && condition.is_none_or(|line| self.condition(line, span));
        if let Some(open) = self.conditionals().and_then(|list| list.last_mut()) {
            open.taken = taken;
            open.done |= taken;
            open.after_else = condition.is_none();
        }
    }

    fn is_defined(&mut self, name: Option<&Token>, span: Span) -> bool {
        let Some(name) = name.and_then(Token::name) else {
            self.problems.push(SourceProblem::error(span, "expected the name of a macro"));
            return false;
        };
        self.macro_exists(name)
    }

    fn define(&mut self, line: &[Token], span: Span) {
        let Some((&first, rest)) = line.split_first() else {
            self.problems.push(SourceProblem::error(span, "expected the name of a macro"));
            return;
        };
        let Some(name) = first.name() else {
            self.problems.push(SourceProblem::error(
                first.span,
                "the name of a macro must be an identifier",
            ));
            return;
        };
        let replaces = |old: &Macro| old.replaces || self.map.is_builtin(old.span);
        let replaces = self.macros.get(&name).is_some_and(|old| replaces(old));
        let (span, parameters, variadic, body) = (first.span, None, None, Vec::new());
        let mut defined = Macro { span, parameters, variadic, replaces, body };
        let mut body = rest;
        if let Some(open) =
            rest.first().filter(|token| token.is(Punctuation::ParenOpen) && !token.spaced)
        {
            let mut parameters = Vec::new();
            let mut at = 1;
            loop {
                match rest.get(at).map(|token| token.kind) {
                    Some(TokenKind::Identifier(parameter)) => {
                        if rest.get(at + 1).is_some_and(|token| token.is(Punctuation::Ellipsis)) {
                            defined.variadic = Some(parameter);
                        } else {
                            parameters.push(parameter);
                        }
                    }
                    Some(TokenKind::Punctuation(Punctuation::Ellipsis)) => {
                        defined.variadic = defined.variadic.or(Some(known::VA_ARGS));
                    }
                    Some(TokenKind::Punctuation(Punctuation::Comma)) => {}
                    Some(TokenKind::Punctuation(Punctuation::ParenClose)) => break,
                    _ => {
                        let message = "the parameters of this macro have no `)`";
                        self.problems.push(SourceProblem::error(open.span, message));
                        return;
                    }
                }
                at += 1;
            }
            defined.parameters = Some(parameters);
            body = rest.get(at + 1..).unwrap_or_default();
        }
        defined.body = body.to_vec();
        let old = self.macros.insert(name, Rc::new(defined));
        if let Some(old) = old {
            self.warn_redefined(name, &old);
        }
    }

    /// Warns if the macro `name`, just defined, had another definition, except one of a built-in header or of the
    /// compiler itself.
    fn warn_redefined(&mut self, name: Name, old: &Macro) {
        let Some(new) = self.macros.get(&name) else { return };
        let text = self.names.text(name);
        let from_options = old.span == Span::default();
        if old.is_same(new)
            || self.map.is_builtin(new.span)
            || if from_options { text.starts_with('_') } else { self.map.is_builtin(old.span) }
        {
            return;
        }
        let problem = SourceProblem::warning(new.span, format!("macro `{text}` is redefined"))
            .label("uses after this line get this definition")
            .help(format!("write `#undef {text}` before it, or use another name"));
        self.problems.push(if from_options {
            problem
                .label("the option `-D` defines it, too; uses after this line get this definition")
        } else {
            problem.note(old.span, "the first definition, which differs")
        });
    }

    /// The name of an included file, and whether it is in angle brackets.
    fn included(&mut self, line: &[Token]) -> Option<(String, bool)> {
        let first = line.first()?;
        if let TokenKind::Text(name) = first.kind {
            return Some((self.names.text(name).trim_matches('"').to_owned(), false));
        }
        if first.is(Punctuation::Less) {
            let close = line.iter().position(|token| token.is(Punctuation::Greater))?;
            let name: String =
                line.get(1..close)?.iter().map(|token| self.spelling(token)).collect();
            return Some((name, true));
        }
        None
    }

    fn include(&mut self, line: &[Token], span: Span) {
        let found = match self.included(line) {
            Some(found) => Some(found),
            None => {
                let line = self.expand_all(line.to_vec());
                self.included(&line)
            }
        };
        let Some((written, angled)) = found else {
            let problem =
                SourceProblem::error(span, "expected \"FILE\" or <FILE> after `#include`");
            self.problems.push(problem);
            return;
        };
        let name = headers::canonical(&written).to_owned();
        if self.once.contains(&name) {
            return;
        }
        if self.sources.len() > DEEPEST {
            self.problems.push(SourceProblem::error(span, "includes are nested too deeply"));
            self.sources.clear();
            return;
        }
        let files = self.sources.iter().rev().find_map(|source| source.file.as_ref());
        let from = files.map_or(String::new(), |file| file.name.clone());
        let builtin = headers::text(&name, self.host);
        let own =
            if angled || builtin.is_some_and(|text| !text.is_empty()) { builtin } else { None };
        // Files of a project may have the names of CUDA's sample headers, and may belong to a library that is not built in.
        let own = own.filter(|text| {
            !name.starts_with("helper_") && (!text.is_empty() || !headers::is_of_library(&name))
        });
        if let Some(text) = own {
            if text.is_empty() {
                self.missing.push(name);
            } else {
                self.once.insert(name.clone());
                self.open(&name, text, true);
            }
            return;
        }
        if let Some((path, text)) = self.loader.load(&written, &from) {
            self.enter_header(&from, &path);
            if !self.once.contains(&path) {
                self.open(&path, &text, false);
            }
            return;
        }
        if let Some(text) = builtin {
            if text.is_empty() {
                self.missing.push(name);
            } else if self.once.insert(name.clone()) {
                self.open(&name, text, true);
            }
            return;
        }
        let place = line.first().zip(line.last()).map_or(span, |(a, b)| a.span.to(b.span));
        if name.starts_with("cuda/") || name.starts_with("cooperative_groups/") {
            self.problems.push(SourceProblem::unsupported(place, format!("the header <{name}>")));
            return;
        }
        let problem = SourceProblem::error(place, format!("file `{name}` not found"));
        self.problems.push(problem.help(
            "files are looked up next to the source; CUDA's and C++'s usual headers are built in",
        ));
    }

    /// Starts a file of a program whose files are compiled as one. A macro without parameters and tokens stays defined: it is
    /// most often the guard of a header, whose declarations must not be compiled again.
    pub(super) fn start_unit(&mut self) {
        let source = |found: &Macro| {
            let file = self.map.file(found.span.low).filter(|file| !file.builtin)?;
            let guards = found.parameters.is_none() && found.body.is_empty();
            (!guards).then(|| file.name.clone())
        };
        let leaving: Vec<(Name, String)> =
            self.macros.iter().filter_map(|(name, found)| Some((*name, source(found)?))).collect();
        for (name, file) in leaving {
            if let Some(found) = self.macros.remove(&name) {
                self.units.keep(file, name, found);
            }
        }
    }

    /// Defines the macros of a header again that an earlier file included.
    fn enter_header(&mut self, from: &str, path: &str) {
        for (name, found) in self.units.of_header(from, path) {
            self.macros.entry(name).or_insert(found);
        }
    }
}
