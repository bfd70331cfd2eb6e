//! The forms of all chapters: the rows of the catalog with every alternative written out, samples of the other forms of
//! the instruction table, and moves from special registers.

use super::access::access;
use super::catalog::{CHAPTERS, NumberClass, OtherForms, Row, RowKinds};
use super::form::InstructionForm;
use super::operands::OperandKind;
use lanework::ptx::{
    Instruction, Modifier, NamedSpecial, Opcode, Operand, ScalarType, Section, SpecialShape,
};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Every form of the catalog, in its order.
pub fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for (number, chapter) in CHAPTERS.iter().enumerate() {
        for row in chapter.rows {
            expand(number, row, &mut forms);
        }
        let others = match chapter.others {
            OtherForms::Nothing => Vec::new(),
            OtherForms::Section(section) => samples(section, None),
            OtherForms::Arithmetic(class) => samples(Section::Arithmetic, Some(class)),
            OtherForms::SpecialRegisters => special_registers(),
        };
        forms.extend(others.into_iter().map(|instruction| InstructionForm {
            chapter: number,
            opcode: instruction.opcode,
            name: instruction.name(),
            text: format!("{instruction};"),
            results: Vec::new(),
            operands: Vec::new(),
        }));
    }
    forms
}

/// Samples of a section's forms that no row has, on numbers of the class if there is one.
fn samples(section: Section, class: Option<NumberClass>) -> Vec<Instruction> {
    let mut seen = HashSet::new();
    let opcodes = Opcode::ALL.iter().copied().filter(|opcode| opcode.section() == section);
    let new = opcodes.flat_map(Instruction::samples).filter(|instruction| {
        let (name, count) = (instruction.name(), instruction.operands.len());
        class.is_none_or(|class| class == class_of(instruction))
            && !NAMED.contains(&name)
            && !ON_VALUES.contains(&(name, count))
            && seen.insert(instruction.to_string())
    });
    new.collect()
}

/// Moves from each special register.
fn special_registers() -> Vec<Instruction> {
    let each = NamedSpecial::all().flat_map(|(name, special)| {
        let (mov, register) = match special.shape {
            SpecialShape::Predicate => ("mov.pred", "%p0"),
            SpecialShape::Wide | SpecialShape::Either => ("mov.u64", "%l0"),
            SpecialShape::Vector | SpecialShape::Word => ("mov.u32", "%r0"),
        };
        let elements = [".x", ".y", ".z", ".w"];
        let elements = if special.elements() == 1 { &[""] } else { &elements[..] };
        let of = move |element: &&str| {
            let operands = [register.to_owned(), format!("%{name}{element}")];
            Instruction::new(mov, operands.map(Operand::Name).into())
        };
        elements.iter().map(of).collect::<Vec<_>>()
    });
    each.collect()
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
        let pattern = match row.kinds {
            RowKinds::Memory => access(&instruction).text,
            _ if row.text.is_empty() => usual(operands.len()),
            _ => row.text.to_owned(),
        };
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
static NAMED: LazyLock<HashSet<String>> =
    LazyLock::new(|| rows().filter(|row| !is_on_values(row)).flat_map(names).collect());

/// The names of rows whose operands the instruction table gives, with the numbers of operands.
static ON_VALUES: LazyLock<HashSet<(String, usize)>> = LazyLock::new(|| {
    let all = rows().filter(|row| is_on_values(row)).flat_map(|row| {
        names(row).into_iter().map(|name| {
            let types = Instruction::new(&name, Vec::new()).operand_types();
            (name, types.map_or(0, |types| types.len()))
        })
    });
    all.collect()
});

fn rows() -> impl Iterator<Item = &'static Row> {
    CHAPTERS.iter().flat_map(|chapter| chapter.rows)
}

fn is_on_values(row: &Row) -> bool {
    matches!(row.kinds, RowKinds::Table | RowKinds::Rest(_))
}

/// The names of a row's forms.
fn names(row: &Row) -> Vec<String> {
    let RowKinds::Rest(class) = row.kinds else {
        return alternatives(row.names, ['{', ',', '}']);
    };
    let opcodes = row.names.split(' ').map(Opcode::from_name);
    let all = opcodes.flat_map(Instruction::on_values);
    let of_class = all.filter(|instruction| class_of(instruction) == class && is_run(instruction));
    of_class.map(|instruction| instruction.name()).filter(|name| !WRITTEN.contains(name)).collect()
}

/// The names that rows other than `rest` rows write out.
static WRITTEN: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let written = rows().filter(|row| !matches!(row.kinds, RowKinds::Rest(_)));
    written.flat_map(names).collect()
});

/// Whether the target that runs the forms, sm_90a, has the instruction.
fn is_run(instruction: &Instruction) -> bool {
    instruction.lowest_architecture() <= 90
}

fn class_of(instruction: &Instruction) -> NumberClass {
    if instruction.has(Modifier::F32x2) {
        return NumberClass::Float;
    }
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
        RowKinds::Memory => {
            let access = access(instruction);
            [vec![access.kind; access.results], vec![access.kind; access.operands]]
        }
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
