//! `lanework new`, as its users run it: the project builds, and its test, program and benchmark succeed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn lanework(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.args(args).current_dir(folder).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs cargo offline in a project, with a target folder that later runs reuse.
fn cargo(project: &Path, args: &[&str]) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).arg("--offline").current_dir(project);
    command.env("CARGO_TARGET_DIR", target).env_remove("CARGO_ENCODED_RUSTFLAGS");
    // Remove variables that the tests of this repository set: a user does not have them.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PROFILE_") || name.starts_with("LANEWORK_") {
            command.env_remove(name);
        }
    }
    command.output().expect("cargo runs")
}

#[test]
#[ignore = "slow: builds a project of its own"]
fn a_project_builds_and_its_test_program_and_benchmark_succeed() {
    let folder = tempfile::tempdir().expect("a folder");
    let checkout = std::fs::canonicalize(checkout()).expect("the checkout");
    let path = checkout.to_str().expect("UTF-8");
    let made = lanework(folder.path(), &["new", "my-kernels", "--path", path]);
    assert!(made.status.success(), "{made:?}");
    let project = folder.path().join("my-kernels");
    std::fs::copy(checkout.join("Cargo.lock"), project.join("Cargo.lock")).expect("copied");
    let test = cargo(&project, &["test"]);
    let (said, complained) = (text(&test.stdout), text(&test.stderr));
    assert!(test.status.success(), "{said}{complained}");
    assert!(
        said.contains("it_computes_what_the_host_does_and_does_nothing_wrong ... ok"),
        "{said}"
    );
    assert!(
        !complained.contains("without optimization"),
        "the profile lines are there: {complained}"
    );
    assert!(!complained.contains("warning"), "{complained}");
    let run = cargo(&project, &["run", "--quiet"]);
    assert!(text(&run.stdout).contains("3 * 1 + 2 = 5"), "{run:?}");
    // Use the dev profile again: a release build, as a user has it, would take a minute.
    let bench = cargo(&project, &["bench", "--profile", "dev"]);
    let said = text(&bench.stdout);
    assert!(said.contains("saxpy on the emulator, which does not model time"), "{bench:?}");
    assert!(said.contains("verified (bit-exact)") && bench.status.success(), "{bench:?}");
    // Tools reach the kernels of the project.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new/debug/my-kernels");
    let checked = lanework(&project, &["exec", "--", target.to_str().expect("UTF-8")]);
    assert!(text(&checked.stdout).contains("saxpy: nothing to report"), "{checked:?}");
    // A folder that is not empty is not changed.
    let again = lanework(folder.path(), &["new", "my-kernels", "--path", path]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    assert!(text(&again.stderr).contains("exists, and is not an empty folder"), "{again:?}");
}

#[test]
fn a_project_inside_another_workspace_is_independent() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = []\n")
        .expect("written");
    let made = lanework(folder.path(), &["new", "inner", "--published"]);
    assert!(made.status.success(), "{made:?}");
    let manifest = std::fs::read_to_string(folder.path().join("inner/Cargo.toml")).expect("made");
    assert!(manifest.ends_with("[workspace]\n"), "{manifest}");
    assert!(manifest.contains(&format!("lanework = \"{}\"", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_project_depends_on_the_checkout_that_the_command_was_built_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = lanework(folder.path(), &["new", "kernels"]);
    assert!(made.status.success(), "{made:?}");
    assert!(text(&made.stdout).contains("It depends on the checkout"), "{made:?}");
    let manifest = std::fs::read_to_string(folder.path().join("kernels/Cargo.toml")).expect("made");
    assert!(manifest.contains("runtime/lanework' }"), "{manifest}");
}

#[test]
fn invalid_projects_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (args, why) in [
        (&["new", "9lives"][..], "`9lives` cannot be the name of a package"),
        (
            &["new", "ok", "--path", "/no/such/folder"],
            "/no/such/folder is not a checkout of Lanework",
        ),
    ] {
        let refused = lanework(folder.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(text(&refused.stderr).contains(why), "{refused:?}");
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("the folder").count(),
        0,
        "nothing was made"
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), "").expect("written");
    let made = lanework(folder.path(), &["new", "file/inner"]);
    assert_eq!(made.status.code(), Some(2), "{made:?}");
    let said = text(&made.stderr);
    assert!(said.contains("file/inner cannot be written") && said.contains("help"), "{said}");
}
