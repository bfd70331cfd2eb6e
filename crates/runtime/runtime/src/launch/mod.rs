//! Launches: a kernel with its arguments, a grid and a block.

pub(crate) mod arguments;
pub(crate) mod prepared;
pub(crate) mod profile;

use crate::device::gpu::{Code, Compiled};
use crate::device::{Device, Engine};
use crate::launch::prepared::Prepared;
use crate::tool::Session;
use crate::{Arg, Dim3, Error, Profile, Result};
use lanework_abi::{Definition, StageOptions, Staged};
use lanework_emulator::Blocks;
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Prediction, Protocol};
use lanework_time::trace::sample::Effort;
use prepared::invalid;
use std::sync::Arc;

/// A kernel with its arguments, but without a shape and a device.
///
/// Made by calling a `#[kernel]` function.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0 * x[thread_idx.x];
/// }
///
/// let device = Device::best();
/// let mut x = device.upload(&[1.0f32; 64])?;
/// double(&mut x).grid(1).block(64).launch(&device)?;
/// assert_eq!(x.download()?, [2.0; 64]);
///
/// // Each index is checked; an error names line, block, thread and index.
/// let launched = double(&mut x).grid(1).block(65).launch(&device).and_then(|()| x.download());
/// assert!(launched.unwrap_err().to_string().contains("index 64"));
///
/// // The PTX that a GPU's driver compiles.
/// let ptx = double(&mut x).module()?.to_string();
/// assert!(ptx.contains(".entry double("));
///
/// // SAFETY: 64 threads access the 64 elements.
/// unsafe { double(&mut x).grid(1).block(64).launch_unchecked(&device)? };
///
/// // Compiled once, to be launched often.
/// double(&mut x).grid(1).block(64).prepare(&device)?.launch()?;
/// // SAFETY: 64 threads access the 64 elements.
/// unsafe { double(&mut x).grid(1).block(64).prepare_unchecked(&device)? }.launch()?;
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "a launch does nothing until `.launch(&device)`"]
pub struct Launch<'a> {
    definition: Definition,
    arguments: Vec<Arg<'a>>,
    grid: Option<Dim3>,
    block: Option<Dim3>,
    cluster: Option<Dim3>,
    dynamic_shared: u32,
    cooperative: bool,
    programmatic: bool,
}

impl<'a> Launch<'a> {
    /// A launch without a shape; the `#[kernel]` macro calls this.
    ///
    /// # Safety
    /// `arguments` must match the parameters that `definition` declares when it is staged, in order: values of the
    /// parameters' types, and memory and tensor maps of their element types, borrowed exclusively if the kernel writes
    /// to them. If staged with checks, the kernel must access no other memory of the device.
    #[doc(hidden)]
    pub unsafe fn new(definition: Definition, arguments: Vec<Arg<'a>>) -> Self {
        Launch {
            definition,
            arguments,
            grid: None,
            block: None,
            cluster: None,
            dynamic_shared: 0,
            cooperative: false,
            programmatic: false,
        }
    }

    /// The number of blocks, as `4`, `(4, 2)` or `(4, 2, 1)`.
    pub fn grid(mut self, grid: impl Into<Dim3>) -> Self {
        self.grid = Some(grid.into());
        self
    }

    /// The number of threads per block, as `256`, `(32, 8)` or `(8, 8, 4)`.
    pub fn block(mut self, block: impl Into<Dim3>) -> Self {
        self.block = Some(block.into());
        self
    }

    /// The number of blocks per cluster (sm_90), as `2`, `(2, 2)` or `(2, 1, 1)`; a kernel with a
    /// `cluster` attribute declares its own.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn count(out: &mut [u32]) {
    ///     let tile = shared_slice::<u32>();
    ///     tile[0] = cluster_size();
    ///     wait_for_dependencies();
    ///     grid_sync();
    ///     out[block_idx.x] = tile[0];
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<u32>(4)?;
    /// let launch = count(&mut out).grid(4).block(1);
    /// launch.cluster(2).cooperative().programmatic().shared_bytes(4).launch(&device)?;
    /// assert_eq!(out.download()?, [2; 4]);
    ///
    /// // The events of a launch, on the emulator.
    /// let profile = count(&mut out).grid(4).block(1).cluster(2).cooperative().shared_bytes(4);
    /// assert_eq!(profile.profile(&device)?.blocks_run, 4);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn cluster(mut self, blocks: impl Into<Dim3>) -> Self {
        self.cluster = Some(blocks.into());
        self
    }

    /// Makes the launch cooperative: all blocks are resident at the same time, so they may wait for each other. A grid
    /// that does not fit is an error.
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// Lets the kernel start before the previous launch on the same stream has ended (programmatic dependent launch,
    /// sm_90). The kernel must call `wait_for_dependencies()` before it accesses memory that an earlier launch writes.
    /// No effect on the emulator, which runs one launch at a time.
    pub fn programmatic(mut self) -> Self {
        self.programmatic = true;
        self
    }

    /// Bytes of dynamic shared memory per block.
    pub fn shared_bytes(mut self, bytes: u32) -> Self {
        self.dynamic_shared = bytes;
        self
    }

    /// The PTX of the kernel with its constants, without bounds checks.
    ///
    /// # Errors
    /// If the kernel is invalid with these constants.
    pub fn module(&self) -> Result<lanework_ptx::Module> {
        Ok(stage(&self.definition, StageOptions::default())?.module)
    }

    /// The PTX for the debugger: not optimized, with the names of the kernel's values as comments.
    ///
    /// # Errors
    /// As [`Launch::module`].
    #[doc(hidden)]
    pub fn debug_text(&self) -> Result<String> {
        let options = StageOptions { debug: true, ..StageOptions::default() };
        let staged = stage(&self.definition, options)?;
        Ok(format!("{}{}", staged.module, staged.names))
    }

    /// Runs the kernel with every index checked.
    ///
    /// On a GPU this returns once the kernel is queued. The next call that waits for the device, such as
    /// [`crate::Buffer::download`], reports a fault of the kernel.
    ///
    /// # Errors
    /// If the kernel does not compile, the shape exceeds the device's limits, a buffer is on another device, or (on the
    /// emulator) an index is out of bounds.
    pub fn launch(self, device: &Device) -> Result<()> {
        self.prepare(device)?.launch()
    }

    /// Runs the kernel without bounds checks.
    ///
    /// # Errors
    /// As [`Launch::launch`]; the emulator still reports accesses outside any buffer.
    ///
    /// # Safety
    /// Every index the kernel uses must be within its slice or tile.
    pub unsafe fn launch_unchecked(self, device: &Device) -> Result<()> {
        // SAFETY: every index is within its slice or tile in the one run that follows, as this function requires.
        unsafe { self.prepare_unchecked(device) }?.launch()
    }

    /// Runs the kernel on the emulator, with every index checked, and counts events.
    ///
    /// # Errors
    /// As [`Launch::launch`]; [`Error::Unsupported`](crate::Error::Unsupported) on a GPU.
    pub fn profile(self, device: &Device) -> Result<Profile> {
        self.prepare(device)?.profile(Blocks::All)
    }

    /// Predicts the time of the kernel on a GPU from a few blocks that run on the emulator. Their
    /// effects on memory are undone.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// # use lanework::time::{machine::GpuModel, predict::Protocol};
    /// #[kernel]
    /// fn add(x: &[f32], y: &mut [f32], apart: u32) {
    ///     let i = (block_idx.x * block_dim.x + thread_idx.x) * apart;
    ///     y[i] = y[i] + x[i];
    /// }
    ///
    /// let emulator = Device::emulator();
    /// let (gpu, cold) = (GpuModel::named("H200"), Protocol::Flushed);
    /// let x = emulator.upload(&vec![1.0f32; 1 << 23])?;
    /// let mut y = emulator.zeros::<f32>(1 << 23)?;
    /// let near = add(&x, &mut y, 1).grid(1 << 12).block(256).predict(&emulator, &gpu, cold)?;
    /// let far = add(&x, &mut y, 8).grid(1 << 12).block(256).predict(&emulator, &gpu, cold)?;
    /// near.assert_predicted_faster(&far);
    /// assert!(y.download()?.iter().all(|&y| y == 0.0));
    /// # lanework::Result::<()>::Ok(())
    /// ```
    ///
    /// # Errors
    /// As [`Launch::launch`]; [`Error::Unsupported`](crate::Error::Unsupported) on a GPU.
    pub fn predict(
        self,
        device: &Device,
        gpu: &GpuModel,
        protocol: Protocol,
    ) -> Result<Prediction> {
        let trace = self.prepare(device)?.time_trace(Effort::for_model(gpu))?;
        Ok(lanework_time::predict::predict(&trace, gpu, protocol))
    }

    /// Compiles the kernel with bounds checks, for repeated launches.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    pub fn prepare(self, device: &Device) -> Result<Prepared<'a>> {
        self.compile(device, true)
    }

    /// Compiles the kernel without bounds checks, for repeated launches.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    ///
    /// # Safety
    /// Every index the kernel uses must be within its slice or tile, in every run.
    pub unsafe fn prepare_unchecked(self, device: &Device) -> Result<Prepared<'a>> {
        self.compile(device, false)
    }

    fn compile(self, device: &Device, checked: bool) -> Result<Prepared<'a>> {
        let kernel = self.definition.name;
        let refuse = |why: &str, help: &str| invalid(kernel, why, help);
        let grid = self.grid.ok_or_else(|| {
            refuse("it has no grid", "set the number of blocks with `.grid(..)` before the launch")
        })?;
        let block = self.block.ok_or_else(|| {
            refuse(
                "it has no block",
                "set the number of threads with `.block(..)` before the launch",
            )
        })?;
        let elsewhere =
            |argument: &Arg| argument.device().is_some_and(|id| id != device.identity());
        if self.arguments.iter().any(elsewhere) {
            return Err(refuse(
                "a buffer or tensor map is on another device",
                "download it and upload it to the device of the launch",
            ));
        }
        let compiled = device.compile(&self.definition, checked)?;
        for (argument, parameter) in self.arguments.iter().zip(&compiled.staged.parameters) {
            argument.fits(parameter).map_err(|(why, help)| invalid(kernel, &why, &help))?;
        }
        Ok(Prepared {
            compiled,
            device: device.clone(),
            kernel,
            arguments: self.arguments,
            grid,
            block,
            cluster: self.cluster,
            dynamic_shared: self.dynamic_shared,
            cooperative: self.cooperative,
            programmatic: self.programmatic,
            checked,
            _kept: None,
        })
    }
}

/// Stages a kernel.
///
/// # Errors
/// [`Error::Stage`] if the kernel is invalid with these constants.
pub(crate) fn stage(definition: &Definition, options: StageOptions) -> Result<Staged> {
    let staged = (definition.stage)(&options);
    if staged.errors.is_empty() {
        return Ok(staged);
    }
    Err(Error::Stage { kernel: definition.name.to_owned(), errors: staged.errors })
}

impl Device {
    /// The kernel compiled for this device, from the cache if possible.
    pub(crate) fn compile(&self, definition: &Definition, checked: bool) -> Result<Arc<Compiled>> {
        let key = (definition.key.clone(), checked);
        let mut cache = self.0.compiled.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(compiled) = cache.get(&key) {
            return Ok(compiled.clone());
        }
        let debug = Session::active().is_some_and(Session::saves_names);
        let staged = stage(definition, StageOptions { checked, debug })?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load(&staged.module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.load(&staged.module, &staged.entry)?),
        };
        let text = || format!("{}{}", staged.module, staged.names);
        let module = Session::active().map(|session| session.module(&staged.entry, &text));
        let compiled = Arc::new(Compiled { staged, code, module });
        cache.insert(key, compiled.clone());
        Ok(compiled)
    }
}
