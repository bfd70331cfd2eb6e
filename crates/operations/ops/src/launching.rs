//! Plans: an operation compiled for one problem on one device, as launches with intermediate memory.

use super::workspace::Scratch;
use lanework::{Job, Prepared, Result, Stream, VendorCall};

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
