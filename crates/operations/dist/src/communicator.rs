//! Communicators: one rank of a group, the engine that moves its data, and waiting for it.

use crate::mesh::{Mesh, late, stop, stop_by};
use lanework::{Device, Error, Result};
use lanework_cuda::Nccl;
use lanework_ranks::signature::CallKind;
use std::mem::Discriminant;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// One rank's part of a group of ranks that exchange data: by NCCL between GPUs, through the host otherwise.
///
/// Every rank makes the same calls in the same order, each on memory of its own device. [`Communicator::local`] makes all ranks of
/// one process, for a thread each or for [`crate::group`]; [`Communicator::from_environment`] joins the processes that mpirun, srun
/// or torchrun started.
///
/// ```
/// use lanework::Device;
/// use lanework_dist::{Communicator, Reduction};
///
/// // Two GPUs, or two emulated devices.
/// let ranks = Communicator::local(&Device::several(2))?;
/// std::thread::scope(|scope| {
///     for comm in &ranks {
///         scope.spawn(move || -> lanework::Result<()> {
///             let (rank, device) = (comm.rank(), comm.device());
///             let x = device.upload(&[1.0f32 + rank as f32; 4])?;
///
///             let mut sum = device.zeros::<f32>(4)?;
///             comm.all_reduce(Reduction::Sum, &x, &mut sum)?.run()?;
///             assert_eq!(sum.download()?, [3.0; 4]);
///
///             let mut all = device.zeros::<f32>(8)?;
///             comm.all_gather(&x, &mut all)?.run()?;
///             assert_eq!(all.download()?, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
///
///             // Rank 0 gets the first four of the eight sums, rank 1 the others.
///             comm.reduce_scatter(Reduction::Sum, &all, &mut sum)?.run()?;
///             assert_eq!(sum.download()?, [2.0 + 2.0 * rank as f32; 4]);
///
///             comm.broadcast(1, &mut sum)?.run()?;
///             assert_eq!(sum.download()?, [4.0; 4]);
///
///             if rank == 0 {
///                 comm.send(1, x.view(..2))?.run()?;
///             } else {
///                 comm.recv(0, sum.view_mut(2..))?.run()?;
///                 assert_eq!(sum.download()?, [4.0, 4.0, 1.0, 1.0]);
///             }
///             // Waits; after the time limit, an error names the missing ranks.
///             comm.synchronize()?;
///             comm.barrier()
///         });
///     }
/// });
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Communicator {
    device: Device,
    rank: usize,
    size: usize,
    pub(crate) engine: Engine,
    mesh: Mutex<Mesh>,
    /// Kinds of calls for which NCCL has connected.
    connected: Mutex<Vec<(Discriminant<CallKind>, Option<usize>)>>,
}

/// The engine that moves the data.
pub(crate) enum Engine {
    /// NCCL; `None` after it was aborted.
    Nccl(Mutex<Option<Nccl>>),
    /// The host, and why not NCCL.
    Host(String),
}

impl Communicator {
    pub(crate) fn new(device: Device, mesh: Mesh, engine: Engine) -> Communicator {
        let (rank, size) = (mesh.rank, mesh.size());
        let mesh = Mutex::new(mesh);
        Communicator { device, rank, size, engine, mesh, connected: Mutex::default() }
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The device of this rank.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether NCCL moves the data.
    pub fn uses_nccl(&self) -> bool {
        matches!(self.engine, Engine::Nccl(_))
    }

    /// The name of the engine: `NCCL`, or `the host` and why.
    pub fn engine(&self) -> String {
        match &self.engine {
            Engine::Nccl(_) => "NCCL".to_owned(),
            Engine::Host(why) => format!("the host ({why})"),
        }
    }

    /// Waits for the queued work of this rank's device, as [`Device::synchronize`], but at most the communicator's time limit if that work
    /// waits for other ranks; and compares the calls of the ranks.
    ///
    /// # Errors
    /// [`Error::Communication`] if ranks disagree, or naming the missing ranks; the communicator is then unusable. Errors of the device or
    /// NCCL.
    pub fn synchronize(&self) -> Result<()> {
        let Engine::Nccl(nccl) = &self.engine else { return self.device.synchronize() };
        let reached = self.device.event()?;
        let start = Instant::now();
        while !reached.is_passed()? {
            let mut mesh = self.mesh();
            let failed = match &*locked(nccl) {
                Some(nccl) => nccl.asynchronous_error().err().map(Error::from),
                None => None,
            };
            let failed =
                failed.or_else(|| mesh.compare().err().map(|fault| stop(&mut mesh, fault)));
            let late = (start.elapsed() > mesh.settings.timeout).then(|| late(&mesh));
            if let Some(error) = failed.or(late) {
                // Ends the kernels that wait for other ranks, so that the device can be used again.
                if let Some(nccl) = locked(nccl).take() {
                    nccl.abort();
                }
                return Err(stop_by(&mut mesh, error));
            }
            drop(mesh);
            std::thread::sleep(PAUSE);
        }
        self.device.synchronize()?;
        let mut mesh = self.mesh();
        mesh.compare().map_err(|fault| stop(&mut mesh, fault))
    }

    /// Waits until every other rank has made the expected calls.
    pub(crate) fn agree(&self) -> Result<()> {
        let mut mesh = self.mesh();
        mesh.agree().map_err(|fault| stop(&mut mesh, fault))
    }

    pub(crate) fn mesh(&self) -> MutexGuard<'_, Mesh> {
        locked(&self.mesh)
    }

    /// Whether NCCL has not connected for such a call yet.
    pub(crate) fn first_of(&self, key: (Discriminant<CallKind>, Option<usize>)) -> bool {
        let mut connected = locked(&self.connected);
        let first = !connected.contains(&key);
        if first {
            connected.push(key);
        }
        first
    }
}

impl Drop for Communicator {
    /// After an error, other ranks may not arrive: NCCL would wait for them.
    fn drop(&mut self) {
        if let Engine::Nccl(nccl) = &self.engine
            && self.mesh().stopped().is_some()
            && let Some(nccl) = locked(nccl).take()
        {
            nccl.abort();
        }
    }
}

/// Polling interval of a GPU.
const PAUSE: Duration = Duration::from_micros(100);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
