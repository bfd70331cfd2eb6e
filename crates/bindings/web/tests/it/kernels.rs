//! Requests about single kernels: problems, arguments, findings, counters, pictures, predictions, lessons.

use super::ask;
use serde_json::{Value, json};

const SAXPY: &str = "__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}";

const RACE: &str = "#include <cstdio>
__global__ void reverse(const float *x, float *y) {
    __shared__ float tile[256];
    int i = threadIdx.x;
    tile[i] = x[i];
    y[i] = tile[255 - i];
    if (i == 0) printf(\"%d threads\\n\", blockDim.x);
}";

fn run(source: &str, grid: [u32; 3], block: [u32; 3], arguments: &[&str], more: Value) -> Value {
    let mut request = json!({
        "do": "run",
        "source": source,
        "kernel": { "grid": grid, "block": block, "arguments": arguments },
    });
    for (key, value) in more.as_object().expect("an object") {
        request[key] = value.clone();
    }
    ask(&request)
}

#[test]
fn a_source_is_described_by_its_kernels_and_problems() {
    let answer = ask(&json!({ "do": "compile", "source": SAXPY }));
    let kernel = &answer["kernels"][0];
    assert_eq!(
        (&answer["ok"], &kernel["name"], &kernel["line"]),
        (&json!(true), &json!("saxpy"), &json!(1))
    );
    let parameters = kernel["parameters"].as_array().expect("parameters");
    let of = |key: &str| parameters.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["n", "a", "x", "y"]);
    assert_eq!(of("number"), ["i32", "f32", "f32", "f32"]);
    assert_eq!(of("pointer"), [false, false, true, true]);
    assert_eq!(of("const"), [false, false, true, false]);
    let answer = ask(
        &json!({ "do": "compile", "source": "__global__ void f(float *x) {\n    x[0] = y;\n}" }),
    );
    let problem = &answer["diagnostics"][0];
    assert_eq!(
        (&problem["line"], &problem["column"], &problem["severity"]),
        (&json!(2), &json!(12), &json!("error"))
    );
    assert!(problem["message"].as_str().expect("text").contains("`y`"), "{problem}");
}

#[test]
fn vectors_and_halves_have_their_number_types() {
    let source = "#include <cuda_fp16.h>\n__global__ void f(float4 *a, __half *b, const unsigned char *c, double d) {}";
    let answer = ask(&json!({ "do": "compile", "source": source }));
    let parameters = answer["kernels"][0]["parameters"].as_array().expect("parameters").clone();
    let of: Vec<Value> =
        parameters.iter().map(|one| json!([one["number"], one["lanes"]])).collect();
    assert_eq!(of, [json!(["f32", 4]), json!(["f16", 1]), json!(["u8", 1]), json!(["f64", 1])]);
}

#[test]
fn a_kernel_computes_and_is_counted_and_predicted() {
    let more = json!({ "profile": true, "predict": ["H200", "RTX 4090"] });
    let answer = run(SAXPY, [4, 1, 1], [256, 1, 1], &["1000", "2", "iota:1000", "ones:1000"], more);
    let y = &answer["buffers"][1];
    assert_eq!(
        (&y["name"], &y["changed"], &y["values"][3]),
        (&json!("y"), &json!(true), &json!(7.0))
    );
    let profile = &answer["kernels"][0]["profile"];
    assert_eq!(profile["counters"]["global_load"]["requests"], 64, "{answer}");
    assert!(profile["lines"].as_array().expect("lines").iter().any(|line| line["line"] == 3));
    let predictions = answer["kernels"][0]["predictions"].as_array().expect("predictions");
    assert_eq!(predictions.len(), 2);
    assert!(predictions.iter().all(|one| one["predicted_ns"].as_f64() > Some(500.0)), "{answer}");
}

#[test]
fn a_race_has_both_lines_and_a_remedy() {
    let answer =
        run(RACE, [1, 1, 1], [256, 1, 1], &["iota:256", "uninit:256"], json!({ "check": true }));
    let found = &answer["findings"][0];
    assert_eq!(
        (&found["kind"], &found["line"], &found["other"]["line"]),
        (&json!("race"), &json!(5), &json!(6))
    );
    assert!(found["help"].as_str().expect("text").contains("__syncthreads"), "{found}");
    assert_eq!(answer["output"], "256 threads\n");
}

#[test]
fn an_access_out_of_bounds_names_the_parameter() {
    let source = SAXPY.replace("if (i < n) ", "");
    let answer = run(
        &source,
        [4, 1, 1],
        [256, 1, 1],
        &["1000", "2", "iota:1000", "ones:1000"],
        json!({ "check": true }),
    );
    let found = &answer["findings"][0];
    assert_eq!(
        (&found["kind"], &found["allocation"]),
        (&json!("out-of-bounds"), &json!("x")),
        "{found}"
    );
}

#[test]
fn a_picture_has_lanes_and_steps() {
    let source = "__global__ void column(const float *x, float *y) {
    y[threadIdx.x] = x[32 * threadIdx.x];
}";
    let more = json!({ "look": { "line": 2 } });
    let answer = run(source, [1, 1, 1], [64, 1, 1], &["iota:2048", "uninit:64"], more);
    let look = &answer["look"];
    let accesses = look["accesses"].as_array().expect("accesses");
    let load = accesses.iter().find(|one| one["kind"] == "load").expect("a load");
    assert_eq!(
        (&load["count"], &load["best"], &load["allocation"]),
        (&json!(32), &json!(4), &json!("x"))
    );
    assert_eq!(load["offsets"][3], 384);
    let steps = look["steps"].as_array().expect("steps");
    assert!(steps.len() > 20 && steps.len().is_multiple_of(3), "{look}");
    assert!(look["instructions"]["lines"].as_array().expect("lines").contains(&json!(2)));
    let answer = run(
        source,
        [1, 1, 1],
        [64, 1, 1],
        &["iota:2048", "uninit:64"],
        json!({ "look": { "block": 3 } }),
    );
    assert!(answer["look"]["error"].as_str().expect("text").contains("no block 3"), "{answer}");
}

#[test]
fn limits_and_wrong_arguments_have_messages() {
    let source = "__global__ void forever(int *x) { while (*(volatile int *)x == 0); }";
    let answer =
        run(source, [1, 1, 1], [32, 1, 1], &["zeros:1"], json!({ "instructions": 100_000 }));
    assert_eq!(answer["fault"]["limit"], true, "{answer}");
    let answer = run(SAXPY, [1, 1, 1], [32, 1, 1], &["x", "2", "iota:32", "ones:32"], json!({}));
    assert!(answer["error"].as_str().expect("text").contains("`n`"), "{answer}");
    for n in ["1e99", "1.5", "-3000000000"] {
        let answer = run(SAXPY, [1, 1, 1], [32, 1, 1], &[n, "2", "iota:32", "ones:32"], json!({}));
        let why = format!("`{n}` is not a whole number of 32 bits, which parameter `n` is");
        assert_eq!(answer["error"], why, "{answer}");
    }
    let answer = run(SAXPY, [1, 1, 1], [32, 1, 1], &["32"], json!({}));
    assert!(answer["error"].as_str().expect("text").contains("4 arguments"), "{answer}");
    let answer = run(
        SAXPY,
        [1, 1, 1],
        [32, 1, 1],
        &["32", "2", "rand:2^28", "ones:32"],
        json!({ "memory_mib": 16 }),
    );
    assert!(answer["help"].as_str().expect("text").contains("less memory"), "{answer}");
    assert!(ask(&json!({ "do": "dance" }))["error"].as_str().expect("text").contains("not valid"));
}
