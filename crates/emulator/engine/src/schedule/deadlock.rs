//! The faults of clusters that wait for ever: for blocks that were not to run, for blocks that cannot become resident, or for nobody.

use super::Job;
use crate::fault::{FaultKind, Located, RawFault};

impl Job<'_> {
    /// The fault of a cluster that waits for ever.
    pub(super) fn deadlock(&self, located: Located, unstarted: u64) -> Located {
        let raw = located.raw;
        let (kind, why) = match unstarted {
            0 if self.order.count < self.order.total => (
                FaultKind::Unsupported,
                format!(
                    "; of {} blocks, {} were to run: those that are left out may be the ones that it waits for",
                    self.order.total * self.per_cluster(),
                    self.order.count * self.per_cluster()
                ),
            ),
            0 => (raw.kind, "; nothing is left that could change them".to_owned()),
            _ => (raw.kind, self.never_resident(unstarted)),
        };
        Located { raw: RawFault { kind, note: raw.note + &why, ..raw }, ..located }
    }

    /// Why blocks that nobody has started may be those that the others wait for.
    fn never_resident(&self, unstarted: u64) -> String {
        format!(
            "; {}, all of them wait, and {} of the grid's {} can start only when one of them ends",
            self.residency(),
            unstarted * self.per_cluster(),
            self.order.total * self.per_cluster()
        )
    }

    /// The fault of a limit, with the reason where blocks may be waiting for others that cannot start.
    pub(super) fn explained(&self, mut located: Located) -> Located {
        let limit = matches!(located.raw.kind, FaultKind::InstructionLimit | FaultKind::TimeLimit);
        let unstarted = self.order.unstarted();
        if limit && self.shape.polls && unstarted > 0 {
            let why = format!(
                "; the kernel reads in a loop what other blocks write, {}, and {} of the grid's {} have not started",
                self.residency(),
                unstarted * self.per_cluster(),
                self.order.total * self.per_cluster()
            );
            located.raw.note.push_str(&why);
        }
        located
    }
}
