//! The lowering rules: the meaning of each PTX instruction, one folder per chapter of the manual.
//!
//! A rule reads modifiers and operands, rejects what it does not support, and emits instructions of the flat kernel. To add an
//! instruction, add a row to `RULES` and a rule in its chapter's file.
//!
//! This file also records where ptxas begins basic blocks that PTX does not show, for contraction
//! ([`crate::passes::contract`]). The list comes from ptxas 13.0 machine code for `sm_90a`, with every form of the conformance
//! catalogue placed between a product and a sum.

pub mod arithmetic;
mod b128;
pub mod context;
mod control;
pub mod device_functions;
mod matrix;
mod memory;
pub mod mov;
mod special;

use crate::error::{LoweringResult, Unsupported};
use crate::kernel::{MemoryKind, MemoryOp, Opcode, Operand, Reg, Width};
use crate::lower::allocation;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::rules::context::{Cx, guard};
use crate::rules::matrix::{tensor_memory, warpgroup};
use crate::rules::memory::{asynchrony, tensor_map, texture};
use crate::types::MemorySpace;
use arithmetic::{compare, convert, expand, float, integer, logic, video};
use lanework_ptx as syntax;
use lanework_ptx::Instruction;
use std::collections::HashMap;
use std::sync::OnceLock;

type LoweringRule = fn(&mut Cx<'_, '_>) -> LoweringResult;

/// The rule of each opcode.
static RULES: &[(&str, LoweringRule)] = &[
    ("abs", float::abs),
    ("activemask", control::active_mask),
    ("add", integer::add),
    ("addc", integer::add_carry),
    ("alloca", allocation::alloca),
    ("and", logic::bitwise),
    ("applypriority", control::nothing),
    ("atom", memory::atom),
    ("bar", control::barrier),
    ("barrier", control::barrier),
    ("bfe", logic::bfe),
    ("bfi", logic::bfi),
    ("bfind", logic::bfind),
    ("bmsk", logic::bmsk),
    ("bra", control::branch),
    ("brev", logic::brev),
    ("brkpt", control::trap),
    ("brx", control::branch_indexed),
    ("clusterlaunchcontrol", asynchrony::cluster_launch_control),
    ("clz", logic::clz),
    ("cnot", logic::cnot),
    ("copysign", float::copysign),
    ("cos", float::approximate),
    ("cp", memory::cp),
    ("createpolicy", memory::create_policy),
    ("cvt", convert::cvt),
    ("cvta", memory::cvta),
    ("discard", control::nothing),
    ("div", integer::div),
    ("dp2a", integer::dp2a),
    ("dp4a", integer::dp4a),
    ("elect", control::elect),
    ("ex2", float::approximate),
    ("exit", control::exit),
    ("fence", control::fence),
    ("fma", float::fma),
    ("fns", logic::fns),
    ("getctarank", asynchrony::getctarank),
    ("griddepcontrol", control::nothing),
    ("isspacep", memory::isspacep),
    ("istypep", texture::is_type),
    ("ld", memory::ld),
    ("ldmatrix", matrix::ldmatrix),
    ("ldu", memory::ld),
    ("lg2", float::approximate),
    ("lop3", logic::lop3),
    ("mad", integer::mad),
    ("mad24", integer::mad24),
    ("madc", integer::mad_carry),
    ("mapa", asynchrony::mapa),
    ("match", control::match_lanes),
    ("max", integer::min_max),
    ("mbarrier", asynchrony::mbarrier),
    ("membar", control::fence),
    ("min", integer::min_max),
    ("mma", matrix::mma),
    ("mov", mov::mov),
    ("movmatrix", matrix::movmatrix),
    ("mul", integer::mul),
    ("mul24", integer::mul24),
    ("nanosleep", control::nothing),
    ("multimem", expand::multimem),
    ("neg", float::neg),
    ("not", logic::not),
    ("or", logic::bitwise),
    ("pmevent", control::nothing),
    ("popc", logic::popc),
    ("prefetch", control::nothing),
    ("prefetchu", control::nothing),
    ("prmt", logic::prmt),
    ("rcp", float::root),
    ("red", memory::red),
    ("redux", control::redux),
    ("rem", integer::rem),
    ("ret", control::ret),
    ("rsqrt", float::approximate),
    ("sad", integer::sad),
    ("selp", compare::selp),
    ("set", compare::set),
    ("setmaxnreg", asynchrony::setmaxnreg),
    ("setp", compare::setp),
    ("shf", logic::shf),
    ("shfl", control::shfl),
    ("shl", logic::shl),
    ("shr", logic::shr),
    ("sin", float::approximate),
    ("slct", compare::slct),
    ("sqrt", float::root),
    ("st", memory::st),
    ("stackrestore", allocation::restore),
    ("stacksave", allocation::save),
    ("stmatrix", matrix::stmatrix),
    ("sub", integer::sub),
    ("subc", integer::add_carry),
    ("suld", texture::surface_load),
    ("suq", texture::query),
    ("sured", texture::surface_reduce),
    ("sust", texture::surface_store),
    ("szext", logic::szext),
    ("tanh", float::approximate),
    ("tcgen05", tensor_memory::tcgen05),
    ("tensormap", tensor_map::tensormap),
    ("testp", float::testp),
    ("tex", texture::sample),
    ("tld4", texture::sample),
    ("trap", control::trap),
    ("txq", texture::query),
    ("vabsdiff", video::scalar),
    ("vabsdiff2", video::packed),
    ("vabsdiff4", video::packed),
    ("vadd", video::scalar),
    ("vadd2", video::packed),
    ("vadd4", video::packed),
    ("vavrg2", video::packed),
    ("vavrg4", video::packed),
    ("vmad", video::scalar),
    ("vmax", video::scalar),
    ("vmax2", video::packed),
    ("vmax4", video::packed),
    ("vmin", video::scalar),
    ("vmin2", video::packed),
    ("vmin4", video::packed),
    ("vote", control::vote),
    ("vset", video::scalar),
    ("vset2", video::packed),
    ("vset4", video::packed),
    ("vshl", video::scalar),
    ("vshr", video::scalar),
    ("vsub", video::scalar),
    ("vsub2", video::packed),
    ("vsub4", video::packed),
    ("wgmma", warpgroup::wgmma),
    ("wmma", matrix::wmma),
    ("xor", logic::bitwise),
];

/// Lowers one instruction.
///
/// # Errors
/// When it, or one of its modifiers or operands, is not known.
pub fn lower_instruction(lowering: &mut Lowering<'_>, instruction: &Instruction) -> LoweringResult {
    static BY_OPCODE: OnceLock<HashMap<&str, LoweringRule>> = OnceLock::new();
    let rules = BY_OPCODE.get_or_init(|| RULES.iter().copied().collect());
    let rule = rules.get(instruction.opcode.as_str()).copied();
    let Some(rule) = rule else {
        return Err(Unsupported::new(
            format!("unknown instruction `{}`", instruction.name()),
            "the emulator does not know it; run this kernel on a GPU or report it",
        ));
    };
    let guard = guard(lowering, instruction)?;
    let guard = kept(lowering, instruction, guard);
    let start = lowering.kernel.insts.len();
    if begins_block(instruction) {
        lowering.begin_block();
    }
    rule(&mut Cx { lowering, instruction, guard })?;
    note_guarded(lowering, start);
    Ok(())
}

/// The guard, copied to a new register if the instruction writes it: otherwise later steps of the expansion would test the
/// new value.
fn kept(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    guard: Option<(Reg, bool)>,
) -> Option<(Reg, bool)> {
    let (register, negated) = guard?;
    let name = &instruction.guard.as_ref()?.register;
    if !instruction.operands.first().is_some_and(|operand| names(operand, name)) {
        return guard;
    }
    let copy = lowering.new_register(Width::Predicate);
    let opcode = Opcode::Alu(Alu::copy(Width::Predicate));
    lowering.emit(opcode, vec![Some(copy)], vec![Operand::Reg(register)], None);
    Some((copy, negated))
}

/// Whether an operand consists of `name`, alone or among others.
fn names(operand: &syntax::Operand, name: &str) -> bool {
    match operand {
        syntax::Operand::Name(n) => n == name,
        syntax::Operand::Pair(a, b) => names(a, name) || names(b, name),
        syntax::Operand::Vector(list) => list.iter().any(|operand| names(operand, name)),
        _ => false,
    }
}

/// Whether ptxas expands an instruction to several blocks: a slow path, a loop or a wait.
fn begins_block(instruction: &Instruction) -> bool {
    let has = |modifier: &str| instruction.modifiers.iter().any(|m| m == modifier);
    match instruction.opcode.as_str() {
        "brkpt" | "membar" | "pmevent" | "setmaxnreg" => true,
        "bfind" => has("u64") || has("s64"),
        "div" | "rem" => !(has("u32") || has("approx") || has("full")),
        "fence" => has("sc") || has("acq_rel"),
        "griddepcontrol" => has("launch_dependents"),
        "mma" => has("s4") || has("u4") || has("xor"),
        "rcp" | "sqrt" => !has("approx"),
        "rsqrt" => has("f64") && !has("ftz"),
        _ => false,
    }
}

/// Records block boundaries around a guarded instruction lowered from `start` on: ptxas branches around guarded instructions
/// with effects beyond computing a value.
fn note_guarded(lowering: &mut Lowering<'_>, start: usize) {
    let branches = |opcode: Opcode| match opcode {
        Opcode::Memory(MemoryOp {
            kind: MemoryKind::Load, space: MemorySpace::Parameter, ..
        }) => false,
        opcode => !matches!(opcode, Opcode::Alu(_)),
    };
    let insts = &lowering.kernel.insts[start..];
    if insts.iter().any(|inst| inst.guard.is_some() && branches(inst.opcode)) {
        lowering.begin_block_at(start);
        lowering.begin_block();
    }
}
