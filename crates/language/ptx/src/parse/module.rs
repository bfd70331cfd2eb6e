//! Module scope: version, target, source files, functions, variables, and debug sections kept as text.

use crate::ast::*;
use crate::parse::declarations::TEXTURES;
use crate::parse::lexer::TokenKind;
use crate::parse::{Parsed, Parser};
use crate::types::StateSpace;

/// Whether a directive declares variables of a state space.
fn is_space(word: &str) -> bool {
    let named = word.strip_prefix('.').and_then(StateSpace::from_name);
    named.is_some() || word == TEXTURES
}

impl Parser<'_> {
    /// Parses the whole module. Adds problems to the collector.
    pub(super) fn module(&mut self) -> Module {
        let mut heading = Heading::default();
        let mut items = Vec::new();
        let start = self.token();
        while self.kind() != TokenKind::End {
            let first = self.at;
            if self.item(&mut heading, &mut items).is_err() {
                self.skip_item(first);
            }
        }
        let missing =
            [(heading.version.is_none(), ".version"), (heading.target.is_none(), ".target")];
        if let Some((_, directive)) = missing.into_iter().find(|(missing, _)| *missing) {
            let help = "a module starts like this: .version 7.0 / .target sm_80 / .address_size 64";
            self.report_at(start, format!("the module has no `{directive}`"), Some(help));
        }
        Module {
            version: heading.version.unwrap_or(Version { major: 0, minor: 0 }),
            target: heading.target.unwrap_or(Target {
                architecture: 0,
                specific: Specific::Portable,
                options: Vec::new(),
            }),
            files: heading.files,
            items,
        }
    }

    fn item(&mut self, heading: &mut Heading, items: &mut Vec<Item>) -> Parsed<()> {
        if self.kind() != TokenKind::Dotted {
            let help = "instructions belong in the body of an `.entry` or `.func`";
            return Err(self.expected("a directive", Some(help)));
        }
        match self.spelling() {
            ".version" => {
                let in_time = heading.target.is_none() && items.is_empty();
                self.opens(in_time || heading.version.is_some())?;
                heading.version = Some(self.version(heading.version.is_some())?);
            }
            ".target" => {
                self.opens(items.is_empty() || heading.target.is_some())?;
                self.target = Some(self.target()?);
                heading.target.clone_from(&self.target);
            }
            ".address_size" => {
                let first = self.at;
                self.address_size()?;
                let in_time = items.is_empty() && heading.files.is_empty();
                let after = std::mem::replace(&mut self.at, first);
                self.opens(in_time && !heading.address_size)?;
                heading.address_size = true;
                self.at = after;
            }
            ".file" => self.file(&mut heading.files)?,
            ".loc" => {
                self.loc()?;
            }
            ".section" => items.push(Item::Directive(self.section()?)),
            ".pragma" | ".alias" => {
                let words = self.directive_words()?;
                items.push(Item::Directive(words + ";"));
            }
            _ => self.declaration(items)?,
        }
        Ok(())
    }

    /// A function or variables, starting at the linkage.
    fn declaration(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let linkage = self.linkage();
        match self.spelling() {
            ".entry" | ".func" => items.push(Item::Function(self.function(linkage)?)),
            word if is_space(word) => {
                self.variables(linkage, |v| items.push(Item::Variable(v)))?;
            }
            _ => {
                let help = "a module holds `.entry`, `.func`, `.global`, `.const` and `.shared`";
                return Err(self.expected("a function or a variable", Some(help)));
            }
        }
        Ok(())
    }

    fn function(&mut self, linkage: Linkage) -> Parsed<Function> {
        let entry = self.is_dotted(".entry");
        self.advance();
        let mut returns = Vec::new();
        if !entry && self.eat(b'(') {
            returns = self.list(b')', "the return values", Self::parameter)?;
        }
        let name = self.word("the function's name")?.to_owned();
        let mut params = Vec::new();
        if self.eat(b'(') {
            params = self.list(b')', "the parameters", Self::parameter)?;
        }
        let mut directives = Vec::new();
        while self.kind() == TokenKind::Dotted && !self.starts_item() {
            directives.push(self.function_directive()?);
        }
        self.location = None;
        let ends = self.kind() == TokenKind::End || self.starts_item();
        let body = if self.is(b'{') {
            Some(self.body()?)
        } else if !entry && ends {
            // Old compilers end a prototype without a semicolon, as ptxas allows.
            None
        } else {
            self.expect(b';', "or `{` after the function's head")?;
            None
        };
        Ok(Function { linkage, entry, name, returns, params, directives, body })
    }

    /// Whether the current token is a directive that starts an item of the module.
    fn starts_item(&self) -> bool {
        const STARTS: [&str; 11] = [
            ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".file", ".section",
            ".alias", ".version", ".target",
        ];
        let word = self.spelling();
        self.kind() == TokenKind::Dotted && (STARTS.contains(&word) || is_space(word))
    }

    fn function_directive(&mut self) -> Parsed<FunctionDirective> {
        let first = self.at;
        let word = self.spelling();
        self.advance();
        Ok(match word {
            ".maxntid" => FunctionDirective::MaxBlock(self.shape()?),
            ".reqntid" => FunctionDirective::RequiredBlock(self.shape()?),
            ".reqnctapercluster" => FunctionDirective::RequiredCluster(self.shape()?),
            ".minnctapersm" => {
                FunctionDirective::MinBlocksPerSm(self.integer("the number of blocks")?)
            }
            ".maxnreg" => FunctionDirective::MaxRegisters(self.integer("the number of registers")?),
            ".pragma" => FunctionDirective::Other({
                self.at = first;
                self.directive_words()?[1..].to_owned()
            }),
            // An unknown directive: a word with optional plain arguments.
            _ if word[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
                while matches!(
                    self.kind(),
                    TokenKind::Number
                        | TokenKind::StringLiteral
                        | TokenKind::Word
                        | TokenKind::Punctuation(b',' | b'(' | b')')
                ) {
                    self.advance();
                }
                FunctionDirective::Other(self.normalized(first)[1..].to_owned())
            }
            _ => {
                self.at = first;
                return Err(self.expected("a directive or the body of the function", None));
            }
        })
    }

    /// `x, y, z`; a missing extent is 1.
    fn shape(&mut self) -> Parsed<[u32; 3]> {
        let mut shape = [1; 3];
        for (index, extent) in shape.iter_mut().enumerate() {
            if index > 0 && !self.eat(b',') {
                break;
            }
            *extent = self.integer("the number of threads or blocks")?;
        }
        Ok(shape)
    }

    /// Skips the item that began at token `first`: past its `;` or its closing brace, or to a
    /// directive on a later line that starts the next item.
    fn skip_item(&mut self, first: usize) {
        if self.kind() == TokenKind::End {
            return;
        }
        self.at = first;
        let mut open = 0;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Punctuation(b'{') => open += 1,
                TokenKind::Punctuation(b'}') if open <= 1 => return self.advance(),
                TokenKind::Punctuation(b'}') => open -= 1,
                TokenKind::Punctuation(b';') if open == 0 => return self.advance(),
                TokenKind::Dotted if open == 0 && self.at > first => {
                    let new_line = self.tokens[self.at - 1].line < token.line;
                    if new_line && self.starts_item() {
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }
}

/// The highest `.file` number accepted. The table has one entry per number.
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
    /// Reports a directive of the heading that is out of order.
    pub(super) fn opens(&mut self, in_time: bool) -> Parsed<()> {
        if in_time {
            return Ok(());
        }
        let help = "a module starts with one `.version`, then `.target`, then `.address_size`";
        let message = format!("`{}` is out of order", self.spelling());
        Err(self.report(message, Some(help)))
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
            return Err(
                self.report(message, Some("a text holds one module; parse each module separately"))
            );
        }
        self.advance();
        Ok(())
    }

    /// `.target sm_90a, debug`. ptxas accepts an identical second directive anywhere.
    pub(super) fn target(&mut self) -> Parsed<Target> {
        let directive = self.token();
        self.advance();
        let target = self.target_words()?;
        if self.target.as_ref().is_some_and(|first| *first != target) {
            let help = "a text holds one module; parse each module separately";
            let message = "a second `.target` that differs from the first";
            return Err(self.report_at(directive, message, Some(help)));
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
            return Err(self.report_at(
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
                Err(self.report_at(token, "only 64-bit addresses are supported", Some(help)))
            }
        }
    }

    /// `.file 1 "path"`, with or without a time stamp and a size.
    pub(super) fn file(&mut self, files: &mut Vec<String>) -> Parsed<()> {
        self.advance();
        let token = self.token();
        let number = self.plain_number("a file number")?;
        let mut path = self.string("the path of the file")?;
        if self.kind() == TokenKind::StringLiteral {
            path = format!("{path}/{}", self.string("the name of the file")?);
        }
        while self.eat(b',') {
            self.integer::<u64>("a time stamp or a size")?;
        }
        if number > MOST_FILES {
            return Err(self.report_at(token, "the file number is above 65536", None));
        }
        // File 0 of newer debug formats repeats file 1.
        let Some(index) = (number as usize).checked_sub(1) else { return Ok(()) };
        if files.len() <= index {
            files.resize(index + 1, String::new());
        }
        files[index] = path;
        Ok(())
    }

    /// The contents of a string, with `\\` and `\"` resolved.
    fn string(&mut self, what: &str) -> Parsed<String> {
        if self.kind() != TokenKind::StringLiteral {
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

/// The data directives of a section.
const DATA: [&str; 4] = [".b8", ".b16", ".b32", ".b64"];

impl Parser<'_> {
    /// `.section .debug_str { ... }` as unchanged text.
    pub(super) fn section(&mut self) -> Parsed<String> {
        let start = self.token().start as usize;
        while !matches!(self.kind(), TokenKind::End | TokenKind::Punctuation(b'{' | b';' | b'}')) {
            self.advance();
        }
        let open = self.token();
        self.expect(b'{', "after the section's name")?;
        while !self.eat(b'}') {
            match self.kind() {
                TokenKind::End => {
                    let help = "close it with `}`; the text may be truncated";
                    return Err(self.report_at(open, "the section never ends", Some(help)));
                }
                TokenKind::Word if self.ahead(1).kind == TokenKind::Punctuation(b':') => {
                    self.advance();
                    self.advance();
                }
                TokenKind::Dotted if DATA.contains(&self.spelling()) => {
                    self.advance();
                    self.datum()?;
                    while self.eat(b',') {
                        self.datum()?;
                    }
                }
                _ => return Err(self.expected("a label or data such as `.b8 1`", None)),
            }
        }
        Ok(self.text[start..self.tokens[self.at - 1].end as usize].to_owned())
    }

    /// A value in a section: a sum or difference of numbers, labels and names of sections.
    fn datum(&mut self) -> Parsed<()> {
        loop {
            self.eat(b'-');
            let value = matches!(self.kind(), TokenKind::Number | TokenKind::Word)
                || self.kind() == TokenKind::Dotted && !DATA.contains(&self.spelling());
            if !value {
                return Err(self.expected("a number or a label", None));
            }
            self.advance();
            if !self.is(b'+') && !self.is(b'-') {
                return Ok(());
            }
            self.eat(b'+');
        }
    }
}
