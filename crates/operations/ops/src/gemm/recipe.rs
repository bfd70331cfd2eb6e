//! How a family of kernels answers: with what makes its launches.

use crate::workspace::{Part, Scratch};
use lanework::{Prepared, Result, View};

/// What makes the launches of a problem once the workspace is reserved.
pub(crate) type Recipe<'a> = Box<dyn FnOnce(&Scratch) -> Result<Vec<Prepared<'a>>> + 'a>;

/// For one of several ways to a product, all of which are launched: the word in the workspace that says which of them computes it, and
/// what it says then.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub word: Part<u32>,
    pub mine: u32,
}

impl Choice {
    /// The arguments of kernels: whether there is a choice, the word, and what it has to be.
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
