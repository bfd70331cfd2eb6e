//! Combinations: every kind of operand in every position of every instruction, and every pair of a writer and a reader
//! of shared state. Single forms miss errors of such interactions.
//!
//! ptxas accepts some of them. Its recorded verdict has a line per form of the catalog with the accepted operands,
//! each as `position:way`. The comparison omits combinations that the driver's compiler miscompiles, as observed with
//! driver 580 on an H200: no emulator of the instructions can reproduce their results.

mod pairs;

use super::exhaustive::is_approximate;
use crate::conformance::expand::{firsts, forms};
use crate::conformance::form::{COMBINATIONS, InstructionForm, register};
use crate::conformance::operands::OperandKind;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Every combination that ptxas accepts and compiles correctly, and whose results do not depend on the addresses of
/// variables.
pub fn combinations() -> Vec<InstructionForm> {
    let verdicts = Verdicts::recorded();
    let alone: HashSet<String> = forms().into_iter().map(|form| form.text).collect();
    let mut forms: Vec<InstructionForm> = candidates()
        .into_iter()
        .filter(|candidate| candidate.comparable && verdicts.accepts(candidate))
        .map(|candidate| candidate.form)
        .filter(|form| !alone.contains(&form.text))
        .collect();
    forms.extend(pairs::carry_forms());
    forms.extend(pairs::predicate_forms());
    forms.extend(pairs::memory_forms());
    forms.retain(|form| instead(form).is_none());
    forms
}

/// The compiler's behavior; `None` if it compiles the instruction correctly.
pub fn instead(form: &InstructionForm) -> Option<&'static str> {
    let (name, text) = (form.name.as_str(), form.text.as_str());
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let guarded = text.contains("@%g") || text.contains("@!%g") || text.contains("@$d");
    let literal = ["0f3F", "0d3F", "1.5"].iter().any(|literal| text.contains(literal));
    if is_approximate(form) && literal {
        return Some("computes the function of a constant itself, rounded to nearest");
    }
    if starts(&["red.global.v", "atom.global.v"]) && literal {
        return Some("takes the low word of a literal of 64 bits");
    }
    if starts(&["testp.finite"]) && guarded {
        return Some("leaves the guard out");
    }
    if starts(&["abs.f32", "neg.f32"]) && guarded {
        return Some("changes the sign bit alone, so that a NaN keeps its payload");
    }
    if starts(&["set."]) && guarded && (text.contains(".f16.") || text.contains(".bf16.")) {
        return Some("converts what the destination held before");
    }
    if starts(&["cvt.sat"]) && text.contains(".reg .v2") {
        return Some("leaves the saturation out");
    }
    if text.contains(".reg .b128") && guarded {
        return Some("splits the register, whose value is undefined where the guard is false");
    }
    let crashes =
        ["atom.shared.add.u32", "atom.shared.add.f32", "atom.shared.add.f64", "ld.shared.b64"];
    if crashes.contains(&name) {
        return Some("stops with a segmentation fault in a module of such combinations");
    }
    None
}

/// A way to write an operand, and whether its value is the same on all devices.
struct Syntax {
    /// Its name in the record of verdicts.
    name: &'static str,
    /// The replacement of the register; `$` is the register.
    text: &'static str,
    /// Text before the instruction.
    before: &'static str,
    /// Whether all devices have the same value.
    comparable: bool,
}

const fn syntax(name: &'static str, text: &'static str) -> Syntax {
    Syntax { name, text, before: "", comparable: true }
}

/// Ways to write a source value. `T` is the type of its register.
const VALUES: &[Syntax] = &[
    syntax("literal", "7"),
    syntax("negative", "-3"),
    syntax("hexadecimal", "0xF0F0F0F0"),
    syntax("expression", "(2 * 3 + 1 << 2)"),
    syntax("warp", "WARP_SZ"),
    syntax("single", "0f3FC00000"),
    syntax("double", "0d3FF8000000000000"),
    syntax("decimal", "1.5"),
    syntax("sum", "$+5"),
    syntax("difference", "$+-3"),
    syntax("minus", "$-3"),
    syntax("thread", "%tid.x"),
    syntax("thread-sum", "%tid.x+1"),
    syntax("lane", "%laneid"),
    syntax("lane-sum", "%laneid+1"),
    Syntax {
        name: "element",
        text: "%v.y",
        before: ".reg .v2 .T %v; mov.T %v.x, $; mov.T %v.y, $;",
        comparable: true,
    },
    Syntax {
        name: "element-sum",
        text: "%v.y+1",
        before: ".reg .v2 .T %v; mov.T %v.x, $; mov.T %v.y, $;",
        comparable: true,
    },
    Syntax { name: "variable", text: "cell", before: "", comparable: false },
    Syntax { name: "variable-sum", text: "cell+8", before: "", comparable: false },
    syntax("sink", "_"),
    syntax("not", "!$"),
    syntax("minus-register", "-$"),
];

/// Ways to write a source predicate.
const PREDICATES: &[Syntax] = &[
    syntax("not", "!$"),
    syntax("true", "1"),
    syntax("false", "0"),
    syntax("not-true", "!1"),
    syntax("sink", "_"),
    syntax("thread", "%tid.x"),
    Syntax { name: "variable", text: "cell", before: "", comparable: false },
];

/// An instruction with one operand written in another way.
pub struct OperandCandidate {
    /// The instruction as a form.
    pub form: InstructionForm,
    /// The form of the catalog from which it was derived.
    pub base: String,
    /// The operand and the way, such as `a:sum`.
    pub what: String,
    /// Whether all devices have the same result.
    pub comparable: bool,
}

/// All candidates, in the order of the catalog.
pub fn candidates() -> Vec<OperandCandidate> {
    let mut all = Vec::new();
    for form in firsts() {
        let Some(parts) = Parts::of(&form) else { continue };
        for (kind, name) in form.operands.iter().zip(["$a", "$b", "$c", "$e"]) {
            if parts.has(name) {
                read(&mut all, &form, &parts, *kind, name);
            }
        }
        for (i, name) in ["$d", "$q"].into_iter().enumerate().take(form.results.len()) {
            if parts.has(name) {
                written(&mut all, &form, &parts, i, name);
            }
        }
        guarded(&mut all, &form, &parts);
    }
    all
}

/// The text of a form around its instruction.
struct Parts<'a> {
    before: &'a str,
    /// The instruction with its semicolon.
    instruction: &'a str,
    after: &'a str,
}

impl<'a> Parts<'a> {
    fn of(form: &'a InstructionForm) -> Option<Parts<'a>> {
        let start = form.text.find(&format!("{} ", form.name))?;
        let (before, rest) = form.text.split_at(start);
        let (instruction, after) = rest.split_at(rest.find(';')? + 1);
        Some(Parts { before, instruction, after })
    }

    fn has(&self, name: &str) -> bool {
        self.instruction.contains(name)
    }
}

/// Declares the result and sets its value for lanes that do not write.
fn preset(kind: OperandKind, name: &str) -> String {
    match kind {
        OperandKind::Pred => format!("setp.ne.b32 {name}, 1, 0;"),
        kind => format!("mov.{} {name}, 85;", register(kind)),
    }
}

fn push(
    all: &mut Vec<OperandCandidate>,
    form: &InstructionForm,
    what: String,
    comparable: bool,
    text: String,
) {
    let (base, form) =
        (form.text.clone(), InstructionForm { chapter: COMBINATIONS, text, ..form.clone() });
    all.push(OperandCandidate { form, base, what, comparable });
}

fn read(
    all: &mut Vec<OperandCandidate>,
    form: &InstructionForm,
    parts: &Parts<'_>,
    kind: OperandKind,
    name: &str,
) {
    let ways = if kind == OperandKind::Pred { PREDICATES } else { VALUES };
    for way in ways {
        let operand = way.text.replace('$', name);
        let instruction = parts.instruction.replace(name, &operand);
        let before = way.before.replace('T', register(kind)).replace('$', name);
        let (open, close) = if before.is_empty() { ("", "") } else { ("{ ", " }") };
        // A declaration in braces must not hide declarations of the rest of the text.
        let text = match before.is_empty() {
            true => format!("{}{instruction}{}", parts.before, parts.after),
            false => {
                format!("{open}{before} {}{instruction}{}{close}", parts.before, parts.after)
            }
        };
        // The high half of a 32-bit special register read as 64 bits is undefined.
        let wide = kind.bytes() == 8 && way.name.starts_with("lane");
        let comparable = way.comparable && !wide;
        push(all, form, format!("{}:{}", &name[1..], way.name), comparable, text);
    }
}

fn written(
    all: &mut Vec<OperandCandidate>,
    form: &InstructionForm,
    parts: &Parts<'_>,
    i: usize,
    name: &str,
) {
    let (kind, Parts { before, instruction, after }) = (form.results[i], parts);
    let ty = register(kind);
    let set = preset(kind, name);
    let sunk = instruction.replace(name, "_");
    let label = |way: &str| format!("{}:{way}", &name[1..]);
    push(all, form, label("sink"), true, format!("{set} {before}{sunk}{after}"));
    if kind != OperandKind::Pred {
        let element = instruction.replace(name, "%v.y");
        let text = format!(
            "{{ .reg .v2 .{ty} %v; mov.{ty} %v.x, 3; {before}{element} mov.{ty} {name}, %v.y; {after} }}"
        );
        push(all, form, label("element"), true, text);
    }
    // The result in the register of an operand.
    for (operand, other) in form.operands.iter().zip(["$a", "$b", "$c", "$e"]) {
        if register(*operand) == ty && parts.has(other) {
            let alias = instruction.replace(name, other);
            let text = format!("{before}{alias} mov.{ty} {name}, {other}; {after}");
            push(all, form, label(&format!("is-{}", &other[1..])), true, text);
        }
    }
}

/// The instruction with a guard that is true in some lanes of a warp, and with its own result as the guard.
fn guarded(all: &mut Vec<OperandCandidate>, form: &InstructionForm, parts: &Parts<'_>) {
    let Parts { before, instruction, after } = parts;
    // It would wait for lanes that never arrive.
    if form.name.contains("sync") || form.name == "activemask.b32" {
        return;
    }
    let names = ["$d", "$q"];
    let results = form.results.iter().zip(names);
    let set: Vec<String> = results.clone().map(|(kind, name)| preset(*kind, name)).collect();
    let set = set.join(" ");
    let some = "mov.u32 %i3, %laneid; and.b32 %i3, %i3, 3;";
    for sign in ["", "!"] {
        let text = format!(
            "{{ .reg .pred %g; {some} setp.ne.u32 %g, %i3, 0; {set} {before}@{sign}%g {instruction}{after} }}"
        );
        push(all, form, format!("@:{sign}guard"), true, text);
    }
    for (kind, name) in results {
        if *kind == OperandKind::Pred && parts.has(name) {
            let text = format!(
                "{set} {some} setp.ne.u32 {name}, %i3, 0; {before}@{name} {instruction}{after}"
            );
            push(all, form, format!("@:{}", &name[1..]), true, text);
        }
    }
}

/// The record, built in.
static RECORDED: &str = include_str!("../../../data/operands.txt");
const HEAD: &str = "\
# Which ways to write an operand ptxas accepts, by instruction: `a:sum` is `$a+5` in place of `$a`.
# Made by: LANEWORK_BLESS=1 PTXAS=/path/to/ptxas cargo test -p lanework-lab --test it conformance::operands
";

/// The accepted ways, by the text of the form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    accepted: BTreeMap<String, BTreeSet<String>>,
}

impl Verdicts {
    /// The verdicts of ptxas 13.0.
    pub fn recorded() -> Verdicts {
        let lines = RECORDED.lines().filter(|line| !line.starts_with('#'));
        let rows = lines.filter_map(|line| line.split_once('\t'));
        let words = |ways: &str| ways.split_whitespace().map(str::to_owned).collect();
        Verdicts { accepted: rows.map(|(text, ways)| (text.to_owned(), words(ways))).collect() }
    }

    /// Whether ptxas accepts a candidate.
    pub fn accepts(&self, candidate: &OperandCandidate) -> bool {
        self.accepted.get(&candidate.base).is_some_and(|ways| ways.contains(&candidate.what))
    }

    /// Notes that ptxas accepts a candidate.
    pub fn note(&mut self, candidate: &OperandCandidate) {
        let ways = self.accepted.entry(candidate.base.clone()).or_default();
        ways.insert(candidate.what.clone());
    }

    /// The record as a file.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (form, ways) in &self.accepted {
            let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
            text.push_str(&format!("{form}\t{}\n", ways.join(" ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{candidates, *};

    #[test]
    fn combinations_are_unique_and_not_in_the_catalog() {
        let mut keys: Vec<String> =
            forms().into_iter().chain(combinations()).map(|form| form.text).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(count > 5_000, "only {count} forms");
    }

    #[test]
    fn few_combinations_are_left_out() {
        let all = candidates();
        let left_out = all.iter().filter(|one| instead(&one.form).is_some()).count();
        assert!(left_out > 0 && left_out * 50 < all.len(), "{left_out} of {}", all.len());
    }
}
