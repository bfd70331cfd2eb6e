//! The revision of the checkout in which a measurement was started.

use std::process::Command;
use std::sync::OnceLock;

/// The commit of the current folder's checkout, with a `+` when tracked files have changes; `None` outside a checkout
/// or without git. Determined once per process.
pub fn revision() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
        Some(if changes.is_empty() { commit } else { commit + "+" })
    };
    FOUND.get_or_init(find).clone()
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
