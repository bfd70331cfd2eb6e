//! Fault attribution. A GPU reports errors asynchronously, so every launch that no wait has proved finished is a
//! candidate. A successful wait removes the earlier launches that it covers: all launches, one stream's, or the ones
//! ordered with the default stream. Limits: the ledger keeps the names of the latest 256 launches and only counts older
//! ones; it does not see launches of other libraries.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Number of launches kept by name; older ones are only counted.
const KEPT: usize = 256;

/// One kernel launch, recorded for error messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRecord {
    /// Number of the launch on this GPU, from 1.
    pub number: u64,
    /// The kernel's name; for a graph, the names of its kernels.
    pub kernel: Arc<str>,
    /// Blocks per grid; zeros for a graph.
    pub grid: [u32; 3],
    /// Threads per block; zeros for a graph.
    pub block: [u32; 3],
    /// The stream's number; 0 is the default stream.
    pub stream: u64,
}

impl fmt::Display for LaunchRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "launch {} of `{}`", self.number, self.kernel)?;
        if self.block != [0; 3] {
            let [gx, gy, gz] = self.grid;
            let [bx, by, bz] = self.block;
            write!(f, " (grid {gx}x{gy}x{gz}, block {bx}x{by}x{bz})")?;
        }
        Ok(())
    }
}

/// The launches that may have caused a fault; exactly one if the attribution is certain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suspects {
    /// Candidates, oldest first.
    pub launches: Vec<LaunchRecord>,
    /// Number of older candidates whose names were not kept.
    pub forgotten: u64,
}

impl Suspects {
    /// The launch at fault, if there is only one candidate.
    pub fn certain(&self) -> Option<&LaunchRecord> {
        match (&self.launches[..], self.forgotten) {
            ([only], 0) => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for Suspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(oldest), Some(newest)) = (self.launches.first(), self.launches.last()) else {
            return f.write_str("work not launched through this library");
        };
        if let Some(only) = self.certain() {
            return write!(f, "{only}");
        }
        let count = self.launches.len() as u64 + self.forgotten;
        write!(f, "one of {count} launches since the last synchronization, ")?;
        if self.forgotten > 0 {
            write!(f, "{} older launches (not recorded), then ", self.forgotten)?;
        }
        write!(f, "{oldest} to {newest}")?;
        let mut names: Vec<&str> = self.launches.iter().map(|launch| &*launch.kernel).collect();
        names.sort_unstable();
        names.dedup();
        write!(f, "; kernels: {}", names.join(", "))
    }
}

/// The remedy for a fault with these candidates.
pub(crate) fn remedy(suspects: &Suspects) -> String {
    let restart = "end this process, then run the kernel on the emulator to see the thread and the source line";
    match suspects.certain() {
        Some(_) => restart.to_string(),
        None => format!(
            "{restart}; `Gpu::set_blocking(true)` or CUDA_LAUNCH_BLOCKING=1 pins a fault to its launch"
        ),
    }
}

/// The work that a successful wait proves finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finished {
    /// Everything on the GPU.
    All,
    /// The work of one stream.
    Stream(u64),
    /// The work of the default stream and of the streams ordered with it.
    DefaultOrder,
}

/// The launches that may still be running.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    issued: u64,
    pending: VecDeque<Pending>,
    forgotten: u64,
}

#[derive(Debug)]
struct Pending {
    launch: LaunchRecord,
    /// Whether its stream is ordered with the default stream.
    ordered: bool,
}

/// Where a launch was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queue {
    /// The stream's number; 0 is the default stream.
    pub stream: u64,
    /// Whether it is ordered with the default stream.
    pub ordered: bool,
}

impl Queue {
    /// The default stream.
    pub const DEFAULT: Queue = Queue { stream: 0, ordered: true };
}

impl Ledger {
    /// Records a launch.
    pub fn launched(&mut self, kernel: Arc<str>, grid: [u32; 3], block: [u32; 3], queue: Queue) {
        self.issued += 1;
        if self.pending.len() == KEPT {
            self.pending.pop_front();
            self.forgotten += 1;
        }
        let launch =
            LaunchRecord { number: self.issued, kernel, grid, block, stream: queue.stream };
        self.pending.push_back(Pending { launch, ordered: queue.ordered });
    }

    /// The number of the newest launch so far; read it before waiting.
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// Forgets the launches up to number `up_to` that a successful wait proved finished.
    pub fn finished(&mut self, what: Finished, up_to: u64) {
        self.pending.retain(|pending| {
            let waited_for = match what {
                Finished::All => true,
                Finished::Stream(stream) => pending.launch.stream == stream,
                Finished::DefaultOrder => pending.ordered,
            };
            !waited_for || pending.launch.number > up_to
        });
        if self.pending.is_empty() || what == Finished::All {
            self.forgotten = 0;
        }
    }

    /// The launches that may have caused an error that the driver reports now.
    pub fn suspects(&self) -> Suspects {
        Suspects {
            launches: self.pending.iter().map(|pending| pending.launch.clone()).collect(),
            forgotten: self.forgotten,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(ledger: &mut Ledger, name: &str, stream: u64) {
        let queue = Queue { stream, ordered: stream != 2 };
        ledger.launched(name.into(), [4, 1, 1], [32, 1, 1], queue);
    }

    #[test]
    fn one_pending_launch_is_certain() {
        let mut ledger = Ledger::default();
        launch(&mut ledger, "first", 0);
        let up_to = ledger.issued();
        launch(&mut ledger, "second", 0);
        ledger.finished(Finished::All, up_to);
        let suspects = ledger.suspects();
        assert_eq!(suspects.certain().map(|launch| launch.number), Some(2));
        assert_eq!(suspects.to_string(), "launch 2 of `second` (grid 4x1x1, block 32x1x1)");
        assert!(!remedy(&suspects).contains("set_blocking"));
    }

    #[test]
    fn several_pending_launches_name_oldest_and_newest() {
        let mut ledger = Ledger::default();
        launch(&mut ledger, "a", 1);
        launch(&mut ledger, "b", 2);
        launch(&mut ledger, "a", 1);
        let text = ledger.suspects().to_string();
        assert!(text.starts_with("one of 3 launches"), "{text}");
        assert!(text.contains("launch 1 of `a`") && text.contains("launch 3 of `a`"), "{text}");
        assert!(text.ends_with("kernels: a, b"), "{text}");
        assert!(remedy(&ledger.suspects()).contains("set_blocking"));
    }

    #[test]
    fn waiting_for_a_stream_clears_only_its_launches() {
        let mut ledger = Ledger::default();
        launch(&mut ledger, "a", 1);
        launch(&mut ledger, "b", 2);
        ledger.finished(Finished::Stream(1), ledger.issued());
        let suspects = ledger.suspects();
        assert_eq!(suspects.certain().map(|launch| &*launch.kernel), Some("b"));
    }

    #[test]
    fn waiting_in_default_order_leaves_independent_streams() {
        let mut ledger = Ledger::default();
        launch(&mut ledger, "default", 0);
        launch(&mut ledger, "independent", 2);
        launch(&mut ledger, "ordered", 1);
        ledger.finished(Finished::DefaultOrder, ledger.issued());
        let suspects = ledger.suspects();
        assert_eq!(suspects.certain().map(|launch| &*launch.kernel), Some("independent"));
    }

    #[test]
    fn the_ledger_is_bounded_and_counts_forgotten_launches() {
        let mut ledger = Ledger::default();
        for _ in 0..KEPT + 5 {
            launch(&mut ledger, "k", 0);
        }
        let suspects = ledger.suspects();
        assert_eq!((suspects.launches.len(), suspects.forgotten), (KEPT, 5));
        ledger.finished(Finished::Stream(0), ledger.issued());
        assert_eq!(ledger.suspects(), Suspects::default());
    }
}
