//! Macro expansion.

use super::Preprocessor;
use crate::lex::{Name, Punctuation, Token, TokenKind, known, scan};
use crate::source::{MacroUse, SourceProblem, Span};
use std::rc::Rc;

/// A macro's definition.
pub(super) struct Macro {
    /// The position of its definition.
    pub span: Span,
    /// The parameters of a function-like macro.
    pub parameters: Option<Vec<Name>>,
    /// The name of the variable arguments.
    pub variadic: Option<Name>,
    /// Whether a built-in header defined the same name before.
    pub replaces: bool,
    pub body: Vec<Token>,
}

impl Macro {
    /// Whether both have the same parameters and the same tokens.
    pub(super) fn is_same(&self, other: &Macro) -> bool {
        let kinds = |tokens: &[Token]| tokens.iter().map(|token| token.kind).collect::<Vec<_>>();
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && kinds(&self.body) == kinds(&other.body)
    }
}

/// The arguments of one macro use.
struct MacroArguments {
    /// The unexpanded arguments; the variable arguments come last.
    raw: Vec<Vec<Token>>,
    /// The expanded arguments.
    expanded: Vec<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// Expands `token` if it names a macro, and queues the result.
    pub(super) fn expand(&mut self, token: Token) -> bool {
        let Some(name) = token.name() else { return false };
        if token.frozen {
            return false;
        }
        let Some(found) = self.macros.get(&name).cloned() else { return self.dynamic(token, name) };
        if self.is_disabled(name) || self.is_hidden(&found, token, name) {
            return false;
        }
        let mut arguments = MacroArguments { raw: Vec::new(), expanded: Vec::new() };
        if let Some(parameters) = &found.parameters {
            match self.next() {
                Some(open) if open.is(Punctuation::ParenOpen) => {}
                Some(other) => {
                    self.push(vec![other], None);
                    return false;
                }
                None => return false,
            }
            let Some(raw) = self.arguments(token, &found, parameters.len()) else { return true };
            arguments.expanded = raw.iter().map(|tokens| self.expand_all(tokens.clone())).collect();
            arguments.raw = raw;
        }
        if found.body.is_empty() {
            return true;
        }
        let text = self.names.text(name).to_owned();
        self.map.expansions.push(MacroUse { name: text, call: token.span });
        let expansion = self.map.expansions.len() as u32;
        let mut tokens = self.substitute(&found, &found.body, &arguments, expansion);
        if let Some(first) = tokens.first_mut() {
            first.spaced = token.spaced;
            first.starts_line = token.starts_line;
        }
        self.produced += tokens.len();
        self.push(tokens, Some(name));
        true
    }

    /// Whether a built-in header uses a name that the user's macro happens to have: real headers avoid such names.
    fn is_hidden(&self, found: &Macro, token: Token, name: Name) -> bool {
        // Predefined macros and their tokens have no position.
        let of_user = found.span == Span::default() || !self.map.is_builtin(found.span);
        let in_header = token.span != Span::default() && self.map.is_builtin(token.span);
        of_user && in_header && !found.replaces && !self.names.text(name).starts_with('_')
    }

    /// Macros whose value depends on the position, such as `__LINE__`.
    fn dynamic(&mut self, token: Token, name: Name) -> bool {
        let place = {
            let mut span = token.span;
            while let Some(used) =
                self.map.expansions.get((span.expansion as usize).wrapping_sub(1))
            {
                span = used.call;
            }
            span
        };
        let kind = match name {
            known::LINE_MACRO => {
                let line = self.map.location(place).map_or(0, |at| at.line);
                TokenKind::Number(self.names.intern(&line.to_string()))
            }
            known::COUNTER_MACRO => {
                self.counter += 1;
                TokenKind::Number(self.names.intern(&(self.counter - 1).to_string()))
            }
            known::FILE_MACRO => {
                let file = self.map.file(place.low).map_or("", |file| &file.name);
                let text = format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\""));
                TokenKind::Text(self.names.intern(&text))
            }
            known::PRAGMA_OP => {
                let Some(open) = self.next() else { return false };
                let text = self.next();
                let _close = self.next();
                if open.is(Punctuation::ParenOpen)
                    && let Some(TokenKind::Text(text)) = text.map(|token| token.kind)
                {
                    let text = self.names.text(text).trim_matches('"').to_owned();
                    let tokens = scan(&text, token.span.low, self.names);
                    let tokens = tokens.into_iter().filter(|token| token.kind != TokenKind::End);
                    let tokens = tokens.map(|inner| Token { span: token.span, ..inner }).collect();
                    self.pragma(tokens, token.span);
                }
                return true;
            }
            _ => return false,
        };
        self.push(vec![Token { kind, frozen: true, ..token }], None);
        true
    }

    /// Reads the arguments after the opening parenthesis.
    fn arguments(&mut self, used: Token, found: &Macro, count: usize) -> Option<Vec<Vec<Token>>> {
        let mut list: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let Some(mut token) = self.next() else {
                let text = self.names.text(used.name().unwrap_or(known::EMPTY)).to_owned();
                let message = format!("the arguments of macro `{text}` have no `)`");
                self.problems.push(SourceProblem::error(used.span, message));
                return None;
            };
            if token.starts_line {
                (token.starts_line, token.spaced) = (false, true);
            }
            match token.kind {
                TokenKind::Punctuation(Punctuation::ParenOpen) => depth += 1,
                TokenKind::Punctuation(Punctuation::ParenClose) if depth == 0 => break,
                TokenKind::Punctuation(Punctuation::ParenClose) => depth -= 1,
                TokenKind::Punctuation(Punctuation::Comma)
                    if depth == 0 && (list.len() <= count || found.variadic.is_none()) =>
                {
                    list.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            let frozen = token.frozen || token.name().is_some_and(|name| self.is_disabled(name));
            if let Some(last) = list.last_mut() {
                last.push(Token { frozen, ..token });
            }
        }
        if count == 0 && list.len() == 1 && list[0].is_empty() && found.variadic.is_none() {
            list.clear();
        }
        let wanted = count + usize::from(found.variadic.is_some());
        if list.len() + 1 == wanted && found.variadic.is_some() {
            list.push(Vec::new());
        }
        if list.len() != wanted {
            let text = self.names.text(used.name().unwrap_or(known::EMPTY)).to_owned();
            let given = list.len();
            let message = format!("macro `{text}` takes {count} arguments, but {given} are given");
            let problem = SourceProblem::error(used.span, message)
                .note(found.span, "the macro is defined here");
            self.problems.push(problem);
            return None;
        }
        Some(list)
    }

    /// The macro's body, with arguments substituted for parameters.
    fn substitute(
        &mut self,
        found: &Macro,
        body: &[Token],
        arguments: &MacroArguments,
        expansion: u32,
    ) -> Vec<Token> {
        let parameter = |token: &Token| -> Option<usize> {
            let name = token.name()?;
            let parameters = found.parameters.as_deref()?;
            if found.variadic == Some(name) {
                return Some(parameters.len());
            }
            parameters.iter().position(|&parameter| parameter == name)
        };
        let variable = |arguments: &MacroArguments| {
            found.parameters.as_ref().and_then(|list| arguments.expanded.get(list.len()).cloned())
        };
        let mut result: Vec<Token> = Vec::new();
        let mut paste = false;
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            let placed =
                Token { span: Span { expansion, ..token.span }, starts_line: false, ..*token };
            let pastes_next = body.get(at).is_some_and(|next| next.is(Punctuation::HashHash));
            let mut piece: Vec<Token> = if token.is(Punctuation::HashHash) && !result.is_empty() {
                paste = true;
                continue;
            } else if token.is(Punctuation::Hash)
                && let Some(index) = body.get(at).and_then(parameter)
            {
                at += 1;
                vec![self.stringify(arguments.raw.get(index), placed)]
            } else if token.is_name(known::VA_OPT)
                && body.get(at).is_some_and(|open| open.is(Punctuation::ParenOpen))
            {
                let rest = body.get(at..).unwrap_or_default();
                let length = closing(rest);
                at += length + 1;
                let inner = rest.get(1..length).unwrap_or_default();
                if variable(arguments).is_some_and(|tokens| !tokens.is_empty()) {
                    self.substitute(found, inner, arguments, expansion)
                } else {
                    Vec::new()
                }
            } else if let Some(index) = parameter(token) {
                let is_variable = found.parameters.as_ref().is_some_and(|list| list.len() == index);
                // GNU extension: `, ## __VA_ARGS__` also drops the comma if there are no arguments.
                if paste
                    && is_variable
                    && result.last().is_some_and(|last| last.is(Punctuation::Comma))
                {
                    paste = false;
                    if arguments.raw.get(index).is_none_or(Vec::is_empty) {
                        result.pop();
                    }
                }
                let raw = paste || pastes_next;
                let list = if raw { &arguments.raw } else { &arguments.expanded };
                list.get(index).cloned().unwrap_or_default()
            } else {
                vec![placed]
            };
            if let Some(first) = piece.first_mut() {
                first.spaced = token.spaced;
            }
            if std::mem::take(&mut paste)
                && let (Some(&left), Some(&right)) = (result.last(), piece.first())
            {
                result.pop();
                result.push(self.paste(left, right));
                piece.remove(0);
            }
            result.extend(piece);
            if result.len() > super::MOST_TOKENS {
                break;
            }
        }
        result
    }

    fn paste(&mut self, left: Token, right: Token) -> Token {
        let text = format!("{}{}", self.spelling(&left), self.spelling(&right));
        let tokens = scan(&text, 0, self.names);
        match tokens.as_slice() {
            [only, _end] => Token { kind: only.kind, ..left },
            _ => {
                let message = format!("`##` forms `{text}`, which is not a token");
                self.problems.push(SourceProblem::error(left.span, message));
                left
            }
        }
    }

    fn stringify(&mut self, tokens: Option<&Vec<Token>>, placed: Token) -> Token {
        let mut text = String::from("\"");
        for (at, token) in tokens.into_iter().flatten().enumerate() {
            if at > 0 && token.spaced {
                text.push(' ');
            }
            let spelling = self.spelling(token);
            if matches!(token.kind, TokenKind::Text(_) | TokenKind::Character(_)) {
                text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\""));
            } else {
                text.push_str(&spelling);
            }
        }
        text.push('"');
        Token { kind: TokenKind::Text(self.names.intern(&text)), ..placed }
    }

    /// Whether `defined` is true for a name.
    pub(super) fn macro_exists(&self, name: Name) -> bool {
        self.macros.contains_key(&name)
            || matches!(name, known::LINE_MACRO | known::FILE_MACRO | known::COUNTER_MACRO)
    }

    /// Defines a macro from text, `NAME` or `NAME VALUE`.
    pub(super) fn define_text(&mut self, name: &str, value: &str) {
        let name = self.names.intern(name);
        let mut body = scan(value, 0, self.names);
        body.pop();
        for token in &mut body {
            (token.span, token.starts_line) = (Span::default(), false);
        }
        let (parameters, variadic) = (None, None);
        let found = Macro { span: Span::default(), parameters, variadic, replaces: false, body };
        self.macros.insert(name, Rc::new(found));
    }
}

/// The index of the parenthesis that closes the first token.
fn closing(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punctuation(Punctuation::ParenOpen) => depth += 1,
            TokenKind::Punctuation(Punctuation::ParenClose) => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}
