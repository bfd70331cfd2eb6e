//! `lanework judge`: the verdict on an untrusted kernel.

use crate::args::JudgeArgs;
use lanework::Device;
use lanework_judge::{
    Found, KINDS, OnGpu, Options, Submission, Task, Unjudged, Worker, judge, serve,
};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json, read_text};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::listed;
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher};
use std::process::ExitCode;

/// The first word of the command line of worker processes.
const WORKER: &str = "judge-worker";

/// The exit code of a worker process, if this is one.
pub fn worker() -> Option<ExitCode> {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let (first, rest) = arguments.split_first()?;
    (first == WORKER).then(|| if serve(rest) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Judges a candidate.
///
/// # Errors
/// Exit code 2 for an error in the task or the machine, 1 for a candidate that is not right.
pub fn run(args: &JudgeArgs) -> Outcome {
    let task = Task::read(&args.task, &read_text(&args.task, "give a text file")?)
        .map_err(|error| Failure::Input(error.to_string()))?;
    let Some(candidate) = args.candidate.as_ref().filter(|_| !args.kinds) else {
        let rows = KINDS.iter().map(|(kind, what)| listed(&format!("{kind:<16} "), what));
        return print(&rows.collect::<String>());
    };
    let text = read_text(candidate, "give a text file")?;
    let name = candidate.display().to_string();
    let submission = match candidate.extension().and_then(|kind| kind.to_str()) {
        Some("ptx") => Submission { name, source: None, ptx: Some(text) },
        Some("cu") => Submission { name, source: Some(text), ptx: None },
        _ => {
            return Err(Failure::input(
                format_args!("{name} is neither .ptx nor .cu"),
                "give PTX text, or CUDA C++",
            ));
        }
    };
    let program = std::env::current_exe().map_err(|error| {
        Failure::Input(format!("this program's own file is not known: {error}"))
    })?;
    let worker = Worker { program, arguments: vec![OsString::from(WORKER)] };
    let options = Options {
        seed: args.seed.unwrap_or_else(anything),
        timed: !args.no_timed_problem,
        gpu: gpu(&args.device)?.map(|device| OnGpu {
            device,
            worker: worker.clone(),
            seconds: args.time_limit.max(1),
        }),
    };
    let verdict = {
        let progress = Progress::new("judging");
        let compile = |submission: &Submission, task: &Task| worker.compile(submission, task);
        judge(&task, &submission, &options, &compile, &mut |what| progress.say(what))
    };
    let verdict = verdict.map_err(|error| match error {
        Unjudged::Task(error) => Failure::Input(error.to_string()),
        Unjudged::Failed(what, help) => Failure::input(what, help),
    })?;
    match args.json {
        true => print_json(&verdict)?,
        false => print(&format!("{}\n", verdict.words()))?,
    }
    if verdict.verdict == Found::Right { Ok(()) } else { Err(Failure::Program(1)) }
}

/// The GPU to time on; `None` if the machine has no GPU or the user wants the emulator.
fn gpu(device: &str) -> Result<Option<String>, Failure> {
    match device {
        "emulator" => Ok(None),
        "best" => {
            Ok(Device::gpus().ok().and_then(|gpus| gpus.into_iter().next()).map(|gpu| gpu.id))
        }
        named => {
            let device = Device::open(named)?;
            Ok(Some(device.info().id))
        }
    }
}

/// A number that a candidate cannot predict, from the standard library's hash keys, which the system draws at random.
fn anything() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
