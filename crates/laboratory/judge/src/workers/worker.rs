//! Starts worker processes with their own folder, a restricted environment, and limits.

use crate::candidates::candidate::Submission;
use crate::problems::prepared::Unjudged;
use crate::task::Task;
use crate::workers::process::{Bounds, Ended, run};
use crate::workers::serve::{Answer, CompileOrder, Compiled, LaunchOrder};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to start a worker: a program that passes the arguments after these to [`crate::serve`].
#[derive(Clone, Debug)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Arguments before the worker's own.
    pub arguments: Vec<OsString>,
}

/// Memory limit of a compiler, and the limit of its output.
const COMPILER_MEMORY: u64 = 4 << 30;
const COMPILER_OUTPUT: u64 = 64 << 20;
/// Memory limit of a process with a GPU: the driver maps much memory.
const GPU_MEMORY: u64 = 64 << 30;
const GPU_OUTPUT: u64 = 64 << 20;
/// The environment variables that workers see.
const PASSED: [&str; 7] = [
    "LD_LIBRARY_PATH",
    "LANEWORK_NVRTC",
    "LANEWORK_CUDA_INCLUDE",
    "CUDA_VISIBLE_DEVICES",
    "PATH",
    "HOME",
    "SystemRoot",
];

impl Worker {
    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(what).env_clear();
        for name in PASSED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    fn start(
        &self,
        what: &str,
        folder: &Path,
        order: &impl serde::Serialize,
        bounds: Bounds,
    ) -> Result<Ended, Unjudged> {
        let failed = |why: String| {
            let help = "check the installation, and that there is room for temporary files";
            Unjudged::Failed(
                format!("the worker process cannot be started: {why}"),
                help.to_owned(),
            )
        };
        let order = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        run(&mut self.command(what), folder, order, bounds)
            .map_err(|error| failed(error.to_string()))
    }

    /// Compiles a source in its own process and folder; a failed compilation returns the log.
    ///
    /// # Errors
    /// If there is no compiler, or no process can be started.
    pub fn compile(
        &self,
        submission: &Submission,
        task: &Task,
    ) -> Result<Result<String, String>, Unjudged> {
        let folder = temporary()?;
        let source = submission.source.clone().unwrap_or_default();
        let name =
            Path::new(&submission.name).file_name().map(|name| name.to_string_lossy().into_owned());
        let order =
            CompileOrder { name: name.unwrap_or_else(|| "candidate.cu".to_owned()), source };
        let time = task.limits.compile;
        let bounds = Bounds { time, memory: COMPILER_MEMORY, output: COMPILER_OUTPUT };
        Ok(match self.start("compile", folder.path(), &order, bounds)? {
            Ended::TooLong => Err(format!("the compiler ran for more than {} s", time.as_secs())),
            Ended::TooLarge => {
                Err(format!("the compiler used more than {COMPILER_MEMORY} bytes of memory"))
            }
            Ended::Itself(_, answer, said) => match serde_json::from_slice(&answer) {
                Ok(Compiled::Ptx(ptx)) => Ok(ptx),
                Ok(Compiled::Refused(log)) => Err(log.trim_end().to_owned()),
                Ok(Compiled::Missing(why)) => {
                    let help = "get NVRTC (pip install nvidia-cuda-nvrtc, and LANEWORK_NVRTC=its/lib/libnvrtc.so.13), or compile the candidate to PTX elsewhere and give that";
                    return Err(Unjudged::Failed(
                        format!("the candidate is CUDA C++, and {why}"),
                        help.to_owned(),
                    ));
                }
                Err(_) => Err(format!("the compiler crashed: {}", said.trim_end())),
            },
        })
    }

    /// Makes launches in a separate process whose folder holds the arenas. A process that hangs or ends without an
    /// answer yields the reason.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn launch(
        &self,
        order: &LaunchOrder,
        folder: &Path,
        time: Duration,
    ) -> Result<Result<Answer, String>, Unjudged> {
        let bounds = Bounds { time, memory: GPU_MEMORY, output: GPU_OUTPUT };
        Ok(match self.start("launch", folder, order, bounds)? {
            Ended::TooLong => Err(format!("its launches did not end within {} s", time.as_secs())),
            Ended::TooLarge => Err("its process used too much memory".to_owned()),
            Ended::Itself(_, answer, said) => serde_json::from_slice(&answer)
                .map_err(|_| format!("its process ended without an answer: {}", said.trim_end())),
        })
    }
}

/// A folder that is removed when it is dropped.
///
/// # Errors
/// If no folder can be created.
pub fn temporary() -> Result<tempfile::TempDir, Unjudged> {
    tempfile::tempdir().map_err(|error| {
        let help = "set TMPDIR to a folder with room";
        Unjudged::Failed(format!("no temporary folder: {error}"), help.to_owned())
    })
}
