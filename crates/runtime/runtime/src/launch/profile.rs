//! The counters of one run on the emulator, and assertions on them for tests.

use crate::device::gpu::of_program;
use crate::{Counters, Dim3};
use lanework_emulator::{CountingObserver, LaunchConfig, Outcome, Program};
use lanework_report::{
    self as report, By, Counted, Extras, InstructionProfile, Machine, Resources, Sources,
};
use std::fmt::{self, Write};

/// The counters of one run on the emulator. Its `Display` prints the same text as `lanework profile`:
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = block_idx.x * block_dim.x + thread_idx.x;
///     x[i] = x[i] + x[i];
/// }
///
/// let emulator = Device::emulator();
/// let mut x = emulator.upload(&[1.0f32; 1024])?;
/// let profile = double(&mut x).grid(4).block(256).profile(&emulator)?;
/// let text = profile.to_string();
/// assert!(text.starts_with("double: 4 blocks of 256 threads, on the emulator\n"));
/// assert!(text.contains("global loads   64 requests, 256 sectors: 4.00 each, optimal 4.00"));
///
/// // In a test of a kernel: no wasted sectors, and no divergent warp.
/// profile.assert_coalesced();
/// profile.assert_no_divergence();
/// // The counters of one source line, here the multiplication, and the whole profile as reports take it.
/// let line = profile.instructions[0].line();
/// assert!(profile.line(line).warp_instructions <= profile.counters.warp_instructions);
/// assert_eq!(profile.counted().blocks, 4);
/// # lanework::Result::<()>::Ok(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks of the launch.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Estimated resources of the kernel on a multiprocessor.
    pub resources: Resources,
    /// The counters of the blocks that ran.
    pub counters: Counters,
    /// The counters of each PTX instruction of the kernel, in text order.
    pub instructions: Vec<InstructionProfile>,
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// Number of instructions that a failed assertion names.
const NAMED: usize = 5;

impl Profile {
    /// Adds the counts of another launch. Keeps the name, the shape and the resources.
    pub(crate) fn add(&mut self, other: Profile) {
        self.counters.add(&other.counters);
        self.instructions.extend(other.instructions);
        self.blocks_run += other.blocks_run;
        self.blocks += other.blocks;
    }

    pub(crate) fn new(
        (outcome, counted): (Outcome, CountingObserver),
        program: &Program,
        launch: &LaunchConfig<'_>,
    ) -> Self {
        let origins = program.origins(launch.entry).iter().cloned();
        let instructions = origins
            .zip(&counted.instructions)
            .map(|(origin, counters)| InstructionProfile { origin, counters: counters.clone() });
        Profile {
            kernel: launch.entry.to_owned(),
            grid: launch.grid.into(),
            block: launch.block.into(),
            dynamic_shared: launch.dynamic_shared,
            resources: of_program(program, launch.entry),
            counters: counted.total(),
            instructions: instructions.collect(),
            blocks_run: outcome.blocks_run,
            blocks: outcome.blocks_total,
        }
    }

    /// Converts the profile to the form that [`report::record`] takes.
    pub fn counted(&self) -> Counted<'_> {
        Counted {
            kernel: &self.kernel,
            grid: self.grid.to_array(),
            block: self.block.to_array(),
            dynamic_shared: self.dynamic_shared,
            resources: self.resources,
            counters: &self.counters,
            instructions: &self.instructions,
            blocks_run: self.blocks_run,
            blocks: self.blocks,
        }
    }

    /// The counters of one source line, or of one PTX line if there is no line information.
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
    /// If there were any.
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
    /// If a request did.
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
    /// If a branch did.
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

/// Prints the same as `lanework profile` for an H200: totals, hot spots, and lines with their counts. Only the command
/// has access patterns and modeled caches, because it runs a kernel several times.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = Machine::h200();
        let record = report::record(&self.counted(), Extras::default(), By::Source, &machine);
        let text = report::describe(&self.kernel, &record, &Sources::default());
        f.write_str(text.trim_end_matches('\n'))
    }
}
