//! Prints the results of lowering and of each analysis, for tests and for debugging: why a register is varying, why loads were
//! not vectorized.
//!
//! Lines show PTX register names and mnemonics. The format may change.

mod print;

use crate::LoadError;
use crate::analysis::access::{AccessClassifier, LoadVectorization, Vectorized};
use crate::analysis::known_bits::{ALIGNMENT_BITS, RegisterBits};
use crate::analysis::uniformity::Uniformity;
use crate::analysis::{Analyses, pressure};
use crate::inspect::print::Printer;
use crate::kernel::*;
use crate::lower::{Lowering, LoweringOptions};
use crate::module::{Addresses, ModuleNames, PlacedModule, statics};
use crate::types::{MemorySpace, NanUse, UniformityClass};
use lanework_ptx::{Function, Module, StateSpace};
use std::fmt::Write;

/// The view to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Every instruction of the intermediate form.
    Lowered,
    /// Basic blocks and the edges between them.
    ControlFlow,
    /// The immediate post-dominator of each block.
    PostDominators,
    /// The registers that are live at the edges of blocks.
    Liveness,
    /// The class of every result over the lanes of a warp, and divergent branches, for a block shape.
    Uniformity([u32; 3]),
    /// The lowest bits of registers, where some are known.
    KnownBits,
    /// Loads from shared memory, and which of them are merged.
    VectorizedLoads,
    /// The class of each access.
    AccessClasses,
    /// Effects of instructions on NaNs, and the added canonicalizations.
    Nans,
    /// The marks that checks have on loads: polled flags, guesses, copies of structures.
    LoadUses,
    /// The reductions that may be delayed.
    Reductions,
    /// The estimate of registers.
    Pressure,
}

/// Prints a view of a kernel.
///
/// # Errors
/// When the kernel cannot be lowered.
pub fn inspect(module: &Module, entry: &Function, view: View) -> Result<String, LoadError> {
    let options = LoweringOptions { gaps: view == View::LoadUses, names: true };
    let (names, addresses) = (ModuleNames::new(module), made_up_addresses(module));
    let source = PlacedModule { module, names: &names, addresses: &addresses };
    let kernel = Lowering::entry(source, entry, options)?;
    let analyses = Analyses::new(&kernel);
    let printer = Printer::new(&kernel, &analyses.cfg);
    Ok(match view {
        View::Lowered => printer.kernel(),
        View::ControlFlow => control_flow(&kernel, &analyses, &printer),
        View::PostDominators => post_dominators(&analyses),
        View::Liveness => liveness(&analyses, &printer),
        View::Uniformity(block) => uniformity(&kernel, &analyses, &printer, block),
        View::KnownBits => known_bits(&kernel, &printer),
        View::VectorizedLoads => vectorized_loads(&kernel, &analyses, &printer),
        View::AccessClasses => access_classes(&kernel, &analyses, &printer),
        View::Nans => nans(&kernel, &analyses, &printer),
        View::LoadUses => load_uses(&kernel, &analyses, &printer),
        View::Reductions => reductions(&kernel, &analyses, &printer),
        View::Pressure => format!("{:?}\n", pressure(&kernel, &analyses)),
    })
}

/// Made-up addresses for the module's variables: the analyses depend on their alignment only.
fn made_up_addresses(module: &Module) -> Addresses {
    let space = |space: StateSpace| match space {
        StateSpace::Const => Some(MemorySpace::Constant),
        StateSpace::Global => Some(MemorySpace::Global),
        _ => None,
    };
    let variables = statics(module).into_iter().enumerate();
    variables
        .filter_map(|(i, s)| Some((s.key, (space(s.variable.space)?, (i as u64 + 1) << 20))))
        .collect()
}

/// A line for each instruction for which `say` returns one, grouped by block.
fn by_inst(
    kernel: &Kernel,
    analyses: &Analyses,
    mut say: impl FnMut(usize, &Inst) -> Option<String>,
) -> String {
    let mut text = String::new();
    for (b, block) in analyses.cfg.blocks.iter().enumerate() {
        let insts = kernel.insts[block.start..block.end].iter().enumerate();
        let lines: Vec<String> = insts.filter_map(|(i, inst)| say(block.start + i, inst)).collect();
        if !lines.is_empty() {
            writeln!(text, "block{b}:").unwrap_or_default();
            lines.iter().for_each(|line| writeln!(text, "    {line}").unwrap_or_default());
        }
    }
    text
}

/// A line for each block.
fn by_block(analyses: &Analyses, say: impl Fn(usize) -> String) -> String {
    (0..analyses.cfg.blocks.len()).map(|b| format!("block{b}: {}\n", say(b))).collect()
}

fn control_flow(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    by_block(analyses, |b| {
        let block = &analyses.cfg.blocks[b];
        let insts = &kernel.insts[block.start..block.end];
        let mnemonics: Vec<&str> = insts.iter().map(|inst| printer.mnemonic(inst)).collect();
        let guard = insts.last().map_or(String::new(), |inst| printer.guard(inst));
        let to = match (block.fall_through, block.target) {
            (Some(next), Some(target)) => format!("block{target} if {guard}else block{next}"),
            (Some(to), None) | (None, Some(to)) => format!("block{to}"),
            (None, None) => "end".to_owned(),
        };
        format!("{} -> {to}", mnemonics.join("; "))
    })
}

fn post_dominators(analyses: &Analyses) -> String {
    by_block(analyses, |b| {
        analyses.ipdom[b].map_or("none".to_owned(), |ipdom| format!("block{ipdom}"))
    })
}

fn liveness(analyses: &Analyses, printer: &Printer<'_>) -> String {
    by_block(analyses, |b| {
        let live_out = analyses.liveness.live_out(&analyses.cfg, b);
        let live_in = printer.registers(analyses.liveness.live_in(b));
        format!("in {live_in} out {}", printer.registers(live_out.iter()))
    })
}

fn class_name(class: UniformityClass) -> &'static str {
    match class {
        UniformityClass::Undefined => "undefined",
        UniformityClass::Uniform => "uniform",
        UniformityClass::Halves => "uniform by halves",
        UniformityClass::Affine => "affine",
        UniformityClass::Varying => "varying",
    }
}

fn uniformity(
    kernel: &Kernel,
    analyses: &Analyses,
    printer: &Printer<'_>,
    block: [u32; 3],
) -> String {
    let uniformity = Uniformity::analyze(kernel, analyses, block);
    by_inst(kernel, analyses, |_, inst| {
        let classes: Vec<&str> = inst.writes().map(|r| class_name(uniformity.class(r))).collect();
        let divergent = |(guard, _)| uniformity.class(guard) > UniformityClass::Uniform;
        let what = match (&inst.opcode, inst.guard) {
            (Opcode::Branch(_), Some(guard)) if divergent(guard) => "divergent".to_owned(),
            (Opcode::Branch(_), Some(_)) => "uniform".to_owned(),
            _ if classes.is_empty() => return None,
            _ => classes.join(", "),
        };
        let name = format!("{}{}", printer.guard(inst), printer.mnemonic(inst));
        Some(format!("{name:<24} {:<12} {what}", printer.results(inst)))
    })
}

fn known_bits(kernel: &Kernel, printer: &Printer<'_>) -> String {
    let known = RegisterBits::analyze(kernel);
    let mut seen: Vec<Reg> = Vec::new();
    let mut text = String::new();
    for r in kernel.insts.iter().flat_map(Inst::writes) {
        let bits = known.operand(Operand::Reg(r));
        if bits.count == 0 || seen.contains(&r) {
            continue;
        }
        seen.push(r);
        let digit = |i: u32| match (i < bits.count, bits.value >> i & 1) {
            (false, _) => '?',
            (true, 0) => '0',
            (true, _) => '1',
        };
        let digits: String = (0..ALIGNMENT_BITS).rev().map(digit).collect();
        writeln!(text, "{:<8} {digits}", printer.register(r)).unwrap_or_default();
    }
    text
}

fn vectorized_loads(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    let joined = LoadVectorization::analyze(kernel, &analyses.cfg);
    by_inst(kernel, analyses, |at, inst| {
        let shared = matches!(&inst.opcode, Opcode::Memory(op) if op.space == MemorySpace::Shared);
        let what = match joined.at(at) {
            Some(Vectorized::First(bytes)) => format!("one load of {bytes} bytes"),
            Some(Vectorized::Rest) => "part of an earlier load".to_owned(),
            None => "as it is".to_owned(),
        };
        shared.then(|| format!("{:<56} {what}", printer.inst(inst)))
    })
}

fn access_classes(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    let classifier = AccessClassifier::new(kernel, analyses, true);
    by_inst(kernel, analyses, |at, inst| {
        let Opcode::Memory(op) = &inst.opcode else { return None };
        let accesses = !matches!(op.space, MemorySpace::Parameter | MemorySpace::Local);
        accesses.then(|| format!("{:<56} {:?}", printer.inst(inst), classifier.class(at, op)))
    })
}

fn nans(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    by_inst(kernel, analyses, |_, inst| {
        let what = match inst.nan_use() {
            NanUse::Observes => "observes",
            NanUse::Ignores => "ignores",
            NanUse::Produces => "produces",
            NanUse::Copies => "copies",
        };
        Some(format!("{:<9} {}", what, printer.inst(inst)))
    })
}

fn load_uses(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    by_inst(kernel, analyses, |_, inst| {
        let Opcode::Memory(op) = &inst.opcode else { return None };
        if matches!(op.kind, MemoryKind::Atomic(_)) {
            let mark = if op.order.observes { "observed" } else { "not observed" };
            return Some(format!("{:<44} {mark}", printer.inst(inst)));
        }
        if !matches!(op.kind, MemoryKind::Load) || op.space == MemorySpace::Parameter {
            return None;
        }
        let mut marks = Vec::new();
        marks.extend(op.order.strong.map(|scope| format!("strong ({scope:?})")));
        marks.extend(op.order.data.then(|| "volatile data".to_owned()));
        marks.extend((op.order.copies != 0).then(|| format!("copies {:#b}", op.order.copies)));
        if marks.is_empty() {
            marks.push("none".to_owned());
        }
        Some(format!("{:<44} {}", printer.inst(inst), marks.join(", ")))
    })
}

fn reductions(kernel: &Kernel, analyses: &Analyses, printer: &Printer<'_>) -> String {
    by_inst(kernel, analyses, |at, inst| {
        let Opcode::Memory(MemoryOp { kind: MemoryKind::Atomic(_), .. }) = inst.opcode else {
            return None;
        };
        let delayed = analyses.delayable.as_ref().is_some_and(|delayable| delayable.include(at));
        let mark = if delayed { "may be delayed" } else { "not delayed" };
        Some(format!("{:<44} {mark}", printer.inst(inst)))
    })
}
