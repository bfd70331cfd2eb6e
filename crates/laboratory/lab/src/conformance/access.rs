//! Loads, stores and atomics on a cell of memory per thread: the kind of their values, and the text that fills the cell
//! before and reads it afterward.

use super::operands::OperandKind;
use lanework::ptx::{Instruction, Modifier, Opcode, ScalarType};

/// An instruction on the thread's own cell.
pub(super) struct CellAccess {
    /// The kind of every result and operand.
    pub kind: OperandKind,
    /// The number of results.
    pub results: usize,
    /// The number of operands.
    pub operands: usize,
    /// The instruction as `@ ...`, and the accesses around it.
    pub text: String,
}

/// How a row's instruction is run.
pub(super) fn access(instruction: &Instruction) -> CellAccess {
    let types = || instruction.modifiers.iter().filter_map(|modifier| modifier.scalar_type());
    let ty = types().next_back().unwrap_or(ScalarType::B32);
    let bits = 8 * ty.size();
    let (space, cell) = match instruction.has(Modifier::Shared) {
        true => ("shared", "[$s]"),
        false => ("global", "[$m]"),
    };
    let fill = format!("st.{space}.b{bits} {cell}, $a;");
    let read = |result: &str| format!("ld.{space}.b{bits} {result}, {cell};");
    let (results, operands, text) = match instruction.opcode {
        Opcode::Ld => (1, 1, format!("{fill} @ $d, {cell};")),
        Opcode::St => (1, 1, format!("@ {cell}, $a; {}", read("$d"))),
        Opcode::Red => (1, 2, format!("{fill} @ {cell}, $b; {}", read("$d"))),
        _ if instruction.has(Modifier::Cas) => {
            (2, 3, format!("{fill} @ $d, {cell}, $b, $c; {}", read("$q")))
        }
        _ => (2, 2, format!("{fill} @ $d, {cell}, $b; {}", read("$q"))),
    };
    // Loads and stores move bits.
    let kind = match instruction.opcode {
        Opcode::Ld | Opcode::St if bits == 64 => OperandKind::B64,
        Opcode::Ld | Opcode::St => OperandKind::B32,
        _ => OperandKind::from_type(ty),
    };
    CellAccess { kind, results, operands, text }
}
