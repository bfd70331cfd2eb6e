//! Assembled code: the operations of a kernel and the data that they need.

use crate::ablation::FastPath;
use crate::assemble::fuse::Fusion;
use crate::assemble::fuse::fma::FmaSequence;
use crate::assemble::shape::{RegisterForms, Shape};
use crate::assemble::verify::{Violation, verify, verify_wide};
use crate::assemble::{AssemblyOptions, assemble};
use crate::instructions::access::delayed::Delayed;
use crate::instructions::access::site::AccessSite;
use crate::instructions::alu::atomic::combine;
use crate::instructions::matrix::Plan;
use crate::instructions::{asynchrony, texture};
use crate::instrument::event::Wants;
use crate::instrument::insertion::Plan as Insertions;
use crate::instrument::observer::Instrumentation;
use crate::machine::Op;
use crate::machine::context::best_tier;
use crate::machine::slot::Slot;
use lanework_ptx_ir::analysis::uniformity::Uniformity;
use lanework_ptx_ir::analysis::{Analyses, RegisterPressure, pressure};
use lanework_ptx_ir::kernel::{Kernel, SpecialRegister, Width};
use lanework_ptx_ir::types::UniformityClass;
use std::sync::{Arc, OnceLock};

/// A value written into the register file before a kernel runs.
#[derive(Clone, Copy, Debug)]
pub enum Prefill {
    /// A special register.
    Special(SpecialRegister),
    /// A constant in scalar form.
    Constant(u64),
    /// A constant predicate.
    Truth(bool),
}

/// An assembled kernel.
pub struct Code {
    /// Operations; the last never falls through.
    pub ops: Vec<Op>,
    /// The origin of each operation.
    pub origin_of: Vec<u32>,
    /// The operand kinds of each operation.
    pub shapes: Vec<Shape>,
    /// Bytes of one warp's register file.
    pub register_bytes: usize,
    /// The registers in the register file, each with its form.
    pub reserved: Vec<(Slot, RegisterForms)>,
    /// The initial values of the register file.
    pub prefill: Vec<(Slot, Prefill)>,
    /// The access sites of memory instructions, in their initial state.
    pub sites: Vec<AccessSite>,
    /// The slot of each register; [`NO_SLOT`](crate::machine::slot::NO_SLOT) if it is unused.
    pub slots: Vec<Slot>,
    /// Fused multiply-add sequences that one operation runs (superinstructions).
    pub chains: Vec<Box<FmaSequence>>,
    /// The fused handlers, in the order of operations.
    pub fusions: Vec<Fusion>,
    /// When counting: each instruction as (basic block, origin), in the order of blocks.
    pub runs: Vec<(u32, u32)>,
    /// When counting: for each basic block, its first operation and the one that counts its visits.
    pub visits: Vec<(u32, u32)>,
    /// Plans of matrix instructions; operations hold their addresses.
    pub plans: Vec<Arc<Plan>>,
    /// The instrument's plan; operations hold addresses of its data.
    pub plan: Option<Arc<dyn Insertions>>,
    /// Plans of asynchronous instructions; operations hold their addresses.
    pub async_plans: Vec<Arc<asynchrony::Plan>>,
    /// Plans of texture instructions; operations hold their addresses.
    pub texture_plans: Vec<Arc<texture::Plan>>,
}

// SAFETY: sites hold null pointers until a worker copies them. Operations hold the addresses of
// sequences and plans as numbers; this code owns those, and nothing changes them.
unsafe impl Send for Code {}
// SAFETY: see `Send`: shared code is only read.
unsafe impl Sync for Code {}

/// A kernel assembled for a block shape.
pub struct Assembled {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// The code that warps start in.
    pub code: Code,
    /// Registers that may be read before they are written, to be zeroed.
    pub undefined: Vec<u32>,
    analyses: Arc<Analyses>,
    uniformity: Uniformity,
    want: AssemblyOptions,
    verify: bool,
    wide: OnceLock<Code>,
}

/// Panics if the verifier rejects the code: the bug is in the assembler, not in the kernel.
#[allow(clippy::panic, reason = "an internal error, caught where the emulator is entered")]
fn hold(verified: Result<(), Violation>) {
    if let Err(violation) = verified {
        panic!("{violation}");
    }
}

impl Assembled {
    /// Assembles a kernel. `all_varying` makes every register varying; `verified` runs the verifier on the code.
    pub(crate) fn new(
        (kernel, analyses): (&Arc<Kernel>, &Arc<Analyses>),
        block: [u32; 3],
        instrumentation: &Instrumentation,
        (all_varying, verified): (bool, bool),
    ) -> Assembled {
        let (kernel, analyses) = (Arc::clone(kernel), Arc::clone(analyses));
        let uniformity = if all_varying {
            Uniformity::all_varying(&kernel)
        } else {
            Uniformity::analyze(&kernel, &analyses, block)
        };
        let instrumentation = *instrumentation;
        let plan = (instrumentation.plan)(&kernel, &analyses);
        let want = AssemblyOptions { tier: best_tier(), instrumentation, plan, first_site: 0 };
        let code = assemble(&kernel, &analyses, &uniformity, &uniformity, want.clone());
        if verified {
            hold(verify(&kernel, &code, 0));
        }
        let undefined = analyses.read_unwritten(&kernel).map(|r| r as u32).collect();
        let (verify, wide) = (verified, OnceLock::new());
        Assembled { kernel, code, undefined, analyses, uniformity, want, verify, wide }
    }

    /// The events that the code's instrument wants.
    pub fn wants(&self) -> Wants {
        self.want.instrumentation.wants
    }

    /// How many of the kernel's registers the analysis found to be predicates, in scalar form, and varying.
    pub fn register_forms(&self) -> [usize; 3] {
        let mut forms = [0; 3];
        for (register, class) in self.kernel.registers.iter().zip(self.uniformity.classes()) {
            let form = match (register.width, class) {
                (Width::Predicate, _) => 0,
                (_, UniformityClass::Varying) => 2,
                _ => 1,
            };
            forms[form] += 1;
        }
        forms
    }

    /// An estimate of the registers that the kernel needs.
    pub fn register_pressure(&self) -> RegisterPressure {
        pressure(&self.kernel, &self.analyses)
    }

    /// Whether blocks may poll memory that other blocks write.
    pub fn polls(&self) -> bool {
        self.analyses.polls
    }

    /// A worker's table of delayed reductions, if the code has any.
    pub(crate) fn delayed(&self) -> Option<Box<Delayed>> {
        let delayable = self.analyses.delayable.as_ref()?;
        let observed = self.wants().any(Wants::ACCESSES.with(Wants::COUNTS));
        (!observed && FastPath::DelayedReductions.on())
            .then(|| Box::new(Delayed::new(combine(delayable.op), delayable.bytes)))
    }

    /// The code in which every register is varying; each of its operations corresponds to one operation of `code`.
    pub fn wide(&self) -> &Code {
        self.wide.get_or_init(|| {
            let all = Uniformity::all_varying(&self.kernel);
            let want =
                AssemblyOptions { first_site: self.code.sites.len() as u32, ..self.want.clone() };
            let first_site = want.first_site;
            let wide = assemble(&self.kernel, &self.analyses, &all, &self.uniformity, want);
            if self.verify {
                hold(verify(&self.kernel, &wide, first_site));
                hold(verify_wide(&self.kernel, &self.code, &wide));
            }
            wide
        })
    }
}
