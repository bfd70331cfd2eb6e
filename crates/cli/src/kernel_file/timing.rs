//! Kernels of files on a GPU: verified, timed or compared, and verified again.

use crate::args::{BenchKernelArgs, CompareKernelArgs, KernelArgs, KernelTiming};
use crate::kernel_file::source::Ptx;
use crate::kernel_file::{
    FileKernel, Launched, Ready, Signature, check_arguments, emulator, find_entry, given, grid,
    launch, maps, signature, upload,
};
use crate::npy;
use crate::problem::rejected;
use lanework::{Buffer, Device, DynTensorMap, PtxArg, PtxModule, PtxShape};
use lanework_lab::timing::{About, Plan, reset};
use lanework_lab::{
    Accuracy, Array, Cache, ComparisonRecord, Rejection, SubjectRecord, TimedRecord, Verified,
    Work, verify_array,
};
use lanework_terminal::failure::Failure;
use lanework_terminal::progress::Progress;
use std::path::Path;
use std::time::Duration;

/// Seconds of sampling by default.
const SAMPLING: f64 = 15.0;
/// Time limit in seconds for the emulator's computation of the expected result.
const EMULATED: f64 = 60.0;

/// A kernel of a file, loaded on a GPU.
pub struct Loaded {
    module: PtxModule,
    entry: String,
    shape: PtxShape,
    file: String,
    ptx: Ptx,
}

/// The expected result of each argument that is memory.
pub struct Expected {
    arrays: Vec<Option<Array>>,
    tolerance: Option<f64>,
    by: Verified,
}

/// The device and the arguments for timing.
pub struct On<'a> {
    /// The GPU.
    pub device: &'a Device,
    /// The arguments.
    pub ready: &'a [Ready],
    /// The expected results.
    pub expected: &'a Expected,
}

impl Loaded {
    /// Loads PTX of a file and finds the entry.
    ///
    /// # Errors
    /// Invalid PTX, or an unknown entry.
    pub fn new(
        device: &Device,
        file: &str,
        ptx: Ptx,
        entry: Option<&str>,
    ) -> Result<Loaded, Failure> {
        let module = ptx.load(device)?;
        let entry = find_entry(&module, entry)?;
        let shape = PtxShape::new(1, 1);
        Ok(Loaded { module, entry, shape, file: file.to_owned(), ptx })
    }

    /// The signature of the entry.
    pub fn signature(&self, args: &KernelArgs) -> Signature {
        signature(&self.module, &self.entry, args)
    }

    /// The shape of the launch that the options ask for.
    ///
    /// # Errors
    /// As [`grid::shape`].
    pub fn shape(&self, args: &KernelArgs, ready: &[Ready]) -> Result<PtxShape, Failure> {
        let Loaded { module, entry, ptx, .. } = self;
        grid::shape(&FileKernel { args, ptx, module, entry, ready })
    }

    /// The kernel with a shape, for arguments that have `signature`.
    ///
    /// # Errors
    /// If the arguments do not match the entry's parameters.
    pub fn shaped(
        self,
        shape: PtxShape,
        signature: &Signature,
        ready: &[Ready],
    ) -> Result<Loaded, Failure> {
        let own = Signature { entry: self.entry.clone(), ..signature.clone() };
        check_arguments(&self.module, &own, ready)?;
        Ok(Loaded { shape, ..self })
    }

    /// Runs it once on fresh arguments and compares the results.
    ///
    /// # Errors
    /// A result that differs; a kernel that faults.
    fn verify(&self, on: &On<'_>) -> Result<Option<Accuracy>, Failure> {
        let On { device, ready, expected } = *on;
        let Launched { arrays, .. } = launch(device, &self.module, &self.entry, self.shape, ready)?;
        let mut found = None;
        for (index, pair) in arrays.iter().zip(&expected.arrays).enumerate() {
            let (Some(got), Some(want)) = pair else { continue };
            let judged = verify_array(got, want, expected.tolerance);
            found = Some(judged.map_err(|why| {
                let by = match expected.by {
                    Verified::Emulator => {
                        ", compared with the emulator's; --expect gives a reference"
                    }
                    _ => "",
                };
                let why: Rejection =
                    why.at(format_args!("argument {} of {}", index + 1, self.entry));
                rejected(&format!("the result{by}"), &why)
            })?);
        }
        Ok(found)
    }

    fn about(&self, timing: &KernelTiming, cache: Cache, on: &On<'_>) -> About {
        let about = About::kernel(&self.entry);
        let all = bytes_of(on.ready);
        // A kernel may touch only a part of large arguments; the touched parts of all copies have to exceed the
        // cache.
        let touched = timing.bytes.map_or(all, |bytes| bytes.min(all));
        let shape = |dim: lanework::Dim3| {
            let [x, y, z] = dim.to_array();
            format!("{x}x{y}x{z}")
        };
        let problem = [("grid", shape(self.shape.grid)), ("block", shape(self.shape.block))];
        About {
            subject: SubjectRecord { file: Some(self.file.clone()), ..about.subject },
            problem: problem.map(|(name, value)| (name.to_owned(), value)).into(),
            work: Work { bytes: timing.bytes.unwrap_or(0), flops: timing.flops.unwrap_or(0) },
            cache,
            reset: reset(cache, touched, on.device),
            verified: on.expected.by,
            ..about
        }
    }
}

/// The expected result: the user's files, or the emulator's result for the first kernel.
///
/// # Errors
/// Files that cannot be read, an argument that is not memory, a kernel that faults on the emulator.
pub fn expected(
    args: &KernelArgs,
    timing: &KernelTiming,
    (kernel, signature): (&Loaded, &Signature),
    ready: &[Ready],
    progress: &Progress,
) -> Result<Expected, Failure> {
    let nothing = || Expected {
        arrays: ready.iter().map(|_| None).collect(),
        tolerance: timing.tolerance,
        by: Verified::Nothing,
    };
    if timing.unverified {
        return Ok(nothing());
    }
    if timing.expect.is_empty() {
        progress.say("expected result, by the emulator");
        let limited = KernelArgs { time_limit: Some(EMULATED), ..args.clone() };
        let device = emulator(&limited, None);
        let emulated = kernel
            .ptx
            .load(&device)
            .and_then(|module| launch(&device, &module, &kernel.entry, kernel.shape, ready));
        return match emulated {
            Ok(Launched { arrays, .. }) => {
                Ok(Expected { arrays, tolerance: None, by: Verified::Emulator })
            }
            Err(error) => Err(Failure::input(
                format_args!("the emulator stopped while it computed the expected result: {error}"),
                "give the expected result with --expect FILE.npy, or --unverified",
            )),
        };
    }
    let mut expected = Expected { by: Verified::Reference, ..nothing() };
    for text in &timing.expect {
        let (index, file) = of_argument(text, signature, ready)?;
        let (array, _) = npy::read(Path::new(file))?;
        expected.arrays[index] = Some(array);
    }
    Ok(expected)
}

/// The argument that `[NAME=]FILE` names, or `[N:]FILE`, from 0, and the file.
///
/// # Errors
/// If the argument does not exist, or a file without a number fits several.
fn of_argument<'a>(
    text: &'a str,
    signature: &Signature,
    ready: &[Ready],
) -> Result<(usize, &'a str), Failure> {
    let numbered = text.split_once(':').filter(|(number, _)| number.parse::<usize>().is_ok());
    if let Some((name, file)) = text.split_once('=').or(numbered) {
        let index = signature.index(name);
        return match index.and_then(|index| Some((index, ready.get(index)?))) {
            Some((index, Ready::Memory { .. })) => Ok((index, file)),
            _ => Err(Failure::input(
                format_args!("--expect {text}: `{name}` is not memory"),
                format_args!("name a pointer; the kernel is {signature}"),
            )),
        };
    }
    let written = ready
        .iter()
        .enumerate()
        .filter(|(_, argument)| matches!(argument, Ready::Memory { after: Some(_), .. }));
    match written.map(|(index, _)| index).collect::<Vec<_>>()[..] {
        [index] => Ok((index, text)),
        _ => Err(Failure::input(
            format_args!("--expect {text} does not say which argument it is of"),
            format_args!("name it, such as --expect y={text}; the kernel is {signature}"),
        )),
    }
}

/// Copies of the arguments on the device.
struct Copies {
    buffers: Vec<Vec<Option<Buffer<u8>>>>,
}

impl Copies {
    fn new(device: &Device, ready: &[Ready], count: u32) -> Result<Copies, Failure> {
        let buffers = (0..count).map(|_| upload(device, ready)).collect::<lanework::Result<_>>()?;
        Ok(Copies { buffers })
    }

    fn maps(&self, ready: &[Ready]) -> Result<Vec<Vec<Option<DynTensorMap<'_>>>>, Failure> {
        let maps = self.buffers.iter().map(|buffers| maps(ready, buffers));
        Ok(maps.collect::<lanework::Result<_>>()?)
    }

    fn arguments<'a>(
        &'a self,
        ready: &[Ready],
        maps: &'a [Vec<Option<DynTensorMap<'a>>>],
    ) -> Vec<Vec<PtxArg<'a>>> {
        self.buffers.iter().zip(maps).map(|(buffers, maps)| given(ready, buffers, maps)).collect()
    }
}

/// Bytes of the arguments that are memory.
fn bytes_of(ready: &[Ready]) -> u64 {
    let bytes = |argument: &Ready| match argument {
        Ready::Memory { array, .. } => array.bytes.len() as u64,
        Ready::Scalar(..) | Ready::MapOf(..) | Ready::Struct(..) => 0,
    };
    ready.iter().map(bytes).sum()
}

/// The launches of a kernel on copies of its arguments.
fn jobs<'a>(kernel: &'a Loaded, arguments: &'a [Vec<PtxArg<'a>>]) -> Vec<lanework::Job<'a>> {
    // SAFETY: on a GPU the kernel, which the user named, can access the memory of this process's CUDA context only, not
    // the host's. A verified launch on the same arguments precedes.
    let job = |given: &'a Vec<PtxArg<'a>>| unsafe {
        kernel.module.prepare(&kernel.entry, kernel.shape, given)
    };
    arguments.iter().map(|given| job(given).into()).collect()
}

fn plan(args: &KernelArgs) -> Plan {
    Plan::within(Duration::from_secs_f64(args.time_limit.unwrap_or(SAMPLING)))
}

/// Reports the progress of sampling.
fn tell(progress: &Progress) -> impl FnMut(f64, Duration) {
    |width, left| {
        let (half, left) = (50.0 * width, left.as_secs_f64().ceil());
        progress.say(&format!("+-{half:.2} %, at most {left:.0} s left"));
    }
}

/// Verifies a kernel, times it in one state of the cache, and verifies it again.
///
/// # Errors
/// A wrong result, a kernel that faults.
pub fn bench(
    args: &BenchKernelArgs,
    cache: Cache,
    kernel: &Loaded,
    on: &On<'_>,
    progress: &Progress,
) -> Result<TimedRecord, Failure> {
    let On { device, ready, .. } = *on;
    kernel.verify(on)?;
    let about = kernel.about(&args.timing, cache, on);
    let copies = Copies::new(device, ready, about.reset.copies())?;
    let maps = copies.maps(ready)?;
    let arguments = copies.arguments(ready, &maps);
    let jobs = jobs(kernel, &arguments);
    let record = lanework_lab::timing::measure(
        device,
        jobs,
        &about,
        &plan(&args.kernel),
        &mut tell(progress),
    )?;
    let accuracy = kernel.verify(on)?;
    Ok(TimedRecord { accuracy, ..record })
}

/// Verifies two kernels, times them interleaved in one state of the cache, and verifies them again.
///
/// # Errors
/// A wrong result, a kernel that faults.
pub fn compare(
    args: &CompareKernelArgs,
    cache: Cache,
    kernels: [&Loaded; 2],
    on: &On<'_>,
    progress: &Progress,
) -> Result<ComparisonRecord, Failure> {
    let On { device, ready, .. } = *on;
    for kernel in kernels {
        kernel.verify(on)?;
    }
    let abouts = kernels.map(|kernel| kernel.about(&args.timing, cache, on));
    let copies = [
        Copies::new(device, ready, abouts[0].reset.copies())?,
        Copies::new(device, ready, abouts[1].reset.copies())?,
    ];
    let maps = [copies[0].maps(ready)?, copies[1].maps(ready)?];
    let arguments = [copies[0].arguments(ready, &maps[0]), copies[1].arguments(ready, &maps[1])];
    let compared = lanework_lab::timing::compare(
        device,
        (jobs(kernels[0], &arguments[0]), &abouts[0]),
        (jobs(kernels[1], &arguments[1]), &abouts[1]),
        &plan(&args.kernel),
        &mut tell(progress),
    )?;
    let accuracy_a = kernels[0].verify(on)?;
    let accuracy_b = kernels[1].verify(on)?;
    Ok(ComparisonRecord {
        a: TimedRecord { accuracy: accuracy_a, ..compared.a },
        b: TimedRecord { accuracy: accuracy_b, ..compared.b },
        ..compared
    })
}
