//! The interface between the protocol and a GPU: the operations on a kernel that the protocol needs.

use lanework_runtime::{Reading, Result};
use std::time::Duration;

/// Samples that were taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Nanoseconds of each launch, or of each replay of the graph.
    pub times: Vec<f64>,
    /// The monitor's readings during the batch; `None` without a monitor, or if it was read a moment ago.
    pub reading: Option<Reading>,
}

/// A kernel with its buffers, ready to be timed; tests implement it with known times.
pub trait Target {
    /// Times of this many consecutive launches, each measured by events, queued behind work that hides the launch
    /// cost.
    ///
    /// # Errors
    /// When a launch fails.
    fn launches(&mut self, count: usize) -> Result<Batch>;

    /// Whether launches can be recorded in a graph.
    fn is_recordable(&self) -> bool;

    /// Copies of the problem that launches rotate over; 1 if all use the same buffers.
    fn copies(&self) -> usize;

    /// Records a graph of this many launches; from now on only [`Target::replays`] is called.
    ///
    /// # Errors
    /// When the driver refuses.
    fn record(&mut self, launches: usize) -> Result<()>;

    /// Times of this many replays of the graph, queued behind one that hides the launch cost.
    ///
    /// # Errors
    /// When a launch fails.
    fn replays(&mut self, count: usize) -> Result<Batch>;

    /// Time since the target was made.
    fn elapsed(&self) -> Duration;
}
