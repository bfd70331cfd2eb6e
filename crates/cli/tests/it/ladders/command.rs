//! The command as users see it: exit codes, JSON, files, and errors that say what to do.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn lanework(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework")).args(args).output().expect("the command runs")
}

/// Standard output of a command that must succeed.
fn succeeds(args: &[&str]) -> String {
    let output = lanework(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {:?}\n{stderr}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Standard error of a command that must end with `code`, free of panics.
fn fails(code: i32, args: &[&str]) -> String {
    let output = lanework(args);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("RUST_BACKTRACE"), "{stderr}");
    stderr
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&succeeds(args)).expect("one JSON value")
}

#[test]
fn devices_lists_the_emulator() {
    let devices = json(&["devices", "--json"]);
    let devices = devices.as_array().expect("a list");
    assert!(devices.iter().any(|device| device["backend"] == "emulator"));
    assert!(succeeds(&["devices"]).contains("Lanework emulator"));
}

#[test]
fn list_names_every_experiment_of_the_transpose() {
    let text = succeeds(&["list"]);
    for word in ["transpose/naive", "transpose/padded", "B2", "B3", "B4", "B5", "B6"] {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
}

#[test]
fn hello_prints_a_line_per_thread_x_before_y() {
    let text = succeeds(&["hello", "--blocks", "3", "--threads", "2x2", "--device", "emulator"]);
    let said: Vec<&str> = text.lines().filter(|line| line.contains("Thread (")).collect();
    assert_eq!(said.len(), 12, "{text}");
    let order = ["(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)"];
    for (index, line) in said.iter().enumerate() {
        let expected =
            format!("Hello World from Thread {} in Block {}!", order[index % 4], index / 4);
        assert_eq!(*line, expected);
    }
    assert!(text.contains("Hello World from the host"));
}

#[test]
fn hello_out_of_range_is_usage() {
    for args in [["--blocks", "0"], ["--blocks", "33"], ["--threads", "0x1"], ["--threads", "33x2"]]
    {
        let stderr = fails(2, &["hello", args[0], args[1]]);
        assert!(stderr.contains("1 to 32"), "{stderr}");
    }
}

#[test]
fn climb_prints_the_promised_json() {
    let record = json(&[
        "climb",
        "transpose",
        "--rows",
        "70",
        "--cols",
        "45",
        "--block",
        "16",
        "--device",
        "emulator",
        "--json",
    ]);
    assert_eq!(record["ladder"], "transpose");
    assert_eq!(record["size"], serde_json::json!([70, 45]));
    assert_eq!(record["device"]["backend"], "emulator");
    let rungs = record["rungs"].as_array().expect("rungs");
    assert!(rungs.len() >= 7);
    // A rung may say that it does not take this shape.
    for rung in rungs.iter().filter(|rung| !rung["skipped"].is_string()) {
        assert_eq!(rung["verified"], true, "{rung}");
        assert_eq!(rung["error"], Value::Null);
        assert_eq!(rung["time"], Value::Null);
        let counters = &rung["counters"];
        for (space, figures) in [
            ("global_load", &["requests", "sectors"][..]),
            ("global_store", &["requests", "sectors"]),
            ("shared_load", &["requests", "wavefronts", "bank_conflicts"]),
            ("shared_store", &["requests", "wavefronts", "bank_conflicts"]),
        ] {
            for figure in figures {
                assert!(counters[space][figure].is_u64(), "{space}.{figure} in {rung}");
            }
        }
        assert!(counters["warp_instructions"].as_u64() > Some(0));
        assert!(counters["lane_instructions"].as_u64() > counters["warp_instructions"].as_u64());
    }
}

#[test]
fn climb_shows_a_table_and_takes_any_element_type() {
    for element in ["u8", "f16", "f32", "i64"] {
        let text = succeeds(&[
            "climb",
            "transpose",
            "--size",
            "65",
            "--type",
            element,
            "--device",
            "emulator",
        ]);
        assert!(text.contains("padded") && text.contains("bit-exact"), "{text}");
    }
}

#[test]
fn sweep_has_a_point_per_block_and_size() {
    let record = json(&[
        "sweep",
        "transpose",
        "--block",
        "8,16",
        "--size",
        "33,64,100",
        "--rungs",
        "naive,padded",
        "--device",
        "emulator",
        "--json",
    ]);
    let points = record["points"].as_array().expect("points");
    assert_eq!(points.len(), 6);
    assert!(
        points.iter().all(|point| point["rungs"].as_array().is_some_and(|rungs| rungs.len() == 2))
    );
}

#[test]
fn bad_usage_gives_a_remedy() {
    for (args, words) in [
        (&["climb", "transpose", "--size", "NaN"][..], "whole number"),
        (&["climb", "transpose", "--size", "0"], "no elements"),
        (&["climb", "transpose", "--size", "2^40"], "error: --size 1099511627776 exceeds 2^32 - 1"),
        (&["climb", "transpose", "--block", "0"], "0 threads"),
        (&["climb", "transpose", "--block", "33", "--device", "emulator"], "1089 threads"),
        (&["climb", "transpos"], "did you mean transpose"),
        (&["climb", "transpose", "--rungs", "paded"], "did you mean padded"),
        (&["climb", "transpose", "--type", "f33"], "did you mean f32"),
        (&["climb", "transpose", "--device", "gpu"], "emulator"),
        (&["climb", "transpose", "--size", "200000", "--device", "emulator"], "GB free"),
        (
            &["run", "transpose/paded", "--input", "a.npy", "--output", "b.npy"],
            "did you mean padded",
        ),
        (&["run", "padded", "--input", "a.npy", "--output", "b.npy"], "ladder/rung"),
        (&["nonsense"], "unrecognized"),
    ] {
        let stderr = fails(2, args);
        assert!(stderr.contains(words), "{args:?}: no `{words}` in\n{stderr}");
    }
}

/// A .npy file of `f4` elements 0, 1, 2 .. in the given order and shape.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut dictionary =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + dictionary.len() + 1) % 64 != 0 {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((dictionary.len() as u16).to_le_bytes());
    file.extend(dictionary.as_bytes());
    file.extend(data);
    file
}

fn run_on(folder: &Path, file: &[u8]) -> Output {
    let (input, output) = (folder.join("a.npy"), folder.join("b.npy"));
    fs::write(&input, file).expect("written");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    lanework(&[
        "run",
        "transpose/padded",
        "--input",
        &text(&input),
        "--output",
        &text(&output),
        "--device",
        "emulator",
    ])
}

#[test]
fn run_transposes_a_file_of_any_element_size() {
    let folder = tempfile::tempdir().expect("a folder");
    for (descr, size) in [("|u1", 1), ("<i2", 2), ("<f4", 4), ("<f8", 8), ("<c8", 8)] {
        let data: Vec<u8> = (0..6 * size).map(|byte| byte as u8 + 1).collect();
        let output = run_on(folder.path(), &npy(descr, false, "(2, 3)", &data));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let written = fs::read(folder.path().join("b.npy")).expect("written");
        let elements: Vec<&[u8]> = data.chunks(size).collect();
        let expected = [0, 3, 1, 4, 2, 5].map(|index| elements[index]).concat();
        assert!(written.ends_with(&expected), "{descr}");
        assert_eq!(written, npy(descr, false, "(3, 2)", &expected), "{descr}");
    }
}

#[test]
fn run_refuses_unreadable_files_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = [7u8; 24];
    for (file, words) in [
        (npy("<f4", false, "(2, 3)", &data[..20]), "cut short"),
        (npy("<f4", false, "(6,)", &data), "1 dimensions"),
        (npy("<f4", false, "(1, 2, 3)", &data), "3 dimensions"),
        (npy("<U1", false, "(2, 3)", &data), "elements of type"),
        (npy("<c16", false, "(1, 1)", &data), "elements of type"),
        (npy("<f4", false, "(0, 3)", &[]), "no elements"),
        (npy("<f4", false, "(100000, 100000)", &data), "cut short"),
        (b"not a matrix".to_vec(), "not a .npy file"),
        (Vec::new(), "not a .npy file"),
    ] {
        let output = run_on(folder.path(), &file);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words) && stderr.contains("help"), "no `{words}` in\n{stderr}");
        assert_eq!(
            fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "something was written"
        );
    }
}

#[test]
fn a_negative_number_is_parsed_as_a_value_and_refused() {
    for line in [["climb", "transpose", "--size", "-5"], ["run", "kernel.ptx", "--shared", "-5"]] {
        let stderr = fails(2, &line);
        assert!(stderr.contains("invalid value '-5'") && !stderr.contains("-- -5"), "{stderr}");
    }
}

#[test]
fn run_checks_output_paths_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing/b.npy");
    let missing = missing.to_str().expect("UTF-8");
    let stderr =
        fails(2, &["run", "transpose/naive", "--input", "no-such.npy", "--output", missing]);
    // The system's reason, without the name of the temporary file.
    assert!(stderr.contains("missing/b.npy cannot be written: No such file"), "{stderr}");
    assert!(!stderr.contains(" at path "), "{stderr}");
    let folder = folder.path().to_str().expect("UTF-8");
    let stderr =
        fails(2, &["run", "transpose/naive", "--input", "no-such.npy", "--output", folder]);
    assert!(stderr.contains("it is a folder"), "{stderr}");
}

#[test]
#[ignore = "slow: climbs every ladder"]
fn every_ladder_climbs_with_the_promised_json() {
    for (ladder, size, extents) in [
        ("vector-add", "1000", 1),
        ("sum-squares", "1000", 1),
        ("transpose", "33", 2),
        ("matmul", "33", 3),
        ("sgemm", "33", 3),
        ("int-matmul", "33", 3),
    ] {
        let record = json(&["climb", ladder, "--size", size, "--device", "emulator", "--json"]);
        assert_eq!(record["size"].as_array().map(Vec::len), Some(extents), "{ladder}");
        assert!(record["bytes"].is_u64() && record["flops"].is_u64(), "{ladder}");
        let peer = matches!(ladder, "transpose" | "sgemm");
        assert_eq!(record["skipped_peers"]["cublas"].is_string(), peer, "{ladder}");
        let rungs = record["rungs"].as_array().expect("rungs");
        for rung in rungs.iter().filter(|rung| !rung["skipped"].is_string()) {
            assert_eq!(rung["verified"], true, "{ladder}: {rung}");
            assert!(rung["resources"]["registers"].as_u64() > Some(0), "{ladder}: {rung}");
            let rule = rung["accuracy"]["rule"].as_str().expect("a rule");
            assert_eq!(rule == "within-bound", matches!(ladder, "matmul" | "sgemm"), "{ladder}");
        }
    }
}

#[test]
fn a_ladder_refuses_options_of_other_ladders() {
    for (args, words) in [
        (&["climb", "transpose", "--m", "3"][..], "takes no --m"),
        (&["climb", "transpose", "--alpha", "2"], "no alpha and beta"),
        (&["climb", "sgemm", "--type", "f64"], "no kernels for elements of type f64"),
        (&["climb", "sgemm", "--size", "8", "--lda", "3"], "less than the 8 elements"),
        (&["climb", "int-matmul", "--tile", "5"], "no kernel for a tile of 5x5"),
        (&["climb"], "required"),
        (&["climb", "--all", "--size", "3"], "default problem"),
        (&["streams", "--chunks", "0", "--device", "emulator"], "greater than 0"),
        (&["gpus", "--file", "/no/such/file"], "cannot be read"),
        (&["run", "sgemm/cublas", "--device", "emulator"], "GPUs only"),
    ] {
        let stderr = fails(2, args);
        assert!(stderr.contains(words), "{args:?}: no `{words}` in\n{stderr}");
    }
}

#[test]
fn run_multiplies_the_users_matrices() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let floats = |values: &[f32]| -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let write = |name: &str, shape: &str, values: &[f32]| {
        fs::write(place(name), npy("<f4", false, shape, &floats(values))).expect("written");
    };
    write("a.npy", "(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    write("b.npy", "(3, 2)", &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    write("c.npy", "(2, 2)", &[10.0, 20.0, 30.0, 40.0]);
    let run = |extra: &[&str]| {
        let (a, b, output) = (place("a.npy"), place("b.npy"), place("d.npy"));
        let args = ["run", "sgemm/coalesced", "--a", &a, "--b", &b, "--output", &output];
        lanework(&[&args[..], extra, &["--device", "emulator"]].concat())
    };
    let c = place("c.npy");
    let output = run(&["--c", &c, "--alpha", "2", "--beta", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = npy("<f4", false, "(2, 2)", &floats(&[18.0, 30.0, 50.0, 62.0]));
    assert_eq!(fs::read(place("d.npy")).expect("written"), expected);
    let wrong = run(&["--b", &c]);
    assert_eq!(wrong.status.code(), Some(2));
    write("b.npy", "(2, 2)", &[1.0, 0.0, 0.0, 1.0]);
    let wrong = run(&[]);
    let stderr = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(2) && stderr.contains("help"), "{stderr}");
}

#[test]
fn run_sums_the_users_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("x.npy");
    let numbers: Vec<u8> = (1..=4i32).flat_map(i32::to_le_bytes).collect();
    fs::write(&input, npy("<i4", false, "(4,)", &numbers)).expect("written");
    let input = input.to_str().expect("UTF-8");
    let text =
        succeeds(&["run", "sum-squares/single-pass", "--input", input, "--device", "emulator"]);
    assert!(text.contains(" 30 "), "{text}");
}

#[test]
fn gpus_are_extended_by_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gpus.json");
    let mut table = json(&["gpus", "--json"]);
    table["gpus"][0]["name"] = "My GPU".into();
    table["gpus"] = Value::Array(vec![table["gpus"][0].clone()]);
    fs::write(&file, table.to_string()).expect("written");
    let text = succeeds(&["gpus", "--file", file.to_str().expect("UTF-8")]);
    assert!(text.contains("My GPU") && text.contains("H200"), "{text}");
}

#[test]
fn streams_on_the_emulator_say_that_time_is_not_modeled() {
    let record = json(&["streams", "--size", "1000", "--device", "emulator", "--json"]);
    assert_eq!(record["verified"], true);
    assert_eq!(record["serial_ns"], Value::Null);
    let text = succeeds(&["streams", "--size", "1000", "--device", "emulator"]);
    assert!(text.contains("does not model time"), "{text}");
}

#[test]
fn a_picture_without_a_line_shows_what_the_rung_is_about() {
    for (rung, expected) in [
        // Both lines of `padded` cost the same; its idea is the layout of the tile that the second one reads.
        ("transpose/padded", "shared load of 4 B by 32 lanes"),
        ("transpose/naive", "global store of 4 B by 32 lanes"),
        // The loads of the line with the conflicts cost less than the global load.
        ("sum-squares/tree-strided", "bank conflicts"),
    ] {
        let said = succeeds(&["look", rung]);
        assert!(said.replace("no bank conflicts", "").contains(expected), "{rung}: {said}");
    }
}
