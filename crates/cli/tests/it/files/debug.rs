//! `lanework debug`, as its users run it: scripts, JSON, editors, and what it refuses.

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SOURCE: &str = "\
__global__ void reverse(const float* x, float* y, int n) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = x[t];
    y[t] = tile[n - 1 - t];
}
";

/// A folder with the kernel and a script.
fn folder(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cu"), SOURCE).expect("a file");
    std::fs::write(folder.path().join("script.txt"), script).expect("a file");
    folder
}

fn debug(folder: &Path, options: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lanework"))
        .args(["debug", "k.cu", "--grid", "1", "--block", "64", "rand:64", "zeros:64", "64"])
        .args(options)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that refuses its options does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_script_traces_a_race() {
    let folder = folder(
        "# the first thread\nlist 1\nbreak 5\ncontinue\nprint tile[n - 1 - t]\nwho wrote tile[63]\n",
    );
    let output = debug(folder.path(), &["--script", "script.txt"], "");
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{shown}{said}");
    assert!(shown.contains("> list 1\n>    1 | __global__ void reverse("), "{shown}");
    assert!(shown.contains("breakpoint 1: thread (0,0,0) of block (0,0,0), k.cu:5"), "{shown}");
    assert!(shown.contains("    5 |     y[t] = tile[n - 1 - t];"), "{shown}");
    assert!(shown.contains("(not written yet)"), "{shown}");
    assert!(shown.contains("wrote tile[63]: it is uninitialized"), "{shown}");
    let output = debug(folder.path(), &["--script", "script.txt", "--order", "reversed"], "");
    let shown = text(&output.stdout);
    assert!(shown.contains("breakpoint 1: thread (32,0,0)"), "the other warp is first: {shown}");
}

#[test]
fn typed_commands_and_json_have_the_same_replies() {
    let folder = folder("");
    let commands = "break 5 if t == 40\ncontinue\nprint t\nquit\nprint n\n";
    let output = debug(folder.path(), &[], commands);
    assert!(text(&output.stdout).contains("> print t\nt = 40\n"), "{}", text(&output.stdout));
    assert!(!text(&output.stdout).contains("n = 64"), "after `quit`");
    let output = debug(folder.path(), &["--json"], commands);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let replies = json["replies"].as_array().expect("replies");
    assert_eq!(replies.len(), 3);
    assert_eq!(replies[1]["thread"], 40);
    assert_eq!(replies[1]["line"], 5);
    assert_eq!(replies[2]["text"], "t = 40");
    assert_eq!(replies[2]["done"], true);
}

#[test]
fn an_editor_gets_the_protocol_only() {
    let folder = folder("");
    let body = r#"{"seq":1,"type":"request","command":"initialize","arguments":{}}"#;
    let request = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let output = debug(folder.path(), &["--dap"], &request);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("Content-Length: "), "{shown}");
    assert!(shown.contains("\"supportsStepBack\":true"), "{shown}");
}

#[test]
fn mistakes_end_with_status_2_and_a_remedy() {
    let folder = folder("dance\n");
    for (options, why) in [
        (&["--script", "script.txt"][..], "1 of the debugger's commands failed"),
        (&["--script", "missing.txt"], "missing.txt"),
        (&["--order", "sideways"], "an order is normal, reversed, or a number"),
        (&["--device", "cuda:0"], "the debugger runs on the emulator only"),
        (&["--script", "script.txt", "--dap"], "cannot be used with"),
    ] {
        let output = debug(folder.path(), options, "");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(why), "{options:?}: {said}");
    }
    for (target, why) in
        [("k", "`k` is neither a .ptx or .cu file nor a rung"), ("transpose/nave", "nave")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_lanework")).args(["debug", target]).output();
        let output = output.expect("the command runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

#[test]
fn the_screen_needs_a_terminal_and_excludes_other_interfaces() {
    let folder = folder("");
    let output = debug(folder.path(), &["--tui"], "");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    if cfg!(feature = "tui") {
        assert!(said.contains("--tui needs a terminal"), "{said}");
        assert!(said.contains("remove --tui"), "{said}");
    }
    for other in ["--dap", "--json", "--script=script.txt"] {
        let output = debug(folder.path(), &["--tui", other], "");
        assert_eq!(output.status.code(), Some(2), "{other}");
        assert!(text(&output.stderr).contains("cannot be used with"), "{other}");
    }
}

#[cfg(feature = "tui")]
#[test]
fn the_screen_starts_on_a_terminal_and_restores_it() {
    let folder = folder("");
    let kernel = ["debug", "k.cu", "--grid", "1", "--block", "64", "rand:64", "zeros:64", "64"];
    let steps = "Timeline=>f|=>\\r|=>4w|=>q";
    let Some(shown) = crate::pseudo_terminal::on_terminal(
        folder.path(),
        steps,
        &[&kernel[..], &["--tui"]].concat(),
    ) else {
        return;
    };
    assert!(shown.contains("MODE restored, STATUS 0, LEFT 0"), "{shown}");
    assert!(shown.contains("k.cu"), "{shown}");
}

#[test]
fn the_extension_for_an_editor_is_packaged_with_its_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let target = tempfile::tempdir().expect("a folder");
    let archive = target.path().join("lanework.vsix");
    let packaged = Command::new("python3").arg(folder.join("package.py")).arg(&archive).output();
    let Ok(packaged) = packaged else {
        return lanework_testing::skip("the package of the extension", "needs Python");
    };
    assert!(packaged.status.success(), "{packaged:?}");
    let listed = Command::new("python3").args(["-m", "zipfile", "-l"]).arg(&archive).output();
    let listed = text(&listed.expect("Python").stdout);
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("a page");
    let pictures: Vec<&str> = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| target.ends_with(".png"))
        .collect();
    assert!(!pictures.is_empty(), "the page has a picture");
    for name in ["package.json", "extension.js", "README.md"].iter().chain(&pictures) {
        assert!(listed.contains(&format!("extension/{name}")), "{name} is missing in\n{listed}");
    }
}
