//! The debugger under a public client of the Debug Adapter Protocol: `editors/vscode/test/client.mjs`.

use super::exec::{LANEWORK, text};
use lanework_testing::skip;
use std::path::Path;
use std::process::Command;

#[cfg(all(unix, feature = "host"))]
#[test]
fn a_public_client_of_the_protocol_passes_its_tests() {
    let what = "the debugger under a public client of the Debug Adapter Protocol";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/test");
    if Command::new("node").arg("--version").output().is_err() {
        return skip(what, "Node is not installed");
    }
    if !folder.join("node_modules").is_dir() {
        let options = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"];
        let installed = Command::new("npm").args(options).current_dir(&folder).status();
        if !installed.is_ok_and(|status| status.success()) {
            return skip(what, "npm cannot install the client");
        }
    }
    let place = tempfile::tempdir().expect("a folder");
    let mut client = Command::new("node");
    client.arg(folder.join("client.mjs")).arg(LANEWORK).arg(place.path());
    let output = client.output().expect("the client runs");
    println!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "a test of the client failed");
}
