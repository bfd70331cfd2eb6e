//! The directives that open a module: version, target, size of addresses, source files.

use super::lexer::Kind;
use super::{Parsed, Parser};
use crate::ast::*;

/// The highest `.file` number accepted; the table has one entry per number.
const MOST_FILES: u32 = 1 << 16;

/// The directives at the top of the text.
#[derive(Default)]
pub(super) struct Heading {
    pub(super) version: Option<Version>,
    pub(super) target: Option<Target>,
    pub(super) files: Vec<String>,
    pub(super) address_size: bool,
}

impl Parser<'_> {
    /// Reports a directive of the heading that comes too late.
    pub(super) fn opens(&mut self, in_time: bool) -> Parsed<()> {
        if in_time {
            return Ok(());
        }
        let help = "a module starts with one `.version`, then `.target`, then `.address_size`";
        let message = format!("`{}` comes too late", self.spelling());
        Err(self.complain(message, Some(help)))
    }

    pub(super) fn version(&mut self, again: bool) -> Parsed<Version> {
        self.only_once(again)?;
        let version = self.spelling().split_once('.').and_then(|(major, minor)| {
            Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
        });
        match version {
            Some(version) => {
                self.advance();
                Ok(version)
            }
            None => Err(self.expected("a version such as 7.0", None)),
        }
    }

    /// Consumes a directive's keyword; reports a second one.
    fn only_once(&mut self, again: bool) -> Parsed<()> {
        if again {
            let message = format!("a second `{}`", self.spelling());
            return Err(self
                .complain(message, Some("a text holds one module; parse each module separately")));
        }
        self.advance();
        Ok(())
    }

    /// `.target sm_90a, debug`.
    /// ptxas takes a second one that says the same, wherever it stands.
    pub(super) fn target(&mut self) -> Parsed<Target> {
        let directive = self.token();
        self.advance();
        let target = self.target_words()?;
        if self.target.as_ref().is_some_and(|first| *first != target) {
            let help = "a text holds one module; parse each module separately";
            let message = "a second `.target`, another one than before";
            return Err(self.complain_at(directive, message, Some(help)));
        }
        Ok(target)
    }

    fn target_words(&mut self) -> Parsed<Target> {
        let token = self.token();
        let name = self.word("an architecture such as sm_80")?;
        let number = name.strip_prefix("sm_").unwrap_or_default();
        let (number, specific) = match (number.strip_suffix('a'), number.strip_suffix('f')) {
            (Some(number), _) => (number, Specific::Architecture),
            (_, Some(number)) => (number, Specific::Family),
            _ => (number, Specific::Portable),
        };
        let Ok(architecture) = number.parse() else {
            let help = "name an architecture, such as sm_80 or sm_90a";
            return Err(self.complain_at(
                token,
                format!("`{name}` is not a valid target"),
                Some(help),
            ));
        };
        let mut options = Vec::new();
        while self.eat(b',') {
            options.push(self.word("a target option")?.to_owned());
        }
        Ok(Target { architecture, specific, options })
    }

    pub(super) fn address_size(&mut self) -> Parsed<()> {
        self.advance();
        let token = self.token();
        match self.plain_number("64")? {
            64 => Ok(()),
            _ => {
                let help = "compile for 64-bit addresses (nvcc -m64)";
                Err(self.complain_at(token, "only 64-bit addresses are supported", Some(help)))
            }
        }
    }

    /// `.file 1 "path"`, with or without a time stamp and a size.
    pub(super) fn file(&mut self, files: &mut Vec<String>) -> Parsed<()> {
        self.advance();
        let token = self.token();
        let number = self.plain_number("a file number")?;
        let mut path = self.string("the path of the file")?;
        if self.kind() == Kind::Text {
            path = format!("{path}/{}", self.string("the name of the file")?);
        }
        while self.eat(b',') {
            self.integer::<u64>("a time stamp or a size")?;
        }
        if number > MOST_FILES {
            return Err(self.complain_at(token, "the file number is above 65536", None));
        }
        // File 0 of newer debug formats repeats file 1.
        let Some(index) = (number as usize).checked_sub(1) else { return Ok(()) };
        if files.len() <= index {
            files.resize(index + 1, String::new());
        }
        files[index] = path;
        Ok(())
    }

    /// The contents of a string, `\\` and `\"` resolved.
    fn string(&mut self, what: &str) -> Parsed<String> {
        if self.kind() != Kind::Text {
            return Err(self.expected(what, None));
        }
        let quoted = self.spelling();
        self.advance();
        let mut contents = String::with_capacity(quoted.len());
        let mut rest = quoted[1..quoted.len() - 1].chars().peekable();
        while let Some(c) = rest.next() {
            let escaped = if c == '\\' { rest.next_if(|c| matches!(c, '\\' | '"')) } else { None };
            contents.push(escaped.unwrap_or(c));
        }
        Ok(contents)
    }
}
