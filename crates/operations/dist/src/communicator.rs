//! Communicators: one rank of a group, the engine that moves its data, the links to its peers, and their faults as errors.

use lanework::{Device, Error, Result};
use lanework_cuda::Nccl;
use lanework_ranks::mesh::{Fault, FaultKind, Settings};
use lanework_ranks::signature::{CallKind, Names, Signature, not_arrived, seconds};
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
    /// The host, with the reason why NCCL is not used.
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

    /// Waits for the queued work of this rank's device, like [`Device::synchronize`], and compares the calls of the ranks. If the
    /// work waits for other ranks, waits at most the communicator's time limit.
    ///
    /// # Errors
    /// [`Error::Communication`] if ranks disagree, or naming the missing ranks; the communicator is then unusable. Errors of the
    /// device or NCCL.
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

    /// Whether this is the first such call, for which NCCL has not connected yet.
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
    /// After an error, other ranks may never arrive, and NCCL would wait for them.
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

/// This rank's links to its peers. The text of an error stops it.
pub(crate) type Mesh = lanework_ranks::mesh::Mesh<String>;

/// Settings of a rank with this time limit. Collectives and messages are ordered with each other; receipts have their own order.
pub(crate) fn settings(timeout: Duration) -> Settings {
    let lane = |kind| usize::from(kind == CallKind::Receipt);
    Settings { timeout, lane, on_long_wait: None }
}

/// The links of all ranks of one process.
pub(crate) fn local(size: usize, timeout: Duration) -> Vec<Mesh> {
    Mesh::local(size, settings(timeout)).into_iter().map(|(mesh, _)| mesh).collect()
}

/// Stops this rank after a fault, and tells the others.
pub(crate) fn stop(mesh: &mut Mesh, fault: Fault) -> Error {
    let error = explain(mesh, fault);
    stop_by(mesh, error)
}

/// Stops this rank after an error, and tells the others, so that they do not wait.
pub(crate) fn stop_by(mesh: &mut Mesh, error: Error) -> Error {
    let why = error.to_string();
    let why = why.lines().next().unwrap_or_default().to_owned();
    mesh.stop(why.clone(), &why);
    error
}

fn words(call: &Signature) -> String {
    call.words(Names::Rust)
}

/// The error of a fault.
fn explain(mesh: &Mesh, fault: Fault) -> Error {
    let (rank, size) = (fault.rank, fault.size);
    let own = fault.own.as_ref().map(words).unwrap_or_default();
    let (why, help) = match fault.kind {
        FaultKind::Disagreement { from, theirs } => (
            format!(
                "ranks disagree: rank {from} called {}, rank {rank} (this one) {own}",
                words(&theirs)
            ),
            "every rank must make the same calls in the same order, with the same counts and types"
                .to_owned(),
        ),
        FaultKind::Gone { from, why } => (
            format!("rank {from} left before {own} of rank {rank}: {why}"),
            format!("see the error of rank {from}; every rank must make every call"),
        ),
        FaultKind::Missing { absent, waited } => (
            format!("{own}: {}, rank {rank} waited {}", not_arrived(&absent, size), seconds(waited)),
            "every rank must make every call; `timeout` or LANEWORK_DIST_TIMEOUT (seconds) makes ranks wait longer"
                .to_owned(),
        ),
        FaultKind::Lengths => (
            "a rank sent data whose length does not match its call".to_owned(),
            "build every rank from the same version of this library".to_owned(),
        ),
        FaultKind::Stopped | FaultKind::Aborted => {
            let why = mesh.stopped().map_or("it was aborted", String::as_str);
            (
                format!("rank {rank} has stopped after an error: {why}"),
                "make a new communicator".to_owned(),
            )
        }
    };
    Error::Communication { why, help }
}

/// The error of a wait for the device that timed out. Names the peers that have not made their calls, if any.
pub(crate) fn late(mesh: &Mesh) -> Error {
    let waited = mesh.settings.timeout;
    let Some((_, own)) = mesh.outstanding().next() else {
        return Error::Communication {
            why: format!("rank {} waited {} for its device; every rank has made its calls", mesh.rank, seconds(waited)),
            help: "a kernel may hang, or the network may have failed; NCCL_DEBUG=WARN makes NCCL print more".to_owned(),
        };
    };
    let absent = mesh.outstanding().map(|(peer, _)| peer).collect();
    explain(mesh, mesh.fault(Some(own), FaultKind::Missing { absent, waited }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_ranks::link::Part;
    use lanework_ranks::signature::Reduction;

    fn call(kind: CallKind, sequence: u64, count: u64) -> Signature {
        Signature { sequence, kind, element: 7, count }
    }

    /// Announces a rank's call whose data moves outside of the links, as with NCCL.
    fn announce(mesh: &mut Mesh, own: Signature) {
        for peer in mesh.others() {
            mesh.expect(peer, own);
            mesh.post(peer, own, Part::default()).expect("posted");
        }
    }

    /// The text of the error of a call that fails; stops the rank.
    fn failed(mesh: &mut Mesh, call: fn(&mut Mesh) -> Result<(), Fault>) -> String {
        let fault = call(mesh).expect_err("it fails");
        stop(mesh, fault).to_string()
    }

    #[test]
    fn calls_without_a_wait_are_compared_later() {
        let mut ranks = local(2, Duration::from_secs(60));
        for sequence in 0..3 {
            let reduce = call(CallKind::AllReduce(Reduction::Sum), sequence, 10);
            ranks.iter_mut().for_each(|mesh| announce(mesh, reduce));
            assert!(ranks.iter_mut().all(|mesh| mesh.compare().is_ok()));
        }
        announce(&mut ranks[0], call(CallKind::AllGather, 3, 10));
        assert!(ranks[0].compare().is_ok() && ranks[0].outstanding().count() == 1);
        announce(&mut ranks[1], call(CallKind::AllGather, 3, 11));
        let text = failed(&mut ranks[0], Mesh::compare);
        assert!(text.contains("rank 1 called all_gather of 11 f32 (call 4)"), "{text}");
        // Both ranks have stopped.
        assert!(ranks[1].agree().is_err() && ranks[0].agree().is_err());
    }

    #[test]
    fn a_wait_that_times_out_names_the_missing_ranks() {
        let mut ranks = local(3, Duration::from_millis(1));
        let reduce = call(CallKind::AllReduce(Reduction::Sum), 0, 10);
        announce(&mut ranks[0], reduce);
        announce(&mut ranks[2], reduce);
        ranks[0].compare().expect("nobody disagrees");
        let text = late(&ranks[0]).to_string();
        assert!(
            text.contains("all_reduce (sum) of 10 f32 (call 1): rank 1 of 3 has not arrived"),
            "{text}"
        );
        let text = failed(&mut ranks[0], Mesh::agree);
        assert!(text.contains("rank 1 of 3 has not arrived"), "{text}");
    }

    #[test]
    fn ranks_that_send_to_each_other_confirm_both_messages() {
        let mut ranks = local(2, Duration::from_secs(60));
        let (sent, received) = (call(CallKind::Message, 0, 5), call(CallKind::Receipt, 0, 5));
        for (rank, mesh) in ranks.iter_mut().enumerate() {
            let peer = 1 - rank;
            mesh.expect(peer, received);
            mesh.post(peer, sent, Part::default()).expect("posted");
            mesh.expect(peer, sent);
            mesh.post(peer, received, Part::default()).expect("posted");
        }
        for mesh in &mut ranks {
            mesh.agree().expect("both have called both");
            assert_eq!(mesh.outstanding().count(), 0);
        }
    }
}
