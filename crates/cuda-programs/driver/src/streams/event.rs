//! Events as the driver keeps them.

use crate::handles::Handle;
use crate::lock::lock;
use crate::ordering::strands::Point;
use crate::status::{Result, Status};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// An event.
pub struct Event {
    pub context: Handle,
    /// Whether it was made without a time.
    pub untimed: bool,
    pub recorded: Mutex<Option<Instant>>,
    /// The graph and the nodes that it stands for, where it was recorded on a stream that was being captured.
    pub nodes: Mutex<Option<(Handle, Vec<Handle>)>>,
    /// The ticket of its record, where its stream waits; 0 for none.
    pub ticket: AtomicU64,
    /// Where it was last recorded, where the order of streams is followed.
    pub point: Mutex<Option<Arc<Point>>>,
}

impl Event {
    /// The nodes that it stands for in a capture.
    pub fn captured(&self) -> Option<(Handle, Vec<Handle>)> {
        lock(&self.nodes).clone()
    }

    /// When it was recorded.
    pub fn time(&self) -> Result<Instant> {
        match (self.untimed, *lock(&self.recorded)) {
            (false, Some(time)) => Ok(time),
            _ => Err(Status::InvalidHandle),
        }
    }

    /// Where it was last recorded.
    pub fn last_record(&self) -> Option<Arc<Point>> {
        lock(&self.point).clone()
    }

    /// Records it now.
    pub fn happen(&self) {
        *lock(&self.recorded) = Some(Instant::now());
    }
}
