//! Module scope: functions, variables and other directives.

use super::declarations::TEXTURES;
use super::heading::Heading;
use super::lexer::Kind;
use super::{Parsed, Parser};
use crate::ast::*;
use crate::types::StateSpace;

/// Whether a directive declares variables of a state space.
fn is_space(word: &str) -> bool {
    let named = word.strip_prefix('.').and_then(StateSpace::from_name);
    named.is_some() || word == TEXTURES
}

impl Parser<'_> {
    /// The whole module; problems are in the collector.
    pub(super) fn module(&mut self) -> Module {
        let mut heading = Heading::default();
        let mut items = Vec::new();
        let start = self.token();
        while self.kind() != Kind::End {
            let first = self.at;
            if self.item(&mut heading, &mut items).is_err() {
                self.skip_item(first);
            }
        }
        let missing =
            [(heading.version.is_none(), ".version"), (heading.target.is_none(), ".target")];
        if let Some((_, directive)) = missing.into_iter().find(|(missing, _)| *missing) {
            let help = "a module starts like this: .version 7.0 / .target sm_80 / .address_size 64";
            self.complain_at(start, format!("the module has no `{directive}`"), Some(help));
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
        if self.kind() != Kind::Dotted {
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

    /// A function or variables, from their linkage on.
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
        while self.kind() == Kind::Dotted && !self.starts_item() {
            directives.push(self.function_directive()?);
        }
        self.location = None;
        let ends = self.kind() == Kind::End || self.starts_item();
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
        self.kind() == Kind::Dotted && (STARTS.contains(&word) || is_space(word))
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
                    Kind::Number | Kind::Text | Kind::Word | Kind::Mark(b',' | b'(' | b')')
                ) {
                    self.advance();
                }
                FunctionDirective::Other(self.normalised(first)[1..].to_owned())
            }
            _ => {
                self.at = first;
                return Err(self.expected("a directive or the body of the function", None));
            }
        })
    }

    /// `x, y, z`, the later ones 1 where absent.
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
        if self.kind() == Kind::End {
            return;
        }
        self.at = first;
        let mut open = 0;
        loop {
            let token = self.token();
            match token.kind {
                Kind::End => return,
                Kind::Mark(b'{') => open += 1,
                Kind::Mark(b'}') if open <= 1 => return self.advance(),
                Kind::Mark(b'}') => open -= 1,
                Kind::Mark(b';') if open == 0 => return self.advance(),
                Kind::Dotted if open == 0 && self.at > first => {
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
