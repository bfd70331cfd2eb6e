//! Runs the command on a terminal that Python makes.

use std::path::Path;
use std::process::Command;

/// Runs the command on a pseudo-terminal, with keys for texts that appear, and returns all that it writes; `None` without
/// Python or such terminals.
pub fn on_terminal(folder: &Path, steps: &str, arguments: &[&str]) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("python3");
    command.arg(root.join("../emulator/debug-tui/tests/terminal.py")).arg(steps);
    command.arg(env!("CARGO_BIN_EXE_lanework")).args(arguments).current_dir(folder);
    let output = command.env("LANEWORK_LANG", "en").env("TERM", "xterm").output();
    match output {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        _ => {
            lanework_testing::skip("the screen of `debug --tui`", "needs Python and a Unix system");
            None
        }
    }
}
