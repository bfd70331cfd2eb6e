//! Tests of the commands' output on terminals of several widths, and piped, against golden files in
//! `tests/terminal/golden`; `LANEWORK_BLESS=1 cargo test -p lanework-cli --test it terminal` writes them
//! anew.

use lanework::report::layout::columns;
use lanework_testing::expect_file;
use lanework_testing::pty::OnTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

const PTX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal/kernels.ptx");

const CLIMB: [&str; 8] = [
    "climb",
    "sgemm",
    "--size",
    "64",
    "--rungs",
    "uncoalesced,shared,tile-2d,vectorized",
    "--device",
    "emulator",
];

/// Commands with tables and pictures: a name, and the arguments after `lanework`.
const SHOWN: &[(&str, &[&str])] = &[
    ("climb", &CLIMB),
    ("climb-transpose", &["climb", "transpose", "--size", "64", "--device", "emulator"]),
    ("sweep", &["sweep", "int-matmul", "--size", "32,64", "--tile", "8", "--device", "emulator"]),
    (
        "run",
        &["run", PTX, "--entry", "copy", "--block", "32", "--arg", "rand:u32:32", "--fidelity"],
    ),
    ("check", &["check", PTX, "--entry", "past", "--block", "32", "--arg", "zeros:u32:32"]),
    ("profile", &["profile", "transpose/unpadded", "--size", "64"]),
    ("look-sectors", &["look", "transpose/naive", "--size", "64"]),
    ("look-banks", &["look", "transpose/unpadded", "--size", "64"]),
    ("inspect", &["inspect", PTX]),
    ("list", &["list"]),
    ("gpus", &["gpus"]),
    ("streams", &["streams", "--size", "4096", "--device", "emulator"]),
    #[cfg(feature = "history")]
    ("history", &["history", "--store", "no-such-store.db"]),
];

/// Help, whose text changes with every option: it has to fit, and is not held to a golden file.
const HELP: [(&str, &[&str]); 5] = [
    ("help", &["--help"]),
    ("help of climb", &["climb", "--help"]),
    ("help of run", &["run", "--help"]),
    ("help of run on a file", &["run", "kernel.ptx", "--help"]),
    ("help of exec", &["exec", "--help"]),
];

fn lanework(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let changing = ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANGUAGE", "LC_ALL"];
    for name in changing {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color").env("LANEWORK_LANG", "en");
    command.args(arguments);
    command
}

/// Standard output and standard error of a command in a pipe.
fn piped(arguments: &[&str], width: Option<u16>) -> String {
    let mut command = lanework(arguments);
    command.envs(width.map(|width| ("COLUMNS", width.to_string())));
    let output = command.output().expect("the command runs");
    // On a slow machine lines of progress come between.
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors = errors.lines().filter(|line| !line.ends_with(" left") && !line.ends_with(" s"));
    let errors: String = errors.map(|line| format!("{line}\n")).collect();
    String::from_utf8_lossy(&output.stdout).into_owned() + &errors
}

/// The output of a command on a terminal, with escape codes.
fn on_terminal(arguments: &[&str], width: u16) -> String {
    OnTerminal::start(lanework(arguments), width).end().1
}

/// Without escape codes, and without text that a carriage return overwrites.
fn plain(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    let last = |line: &str| line.rsplit('\r').next().unwrap_or_default().to_owned();
    text.split('\n').map(last).collect::<Vec<_>>().join("\n")
}

/// Without what differs from run to run or machine to machine: times of the host, and paths of this checkout.
fn steady(text: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let version = format!("driver {}", env!("CARGO_PKG_VERSION"));
    let text = text.replace(folder, "").replace(&version, "driver VERSION");
    let lines = text.lines().filter(|line| !line.starts_with("host ("));
    lines.map(|line| format!("{line}\n")).collect()
}

fn golden(name: &str, kind: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/golden");
    folder.join(format!("{name}.{kind}.txt"))
}

#[test]
fn command_output_matches_the_golden_files() {
    for &(name, arguments) in SHOWN {
        for width in [80, 100, 160] {
            let shown = steady(&plain(&on_terminal(arguments, width)));
            expect_file(golden(name, &width.to_string()), &shown);
        }
        expect_file(golden(name, "piped"), &steady(&piped(arguments, None)));
    }
}

#[test]
#[ignore = "slow: runs every command at several widths"]
fn no_line_is_longer_than_the_terminal_is_wide() {
    // Words as long as a line, such as paths, stay whole; quoted source is not wrapped.
    let may_be_long = |line: &str| {
        line.split_whitespace().any(|word| columns(word) > 50) || line.trim_start().starts_with('|')
    };
    for (name, arguments) in SHOWN.iter().copied().chain(HELP) {
        for width in [60, 72, 80] {
            let shown = plain(&piped(arguments, Some(width)));
            for line in shown.lines().filter(|line| !may_be_long(line)) {
                let wide = columns(line);
                assert!(wide <= width.into(), "{name} at {width}: {wide} columns: {line}");
            }
        }
    }
}

#[test]
fn a_pipe_with_columns_gets_the_output_of_a_terminal_of_that_width() {
    for &(name, arguments) in SHOWN {
        let shown = steady(&plain(&on_terminal(arguments, 90)));
        assert_eq!(shown, steady(&piped(arguments, Some(90))), "{name}");
    }
}

#[test]
fn every_column_is_shown_on_request_and_in_a_pipe() {
    let climb = CLIMB;
    let narrow = piped(&climb, Some(80));
    assert!(narrow.contains("Too narrow for") && !narrow.contains("beyond"), "{narrow}");
    for all in [piped(&climb, None), piped(&[&climb[..], &["--columns", "all"]].concat(), Some(80))]
    {
        assert!(all.contains("beyond") && !all.contains("Too narrow for"), "{all}");
    }
    let two = piped(&[&climb[..], &["--columns", "lanes,regs"]].concat(), Some(80));
    assert!(two.lines().any(|line| line == "rung         lanes  regs"), "{two}");
    let unknown = lanework(&[&climb[..], &["--columns", "lane"]].concat()).output().expect("runs");
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert_eq!(unknown.status.code(), Some(2), "{said}");
    assert!(said.contains("--columns lane") && said.contains("lanes"), "{said}");
}

#[test]
fn color_is_used_on_terminals_or_on_request() {
    let climb = ["climb", "transpose", "--size", "64", "--device", "emulator"];
    let escapes = |text: &str| text.contains("\u{1b}[3");
    let always = [&climb[..], &["--color", "always"]].concat();
    let never = [&climb[..], &["--color=never"]].concat();
    assert!(escapes(&on_terminal(&climb, 100)));
    assert!(!escapes(&on_terminal(&never, 100)));
    assert!(!escapes(&piped(&climb, None)));
    assert!(escapes(&piped(&always, None)));
    let with = |name: &str, arguments: &[&str]| {
        let mut command = lanework(arguments);
        command.env(name, "1");
        command
    };
    assert!(!escapes(&OnTerminal::start(with("NO_COLOR", &climb), 100).end().1));
    let forced = with("CLICOLOR_FORCE", &climb).output().expect("runs").stdout;
    assert!(escapes(&String::from_utf8_lossy(&forced)));
    // Errors and help follow the option, too.
    let wrong = ["climb", "transpsoe", "--color"];
    assert!(escapes(&piped(&[&wrong[..], &["always"]].concat(), None)));
    assert!(!on_terminal(&[&wrong[..], &["never"]].concat(), 80).contains('\u{1b}'));
    assert!(!on_terminal(&["list", "--help", "--color", "never"], 80).contains('\u{1b}'));
    let refused = lanework(&[&wrong[..], &["sometimes"]].concat()).output().expect("runs");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn json_output_has_no_color_and_no_other_text() {
    let climb = ["climb", "transpose", "--size", "64", "--device", "emulator", "--json"];
    for arguments in [&climb[..], &[&climb[..], &["--color", "always"]].concat()] {
        let output = lanework(arguments).output().expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with('{') && !text.contains('\u{1b}'), "{text}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn ctrl_c_clears_the_line_of_progress_and_ends_the_command_by_its_signal() {
    let endless =
        ["run", PTX, "--entry", "endless", "--arg", "zeros:u32:1", "--device", "emulator"];
    let mut command = OnTerminal::start(lanework(&endless), 80);
    command.wait_for("running: emulator");
    command.interrupt();
    let (status, shown) = command.end();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(2), "{status:?} {shown:?}");
    assert!(shown.ends_with("\r\u{1b}[2K"), "{shown:?}");
    let lines = plain(&shown.replace("\u{1b}[K", "").replace("^C", ""));
    assert_eq!(lines, "", "nothing is left: {shown:?}");
    for line in shown.split('\r') {
        let line = anstream::adapter::strip_str(line).to_string();
        assert!(columns(&line) < 80 + "^C".len(), "{line}");
    }
}
