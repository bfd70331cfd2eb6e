//! Counter accuracy: the same launches counted by the emulator and by the hardware counters of an H200, read with
//! Nsight Compute. The launches are every rung, PTX of several compilers, and the probes.

mod compiled;
mod hardware;
mod probes;

pub use hardware::{Deviation, Hardware};

use crate::families::{Family, families};
use crate::problem::Request;
use compiled::{COMPILED, Compiled, KernelArgument, LOCAL, text_of};
use lanework::emulator::Blocks;
use lanework::{Backend, Buffer, Device, Dim3, Error, Job, Profile, PtxArg, PtxShape, Result};
use lanework_verify::host::random_elements;
use probes::{MORE, PROBES, module, patterns, sweep};
use std::path::Path;

/// A finished launch: its name in the corpus, the entry, and the emulator's counters.
pub struct Launched {
    /// Name of the launch.
    pub name: String,
    /// The kernel's name in its module.
    pub entry: String,
    /// The counts; `None` on a GPU.
    pub profile: Option<Profile>,
}

/// Called with every launch, in order.
pub type Each<'a> = &'a mut dyn FnMut(Launched) -> Result<()>;

/// The device of the launches, and the function called with each.
struct Run<'a> {
    device: &'a Device,
    each: Each<'a>,
}

/// The problems of each ladder: one with even and one with odd extents.
const PROBLEMS: [(&str, &[(&str, u64)]); 25] = [
    ("vector-add", &[("size", 1 << 16)]),
    ("vector-add", &[("size", 10_007)]),
    ("sum-squares", &[("size", 1 << 16)]),
    ("sum-squares", &[("size", 9_973)]),
    ("transpose", &[("size", 512)]),
    ("transpose", &[("rows", 203), ("cols", 333)]),
    ("matmul", &[("size", 128)]),
    ("matmul", &[("m", 70), ("n", 90), ("k", 50)]),
    ("sgemm", &[("size", 256)]),
    ("sgemm", &[("m", 130), ("n", 150), ("k", 70)]),
    ("int-matmul", &[("size", 128)]),
    ("int-matmul", &[("m", 64), ("n", 32), ("k", 48)]),
    ("scan", &[("size", 1 << 16)]),
    ("scan", &[("size", 9_973)]),
    ("softmax", &[("rows", 64), ("cols", 1024)]),
    ("softmax", &[("rows", 37), ("cols", 301)]),
    ("layer-norm", &[("rows", 64), ("cols", 1024)]),
    ("rms-norm", &[("rows", 64), ("cols", 1024)]),
    ("matvec", &[("rows", 256), ("cols", 512)]),
    ("hgemm", &[("size", 256)]),
    ("hgemm", &[("m", 136), ("n", 152), ("k", 72)]),
    ("tf32", &[("size", 256)]),
    ("fp8", &[("size", 256)]),
    ("dgemm", &[("size", 128)]),
    ("attention", &[("size", 256), ("heads", 2)]),
];

/// Launches everything once, always in the same order; `wanted` selects by name, and `data` is a folder of compilers'
/// PTX that replaces the built-in texts.
///
/// # Errors
/// If a launch or `each` fails.
pub fn launch_corpus(
    device: &Device,
    data: Option<&Path>,
    wanted: &dyn Fn(&str) -> bool,
    each: Each<'_>,
) -> Result<()> {
    let mut run = Run { device, each };
    for family in families() {
        run.rungs(&family, wanted)?;
    }
    for one in COMPILED.iter().chain([&LOCAL]) {
        run.compiled(one, data, wanted)?;
    }
    run.probes(wanted)
}

impl Run<'_> {
    fn rungs(&mut self, family: &Family, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let ladder = (family.ladder)();
        for (_, parameters) in PROBLEMS.iter().filter(|(name, _)| *name == ladder.name) {
            let request = Request::new(Backend::Emulator);
            let request = parameters
                .iter()
                .fold(request, |request, (name, value)| request.with(name, *value));
            let case = family.case(&request)?;
            let size: Vec<String> = parameters.iter().map(|(_, value)| value.to_string()).collect();
            for rung in &ladder.rungs {
                let name = format!("{}/{} {}", ladder.name, rung.name, size.join("x"));
                if !wanted(&name) || case.skips(rung.name, self.device).is_some() {
                    continue;
                }
                let mut trial = case.trial(rung.name, self.device)?;
                let mut job = trial.job()?;
                let Job::Kernel(kernel) = &job else { continue };
                let entry = kernel.module().entries().next().map(|entry| entry.name.clone());
                let profile = match self.device.backend() {
                    Backend::Emulator => Some(job.profile(Blocks::All)?),
                    Backend::Cuda => {
                        job.launch()?;
                        self.device.synchronize()?;
                        None
                    }
                };
                (self.each)(Launched { name, entry: entry.unwrap_or_default(), profile })?;
            }
        }
        Ok(())
    }

    fn compiled(
        &mut self,
        one: &Compiled,
        data: Option<&Path>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let short = one.entry.trim_start_matches("_Z3").split("EEv").next().unwrap_or_default();
        let name = format!("{} {}", one.file, short.replace("ILi", " "));
        let name = name.trim_end().to_owned();
        if !wanted(&name) {
            return Ok(());
        }
        let text = text_of(one.file, data).map_err(|why| Error::Launch {
            kernel: name.clone(),
            why,
            help: "omit the folder to use the PTX that is built in".to_owned(),
        })?;
        let module = self.device.load_ptx(&text)?;
        let only = module.module().entries().next().map(|entry| entry.name.clone());
        let entry = match one.entry {
            "" => only.unwrap_or_default(),
            entry => entry.to_owned(),
        };
        let mut buffers = Vec::new();
        for (index, given) in one.given.iter().enumerate() {
            buffers.push(match given {
                KernelArgument::Random(bytes) => {
                    // Small numbers keep sums of floats finite and indices in range.
                    let words: Vec<u8> = random_elements::<u8>(*bytes, index as u64 + 1);
                    Some(self.device.upload(&words)?)
                }
                KernelArgument::Zeros(bytes) => Some(self.device.zeros::<u8>(*bytes)?),
                _ => None,
            });
        }
        let arguments: Vec<PtxArg<'_>> = one
            .given
            .iter()
            .zip(&buffers)
            .map(|(given, buffer)| match (given, buffer) {
                (_, Some(buffer)) => PtxArg::Memory(buffer),
                (KernelArgument::Word(word), _) => PtxArg::Bytes(word.to_le_bytes().to_vec()),
                (KernelArgument::Long(long), _) => PtxArg::Bytes(long.to_le_bytes().to_vec()),
                _ => PtxArg::Bytes(Vec::new()),
            })
            .collect();
        let shape = PtxShape {
            grid: Dim3::from(one.grid),
            block: Dim3::from(one.block),
            dynamic_shared: one.shared,
            cluster: None,
            cooperative: false,
        };
        self.launch(name, &module, &entry, shape, &arguments)
    }

    fn probes(&mut self, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let module = self.device.load_ptx(&module())?;
        let data: Buffer<u8> = self.device.zeros(32_768)?;
        let out: Buffer<u8> = self.device.zeros(128)?;
        let shape = PtxShape::new(1, 32);
        for (index, probe) in PROBES.iter().chain(MORE).enumerate() {
            let plain = if index < PROBES.len() { patterns(probe) } else { Vec::new() };
            let plain = plain.into_iter().map(|pattern| ("probe", pattern));
            let sweep = sweep(probe, index).into_iter().map(|pattern| ("sweep", pattern));
            for (kind, pattern) in plain.chain(sweep) {
                let name = format!("{kind}/{} {}", probe.name, pattern.name);
                if !wanted(&name) {
                    continue;
                }
                let bytes: Vec<u8> =
                    pattern.offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
                let offsets = self.device.upload(&bytes)?;
                let arguments =
                    [PtxArg::Memory(&offsets), PtxArg::Memory(&data), PtxArg::Memory(&out)];
                self.launch(name, &module, probe.name, shape, &arguments)?;
            }
        }
        Ok(())
    }

    fn launch(
        &mut self,
        name: String,
        module: &lanework::PtxModule,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<()> {
        let profile = match self.device.backend() {
            Backend::Emulator => Some(module.profile(entry, shape, arguments, Blocks::All)?),
            Backend::Cuda => {
                // SAFETY: the corpus gives each kernel memory as large as it needs; the emulator,
                // which runs the same launches, checks that in a test.
                unsafe { module.launch(entry, shape, arguments) }?;
                None
            }
        };
        (self.each)(Launched { name, entry: entry.to_owned(), profile })
    }
}
