//! `lanework check`: runs kernels under the sanitizer and reports its findings.

use crate::args::{CheckArgs, CheckKernelArgs, SanitizerOptions};
use crate::findings::checked::Checked;
use crate::kernel_file::source::linked_ptx;
use crate::kernel_file::{
    FileKernel, Launched, Ready, arguments, check_arguments, emulator, find_entry, launch,
    no_fidelity, shape, signature,
};
use crate::problem::{check_rung, find_family, ladder_and_rungs, request_of, runnable};
use lanework::{Backend, Checks, Device, ReportKind};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{note, thousands};
use lanework_terminal::progress::Progress;

/// Checks the rungs of a ladder.
///
/// # Errors
/// Unknown names, shapes that do not fit, or findings.
pub fn run(args: &CheckArgs) -> Outcome {
    args.sanitizer.files.check_writable()?;
    let (ladder, wanted) = ladder_and_rungs(&args.ladder, &args.rungs)?;
    let family = find_family(ladder)?;
    let known = family.with_peer();
    wanted.iter().try_for_each(|rung| check_rung(&known, rung))?;
    let device = Device::emulator().sanitized_for(checks(&args.sanitizer)?);
    let request = request_of(&args.problem, &family, Backend::Emulator)?;
    family.check_used(&wanted, &request)?;
    let case = family.case(&request)?;
    case.check_fits(&device)?;
    let mut checked = Checked::default();
    {
        let rungs = runnable(&known.rungs, &wanted, case.as_ref(), &device)?;
        let progress = Progress::of("checking", rungs.len() as u64);
        for rung in rungs {
            let name = format!("{ladder}/{}", rung.name);
            progress.next(&name);
            let result = case
                .trial(rung.name, &device)
                .and_then(|mut trial| trial.job().and_then(|mut job| job.launch()));
            checked.add(&name, result, None)?;
        }
    }
    checked.leaks(&device);
    checked.show(&args.sanitizer.files, args.json, None)
}

/// Checks an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, or findings.
pub fn run_kernel(args: &CheckKernelArgs) -> Outcome {
    let kernel = &args.kernel;
    if kernel.compare.is_some() || !matches!(kernel.on.device.as_str(), "best" | "emulator") {
        return Err(Failure::input(
            "the sanitizer runs on the emulator only",
            "remove --device and --compare; on a GPU, use compute-sanitizer",
        ));
    }
    if kernel.json {
        lanework::print_on_stderr();
    }
    no_fidelity(kernel)?;
    args.sanitizer.files.check_writable()?;
    let ptx = linked_ptx(kernel.files(), &kernel.source)?;
    let device = emulator(kernel, Some(STUCK_AFTER)).sanitized_for(checks(&args.sanitizer)?);
    let mut checked = Checked::default();
    {
        let _progress = Progress::new("checking");
        let module = ptx.load(&device)?;
        let entry = find_entry(&module, kernel.entry.as_deref())?;
        let signature = signature(&module, &entry, kernel);
        let (ready, _) = arguments(kernel, &signature)?;
        check_arguments(&module, &signature, &ready)?;
        let (args, ptx_of) = (kernel, &ptx);
        let shape = shape(&FileKernel {
            args,
            ptx: ptx_of,
            module: &module,
            entry: &entry,
            ready: &ready,
        })?;
        let result = launch(&device, &module, &entry, shape, &ready);
        let result = result.map(|launched| note_unwritten(&ready, &launched));
        let file = kernel.names();
        checked.add(&entry, result, Some((&file, &ptx.text)))?;
        // The heap of the kernels' `malloc` is freed with the module.
        checked.leaks(&device);
    }
    checked.show(&args.sanitizer.files, kernel.json, None)
}

/// States which part of an array without contents (`uninit:`, `out:`) the kernel did not write: a grid may be too small.
fn note_unwritten(ready: &[Ready], launched: &Launched) {
    for (argument, runs) in ready.iter().zip(&launched.unwritten) {
        let Ready::Memory { name, array, fresh: true, .. } = argument else { continue };
        let size = array.element.bytes.max(1) as u64;
        let missing = runs.iter().map(|(_, bytes)| bytes).sum::<u64>().div_ceil(size);
        let all = array.bytes.len() as u64 / size;
        if missing > 0 {
            let (missing, all) = (thousands(missing), thousands(all));
            note(&format!("note: {missing} of the {all} elements of {name} were never written"));
        }
    }
}

/// Instructions of one warp after which a checked kernel counts as an endless loop.
const STUCK_AFTER: u64 = 200_000_000;

/// The kinds to report.
fn checks(options: &SanitizerOptions) -> Result<Checks, Failure> {
    let kinds = |names: &[String]| -> Result<Vec<ReportKind>, Failure> {
        let kind = |name: &String| {
            ReportKind::named(name).ok_or_else(|| {
                let known = ReportKind::ALL.map(ReportKind::name).join(", ");
                Failure::input(
                    format_args!("`{name}` is not a kind of error"),
                    format_args!("available: {known}"),
                )
            })
        };
        names.iter().map(kind).collect()
    };
    let only = kinds(&options.only)?;
    let mut checks = match only.is_empty() {
        true => Checks::default(),
        false => only.into_iter().fold(Checks::none(), Checks::with),
    };
    checks = kinds(&options.skip)?.into_iter().fold(checks, Checks::without);
    if options.leaks {
        checks = checks.with(ReportKind::Leak);
    }
    if options.proxy_fences {
        checks = checks.with(ReportKind::ProxyFence);
    }
    match ReportKind::ALL.into_iter().any(|kind| checks.has(kind)) {
        true => Ok(checks),
        false => Err(Failure::input(
            "--only and --skip exclude every kind of error",
            "remove --skip, or some of its kinds",
        )),
    }
}
