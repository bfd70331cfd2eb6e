//! `lanework judge`: exit codes, JSON, compilation in a separate process, and launches in another process, for
//! which the emulator stands in for a GPU.

use lanework_judge::{
    OnGpu, Options, Submission, Task, TimedProblem, Unjudged, Verdict, Worker, judge,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../laboratory/judge/tests")
}

fn lanework(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let arguments = arguments.iter().chain(&["--device", "emulator", "--seed", "1"]);
    command.arg("judge").args(arguments).current_dir(kernels()).output().expect("the command")
}

#[test]
fn exit_codes_and_json_say_the_verdict() {
    let right = lanework(&["tasks/add.toml", "ptx/honest/add_naive.ptx", "--json"]);
    assert_eq!(right.status.code(), Some(0));
    let verdict: Verdict = serde_json::from_slice(&right.stdout).expect("one object");
    assert_eq!((verdict.reason, verdict.seed), (None, 1));
    let wrong = lanework(&["tasks/add.toml", "ptx/cheats/noop.ptx", "--json"]);
    assert_eq!(wrong.status.code(), Some(1));
    let verdict: Verdict = serde_json::from_slice(&wrong.stdout).expect("one object");
    assert_eq!(verdict.reason.expect("a reason").kind, "nothing-written");
    let words = lanework(&["tasks/add.toml", "ptx/cheats/skips_large.ptx"]);
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert!(words.starts_with("wrong: ") && words.contains("should be"), "{words}");
    for bad in [
        vec!["nothing.toml", "ptx/honest/add_naive.ptx"],
        vec!["make.py", "ptx/honest/add_naive.ptx"],
        vec!["tasks/add.toml", "tasks/add.toml"],
        vec!["tasks/add.toml"],
    ] {
        assert_eq!(lanework(&bad).status.code(), Some(2), "{bad:?}");
    }
    let kinds = lanework(&["tasks/add.toml", "--kinds"]);
    assert!(String::from_utf8_lossy(&kinds.stdout).contains("timed-problem"));
}

/// Judges a source from this file.
fn compiled(source: &str, limits: &str) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder");
    let task = std::fs::read_to_string(kernels().join("tasks/add.toml")).expect("a task");
    let (task_file, file) = (folder.path().join("task.toml"), folder.path().join("own.cu"));
    std::fs::write(&task_file, format!("{task}{limits}")).expect("a task");
    std::fs::write(&file, source).expect("a source");
    let [task_file, file] = [&task_file, &file].map(|file| file.to_string_lossy().into_owned());
    let output = lanework(&[&task_file, &file, "--json"]);
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn candidates_are_compiled_apart() {
    let source = std::fs::read_to_string(kernels().join("honest/add_float4.cu")).expect("a kernel");
    let verdict = compiled(&source, "");
    assert_eq!(verdict.reason, None);
    assert!(verdict.notes.iter().any(|note| note.ends_with(" compiled it")), "{:?}", verdict.notes);
    let broken = compiled("this is not C++", "");
    let reason = broken.reason.expect("a reason");
    let places = ["own.cu(1)", "own.cu:1"];
    let at_line = places.iter().any(|place| reason.why.contains(place));
    assert!(reason.kind == "compile" && at_line, "{}", reason.why);
    // Instances of templates that double with each level.
    let endless = "template <int N, int M> struct T { enum { v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v }; };
        template <int M> struct T<0, M> { enum { v = M % 2 }; };
        extern \"C\" __global__ void add(const float* a, const float* b, float* c, unsigned n) { c[0] = T<28, 1>::v; }";
    let endless = compiled(endless, "compile_seconds = 2\n");
    let reason = endless.reason.expect("a reason");
    assert!(reason.kind == "compile" && reason.why.contains("the compiler"), "{}", reason.why);
}

/// Judges with the emulator in place of a GPU, in a separate process.
fn apart(task: &str, kernel: &str) -> Verdict {
    let file = kernels().join("tasks").join(task);
    let task = Task::read(&file, &std::fs::read_to_string(&file).expect("a task")).expect("a task");
    let ptx = std::fs::read_to_string(kernels().join("ptx").join(kernel)).expect("a kernel");
    let given = Submission { name: kernel.to_owned(), source: None, ptx: Some(ptx) };
    let worker = Worker {
        program: env!("CARGO_BIN_EXE_lanework").into(),
        arguments: vec!["judge-worker".into()],
    };
    let gpu = OnGpu { device: "emulator".to_owned(), worker, seconds: 0 };
    let options = Options { seed: 1, timed: true, gpu: Some(gpu) };
    let none = |_: &Submission, _: &Task| {
        Err(Unjudged::Failed("no compiler is needed".to_owned(), String::new()))
    };
    judge(&task, &given, &options, &none, &mut |_| {}).expect("a verdict")
}

#[test]
fn launches_on_a_device_are_made_in_another_process() {
    for (task, kernel) in
        [("saxpy.toml", "honest/saxpy_naive.ptx"), ("add.toml", "honest/add_2d.ptx")]
    {
        let verdict = apart(task, kernel);
        assert_eq!(verdict.reason, None, "{}", verdict.words());
        assert_eq!(verdict.timed_problem, TimedProblem::Gpu);
    }
    let verdict = apart("add.toml", "cheats/skips_timed_size.ptx");
    let reason = verdict.reason.expect("a reason");
    assert!(reason.kind == "timed-problem" && reason.counterexample.is_some(), "{}", reason.why);
}

#[test]
fn a_launch_that_no_gpu_can_make_is_a_mistake_of_the_task() {
    let folder = tempfile::tempdir().expect("a folder");
    let task = std::fs::read_to_string(kernels().join("tasks/add.toml")).expect("a task");
    let block = task.lines().find(|line| line.starts_with("block = ")).expect("a block");
    let grid = task.lines().find(|line| line.starts_with("grid = ")).expect("a grid");
    let number = |found: &str| task.lines().position(|line| line == found).expect("it") + 1;
    for (old, new, what) in [
        (block, "block = [0]", "size 0"),
        (block, "block = [2048]", "2048 threads in x exceed the limit of 1024"),
        // Only an edge of the extent leaves no thread.
        (block, "block = [\"min(n, 256)\"]", "size 0"),
        (grid, "grid = [0]", "size 0"),
    ] {
        let file = folder.path().join("task.toml");
        std::fs::write(&file, task.replace(old, new)).expect("a task");
        let output = lanework(&[&file.to_string_lossy(), "ptx/honest/add_naive.ptx"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(2), "{new}: {said}");
        assert!(said.contains(what), "{new}: {said}");
        assert!(said.contains(&format!("task.toml:{}:", number(old))), "{new}: {said}");
    }
}
