//! `lanework bench` and `compare` without a GPU: counts in place of times, refusals, and options. Tests
//! that need a GPU are in `crates/laboratory/bench/tests/gpu.rs`.

use std::process::{Command, Output};

fn lanework(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A file of PTX that doubles numbers, in its own folder.
fn file() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("double.ptx");
    std::fs::write(&path, DOUBLE).expect("written");
    let path = path.display().to_string();
    (folder, path)
}

const DOUBLE: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 x) {
    .reg .f32 %f<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f1, %f1, %f1;
    st.global.f32 [%rd3], %f1;
    ret;
}
";

#[test]
fn bench_on_the_emulator_counts_and_explains_the_missing_time() {
    let output = lanework(&["bench", "transpose/padded", "--size", "64", "--device", "emulator"]);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    assert!(out.contains("The emulator does not model time"), "{out}");
    assert!(out.contains("padded") && !out.contains("unpadded") && !out.contains("GB/s"), "{out}");
}

#[test]
fn on_the_emulator_a_kernel_of_a_file_is_counted() {
    let (_folder, file) = file();
    let line = ["--block", "32", "--arg", "rand:f32:32", "--device", "emulator"];
    let output = lanework(&[&["bench", &file][..], &line].concat());
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    assert!(out.contains("The emulator does not model time"), "{out}");
    let output = lanework(&[&["bench", &file, "--json"][..], &line].concat());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&value["kind"], &value["kernel"]), (&"counts".into(), &"twice".into()));
    assert!(value["warp_instructions"].as_u64().is_some_and(|count| count > 5));
}

#[test]
fn timing_refuses_invalid_requests_with_a_remedy() {
    let (_folder, file) = file();
    let emulator = ["--device", "emulator"];
    let refused = |line: &[&str], what: &str| {
        let output = lanework(&[line, &emulator].concat());
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {err}");
        assert!(err.contains(what) && err.contains("help:"), "{line:?}: {err}");
    };
    refused(&["compare", "transpose/unpadded", "transpose/padded"], "does not model time");
    refused(&["compare", &file, &file, "--arg", "zeros:f32:1"], "does not model time");
    refused(&["bench", "transpose"], "neither a .ptx or .cu file nor a rung");
    refused(&["bench", "transpose/padded", "--time-limit", "2"], "--time-limit 2 is not used");
    refused(&["bench", &file, "--fidelity"], "--fidelity does not apply");
    refused(&["bench", "transpose/pade"], "pade");
}

#[test]
fn on_the_emulator_the_roofline_is_a_bound_of_a_chosen_gpu() {
    let line = ["roofline", "transpose", "--size", "64", "--device", "emulator"];
    let output = lanework(&line);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    assert!(out.contains("Ceilings of H200") && out.contains("is a bound"), "{out}");
    assert!(out.contains("padded") && out.contains("memory, copy"), "{out}");
    let output = lanework(&[&line[..], &["--gpu", "rtx 4090", "--json"]].concat());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&value["kind"], &value["gpu"]), (&"bound".into(), &"RTX 4090".into()));
    let points = value["points"].as_array().expect("points");
    assert!(points.iter().all(|point| point["bound_ns"].as_f64() > Some(0.0)));
    assert!(points.iter().all(|point| point["median_ns"].is_null()));
    let output = lanework(&["roofline", "--gpu", "no such", "--device", "emulator"]);
    assert_eq!(output.status.code(), Some(2));
    let output = lanework(&["roofline", "--size", "64", "--device", "emulator"]);
    assert_eq!(output.status.code(), Some(2));
}
