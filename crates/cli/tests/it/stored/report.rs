//! `lanework report`: its files, and its messages about files without a record.

use std::path::Path;
use std::process::{Command, Output};

fn lanework(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.args(arguments).env_remove("LANEWORK_LANG").env("LC_ALL", "C");
    command.output().expect("lanework runs")
}

fn stored(name: &str) -> String {
    format!("{}/../../docs/results/h200/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn stored_climbs_become_one_file_that_names_no_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let (html, json) = (folder.path().join("r.html"), folder.path().join("r.json"));
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let (transpose, sgemm) = (stored("transpose"), stored("sgemm"));
    let run = |from: &[&str], records: &str| {
        let mut line = vec!["report", "--no-kernels", "-o"];
        let html = text(&html);
        line.extend([html.as_str(), "--records", records, "--from"]);
        line.extend(from);
        lanework(&line)
    };
    let first = run(&[&transpose, &sgemm], &text(&json));
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(String::from_utf8_lossy(&first.stdout).contains("no network needed"));
    let page = std::fs::read_to_string(&html).expect("the report");
    assert!(page.len() < 5_000_000 && page.contains("NVIDIA H200"), "{}", page.len());
    assert!(page.contains("id=\"ladder/transpose\"") && page.contains("id=\"roofline\""));
    assert!(!page.contains("http:") && !page.contains("https:"));
    // The records give the same pages again.
    let again = folder.path().join("again.json");
    let second = run(&[&text(&json)], &text(&again));
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    let ladders = |page: &str| page.matches("id=\"ladder/").count();
    assert_eq!(ladders(&page), ladders(&std::fs::read_to_string(&html).expect("the report")));
}

#[test]
fn a_rung_s_page_has_its_source_its_ptx_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let html = folder.path().join("r.html");
    let output = html.to_str().expect("UTF-8");
    let run = lanework(&["report", "vector-add", "--device", "emulator", "-o", output]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let page = std::fs::read_to_string(&html).expect("the report");
    let kernel = page.split("id=\"kernel/vector-add/one-each\"").nth(1).expect("its page");
    let kernel = kernel.split("<section").next().unwrap_or_default();
    for part in ["<b>fn</b> one_each", "<b>ld.global", "class=\"access\"", "data-l=\"0:", "<path"] {
        assert!(kernel.contains(part), "{part}");
    }
    assert!(kernel.contains("There is no SASS") || kernel.contains("aria-label=\"SASS\""));
    // The emulator measures no time: every time is a predicted one.
    assert!(page.contains("data-device=\"emulator\"") && page.contains(" µs</b>"));
    assert!(page.contains("Predicted time"), "{page}");
}

#[test]
fn files_without_records_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.json");
    std::fs::write(&file, "{\"a\": 1}").expect("written");
    let run = lanework(&["report", "--from", file.to_str().expect("UTF-8")]);
    let said = String::from_utf8_lossy(&run.stderr).to_string();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("x.json cannot be reported") && said.contains("help:"), "{said}");
    let run = lanework(&["report", "no-such-ladder"]);
    assert_eq!(run.status.code(), Some(2));
}
