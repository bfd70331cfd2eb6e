//! What each PTX instruction means: one small file per family, one row or rule per instruction.
//!
//! A rule reads its modifiers and operands, refuses what it does not know, and emits instructions of
//! the flat kernel. To add an instruction, add a row to `RULES` and a rule in its family's file.

mod asynchrony;
pub mod call;
mod carry;
mod compare;
mod control;
mod convert;
mod eight;
mod float;
mod integer;
mod logic;
mod matrix;
mod memory;
mod mov;
mod video;
mod warpgroup;
mod warpwide;

use crate::ir::kernel::*;
use crate::ir::literal::immediate_bits;
use crate::ir::lower::{Lowering, Refusal, Rule, Symbol};
use crate::ir::opcode::Alu;
use crate::ir::opcode::logic::LogicOp;
use crate::ir::window::PARAMETER_WINDOW;
use lanework_ptx::{AddressBase, Instruction, Operand, ScalarType};

type RuleFn = fn(&mut Cx<'_, '_>) -> Rule;

/// The rule of each opcode.
static RULES: &[(&str, RuleFn)] = &[
    ("abs", float::abs),
    ("activemask", warpwide::active_mask),
    ("add", integer::add),
    ("addc", carry::add),
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
    ("brx", control::branch_indexed),
    ("brev", logic::brev),
    ("brkpt", control::trap),
    ("clz", logic::clz),
    ("cnot", logic::cnot),
    ("copysign", float::copysign),
    ("cos", float::approximate),
    ("cp", memory::cp),
    ("createpolicy", memory::create_policy),
    ("cvt", eight::cvt),
    ("cvta", memory::cvta),
    ("discard", control::nothing),
    ("div", integer::div),
    ("dp2a", integer::dp2a),
    ("dp4a", integer::dp4a),
    ("elect", warpwide::elect),
    ("ex2", float::approximate),
    ("exit", control::exit),
    ("fence", control::fence),
    ("fma", float::fma),
    ("fns", logic::fns),
    ("getctarank", asynchrony::getctarank),
    ("griddepcontrol", control::nothing),
    ("isspacep", memory::isspacep),
    ("ld", memory::ld),
    ("ldu", memory::ld),
    ("ldmatrix", matrix::ldmatrix),
    ("lg2", float::approximate),
    ("lop3", logic::lop3),
    ("mad", integer::mad),
    ("mad24", integer::mad24),
    ("madc", carry::mad),
    ("mapa", asynchrony::mapa),
    ("match", warpwide::match_lanes),
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
    ("redux", warpwide::redux),
    ("rem", integer::rem),
    ("ret", control::ret),
    ("rsqrt", float::approximate),
    ("sad", integer::sad),
    ("selp", compare::selp),
    ("set", compare::set),
    ("setp", compare::setp),
    ("setmaxnreg", asynchrony::setmaxnreg),
    ("shf", logic::shf),
    ("shfl", warpwide::shfl),
    ("shl", logic::shl),
    ("shr", logic::shr),
    ("sin", float::approximate),
    ("slct", compare::slct),
    ("sqrt", float::root),
    ("st", memory::st),
    ("stmatrix", matrix::stmatrix),
    ("sub", integer::sub),
    ("subc", carry::add),
    ("szext", logic::szext),
    ("tanh", float::approximate),
    ("testp", float::testp),
    ("trap", control::trap),
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
    ("vset", video::scalar),
    ("vset2", video::packed),
    ("vset4", video::packed),
    ("vshl", video::scalar),
    ("vshr", video::scalar),
    ("vsub", video::scalar),
    ("vsub2", video::packed),
    ("vsub4", video::packed),
    ("vote", warpwide::vote),
    ("wgmma", warpgroup::wgmma),
    ("wmma", matrix::wmma),
    ("xor", logic::bitwise),
];

/// Decodes one instruction.
///
/// # Errors
/// When it, or one of its modifiers or operands, is not known.
pub fn decode(lowering: &mut Lowering<'_>, instruction: &Instruction) -> Rule {
    let rule = RULES.iter().find(|(name, _)| *name == instruction.opcode).map(|(_, rule)| *rule);
    let Some(rule) = rule else {
        return Err(Refusal::new(
            format!("unknown instruction `{}`", instruction.name()),
            "the emulator does not know it; run this kernel on a GPU or report it",
        ));
    };
    let guard = guard(lowering, instruction)?;
    rule(&mut Cx { lowering, instruction, guard })
}

/// The guard of an instruction.
///
/// # Errors
/// When it names no predicate.
pub fn guard(lowering: &mut Lowering<'_>, instruction: &Instruction) -> Rule<Option<(Reg, bool)>> {
    let Some(guard) = &instruction.guard else { return Ok(None) };
    match lowering.lookup(&guard.register) {
        Some(Symbol::Register(r))
            if lowering.kernel.registers[r as usize].width == Width::Predicate =>
        {
            Ok(Some((r, guard.negated)))
        }
        _ => Err(Refusal::new(format!("guard `{}` is not a predicate", guard.register), "")),
    }
}

/// One instruction being decoded.
pub struct Cx<'a, 'm> {
    /// Where it goes.
    pub lowering: &'a mut Lowering<'m>,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its guard.
    pub guard: Option<(Reg, bool)>,
}

impl Cx<'_, '_> {
    /// Whether a modifier is present.
    pub fn has(&self, modifier: &str) -> bool {
        self.instruction.has(modifier)
    }

    /// The types among the modifiers.
    pub fn types(&self) -> Vec<ScalarType> {
        self.instruction.modifiers.iter().filter_map(|m| ScalarType::from_name(m)).collect()
    }

    /// The type among the modifiers.
    pub fn ty(&self) -> Rule<ScalarType> {
        match self.types()[..] {
            [ty] => Ok(ty),
            [] => Err(self.unknown("a type is missing")),
            _ => Err(self.unknown("more than one type")),
        }
    }

    /// A refusal that names the instruction.
    pub fn unknown(&self, why: &str) -> Refusal {
        Refusal::new(
            format!("unknown form of `{}`: {why}", self.instruction.name()),
            "the emulator does not know this form; run this kernel on a GPU or report it",
        )
    }

    /// Refuses modifiers that are neither types nor in `known`.
    pub fn allow(&self, known: &[&str]) -> Rule {
        for modifier in &self.instruction.modifiers {
            let known =
                known.contains(&modifier.as_str()) || ScalarType::from_name(modifier).is_some();
            if !known {
                return Err(self.unknown(&format!("modifier `.{modifier}`")));
            }
        }
        Ok(())
    }

    /// Refuses any number of operands but `count`.
    pub fn operands(&self, count: usize) -> Rule {
        if self.instruction.operands.len() == count {
            return Ok(());
        }
        let found = self.instruction.operands.len();
        Err(self.unknown(&format!("{found} operands instead of {count}")))
    }

    /// Operand `i`.
    pub fn operand(&self, i: usize) -> Rule<&Operand> {
        self.instruction.operands.get(i).ok_or_else(|| self.unknown("too few operands"))
    }

    fn register(&mut self, name: &str) -> Rule<Reg> {
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => Ok(r),
            Some(_) => Err(self.unknown(&format!("`{name}` is not a register"))),
            None => Err(self.unknown(&format!("`{name}` is not declared"))),
        }
    }

    /// An operand that is written: a register, or `_`.
    pub fn destination(&mut self, operand: &Operand) -> Rule<Option<Reg>> {
        match operand {
            Operand::Name(name) if name == "_" => Ok(None),
            Operand::Name(name) => {
                let register = self.register(name)?;
                Ok(Some(register))
            }
            _ => Err(self.unknown("the destination is not a register")),
        }
    }

    /// Operand `i` as a destination.
    pub fn dst(&mut self, i: usize) -> Rule<Option<Reg>> {
        let operand = self.operand(i)?.clone();
        self.destination(&operand)
    }

    /// A destination of a result of `ty`, checked for its width.
    pub fn dst_of(&mut self, i: usize, ty: ScalarType) -> Rule<Option<Reg>> {
        let register = self.dst(i)?;
        if let Some(r) = register {
            self.check_width(r, ty)?;
        }
        Ok(register)
    }

    fn check_width(&self, register: Reg, ty: ScalarType) -> Rule {
        let width = self.lowering.kernel.registers[register as usize].width;
        let predicate = ty == ScalarType::Pred;
        if (width == Width::Predicate) != predicate {
            let what = if predicate {
                "an operand is not a predicate"
            } else {
                "an operand is a predicate"
            };
            return Err(self.unknown(what));
        }
        Ok(())
    }

    /// Any operand as a source of type `ty`.
    pub fn source(&mut self, operand: &Operand, ty: ScalarType) -> Rule<Src> {
        match operand {
            Operand::Immediate(value) if ty == ScalarType::Pred => {
                Ok(Src::Truth(immediate_bits(*value, ScalarType::B32) != 0))
            }
            Operand::Immediate(value) => Ok(Src::Const(immediate_bits(*value, ty))),
            Operand::Name(name) => self.named(name, 0, ty),
            Operand::Offset(name, offset) => self.named(name, *offset, ty),
            _ => Err(self.unknown("an operand has a form that does not fit here")),
        }
    }

    fn named(&mut self, name: &str, offset: i64, ty: ScalarType) -> Rule<Src> {
        if let Some(value) = special_register(self.lowering, name) {
            return Ok(value);
        }
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => {
                self.check_width(r, ty)?;
                Ok(Src::Reg(r))
            }
            Some(Symbol::Variable(space, address)) => {
                let window = match space {
                    MemorySpace::Parameter => PARAMETER_WINDOW,
                    _ => 0,
                };
                Ok(move_address(address, window.wrapping_add_signed(offset)))
            }
            Some(Symbol::Label(_) | Symbol::Targets(_)) => {
                Err(self.unknown(&format!("`{name}` is a label")))
            }
            None => match crate::ir::indirect::function_address(self.lowering.module(), name) {
                Some(address) => Ok(Src::Const(address)),
                None => Err(self.unknown(&format!("`{name}` is not declared"))),
            },
        }
    }

    /// Operand `i` as a source of type `ty`.
    pub fn src(&mut self, i: usize, ty: ScalarType) -> Rule<Src> {
        let operand = self.operand(i)?.clone();
        self.source(&operand, ty)
    }

    /// A predicate operand, with `true` when it is written `!p`.
    pub fn predicate(&mut self, i: usize) -> Rule<(Src, bool)> {
        match self.operand(i)?.clone() {
            Operand::Not(name) => Ok((self.named(&name, 0, ScalarType::Pred)?, true)),
            operand => Ok((self.source(&operand, ScalarType::Pred)?, false)),
        }
    }

    /// Emits a computing instruction.
    pub fn pure(&mut self, dst: Option<Reg>, src: &[Src], op: impl Into<Action>) -> Rule {
        let guard = self.guard;
        match dst {
            Some(_) => self.lowering.emit(op.into(), vec![dst], src.to_vec(), guard),
            None => self.lowering.emit(Action::Nothing, Vec::new(), Vec::new(), guard),
        }
        Ok(())
    }

    /// Emits a computing instruction by its opcode.
    pub fn alu(&mut self, dst: Option<Reg>, src: &[Src], op: Alu) -> Rule {
        self.pure(dst, src, op)
    }

    fn uses_nan(&mut self, how: NanUse) {
        if let Some(inst) = self.lowering.kernel.insts.last_mut()
            && matches!(inst.action, Action::Pure(_) | Action::Alu(_))
        {
            inst.nan = how;
        }
    }

    /// The instruction just emitted does not see which NaN its f32 operands hold.
    pub fn blind_to_nan(&mut self) {
        self.uses_nan(NanUse::Ignores);
    }

    /// The instruction just emitted copies 32 bits.
    pub fn copies_nan(&mut self) {
        self.uses_nan(NanUse::Copies);
    }

    /// Emits `dst = f(operands 1..)` where all operands have type `ty`.
    pub fn uniform_type(&mut self, ty: ScalarType, count: usize, op: impl Into<Action>) -> Rule {
        self.operands(count + 1)?;
        let dst = self.dst_of(0, ty)?;
        let mut sources = Vec::new();
        for i in 1..=count {
            sources.push(self.src(i, ty)?);
        }
        self.pure(dst, &sources, op)
    }

    /// An address operand: its base, byte offset, and the space of the variable it names.
    pub fn address(&mut self, i: usize) -> Rule<(Src, i64, Option<MemorySpace>)> {
        let Operand::Address(address) = self.operand(i)?.clone() else {
            return Err(self.unknown("an address in brackets is expected"));
        };
        if !address.extra.is_empty() {
            return Err(self.unknown("addresses with coordinates"));
        }
        self.address_of(&address)
    }

    /// What an address in brackets is made of, but for coordinates.
    fn address_of(
        &mut self,
        address: &lanework_ptx::Address,
    ) -> Rule<(Src, i64, Option<MemorySpace>)> {
        match &address.base {
            AddressBase::Absolute(value) => Ok((Src::Const(*value), address.offset, None)),
            AddressBase::Name(name) => match self.lowering.lookup(name) {
                Some(Symbol::Variable(space, base)) => Ok((base, address.offset, Some(space))),
                Some(Symbol::Register(r)) => {
                    self.check_width(r, ScalarType::B32)?;
                    Ok((Src::Reg(r), address.offset, None))
                }
                _ => Err(self.unknown(&format!("`{name}` is not an address"))),
            },
        }
    }
}

/// A constant address moved by some bytes.
pub fn move_address(address: Src, by: u64) -> Src {
    match address {
        Src::Const(at) => Src::Const(at.wrapping_add(by)),
        Src::DynamicShared(at) => Src::DynamicShared(at.wrapping_add(by)),
        other => other,
    }
}

/// The ends and parts of reserved shared memory.
const RESERVED: &[&str] = &["begin", "end", "cap", "0", "1"];
/// Far beyond any block's shared memory.
const NO_RESERVED_SHARED: u64 = 0xffff_0000;

/// The value of a special register that is fixed while a thread runs.
fn special_register(lowering: &mut Lowering<'_>, name: &str) -> Option<Src> {
    if name == "WARP_SZ" {
        return Some(Src::Const(32));
    }
    // The driver's registers for cooperative launches and the like: it sets none here.
    if name.strip_prefix("%envreg").is_some_and(|n| n.parse::<u8>().is_ok_and(|n| n < 32)) {
        return Some(Src::Const(0));
    }
    // Shared memory that CUDA's own libraries use for groups larger than a warp. There is none: it
    // lies where every access faults.
    if name.strip_prefix("%reserved_smem_offset_").is_some_and(|which| RESERVED.contains(&which)) {
        return Some(Src::Const(NO_RESERVED_SHARED));
    }
    let name = name.strip_prefix('%')?;
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let special = match name.split_once('.') {
        Some(("tid", rest)) => Special::Thread(axis(rest)?),
        Some(("ntid", rest)) => Special::BlockShape(axis(rest)?),
        Some(("ctaid", rest)) => Special::Block(axis(rest)?),
        Some(("nctaid", rest)) => Special::GridShape(axis(rest)?),
        Some(("clusterid", rest)) => Special::Cluster(axis(rest)?),
        Some(("nclusterid", rest)) => Special::Clusters(axis(rest)?),
        Some(("cluster_ctaid", rest)) => Special::ClusterBlock(axis(rest)?),
        Some(("cluster_nctaid", rest)) => Special::ClusterShape(axis(rest)?),
        Some(_) => return None,
        None => match name {
            "laneid" => Special::Lane,
            "warpid" => Special::Warp,
            "nwarpid" => Special::Warps,
            "smid" => Special::Multiprocessor,
            "nsmid" => Special::Multiprocessors,
            "gridid" => Special::Grid,
            "lanemask_eq" => Special::LaneMask(LaneMask::Equal),
            "lanemask_le" => Special::LaneMask(LaneMask::AtMost),
            "lanemask_lt" => Special::LaneMask(LaneMask::Below),
            "lanemask_ge" => Special::LaneMask(LaneMask::AtLeast),
            "lanemask_gt" => Special::LaneMask(LaneMask::Above),
            "dynamic_smem_size" => Special::DynamicShared,
            "total_smem_size" => Special::TotalShared,
            "cluster_ctarank" => Special::ClusterRank,
            "cluster_nctarank" => Special::ClusterBlocks,
            "is_explicit_cluster" => {
                let word = lowering.special(Special::ExplicitCluster, Width::Word);
                let truth = lowering.new_register(Width::Predicate);
                let action = Action::Alu(Alu::Logic(LogicOp::IsNonzero));
                lowering.emit(action, vec![Some(truth)], vec![Src::Reg(word)], None);
                return Some(Src::Reg(truth));
            }
            _ => return None,
        },
    };
    let width = if special == Special::Grid { Width::Wide } else { Width::Word };
    Some(Src::Reg(lowering.special(special, width)))
}
