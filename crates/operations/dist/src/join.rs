//! Creates communicators: of the devices of one process, or of the processes that a launcher started.

use crate::communicator::{Communicator, Engine, local};
use crate::environment::{self, Place};
use crate::rendezvous::{Offer, meet};
use lanework::{Backend, Device, Error, Result};
use lanework_cuda::{Gpu, Nccl};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Duration;

/// The time that ranks wait for each other.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Settings with which a process joins others. Usually [`Communicator::from_environment`] suffices.
///
/// ```
/// use lanework::Device;
/// use lanework_dist::Ranks;
/// use std::time::Duration;
///
/// // A single rank; a launcher would start several.
/// let comm = Ranks::new(0, 1, "127.0.0.1:0")
///     .device(&Device::emulator())
///     .timeout(Duration::from_secs(5))
///     .through_host()
///     .join()?;
/// assert_eq!((comm.rank(), comm.size(), comm.uses_nccl()), (0, 1, false));
///
/// // From the environment variables, if any.
/// assert!(Ranks::from_environment().is_ok());
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ranks {
    place: Place,
    device: Option<Device>,
    timeout: Option<Duration>,
    host_only: bool,
}

impl Ranks {
    /// Rank `rank` of `size`; rank 0 listens at `address`, a host and a port.
    pub fn new(rank: usize, size: usize, address: &str) -> Ranks {
        let place = Place { rank, size, local_rank: rank, address: address.to_owned(), job: 0 };
        Ranks { place, device: None, timeout: None, host_only: false }
    }

    /// From the environment variables of mpirun (Open MPI, MPICH, Intel MPI, MVAPICH), srun or torchrun; a single rank without a
    /// launcher.
    ///
    /// # Errors
    /// [`Error::Request`] if a variable is invalid, or none contains the address of rank 0.
    pub fn from_environment() -> Result<Ranks> {
        let found = environment::place(&|name| std::env::var(name).ok())?;
        let alone = || Place { rank: 0, size: 1, local_rank: 0, address: String::new(), job: 0 };
        let place = found.unwrap_or_else(alone);
        Ok(Ranks { place, device: None, timeout: None, host_only: false })
    }

    /// Uses this device. The default is the GPU with the rank's number on its machine, or an emulated device without a GPU.
    #[must_use]
    pub fn device(self, device: &Device) -> Ranks {
        Ranks { device: Some(device.clone()), ..self }
    }

    /// Time limit for ranks to wait for each other, at the rendezvous and in each waiting call. The default is
    /// LANEWORK_DIST_TIMEOUT, or 120 seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Ranks {
        Ranks { timeout: Some(timeout), ..self }
    }

    /// Moves data through the host, without NCCL.
    #[must_use]
    pub fn through_host(self) -> Ranks {
        Ranks { host_only: true, ..self }
    }

    /// Connects to the other ranks.
    ///
    /// # Errors
    /// [`Error::Communication`], naming ranks that are missing or disagree; [`Error::Request`] for an invalid rank.
    pub fn join(self) -> Result<Communicator> {
        let Place { rank, size, local_rank, .. } = self.place;
        if rank >= size {
            return Err(Error::Request {
                why: format!("there is no rank {rank} among {size}"),
                help: "ranks are numbered from 0 to their number minus 1".to_owned(),
            });
        }
        let timeout = self.timeout.map_or_else(default_timeout, Ok)?;
        let device = self.device.unwrap_or_else(|| device_of(local_rank));
        let gpu = gpu_of(&device);
        let nccl = if self.host_only {
            Err("it was not requested".to_owned())
        } else {
            gpu.and_then(nccl_for)
        };
        if size == 1 {
            let why = "there is one rank".to_owned();
            let mesh = local(1, timeout).remove(0);
            return Ok(Communicator::new(device, mesh, Engine::Host(why)));
        }
        let offer =
            Offer { gpu: identity(&device), nccl: nccl.as_ref().map(drop).map_err(String::clone) };
        let met = meet(&self.place, &offer, timeout)?;
        let engine = match (met.nccl, nccl) {
            (Ok(id), Ok(gpu)) => Engine::Nccl(Mutex::new(Some(Nccl::join(&gpu, id, rank, size)?))),
            (Err(why), _) | (Ok(_), Err(why)) => Engine::Host(why),
        };
        Ok(Communicator::new(device, met.mesh, engine))
    }
}

impl Communicator {
    /// The communicator of the processes that mpirun, srun or torchrun started: as [`Ranks::from_environment`] and [`Ranks::join`].
    ///
    /// ```no_run
    /// use lanework_dist::{Communicator, Reduction};
    ///
    /// let comm = Communicator::from_environment()?;
    /// let mut ranks = comm.device().upload(&[1u32])?;
    /// comm.all_reduce_in_place(Reduction::Sum, &mut ranks)?.run()?;
    /// println!("{} of {}", comm.rank(), ranks.download()?[0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Ranks::from_environment`] and [`Ranks::join`].
    pub fn from_environment() -> Result<Communicator> {
        Ranks::from_environment()?.join()
    }

    /// One rank per device, all in this process. They use NCCL if it is installed and all devices are different GPUs, else the host.
    ///
    /// # Errors
    /// If NCCL fails.
    pub fn local(devices: &[Device]) -> Result<Vec<Communicator>> {
        Communicator::local_with(devices, default_timeout()?, true)
    }

    /// As [`Communicator::local`], with a time limit for ranks that wait for each other, and optionally without NCCL.
    ///
    /// ```
    /// use lanework::Device;
    /// use lanework_dist::Communicator;
    /// use std::time::Duration;
    ///
    /// let ranks = Communicator::local_with(&Device::emulators(2), Duration::from_millis(50), false)?;
    /// let missing = ranks[0].barrier().unwrap_err(); // rank 1 does not call it
    /// assert!(missing.to_string().contains("rank 1 of 2 has not arrived"));
    /// println!("data moves through {}", ranks[0].engine());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Communicator::local`].
    pub fn local_with(
        devices: &[Device],
        timeout: Duration,
        nccl: bool,
    ) -> Result<Vec<Communicator>> {
        let meshes = local(devices.len(), timeout);
        let engines = match gpus_for_nccl(devices).and_then(|gpus| match nccl {
            true => Ok(gpus),
            false => Err("NCCL was not requested".to_owned()),
        }) {
            Ok(gpus) => {
                let gpus: Vec<&Gpu> = gpus.iter().collect();
                let joined = Nccl::join_all(&gpus, Nccl::unique_id()?, 0, gpus.len())?;
                joined.into_iter().map(|nccl| Engine::Nccl(Mutex::new(Some(nccl)))).collect()
            }
            Err(why) => devices.iter().map(|_| Engine::Host(why.clone())).collect::<Vec<_>>(),
        };
        let parts = devices.iter().zip(meshes).zip(engines);
        Ok(parts
            .map(|((device, mesh), engine)| Communicator::new(device.clone(), mesh, engine))
            .collect())
    }
}

impl Communicator {
    /// The reason why NCCL cannot connect these devices of one process, in one line; `None` if it can.
    ///
    /// ```
    /// use lanework::Device;
    /// use lanework_dist::Communicator;
    ///
    /// let why = Communicator::nccl_missing(&Device::emulators(2));
    /// assert_eq!(why.as_deref(), Some("the device is emulated"));
    /// ```
    pub fn nccl_missing(devices: &[Device]) -> Option<String> {
        gpus_for_nccl(devices).err()
    }
}

fn gpus_for_nccl(devices: &[Device]) -> Result<Vec<Gpu>, String> {
    let same = |index: usize| devices[..index].contains(&devices[index]);
    if devices.len() < 2 || (0..devices.len()).any(same) {
        return Err("NCCL needs two different GPUs".to_owned());
    }
    devices.iter().map(|device| gpu_of(device).and_then(nccl_for)).collect()
}

/// The GPU of a device.
fn gpu_of(device: &Device) -> Result<Gpu, String> {
    let id = device.info().id;
    let index = id.strip_prefix("cuda:").and_then(|index| index.parse().ok());
    let index = index.ok_or("the device is emulated")?;
    Gpu::open(index).map_err(|error| error.to_string())
}

fn nccl_for(gpu: Gpu) -> Result<Gpu, String> {
    Nccl::find().map(|()| gpu)
}

/// The default device of a rank.
fn device_of(local_rank: usize) -> Device {
    let count = Device::gpus().map_or(0, |gpus| gpus.len());
    let gpu = (count > 0).then(|| Device::cuda(local_rank % count).ok()).flatten();
    gpu.unwrap_or_else(Device::emulator)
}

/// A number that two ranks share only if they use the same GPU.
fn identity(device: &Device) -> u64 {
    let mut hasher = DefaultHasher::new();
    let machine = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    machine.hash(&mut hasher);
    match (device.backend(), gpu_of(device)) {
        (Backend::Cuda, Ok(gpu)) => gpu.info().pci_bus_id.hash(&mut hasher),
        _ => std::process::id().hash(&mut hasher),
    }
    hasher.finish()
}

/// LANEWORK_DIST_TIMEOUT, or two minutes.
fn default_timeout() -> Result<Duration> {
    let Ok(text) = std::env::var("LANEWORK_DIST_TIMEOUT") else { return Ok(TIMEOUT) };
    let seconds =
        text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| Error::Request {
        why: format!("LANEWORK_DIST_TIMEOUT={text} is not a number of seconds"),
        help: "set it to one, such as 30".to_owned(),
    })
}
