//! The counters of one run on the emulator, and assertions on them for tests.

use crate::Counters;
use lanework_sim::{CountingObserver, Origin, Outcome, Program};
use std::fmt::Write;

/// The counters of one run on the emulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The counters of the blocks that ran.
    pub counters: Counters,
    /// The same for each PTX instruction of the kernel, in the order of the text.
    pub instructions: Vec<InstructionProfile>,
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// The counters of one PTX instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionProfile {
    /// The instruction, with its line in the PTX and its source location.
    pub origin: Origin,
    /// Its counters.
    pub counters: Counters,
}

/// Instructions that a failed assertion names.
const NAMED: usize = 5;

impl Profile {
    pub(crate) fn new(
        (outcome, counted): (Outcome, CountingObserver),
        program: &Program,
        entry: &str,
    ) -> Self {
        let origins = program.origins(entry).iter().cloned();
        let instructions = origins
            .zip(&counted.instructions)
            .map(|(origin, counters)| InstructionProfile { origin, counters: counters.clone() });
        Profile {
            counters: counted.total(),
            instructions: instructions.collect(),
            blocks_run: outcome.blocks_run,
            blocks: outcome.blocks_total,
        }
    }

    /// The counters of one source line, or of one PTX line where there is no line information.
    pub fn line(&self, line: u32) -> Counters {
        let at = |one: &&InstructionProfile| one.line() == line;
        Counters::sum(self.instructions.iter().filter(at).map(|one| &one.counters))
    }

    /// Panics if shared memory accesses had bank conflicts, and names their lines: for tests.
    ///
    /// ```should_panic
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn column(x: &mut [f32]) {
    ///     let tile = shared::<f32>([32, 32]);
    ///     tile[[thread_idx.x, 0]] = 1.0; // stride of 32 words: one bank
    ///     x[thread_idx.x] = tile[[thread_idx.x, 0]];
    /// }
    ///
    /// let emulator = Device::emulator();
    /// let mut x = emulator.zeros::<f32>(32).unwrap();
    /// let profile = column(&mut x).grid(1).block(32).profile(&emulator).unwrap();
    /// profile.assert_no_bank_conflicts();
    /// ```
    ///
    /// # Panics
    /// When there were any.
    #[track_caller]
    pub fn assert_no_bank_conflicts(&self) {
        let conflicts = self.counters.bank_conflicts();
        let requests = |c: &Counters| {
            [&c.shared_load, &c.shared_store, &c.shared_atomic, &c.shared_copy]
                .map(|kind| kind.requests)
                .iter()
                .sum()
        };
        assert!(
            conflicts == 0,
            "{conflicts} shared memory bank conflicts{}\
             \n  = help: pad the rows of a tile by a word, or swizzle its columns; \
             `lanework look` draws the banks",
            self.largest(["bank conflicts", "requests"], Counters::bank_conflicts, requests)
        );
    }

    /// Panics if a global memory request touched more sectors than its bytes need (uncoalesced
    /// access), and names the lines: for tests. Atomics are not considered.
    ///
    /// # Panics
    /// When one did.
    #[track_caller]
    pub fn assert_coalesced(&self) {
        let kinds = |c: &Counters| [c.global_load, c.global_store];
        let excess = |c: &Counters| -> u64 {
            kinds(c).iter().map(|kind| kind.sectors.saturating_sub(kind.ideal_sectors)).sum()
        };
        let requests = |c: &Counters| kinds(c).iter().map(|kind| kind.requests).sum();
        let sectors = excess(&self.counters);
        assert!(
            sectors == 0,
            "{sectors} excess global sectors (uncoalesced){}\
             \n  = help: let adjacent lanes access adjacent elements; `lanework look` draws the sectors",
            self.largest(["excess sectors", "requests"], excess, requests)
        );
    }

    /// Panics if a branch diverged, and names the lines: for tests.
    ///
    /// # Panics
    /// When they did.
    #[track_caller]
    pub fn assert_no_divergence(&self) {
        let divergent = self.counters.divergent_branches;
        assert!(
            divergent == 0,
            "{divergent} divergent branches{}",
            self.largest(
                ["divergent executions", "executions"],
                |c| c.divergent_branches,
                |c| c.warp_instructions
            )
        );
    }

    /// The instructions with the largest counts, for a message.
    fn largest(
        &self,
        [what, of]: [&str; 2],
        count: impl Fn(&Counters) -> u64,
        requests: impl Fn(&Counters) -> u64,
    ) -> String {
        let counted = self.instructions.iter().map(|one| (count(&one.counters), one));
        let mut nonzero: Vec<_> = counted.filter(|(count, _)| *count > 0).collect();
        nonzero.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut text = String::new();
        for (count, one) in nonzero.iter().take(NAMED) {
            let place = match &one.origin.location {
                Some(location) => location.to_string(),
                None if one.origin.text_line > 0 => format!("PTX line {}", one.origin.text_line),
                None => "an unknown line".to_owned(),
            };
            let (name, requests) = (&one.origin.name, requests(&one.counters));
            let _ = write!(text, "\n  --> {place}: `{name}`, {count} {what} in {requests} {of}");
        }
        if nonzero.len() > NAMED {
            let _ = write!(text, "\n  and {} more instructions", nonzero.len() - NAMED);
        }
        text
    }
}

impl InstructionProfile {
    /// Its line: of the source, else of the PTX text; 0 when unknown.
    pub fn line(&self) -> u32 {
        self.origin.location.as_ref().map_or(self.origin.text_line, |location| location.line)
    }
}
