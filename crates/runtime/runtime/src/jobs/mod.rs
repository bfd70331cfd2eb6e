//! Work that can be queued repeatedly: a prepared kernel, or a call of a vendor library.

pub(crate) mod vendor;

use crate::foreign::PreparedPtx;
use crate::{Error, Prepared, Profile, Resources, Result};
use lanework_emulator::Blocks;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::Effort;

/// One solution of a problem, ready to run.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] *= 2.0;
/// }
/// use lanework::{Job, emulator::Blocks};
///
/// let device = Device::emulator();
/// let mut x = device.upload(&[1.0f32; 32])?;
/// let mut job = Job::from(double(&mut x).grid(1).block(32).prepare(&device)?);
/// job.launch()?;
/// assert_eq!(job.profile(Blocks::All)?.counters.global_load.requests, 1);
/// assert!(job.resources().is_some() && job.ptx().unwrap().contains("mul"));
/// assert!(!job.is_recordable()); // it checks its indices
/// drop(job);
///
/// // Two launches that belong together: they are counted and recorded as one.
/// let mut y = device.upload(&[1.0f32; 32])?;
/// let both = [&mut x, &mut y].map(|buffer| double(buffer).grid(1).block(32).prepare(&device));
/// let mut job = Job::from(both.into_iter().collect::<lanework::Result<Vec<_>>>()?);
/// assert_eq!(job.profile(Blocks::All)?.counters.global_load.requests, 2);
/// # Ok::<(), lanework::Error>(())
/// ```
pub enum Job<'a> {
    /// A kernel.
    Kernel(Prepared<'a>),
    /// Several kernels that together solve it, in order.
    Kernels(Vec<Prepared<'a>>),
    /// A kernel of PTX text.
    Ptx(PreparedPtx<'a>),
    /// A vendor library, as the baseline.
    Vendor(VendorCall<'a>),
}

/// A call of a vendor library on borrowed buffers.
pub struct VendorCall<'a> {
    pub(crate) name: &'static str,
    pub(crate) call: Box<dyn FnMut() -> Result<()> + 'a>,
}

impl<'a> VendorCall<'a> {
    /// A call that queues work on [`crate::Device::raw_stream`], under the name that tables show.
    ///
    /// # Safety
    /// The work that a run of `call` queues uses only memory that stays allocated for `'a`, since a recorded run is replayed
    /// without the call; and other work uses that memory in the order of the device's queue.
    ///
    /// ```
    /// use lanework::{Job, VendorCall};
    ///
    /// let mut calls = 0;
    /// let call = || {
    ///     calls += 1; // queue work here
    ///     Ok(())
    /// };
    /// // SAFETY: it queues nothing.
    /// let mut job = Job::Vendor(unsafe { VendorCall::new("a library", call) });
    /// job.launch()?;
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub unsafe fn new(name: &'static str, call: impl FnMut() -> Result<()> + 'a) -> VendorCall<'a> {
        VendorCall { name, call: Box::new(call) }
    }
}

impl<'a> From<Prepared<'a>> for Job<'a> {
    fn from(kernel: Prepared<'a>) -> Self {
        Job::Kernel(kernel)
    }
}

impl<'a> From<Vec<Prepared<'a>>> for Job<'a> {
    fn from(kernels: Vec<Prepared<'a>>) -> Self {
        Job::Kernels(kernels)
    }
}

impl<'a> From<PreparedPtx<'a>> for Job<'a> {
    fn from(kernel: PreparedPtx<'a>) -> Self {
        Job::Ptx(kernel)
    }
}

impl Job<'_> {
    /// Queues one run, in the order of the device's other work.
    ///
    /// # Errors
    /// As [`Prepared::launch`]; an error of the library.
    pub fn launch(&mut self) -> Result<()> {
        match self {
            Job::Kernel(kernel) => kernel.launch(),
            Job::Kernels(kernels) => kernels.iter_mut().try_for_each(Prepared::launch),
            Job::Ptx(kernel) => kernel.launch(),
            Job::Vendor(vendor) => (vendor.call)(),
        }
    }

    /// Runs it once on the emulator and counts events. For several kernels, the counts are added under the first kernel's name and shape.
    ///
    /// # Errors
    /// As [`Prepared::profile`]; [`Error::Unsupported`] for a library, whose kernels are not known, and for an empty list of
    /// kernels.
    pub fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        match self {
            Job::Kernel(kernel) => kernel.profile(blocks),
            Job::Kernels(kernels) => {
                let mut all: Option<Profile> = None;
                for kernel in kernels {
                    let one = kernel.profile(blocks)?;
                    match &mut all {
                        Some(all) => all.add(one),
                        None => all = Some(one),
                    }
                }
                all.ok_or(Error::Unsupported {
                    what: "counting",
                    device: "a job without kernels".to_owned(),
                    help: "give it at least one",
                })
            }
            Job::Ptx(kernel) => kernel.profile(blocks),
            Job::Vendor(vendor) => Err(Error::Unsupported {
                what: "counting a vendor's library",
                device: vendor.name.to_owned(),
                help: "compare times on a GPU instead",
            }),
        }
    }

    /// Runs a few blocks of each kernel on the emulator and records what [`crate::time`] predicts its time from; empty for a
    /// library.
    ///
    /// # Errors
    /// As [`Prepared::time_trace`].
    pub fn time_traces(&mut self, effort: Effort) -> Result<Vec<KernelTrace>> {
        match self {
            Job::Kernel(kernel) => Ok(vec![kernel.time_trace(effort)?]),
            Job::Kernels(kernels) => {
                kernels.iter_mut().map(|kernel| kernel.time_trace(effort)).collect()
            }
            Job::Ptx(kernel) => Ok(vec![kernel.time_trace(effort)?]),
            Job::Vendor(_) => Ok(Vec::new()),
        }
    }

    /// The kernel's resource usage; `None` for a library, and for several kernels.
    pub fn resources(&self) -> Option<Resources> {
        match self {
            Job::Kernel(kernel) => Some(kernel.resources()),
            Job::Ptx(kernel) => kernel.resources(),
            Job::Kernels(_) | Job::Vendor(_) => None,
        }
    }

    /// The PTX of the kernel as text, or of all of them; `None` for a library.
    pub fn ptx(&self) -> Option<String> {
        match self {
            Job::Kernel(kernel) => Some(kernel.module().to_string()),
            Job::Kernels(kernels) => {
                Some(kernels.iter().map(|kernel| kernel.module().to_string()).collect())
            }
            Job::Ptx(kernel) => Some(kernel.module().module().to_string()),
            Job::Vendor(_) => None,
        }
    }

    /// Whether [`crate::Device::record`] accepts it: a kernel that checks its indices has to be launched
    /// individually.
    pub fn is_recordable(&self) -> bool {
        self.unrecordable().is_none()
    }

    /// Why this job cannot be recorded in a graph, if so.
    pub(crate) fn unrecordable(&self) -> Option<Error> {
        let kernels = match self {
            Job::Kernel(kernel) => std::slice::from_ref(kernel),
            Job::Kernels(kernels) => &kernels[..],
            Job::Ptx(_) | Job::Vendor(_) => &[],
        };
        kernels
            .iter()
            .find(|kernel| kernel.is_checked())
            .map(|kernel| Error::unrecordable(kernel.kernel))
    }
}
