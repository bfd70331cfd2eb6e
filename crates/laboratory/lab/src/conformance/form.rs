//! Forms: the rows of the catalogue with every alternative written out, and the text of each.

use super::catalogue::{CHAPTERS, Row};
use super::operands::OperandKind;

/// The chapter of combinations; the coverage table does not list them.
pub(super) const COMBINATIONS: usize = usize::MAX;

/// One form of an instruction.
#[derive(Clone, Debug)]
pub struct InstructionForm {
    /// Number of its chapter.
    pub chapter: usize,
    /// Its instruction, such as `add`.
    pub opcode: String,
    /// Its name, such as `add.rn.f32`.
    pub name: String,
    /// Its text: the name, and the operands if they are not the usual ones.
    pub text: String,
    /// Kinds of its results; empty if it is not run.
    pub results: Vec<OperandKind>,
    /// Kinds of its operands.
    pub operands: Vec<OperandKind>,
}

impl InstructionForm {
    /// A combination: a form with its own text.
    pub fn combination(
        name: &str,
        text: String,
        results: &[OperandKind],
        operands: &[OperandKind],
    ) -> InstructionForm {
        InstructionForm {
            chapter: COMBINATIONS,
            opcode: name.split('.').next().unwrap_or_default().to_owned(),
            name: name.to_owned(),
            text,
            results: results.to_vec(),
            operands: operands.to_vec(),
        }
    }

    /// Its key in the vectors, unique among all forms.
    pub fn key(&self) -> &str {
        &self.text
    }

    /// Bytes of the results of one thread.
    pub fn bytes(&self) -> usize {
        self.results.iter().map(|kind| kind.bytes()).sum()
    }

    /// Whether it combines an instruction with an operand, or with another instruction that shares its state.
    pub fn is_combination(&self) -> bool {
        self.chapter == COMBINATIONS
    }

    /// Whether it is run, not just loaded.
    pub fn runs(&self) -> bool {
        !self.results.is_empty()
    }
}

/// Every form of the catalogue, in its order.
pub fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for (chapter, part) in CHAPTERS.iter().enumerate() {
        for row in part.rows {
            expand(chapter, row, &mut forms);
        }
    }
    forms
}

/// The first form of each instruction in each row that runs; combinations are made from these.
pub(super) fn firsts() -> Vec<InstructionForm> {
    let mut firsts: Vec<InstructionForm> = Vec::new();
    for (chapter, part) in CHAPTERS.iter().enumerate() {
        for row in part.rows.iter().filter(|row| !row.results.is_empty()) {
            let mut all = Vec::new();
            expand(chapter, row, &mut all);
            let mut seen: Vec<String> = Vec::new();
            for form in all {
                if !seen.contains(&form.opcode) {
                    seen.push(form.opcode.clone());
                    firsts.push(form);
                }
            }
        }
    }
    firsts
}

fn expand(chapter: usize, row: &Row, forms: &mut Vec<InstructionForm>) {
    let kinds = |words: &str| words.split_whitespace().map(OperandKind::from_name).collect();
    for name in alternatives(row.names, ['{', ',', '}']) {
        let pattern = if row.text.is_empty() { usual(row) } else { row.text.to_owned() };
        for text in alternatives(&pattern, ['<', '|', '>']) {
            forms.push(InstructionForm {
                chapter,
                opcode: name.split('.').next().unwrap_or_default().to_owned(),
                name: name.clone(),
                text: place(&text, &name),
                results: kinds(row.results),
                operands: kinds(row.operands),
            });
        }
    }
}

/// Replaces the `@` by the name.
fn place(text: &str, name: &str) -> String {
    text.replace('@', name)
}

/// `@ $d, $a, $b;` for as many operands as there are.
fn usual(row: &Row) -> String {
    let mut text = "@ $d".to_owned();
    for name in ["$a", "$b", "$c", "$e"].iter().take(row.operands.split_whitespace().count()) {
        text.push_str(", ");
        text.push_str(name);
    }
    text + ";"
}

/// Every way to choose from the alternatives in a pattern, which do not nest.
fn alternatives(pattern: &str, [open, between, close]: [char; 3]) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once(open) else { return vec![pattern.to_owned()] };
    let Some((choices, after)) = rest.split_once(close) else { return vec![pattern.to_owned()] };
    let tails = alternatives(after, [open, between, close]);
    let with = |choice: &str| -> Vec<String> {
        tails.iter().map(|tail| format!("{before}{choice}{tail}")).collect()
    };
    choices.split(between).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_multiply() {
        let names = alternatives("add{.rn,.rz}{,.ftz}.f32", ['{', ',', '}']);
        assert_eq!(names, ["add.rn.f32", "add.rn.ftz.f32", "add.rz.f32", "add.rz.ftz.f32"]);
        assert_eq!(
            alternatives("{$d, $q}, <1|2>", ['<', '|', '>']),
            ["{$d, $q}, 1", "{$d, $q}, 2"]
        );
    }

    #[test]
    fn no_two_forms_are_the_same() {
        let mut keys: Vec<(String, usize)> =
            forms().iter().map(|f| (f.key().to_owned(), f.operands.len())).collect();
        keys.sort();
        let twice: Vec<_> = keys.windows(2).filter(|w| w[0].0 == w[1].0).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
