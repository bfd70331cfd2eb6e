//! A report with every kind of content: stored times of an H200, counts, a sweep, a kernel with listings and
//! pictures, samples; some names would break a page that does not escape.

use lanework_pages::Report;
use serde_json::{Value, json};

const LADDERS: [&str; 6] =
    ["vector-add", "sum-squares", "transpose", "matmul", "sgemm", "int-matmul"];

fn stored(ladder: &str) -> Value {
    let mut climb = from_file(ladder);
    for rung in climb["rungs"].as_array_mut().expect("rungs") {
        if rung["accuracy"]["rule"] == "within-bound" {
            rung["accuracy"]["errors"] =
                json!({"exact": 900, "lowest": -10, "decades": [0, 10, 200, 4000, 800, 3, 0, 0]});
        }
    }
    climb
}

fn from_file(ladder: &str) -> Value {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/results/h200");
    let text = std::fs::read_to_string(format!("{place}/{ladder}.json")).expect("stored results");
    serde_json::from_str(&text).expect("JSON")
}

/// The climb as the emulator might have counted it; the figures only need to differ.
fn counted(ladder: &str) -> Value {
    let mut climb = stored(ladder);
    climb["device"] = json!({"name": "Lanework emulator", "backend": "emulator", "driver": ""});
    let rungs = climb["rungs"].as_array_mut().expect("rungs");
    for (index, rung) in rungs.iter_mut().enumerate() {
        let count = 1_000_000 / (index as u64 + 1);
        rung["time"] = Value::Null;
        rung["speedup"] = Value::Null;
        rung["reason"] = json!("load sectors /2.0, no bank conflicts");
        rung["counters"] = json!({
            "warp_instructions": count, "lane_instructions": 30 * count, "barriers": 12,
            "global_load": {"requests": count / 8, "sectors": count}, "global_store": {"requests": 5, "sectors": 20},
            "shared_load": {"requests": 9, "wavefronts": count / 4, "bank_conflicts": count / 8}
        });
    }
    climb
}

fn sweep() -> Value {
    let mut points = Vec::new();
    for (row, size) in [256u64, 512, 1024, 2048].into_iter().enumerate() {
        for (column, block) in [8u64, 16, 32].into_iter().enumerate() {
            let mut point = stored("transpose");
            point["size"] = json!([size, size]);
            point["block"] = json!(block);
            point["bytes"] = json!(8 * size * size);
            for rung in point["rungs"].as_array_mut().expect("rungs") {
                let part = (row * 4 + 1) as f64 * (1.0 + column as f64 / 5.0);
                for key in ["median_ns", "min_ns"] {
                    let ns = rung["time"][key].as_f64().expect("a time") * part / 6.0;
                    rung["time"][key] = json!(ns);
                    rung["time"]["interval_ns"] = json!([0.97 * ns, 1.03 * ns]);
                }
            }
            points.push(point);
        }
    }
    json!({"ladder": "transpose", "device": stored("transpose")["device"], "points": points})
}

fn kernel() -> Value {
    let counters = |sectors: u64| {
        json!({"warp_instructions": 4096, "lane_instructions": 131_072,
            "global_load": {"requests": 1024, "sectors": sectors, "ideal_sectors": 4096, "bytes": 131_072},
            "shared_load": {"requests": 1024, "wavefronts": 32_768, "bank_conflicts": 31_744}})
    };
    let line = |line: u32, share: f64, instruction: u32, remarks: &[&str]| {
        json!({"file": "crates/laboratory/ladders/src/transpose/unpadded.rs", "line": line, "share": share,
            "instructions": [instruction], "counters": counters(4096), "remarks": remarks})
    };
    let source = "//! A <script>alert(1)</script> & more.\nfn unpadded(src: &[f32]) {\n    let tile = shared();\n    \
        dst[y * rows + x] = tile[[x, y]]; // \"quoted\"\n}\n";
    json!({
        "ladder": "transpose", "name": "unpadded", "experiment": "B4", "problem": "1024 × 1024 f32",
        "header": [
            {"idea": "transpose the `order` of the blocks, then the tile", "predicts": "31 conflicts", "costs": "a barrier"},
            {"idea": "先转置线程块的顺序，再转置 `tile`", "predicts": "31 次冲突", "costs": "一次屏障"}
        ],
        "profile": {
            "kernel": "unpadded", "grid": [32, 32, 1], "block": [32, 32, 1], "gpu": "H200", "flops": 4096,
            "sector_bytes": 1_048_576, "intensity": 0.004, "counters": counters(32_768),
            "classes": {"integers": 400, "moves": 120, "shared memory": 90, "global memory": 50},
            "resources": {"registers": 24, "spill_bytes": 16, "shared_bytes": 4096, "threads": 1024,
                "resident_blocks": 2, "occupancy": 1.0, "limiter": "threads", "estimated": true},
            "modeled_caches": {"l1_sectors": 100, "l1_hits": 40, "l2_sectors": 60, "l2_hits": 6},
            "lines": [
                line(2, 0.2, 0, &[]),
                line(4, 0.8, 1, &["32.0 wavefronts per shared load, 31.0 of them bank conflicts: stride 128 B"])
            ]
        },
        "sources": [{"file": "crates/laboratory/ladders/src/transpose/unpadded.rs", "text": source}],
        "ptx": {
            "text": ".version 8.0\n.visible .entry unpadded()\n{\n\tmov.u32 %r1, %tid.x;\n\tld.shared.u32 %r2, [%r1];\n\tret;\n}\n",
            "lines": [{"line": 4, "share": 0.2, "counters": counters(0)}, {"line": 5, "share": 0.8, "counters": counters(0)}],
            "source": {"4": ["crates/laboratory/ladders/src/transpose/unpadded.rs", 2], "5": ["crates/laboratory/ladders/src/transpose/unpadded.rs", 4]}
        },
        "sass": {"missing": "no-ptxas"},
        "pictures": [{"line": 4, "code": "dst[y * rows + x] = tile[[x, y]];", "warp": [0, 0], "accesses": [
            {"space": "shared", "kind": "load", "bytes": 4, "lanes": 32, "pattern": "stride 128 B", "cost": {"count": 32, "optimal": 1}},
            {"space": "global", "kind": "store", "bytes": 4, "lanes": 32, "pattern": "stride 4 B", "cost": {"count": 4, "optimal": 4}}
        ]}]
    })
}

fn timed() -> Value {
    let samples: Vec<Value> = (0..400)
        .map(|index| json!({"ns": 5500.0 + f64::from(index * 7919 % 101), "sm_mhz": 1980, "watts": 512.5, "celsius": 41}))
        .collect();
    json!({
        "taken": "2026-11-22T16:00:00Z", "subject": {"kind": "rung", "name": "padded", "ladder": "transpose"},
        "device": stored("transpose")["device"], "problem": {"rows": "1024", "cols": "1024"}, "samples": samples,
        "summary": {"median_ns": 5550.0, "interval_ns": [5545.0, 5556.0], "min_ns": 5500.0, "quartiles_ns": [5525.0, 5575.0], "count": 400}
    })
}

/// The expected tooltip of a ladder's first bar: the first timed rung, with its median, which is between 10 and 100
/// µs.
fn hovered(ladder: &str) -> Value {
    let climb = stored(ladder);
    let rungs = climb["rungs"].as_array().expect("rungs");
    let rung = rungs.iter().find(|rung| !rung["time"].is_null()).expect("a timed rung");
    let name = format!("{ladder}/{}", rung["name"].as_str().expect("a name"));
    let median = rung["time"]["median_ns"].as_f64().expect("a median");
    assert!((10e3..100e3).contains(&median), "{median} ns");
    json!([name, format!("{:.1} µs", median / 1e3), "Median", "95 % interval", "Bandwidth"])
}

/// The report, and what the browser must find in it.
pub fn report() -> (Report, Value) {
    let stories: Vec<Value> = LADDERS
        .iter()
        .map(|name| json!({"name": name, "title": "a <title>", "text": ["One.\n\nTwo `code`.", "一。\n\n二 `code`。"]}))
        .collect();
    let climbs: Vec<Value> = LADDERS
        .iter()
        .map(|name| stored(name))
        .chain([counted("transpose"), counted("sgemm")])
        .collect();
    let expected: Vec<Value> = climbs
        .iter()
        .map(|climb| {
            let rungs = climb["rungs"].as_array().expect("rungs");
            let figures = rungs.iter().filter(|rung| !rung["time"].is_null() || !rung["counters"].is_null());
            json!({"ladder": climb["ladder"], "backend": climb["device"]["backend"], "rungs": rungs.len(), "figures": figures.count()})
        })
        .collect();
    let marks: usize = climbs
        .iter()
        .filter(|climb| climb["device"]["backend"] == "cuda" && climb["flops"].as_u64() > Some(0))
        .map(|climb| {
            climb["rungs"]
                .as_array()
                .expect("rungs")
                .iter()
                .filter(|rung| !rung["time"].is_null())
                .count()
        })
        .sum();
    let value = json!({
        "taken": "2026-11-22T16:00:00Z", "version": "0.1.0", "stories": stories, "climbs": climbs,
        "kernels": [kernel(), {"ladder": "sgemm", "name": "tile-2d"}, {"name": "<b>own</b> & kernel", "problem": "x"}],
        "sweeps": [sweep()], "timed": [timed()],
        "ceilings": [{"gpu": "H200", "bandwidth": 4800.0, "fp32": 66_900.0, "tensor": 989_400.0, "measured_copy": 4180.0,
            "measured_fp32": 60_100.0, "source": "NVIDIA H200 SXM datasheet"}]
    });
    let mut report = Report::default();
    report.add_json(&value.to_string()).expect("a report");
    let expected = json!({
        "routes": ["summary", "roofline", "sweeps", "samples", "method", "ladder/transpose", "kernel/transpose/unpadded"],
        "climbs": expected,
        "roofline": marks,
        // Exact elements and the decades between the first and the last nonempty one, on both devices; the root of
        // 400.
        "errors": 12,
        "samples": 20,
        "hover": {"ladder": "transpose", "words": hovered("transpose")},
        "filter": {"text": "unpadded", "matches": 1},
        "kernel": {"route": "kernel/transpose/unpadded", "lines": 2, "line": "0:4", "accesses": 2}
    });
    (report, expected)
}
