//! The profiler and the pictures as users see them.

use serde_json::Value;
use std::process::{Command, Output};

const SAXPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/saxpy.ptx");

fn lanework(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework")).args(args).output().expect("the command runs")
}

fn succeeds(args: &[&str]) -> String {
    let output = lanework(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn fails(args: &[&str]) -> String {
    let output = lanework(args);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{args:?}\n{stderr}");
    assert!(!stderr.contains("has a bug"), "{stderr}");
    stderr
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&succeeds(args)).expect("one JSON value")
}

const SAXPY_ARGUMENTS: [&str; 12] = [
    "--grid",
    "4",
    "--block",
    "32",
    "--arg",
    "f32:2",
    "--arg",
    "rand:f32:128",
    "--arg",
    "rand:f32:128",
    "--arg",
    "u32:128",
];

#[test]
fn a_profile_names_the_line_and_the_reason() {
    let text = succeeds(&["profile", "transpose", "--rung", "unpadded", "--size", "256"]);
    assert!(
        text.contains("32.0 wavefronts per shared load, 31.0 of them bank conflicts: stride 128 B"),
        "{text}"
    );
    assert!(text.contains("unpadded.rs:") && text.contains("tile["), "{text}");
    assert!(text.contains("limited by") && text.contains("modeled"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let text = succeeds(&["profile", "transpose/naive", "--size", "256"]);
    assert!(text.contains("sectors per store, optimal 4.0: stride 1024 B"), "{text}");
}

#[test]
fn profile_and_predict_state_one_occupancy() {
    for (ladder, rung) in [("sgemm", "tile-2d"), ("hgemm", "pipelined"), ("transpose", "padded")] {
        let name = format!("{ladder}/{rung}");
        let asked = [name.as_str(), "--size", "256", "--json"];
        let profile = json(&[&["profile"][..], &asked].concat());
        let predicted = json(&[&["predict"][..], &asked].concat());
        let (of_profile, of_prediction) = (&profile[0]["resources"], &predicted[0]);
        for figure in ["registers", "resident_blocks"] {
            assert_eq!(of_profile[figure], of_prediction[figure], "{name}");
        }
        assert_eq!(of_profile["limiter"], of_prediction["resident_limit"], "{name}");
    }
}

#[test]
fn a_kernel_of_tensor_cores_is_under_their_roof() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("products.cu");
    let source = "#include <mma.h>\nusing namespace nvcuda;\n\
        __global__ void products(const half *a, float *c) {\n\
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n\
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;\n\
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;\n\
        wmma::fill_fragment(z, 0.f); wmma::load_matrix_sync(x, a, 16); wmma::load_matrix_sync(y, a, 16);\n\
        for (int i = 0; i < 1024; i++) wmma::mma_sync(z, x, y, z);\n\
        wmma::store_matrix_sync(c + 256 * blockIdx.x, z, 16, wmma::mem_row_major); }\n";
    std::fs::write(&file, source).expect("written");
    let file = file.to_str().expect("UTF-8");
    let shape = ["--compiler", "own", "--grid", "264", "--block", "32", "zeros:f16:256"];
    let text = succeeds(&[&["profile", file][..], &shape, &["zeros:f32:67584"]].concat());
    assert!(text.contains("=: tensor cores"), "{text}");
    let roof = text.split("GFLOP/s of ").nth(1).and_then(|rest| rest.split(' ').next());
    let roof: f64 = roof.and_then(|roof| roof.parse().ok()).expect("a roof");
    assert!(roof > 500_000.0, "{text}");
}

#[test]
fn every_rung_of_the_products_has_a_profile_and_a_picture_of_100_columns() {
    for ladder in ["sgemm", "int-matmul"] {
        let text = succeeds(&["profile", ladder, "--size", "64"]);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
    for rung in ["sgemm/tile-2d", "sgemm/vectorized", "int-matmul/register-tile"] {
        let text = succeeds(&["look", rung, "--size", "64"]);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn lines_add_up_to_the_kernel() {
    for by in ["line", "ptx"] {
        let args = ["profile", "sum-squares/tree-strided", "--size", "9973", "--json", "--by", by];
        let found = &json(&args)[0];
        let lines = found["lines"].as_array().expect("lines");
        let sum = |pointer: &str| -> u64 {
            lines.iter().filter_map(|line| line["counters"].pointer(pointer)?.as_u64()).sum()
        };
        for pointer in [
            "/warp_instructions",
            "/lane_instructions",
            "/barriers",
            "/divergent_branches",
            "/global_load/sectors",
            "/shared_load/wavefronts",
            "/shared_store/bank_conflicts",
        ] {
            assert_eq!(found["counters"].pointer(pointer), Some(&sum(pointer).into()), "{pointer}");
        }
        let shares: f64 = lines.iter().filter_map(|line| line["share"].as_f64()).sum();
        assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    }
}

#[test]
fn a_sample_says_that_it_is_one() {
    let args = ["profile", "transpose/padded", "--size", "512", "--sample", "16"];
    assert!(succeeds(&args).contains("SAMPLED: counts are of 16 of 256 blocks"));
    let found = &json(&[&args[..], &["--json"]].concat())[0];
    assert_eq!(found["sampled"]["blocks_counted"], 16);
    assert_eq!(found["counters"]["global_load"]["requests"], 16 * 32);
}

#[test]
fn a_file_is_profiled_by_its_own_lines() {
    let mut args = vec!["profile", SAXPY, "--entry", "saxpy"];
    args.extend(SAXPY_ARGUMENTS);
    let text = succeeds(&args);
    assert!(text.contains("ptx:") && text.contains("ld.global"), "{text}");
    args.push("--json");
    let found = &json(&args)[0];
    assert_eq!(found["flops"], 2 * 128);
    assert_eq!(found["counters"]["global_load"]["sectors"], 2 * 4 * 4);
    let caches = &found["modeled_caches"];
    assert_eq!((&caches["l1_sectors"], &caches["l1_hits"]), (&32.into(), &0.into()));
}

#[test]
fn profiling_refuses_invalid_requests_with_a_remedy() {
    assert!(fails(&["profile", "transpose", "--rung", "paded"]).contains("padded"));
    assert!(fails(&["profile", "transpose", "--gpu", "H2000"]).contains("H200"));
    assert!(fails(&["look", "transpose"]).contains("ladder/rung"));
    let wrong = fails(&["look", "transpose/padded", "--size", "64", "--line", "1"]);
    assert!(wrong.contains("lines that do"), "{wrong}");
    assert!(
        fails(&["look", "transpose/padded", "--size", "64", "--block-index", "99"])
            .contains("no block 99")
    );
    let mut args = vec!["profile", SAXPY, "--entry", "saxpy", "--device", "cuda:0"];
    args.extend(SAXPY_ARGUMENTS);
    assert!(fails(&args).contains("emulator"));
}

const CHAINED: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry chained(.param .u64 flags)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [flags];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    @%p1 bra GO;
WAIT:
    ld.volatile.global.u32 %r2, [%rd3+-4];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
GO:
    st.volatile.global.u32 [%rd3], 1;
    ret;
}
";

#[test]
fn a_wait_for_a_block_that_cannot_start_is_stopped_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chained.ptx");
    std::fs::write(&path, CHAINED).expect("a file");
    let file = path.to_str().expect("UTF-8");
    let shape = [file, "--grid", "8", "--block", "1", "--arg", "zeros:u32:8"];
    assert!(succeeds(&[&["profile"], &shape[..]].concat()).contains("8 blocks of 1 thread,"));
    let few = ["--blocks", "2", "--max-instructions", "100000"];
    let output = lanework(&[&["profile"], &shape[..], &few].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("only some of the blocks"), "{said}");
    // A picture of one block needs no choice of blocks: all run.
    let one = ["--block-index", "5", "--max-instructions", "100000", "--json"];
    let picture = json(&[&["look"], &shape[..], &one].concat());
    assert_eq!(picture["accesses"][0]["space"], "global", "{picture}");
    assert_eq!(picture["block"], 5);
}

#[test]
fn a_picture_that_cannot_be_written_names_its_path() {
    let said =
        fails(&["look", "transpose/naive", "--size", "64", "--svg", "/no/such/folder/a.svg"]);
    assert!(said.contains("/no/such/folder/a.svg"), "{said}");
}

#[test]
fn a_picture_shows_sectors_banks_and_divergence() {
    let text = succeeds(&["look", "transpose/unpadded", "--size", "64"]);
    assert!(
        text.contains("32 wavefronts (optimal: 1)") && text.contains("wavefronts  2"),
        "{text}"
    );
    assert!(text.contains("warps 0-31"), "{text}");
    let text = succeeds(&["look", "transpose/naive", "--size", "64"]);
    assert!(text.contains("32 sectors of 32 bytes (optimal: 4)"), "{text}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("picture.svg");
    let place = path.to_str().expect("UTF-8");
    succeeds(&["look", "transpose/unpadded", "--size", "64", "--svg", place]);
    let drawn = std::fs::read_to_string(path).expect("a drawing");
    assert!(drawn.starts_with("<svg ") && drawn.trim_end().ends_with("</svg>"));
}

const RESIDENTS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/lanework/tests/sanitizer/ptx/residents.ptx");

#[test]
fn kernels_whose_blocks_wait_for_each_other_have_profiles_and_pictures() {
    let numbers = ["--arg", "rand:f32:1000", "--arg", "zeros:f32:1000", "--arg", "u32:1000"];
    let stencil =
        [&[RESIDENTS, "--entry", "stencil", "--grid", "5", "--block", "96"][..], &numbers[..]]
            .concat();
    let cooperative = [&stencil[..], &["--arg", "u32:4", "--cooperative"]].concat();
    let profile = json(&[&["profile"][..], &cooperative[..], &["--json"]].concat());
    // Four steps over 1000 elements, each read three times, except the ends.
    assert_eq!(profile[0]["counters"]["global_store"]["bytes"], 4 * 4 * 1000);
    // The polls at the barriers are loads, too.
    let loaded = profile[0]["counters"]["global_load"]["bytes"].as_u64();
    assert!(loaded >= Some(4 * 4 * 2998), "{loaded:?}");
    succeeds(&[&["look"][..], &cooperative[..], &["--block-index", "3", "--line", "14"]].concat());
    // A ticket that a run has drawn must not be drawn by the next one.
    let scan = ["--entry", "look_back", "--grid", "8", "--block", "128", "--arg", "rand:u32:1024"];
    let state = ["--arg", "zeros:u32:1024", "--arg", "zeros:u32:1", "--arg", "zeros:u64:8"];
    let text = succeeds(&[&["profile", RESIDENTS][..], &scan[..], &state[..]].concat());
    assert!(text.contains("residents.cu:"), "{text}");
    let run = succeeds(&[&["run"][..], &cooperative[..], &["--device", "emulator"]].concat());
    assert!(run.contains("stencil ran on"), "{run}");
}

#[test]
fn a_branch_that_diverges_and_a_misaligned_start_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.ptx");
    let text = "\
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<3>;
.loc 1 7 5
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
ld.global.u32 %r2, [%rd1+4];
.loc 1 9 9
setp.gt.u32 %p1, %r1, 100;
@%p1 bra done;
.loc 1 9 17
and.b32 %r2, %r1, 1;
setp.eq.u32 %p2, %r2, 0;
@%p2 bra done;
st.global.u32 [%rd1], %r1;
done:
ret;
}
.file 1 \"k.cu\"
";
    std::fs::write(&file, text).expect("a file");
    let path = file.to_str().expect("UTF-8");
    let args = ["profile", path, "--block", "64", "--arg", "zeros:u32:100"];
    let shown = succeeds(&args);
    let said = "5.0 sectors per load, optimal 4.0, misaligned start (4 B past a 32-byte sector)";
    assert!(shown.contains(said), "{shown}");
    assert!(
        shown.contains("100 % of executions diverge at the branch of column 17, PTX line 19"),
        "{shown}"
    );
    let profile = json(&[&args[..], &["--json"]].concat());
    let lines = profile[0]["lines"].as_array().expect("lines");
    let line = lines.iter().find(|line| line["line"] == 9).expect("line 9");
    let expected =
        serde_json::json!([{ "column": 17, "ptx_line": 19, "executions": 2, "divergent": 2 }]);
    assert_eq!(line["branches"], expected);
}

#[test]
fn rungs_of_lists_of_kernels_are_profiled_and_drawn() {
    let text = succeeds(&["profile", "tf32/warpgroups", "--size", "128"]);
    assert!(text.starts_with("tf32/warpgroups: 2 blocks of 384 threads"), "{text}");
    let text = succeeds(&["look", "tf32/warpgroups", "--size", "128"]);
    assert!(text.starts_with("tf32/warpgroups, block 0, warp 0"), "{text}");
}

#[test]
fn a_comparison_has_the_lines_of_both_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, source: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, source).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let plain = file(
        "plain.cu",
        "__global__ void k(const float *x, float *y, int n) {\n    int i = threadIdx.x;\n    if (i < n) y[i] = x[i];\n}\n",
    );
    let more = file(
        "more.cu",
        "__global__ void k(const float *x, float *y, int n) {\n    __shared__ float s[64];\n    \
         int i = threadIdx.x;\n    s[i] = x[i];\n    __syncthreads();\n    if (i < n) y[i] = s[63 - i];\n}\n",
    );
    let profile = |first: &str, second: &str| {
        let own = ["--compiler", "own", "--grid", "1", "--block", "64"];
        let words = ["rand:f32:64", "zeros:f32:64", "64"];
        succeeds(&[&["profile", first, "--against", second], &own[..], &words].concat())
    };
    let same = profile(&plain, &plain);
    assert!(same.contains("No line has other counts.") && !same.contains("sectors\n"), "{same}");
    for differs in [profile(&more, &plain), profile(&plain, &more)] {
        let of_ptx = differs.lines().filter(|line| line.trim_start().starts_with("ptx:"));
        for line in of_ptx {
            assert!(line.trim_end().ends_with(';'), "{differs}");
        }
        assert!(differs.contains("s[i] = x[i];") && !differs.contains(".reg"), "{differs}");
    }
}
