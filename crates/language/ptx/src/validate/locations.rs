//! Source positions: what `.loc` says of inlined calls names places and labels that are there.

use super::Checker;
use crate::ast::Item;

impl Checker<'_> {
    /// The labels of debug sections.
    pub(super) fn sections(&mut self) {
        for item in &self.module.items {
            let Item::Directive(text) = item else { continue };
            if !text.starts_with(".section") {
                continue;
            }
            for label in text.split_whitespace().filter_map(|word| word.strip_suffix(':')) {
                if !self.debug_labels.insert(label) {
                    let message =
                        format!("the label `{label}` is declared twice in debug sections");
                    self.complain(0, message, Some("remove one"));
                }
            }
        }
    }

    /// A `.loc` before an instruction, with the words after its place.
    pub(super) fn location(&mut self, place: [u32; 3], inlined: &str, line: u32) {
        self.locations.insert(place);
        if inlined.is_empty() {
            return;
        }
        let mut words = inlined.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            match word {
                "function_name" => {
                    let label =
                        words.next().unwrap_or_default().split('+').next().unwrap_or_default();
                    if !self.debug_labels.contains(label) {
                        let message = format!("`.loc` names `{label}`, which no section has");
                        self.complain(line, message, Some("remove `function_name`"));
                    }
                }
                "inlined_at" => {
                    let mut number = || words.next()?.parse().ok();
                    let outer = (|| Some([number()?, number()?, number()?]))();
                    if let Some(outer) = outer
                        && !self.locations.contains(&outer)
                    {
                        let [file, row, column] = outer;
                        let message =
                            format!("`inlined_at {file} {row} {column}` names no `.loc` before it");
                        self.complain(line, message, Some("put `.loc` of the call first"));
                    }
                }
                _ => {}
            }
        }
    }

    /// A `.loc` that stands alone, as text.
    pub(super) fn standing_location(&mut self, words: &str, line: u32) {
        let Some(rest) = words.strip_prefix(".loc") else { return };
        let (place, inlined) = rest.split_once(',').unwrap_or((rest, ""));
        let mut numbers = place.split_whitespace().map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        self.location([next(), next(), next()], inlined, line);
    }
}
