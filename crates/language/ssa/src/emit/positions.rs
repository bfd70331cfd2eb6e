//! Positions in the source as `.loc` directives, with the calls that were inlined (`inlined_at`).
//!
//! PTX names a call by its position only, so a reader knows the calls around it from the last `.loc` with that position.
//! Before an instruction, each call around it gets a `.loc` of its own, unless its last one says the same.

use crate::ir::{InlinedCall, SourcePosition};
use lanework_ptx::Location;
use std::collections::HashMap;
use std::fmt::Write;

/// File, line and column.
type LocTriple = [u32; 3];

/// Largest number of calls around an instruction that are written.
const DEEPEST: usize = 32;

/// The names of inlined functions, which `.loc` names by labels of `.debug_str`.
#[derive(Default)]
pub(super) struct FunctionNames {
    numbers: HashMap<String, usize>,
    text: String,
}

impl FunctionNames {
    fn label(&mut self, function: &str) -> String {
        let next = self.numbers.len();
        let number = *self.numbers.entry(function.to_owned()).or_insert_with(|| {
            let _ = write!(self.text, "\n$L__info_string{next}:\n.b8 ");
            for byte in function.bytes() {
                let _ = write!(self.text, "{byte},");
            }
            self.text.push('0');
            next
        });
        format!("$L__info_string{number}")
    }

    /// The section with the names, if there are any.
    pub fn section(&self) -> Option<String> {
        let any = !self.text.is_empty();
        any.then(|| format!(".section .debug_str {{{}\n}}", self.text))
    }
}

/// The positions of a function's instructions.
pub(super) struct Positions<'a> {
    pub calls: &'a [InlinedCall],
    pub names: &'a mut FunctionNames,
    /// The words after the position in the last `.loc` of a place.
    pub known: HashMap<LocTriple, Option<String>>,
}

impl Positions<'_> {
    /// Directives for the calls around an instruction, and the location of the instruction; `None` if it is unknown.
    pub fn of(&mut self, position: SourcePosition) -> (Vec<String>, Option<Location>) {
        if position.file == 0 {
            return (Vec::new(), None);
        }
        // The instruction's place and its calls' places, innermost first, each with the function that was called there.
        let mut chain: Vec<(LocTriple, &str)> = vec![(place(position), "")];
        let mut at = position;
        while let Some(call) = self.calls.get((at.inlined as usize).wrapping_sub(1)) {
            let next = place(call.position);
            // A place cannot be around itself, as in a macro, and a header may have no position.
            if next[0] == 0 || chain.len() > DEEPEST {
                break;
            }
            if !chain.iter().any(|(known, _)| *known == next) {
                chain.push((next, &call.function));
            }
            at = call.position;
        }
        let mut directives = Vec::new();
        let mut inlined = None;
        for index in (0..chain.len()).rev() {
            let outer = chain.get(index + 1);
            inlined = outer.map(|([file, line, column], function)| {
                let label = self.names.label(function);
                format!("function_name {label}, inlined_at {file} {line} {column}")
            });
            let here = chain[index].0;
            let old = self.known.insert(here, inlined.clone());
            if index > 0 && old.as_ref() != Some(&inlined) {
                let [file, line, column] = here;
                let words = inlined.as_ref().map_or(String::new(), |words| format!(", {words}"));
                directives.push(format!(".loc {file} {line} {column}{words}"));
            }
        }
        let SourcePosition { file, line, column, .. } = position;
        (directives, Some(Location { file, line, column, inlined }))
    }
}

fn place(position: SourcePosition) -> LocTriple {
    [position.file, position.line, position.column]
}
