//! Every writer of the carry flag before every reader of it, across widths and signs.

use crate::conformance::form::InstructionForm;
use crate::conformance::operands::OperandKind;

/// Instructions that write the flag with `.cc`; `addc`, `subc` and `madc` also read it.
const WRITERS: [&str; 8] = ["add", "sub", "mad.lo", "mad.hi", "addc", "subc", "madc.lo", "madc.hi"];
/// Instructions that read it.
const READERS: [&str; 4] = ["addc", "subc", "madc.lo", "madc.hi"];

fn kind(ty: &str) -> OperandKind {
    if ty.ends_with("64") { OperandKind::B64 } else { OperandKind::B32 }
}

fn step(name: &str, cc: &str, ty: &str, to: &str, [a, b]: [&str; 2]) -> String {
    let third = if name.starts_with("mad") { format!(", {a}") } else { String::new() };
    format!("{name}{cc}.{ty} {to}, {a}, {b}{third};")
}

pub(super) fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for writer in WRITERS {
        for reader in READERS {
            for from in ["u32", "s64"] {
                for to in ["s32", "u32", "s64", "u64"] {
                    pair(&mut forms, (writer, from), (reader, to));
                }
            }
        }
    }
    forms
}

/// Variants of a pair: one keeps the writer's result, one the flag after the reader. In the third the writer is
/// guarded, so some lanes keep the old flag.
fn pair(forms: &mut Vec<InstructionForm>, writer: (&str, &str), reader: (&str, &str)) {
    let first = "{ .reg .b32 %t; sub.cc.u32 %t, %i2, %i0; }";
    let write = |to: &str| step(writer.0, ".cc", writer.1, to, ["$a", "$b"]);
    let read = |cc: &str| step(reader.0, cc, reader.1, "$d", ["$c", "$e"]);
    let (from, to) = (kind(writer.1), kind(reader.1));
    let operands = [from, from, to, to];
    let name = format!("{}.cc.{}", writer.0, writer.1);
    let text = format!("{first} {} {}", write("$q"), read(""));
    forms.push(InstructionForm::combination(&name, text, &[to, from], &operands));
    let kept = if from == OperandKind::B64 { "b64" } else { "b32" };
    let text = format!(
        "{first} {{ .reg .{kept} %w; {} }} {} addc.u32 $q, 0, 0;",
        write("%w"),
        read(".cc")
    );
    forms.push(InstructionForm::combination(&name, text, &[to, OperandKind::B32], &operands));
    if writer.1 == "u32" && reader.1 == "u32" {
        let some = "mov.u32 %i3, %laneid; and.b32 %i3, %i3, 3; setp.ne.u32 %g, %i3, 0;";
        let text = format!(
            "{first} {{ .reg .pred %g; {some} mov.b32 $q, 9; @%g {} }} {}",
            write("$q"),
            read("")
        );
        forms.push(InstructionForm::combination(&name, text, &[to, from], &operands));
    }
}
