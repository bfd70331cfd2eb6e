//! Output of the commands on terminals of several widths, and in a pipe, compared with `golden/`;
//! `LANEWORK_BLESS=1 cargo test -p lanework-lab-cli --test it terminal` writes them anew.

#![cfg(unix)]

use lanework_testing::expect_file;
use lanework_testing::pty::OnTerminal;
use std::path::Path;
use std::process::Command;

/// A name, and the arguments of the command.
const SHOWN: [(&str, &[&str]); 3] = [
    ("experiments", &["experiments"]),
    ("coverage", &["coverage", "--opcode", "add"]),
    ("conform", &["conform", "--only", "add.rn", "--tuples", "128"]),
];

fn lanework_lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework-lab"));
    for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANGUAGE", "LC_ALL"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color").env("LANEWORK_LANG", "en").args(arguments);
    command
}

/// Without escape codes, and without text that a carriage return overwrites.
fn plain(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    let last = |line: &str| line.rsplit('\r').next().unwrap_or_default().to_owned();
    text.lines().map(|line| last(line) + "\n").collect()
}

#[test]
fn command_output_matches_the_golden_files() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    for (name, arguments) in SHOWN {
        for width in [80, 100, 160] {
            let shown = plain(&OnTerminal::start(lanework_lab(arguments), width).end().1);
            expect_file(golden.join(format!("{name}.{width}.txt")), &shown);
        }
        let output = lanework_lab(arguments).output().expect("the command runs");
        let shown = plain(&String::from_utf8_lossy(&output.stdout));
        expect_file(golden.join(format!("{name}.piped.txt")), &shown);
    }
}
