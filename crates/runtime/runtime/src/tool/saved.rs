//! The tool `save`: records each launch with the memory that it sees, for `lanework debug`.

use super::launching::{COPIED, Launching};
use super::memory_names::asked_in_source;
use super::record::Saved;
use lanework_emulator::saved::{MemorySaver, SavedAllocation, SavedLaunch};
use std::collections::BTreeMap;
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
    /// The bytes of each allocation that were saved last.
    asked: BTreeMap<u64, u64>,
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
        let saved = saved.and_then(|mut saved| {
            let mut before = std::mem::take(&mut state.asked);
            for one in &mut saved {
                if let Some((name, bytes)) = asked_in_source(one.address, &one.name) {
                    one.name = name;
                    cut(one, bytes);
                }
                if one.fill.is_none() && before.remove(&one.address) != Some(one.bytes) {
                    // Memory of another size at the same address is new.
                    let mut now = vec![0; one.bytes as usize];
                    memory.read(one.address, &mut now).map_err(|why| why.to_string())?;
                    (one.fill, one.changes) = (Some(0), vec![(0, now)]);
                }
                state.asked.insert(one.address, one.bytes);
            }
            Ok(saved)
        });
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

/// Leaves out the bytes of an allocation that the program did not ask for.
fn cut(saved: &mut SavedAllocation, bytes: u64) {
    saved.bytes = saved.bytes.min(bytes);
    saved.changes.retain_mut(|(offset, part)| {
        part.truncate(bytes.saturating_sub(*offset) as usize);
        !part.is_empty()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_not_asked_for_are_left_out() {
        let mut saved = SavedAllocation {
            bytes: 8192,
            changes: vec![(0, vec![1; 4096]), (4096, vec![2; 4096])],
            ..SavedAllocation::default()
        };
        cut(&mut saved, 4100);
        assert_eq!((saved.bytes, saved.changes[1].1.len()), (4100, 4));
        cut(&mut saved, 4000);
        assert_eq!((saved.bytes, saved.changes.len(), saved.changes[0].1.len()), (4000, 1, 4000));
    }
}
