//! Time on a GPU: events in the launch stream, and graphs that replay launches without the host.
//!
//! The emulator has no time, only counts, so both exist on GPUs alone.

use crate::device::{Device, Engine};
use crate::{Error, Result};

/// A point in a GPU's stream of work.
pub struct Event(lanework_cuda::Event);

/// A recorded sequence of launches, replayed as a whole.
pub struct Graph(lanework_cuda::Graph);

impl Device {
    /// Marks this point of the GPU's work.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator.
    pub fn event(&self) -> Result<Event> {
        Ok(Event(self.gpu("timing")?.event()?))
    }

    /// Records the launches of `job`, which must neither allocate, copy to the host nor wait.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator; whatever `job` returns.
    pub fn capture(&self, job: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let gpu = self.gpu("recording a graph")?;
        let mut outcome = Ok(());
        let graph = gpu.capture(|| {
            outcome = job();
            Ok(())
        });
        outcome?;
        Ok(Graph(graph?))
    }

    pub(crate) fn gpu(&self, what: &'static str) -> Result<&lanework_cuda::Gpu> {
        match &self.0.engine {
            Engine::Gpu(gpu) => Ok(gpu.raw()),
            Engine::Emulator(_) => Err(Error::Unsupported {
                what,
                device: "the emulator".to_owned(),
                help: "the emulator has counts, not time: use `profile`, or a GPU",
            }),
        }
    }
}

impl Event {
    /// Nanoseconds of GPU time from `earlier` to this event; waits until both have passed.
    ///
    /// # Errors
    /// What went wrong in any launch before this event.
    pub fn nanoseconds_since(&self, earlier: &Event) -> Result<f64> {
        Ok(self.0.elapsed_ns(&earlier.0)?)
    }
}

impl Graph {
    /// Queues one replay.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn launch(&self) -> Result<()> {
        Ok(self.0.launch()?)
    }
}
