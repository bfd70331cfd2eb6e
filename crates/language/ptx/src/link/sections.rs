//! Labels of debug sections belong to their module: where another module has one of the same name, it gets a suffix, there and where
//! `.loc` names it.

use crate::ast::{Item, Module, Statement};
use std::collections::HashSet;

/// Gives labels that are taken the suffix of this module, and takes the module's.
pub(super) fn separate(module: &mut Module, taken: &mut HashSet<String>, suffix: &str) {
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
