//! Timing on a GPU: events in a stream, and graphs that replay launches without the host.
//!
//! The emulator does not model time, so both exist on GPUs only.

use crate::device::{Device, Engine};
use crate::{Error, Job, Result};
use std::marker::PhantomData;

/// A point in a GPU's stream of work.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0 * x[thread_idx.x];
/// }
///
/// # fn main() -> lanework::Result<()> {
/// // The emulator does not model time.
/// let Ok(device) = Device::cuda(0) else { return Ok(()) };
/// let mut x = device.zeros::<f32>(32)?;
/// let mut kernel = double(&mut x).grid(1).block(32).prepare(&device)?;
/// let start = device.event()?;
/// kernel.launch()?;
/// let end = device.event()?;
/// println!("{} ns", end.nanoseconds_since(&start)?);
/// assert!(end.is_passed()?);
/// # Ok(())
/// # }
/// ```
pub struct Event(lanework_cuda::Event);

/// A recorded sequence of launches, replayed as a whole. It borrows the buffers that the launches use.
///
/// ```
/// use lanework::prelude::*;
/// use lanework::Job;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0 * x[thread_idx.x];
/// }
///
/// # fn main() -> lanework::Result<()> {
/// let Ok(device) = Device::cuda(0) else { return Ok(()) };
/// let mut x = device.upload(&[1.0f32; 32])?;
/// // SAFETY: 32 threads access the 32 elements.
/// let kernel = unsafe { double(&mut x).grid(1).block(32).prepare_unchecked(&device)? };
/// let mut jobs = [Job::Kernel(kernel)];
/// device.record(&mut jobs, 10)?.launch()?; // ten launches, one call
/// drop(jobs);
/// assert_eq!(x.download()?, [1024.0; 32]);
/// # Ok(())
/// # }
/// ```
pub struct Graph<'a> {
    graph: lanework_cuda::Graph,
    jobs: PhantomData<&'a mut ()>,
    /// Jobs that the graph owns; they keep the memory of library calls alive during replays.
    _kept: Vec<Job<'a>>,
}

impl Device {
    /// Marks this point of the GPU's work.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator.
    pub fn event(&self) -> Result<Event> {
        self.event_on(None)
    }

    /// Marks this point of a stream, or of the default stream.
    pub(crate) fn event_on(&self, stream: Option<&lanework_cuda::Stream>) -> Result<Event> {
        let event = self.gpu("timing")?.event()?;
        event.record(stream)?;
        Ok(Event(event))
    }

    /// Records `launches` launches; cycles through `jobs`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator; [`Error::Launch`] for a job that checks its indices,
    /// since a replay could not report them.
    pub fn record<'a>(&self, jobs: &'a mut [Job<'_>], launches: usize) -> Result<Graph<'a>> {
        if let Some(error) = jobs.iter().find_map(Job::unrecordable) {
            return Err(error);
        }
        let gpu = self.gpu("recording a graph")?;
        let count = jobs.len();
        let mut outcome = Ok(());
        let graph = gpu.capture(|_| {
            outcome = (0..launches).try_for_each(|index| jobs[index % count].launch());
            Ok(())
        });
        outcome?;
        Ok(Graph { graph: graph?, jobs: PhantomData, _kept: Vec::new() })
    }

    /// As [`Device::record`], for jobs that the graph then owns.
    ///
    /// # Errors
    /// As [`Device::record`].
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     x[thread_idx.x] *= 2.0;
    /// }
    /// let device = Device::best();
    /// let mut x = device.zeros::<f32>(32)?;
    /// // SAFETY: 32 threads access 32 elements.
    /// let kernel = unsafe { double(&mut x).grid(1).block(32).prepare_unchecked(&device)? };
    /// // A graph of 100 launches, which owns the kernel; only GPUs have graphs.
    /// let graph = device.record_owned(vec![kernel.into()], 100);
    /// assert_eq!(graph.is_ok(), device.backend() == lanework::Backend::Cuda);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn record_owned<'a>(&self, mut jobs: Vec<Job<'a>>, launches: usize) -> Result<Graph<'a>> {
        let Graph { graph, .. } = self.record(&mut jobs, launches)?;
        Ok(Graph { graph, jobs: PhantomData, _kept: jobs })
    }

    fn gpu(&self, what: &'static str) -> Result<&lanework_cuda::Gpu> {
        match &self.0.engine {
            Engine::Gpu(gpu) => Ok(gpu.raw()),
            Engine::Emulator(_) => Err(Error::Unsupported {
                what,
                device: "the emulator".to_owned(),
                help: "the emulator does not model time: use `profile`, or a GPU",
            }),
        }
    }
}

impl Event {
    /// Whether the GPU has reached this point.
    ///
    /// # Errors
    /// The fault of any launch before this event.
    pub fn is_passed(&self) -> Result<bool> {
        Ok(self.0.is_finished()?)
    }

    /// Nanoseconds of GPU time from `earlier` to this event. Waits until the GPU has reached both.
    ///
    /// # Errors
    /// The fault of any launch before this event.
    pub fn nanoseconds_since(&self, earlier: &Event) -> Result<f64> {
        self.0.synchronize()?;
        Ok(earlier.0.elapsed_ns(&self.0)?)
    }
}

impl Graph<'_> {
    /// Queues one replay.
    ///
    /// # Errors
    /// If the driver rejects it.
    pub fn launch(&self) -> Result<()> {
        // SAFETY: the graph borrows its jobs, so their buffers are alive. `prepare_unchecked` and `PtxModule::prepare`
        // require that the accesses are valid in every run.
        Ok(unsafe { self.graph.launch(None) }?)
    }
}
