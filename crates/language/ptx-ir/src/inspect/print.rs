//! Text form of the intermediate form, for people and for the file tests (`tests/it/filetests.rs`).
//!
//! One line per instruction: `results = opcode operands ; PTX mnemonic`, grouped by basic block. An opcode prints as its `Debug`
//! form in lower case without type names, so a new opcode needs no code here: `Product(ProductOp::Wide(U32))` is
//! `product.wide.u32`. A register prints with its PTX name if the kernel was lowered with names; later registers of the same name,
//! as in inlined calls, get `'2` and so on. Registers that lowering created are `$0`, `$1`, ... in text order.
//!
//! No parser for this text exists.

use crate::analysis::cfg::ControlFlowGraph;
use crate::kernel::*;
use crate::types::MemorySpace;
use std::collections::HashMap;
use std::fmt::Write;

/// Prints parts of a kernel.
pub struct Printer<'a> {
    kernel: &'a Kernel,
    cfg: &'a ControlFlowGraph,
    names: Vec<String>,
}

impl<'a> Printer<'a> {
    /// A printer of a kernel.
    pub fn new(kernel: &'a Kernel, cfg: &'a ControlFlowGraph) -> Printer<'a> {
        Printer { kernel, cfg, names: register_names(kernel) }
    }

    /// A register's name.
    pub fn register(&self, register: Reg) -> &str {
        &self.names[register as usize]
    }

    /// The names of some registers, in braces.
    pub fn registers(&self, registers: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = registers.map(|r| self.names[r].as_str()).collect();
        format!("{{{}}}", names.join(" "))
    }

    /// An operand.
    pub fn operand(&self, src: Operand) -> String {
        match src {
            Operand::Reg(r) => self.register(r).to_owned(),
            Operand::Const(value) => constant(value),
            Operand::Truth(value) => value.to_string(),
            Operand::DynamicShared(offset) => format!("dynamic_shared+{}", constant(offset)),
        }
    }

    /// An instruction's guard and a space, or nothing.
    pub fn guard(&self, inst: &Inst) -> String {
        match inst.guard {
            Some((r, negated)) => {
                format!("@{}{} ", if negated { "!" } else { "" }, self.register(r))
            }
            None => String::new(),
        }
    }

    /// An instruction's results, separated by commas.
    pub fn results(&self, inst: &Inst) -> String {
        let name = |dst: &Option<Reg>| dst.map_or("_", |r| self.register(r)).to_owned();
        inst.dst.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The PTX mnemonic that an instruction comes from.
    pub fn mnemonic(&self, inst: &Inst) -> &'a str {
        self.kernel.origins.get(inst.origin as usize).map_or("", |origin| &origin.name)
    }

    /// An instruction in full.
    pub fn inst(&self, inst: &Inst) -> String {
        let mut text = self.guard(inst);
        if !inst.dst.is_empty() {
            write!(text, "{} = ", self.results(inst)).unwrap_or_default();
        }
        text.push_str(&self.opcode(&inst.opcode));
        let operands: Vec<String> = match &inst.opcode {
            Opcode::Memory(op) => {
                let address = inst.src.first().map_or(String::new(), |src| self.operand(*src));
                let place = match op.offset {
                    0 => format!("[{address}]"),
                    offset => format!("[{address}{offset:+}]"),
                };
                let rest = inst.src.iter().skip(1).map(|src| self.operand(*src));
                std::iter::once(place).chain(rest).collect()
            }
            Opcode::Branch(label) => vec![self.target(*label)],
            _ => inst.src.iter().map(|src| self.operand(*src)).collect(),
        };
        if !operands.is_empty() {
            write!(text, " {}", operands.join(", ")).unwrap_or_default();
        }
        text
    }

    /// The whole kernel, block by block.
    pub fn kernel(&self) -> String {
        let mut text = String::new();
        for (b, block) in self.cfg.blocks.iter().enumerate() {
            writeln!(text, "block{b}:").unwrap_or_default();
            for inst in &self.kernel.insts[block.start..block.end] {
                let line = self.inst(inst);
                writeln!(text, "    {line:<44} ; {}", self.mnemonic(inst)).unwrap_or_default();
            }
        }
        text
    }

    fn target(&self, label: Label) -> String {
        match self.kernel.labels[label as usize] {
            at if at < self.kernel.insts.len() => format!("block{}", self.cfg.block_of(at)),
            _ => "end".to_owned(),
        }
    }

    fn opcode(&self, opcode: &Opcode) -> String {
        match opcode {
            Opcode::Alu(op) => dotted(&format!("{op:?}")),
            Opcode::Warp(op) => format!("warp.{}", dotted(&format!("{op:?}"))),
            Opcode::Memory(op) => memory(op),
            Opcode::Branch(_) => "branch".to_owned(),
            Opcode::Exit => "exit".to_owned(),
            Opcode::Return => "return".to_owned(),
            Opcode::Trap => "trap".to_owned(),
            Opcode::AssertFail => "assert_fail".to_owned(),
            Opcode::StackOverflow => "stack_overflow".to_owned(),
            Opcode::Barrier { kind, .. } => format!("barrier.{}", dotted(&format!("{kind:?}"))),
            Opcode::AsyncCopy { bytes } => format!("async_copy.b{bytes}"),
            Opcode::Async(op) => format!("async.{}", dotted(&format!("{op:?}"))),
            Opcode::Matrix(op) => format!("matrix.{}", dotted(&format!("{op:?}"))),
            Opcode::Texture(op) => format!("texture.{}", dotted(&format!("{op:?}"))),
            Opcode::Converge(_) => "converge".to_owned(),
            Opcode::Annotation(note) => format!("note.{}", dotted(&format!("{note:?}"))),
            Opcode::Nothing => "nothing".to_owned(),
        }
    }
}

fn memory(op: &MemoryOp) -> String {
    let kind = match op.kind {
        MemoryKind::Load => "load".to_owned(),
        MemoryKind::Store => "store".to_owned(),
        MemoryKind::Atomic(op) => format!("atomic.{}", dotted(&format!("{op:?}"))),
    };
    let space = match op.space {
        MemorySpace::Generic => "generic",
        MemorySpace::Global => "global",
        MemorySpace::Constant => "constant",
        MemorySpace::Shared => "shared",
        MemorySpace::Local => "local",
        MemorySpace::Parameter => "parameter",
    };
    let volatile = if op.volatile { ".volatile" } else { "" };
    let count = if op.count > 1 { format!("x{}", op.count) } else { String::new() };
    format!("{kind}{volatile}.{space}{}{count}", op.ty)
}

/// Small numbers in decimal, others in hexadecimal.
fn constant(value: u64) -> String {
    match value as i64 {
        small @ -9999..=9999 => small.to_string(),
        _ => format!("{value:#x}"),
    }
}

/// The names of registers.
fn register_names(kernel: &Kernel) -> Vec<String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    let mut names = vec![String::new(); kernel.registers.len()];
    for (r, name) in names.iter_mut().enumerate() {
        if let Some(special) = kernel.registers[r].special {
            *name = special_name(special);
        } else if let Some(own) = kernel.register_names.get(&(r as Reg)) {
            let times = times.entry(own).or_insert(0);
            *times += 1;
            *name = if *times == 1 { own.clone() } else { format!("{own}'{times}") };
        }
    }
    let mut made = 0;
    for r in kernel.insts.iter().flat_map(|inst| inst.writes().chain(inst.reads())) {
        if names[r as usize].is_empty() {
            names[r as usize] = format!("${made}");
            made += 1;
        }
    }
    names
}

/// The name in PTX of a special register.
fn special_name(special: SpecialRegister) -> String {
    let axis = |name: &str, axis: u8| format!("%{name}.{}", ["x", "y", "z"][usize::from(axis) % 3]);
    let name = match special {
        SpecialRegister::Thread(a) => return axis("tid", a),
        SpecialRegister::BlockShape(a) => return axis("ntid", a),
        SpecialRegister::Block(a) => return axis("ctaid", a),
        SpecialRegister::GridShape(a) => return axis("nctaid", a),
        SpecialRegister::Cluster(a) => return axis("clusterid", a),
        SpecialRegister::Clusters(a) => return axis("nclusterid", a),
        SpecialRegister::ClusterBlock(a) => return axis("cluster_ctaid", a),
        SpecialRegister::ClusterShape(a) => return axis("cluster_nctaid", a),
        SpecialRegister::Lane => "%laneid",
        SpecialRegister::Warp => "%warpid",
        SpecialRegister::Warps => "%nwarpid",
        SpecialRegister::Multiprocessor => "%smid",
        SpecialRegister::Multiprocessors => "%nsmid",
        SpecialRegister::StackBytes => "%stack_bytes",
        SpecialRegister::Grid => "%gridid",
        SpecialRegister::LaneMask(LaneMask::Equal) => "%lanemask_eq",
        SpecialRegister::LaneMask(LaneMask::AtMost) => "%lanemask_le",
        SpecialRegister::LaneMask(LaneMask::Below) => "%lanemask_lt",
        SpecialRegister::LaneMask(LaneMask::AtLeast) => "%lanemask_ge",
        SpecialRegister::LaneMask(LaneMask::Above) => "%lanemask_gt",
        SpecialRegister::DynamicShared => "%dynamic_smem_size",
        SpecialRegister::TotalShared => "%total_smem_size",
        SpecialRegister::ClusterRank => "%cluster_ctarank",
        SpecialRegister::ClusterBlocks => "%cluster_nctarank",
        SpecialRegister::ExplicitCluster => "%is_explicit_cluster",
        SpecialRegister::Environment(n) => return format!("%envreg{n}"),
    };
    name.to_owned()
}

/// A `Debug` form as words in lower case with dots between. Leaves out: names of types that end in `Op` or `Modifiers`,
/// fields that are false, field names before other values, and repeated words.
fn dotted(debug: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = Vec::new();
    let mut rest = debug;
    while let Some(start) = rest.find(is_word) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if let Some(value) = after.strip_prefix(": ") {
            match value {
                _ if value.starts_with("true") => words.push(snake(word)),
                _ if value.starts_with(|c: char| c.is_numeric()) => {
                    let end = value.find(|c| !is_word(c)).unwrap_or(value.len());
                    words.push(snake(word) + &value[..end]);
                    rest = &value[end..];
                    continue;
                }
                _ => {}
            }
            for skipped in ["true", "false", "None"] {
                rest = value.strip_prefix(skipped).unwrap_or(rest);
            }
            rest = rest.strip_prefix(": ").unwrap_or(rest);
            continue;
        }
        let of_type =
            (word.ends_with("Op") || word.ends_with("Modifiers")) && after.starts_with([' ', '(']);
        if !of_type && !matches!(word, "Some" | "None") {
            words.push(snake(word));
        }
    }
    words.dedup();
    words.join(".")
}

/// `CamelCase` as `camel_case`; numbers stay with the letters before them.
fn snake(word: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for c in word.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
            text.push('_');
        }
        text.extend(c.to_lowercase());
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::dotted;

    #[test]
    fn debug_forms_become_dotted_words() {
        assert_eq!(dotted("Integer(Add(U32))"), "integer.add.u32");
        assert_eq!(
            dotted("Carry(CarryOp { subtract: true, wide: false, carry_out: true })"),
            "carry.subtract.carry_out"
        );
        assert_eq!(
            dotted("Move(Concatenate { wide: true, low: 4 })"),
            "move.concatenate.wide.low4"
        );
        assert_eq!(dotted("Float(FloatOp { kind: Add, ty: F32, ftz: None })"), "float.add.f32");
        assert_eq!(dotted("SumOfDifference(S32)"), "sum_of_difference.s32");
    }
}
