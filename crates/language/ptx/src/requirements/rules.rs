//! The table of requirements: which instructions need which PTX version and target.
//!
//! A rule's opcodes and modifiers are alternatives separated by `|`. All modifier groups (separated by blanks) must be present. A
//! trailing `*` matches any suffix, `!` before a group means that none of it may be present, and `a.b` means both in this order.
//! The last column is the section of the PTX manual.

use crate::ast::Instruction;
use crate::ast::Specific::{self, Architecture, Portable};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A version and a target.
#[derive(Clone, Copy)]
pub(super) struct Requirement {
    pub(super) version: (u8, u8),
    pub(super) architecture: u32,
    pub(super) specific: Specific,
    /// The first architecture that no longer has it.
    pub(super) until: u32,
}

/// No architecture is this late.
const NEVER: u32 = u32::MAX;

impl Requirement {
    /// A version on any target.
    pub(super) const fn version(major: u8, minor: u8) -> Self {
        portable((major, minor), 0)
    }

    /// Raises this requirement to cover `other` too.
    pub(super) fn add(&mut self, other: Requirement) {
        self.version = self.version.max(other.version);
        self.architecture = self.architecture.max(other.architecture);
        self.specific = self.specific.max(other.specific);
        self.until = self.until.min(other.until);
    }
}

/// The requirement of a set of instructions.
pub(super) struct RequirementRule {
    pub(super) opcodes: &'static str,
    pub(super) modifiers: &'static str,
    /// The minimum number of operands.
    operands: usize,
    pub(super) need: Requirement,
}

impl RequirementRule {
    /// Whether the rule, of the instruction's opcode, matches one with these modifiers, `.a.b.c.`, and operands.
    pub(super) fn applies(&self, modifiers: &str, operands: usize) -> bool {
        operands >= self.operands
            && self.modifiers.split_whitespace().all(|group| match group.strip_prefix('!') {
                Some(group) => !has_one_of(modifiers, group),
                None => has_one_of(modifiers, group),
            })
    }
}

/// The rules of an opcode. Found once, since every instruction of a module is looked up.
pub(super) fn rules_for(opcode: &str) -> &'static [&'static RequirementRule] {
    static BY_OPCODE: OnceLock<HashMap<&str, Vec<&RequirementRule>>> = OnceLock::new();
    let rules = BY_OPCODE.get_or_init(|| {
        let mut rules: HashMap<&str, Vec<&RequirementRule>> = HashMap::new();
        for rule in RULES {
            for opcode in rule.opcodes.split('|') {
                rules.entry(opcode).or_default().push(rule);
            }
        }
        rules
    });
    rules.get(opcode).map_or(&[], Vec::as_slice)
}

/// The version with which a target got an instruction that older targets got in a later one.
pub(super) fn earlier_version(instruction: &Instruction, architecture: u32) -> Option<(u8, u8)> {
    let has = |word: &str| instruction.modifiers.iter().any(|modifier| modifier == word);
    let eight_bits = instruction.opcode == "cvt" && (has("e4m3x2") || has("e5m2x2"));
    (eight_bits && architecture >= 90).then_some((7, 8)) // manual, "Data Movement: cvt"
}

/// The requirement of a special register beyond the oldest version and target.
pub(super) fn special_register_requirement(name: &str) -> Option<Requirement> {
    static BY_NAME: OnceLock<HashMap<&str, Requirement>> = OnceLock::new();
    let needs = BY_NAME.get_or_init(|| {
        let mut needs = HashMap::new();
        for (names, need) in &SPECIAL_REGISTERS {
            needs.extend(names.iter().map(|name| (*name, *need)));
        }
        needs
    });
    needs.get(name).copied()
}

fn has_one_of(modifiers: &str, group: &str) -> bool {
    group.split('|').any(|word| {
        modifiers.match_indices('.').any(|(dot, _)| {
            let rest = &modifiers[dot + 1..];
            match word.strip_suffix('*') {
                Some(start) => rest.starts_with(start),
                None => rest.strip_prefix(word).is_some_and(|rest| rest.starts_with('.')),
            }
        })
    })
}

/// A rule; the section is documentation.
const fn rule(
    opcodes: &'static str,
    modifiers: &'static str,
    version: (u8, u8),
    architecture: u32,
    specific: Specific,
    _section: &'static str,
) -> RequirementRule {
    let need = Requirement { version, architecture, specific, until: NEVER };
    RequirementRule { opcodes, modifiers, operands: 0, need }
}

/// A rule for instructions that ended: this architecture and those after it lack them.
const fn ended(until: u32, rule: RequirementRule) -> RequirementRule {
    RequirementRule { need: Requirement { until, ..rule.need }, ..rule }
}

/// A rule for instructions with a minimum number of operands.
const fn with_operands(operands: usize, rule: RequirementRule) -> RequirementRule {
    RequirementRule { operands, ..rule }
}

pub(super) const fn portable(version: (u8, u8), architecture: u32) -> Requirement {
    Requirement { version, architecture, specific: Portable, until: NEVER }
}

/// The first version that supports each target (manual, "PTX Module Directives: .target").
pub(super) const TARGETS: [(u32, Specific, (u8, u8)); 27] = [
    (72, Portable, (6, 1)),
    (75, Portable, (6, 3)),
    (80, Portable, (7, 0)),
    (86, Portable, (7, 1)),
    (87, Portable, (7, 4)),
    (88, Portable, (9, 0)),
    (89, Portable, (7, 8)),
    (90, Portable, (7, 8)),
    (90, Architecture, (8, 0)),
    (100, Portable, (8, 6)),
    (100, Architecture, (8, 6)),
    (100, Specific::Family, (8, 8)),
    (101, Portable, (8, 6)),
    (101, Architecture, (8, 6)),
    (101, Specific::Family, (8, 8)),
    (103, Portable, (8, 8)),
    (103, Architecture, (8, 8)),
    (103, Specific::Family, (8, 8)),
    (110, Portable, (9, 0)),
    (110, Architecture, (9, 0)),
    (110, Specific::Family, (9, 0)),
    (120, Portable, (8, 7)),
    (120, Architecture, (8, 7)),
    (120, Specific::Family, (8, 8)),
    (121, Portable, (8, 8)),
    (121, Architecture, (8, 8)),
    (121, Specific::Family, (8, 8)),
];

/// The same for targets that PTX 6.0 has.
pub(super) const OLD_TARGETS: [(u32, (u8, u8)); 18] = [
    (10, (1, 0)),
    (11, (1, 0)),
    (12, (1, 2)),
    (13, (1, 2)),
    (20, (2, 0)),
    (21, (2, 0)),
    (30, (3, 0)),
    (32, (4, 0)),
    (35, (3, 1)),
    (37, (4, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (71, (6, 0)),
];

/// Special registers that are not in every version (manual, "Special Registers").
pub(super) const SPECIAL_REGISTERS: [(&[&str], Requirement); 4] = [
    (
        &[
            "%clusterid",
            "%nclusterid",
            "%cluster_ctaid",
            "%cluster_nctaid",
            "%cluster_ctarank",
            "%cluster_nctarank",
            "%is_explicit_cluster",
        ],
        portable((7, 8), 90),
    ),
    (&["%aggr_smem_size"], portable((8, 1), 90)),
    (&["%current_graph_exec"], portable((8, 0), 50)),
    (
        &[
            "%reserved_smem_offset_begin",
            "%reserved_smem_offset_end",
            "%reserved_smem_offset_cap",
            "%reserved_smem_offset_0",
            "%reserved_smem_offset_1",
        ],
        portable((7, 6), 80),
    ),
];

/// The rules about instructions, by chapter.
#[rustfmt::skip]
pub(super) const RULES: &[RequirementRule] = &[
    // Half precision and packed arithmetic
    rule("add|sub|mul|fma|setp|set", "f16|f16x2", (4, 2), 53, Portable, "Half Precision Floating Point Instructions"),
    rule("neg", "f16|f16x2", (6, 0), 53, Portable, "Half Precision Floating Point Instructions"),
    rule("abs", "f16|f16x2", (6, 5), 53, Portable, "Half Precision: abs"),
    rule("min|max", "f16|f16x2", (7, 0), 80, Portable, "Half Precision: min, max"),
    rule("fma|neg|abs|min|max", "bf16|bf16x2", (7, 0), 80, Portable, "Half Precision: fma, neg, abs, min, max"),
    rule("add|sub|mul|setp|set", "bf16|bf16x2", (7, 8), 90, Portable, "Half Precision: add, sub, mul; Comparison"),
    rule("fma", "relu", (7, 0), 80, Portable, "Half Precision: fma"),
    rule("fma", "oob", (8, 1), 90, Portable, "Half Precision: fma"),
    rule("add|sub|fma", "f32.f16|f32.bf16", (8, 6), 100, Portable, "Mixed Precision Floating-Point Instructions"),
    rule("add|sub|mul|fma", "f32x2", (8, 6), 100, Portable, "Floating Point: add, sub, mul, fma"),
    rule("min|max", "NaN", (7, 0), 80, Portable, "Floating Point: min, max"),
    rule("min|max", "xorsign", (7, 2), 86, Portable, "Floating Point: min, max"),
    with_operands(4, rule("min|max", "f32", (8, 8), 100, Portable, "Floating Point: min, max")),
    rule("add|min|max", "u16x2|s16x2", (8, 0), 90, Portable, "Integer: add, min, max"),
    rule("min|max", "relu", (8, 0), 90, Portable, "Integer: min, max"),
    rule("ex2", "f16|f16x2", (7, 0), 75, Portable, "Half Precision: ex2"),
    rule("tanh", "", (7, 0), 75, Portable, "Floating Point: tanh"),
    rule("ex2|tanh", "bf16|bf16x2", (7, 8), 90, Portable, "Half Precision: tanh, ex2"),
    // Integers and bits
    rule("dp4a|dp2a", "", (5, 0), 61, Portable, "Integer: dp4a, dp2a"),
    rule("szext|bmsk", "", (7, 6), 70, Portable, "Integer: szext, bmsk"),
    rule("lop3", "and|or|xor", (8, 2), 70, Portable, "Logic and Shift: lop3"),
    // Conversions
    rule("cvt", "bf16|bf16x2|f16x2|relu|tf32", (7, 0), 80, Portable, "Data Movement: cvt"),
    rule("cvt", "f32.bf16", (7, 1), 80, Portable, "Data Movement: cvt"),
    rule("cvt", "bf16 u8|u16|u32|u64|s8|s16|s32|s64|f16|f64|bf16.bf16", (7, 8), 90, Portable, "Data Movement: cvt"),
    rule("cvt", "rn.tf32|rz.tf32", (7, 8), 90, Portable, "Data Movement: cvt"),
    rule("cvt", "satfinite", (8, 1), 70, Portable, "Data Movement: cvt"),
    rule("cvt", "e4m3x2|e5m2x2", (8, 1), 89, Portable, "Data Movement: cvt"),
    rule("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2", (8, 6), 100, Architecture, "Data Movement: cvt"),
    ended(110, rule("cvt", "rs", (8, 7), 100, Architecture, "Data Movement: cvt")),
    rule("cvt", "pack", (6, 5), 72, Portable, "Data Movement: cvt.pack"),
    rule("cvta", "param", (7, 7), 70, Portable, "Data Movement: cvta"),
    rule("isspacep", "param*", (7, 7), 70, Portable, "Data Movement: isspacep"),
    // Loads and stores
    rule("ld|st", "weak|relaxed|acquire|release", (6, 0), 70, Portable, "Data Movement: ld, st"),
    rule("ld|st", "mmio", (8, 2), 70, Portable, "Data Movement: ld, st"),
    rule("ld|st", "L1::*", (7, 4), 70, Portable, "Cache Eviction Priority Hints"),
    rule("ld", "L2::64B|L2::128B", (7, 4), 75, Portable, "Data Movement: ld"),
    rule("ld", "L2::256B", (7, 4), 80, Portable, "Data Movement: ld"),
    rule("ld|st|atom|red|cp", "L2::cache_hint", (7, 4), 80, Portable, "Cache Eviction Priority Hints"),
    rule("ld|st|isspacep|cvta", "param::*", (8, 3), 30, Portable, "State Spaces: param"),
    rule("ld|st", "volatile local", (9, 1), 0, Portable, "Data Movement: ld, st"),
    rule("ld|st", "v8", (8, 8), 100, Portable, "Data Movement: ld, st"),
    rule("ld|st", "v4 b64|u64|s64|f64", (8, 8), 100, Portable, "Data Movement: ld, st"),
    rule("ld|st|mov", "b128", (8, 3), 70, Portable, "Data Movement: ld, st, mov"),
    rule("ld|st|atom|red|isspacep|cvta|mapa|mbarrier", "shared::cta", (7, 8), 30, Portable, "State Spaces: shared"),
    rule("ld|st|atom|red|isspacep|cvta|mapa", "shared::cluster", (7, 8), 90, Portable, "State Spaces: shared"),
    rule("ld|st|atom|red|fence", "cluster", (7, 8), 90, Portable, "Memory Consistency Model: Scope"),
    rule("st", "async", (8, 1), 90, Portable, "Data Movement: st.async"),
    rule("st", "bulk", (8, 6), 100, Portable, "Data Movement: st.bulk"),
    rule("prefetch", "L2::*", (7, 4), 80, Portable, "Data Movement: prefetch"),
    rule("prefetch", "tensormap", (8, 0), 90, Portable, "Data Movement: prefetch"),
    rule("applypriority|discard|createpolicy", "", (7, 4), 80, Portable, "Data Movement: applypriority, discard, createpolicy"),
    rule("mapa|getctarank", "", (7, 8), 90, Portable, "Data Movement: mapa, getctarank"),
    // Asynchronous copies
    rule("cp", "async", (7, 0), 80, Portable, "Data Movement: cp.async"),
    rule("cp", "async L2::64B|L2::128B|L2::256B", (7, 4), 80, Portable, "Data Movement: cp.async"),
    rule("cp", "bulk", (8, 0), 90, Portable, "Data Movement: cp.async.bulk"),
    rule("cp", "bulk shared::cta mbarrier::* !shared::cluster", (8, 6), 90, Portable, "Data Movement: cp.async.bulk"),
    ended(120, rule("cp", "cta_group::*|tile::scatter4", (8, 6), 100, Architecture, "Data Movement: cp.async.bulk.tensor")),
    ended(120, rule("cp", "tile::gather4 !shared::cta", (8, 6), 100, Architecture, "Data Movement: cp.async.bulk.tensor")),
    rule("cp", "tile::gather4 shared::cta", (8, 6), 100, Portable, "Data Movement: cp.async.bulk.tensor"),
    rule("cp", "im2col::w shared::cta", (8, 6), 100, Portable, "Data Movement: cp.async.bulk.tensor"),
    rule("cp", "cp_mask", (8, 6), 100, Portable, "Data Movement: cp.async.bulk"),
    rule("multimem", "", (8, 1), 90, Portable, "Data Movement: multimem"),
    rule("tensormap", "", (8, 3), 90, Architecture, "Data Movement: tensormap.replace"),
    rule("tensormap", "swizzle_atomicity", (8, 6), 100, Architecture, "Data Movement: tensormap.replace"),
    // Synchronisation and communication
    rule("barrier", "cta", (7, 8), 30, Portable, "Parallel Synchronization: barrier"),
    rule("barrier", "cluster", (7, 8), 90, Portable, "Parallel Synchronization: barrier.cluster"),
    rule("barrier", "cluster release|acquire|relaxed", (8, 0), 90, Portable, "Parallel Synchronization: barrier.cluster"),
    rule("match", "", (6, 0), 70, Portable, "Parallel Synchronization: match.sync"),
    rule("shf", "", (3, 1), 32, Portable, "Logic and Shift Instructions: shf"),
    rule("lop3", "", (4, 3), 50, Portable, "Logic and Shift Instructions: lop3"),
    rule("ld", "nc", (3, 1), 32, Portable, "Data Movement: ld.global.nc"),
    rule("activemask", "", (6, 2), 30, Portable, "Parallel Synchronization: activemask"),
    rule("redux", "", (7, 0), 80, Portable, "Parallel Synchronization: redux.sync"),
    ended(110, rule("redux", "f32", (8, 6), 100, Architecture, "Parallel Synchronization: redux.sync")),
    rule("elect", "", (8, 0), 90, Portable, "Parallel Synchronization: elect.sync"),
    rule("griddepcontrol", "", (7, 8), 90, Portable, "Parallel Synchronization: griddepcontrol"),
    rule("clusterlaunchcontrol", "", (8, 6), 100, Portable, "Parallel Synchronization: clusterlaunchcontrol"),
    rule("clusterlaunchcontrol", "multicast::cluster::all", (8, 6), 100, Architecture, "Parallel Synchronization: clusterlaunchcontrol"),
    rule("fence", "", (6, 0), 70, Portable, "Parallel Synchronization: fence"),
    rule("fence", "proxy", (7, 5), 70, Portable, "Parallel Synchronization: fence"),
    rule("fence", "async*|mbarrier_init", (8, 0), 90, Portable, "Parallel Synchronization: fence"),
    rule("fence", "tensormap*", (8, 3), 90, Portable, "Parallel Synchronization: fence"),
    rule("fence", "sync_restrict*", (8, 6), 90, Portable, "Parallel Synchronization: fence"),
    rule("membar", "proxy", (7, 5), 60, Portable, "Parallel Synchronization: membar"),
    rule("atom|red", "cta|gpu|sys", (5, 0), 60, Portable, "Parallel Synchronization: atom, red"),
    rule("atom|red", "relaxed|acquire|release|acq_rel", (6, 0), 70, Portable, "Parallel Synchronization: atom, red"),
    rule("atom|red", "f64", (5, 0), 60, Portable, "Parallel Synchronization: atom, red"),
    rule("atom|red", "f16x2", (6, 2), 60, Portable, "Parallel Synchronization: atom, red"),
    rule("atom|red", "f16", (6, 3), 70, Portable, "Parallel Synchronization: atom, red"),
    rule("atom", "b16", (6, 3), 70, Portable, "Parallel Synchronization: atom"),
    rule("atom|red", "bf16|bf16x2", (7, 8), 90, Portable, "Parallel Synchronization: atom, red"),
    rule("atom|red", "v2|v4|v8", (8, 1), 90, Portable, "Parallel Synchronization: atom, red"),
    rule("atom", "b128", (8, 3), 90, Portable, "Parallel Synchronization: atom"),
    rule("red", "async", (8, 1), 90, Portable, "Parallel Synchronization: red.async"),
    rule("mbarrier", "", (7, 0), 80, Portable, "mbarrier"),
    rule("mbarrier", "parity", (7, 1), 80, Portable, "mbarrier.test_wait"),
    rule("mbarrier", "try_wait", (7, 8), 90, Portable, "mbarrier.try_wait"),
    with_operands(3, rule("mbarrier", "arrive|arrive_drop !noComplete", (7, 8), 90, Portable, "mbarrier.arrive")),
    rule("mbarrier", "expect_tx|complete_tx|cluster|shared::cluster", (8, 0), 90, Portable, "mbarrier.expect_tx"),
    rule("mbarrier", "release|acquire", (8, 0), 80, Portable, "mbarrier.arrive, mbarrier.test_wait"),
    rule("mbarrier", "arrive|arrive_drop|test_wait|try_wait relaxed", (8, 6), 90, Portable, "mbarrier.arrive, mbarrier.test_wait"),
    // Matrices
    rule("ldmatrix", "", (6, 5), 75, Portable, "Warp-level Matrix: ldmatrix"),
    rule("ldmatrix", "m16n16|m8n16", (8, 6), 100, Architecture, "Warp-level Matrix: ldmatrix"),
    rule("stmatrix", "", (7, 8), 90, Portable, "Warp-level Matrix: stmatrix"),
    rule("stmatrix", "m16n8", (8, 6), 100, Architecture, "Warp-level Matrix: stmatrix"),
    rule("movmatrix", "", (7, 8), 75, Portable, "Warp-level Matrix: movmatrix"),
    rule("wmma", "", (6, 0), 70, Portable, "Warp-level Matrix: wmma"),
    rule("wmma", "m8n32k16|m32n8k16", (6, 1), 70, Portable, "Warp-level Matrix: wmma"),
    rule("wmma", "aligned", (6, 3), 70, Portable, "Warp-level Matrix: wmma"),
    rule("wmma", "s8|u8", (6, 3), 72, Portable, "Warp-level Matrix: wmma"),
    rule("wmma", "s4|u4|b1", (6, 3), 75, Portable, "Warp-level Matrix: wmma"),
    rule("wmma", "bf16|tf32|f64", (7, 0), 80, Portable, "Warp-level Matrix: wmma"),
    rule("wmma|mma", "and", (7, 1), 80, Portable, "Warp-level Matrix: wmma.mma, mma"),
    rule("mma", "", (6, 4), 70, Portable, "Warp-level Matrix: mma"),
    rule("mma", "m16n8k8|m8n8k16|m8n8k32", (6, 5), 75, Portable, "Warp-level Matrix: mma"),
    rule("mma", "m8n8k128", (7, 0), 75, Portable, "Warp-level Matrix: mma"),
    rule("mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256", (7, 0), 80, Portable, "Warp-level Matrix: mma"),
    rule("mma", "bf16|tf32|f64", (7, 0), 80, Portable, "Warp-level Matrix: mma"),
    rule("mma", "f64 m16n8k4|m16n8k8|m16n8k16", (7, 8), 90, Portable, "Warp-level Matrix: mma"),
    rule("mma", "e4m3|e5m2", (8, 4), 89, Portable, "Warp-level Matrix: mma"),
    rule("mma", "e4m3|e5m2 m16n8k16|f16", (8, 7), 89, Portable, "Warp-level Matrix: mma"),
    rule("mma", "kind::*", (8, 7), 120, Architecture, "Warp-level Matrix: mma"),
    rule("mma", "sp", (7, 1), 80, Portable, "Warp-level Matrix: mma.sp"),
    rule("mma", "sp::ordered_metadata", (8, 5), 80, Portable, "Warp-level Matrix: mma.sp"),
    ended(91, rule("wgmma", "", (8, 0), 90, Architecture, "Asynchronous Warpgroup Level Matrix: wgmma")),
    ended(91, rule("wgmma", "sp", (8, 2), 90, Architecture, "Asynchronous Warpgroup Level Matrix: wgmma")),
    ended(91, rule("wgmma", "s8.u8|u8.s8", (8, 4), 90, Architecture, "Asynchronous Warpgroup Level Matrix: wgmma")),
    ended(120, rule("tcgen05", "", (8, 6), 100, Architecture, "TensorCore 5th Generation")),
    rule("tcgen05", "ld.red", (8, 8), 103, Architecture, "TensorCore 5th Generation: tcgen05.ld"),
    // The rest
    rule("nanosleep", "", (6, 2), 70, Portable, "Miscellaneous: nanosleep"),
    rule("setmaxnreg", "", (8, 0), 90, Architecture, "Miscellaneous: setmaxnreg"),
    rule("alloca|stacksave|stackrestore", "", (7, 3), 52, Portable, "Stack Manipulation: alloca, stacksave, stackrestore"),
];
