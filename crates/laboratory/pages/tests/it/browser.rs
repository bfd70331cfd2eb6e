//! Tests the report in a real browser: no console errors, no requests, as many marks as the data has, hover, filters,
//! keys, themes, languages, phones, no overlapping or truncated elements. Needs Node, playwright-core and Chromium;
//! the test reports a missing tool and is skipped. `scripts/browser.sh` installs the tools and runs it.

use crate::sample;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path of Chromium: `LANEWORK_BROWSER`, or an installed one.
fn chromium() -> Option<PathBuf> {
    let given = std::env::var_os("LANEWORK_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let installed =
        names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    given.into_iter().chain(installed).find(|path| path.is_file())
}

#[test]
fn a_browser_shows_all_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let skipped = |why: &str| {
        eprintln!(
            "SKIPPED: the report was not looked at in a browser: {why}; run scripts/browser.sh"
        );
    };
    if Command::new("node").arg("--version").output().is_err() {
        return skipped("Node is not installed");
    }
    if !folder.join("node_modules/playwright-core").is_dir() {
        return skipped(
            "playwright-core is not in crates/laboratory/pages/tests/browser/node_modules",
        );
    }
    let Some(chromium) = chromium() else {
        return skipped("there is no Chromium; LANEWORK_BROWSER names one");
    };
    let (report, expected) = sample::report();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (html, json) = (target.join("report.html"), target.join("expected.json"));
    std::fs::write(&html, report.html()).expect("the report is written");
    std::fs::write(&json, expected.to_string()).expect("the expectations are written");
    let run = Command::new("node")
        .arg(folder.join("check.mjs"))
        .args([&html, &json, &chromium])
        .output()
        .expect("Node runs");
    let said =
        format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{said}");
    println!("{said}");
}
