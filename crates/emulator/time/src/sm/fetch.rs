//! The fetch of instructions after a flush of all caches: lines of 128 bytes, each once.

use crate::lower::{Lowered, MachineOperation, Unit};
use crate::machine::Timings;

/// Machine instructions in a line.
const INSTRUCTIONS_OF_LINE: u32 = 8;

/// The lines of code that a multiprocessor has fetched.
pub struct CodeFetch {
    /// By run: its line.
    line: Vec<u32>,
    seen: Vec<bool>,
    free: f64,
    started: bool,
}

impl CodeFetch {
    /// Creates the state before the kernel starts; `cold` if no instruction is cached.
    pub fn new(lowered: &Lowered, cold: bool) -> CodeFetch {
        let (mut count, mut last, mut most) = (0, 0, 0);
        let line = |(run, operations): (usize, &Vec<MachineOperation>)| {
            let placed = lowered.layout.as_ref().map(|layout| layout.places[run].first());
            let number = match placed {
                Some(place) => place.copied().unwrap_or(last),
                None => count,
            };
            (last, most) = (number, most.max(number));
            count += operations.iter().filter(|op| op.unit != Unit::Free).count() as u32;
            number / INSTRUCTIONS_OF_LINE
        };
        let line = lowered.operations.iter().enumerate().map(line).collect();
        let lines = (most.max(count) / INSTRUCTIONS_OF_LINE) as usize + 1;
        CodeFetch { line, seen: vec![!cold; lines], free: 0.0, started: false }
    }

    /// The cycle at which the code line of a run, which a warp needs at `time`, arrives; `None` if
    /// it is already there.
    pub fn arrival(&mut self, run: u32, time: f64, timings: &Timings) -> Option<f64> {
        let line = self.line[run as usize] as usize;
        if std::mem::replace(&mut self.seen[line], true) {
            return None;
        }
        // The first line also waits for the parameters, which come from the L2. Later lines are
        // prefetched, even across branches: on an H200, kernels with many branches are as fast as
        // if they waited for none.
        let latency = if self.started { 0.0 } else { timings.dram_latency + timings.l2_latency };
        self.started = true;
        self.free = self.free.max(time) + latency + 128.0 / timings.code_bytes_per_clock;
        Some(self.free)
    }
}
