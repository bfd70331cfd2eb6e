//! The deferred launches of a kernel family.

use crate::workspace::{Part, Scratch};
use lanework::{Prepared, Result, View};

/// Makes the launches of a problem once the workspace is reserved.
pub(crate) type Recipe<'a> = Box<dyn FnOnce(&Scratch) -> Result<Vec<Prepared<'a>>> + 'a>;

/// Selects one of several launched variants on the device: the workspace word that holds the choice, and the value that selects
/// this variant.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub word: Part<u32>,
    pub mine: u32,
}

impl Choice {
    /// Kernel arguments: whether there is a choice, the word, and the selecting value.
    pub fn arguments<'a>(
        choice: Option<Choice>,
        device: &lanework::Device,
        scratch: &Scratch,
    ) -> (bool, View<'a, u32>, u32) {
        match choice {
            Some(Choice { word, mine }) => (true, scratch.view(word).into(), mine),
            None => (false, View::nothing(device), 0),
        }
    }
}
