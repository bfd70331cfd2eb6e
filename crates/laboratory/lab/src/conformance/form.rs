//! A form of an instruction, and the PTX around it: an entry in which each thread applies it to its own operands.

use super::operands::OperandKind;
use lanework::ptx::{Instruction, Opcode};
use std::fmt::Write;

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
    // Declared only if used: the emulator has no registers of these types.
    let rare = [("%b", ".reg .b8 %b<1>;"), ("%x", ".reg .b128 %x<4>;")];
    let rare = rare.into_iter().filter(|(name, _)| form.text.contains(name));
    let rare: String = rare.map(|(_, declared)| declared).collect();
    format!(
        "{HEAD}.func callee() {{ ret; }}\n.visible .entry k0()\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<16>; .reg .b32 %r<130>; .reg .b64 %l<20>; {rare}\n\
         {}\nEND: ret;\n}}\n",
        form.text
    )
}
