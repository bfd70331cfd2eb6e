//! Tests references that are kernels and programs, and the messages for mistakes in task files.

use lanework_judge::{Found, Options, Submission, Task, TaskError, Unjudged, Verdict, judge};
use std::fs;
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn read(text: &str) -> Result<Task, TaskError> {
    Task::read(&tests().join("task.toml"), text)
}

fn judged(task: &Task, kernel: &str) -> Result<Verdict, Unjudged> {
    let ptx = fs::read_to_string(tests().join("ptx").join(kernel)).expect("a kernel");
    let given = Submission { name: kernel.to_owned(), source: None, ptx: Some(ptx) };
    let none = |_: &Submission, _: &Task| {
        Err(Unjudged::Failed("there is no compiler".to_owned(), String::new()))
    };
    let options = Options { seed: 1, timed: true, gpu: None };
    judge(task, &given, &options, &none, &mut |_| {})
}

/// The task `add` with a different reference and tolerance.
fn add_by(reference: &str, tolerance: &str) -> String {
    let text = fs::read_to_string(tests().join("tasks/add.toml")).expect("a task");
    let start = text.find("[reference]").expect("a reference");
    let end = text.find("[work]").expect("a work");
    format!("{}{reference}\n{tolerance}\n{}", &text[..start], &text[end..])
        .replace("timed = 70001", "timed = 300")
}

#[test]
fn a_kernel_is_the_reference() {
    let reference = "[reference]\nkernel = \"ptx/honest/add_naive.ptx\"";
    let task = read(&add_by(reference, "[tolerance]\nexact = true")).expect("a task");
    let verdict = judged(&task, "honest/add_2d.ptx").expect("a verdict");
    assert_eq!(verdict.verdict, Found::Right, "{}", verdict.words());
    let verdict = judged(&task, "cheats/constant_answer.ptx").expect("a verdict");
    assert_eq!(verdict.reason.expect("a reason").kind, "wrong");
}

#[test]
#[cfg(unix)]
fn a_program_is_the_reference() {
    let text = r#"
entry = "transpose"
parameters = [
  { name = "x", kind = "in", element = "f32", shape = ["rows", "cols"] },
  { name = "y", kind = "out", element = "f32", shape = ["rows", "cols"] },
  { name = "rows", kind = "scalar", element = "u32", value = "rows" },
  { name = "cols", kind = "scalar", element = "u32", value = "cols" },
]
[extents]
rows = { range = [1, 60], timed = 9 }
cols = { range = [1, 60], timed = 8 }
[launch]
grid = ["ceil_div(cols, 32)", "ceil_div(rows, 32)"]
block = [32, 8]
[reference]
command = ["sh", "-c", "cp $LANEWORK_PROBLEM/x.npy $LANEWORK_PROBLEM/y.out.npy"]
[tolerance]
exact = true
"#;
    // The kernel copies, just like the program.
    let task = read(text).expect("a task");
    let verdict = judged(&task, "cheats/transpose_identity.ptx").expect("a verdict");
    assert_eq!(verdict.verdict, Found::Right, "{}", verdict.words());
    for (command, why) in [
        ("exit 3", "failed"),
        ("true", "did not write y.out.npy"),
        ("echo > $LANEWORK_PROBLEM/y.out.npy", "not a .npy file"),
    ] {
        let broken =
            text.replace("cp $LANEWORK_PROBLEM/x.npy $LANEWORK_PROBLEM/y.out.npy", command);
        let error = judged(&read(&broken).expect("a task"), "cheats/transpose_identity.ptx");
        let error = error.expect_err(command).to_string();
        assert!(error.contains(why), "{command}: {error}");
    }
    let endless =
        text.replace("cp $LANEWORK_PROBLEM/x.npy $LANEWORK_PROBLEM/y.out.npy", "exec sleep 100");
    let endless = read(&(endless + "[limits]\nlaunch_seconds = 1\n")).expect("a task");
    let error = judged(&endless, "cheats/transpose_identity.ptx").expect_err("endless").to_string();
    assert!(error.contains("ran for more than 1"), "{error}");
}

#[test]
fn mistakes_in_tasks_are_reported_with_their_position() {
    let good = fs::read_to_string(tests().join("tasks/saxpy.toml")).expect("a task");
    read(&good).unwrap_or_else(|error| panic!("{error}"));
    for (from, to, line, why) in [
        ("entry = \"saxpy\"", "enter = \"saxpy\"", 2, "`enter` is not known here"),
        ("entry = \"saxpy\"\n", "", 1, "`entry` is missing"),
        ("element = \"f32\", choices", "element = \"float\", choices", 5, "`float` is not known"),
        ("kind = \"inout\"", "kind = \"both\"", 7, "`both` is not known"),
        ("name = \"x\"", "name = \"y\"", 7, "`y` is declared twice"),
        ("choices = [0, 1, -1, 2.5, 0.3]", "choices = []", 5, "choices is empty"),
        (
            "shape = [\"n\"] },\n  { name = \"y\"",
            "shape = [\"m\"] },\n  { name = \"y\"",
            6,
            "`m` is not an extent",
        ),
        ("timed = 65536", "timed = 2000000", 12, "2000000 is not between 0 and 1000000"),
        ("range = [0, 1000000]", "range = [5]", 12, "expected two numbers"),
        ("grid = [\"ceil_div(n, 256)\"]", "grid = [\"ceil_div(n, 256\"]", 15, "expected `,`"),
        ("block = [256]", "block = [1, 1, 1, 1]", 16, "expected 1 to 3"),
        ("alpha * x[i] + y[i]", "alpha * x[i] + z[i]", 20, "`z` is not an array"),
        ("alpha * x[i] + y[i]", "alpha * x[i, i]", 20, "takes 1 indices, not 2"),
        ("alpha * x[i] + y[i]", "alpha * x", 20, "`x` is an array: write an element"),
        ("alpha * x[i] + y[i]", "cosine(x[i])", 20, "no function `cosine`"),
        ("index = [\"i\"]", "index = [\"i\", \"j\"]", 19, "the output has 1 extents, not 2"),
        ("[reference]\nindex", "[referenc]\nindex", 18, "`referenc` is not known here"),
        ("bytes = \"12 * n\"", "bytes = \"12 * n / 0\"", 23, "division by zero"),
        ("[limits]\nelements = 5000", "[limits]\nelements = 0", 27, "above 0"),
        ("[limits]", "[tolerance]\nrelative = 0.1\n[limits]", 26, "has no `reason`"),
        ("about", "about = \n#", 1, "this is not TOML"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = read(&good.replacen(from, to, 1)).map(drop).expect_err(to);
        assert!(error.to_string().contains(why), "{to}: {error}");
        assert_eq!(error.line, line, "{to}: {error}");
    }
}

#[test]
fn a_task_without_results_is_not_judged() {
    let text = fs::read_to_string(tests().join("tasks/saxpy.toml")).expect("a task");
    let empty = text.replacen("range = [0, 1000000]", "range = [0, 0]", 1);
    let empty = empty.replacen("edges = [0, 1, 32, 257, 2049], timed = 65536", "timed = 0", 1);
    let task = read(&empty).unwrap_or_else(|error| panic!("{error}"));
    let error = judged(&task, "honest/add_2d.ptx").expect_err("nothing is compared");
    assert!(error.to_string().contains("nothing to compare"), "{error}");
}

#[test]
fn a_formula_with_too_many_terms_is_refused() {
    for sum in [
        "sum(k < 100000000000, a[i])",
        "sum(k < 2, sum(j < 5000000000, a[i] * k))",
        "a[sum(k < 9000000000000000000, k)]",
        "if(a[i] < 0, max(k < 5000000000, b[i]), 0)",
    ] {
        let reference = format!("[reference]\nindex = [\"i\"]\nvalue = \"{sum}\"");
        let task = read(&add_by(&reference, "")).unwrap_or_else(|error| panic!("{error}"));
        let error = judged(&task, "honest/add_2d.ptx").expect_err(sum);
        let said = error.to_string();
        assert!(said.contains("more than 4294967296 terms"), "{sum}: {said}");
    }
}

#[test]
fn a_reference_without_a_known_error_needs_a_tolerance() {
    let reference = "[reference]\nkernel = \"ptx/honest/add_naive.ptx\"";
    let error = read(&add_by(reference, "")).map(drop).expect_err("no tolerance");
    assert!(error.to_string().contains("cannot be derived"), "{error}");
    let missing = add_by("[reference]\nkernel = \"nothing.ptx\"", "[tolerance]\nexact = true");
    let error = judged(&read(&missing).expect("a task"), "honest/add_2d.ptx").map(drop);
    assert!(error.expect_err("no file").to_string().contains("nothing.ptx"));
}
