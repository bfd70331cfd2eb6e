//! Exit codes of `lanework exec --check`, each given by a program.

use super::exec::{LANEWORK, SOUND, json, lanework, text};
use lanework_testing::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program that calls the driver. Its argument names what it does: it loads machine code, launches too large a
/// block, crashes or fails after a launch, or does nothing wrong.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
static const struct {
    unsigned magic; unsigned short version, header; unsigned long long bytes;
    unsigned short kind, one; unsigned of_header, payload, zero, compressed, more, minor, sm, rest[8]; unsigned long long code;
} image = { 0xba55ed50, 1, 16, 72, 2, 1, 64, 8, 0, 0, 0, 0, 90, {0}, 0 };
typedef unsigned long long address;
static void *driver;
#define CALL(name, ...) ((int (*)())dlsym(driver, name))(__VA_ARGS__)
int main(int count, char **arguments) {
    const char *what = arguments[1];
    void *context, *module, *function;
    address x;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver || CALL("cuInit", 0) || CALL("cuDevicePrimaryCtxRetain", &context, 0) || CALL("cuCtxSetCurrent", context)) return 99;
    if (!strcmp(what, "machine")) return CALL("cuModuleLoadData", &module, &image) == 209 ? 0 : 98;
    if (CALL("cuModuleLoad", &module, arguments[2]) || CALL("cuModuleGetFunction", &function, module, "double")) return 97;
    if (CALL("cuMemAlloc_v2", &x, (size_t)512) || CALL("cuMemsetD8_v2", x, 0, (size_t)512)) return 96;
    void *places[] = { &x };
    int threads = strcmp(what, "refused") ? 64 : 2048;
    CALL("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, (void *)0, places, (void **)0);
    CALL("cuCtxSynchronize");
    if (!strcmp(what, "crash")) abort();
    return strcmp(what, "fails") ? 0 : 7;
}
"#;

/// The program and its kernel in a folder; `None` if there is no C compiler, or the driver's library was not built.
fn program() -> Option<(tempfile::TempDir, PathBuf)> {
    if !Path::new(LANEWORK).with_file_name("liblanework_libcuda.so").exists() {
        skip("a program that calls the driver", "the driver's library is not built");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.c"), PROGRAM).expect("written");
    std::fs::write(folder.path().join("double.ptx"), SOUND).expect("written");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-w", "-std=gnu11", "-o", "program", "program.c", "-ldl"])
        .current_dir(folder.path());
    if !compiler.status().is_ok_and(|status| status.success()) {
        skip("a program that calls the driver", "no C compiler `cc`");
        return None;
    }
    let path = folder.path().join("program");
    Some((folder, path))
}

#[test]
fn each_kind_of_incomplete_check_has_its_exit_code() {
    let Some((folder, program)) = program() else { return };
    let kernel = folder.path().join("double.ptx");
    let [program, kernel] = [&program, &kernel].map(|path| path.to_str().expect("UTF-8"));
    let run = |options: &[&str], what: &str| {
        lanework(&[&["exec", "--check"], options, &["--", program, what, kernel]].concat())
    };
    for (what, code, said) in [
        ("right", 0, "double: nothing to report"),
        ("refused", 1, "error[failed-call]"),
        ("machine", 12, "check incomplete: kernels of machine code were not checked"),
        ("crash", 128 + 6, "check incomplete: the program was ended by signal 6 after 1 launches"),
        ("fails", 7, "double: nothing to report"),
    ] {
        let output = run(&[], what);
        assert_eq!(output.status.code(), Some(code), "{what}: {output:?}");
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(all.contains(said), "{what}: {output:?}");
    }
    let allowed = run(&["--allow-empty"], "machine");
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    let refused = text(&run(&[], "refused").stdout);
    assert!(refused.contains("2048") && refused.contains("1024"), "the limit is named: {refused}");
}

#[test]
fn a_program_that_launches_nothing_is_not_a_success() {
    let output = lanework(&["exec", "--check", "--", "true"]);
    let code = output.status.code();
    // 10 where the libraries of the driver were not built.
    assert!(matches!(code, Some(10 | 11)), "{output:?}");
    assert!(text(&output.stderr).contains("check incomplete: the "), "{output:?}");
    assert_eq!(text(&output.stderr).lines().count(), 1, "{output:?}");
    let allowed = lanework(&["exec", "--check", "--allow-empty", "--", "true"]);
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    let failing = lanework(&["exec", "--check", "--allow-empty", "--", "false"]);
    assert_eq!(failing.status.code(), Some(1), "{failing:?}");
}

#[test]
fn a_command_without_the_drivers_libraries_has_its_own_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = folder.path().join("lanework");
    std::fs::copy(LANEWORK, &alone).expect("copied");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&alone);
        command.args(["exec", "--check"]).args(arguments).args(["--", "true"]);
        command.env_remove("LANEWORK_DRIVER").output().expect("the command runs")
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    assert!(text(&output.stderr).contains("libraries that CUDA programs load"), "{output:?}");
    assert_eq!(run(&["--allow-empty"]).status.code(), Some(0));
    assert_eq!(json(&run(&["--json"]))["program"]["launches"], 0);
}

#[test]
#[cfg(unix)]
fn a_crash_is_reported_with_its_signal() {
    let output = lanework(&["exec", "--", "sh", "-c", "kill -SEGV $$"]);
    assert_eq!(output.status.code(), Some(128 + 11), "{output:?}");
    assert!(text(&output.stderr).contains("ended by signal 11 after 0 launches"), "{output:?}");
}

/// A kernel that writes out of bounds, and then never ends.
const ENDLESS: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry endless(.param .u64 x)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1+4096], %r1;
again:
    ld.volatile.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1], %r2;
    bra again;
}
";

#[test]
#[cfg(unix)]
fn a_stopped_check_reports_its_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("endless.ptx");
    std::fs::write(&path, ENDLESS).expect("written");
    let path = path.to_str().expect("UTF-8");
    // On a busy machine the launch may begin late.
    let stopped_after = |seconds: u64| {
        let mut command = Command::new(LANEWORK);
        command.args(["exec", "--", LANEWORK, "run", path, "--arg", "zeros:u32:4"]);
        let pipe = std::process::Stdio::piped;
        let child = command.stdout(pipe()).stderr(pipe()).spawn().expect("the command runs");
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
        child.wait_with_output().expect("it ends")
    };
    let early = |output: &Output| text(&output.stderr).contains("before the first launch");
    let mut output = stopped_after(2);
    assert_eq!(output.status.code(), Some(13), "{output:?}");
    for seconds in [8, 32] {
        if early(&output) {
            output = stopped_after(seconds);
        }
    }
    assert_eq!(output.status.code(), Some(13), "{output:?}");
    assert!(text(&output.stdout).contains("error[out-of-bounds]"), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("check incomplete: stopped in launch 1"), "{said}");
}

#[test]
fn a_limited_check_has_its_own_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("endless.ptx");
    std::fs::write(&path, ENDLESS).expect("written");
    let path = path.to_str().expect("UTF-8");
    let output = lanework(&[
        "check",
        path,
        "--grid",
        "1",
        "--arg",
        "zeros:u32:4",
        "--max-instructions",
        "1000000",
    ]);
    assert_eq!(output.status.code(), Some(13), "{output:?}");
    assert!(text(&output.stdout).contains("error[out-of-bounds]"), "{output:?}");
    assert!(text(&output.stderr).contains("stopped in launch 1: endless: "), "{output:?}");
}
