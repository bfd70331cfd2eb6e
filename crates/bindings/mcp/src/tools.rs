//! The tools and their parameters, whose comments a language model reads. A tool runs the `lanework` command with a
//! time limit and returns its JSON.

use crate::Session;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, schemars, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::Command;

/// A text in the call, or a file of the server's folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct SourceInput {
    /// The text of the kernel: CUDA C++, or PTX, which begins with `.version`. Give this or `file`.
    source: Option<String>,
    /// A `.cu` or `.ptx` file, relative to the server's folder. Give this or `source`.
    file: Option<String>,
}

/// A kernel of a text or a file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct KernelInput {
    #[serde(flatten)]
    text: SourceInput,
    /// The kernel's name. It can be omitted if there is only one.
    entry: Option<String>,
    /// The compiler of CUDA C++: own, nvrtc, nvcc or clang. By default the first that is installed; `own` always is.
    compiler: Option<String>,
}

/// The launch of a kernel on the emulator.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct LaunchInput {
    /// Blocks of the grid, as N, XxY or XxYxZ.
    grid: Option<String>,
    /// Threads of a block, as N, XxY or XxYxZ.
    block: Option<String>,
    /// Bytes of dynamic shared memory of a block.
    shared: Option<u64>,
    /// The kernel's arguments in order. A scalar is TYPE:VALUE, such as `f32:2.0` or `s32:1000`. A pointer is memory:
    /// `rand:f32:1000` has 1000 random floats, `zeros:f32:1000` zeros, `uninit:f32:1000` uninitialized memory,
    /// `in:x.npy` the array of a file.
    #[serde(default)]
    arguments: Vec<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct CheckInput {
    #[serde(flatten)]
    kernel: KernelInput,
    #[serde(flatten)]
    launch: LaunchInput,
    /// Report only these kinds of errors; the tool `explain` lists them.
    #[serde(default)]
    only: Vec<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct ProfileInput {
    #[serde(flatten)]
    kernel: KernelInput,
    #[serde(flatten)]
    launch: LaunchInput,
    /// The GPU whose occupancy and caches are modeled, such as H200 or A100.
    gpu: Option<String>,
    /// Count about this many blocks, spread over the grid, instead of all.
    sample: Option<u64>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct LookInput {
    #[serde(flatten)]
    kernel: KernelInput,
    #[serde(flatten)]
    launch: LaunchInput,
    /// The source line whose access is drawn. By default the most expensive line.
    line: Option<u32>,
    /// The block, by linear index.
    block_index: Option<u64>,
    /// The warp of the block.
    warp: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct PredictInput {
    #[serde(flatten)]
    kernel: KernelInput,
    #[serde(flatten)]
    launch: LaunchInput,
    /// The GPU, such as H200, A100 or L40.
    gpu: Option<String>,
    /// Launches back to back on the same data, in place of a first launch with cold caches.
    #[serde(default)]
    warm: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct JudgeInput {
    /// The text of the task in TOML: expected results, problems and tolerance. Give this or `task_file`.
    task: Option<String>,
    /// A task file, relative to the server's folder.
    task_file: Option<String>,
    #[serde(flatten)]
    candidate: SourceInput,
    /// The seed of all problems. By default random.
    seed: Option<u64>,
    /// Judge without the timed problem if it is too large for the emulator; without this, such a task is an error.
    #[serde(default)]
    no_timed_problem: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct ExplainInput {
    /// The kind of a finding (`race`), a counter (`shared_load.bank_conflicts`) or the kind of a
    /// verdict (`canary`). Without a name, all are listed.
    name: Option<String>,
}

/// A command line, and the folder of the temporary files that it names.
struct ToolCommand {
    arguments: Vec<String>,
    folder: TempDir,
}

impl ToolCommand {
    fn new(command: &str, scratch: &Path) -> Result<ToolCommand, String> {
        let folder = tempfile::tempdir_in(scratch);
        let folder = folder.map_err(|error| format!("a temporary folder: {error}"))?;
        Ok(ToolCommand { arguments: vec![command.to_owned()], folder })
    }

    /// Adds `--name VALUE`.
    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        // In one word, so that a value that begins with a hyphen stays a value.
        self.arguments.extend(value.map(|value| format!("--{name}={}", value.to_string())));
    }

    /// Adds a file: one of the server's folder, or a temporary one with this text.
    fn file(
        &mut self,
        what: &str,
        text: Option<String>,
        file: Option<String>,
        name: impl FnOnce(&str) -> &'static str,
    ) -> Result<(), String> {
        let path = match (text, file) {
            // A name that begins with a hyphen is a file, too.
            (None, Some(file)) if file.starts_with('-') => format!("./{file}"),
            (None, Some(file)) => file,
            (Some(text), None) => {
                let path = self.folder.path().join(name(&text));
                fs::write(&path, text).map_err(|error| format!("a temporary file: {error}"))?;
                path.display().to_string()
            }
            (Some(_), Some(_)) => {
                return Err(format!("give the {what} as a text or as a file, not both"));
            }
            (None, None) => return Err(format!("the {what} is missing: give its text or a file")),
        };
        self.arguments.push(path);
        Ok(())
    }

    fn source(&mut self, source: SourceInput) -> Result<(), String> {
        self.file("kernel", source.source, source.file, name_of)
    }

    fn kernel(&mut self, kernel: KernelInput) -> Result<(), String> {
        self.source(kernel.text)?;
        self.option("entry", kernel.entry);
        self.option("compiler", kernel.compiler);
        Ok(())
    }

    fn launch(&mut self, launch: LaunchInput) {
        self.option("grid", launch.grid);
        self.option("block", launch.block);
        self.option("shared", launch.shared);
        self.arguments
            .extend(launch.arguments.into_iter().map(|argument| format!("--arg={argument}")));
    }
}

/// The name of a file with this text: PTX begins with `.version`, after comments.
fn name_of(text: &str) -> &'static str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n').map_or("", |(_, after)| after).trim_start();
    }
    if rest.starts_with(".version") { "kernel.ptx" } else { "kernel.cu" }
}

impl Session {
    /// Runs a command with the arguments that `add` gives it.
    async fn answer(
        &self,
        command: &str,
        add: impl FnOnce(&mut ToolCommand) -> Result<(), String>,
    ) -> CallToolResult {
        let line = ToolCommand::new(command, &self.scratch)
            .and_then(|mut line| add(&mut line).map(|()| line));
        match line {
            Ok(line) => self.run(&line.arguments).await,
            Err(why) => failed(&why, Some(2)),
        }
    }
}

#[tool_router]
impl Session {
    /// Runs a kernel on an emulator and reports memory errors, races, uninitialized reads, wrong barriers and
    /// deadlocks, each with its source line and a fix. No GPU is needed. Exit code 0 means that nothing was found, 1
    /// that `result` has findings.
    #[tool(annotations(read_only_hint = true))]
    async fn check(&self, Parameters(call): Parameters<CheckInput>) -> CallToolResult {
        self.answer("check", |line| {
            line.kernel(call.kernel)?;
            line.launch(call.launch);
            line.option("only", (!call.only.is_empty()).then(|| call.only.join(",")));
            Ok(())
        })
        .await
    }

    /// Counts what a kernel does, per source line: instructions, memory sectors, bank conflicts, divergence, occupancy,
    /// with remarks on lines that waste something. No GPU is needed; the counts equal Nsight Compute's.
    #[tool(annotations(read_only_hint = true))]
    async fn profile(&self, Parameters(call): Parameters<ProfileInput>) -> CallToolResult {
        self.answer("profile", |line| {
            line.kernel(call.kernel)?;
            line.launch(call.launch);
            line.option("gpu", call.gpu);
            line.option("sample", call.sample);
            Ok(())
        })
        .await
    }

    /// Shows the addresses that the lanes of one warp access at one source line, as memory sectors or shared-memory
    /// banks.
    #[tool(annotations(read_only_hint = true))]
    async fn look(&self, Parameters(call): Parameters<LookInput>) -> CallToolResult {
        self.answer("look", |line| {
            line.kernel(call.kernel)?;
            line.launch(call.launch);
            line.option("line", call.line);
            line.option("block-index", call.block_index);
            line.option("warp", call.warp);
            Ok(())
        })
        .await
    }

    /// Predicts the time of a kernel on a GPU, without one: nanoseconds with an interval, what limits it, and the
    /// cycles that each source line loses, by Nsight Compute's stall reasons.
    #[tool(annotations(read_only_hint = true))]
    async fn predict(&self, Parameters(call): Parameters<PredictInput>) -> CallToolResult {
        self.answer("predict", |line| {
            line.kernel(call.kernel)?;
            line.launch(call.launch);
            line.option("gpu", call.gpu);
            line.arguments.extend(call.warm.then(|| "--warm".to_owned()));
            Ok(())
        })
        .await
    }

    /// Lists the entries of a PTX or CUDA C++ file with their parameters, registers and shared memory, without running
    /// it.
    #[tool(annotations(read_only_hint = true))]
    async fn inspect(&self, Parameters(source): Parameters<SourceInput>) -> CallToolResult {
        self.answer("inspect", |line| {
            line.source(source)?;
            Ok(())
        })
        .await
    }

    /// Tests a kernel against a task on drawn problems: right, wrong or refused, with the first reason. Exit code 1
    /// means that it is not right.
    #[tool(annotations(read_only_hint = true))]
    async fn judge(&self, Parameters(call): Parameters<JudgeInput>) -> CallToolResult {
        self.answer("judge", |line| {
            line.file("task", call.task, call.task_file, |_| "task.toml")?;
            line.source(call.candidate)?;
            line.option("seed", call.seed);
            line.option("device", Some("emulator"));
            line.arguments.extend(call.no_timed_problem.then(|| "--no-timed-problem".to_owned()));
            Ok(())
        })
        .await
    }

    /// Explains the name of a finding, a counter, a stall reason or a verdict that another tool returned.
    #[tool(annotations(read_only_hint = true))]
    async fn explain(&self, Parameters(call): Parameters<ExplainInput>) -> CallToolResult {
        self.answer("explain", |line| {
            line.arguments.extend(call.name);
            Ok(())
        })
        .await
    }
}

#[tool_handler]
impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("lanework", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(
            "CUDA kernels without a GPU. Start with `inspect` for a kernel's parameters, then `check` it on a small grid, \
             then `profile` and `predict` it. A failed call says what to change in `notes` or `result.error`."
                .to_owned(),
        );
        info
    }
}

/// The largest output that is passed on, in bytes. A client passes it to a language model.
const LONGEST: usize = 4 << 20;

impl Session {
    /// Runs `lanework ARGUMENTS --json`. The result has `exit_code`, `result` (the JSON that it printed) and `notes`
    /// (its lines on standard error).
    ///
    /// Exit code 1 is a result: findings, or a kernel that was judged wrong. Others are errors of the call.
    pub(crate) async fn run(&self, arguments: &[String]) -> CallToolResult {
        let mut command = Command::new(&self.server.program);
        command.args(arguments).arg("--json").stdin(Stdio::null()).kill_on_drop(true);
        command.env("LANEWORK_LANG", "en").env("TMPDIR", &self.scratch);
        let ended = match tokio::time::timeout(self.server.limit, command.output()).await {
            Ok(Ok(ended)) => ended,
            Ok(Err(error)) => {
                return failed(&format!("{}: {error}", self.server.program.display()), None);
            }
            Err(_) => {
                let seconds = self.server.limit.as_secs();
                return failed(
                    &format!(
                        "the call did not end within {seconds} s; use a smaller grid or problem"
                    ),
                    None,
                );
            }
        };
        let notes = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        if ended.stdout.len() > LONGEST {
            let found = ended.stdout.len();
            return failed(&format!("the result has {found} bytes; use a smaller problem"), None);
        }
        let Ok(result) = serde_json::from_slice::<Value>(&ended.stdout) else {
            return failed(&format!("the command printed no result: {notes}"), ended.status.code());
        };
        let code = ended.status.code();
        let answer = json!({ "exit_code": code, "result": result, "notes": notes });
        match code {
            Some(0 | 1) => CallToolResult::structured(answer),
            _ => CallToolResult::structured_error(answer),
        }
    }
}

/// The result of a call without an answer.
pub(crate) fn failed(why: &str, code: Option<i32>) -> CallToolResult {
    CallToolResult::structured_error(json!({ "exit_code": code, "result": null, "notes": why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_recognized_by_its_first_directive() {
        assert_eq!(name_of("// made by\n// a compiler\n.version 8.0\n"), "kernel.ptx");
        assert_eq!(name_of("// .version\n__global__ void k() {}"), "kernel.cu");
    }

    #[test]
    fn values_cannot_become_options() {
        let mut line = ToolCommand::new("check", &std::env::temp_dir()).expect("a folder");
        let kernel = KernelInput {
            text: SourceInput { file: Some("--sarif".to_owned()), source: None },
            ..KernelInput::default()
        };
        line.kernel(kernel).expect("a file");
        line.launch(LaunchInput { arguments: vec!["-1".to_owned()], ..LaunchInput::default() });
        assert_eq!(line.arguments, ["check", "./--sarif", "--arg=-1"]);
    }

    #[test]
    fn a_call_needs_one_kernel() {
        let both = SourceInput { source: Some(String::new()), file: Some("k.cu".to_owned()) };
        for source in [both, SourceInput::default()] {
            let mut line = ToolCommand::new("check", &std::env::temp_dir()).expect("a folder");
            assert!(line.source(source).is_err());
        }
    }
}
