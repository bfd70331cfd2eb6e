//! What the protocol needs of a kernel on a device: the seam between the method and the GPU.

use lanework_runtime::{Reading, Result};
use std::time::Duration;

/// Samples that were taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Nanoseconds of each launch, or of each replay of the graph.
    pub times: Vec<f64>,
    /// What the monitor saw while the batch ran; `None` where there is none, or it was read a moment ago.
    pub reading: Option<Reading>,
}

/// A kernel on its buffers, ready to be timed; a test puts a device of known times here.
pub trait Target {
    /// Times of this many launches one after the other, each by events, behind work that hides the cost of launching.
    ///
    /// # Errors
    /// When a launch fails.
    fn launches(&mut self, count: usize) -> Result<Batch>;

    /// Whether launches can be recorded in a graph.
    fn is_recordable(&self) -> bool;

    /// Copies of the problem that launches rotate over; 1 for the same buffers again and again.
    fn copies(&self) -> usize;

    /// Records a graph of this many launches; from now on only [`Target::replays`] is called.
    ///
    /// # Errors
    /// When the driver refuses.
    fn record(&mut self, launches: usize) -> Result<()>;

    /// Times of this many replays of the graph, behind one that hides the cost of launching.
    ///
    /// # Errors
    /// When a launch fails.
    fn replays(&mut self, count: usize) -> Result<Batch>;

    /// Time since the target was made.
    fn elapsed(&self) -> Duration;
}
