//! `lanework inspect` on modules that a driver would not load, or that ask for too much.

use std::fs;
use std::process::Command;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Exit code, standard output and standard error of `lanework inspect` on a module.
fn inspect(module: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("module.ptx");
    fs::write(&file, format!("{HEAD}{module}")).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let output = command.arg("inspect").arg(&file).args(options).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn invalid_ptx_gives_exit_code_1_and_the_line() {
    for (module, words) in [
        (".entry k() {\n.reg .b32 r;\nmov.u32 r, nowhere;\nret; }", "`nowhere` is not declared"),
        (".entry k() {\n.reg .b32 r, r;\nret; }", "`r` is declared twice"),
        (".global .u32 g; .global .u32 g;\n.entry k() { ret; }", "`g` is declared twice"),
        (".entry k() {\n.reg .f32 f; .reg .b32 r;\nadd.s32 r, r, f;\nret; }", "operand 3, `f`"),
        (".entry k() {\n.nonsense 5 6 7;\nret; }", "`.nonsense` is not a directive"),
        (".entry k(.reg .u64 p) { ret; }", "is in .reg; expected .param"),
        (
            ".entry k() {\n.reg .b32 r;\n.shared .b32 s;\nld.global.u32 r, [s];\nret; }",
            "is in .shared",
        ),
    ] {
        for options in [&[][..], &["--json"]] {
            let (code, _, errors) = inspect(module, options);
            assert_eq!(code, Some(1), "{module}\n{errors}");
            assert!(errors.contains(words), "{module}: no `{words}` in\n{errors}");
        }
    }
    let (code, json, _) = inspect(".entry k() {\nmov.u32 a, b;\nret; }", &["--json"]);
    let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((code, found["invalid"].as_array().map(Vec::len)), (Some(1), Some(2)));
}

#[test]
fn device_functions_that_nothing_calls_are_decoded() {
    let called = ".func (.param .b32 r) f(.param .b32 a, .param .b64 b) { .reg .b32 x;
        ld.param.u32 x, [a]; st.param.b32 [r], x; ret; }";
    let (code, text, _) = inspect(&format!("{called}\n.entry k() {{ ret; }}"), &[]);
    assert!(code == Some(0) && text.contains("the emulator runs all of it"), "{text}");
    let unknown = ".extern .func elsewhere;\n.func f(.reg .b32 a) { call elsewhere; ret; }";
    let (_, text, _) = inspect(&format!("{unknown}\n.entry k() {{ ret; }}"), &[]);
    assert!(text.contains("does not run f: ") && text.contains("elsewhere"), "{text}");
}

#[test]
fn memory_is_not_allocated_beyond_the_limit() {
    let huge = ".global .b32 huge[1000000000];\n.entry k() { ret; }";
    let (code, _, errors) = inspect(huge, &[]);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("`huge`") && errors.contains("--memory-limit"), "{errors}");
    let (code, _, errors) =
        inspect(".global .b8 x[9999999999][9999999999];\n.entry k() { ret; }", &[]);
    assert!(code == Some(2) && errors.contains("--memory-limit"), "{errors}");
    let small = ".global .b32 small[1000];\n.entry k() { ret; }";
    assert_eq!(inspect(small, &["--memory-limit", "4000"]).0, Some(0));
    assert_eq!(inspect(small, &["--memory-limit", "3999"]).0, Some(2));
    let registers = ".entry k() { .reg .b32 %r<4000000000>, %s<4000000000>; ret; }";
    let (_, text, _) = inspect(registers, &[]);
    assert!(text.contains("are too many"), "{text}");
}

fn lanework(args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let output = command.args(args).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_rung_is_shown_with_its_ptx() {
    let (code, text, errors) = lanework(&["inspect", "transpose/padded", "--size", "64"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(text.starts_with("transpose/padded: PTX "), "{text}");
    assert!(text.contains("static shared memory: 4224 bytes"), "{text}");
    assert!(text.contains("registers (estimated), 0 bytes of local memory"), "{text}");
    assert!(text.contains("\n.visible .entry "), "{text}");
    // The options of the problem hold: elements of 8 bytes take twice the tile.
    let wide = lanework(&["inspect", "transpose/padded", "--size", "64", "--type", "f64"]).1;
    assert!(wide.contains("static shared memory: 8448 bytes"), "{wide}");
}

#[test]
fn a_ladder_is_shown_rung_by_rung() {
    let (code, text, errors) =
        lanework(&["inspect", "transpose", "--rungs", "naive,padded", "--size", "64"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        text.contains("transpose/naive: PTX") && text.contains("\ntranspose/padded: PTX"),
        "{text}"
    );
    assert!(!text.contains(".visible .entry"), "{text}");
    let (_, json, _) = lanework(&["inspect", "tf32/warpgroups", "--size", "128", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let kernels = found.as_array().expect("an array");
    assert_eq!(kernels.len(), 1, "{json}");
    for kernel in kernels {
        assert_eq!(kernel["kernel"], "tf32/warpgroups");
        assert!(kernel["ptx"].as_str().is_some_and(|ptx| ptx.contains(".entry")), "{kernel}");
    }
}

#[test]
fn a_target_that_is_neither_a_file_nor_a_rung_is_refused() {
    for (target, words) in [
        ("transpse", "did you mean transpose?"),
        ("transpose/pad", "did you mean"),
        ("nothing.txt", "neither a .ptx or .cu file nor a ladder"),
        ("nothing.ptx", "cannot be read"),
    ] {
        let (code, _, errors) = lanework(&["inspect", target]);
        assert_eq!(code, Some(2), "{target}: {errors}");
        assert!(errors.contains(words), "{target}: {errors}");
    }
    // A file may have any name.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("module.txt");
    fs::write(&file, format!("{HEAD}.entry k() {{ ret; }}")).expect("written");
    let (code, text, _) = lanework(&["inspect", file.to_str().expect("UTF-8")]);
    assert!(code == Some(0) && text.contains("entry k"), "{text}");
}
