//! Modules of PTX text from any compiler.
//!
//! Only the sizes of such a kernel's parameters are known, so a launch takes bytes and buffers. It
//! is `unsafe` because a GPU does not check accesses; the emulator checks each one.

use crate::device::{Device, Engine};
use crate::parsed;
use crate::tool::{Launching, Session};
use crate::{Buffer, Dim3, DynTensorMap, Error, Profile, Resources, Result};
use lanework_cuda::LaunchShape;
use lanework_ptx::Module;
use lanework_sim::{Blocks, Emulator, Fault, LaunchConfig, Outcome, Program, Trace, Wanted};
use std::sync::Arc;

/// A module of PTX loaded on a device.
///
/// ```
/// use lanework::{Device, PtxArg, PtxShape};
///
/// let device = Device::emulator();
/// let module = device.load_ptx(
///     ".version 7.0
///      .target sm_70
///      .address_size 64
///      .visible .entry fill(.param .u64 x, .param .u32 value) {
///          .reg .b32 %r<3>;
///          .reg .b64 %rd<4>;
///          ld.param.u64 %rd1, [x];
///          ld.param.u32 %r1, [value];
///          mov.u32 %r2, %tid.x;
///          mul.wide.u32 %rd2, %r2, 4;
///          add.u64 %rd3, %rd1, %rd2;
///          st.global.u32 [%rd3], %r1;
///          ret;
///      }",
/// )?;
/// let x = device.zeros::<u8>(4 * 32)?;
/// let arguments = [PtxArg::Memory(&x), PtxArg::Bytes(7u32.to_le_bytes().to_vec())];
/// // SAFETY: the emulator checks every access; on a GPU, 32 threads write the 32 words.
/// unsafe { module.launch("fill", PtxShape::new(1, 32), &arguments)? };
/// assert_eq!(x.download()?[..4], [7, 0, 0, 0]);
///
/// // What the emulator knows of it.
/// use lanework::sim::{Blocks, Wanted};
/// assert!(module.variable("none").is_none());
/// assert!(module.refused().is_empty() && module.refused_functions().is_empty());
/// assert_eq!(module.instructions("fill").unwrap().len(), 7);
/// assert!(module.resources("fill").unwrap().registers > 0);
/// assert!(!module.blocks_may_wait("fill"));
/// assert_eq!(module.module().entries().count(), 1);
/// let profile = module.profile("fill", PtxShape::new(1, 32), &arguments, Blocks::All)?;
/// assert_eq!(profile.counters.global_store.requests, 1);
/// let wanted = Wanted { steps: true, most: 100, ..Wanted::default() };
/// let trace = module.trace("fill", PtxShape::new(1, 32), &arguments, Blocks::All, wanted)?;
/// assert!(!trace.steps.is_empty());
///
/// // To be launched repeatedly, with everything that a shape may have.
/// let shape = PtxShape::new(1, 32).shared_bytes(1024).cooperative();
/// // SAFETY: as above.
/// let mut prepared = unsafe { module.prepare("fill", shape, &arguments) };
/// prepared.launch()?;
/// prepared.profile(Blocks::All)?;
/// assert!(prepared.resources().is_some() && prepared.module().instructions("none").is_none());
///
/// // Several texts, of which one defines what another declares.
/// let caller = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func put;
///     .visible .entry twice() { call put; call put; ret; }";
/// let callee = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func put { ret; }";
/// let linked = device.load_linked(&[("caller.ptx", caller), ("callee.ptx", callee)])?;
/// // SAFETY: it accesses nothing.
/// let counts: Option<lanework::Executed> =
///     unsafe { linked.launch("twice", PtxShape::new(1, 1).cluster(1), &[])? };
/// assert!(counts.unwrap().warp_instructions > 0);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct PtxModule {
    device: Device,
    module: Arc<Module>,
    code: Code,
    /// The number of its text among the records of a tool.
    recorded: Option<u64>,
}

enum Code {
    Emulator(Arc<Program>),
    Gpu(lanework_cuda::GpuModule),
}

/// An argument of a PTX kernel.
///
/// See [`PtxModule`] for an example.
pub enum PtxArg<'a> {
    /// The bytes of a parameter, little-endian.
    Bytes(Vec<u8>),
    /// The address of a buffer, as 8 bytes.
    Memory(&'a Buffer<u8>),
    /// A tensor map, as 128 bytes.
    Map(&'a DynTensorMap<'a>),
}

/// The shape of a launch of a PTX kernel.
///
/// See [`PtxModule`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtxShape {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Blocks of a cluster; `None` leaves it to the kernel.
    pub cluster: Option<Dim3>,
    /// Whether all blocks are on the device at once, so that they may wait for each other.
    pub cooperative: bool,
}

impl PtxShape {
    /// A grid of blocks, without dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> PtxShape {
        PtxShape {
            grid: grid.into(),
            block: block.into(),
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
        }
    }

    /// With this many bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(self, bytes: u32) -> PtxShape {
        PtxShape { dynamic_shared: bytes, ..self }
    }

    /// With blocks grouped into clusters (sm_90).
    #[must_use]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> PtxShape {
        PtxShape { cluster: Some(blocks.into()), ..self }
    }

    /// As a cooperative launch (`cudaLaunchCooperativeKernel`): all blocks are on the device at once, and
    /// `grid.sync()` of cooperative groups works.
    #[must_use]
    pub fn cooperative(self) -> PtxShape {
        PtxShape { cooperative: true, ..self }
    }

    fn config<'a>(&self, entry: &'a str, blocks: Blocks) -> LaunchConfig<'a> {
        let PtxShape { grid, block, dynamic_shared, cluster, cooperative } = *self;
        LaunchConfig {
            entry,
            grid: grid.to_array(),
            block: block.to_array(),
            dynamic_shared,
            blocks,
            cluster: cluster.map(Dim3::to_array),
            cooperative,
        }
    }
}

/// A launch of a PTX kernel with its arguments, to be run any number of times; made by [`PtxModule::prepare`].
pub struct PreparedPtx<'a> {
    module: &'a PtxModule,
    entry: String,
    shape: PtxShape,
    arguments: &'a [PtxArg<'a>],
}

/// Instruction counts of a launch on the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Instructions, counted per warp.
    pub warp_instructions: u64,
    /// Instructions, counted per active lane.
    pub lane_instructions: u64,
}

impl Device {
    /// Links texts of PTX, each with the name of its file, and loads the result: what one declares
    /// `.extern`, another defines. Instructions without a `.loc` get one that names their file.
    ///
    /// # Errors
    /// Those of [`Device::load_ptx`]; [`Error::Request`] where the texts cannot be linked, such as when
    /// two define a name.
    pub fn load_linked(&self, texts: &[(&str, &str)]) -> Result<PtxModule> {
        self.load_ptx(&linked(texts)?)
    }

    /// As [`Device::load_ptx`] of one text or [`Device::load_linked`] of several, for large modules of which a program uses some entries: an
    /// entry is decoded when it is first used, and one that the emulator does not support is an error of its launch. A text whose module
    /// lives is not read again, and one of 16 KiB or more that another process has checked is not checked again: such texts are kept in
    /// `lanework` in the user's folder for caches, or where `LANEWORK_CACHE_DIR` says; `off` there turns that off, and `LANEWORK_CACHE_MB`
    /// says how much is kept.
    ///
    /// ```
    /// let device = lanework::Device::emulator();
    /// let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry nothing() { ret; }";
    /// let module = device.load_on_demand(&[("nothing.ptx", text)])?;
    /// assert_eq!(module.module().entries().count(), 1);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the two, but for what the emulator does not support.
    pub fn load_on_demand(&self, texts: &[(&str, &str)]) -> Result<PtxModule> {
        let made: String;
        let text = match texts {
            [(_, only)] => only,
            several => {
                made = linked(several)?;
                made.as_str()
            }
        };
        let module = parsed::shared(text)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load_on_demand(&module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.raw().load(text, "ptx")?),
        };
        Ok(self.loaded(module, code, text))
    }

    /// Loads PTX text.
    ///
    /// # Errors
    /// [`Error::Ptx`] with line, column and caret for a syntax error, or a name that is undeclared
    /// or declared twice; the error log of the driver's compiler; the instructions that the
    /// emulator does not support.
    pub fn load_ptx(&self, text: &str) -> Result<PtxModule> {
        let module = parsed::checked(text)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load(&module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.raw().load(text, "ptx")?),
        };
        Ok(self.loaded(Arc::new(module), code, text))
    }

    fn loaded(&self, module: Arc<Module>, code: Code, text: &str) -> PtxModule {
        let recorded = Session::active().map(|session| {
            let names: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
            session.module(&names.join(" "), &|| text.to_owned())
        });
        PtxModule { device: self.clone(), module, code, recorded }
    }
}

/// The text that several texts, each with the name of its file, give linked.
fn linked(texts: &[(&str, &str)]) -> Result<String> {
    let parse = |(name, text): &(&str, &str)| match Module::parse(text) {
        Ok(module) => Ok(((*name).to_owned(), module)),
        Err(problems) => Err(Error::Ptx(Box::new(problems))),
    };
    let modules = texts.iter().map(parse).collect::<Result<Vec<_>>>()?;
    let linked =
        Module::link(modules).map_err(|e| Error::Request { why: e.message, help: e.help })?;
    Ok(linked.to_string())
}

impl PtxModule {
    /// The module as data.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Address and size in bytes of a module variable in global or constant memory; not known on a GPU.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        match &self.code {
            Code::Emulator(program) => program.variable(name),
            Code::Gpu(_) => None,
        }
    }

    /// The entries that the emulator does not support, with the reason; none on a GPU, whose driver
    /// compiles all of them.
    pub fn refused(&self) -> Vec<(String, String)> {
        match &self.code {
            Code::Emulator(program) => {
                program.refused().map(|(entry, why)| (entry.to_owned(), why.to_string())).collect()
            }
            Code::Gpu(_) => Vec::new(),
        }
    }

    /// The device functions that no entry reaches and that the emulator does not support, with the
    /// reason; none on a GPU.
    pub fn refused_functions(&self) -> Vec<(String, String)> {
        match &self.code {
            Code::Emulator(program) => {
                let refused = program.refused_functions(&self.module).into_iter();
                refused.map(|(function, why)| (function, why.to_string())).collect()
            }
            Code::Gpu(_) => Vec::new(),
        }
    }

    /// The distinct instructions of an entry and of the functions it calls; `None` on a GPU.
    /// `lanework_lab::conformance::fidelity` tells how closely each is known to agree with a GPU.
    pub fn instructions(&self, entry: &str) -> Option<Vec<String>> {
        match &self.code {
            Code::Emulator(program) => {
                Some(program.instructions(entry)?.into_iter().map(str::to_owned).collect())
            }
            Code::Gpu(_) => None,
        }
    }

    /// Runs an entry and waits for it; the output of `printf` goes to standard output.
    ///
    /// # Errors
    /// When there is no such entry, the arguments do not fit its parameters, the shape exceeds the
    /// device's limits, or the kernel faults.
    ///
    /// # Safety
    /// On a GPU the kernel can access any address that it computes; it must stay within the buffers
    /// of its arguments. On the emulator every access is checked.
    pub unsafe fn launch(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        // SAFETY: the caller keeps the contract.
        let executed = unsafe { self.queue(entry, shape, arguments) }?;
        self.device.synchronize()?;
        Ok(executed)
    }

    /// An entry with its arguments, to be run repeatedly; on a GPU a launch of it is queued and not waited for.
    ///
    /// # Safety
    /// As [`PtxModule::launch`], in every run.
    pub unsafe fn prepare<'a>(
        &'a self,
        entry: &str,
        shape: PtxShape,
        arguments: &'a [PtxArg<'a>],
    ) -> PreparedPtx<'a> {
        PreparedPtx { module: self, entry: entry.to_owned(), shape, arguments }
    }

    /// Runs an entry; on a GPU, queues it.
    ///
    /// # Safety
    /// As [`PtxModule::launch`].
    unsafe fn queue(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        let bytes: Vec<Vec<u8>> = arguments.iter().map(PtxArg::bytes).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let foreign =
            |arg: &PtxArg<'_>| matches!(arg, PtxArg::Map(map) if !map.is_for(&self.device));
        if arguments.iter().any(foreign) {
            return Err(Error::Launch {
                kernel: entry.to_owned(),
                why: "a tensor map belongs to another device".to_owned(),
                help: "create it from a buffer on the device of the launch".to_owned(),
            });
        }
        match (&self.code, &self.device.0.engine) {
            (Code::Emulator(program), Engine::Emulator(emulator)) => {
                let config = shape.config(entry, Blocks::All);
                if emulator.checks().is_some() {
                    if let Some(session) = Session::active() {
                        let (config, arguments, module) = (&config, &bytes[..], self.recorded);
                        session.checking(Launching {
                            emulator,
                            program,
                            config,
                            arguments,
                            module,
                        });
                    }
                    let checked = emulator.check(program, &config, &bytes)?;
                    crate::printed::pass_on(&checked.outcome.printed);
                    let Outcome { warp_instructions, lane_instructions, .. } = checked.outcome;
                    crate::launched::sanitized(
                        checked,
                        None,
                        &self.device,
                        (entry, self.recorded),
                    )?;
                    return Ok(Some(Executed { warp_instructions, lane_instructions }));
                }
                let module = self.recorded;
                let arguments = bytes.as_slice();
                let launching = Launching { emulator, program, config: &config, arguments, module };
                let outcome = crate::launched::run(launching)?;
                crate::printed::pass_on(&outcome.printed);
                Ok(Some(Executed {
                    warp_instructions: outcome.warp_instructions,
                    lane_instructions: outcome.lane_instructions,
                }))
            }
            (Code::Gpu(module), Engine::Gpu(gpu)) => {
                let function = module.function(entry)?;
                let PtxShape { grid, block, dynamic_shared, cluster, cooperative } = shape;
                let shape = LaunchShape::new(grid.to_array(), block.to_array());
                let mut shape = shape.dynamic_shared(dynamic_shared);
                (shape.cluster, shape.cooperative) = (cluster.map(Dim3::to_array), cooperative);
                // SAFETY: the caller keeps the contract; the driver's sizes of the parameters are
                // checked against the arguments.
                unsafe { gpu.raw().launch_shaped(&function, &shape, &bytes, None) }?;
                Ok(None)
            }
            _ => unreachable!("a module holds the code of its own device"),
        }
    }

    /// Runs all or some blocks of an entry on the emulator and counts events.
    ///
    /// # Errors
    /// As [`PtxModule::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn profile(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
    ) -> Result<Profile> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                let counted = emulator.count(program, config, bytes)?;
                crate::printed::pass_on(&counted.0.printed);
                Ok(Profile::new(counted, program, config))
            };
        self.emulate(entry, shape, arguments, blocks, run)
    }

    /// Runs some blocks of an entry on the emulator and records a trace of their steps.
    ///
    /// # Errors
    /// As [`PtxModule::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn trace(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
        wanted: Wanted,
    ) -> Result<Trace> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                Ok(emulator.trace(program, config, bytes, wanted)?.1)
            };
        self.emulate(entry, shape, arguments, blocks, run)
    }

    /// Whether blocks of an entry may wait in a loop for what other blocks write, so that a run of some blocks only
    /// may never end; not known on a GPU.
    pub fn blocks_may_wait(&self, entry: &str) -> bool {
        match &self.code {
            Code::Emulator(program) => program.polls(entry),
            Code::Gpu(_) => false,
        }
    }

    /// The estimated resource usage of an entry; `None` on a GPU, or where the emulator does not
    /// support the entry.
    pub fn resources(&self, entry: &str) -> Option<Resources> {
        let Code::Emulator(program) = &self.code else { return None };
        program.register_pressure(entry)?;
        Some(crate::compiled::of_program(program, entry))
    }

    fn emulate<T>(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
        run: impl FnOnce(&Emulator, &Program, &LaunchConfig<'_>, &[&[u8]]) -> Result<T, Fault>,
    ) -> Result<T> {
        let (Code::Emulator(program), Engine::Emulator(emulator)) =
            (&self.code, &self.device.0.engine)
        else {
            return Err(Error::Unsupported {
                what: "counting a kernel",
                device: self.device.info().id,
                help: "profile it on `Device::emulator()`",
            });
        };
        let bytes: Vec<Vec<u8>> = arguments.iter().map(PtxArg::bytes).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        Ok(run(emulator, program, &shape.config(entry, blocks), &bytes)?)
    }
}

impl PreparedPtx<'_> {
    /// Runs it once; on a GPU, queues it.
    ///
    /// # Errors
    /// As [`PtxModule::launch`].
    pub fn launch(&mut self) -> Result<()> {
        // SAFETY: guaranteed by the caller of `prepare`.
        unsafe { self.module.queue(&self.entry, self.shape, self.arguments) }.map(drop)
    }

    /// Runs it once on the emulator and counts events.
    ///
    /// # Errors
    /// As [`PtxModule::profile`].
    pub fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        self.module.profile(&self.entry, self.shape, self.arguments, blocks)
    }

    /// The module that it is of.
    pub fn module(&self) -> &PtxModule {
        self.module
    }

    /// The estimated resource usage; `None` on a GPU.
    pub fn resources(&self) -> Option<Resources> {
        self.module.resources(&self.entry)
    }
}

impl PtxArg<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            PtxArg::Bytes(bytes) => bytes.clone(),
            PtxArg::Memory(buffer) => buffer.address().to_le_bytes().to_vec(),
            PtxArg::Map(map) => map.as_bytes().to_vec(),
        }
    }
}
