//! Compiles C programs against the header and the library, and runs them; likewise the Python example.
//! Prints a visible note about skipped tests if there is no compiler or interpreter.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The path of the library that cargo built for this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let name =
        format!("{}lanework_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let beside = test.parent().expect("a folder").join(name);
    assert!(beside.is_file(), "{} is not there", beside.display());
    beside
}

fn skip(what: &str, why: &str) {
    // Nothing to do when even standard error is closed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
}

fn told(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Compiles a program with `compiler` and runs it; `None` without this compiler.
fn compile_and_run(
    compiler: &str,
    source: &str,
    more: &[&str],
    arguments: &[&str],
) -> Option<Output> {
    let library = library();
    let folder = library.parent().expect("a folder");
    let program = folder.join(format!("{}-{compiler}", source.replace(['/', '.'], "-")));
    let compiled = Command::new(compiler)
        .args(more)
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(here("include"))
        .arg(here(source))
        // The library is not a source, whatever language was named for the program.
        .args(["-x", "none", "-o"])
        .arg(&program)
        .arg(&library)
        .output();
    let Ok(compiled) = compiled else {
        skip(source, &format!("`{compiler}` cannot be run"));
        return None;
    };
    assert!(compiled.status.success(), "{compiler} {source}: {}", told(&compiled));
    let mut run = Command::new(&program);
    run.args(arguments).env("LD_LIBRARY_PATH", folder).env("DYLD_LIBRARY_PATH", folder);
    Some(run.output().expect("the program starts"))
}

/// Compiles a C program and runs it on the emulators and on a GPU if there is one. Returns its output, or `None` without a compiler.
fn on_every_device(source: &str, more: &[&str]) -> Option<String> {
    let gpus = lanework_runtime::Device::gpus().unwrap_or_default();
    let gpu: Vec<&str> = gpus.first().map(|gpu| gpu.id.as_str()).into_iter().collect();
    if gpu.is_empty() {
        skip(&format!("{source} on a GPU"), "there is none");
    }
    let run = compile_and_run("cc", source, more, &gpu)?;
    assert!(run.status.success(), "{}", told(&run));
    assert!(told(&run).contains("all as expected"), "{}", told(&run));
    Some(told(&run))
}

#[test]
fn a_c_program_uses_every_function_and_provokes_every_failure() {
    let Some(said) = on_every_device("tests/interface.c", &["-std=c99"]) else { return };
    // A caller that declares `ptx_run` as void gets the message, too.
    assert!(said.contains("ptx_run: 3 arguments for the 4 parameters"), "{said}");
}

#[test]
fn a_c_program_calls_every_operation() {
    on_every_device("tests/operations.c", &["-std=c99", "-lm"]);
}

#[test]
fn the_header_is_good_for_cpp() {
    let run = compile_and_run("c++", "examples/saxpy.c", &["-x", "c++"], &[]);
    let Some(run) = run else { return };
    assert!(run.status.success(), "{}", told(&run));
}

#[test]
fn the_c_example_runs() {
    let Some(run) = compile_and_run("cc", "examples/saxpy.c", &["-std=c99"], &[]) else { return };
    assert!(run.status.success(), "{}", told(&run));
    assert!(told(&run).starts_with("y[999] = 1999, "), "{}", told(&run));
}

#[test]
fn the_python_example_runs() {
    let run = Command::new("python3").arg(here("examples/saxpy.py")).arg(library()).output();
    let Ok(run) = run else { return skip("examples/saxpy.py", "`python3` cannot be run") };
    assert!(run.status.success(), "{}", told(&run));
    assert!(told(&run).contains("y[999] = 1999.0"), "{}", told(&run));
    assert!(told(&run).contains("out-of-bounds global read"), "{}", told(&run));
}
