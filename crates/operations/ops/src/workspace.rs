//! Plans, which are operations compiled for one problem on one device, and the reusable memory of their intermediate results.
//!
//! A workspace has two regions: scratch memory with arbitrary contents, and words that are zero whenever no kernel runs, in which
//! blocks count arrivals or flag results. A kernel that changes such a word resets it before it ends, so no launch has to clear them.

use lanework::{Buffer, Device, Job, Prepared, Result, Storable, Stream, VendorCall, ViewMut};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// An operation prepared for its inputs and its output: compiled, with its own intermediate memory, to run any number of times.
///
/// Different plans made by `prepare` may run concurrently on several streams; runs of one plan may not overlap.
pub struct Plan<'a> {
    steps: Vec<Prepared<'a>>,
    /// Intermediate memory of the launches, in one workspace; freed after them.
    scratch: Vec<Scratch>,
}

impl<'a> Plan<'a> {
    /// Creates a plan from launches in order and their intermediate memory.
    pub(crate) fn new(
        steps: Vec<Prepared<'a>>,
        scratch: impl IntoIterator<Item = Scratch>,
    ) -> Plan<'a> {
        Plan { steps, scratch: scratch.into_iter().collect() }
    }

    /// Queues one run, in the order of the device's other work.
    ///
    /// # Errors
    /// Driver errors; on the emulator, faults and findings of the kernels.
    pub fn launch(&mut self) -> Result<()> {
        self.queue(Prepared::launch)
    }

    /// Queues one run on a stream.
    ///
    /// # Errors
    /// As [`Plan::launch`].
    pub fn launch_on(&mut self, stream: &Stream) -> Result<()> {
        self.queue(|step| stream.launch(step))
    }

    fn queue(&mut self, launch: impl FnMut(&mut Prepared<'a>) -> Result<()>) -> Result<()> {
        let steps = &mut self.steps;
        match self.scratch.first() {
            Some(scratch) => scratch.in_turn(|| steps.iter_mut().try_for_each(launch)),
            None => steps.iter_mut().try_for_each(launch),
        }
    }

    /// The kernels of a run in launch order, to count, trace or time them.
    pub fn steps(&mut self) -> &mut [Prepared<'a>] {
        &mut self.steps
    }

    /// Bytes of intermediate memory.
    pub fn scratch_bytes(&self) -> u64 {
        self.scratch.iter().map(Scratch::bytes).sum()
    }

    /// The only kernel, with its intermediate memory; `None` if the plan has none or several.
    ///
    /// ```
    /// use lanework::Device;
    /// use lanework_ops::scan;
    ///
    /// let device = Device::best();
    /// let x = device.upload(&[1.0f32; 3000])?;
    /// let mut y = device.zeros::<f32>(3000)?;
    /// let mut kernel = scan::inclusive(&x).prepare(&mut y)?.into_kernel().expect("one");
    /// kernel.launch()?;
    /// drop(kernel);
    /// assert_eq!(y.download()?[2999], 3000.0);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn into_kernel(self) -> Option<Prepared<'a>> {
        let Plan { mut steps, scratch } = self;
        let only = steps.pop().filter(|_| steps.is_empty());
        only.map(|kernel| kernel.keeping(std::sync::Arc::new(scratch)))
    }

    /// The kernels of a run in launch order; each keeps the intermediate memory alive.
    ///
    /// ```
    /// use lanework::{Device, Job};
    /// use lanework_ops::{Tensor, TensorMut, gemm};
    ///
    /// let device = Device::best();
    /// let x = device.upload(&[1.0f32; 64])?;
    /// let mut c = device.zeros::<f32>(64)?;
    /// let x = Tensor::new(&x, [8, 8])?;
    /// let plan = gemm(&x, &x).prepare(TensorMut::new(&mut c, [8, 8])?)?;
    /// Job::from(plan.into_kernels()).launch()?;
    /// assert_eq!(c.download()?, [8.0; 64]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn into_kernels(self) -> Vec<Prepared<'a>> {
        let Plan { steps, scratch } = self;
        let scratch = std::sync::Arc::new(scratch);
        steps.into_iter().map(|kernel| kernel.keeping(scratch.clone())).collect()
    }

    /// The plan as one job, for graphs and benchmarks.
    pub fn into_job(mut self, name: &'static str) -> Job<'a> {
        let call = move || self.launch();
        // SAFETY: the closure owns the plan, whose launches use the scratch memory in it and buffers that it borrows for `'a`.
        Job::Vendor(unsafe { VendorCall::new(name, call) })
    }
}

/// Alignment of parts in bytes.
const ALIGNMENT: usize = 256;

/// Memory for intermediate results of operations on one device, which grows as needed and is kept for later calls.
///
/// Operations that share a workspace must run one after the other: on one stream, or in the device's own order, even if several
/// host threads queue them. `run` uses one per device; for another stream, make another.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::Workspace;
///
/// let workspace = Workspace::new(&Device::best());
/// assert_eq!(workspace.bytes(), 0); // until an operation needs some
/// ```
#[derive(Clone)]
pub struct Workspace {
    device: Device,
    regions: Arc<Mutex<Regions>>,
}

/// Both regions, allocated on first use.
#[derive(Default)]
struct Regions {
    scratch: Option<Arc<Buffer<u64>>>,
    zeroed: Option<Arc<Buffer<u64>>>,
    /// Held while an operation's launches are queued (on the emulator: while they run).
    turn: Arc<Mutex<()>>,
}

/// The memory that an operation needs: consecutive parts.
#[derive(Default)]
pub(crate) struct WorkspaceLayout {
    scratch: usize,
    zeroed: usize,
}

/// A part of a [`WorkspaceLayout`]: `length` elements of `T`.
pub(crate) struct WorkspacePart<T> {
    offset: usize,
    length: usize,
    zeroed: bool,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for WorkspacePart<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WorkspacePart<T> {}

impl WorkspacePart<u8> {
    /// `length` bytes of it, starting at `first`, a multiple of the alignment.
    pub(crate) fn bytes(self, first: usize, length: usize) -> WorkspacePart<u8> {
        debug_assert!(first.is_multiple_of(ALIGNMENT) && first + length <= self.length);
        WorkspacePart { offset: self.offset + first, length, ..self }
    }
}

/// The memory of a layout. It keeps the buffers alive even if the workspace has grown since.
#[derive(Clone, Default)]
pub(crate) struct Scratch {
    scratch: Option<Arc<Buffer<u64>>>,
    zeroed: Option<Arc<Buffer<u64>>>,
    turn: Arc<Mutex<()>>,
    of: Weak<Mutex<Regions>>,
}

impl WorkspaceLayout {
    /// Reserves `length` elements with arbitrary contents.
    pub(crate) fn scratch<T: Storable>(&mut self, length: usize) -> WorkspacePart<T> {
        let offset = self.scratch;
        self.scratch += (length * size_of::<T>()).next_multiple_of(ALIGNMENT);
        WorkspacePart { offset, length, zeroed: false, element: PhantomData }
    }

    /// Reserves `length` elements that are zero when a launch begins, and that the launch leaves zero.
    pub(crate) fn zeroed<T: Storable>(&mut self, length: usize) -> WorkspacePart<T> {
        let offset = self.zeroed;
        self.zeroed += (length * size_of::<T>()).next_multiple_of(ALIGNMENT);
        WorkspacePart { offset, length, zeroed: true, element: PhantomData }
    }
}

/// The workspaces of the devices that `run` used last, most recent last. The number is limited for programs that open many devices.
static SHARED: Mutex<Vec<Workspace>> = Mutex::new(Vec::new());

/// Maximum number of devices whose workspaces are kept.
const KEPT: usize = 8;

impl Workspace {
    /// The workspace that `run` uses on a device.
    pub(crate) fn shared(device: &Device) -> Workspace {
        let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = shared.iter().position(|workspace| workspace.device == *device);
        let workspace = match known {
            Some(index) => shared.remove(index),
            None => Workspace::new(device),
        };
        if shared.len() == KEPT {
            shared.remove(0);
        }
        shared.push(workspace.clone());
        workspace
    }

    /// Creates a workspace for `device`; it allocates nothing until an operation needs memory.
    pub fn new(device: &Device) -> Workspace {
        Workspace { device: device.clone(), regions: Arc::default() }
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Allocated bytes.
    pub fn bytes(&self) -> u64 {
        let regions = self.lock();
        [&regions.scratch, &regions.zeroed].into_iter().flatten().map(|buffer| buffer.bytes()).sum()
    }

    /// Reserves the memory of a layout.
    pub(crate) fn reserve(&self, layout: &WorkspaceLayout) -> Result<Scratch> {
        let mut regions = self.lock();
        let enough = |buffer: &Arc<Buffer<u64>>, bytes: usize| buffer.bytes() >= bytes as u64;
        if !regions.scratch.as_ref().is_some_and(|buffer| enough(buffer, layout.scratch))
            && layout.scratch > 0
        {
            regions.scratch =
                Some(Arc::new(self.device.uninit_named(layout.scratch / 8, "workspace")?));
        }
        if !regions.zeroed.as_ref().is_some_and(|buffer| enough(buffer, layout.zeroed))
            && layout.zeroed > 0
        {
            let mut zeroed = self.device.uninit_named(layout.zeroed / 8, "workspace counters")?;
            zeroed.fill_bytes(0)?;
            regions.zeroed = Some(Arc::new(zeroed));
        }
        Ok(Scratch {
            scratch: regions.scratch.clone(),
            zeroed: regions.zeroed.clone(),
            turn: regions.turn.clone(),
            of: Arc::downgrade(&self.regions),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Regions> {
        self.regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Scratch {
    /// The memory of a part, for the kernels of a [`crate::Plan`] that keeps this scratch memory alive.
    pub(crate) fn view<T: Storable>(&self, part: WorkspacePart<T>) -> ViewMut<'static, T> {
        let region = if part.zeroed { &self.zeroed } else { &self.scratch };
        match region {
            Some(buffer) => {
                let (first, bytes) =
                    (part.offset / 8, (part.length * size_of::<T>()).next_multiple_of(8));
                // SAFETY: `self` owns the buffer, and the plan that owns the launches also owns `self`, so the memory outlives the
                // view. Parts of one layout are disjoint, and `in_turn` and the stream order serialize operations that share a
                // workspace.
                let memory = unsafe { buffer.view_shared(first..first + bytes / 8).unbound() };
                memory.cast::<T>().part(..part.length)
            }
            None => unreachable!("a layout with this part was reserved"),
        }
    }

    /// Queues the launches of an operation without interleaving launches of other threads that share the
    /// workspace.
    ///
    /// # Errors
    /// Launch errors; the zeroed words that a failed launch may have changed are then discarded.
    pub(crate) fn in_turn(&self, queue: impl FnOnce() -> Result<()>) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let queued = queue();
        if queued.is_err()
            && let Some(regions) = self.of.upgrade()
        {
            regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).zeroed = None;
        }
        queued
    }

    /// Allocated bytes.
    pub(crate) fn bytes(&self) -> u64 {
        [&self.scratch, &self.zeroed].into_iter().flatten().map(|buffer| buffer.bytes()).sum()
    }
}
