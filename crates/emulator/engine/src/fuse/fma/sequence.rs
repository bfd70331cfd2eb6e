//! A fused multiply-add sequence as data: its steps, how it is counted, and whether it agrees with the operations that it overlays.

use crate::machine::Op;
use crate::slot::{OFFSET, SCALAR, both};
use crate::tally::tally;
use crate::worker_context::{Context, Deferred};

/// One step of a [`FmaSequence`]: two loads and the `fma` of both.
#[derive(Clone, Copy)]
pub struct FmaStep {
    /// From the chain's lowest scalar address to this step's, in bytes.
    pub(super) same: u32,
    /// The same for the run of lanes.
    pub(super) run: u32,
    /// Sites of the scalar load and of the run.
    pub(super) sites: [u32; 2],
    /// Slots to write the loaded values and the sum to; [`DEAD`] where nobody else reads them.
    pub(super) same_to: u32,
    pub(super) run_to: u32,
    pub(super) sum_to: u32,
}

/// A value that no other instruction reads.
pub(super) const DEAD: u32 = u32::MAX;

/// Steps of a product that share both address registers, each adding to the sum of the one before: what
/// an unrolled inner loop is made of. The addresses are checked once for all steps.
#[derive(Clone)]
pub struct FmaSequence {
    pub(super) links: Vec<FmaStep>,
    /// Operations that load from the lowest addresses.
    pub(super) same: Op,
    pub(super) run: Op,
    /// Bytes from the lowest to past the highest access.
    pub(super) same_bytes: u64,
    pub(super) run_bytes: u64,
    /// Where the first sum comes from.
    pub(super) sum_from: u32,
    /// Operations in all.
    pub(super) length: u32,
    /// Its number among the program's.
    pub(super) index: u32,
}

impl FmaSequence {
    /// Adds the runs that were deferred to the counter slots of its sites.
    ///
    /// # Safety
    /// It is one of the program that the context's sites belong to.
    #[inline(never)]
    pub unsafe fn count_deferred(&self, context: *mut Context) {
        // SAFETY: the context is that of a worker that runs this code, as this function requires, with an entry for
        // each sequence.
        unsafe {
            let counted = &mut *context;
            let Some(deferred) = counted.deferred.get_mut(self.index as usize) else { return };
            let Deferred { same, run, times } = std::mem::take(deferred);
            if times == 0 {
                return;
            }
            let sites = counted.sites.as_mut_ptr();
            for link in &self.links {
                let shifted = |at: [u64; 2], by: u32| both(at, |a| a.wrapping_add(by.into()));
                let [one, other] = both(link.sites, |offset| sites.byte_add(offset as usize));
                tally::<false>(context, one, shifted(same, link.same), 0, 4, times);
                tally::<true>(context, other, shifted(run, link.run), 4, 4, times);
            }
        }
    }

    /// Operations in all.
    pub fn operations(&self) -> usize {
        self.length as usize
    }

    /// Whether these plain operations, in steps of two loads and an `fma`, are what it runs: the same
    /// sites, slots and addresses. `offset` gives the offset of a load's site.
    pub fn agrees(&self, ops: &[Op], offset: &dyn Fn(&Op) -> u64) -> bool {
        let mut sum = self.sum_from;
        let mut steps = self.links.iter().zip(ops.chunks_exact(3)).enumerate();
        let may_be = |to: u32, slot: u32| to == DEAD || to == slot & OFFSET;
        let at = |base: &Op, by: u32| base.imm.wrapping_add(u64::from(by));
        let step = |(i, (link, ops)): (usize, (&FmaStep, &[Op]))| {
            let (same, run) = match ops[0].c == link.sites[0] {
                true => (&ops[0], &ops[1]),
                false => (&ops[1], &ops[0]),
            };
            let sites = [same.c, run.c];
            let firsts = i > 0 || sites == [self.same.c, self.run.c];
            let follows = ops[2].d & OFFSET == sum;
            sum = ops[2].a & OFFSET;
            firsts
                && follows
                && sites == link.sites
                && (same.a & SCALAR, run.a & SCALAR) == (SCALAR, 0)
                && (same.b, run.b) == (self.same.b, self.run.b)
                && offset(same) == at(&self.same, link.same)
                && offset(run) == at(&self.run, link.run)
                && u64::from(link.same) + 4 <= self.same_bytes
                && u64::from(link.run) + 64 <= self.run_bytes
                && may_be(link.same_to, same.a)
                && may_be(link.run_to, run.a)
                && may_be(link.sum_to, ops[2].a)
        };
        ops.len() == self.operations() && 3 * self.links.len() == ops.len() && steps.all(step)
    }
}
