//! Source positions of a module that becomes part of another: its files get new numbers, and instructions
//! without a position that of their line in the PTX.

use crate::ast::*;

/// Gives the files of a module the numbers after `before`, and adds the PTX file itself as one.
pub(super) fn renumber(module: &mut Module, before: &[String], file: &str) {
    let by = before.len() as u32;
    module.files.push(file.to_owned());
    let own = by + module.files.len() as u32;
    for item in &mut module.items {
        if let Item::Function(Function { body: Some(body), .. }) = item {
            statements(body, by, own);
        }
    }
}

fn statements(list: &mut [Statement], by: u32, own: u32) {
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
            Statement::Block(inner) => statements(inner, by, own),
            _ => {}
        }
    }
}

/// The text with the number after `word` increased.
fn shifted(text: &str, word: &str, by: u32) -> String {
    let Some((before, after)) = text.split_once(word) else { return text.to_owned() };
    let blank = after.len() - after.trim_start().len();
    let digits = after[blank..].find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len() - blank);
    match after[blank..blank + digits].parse::<u32>() {
        Ok(number) => format!("{before}{word} {}{}", number + by, &after[blank + digits..]),
        Err(_) => text.to_owned(),
    }
}
