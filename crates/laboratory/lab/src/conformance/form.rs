//! Forms: the rows of the catalog with every alternative written out, and the PTX around a form: an entry in which each
//! thread applies it to its own operands.

use super::catalog::{CHAPTERS, NumberClass, Row, RowKinds};
use super::operands::OperandKind;
use lanework::ptx::{Instruction, Opcode, ScalarType};
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

/// The chapter of combinations; the coverage table does not list them.
pub(super) const COMBINATIONS: usize = usize::MAX;

/// One form of an instruction.
#[derive(Clone, Debug)]
pub struct InstructionForm {
    /// Number of its chapter.
    pub chapter: usize,
    /// Its instruction, such as `add`.
    pub opcode: Opcode,
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
            opcode: Instruction::new(name, Vec::new()).opcode,
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

/// Every form of the catalog, in its order.
pub fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for (chapter, part) in CHAPTERS.iter().enumerate() {
        for row in part.rows {
            expand(chapter, row, &mut forms);
        }
    }
    forms
}

/// For each row that runs: the first form of each combination of opcode and operand kinds.
/// Combinations are made from these.
pub(super) fn firsts() -> Vec<InstructionForm> {
    let mut firsts: Vec<InstructionForm> = Vec::new();
    for (chapter, part) in CHAPTERS.iter().enumerate() {
        for row in part.rows {
            let mut all = Vec::new();
            expand(chapter, row, &mut all);
            let mut seen = Vec::new();
            for form in all.into_iter().filter(InstructionForm::runs) {
                let kinds = (form.opcode, form.results.clone(), form.operands.clone());
                if !seen.contains(&kinds) {
                    seen.push(kinds);
                    firsts.push(form);
                }
            }
        }
    }
    firsts
}

fn expand(chapter: usize, row: &Row, forms: &mut Vec<InstructionForm>) {
    for name in names(row) {
        let instruction = Instruction::new(&name, Vec::new());
        let [results, operands] = kinds(row, &instruction);
        let pattern = if row.text.is_empty() { usual(operands.len()) } else { row.text.to_owned() };
        for text in alternatives(&pattern, ['<', '|', '>']) {
            forms.push(InstructionForm {
                chapter,
                opcode: instruction.opcode,
                name: name.clone(),
                text: place(&text, &name),
                results: results.clone(),
                operands: operands.clone(),
            });
        }
    }
}

/// The names that rows write out.
static NAMED: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let rows = CHAPTERS.iter().flat_map(|chapter| chapter.rows);
    let written = rows.filter(|row| !matches!(row.kinds, RowKinds::Rest(_)));
    written.flat_map(names).collect()
});

/// The names of a row's forms.
fn names(row: &Row) -> Vec<String> {
    let RowKinds::Rest(class) = row.kinds else {
        return alternatives(row.names, ['{', ',', '}']);
    };
    let opcodes = row.names.split(' ').map(Opcode::from_name);
    let all = opcodes.flat_map(Instruction::on_values);
    let of_class = all.filter(|instruction| class_of(instruction) == class);
    of_class.map(|instruction| instruction.name()).filter(|name| !NAMED.contains(name)).collect()
}

fn class_of(instruction: &Instruction) -> NumberClass {
    match instruction.modifiers.iter().rev().find_map(|modifier| modifier.scalar_type()) {
        Some(ScalarType::F32 | ScalarType::F64) => NumberClass::Float,
        Some(ty) if ty.is_float() => NumberClass::Half,
        _ => NumberClass::Integer,
    }
}

/// The kinds of results and operands of a row's instruction. A test ensures that the instruction
/// table has the types of every row that relies on it.
fn kinds(row: &Row, instruction: &Instruction) -> [Vec<OperandKind>; 2] {
    let named = |words: &str| words.split_whitespace().map(OperandKind::from_name).collect();
    match row.kinds {
        RowKinds::NotRun => [Vec::new(), Vec::new()],
        RowKinds::Named(results, operands) => [named(results), named(operands)],
        RowKinds::Table | RowKinds::Rest(_) => {
            let types = instruction.operand_types().unwrap_or_default();
            let mut kinds = types.into_iter().map(OperandKind::from_type);
            [kinds.next().into_iter().collect(), kinds.collect()]
        }
    }
}

/// Replaces the `@` by the name.
fn place(text: &str, name: &str) -> String {
    text.replace('@', name)
}

/// `@ $d, $a, $b;` for as many operands as there are.
fn usual(operands: usize) -> String {
    let mut text = "@ $d".to_owned();
    for name in ["$a", "$b", "$c", "$e"].iter().take(operands) {
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

/// Threads of a block; the number of operands is a multiple of it.
pub const BLOCK: usize = 128;

/// Bytes of one thread's operands, and of its scratch cell.
pub const OPERANDS: usize = 32;

/// Bytes of one thread's results.
pub const RESULTS: usize = 16;

/// Header of every module.
pub const HEAD: &str = ".version 8.7\n.target sm_90a\n.address_size 64\n";

/// The storage of a kind: a register's type.
pub(super) fn register(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Pred => "pred",
        kind => ["b16", "b32", "b64"][kind.bytes().ilog2() as usize - 1],
    }
}

/// A module that runs forms, entry `k0` for the first.
pub fn module(forms: &[&InstructionForm]) -> String {
    let mut text = HEAD.to_owned();
    for (i, form) in forms.iter().enumerate() {
        entry(&mut text, &format!("k{i}"), form);
    }
    text
}

fn entry(out: &mut String, name: &str, form: &InstructionForm) {
    let _ = writeln!(
        out,
        ".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{{\n\
         .reg .b32 %i<4>; .reg .b64 %in, %out, %m, %j; .reg .b32 %s;\n\
         .shared .align 16 .b8 cell[{}];",
        BLOCK * OPERANDS
    );
    let operands = form.operands.iter().zip(["a", "b", "c", "e"]);
    let results = form.results.iter().zip(["d", "q"]);
    for (kind, name) in operands.clone().chain(results.clone()) {
        let _ = writeln!(out, ".reg .{} %{name};", register(*kind));
    }
    let _ = writeln!(
        out,
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %m, [scratch];\n\
         mov.u32 %i0, %tid.x; mov.u32 %i1, %ctaid.x; mad.lo.u32 %i2, %i1, {BLOCK}, %i0;\n\
         mul.wide.u32 %j, %i2, {OPERANDS}; add.u64 %in, %in, %j; add.u64 %m, %m, %j;\n\
         mul.wide.u32 %j, %i2, {RESULTS}; add.u64 %out, %out, %j;\n\
         mov.u32 %s, cell; mad.lo.u32 %s, %i0, {OPERANDS}, %s;"
    );
    for (i, (kind, name)) in operands.enumerate() {
        let at = 8 * i;
        let _ = match kind {
            OperandKind::Pred => {
                writeln!(out, "ld.global.u32 %i3, [%in+{at}]; setp.ne.u32 %{name}, %i3, 0;")
            }
            kind => writeln!(out, "ld.global.{} %{name}, [%in+{at}];", register(*kind)),
        };
    }
    let _ = writeln!(out, "{}", form.text.replace('$', "%"));
    for (i, (kind, name)) in results.enumerate() {
        let at = 8 * i;
        let _ = match kind {
            OperandKind::Pred => {
                writeln!(out, "selp.u32 %i3, 1, 0, %{name}; st.global.u32 [%out+{at}], %i3;")
            }
            kind => writeln!(out, "st.global.{} [%out+{at}], %{name};", register(*kind)),
        };
    }
    out.push_str("ret;\n}\n");
}

/// A module that holds only the form, to test whether it loads.
pub fn load_test(form: &InstructionForm) -> String {
    if form.runs() {
        return module(&[form]);
    }
    // Declared only if used: the emulator has no registers of this type.
    let widest = if form.text.contains("%x") { ".reg .b128 %x<2>;" } else { "" };
    format!(
        "{HEAD}.func callee() {{ ret; }}\n.visible .entry k0()\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %l<8>; {widest}\n\
         {}\nEND: ret;\n}}\n",
        form.text
    )
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
    fn the_catalog_has_every_opcode_and_the_table_every_form() {
        let forms = forms();
        for opcode in Opcode::ALL {
            assert!(forms.iter().any(|form| form.opcode == *opcode), "{opcode} has no row");
        }
        for form in &forms {
            let instruction = Instruction::new(&form.name, Vec::new());
            assert_eq!(instruction.unknown_name, None, "{}", form.name);
        }
        for row in CHAPTERS.iter().flat_map(|chapter| chapter.rows) {
            if let RowKinds::Table | RowKinds::Rest(_) = row.kinds {
                let mut all = Vec::new();
                expand(0, row, &mut all);
                assert!(!all.is_empty() && all.iter().all(InstructionForm::runs), "{}", row.names);
            }
        }
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
