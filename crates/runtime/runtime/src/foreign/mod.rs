//! Loads modules from PTX text of any compiler.
//!
//! PTX gives only the sizes of a kernel's parameters, so a launch takes bytes and buffers. A launch is `unsafe` because
//! a GPU does not check accesses; the emulator checks each one.

mod disk_cache;
mod launch;
mod load;

pub use disk_cache::DiskCache;
pub use launch::{Executed, PreparedPtx};

use crate::device::Device;
use crate::{Buffer, Dim3, DynTensorMap, Error, Resources, Result};
use lanework_emulator::{Blocks, LaunchConfig, LoadError, Program};
use lanework_ptx::Module;
use lanework_ptx::cpp_names::CppName;
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
/// // The emulator describes its entries.
/// use lanework::emulator::{Blocks, TraceConfig};
/// assert!(module.variable("none").is_none());
/// assert!(module.refused().is_empty() && module.refused_functions().is_empty());
/// assert_eq!(module.instructions("fill").unwrap().len(), 7);
/// assert!(module.resources("fill").unwrap().registers > 0);
/// assert!(!module.blocks_may_wait("fill"));
/// assert_eq!(module.module().entries().count(), 1);
/// let profile = module.profile("fill", PtxShape::new(1, 32), &arguments, Blocks::All)?;
/// assert_eq!(profile.counters.global_store.requests, 1);
/// let wanted = TraceConfig { steps: true, most: 100, ..TraceConfig::default() };
/// let trace = module.trace("fill", PtxShape::new(1, 32), &arguments, Blocks::All, wanted)?;
/// assert!(!trace.steps.is_empty());
///
/// // Prepare repeated launches, with every option of a shape.
/// let shape = PtxShape::new(1, 32).shared_bytes(1024).cooperative();
/// // SAFETY: 32 threads write the 32 words of `x`, as in the launch before.
/// let mut prepared = unsafe { module.prepare("fill", shape, &arguments) };
/// prepared.launch()?;
/// prepared.profile(Blocks::All)?;
/// assert!(prepared.resources().is_some() && prepared.module().instructions("none").is_none());
///
/// // Several texts: one defines the functions that another declares.
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
    /// The text that it was loaded from; the kernels' instructions name its lines.
    text: Arc<str>,
    code: Code,
    /// The number of the module's text in a tool's records.
    recorded: Option<u64>,
    /// The file that held the text, if known.
    file: Option<String>,
}

enum Code {
    Emulator(Arc<Program>),
    Gpu(lanework_cuda::GpuModule),
}

impl PtxModule {
    /// The module as data.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Address and size in bytes of a module variable in global or constant memory; `None` on a GPU.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        match &self.code {
            Code::Emulator(program) => program.variable(name),
            Code::Gpu(_) => None,
        }
    }

    /// The entries that the emulator does not support, with the reason; empty on a GPU, whose driver compiles all
    /// of them.
    ///
    /// ```
    /// let device = lanework::Device::emulator();
    /// let text = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func put;\n\
    ///     .entry good() { ret; }\n.entry bad() { call put; ret; }";
    /// let module = device.load_ptx_of("k.ptx", text)?;
    /// let [(entry, why)] = &module.refused()[..] else { panic!("{:?}", module.refused()) };
    /// assert!(entry == "bad" && why.contains("--> k.ptx:6"), "{why}");
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn refused(&self) -> Vec<(String, String)> {
        match &self.code {
            Code::Emulator(program) => {
                let refused = program.refused();
                refused.map(|(entry, why)| (entry.to_owned(), self.reason(why.clone()))).collect()
            }
            Code::Gpu(_) => Vec::new(),
        }
    }

    /// The unsupported device functions that no entry reaches, with the reason; empty on a GPU.
    pub fn refused_functions(&self) -> Vec<(String, String)> {
        match &self.code {
            Code::Emulator(program) => {
                let refused = program.refused_functions(&self.module).into_iter();
                refused.map(|(function, why)| (function, self.reason(why))).collect()
            }
            Code::Gpu(_) => Vec::new(),
        }
    }

    /// An error of lowering as text, with the file of the PTX text.
    fn reason(&self, why: LoadError) -> String {
        LoadError { text_file: self.file.clone(), ..why }.to_string()
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

    /// Whether blocks of an entry may wait in a loop for data from other blocks. A run of only some blocks may then
    /// never end. Always false on a GPU.
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
        Some(crate::device::gpu::of_program(program, entry))
    }
}

/// An argument of a PTX kernel.
///
/// See [`PtxModule`](PtxModule) for an example.
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
/// See [`PtxModule`](PtxModule) for an example.
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
    /// Whether all blocks are resident at the same time, so that they may wait for each other.
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

    /// Makes the launch cooperative (`cudaLaunchCooperativeKernel`): all blocks are resident at the same time, and
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

impl PtxArg<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            PtxArg::Bytes(bytes) => bytes.clone(),
            PtxArg::Memory(buffer) => buffer.address().to_le_bytes().to_vec(),
            PtxArg::Map(map) => map.as_bytes().to_vec(),
        }
    }
}

impl PtxModule {
    /// The entry of this name, mangled or in C++ (`saxpy`, `ops::saxpy`, `saxpy<float, 4>`), or the only one.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry _ZN3ops5saxpyEPf() { ret; }
    ///     .visible .entry plain() { ret; }";
    /// let module = Device::emulator().load_ptx(text)?;
    /// assert_eq!(module.find_entry(Some("plain"))?, "plain");
    /// assert_eq!(module.find_entry(Some("saxpy"))?, "_ZN3ops5saxpyEPf");
    /// assert_eq!(module.find_entry(Some("ops::saxpy"))?, "_ZN3ops5saxpyEPf");
    /// assert!(module.find_entry(None).is_err() && module.find_entry(Some("axpy")).is_err());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Request`] if no entry has this name, or several have.
    pub fn find_entry(&self, name: Option<&str>) -> Result<String> {
        let entries: Vec<&str> = self.module().entries().map(|entry| entry.name.as_str()).collect();
        let said = |entry: &&str| match CppName::of(entry) {
            Some(name) => format!("{name} ({entry})"),
            None => (*entry).to_owned(),
        };
        let listed = |entries: &[&str]| entries.iter().map(said).collect::<Vec<_>>().join(", ");
        let list = listed(&entries);
        // `_Z5saxpyfPKfPfi` is `saxpy` in C++; overloads share a name.
        let called = |entry: &&str| {
            CppName::of(entry).is_some_and(|own| name.is_some_and(|name| own.is(name)))
        };
        let in_cpp: Vec<&str> = entries.iter().copied().filter(called).collect();
        let refuse = |why: String, help: String| Err(Error::Request { why, help });
        match (name, entries.as_slice()) {
            (Some(name), _) if entries.contains(&name) => Ok(name.to_owned()),
            (Some(_), _) if in_cpp.len() == 1 => Ok(in_cpp[0].to_owned()),
            (Some(name), _) if in_cpp.len() > 1 => refuse(
                format!("several entries are called `{name}`"),
                format!("name one of them: {}", listed(&in_cpp)),
            ),
            (None, [only]) => Ok((*only).to_owned()),
            (_, []) => {
                let help = "in PTX declare one with `.entry`; in CUDA C++ write a `__global__` function, and of a \
                            template an instance: `template __global__ void k<float>(float*);`";
                refuse("the module has no entry".to_owned(), help.to_owned())
            }
            (Some(name), _) => {
                refuse(format!("no entry is called `{name}`"), format!("available: {list}"))
            }
            (None, _) => refuse(
                "the module has several entries".to_owned(),
                format!("name one as the entry: {list}"),
            ),
        }
    }
}
