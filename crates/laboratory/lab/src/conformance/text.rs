//! PTX around a form: an entry in which each thread applies it to its own operands.

use super::form::InstructionForm;
use super::operands::OperandKind;
use std::fmt::Write;

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
