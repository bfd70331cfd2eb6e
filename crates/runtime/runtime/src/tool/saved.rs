//! The tool `save`: records each launch with the memory that it sees, for `lanework debug`.

use super::launching::{COPIED, Launching};
use super::record::Saved;
use lanework_emulator::saved::{MemorySaver, SavedLaunch};
use std::sync::{Mutex, PoisonError};

/// The tool.
pub(super) struct LaunchSaver {
    /// The first launch whose memory is saved, from 1.
    first: u64,
    /// Whether Rust kernels are built for the debugger, with names and without optimization.
    pub(super) names: bool,
    state: Mutex<SaverState>,
}

/// The launches and bytes so far.
#[derive(Default)]
struct SaverState {
    memory: MemorySaver,
    launches: u64,
    bytes: u64,
}

impl LaunchSaver {
    /// The tool that saves from a launch on.
    pub(super) fn parse(text: &str) -> LaunchSaver {
        let mut words = text.split_whitespace();
        let first = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        let names = words.next() != Some("optimized");
        LaunchSaver { first, names, state: Mutex::default() }
    }

    /// Saves a launch before it runs, and passes its record to `keep`. Launches of other threads wait meanwhile.
    pub(super) fn save(&self, launching: Launching<'_>, keep: impl FnOnce(Saved)) {
        let Launching { emulator, program, config, arguments, module } = launching;
        let launch = SavedLaunch::of(program, config, arguments);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.launches += 1;
        let memory = emulator.memory();
        let refused = if state.launches < self.first {
            format!("it is before launch {}", self.first)
        } else if state.bytes > COPIED {
            "the launches before it take 1 GiB".to_owned()
        } else if memory.used() > COPIED {
            "more than 1 GiB of device memory is allocated".to_owned()
        } else if !memory.objects.is_empty() {
            "the program has textures or surfaces".to_owned()
        } else {
            String::new()
        };
        let saved = match refused.is_empty() {
            true => state.memory.save(&memory).map_err(|why| why.to_string()),
            false => Err(refused),
        };
        drop(memory);
        let (memory, refused) = match saved {
            Ok(memory) => (memory, String::new()),
            Err(why) => (Vec::new(), why),
        };
        let changes = memory.iter().flat_map(|one| &one.changes);
        state.bytes += changes.map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        keep(Saved { launch, module, refused, memory });
    }
}
