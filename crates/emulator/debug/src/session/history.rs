//! The history of bytes: the steps that wrote or read them, with the values before and after. Also a thread's last
//! step.

use crate::data::evaluate::located;
use crate::session::breakpoints::Watched;
use crate::timeline::{StepAt, Visitor};
use lanework_emulator::{Access, AccessKind, Place};
use std::collections::VecDeque;

/// The accesses that a history lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryKind {
    /// Writes: stores, atomics, and changes by asynchronous operations.
    Writes,
    /// Reads: loads and atomics.
    Reads,
}

/// One access to the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The step that made it.
    pub step: u64,
    /// Its instruction, block and warp; `None` for an asynchronous operation that finished before the step.
    pub place: Option<Place>,
    /// The threads of the block that accessed the bytes.
    pub threads: Vec<u32>,
    /// The kind of access; `None` for an asynchronous operation.
    pub kind: Option<AccessKind>,
    /// The bytes before the step, if they could be read then.
    pub before: Option<Vec<u8>>,
    /// The bytes after the step.
    pub after: Option<Vec<u8>>,
}

/// Collects the accesses to bytes before a step.
pub struct HistorySearch {
    pub(super) watched: Watched,
    pub(super) kind: HistoryKind,
    pub(super) until: u64,
    /// Maximum number of entries; the latest ones are kept.
    pub(super) most: usize,
    pub(super) entries: VecDeque<HistoryEntry>,
    /// The access of the last step, until the next step shows its effect.
    pub(super) pending: Option<HistoryEntry>,
    pub(super) value: Option<Vec<u8>>,
}

impl HistorySearch {
    pub(super) fn new(watched: Watched, kind: HistoryKind, until: u64, most: usize) -> Self {
        let (entries, pending, value) = (VecDeque::new(), None, None);
        HistorySearch { watched, kind, until, most, entries, pending, value }
    }

    pub(super) fn keep(&mut self, entry: HistoryEntry) {
        self.entries.push_back(entry);
        if self.entries.len() > self.most {
            self.entries.pop_front();
        }
    }

    /// The lanes of an access that touch the bytes.
    fn lanes(&self, access: &Access<'_>) -> u32 {
        use lanework_engine::event::Space;
        let Watched { place, bytes, owner: (block, thread) } = self.watched;
        let space = match access.space {
            Space::Constant => Space::Global,
            space => space,
        };
        let own = match place.space {
            Space::Shared => access.place.block == block,
            Space::Local => access.place.block == block && access.place.warp == thread / 32,
            Space::Global | Space::Constant => true,
        };
        if !own {
            return 0;
        }
        let touches = |lane: &u32| {
            // The addresses of generic accesses to shared and local memory are in windows.
            let at = access.addresses[*lane as usize];
            let found = located(at);
            let (space, at) = match found.space {
                Space::Shared | Space::Local => (found.space, found.address),
                Space::Global | Space::Constant => (space, at),
            };
            if space != place.space {
                return false;
            }
            let near = at < place.address + bytes && place.address < at + u64::from(access.bytes);
            let mine = place.space != Space::Local || *lane == thread % 32;
            access.mask >> lane & 1 != 0 && near && mine
        };
        (0..32).filter(touches).fold(0, |mask, lane| mask | 1 << lane)
    }
}

impl Visitor for HistorySearch {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        if let Some(now) = self.watched.read(at) {
            if let Some(mut entry) = self.pending.take() {
                entry.after = Some(now.clone());
                self.keep(entry);
            } else if self.kind == HistoryKind::Writes
                && let Some(before) = self.value.take()
                && before != now
            {
                self.keep(HistoryEntry {
                    step: at.step,
                    place: None,
                    threads: Vec::new(),
                    kind: None,
                    before: Some(before),
                    after: Some(now.clone()),
                });
            }
            self.value = Some(now);
        }
        at.step >= self.until
    }

    fn access(&mut self, step: u64, access: &Access<'_>) {
        let counts = match self.kind {
            HistoryKind::Writes => access.kind != AccessKind::Load,
            HistoryKind::Reads => access.kind != AccessKind::Store,
        };
        let lanes = if counts { self.lanes(access) } else { 0 };
        if lanes == 0 {
            return;
        }
        let threads = (0..32).filter(|lane| lanes >> lane & 1 != 0);
        let threads: Vec<u32> = threads.map(|lane| access.place.warp * 32 + lane).collect();
        if let Some(entry) = self.pending.as_mut().filter(|entry| entry.step == step) {
            // Further elements of the same instruction.
            entry.threads.extend(threads);
            entry.threads.sort_unstable();
            entry.threads.dedup();
            return;
        }
        if let Some(entry) = self.pending.take() {
            self.keep(entry);
        }
        self.pending = Some(HistoryEntry {
            step,
            place: Some(access.place),
            threads,
            kind: Some(access.kind),
            before: self.value.clone(),
            after: None,
        });
    }

    fn wants_accesses(&self) -> bool {
        true
    }
}

/// Finds the last step of a thread before a given step, and the warp's first later step without the thread.
pub struct LastStep {
    pub(super) focus: (u64, u32),
    pub(super) until: u64,
    /// Its last step.
    pub last: Option<(u64, Place)>,
    /// Whether the thread had exited by a later step of the warp.
    pub exited: bool,
    /// The warp's first step without the thread since then.
    pub without: Option<(u64, Place)>,
}

impl Visitor for LastStep {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        if at.step >= self.until {
            return true;
        }
        let (block, thread) = self.focus;
        if at.place.block != block || at.place.warp != thread / 32 {
            return false;
        }
        if at.mask >> (thread % 32) & 1 != 0 {
            (self.last, self.without) = (Some((at.step, at.place)), None);
        } else {
            self.without = self.without.or(Some((at.step, at.place)));
            self.exited |= at.view.live() >> (thread % 32) & 1 == 0;
        }
        false
    }

    fn cluster_end(&mut self, blocks: &[u64]) {
        self.exited |= blocks.contains(&self.focus.0);
    }
}
