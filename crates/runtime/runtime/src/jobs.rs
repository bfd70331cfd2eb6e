//! Work that can be queued repeatedly: a prepared kernel, or a call of a vendor library.

use crate::device::{Device, Engine};
use crate::foreign::PreparedPtx;
use crate::{Buffer, Error, Prepared, Profile, Resources, Result, Storable};
pub use lanework_cuda::GemmShape;
use lanework_emulator::Blocks;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::Effort;
use std::sync::Arc;

/// Prepared work that solves a problem: a kernel, several kernels, or a call of a vendor library.
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
    /// Several kernels that run in order and solve the problem together.
    Kernels(Vec<Prepared<'a>>),
    /// A kernel of PTX text.
    Ptx(PreparedPtx<'a>),
    /// A vendor library, as the baseline.
    Vendor(VendorCall<'a>),
}

/// Maximum number of warp instructions of a kernel that runs before the next one is traced: about a second.
const MOST_RUN: f64 = 1e8;

/// A call of a vendor library on borrowed buffers.
pub struct VendorCall<'a> {
    pub(crate) name: &'static str,
    pub(crate) call: Box<dyn FnMut() -> Result<()> + 'a>,
}

impl<'a> VendorCall<'a> {
    /// A call that queues work on [`crate::Device::raw_stream`]. Tables show `name`.
    ///
    /// # Safety
    /// The work that `call` queues must use only memory that stays allocated for `'a`, because a graph replays a
    /// recorded run without calling it again. Other work must use that memory in the order of the device's queue.
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

    /// Runs the job once on the emulator and counts events. For several kernels, the profile is the sum and has the
    /// first kernel's name and shape.
    ///
    /// # Errors
    /// As [`Prepared::profile`]; [`Error::Unsupported`] for a library, whose kernels are unknown, and for an empty list
    /// of kernels.
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

    /// Runs a few blocks of each kernel on the emulator and records the traces from which [`crate::time`] predicts
    /// their times; empty for a library. Of several kernels, all but the last then run, unless they would take long,
    /// because the later ones may depend on their results. The effects of the last one's traced blocks stay in memory.
    ///
    /// # Errors
    /// As [`Prepared::time_trace`] and [`Prepared::launch`].
    #[doc(hidden)]
    pub fn time_traces(&mut self, effort: Effort) -> Result<Vec<KernelTrace>> {
        match self {
            Job::Kernel(kernel) => Ok(vec![kernel.time_trace_with(effort, true)?]),
            Job::Kernels(kernels) => {
                let last = kernels.len().saturating_sub(1);
                let mut traces = Vec::new();
                for (at, kernel) in kernels.iter_mut().enumerate() {
                    let trace = kernel.time_trace_with(effort, at == last)?;
                    let work = trace.mean_work() * trace.total_blocks() as f64;
                    if at < last && work <= MOST_RUN {
                        kernel.launch()?;
                    }
                    traces.push(trace);
                }
                Ok(traces)
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

    /// The PTX text of all kernels; `None` for a library.
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

    /// Whether [`crate::Device::record`] accepts the job. A kernel that checks its indices must be launched
    /// individually.
    pub fn is_recordable(&self) -> bool {
        self.unrecordable().is_none()
    }

    /// The reason why a graph cannot record this job, if any.
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

/// cuBLAS on one GPU, in full FP32 precision (no TF32).
///
/// ```
/// use lanework::{Cublas, Device, GemmShape};
///
/// let device = Device::best();
/// if let Some(why) = Cublas::missing(&device) {
///     println!("no baseline: {why}");
///     return Ok(());
/// }
/// let cublas = Cublas::open(&device)?;
/// let (a, b) = (device.upload(&[1.0f32; 64 * 64])?, device.upload(&[2.0f32; 64 * 64])?);
/// let mut c = device.zeros::<f32>(64 * 64)?;
/// let shape = GemmShape { m: 64, n: 64, k: 64, lda: 64, ldb: 64, ldc: 64, alpha: 1.0, beta: 0.0 };
/// cublas.sgemm(shape, &a, &b, &mut c).launch()?;
/// assert_eq!(c.download()?[0], 128.0);
/// let mut transposed = device.zeros::<f32>(64 * 64)?;
/// cublas.transpose(64, 64, &a, &mut transposed).launch()?;
/// // Factors in bf16, on tensor cores.
/// let (a, b) = (device.zeros::<half::bf16>(64 * 64)?, device.zeros::<half::bf16>(64 * 64)?);
/// cublas.product_bf16(shape, &a, &b, &mut c).launch()?;
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone)]
pub struct Cublas {
    // The jobs made from this handle share the library, on one thread.
    library: Arc<lanework_cuda::Cublas>,
}

impl Cublas {
    /// Why cuBLAS cannot be used on `device`, in one line; `None` if it can.
    pub fn missing(device: &Device) -> Option<String> {
        match &device.0.engine {
            Engine::Emulator(_) => Some("cuBLAS runs on GPUs only".to_owned()),
            Engine::Gpu(_) => lanework_cuda::Cublas::find().err(),
        }
    }

    /// cuBLAS on `device`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator, or if the library is not installed.
    #[expect(clippy::arc_with_non_send_sync, reason = "jobs stay on the thread that made them")]
    pub fn open(device: &Device) -> Result<Cublas> {
        let Engine::Gpu(gpu) = &device.0.engine else {
            return Err(Error::Unsupported {
                what: "cuBLAS",
                device: "the emulator".to_owned(),
                help: "use a GPU, or one of Lanework's kernels",
            });
        };
        let library = Arc::new(lanework_cuda::Cublas::open(gpu.raw())?);
        Ok(Cublas { library })
    }

    /// `C = alpha A B + beta C` of row-major f32 matrices.
    pub fn sgemm<'a>(
        &self,
        shape: GemmShape,
        a: &'a Buffer<f32>,
        b: &'a Buffer<f32>,
        c: &'a mut Buffer<f32>,
    ) -> Job<'a> {
        let (cublas, a, b, c) = (self.clone(), a.address(), b.address(), c.address());
        job(move || Ok(cublas.library.sgemm(&shape, a, b, c)?))
    }

    /// `C = alpha A B^T + beta C` of row-major bf16 factors on tensor cores, accumulated in f32; `B` has `n` rows.
    #[cfg(feature = "half")]
    pub fn product_bf16<'a>(
        &self,
        shape: GemmShape,
        a: &'a Buffer<half::bf16>,
        b: &'a Buffer<half::bf16>,
        c: &'a mut Buffer<f32>,
    ) -> Job<'a> {
        let (cublas, a, b, c) = (self.clone(), a.address(), b.address(), c.address());
        job(move || Ok(cublas.library.product_bf16(&shape, a, b, c)?))
    }

    /// The transpose of a row-major `rows` x `cols` matrix by `cublasSgeam`. Elements are f32, or 4-byte
    /// values that are copied as f32.
    pub fn transpose<'a, E: Storable>(
        &self,
        rows: u32,
        cols: u32,
        src: &'a Buffer<E>,
        dst: &'a mut Buffer<E>,
    ) -> Job<'a> {
        let (cublas, src, dst) = (self.clone(), src.address(), dst.address());
        job(move || Ok(cublas.library.transpose(rows, cols, src, dst)?))
    }
}

fn job<'a>(call: impl FnMut() -> Result<()> + 'a) -> Job<'a> {
    Job::Vendor(VendorCall { name: "cuBLAS", call: Box::new(call) })
}
