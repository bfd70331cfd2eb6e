//! A command whose feature is missing names the feature and the build that has it.

use std::process::Command;

#[test]
fn a_command_of_a_missing_feature_names_it() {
    let climb = ["climb", "transpose", "--size", "32", "--device", "emulator", "--save"];
    for (feature, is_built, line) in [
        ("history", cfg!(feature = "history"), &["history"][..]),
        ("history", cfg!(feature = "history"), &climb),
        ("history", cfg!(feature = "history"), &["compare", "--last"]),
        ("judge", cfg!(feature = "judge"), &["judge", "task.toml", "--kinds"]),
        ("mcp", cfg!(feature = "mcp"), &["mcp"]),
        ("tui", cfg!(feature = "tui"), &["debug", "k.cu", "--tui"]),
        ("report", cfg!(feature = "report"), &["report"]),
    ] {
        if is_built {
            continue;
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
        let output = command.args(line).env("LANEWORK_LANG", "en").output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {said}");
        assert!(said.contains(&format!("built without the feature `{feature}`")), "{said}");
        assert!(said.contains(&format!("-p lanework-cli --features {feature}")), "{said}");
    }
}
