//! The interface on a real terminal: it starts, quits, and restores the terminal, also after a panic.

use crate::common::{plain, race};
use lanework_debug_tui::screen::Screen;
use std::path::Path;
use std::process::Command;

/// The variable that makes the test below the child on the terminal.
const CHILD: &str = "LANEWORK_TEST_SCREEN";
const LEAVES: &str = "\u{1b}[?1049l";
const ENTERS: &str = "\u{1b}[?1049h";

/// Runs this test program's child on a pseudo-terminal; `None` without Python or such terminals.
fn on_terminal(child: &str, steps: &str) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(steps).arg(std::env::current_exe().expect("this program"));
    command.args(["--exact", "terminal::the_child_on_a_terminal", "--nocapture"]);
    let output = command.env(CHILD, child).env_remove("NO_COLOR").output();
    match output {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        _ => {
            lanework_testing::skip("the interface on a terminal", "needs Python and a Unix system");
            None
        }
    }
}

#[test]
fn the_child_on_a_terminal() {
    let Ok(child) = std::env::var(CHILD) else { return };
    let mut screen = Screen::open(str::to_owned, false).expect("a terminal");
    if child == "panics" {
        panic!("planted panic");
    }
    race().show(plain(), (80, 24), |stage| {
        screen.hold(stage.console).expect("a terminal");
    });
}

#[test]
fn the_terminal_is_restored_after_quitting() {
    for quit in ["q", "\\x03"] {
        let steps = format!("Timeline=>n|=>?|=>x|=>{quit}");
        let Some(shown) = on_terminal("holds", &steps) else { return };
        assert!(shown.contains("MODE restored, STATUS 0, LEFT 0"), "{shown}");
        let left = shown.find(LEAVES).expect("the other screen is left");
        assert!(shown.find(ENTERS).is_some_and(|entered| entered < left), "{shown:?}");
        assert!(!shown.contains("\u{1b}[38;"), "colors: {shown:?}");
    }
}

#[test]
fn the_terminal_is_restored_before_the_message_of_a_panic() {
    let Some(shown) = on_terminal("panics", "") else { return };
    assert!(shown.contains("MODE restored"), "{shown}");
    let left = shown.find(LEAVES).expect("the other screen is left");
    let message = shown.find("planted panic").expect("the message");
    assert!(left < message, "{shown:?}");
}
