//! Prepares a module for merging: gives private names and debug labels a suffix, source files new numbers, and
//! instructions without a position their line in the PTX text.

use crate::ast::{Item, Module, Statement, *};
use crate::diagnostics::{LinkError, refuse};
use std::collections::{HashMap, HashSet};

/// The name of an item.
pub(super) fn name_of(item: &Item) -> Option<&str> {
    match item {
        Item::Variable(variable) => Some(&variable.name),
        Item::Function(function) => Some(&function.name),
        Item::Directive(_) => None,
    }
}

/// The names that are private to their module.
pub(super) fn own_names(module: &Module) -> HashSet<String> {
    let mut own: HashSet<String> = HashSet::new();
    let linkage_of = |item: &Item| match item {
        Item::Variable(variable) => Some(variable.linkage),
        Item::Function(function) if function.entry => Some(Linkage::Visible),
        Item::Function(function) => Some(function.linkage),
        Item::Directive(_) => None,
    };
    for item in &module.items {
        if let (Some(name), Some(Linkage::Internal)) = (name_of(item), linkage_of(item)) {
            own.insert(name.to_owned());
        }
    }
    // A prototype without a linking directive may belong to a definition with one.
    for item in &module.items {
        if let (Some(name), Some(linkage)) = (name_of(item), linkage_of(item))
            && linkage != Linkage::Internal
        {
            own.remove(name);
        }
    }
    own
}

/// Renames names everywhere in a module. Also renames a local name that hides one of them, which does not change the
/// meaning.
///
/// # Errors
/// If numbered registers hide a name.
pub(super) fn rename_all(
    module: &mut Module,
    names: &HashMap<String, String>,
    file: &str,
) -> Result<(), LinkError> {
    if names.is_empty() {
        return Ok(());
    }
    let renamer = Renamer { names };
    for item in &mut module.items {
        match item {
            Item::Variable(variable) => renamer.variable(variable),
            Item::Function(function) => {
                renamer.name(&mut function.name);
                function.returns.iter_mut().for_each(|v| renamer.variable(v));
                function.params.iter_mut().for_each(|v| renamer.variable(v));
                let body = function.body.iter_mut().flatten();
                for statement in body {
                    renamer.statement(statement).map_err(|name| {
                        let message = format!("the registers `{name}<n>` of {file} hide a name");
                        refuse(message, "rename the registers; compilers begin them with `%`")
                    })?;
                }
            }
            Item::Directive(words) if words.starts_with(".alias") => renamer.words(words),
            Item::Directive(_) => {}
        }
    }
    Ok(())
}

struct Renamer<'a> {
    names: &'a HashMap<String, String>,
}

impl Renamer<'_> {
    fn name(&self, name: &mut String) {
        let base = name.split('.').next().unwrap_or_default();
        if let Some(new) = self.names.get(base) {
            *name = format!("{new}{}", &name[base.len()..]);
        }
    }

    /// Renames in a text of names, numbers and separators.
    fn words(&self, words: &mut String) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let (mut text, mut rest) = (String::new(), words.as_str());
        while let Some(start) = rest.find(is_name) {
            text.push_str(&rest[..start]);
            let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |n| start + n);
            let word = &rest[start..end];
            text.push_str(self.names.get(word).map_or(word, String::as_str));
            rest = &rest[end..];
        }
        text.push_str(rest);
        *words = text;
    }

    fn variable(&self, variable: &mut Variable) {
        self.name(&mut variable.name);
        if let Some(init) = &mut variable.init {
            self.initializer(init);
        }
    }

    fn initializer(&self, init: &mut Initializer) {
        match init {
            Initializer::Value(_) | Initializer::Fields(_) => {}
            Initializer::Address { name, .. } => self.name(name),
            Initializer::Masked { address, .. } => self.initializer(address),
            Initializer::List(list) => list.iter_mut().for_each(|init| self.initializer(init)),
        }
    }

    /// Renames in a statement; the error is the name of numbered registers that hide a name.
    fn statement(&self, statement: &mut Statement) -> Result<(), String> {
        match statement {
            Statement::Registers(registers) => {
                for (name, count) in &mut registers.names {
                    let hides = |hidden: &String| {
                        let number = hidden.strip_prefix(name.as_str());
                        number.and_then(|n| n.parse::<u32>().ok()).is_some_and(|n| Some(n) < *count)
                    };
                    if self.names.keys().any(hides) {
                        return Err(name.clone());
                    }
                    if count.is_none() {
                        self.name(name);
                    }
                }
            }
            Statement::Variable(variable) => self.variable(variable),
            Statement::Label(name) => self.name(name),
            Statement::Instruction(instruction) => {
                if let Some(guard) = &mut instruction.guard {
                    self.name(&mut guard.register);
                }
                instruction.operands.iter_mut().for_each(|operand| self.operand(operand));
            }
            Statement::Block(inner) => {
                for statement in inner {
                    self.statement(statement)?;
                }
            }
            Statement::Directive(words) if !words.starts_with(".loc") => self.words(words),
            Statement::Directive(_) => {}
        }
        Ok(())
    }

    fn operand(&self, operand: &mut Operand) {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => self.name(name),
            Operand::Immediate(_) => {}
            Operand::Vector(list) | Operand::Arguments(list) => {
                list.iter_mut().for_each(|operand| self.operand(operand));
            }
            Operand::Pair(a, b) => {
                self.operand(a);
                self.operand(b);
            }
            Operand::Address(address) => {
                if let AddressBase::Name(name) = &mut address.base {
                    self.name(name);
                }
                address.extra.iter_mut().for_each(|operand| self.operand(operand));
            }
        }
    }
}

/// Renumbers the files of a module after `before`, and adds the PTX file itself.
pub(super) fn renumber_files(module: &mut Module, before: &[String], file: &str) {
    let by = before.len() as u32;
    module.files.push(file.to_owned());
    let own = by + module.files.len() as u32;
    for item in &mut module.items {
        if let Item::Function(Function { body: Some(body), .. }) = item {
            renumber_statements(body, by, own);
        }
    }
}

fn renumber_statements(list: &mut [Statement], by: u32, own: u32) {
    for statement in list {
        match statement {
            Statement::Instruction(instruction) => match &mut instruction.location {
                Some(location) => {
                    location.file += by;
                    if let Some(words) = &mut location.inlined {
                        *words = shifted(words, "inlined_at", by);
                    }
                }
                None => {
                    let line = instruction.text_line;
                    let location = Location { file: own, line, column: 0, inlined: None };
                    instruction.location = (line > 0).then_some(location);
                }
            },
            Statement::Directive(words) if words.starts_with(".loc ") => {
                *words = shifted(&shifted(words, ".loc", by), "inlined_at", by);
            }
            Statement::Block(inner) => renumber_statements(inner, by, own),
            _ => {}
        }
    }
}

/// The text with the number after `word` increased by `by`.
fn shifted(text: &str, word: &str, by: u32) -> String {
    let Some((before, after)) = text.split_once(word) else { return text.to_owned() };
    let blank = after.len() - after.trim_start().len();
    let digits = after[blank..].find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len() - blank);
    match after[blank..blank + digits].parse::<u32>() {
        Ok(number) => format!("{before}{word} {}{}", number + by, &after[blank + digits..]),
        Err(_) => text.to_owned(),
    }
}

/// Adds this module's suffix to labels in `taken`, which other modules use, and adds this module's labels to `taken`.
pub(super) fn separate_sections(module: &mut Module, taken: &mut HashSet<String>, suffix: &str) {
    let own: HashSet<String> = sections(module).flat_map(labels).collect();
    let clashes: HashSet<&String> = own.intersection(taken).collect();
    if !clashes.is_empty() {
        let rename = |text: &mut String| *text = with_suffix(text, &clashes, suffix);
        for item in &mut module.items {
            match item {
                Item::Directive(text) if is_section(text) => rename(text),
                Item::Function(function) => {
                    in_positions(function.body.iter_mut().flatten(), &rename);
                }
                _ => {}
            }
        }
    }
    taken.extend(own);
}

fn is_section(directive: &str) -> bool {
    directive.starts_with(".section")
}

fn sections(module: &Module) -> impl Iterator<Item = &str> {
    module.items.iter().filter_map(|item| match item {
        Item::Directive(text) if is_section(text) => Some(text.as_str()),
        _ => None,
    })
}

fn labels(section: &str) -> impl Iterator<Item = String> {
    section.split_whitespace().filter_map(|word| word.strip_suffix(':')).map(str::to_owned)
}

/// Renames in the positions of statements.
fn in_positions<'a>(
    statements: impl Iterator<Item = &'a mut Statement>,
    rename: &dyn Fn(&mut String),
) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => {
                let location = instruction.location.as_mut();
                location
                    .and_then(|location| location.inlined.as_mut())
                    .into_iter()
                    .for_each(rename);
            }
            Statement::Directive(words) if words.starts_with(".loc") => rename(words),
            Statement::Block(inner) => in_positions(inner.iter_mut(), rename),
            _ => {}
        }
    }
}

/// The text with a suffix after each of some names.
fn with_suffix(text: &str, names: &HashSet<&String>, suffix: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let (mut made, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_name) {
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |n| start + n);
        let word = &rest[start..end];
        made.push_str(&rest[..end]);
        if names.iter().any(|name| *name == word) {
            made.push_str(suffix);
        }
        rest = &rest[end..];
    }
    made + rest
}
