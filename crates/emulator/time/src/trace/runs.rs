//! Runs: the typed instructions of one PTX instruction within one basic block, which the emulator reports as one step.

use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::kernel::Kernel;

/// A run: instructions `start..end` of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionRun {
    /// The basic block.
    pub block: u32,
    /// First instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The PTX instruction.
    pub origin: u32,
}

/// The runs of a kernel.
pub struct Runs {
    /// In the order of the text.
    pub all: Vec<InstructionRun>,
    /// The first run of each basic block, and one past the last of the kernel.
    pub first_of_block: Vec<u32>,
    /// The successors of each basic block.
    pub successors: Vec<Vec<u32>>,
    by_origin: Vec<Vec<u32>>,
}

impl Runs {
    /// The runs of a kernel.
    pub fn new(kernel: &Kernel, analyses: &Analyses) -> Runs {
        let (mut all, mut first_of_block) = (Vec::<InstructionRun>::new(), Vec::new());
        let mut by_origin = vec![Vec::new(); kernel.origins.len()];
        for (b, block) in analyses.cfg.blocks.iter().enumerate() {
            first_of_block.push(all.len() as u32);
            let mut last = None;
            for at in block.start..block.end {
                let origin = kernel.insts[at].origin;
                if last == Some(origin) {
                    if let Some(run) = all.last_mut() {
                        run.end = at as u32 + 1;
                    }
                    continue;
                }
                last = Some(origin);
                if let Some(runs) = by_origin.get_mut(origin as usize) {
                    runs.push(all.len() as u32);
                }
                all.push(InstructionRun {
                    block: b as u32,
                    start: at as u32,
                    end: at as u32 + 1,
                    origin,
                });
            }
        }
        first_of_block.push(all.len() as u32);
        let successors = (0..analyses.cfg.blocks.len())
            .map(|b| analyses.cfg.successors(b).iter().map(|&s| s as u32).collect())
            .collect();
        Runs { all, first_of_block, successors, by_origin }
    }

    /// The run of an origin that a warp executes after `previous`.
    pub fn after(&self, previous: Option<u32>, origin: u32) -> Option<u32> {
        let candidates = self.by_origin.get(origin as usize)?;
        let only = candidates.first().copied();
        if candidates.len() < 2 {
            return only;
        }
        let Some(previous) = previous else { return only };
        let next = previous + 1;
        let here = self.all[previous as usize].block;
        let same = |run: u32| self.all.get(run as usize).is_some_and(|run| run.origin == origin);
        if same(next) && self.all[next as usize].block == here {
            return Some(next);
        }
        let starts = self.successors[here as usize].iter();
        let follows = starts.map(|&b| self.first_of_block[b as usize]).find(|&run| same(run));
        follows.or_else(|| {
            let starts =
                |run: &&u32| self.first_of_block[self.all[**run as usize].block as usize] == **run;
            candidates.iter().find(starts).copied().or(only)
        })
    }

    /// The runs of a basic block.
    pub fn of_block(&self, block: u32) -> std::ops::Range<u32> {
        self.first_of_block[block as usize]..self.first_of_block[block as usize + 1]
    }
}
