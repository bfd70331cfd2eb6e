//! `lanework exec`, and `look` and `inspect` on programs, as their users run them. The program that launches is this
//! command itself: it runs kernels through the library like any other.

use lanework_testing::skip;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

pub const LANEWORK: &str = env!("CARGO_BIN_EXE_lanework");

/// The folder of the planted bugs, from which their sources are found.
fn planted() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/lanework/tests/sanitizer"))
}

pub fn lanework(args: &[&str]) -> Output {
    let mut command = Command::new(LANEWORK);
    command.args(args).current_dir(planted()).output().expect("the command runs")
}

/// The command with a program that runs a kernel of the planted bugs.
fn under(tool: &[&str], run: &[&str]) -> Output {
    lanework(&[tool, &["--", LANEWORK, "run"], run].concat())
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const NO_BARRIER: [&str; 7] =
    ["ptx/races.ptx", "--entry", "no_barrier", "--block", "64", "--arg", "zeros:f32:64"];

/// A kernel that does nothing wrong.
pub const SOUND: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry double(.param .u64 x)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<2>;
    .reg .f32 %f<2>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.f32 %f1, [%rd1];
    add.f32 %f1, %f1, %f1;
    st.global.f32 [%rd1], %f1;
    ret;
}
";

/// The sound kernel in a file, and the words that run it.
fn sound() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("double.ptx");
    std::fs::write(&path, SOUND).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    let words = ["--grid", "1", "--block", "64", "--arg", "rand:f32:128"].map(str::to_owned);
    (folder, [vec![path], words.to_vec()].concat())
}

fn words(of: &[String]) -> Vec<&str> {
    of.iter().map(String::as_str).collect()
}

#[test]
fn exec_prints_findings_as_check_does_and_the_program_continues() {
    let of_check = lanework(&[&["check"], &NO_BARRIER[..]].concat());
    let output = under(&["exec"], &NO_BARRIER);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (shown, plain) = (text(&output.stdout), text(&of_check.stdout));
    // The finding is identical except for the module, which has no file name here.
    let message =
        |of: &str| of.lines().find(|line| line.contains("error[race]")).map(str::to_owned);
    assert_eq!(message(&shown), message(&plain));
    assert!(message(&shown).is_some(), "{shown}");
    assert!(shown.contains("tile[threadIdx.x] = threadIdx.x; // SEEN\n"), "{shown}");
    // The program printed its own result before the report: it was given no error.
    let own = shown.find("no_barrier").expect("the result of `run`");
    assert!(own < shown.find("error[race]").expect("the report"), "{shown}");
    assert!(text(&output.stderr).contains("1 error in no_barrier"), "{output:?}");
}

#[test]
fn exec_writes_the_json_and_sarif_of_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("found.sarif");
    let sarif = file.to_str().expect("UTF-8");
    let found = json(&under(&["exec", "--json", "--sarif", sarif], &NO_BARRIER));
    let plain = json(&lanework(&[&["check"], &NO_BARRIER[..], &["--json"]].concat()));
    for member in
        ["kind", "line", "column", "kernel", "block", "thread", "message", "count", "help"]
    {
        assert_eq!(found["reports"][0][member], plain["reports"][0][member], "{member}");
    }
    assert_eq!(found["checked"], plain["checked"]);
    assert_eq!(found["program"]["launches"], 1);
    assert_eq!(found["program"]["exit_code"], 0);
    let log: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "race");
}

#[test]
fn findings_are_junit_test_cases_and_annotations() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("found.xml");
    let junit = ["--junit", file.to_str().expect("UTF-8"), "--github"];
    let racy = under(&[&["exec", "--json"], &junit[..]].concat(), &NO_BARRIER);
    assert_eq!(json(&racy)["reports"][0]["kind"], "race");
    let xml = std::fs::read_to_string(&file).expect("written");
    assert!(xml.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(xml.contains("<testcase classname=\"lanework\" name=\"no_barrier\">"), "{xml}");
    assert!(xml.contains("<failure type=\"race\" message=\"race in shared memory"), "{xml}");
    let said = text(&racy.stderr);
    let line = said.lines().find(|line| line.starts_with("::error file=")).expect("an annotation");
    assert!(line.contains("races.cu,line="), "{line}");
    assert!(line.contains("title=race in no_barrier::race in shared memory"), "{line}");
    assert!(line.contains("%0Ahelp: put `__syncthreads()`"), "{line}");

    let (_folder, run) = sound();
    let clean = under(&[&["exec"], &junit[..]].concat(), &words(&run));
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
    let xml = std::fs::read_to_string(&file).expect("written");
    assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"0\""), "{xml}");
    assert!(xml.contains("name=\"double\"></testcase>"), "{xml}");
    assert!(!text(&clean.stderr).contains("::error"), "{clean:?}");

    let empty = lanework(&[&["exec"], &junit[..], &["--", "true"]].concat());
    // 10 if the libraries of the driver are not built.
    assert!(matches!(empty.status.code(), Some(10 | 11)), "{empty:?}");
    let xml = std::fs::read_to_string(&file).expect("written");
    assert!(xml.contains("failures=\"0\" errors=\"1\""), "{xml}");
    assert!(xml.contains("<error type=\"incomplete\""), "{xml}");
}

#[test]
fn without_findings_the_exit_code_is_the_programs() {
    let (_folder, run) = sound();
    let output = under(&["exec", "--check"], &words(&run));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("double: nothing to report"), "{output:?}");
    let failing = lanework(&["exec", "--", LANEWORK, "run", "no-such.ptx"]);
    assert_eq!(failing.status.code(), Some(2), "{failing:?}");
    assert!(text(&failing.stderr).contains("no launch was recorded"), "{failing:?}");
    let missing = lanework(&["exec", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    assert!(text(&missing.stderr).contains("/no/such/program cannot be started"), "{missing:?}");
}

#[test]
fn a_request_for_a_gpu_runs_on_the_emulator_with_a_note() {
    let (_folder, run) = sound();
    let output = under(&["exec"], &[&words(&run)[..], &["--device", "cuda:0"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("note: the program asked for cuda:0 and ran on the emulator"), "{said}");
}

#[test]
fn exec_and_profile_give_the_same_profile() {
    let (_folder, run) = sound();
    let mut of_program =
        json(&under(&["exec", "--profile", "--json"], &words(&run)))["kernels"][0].take();
    let mut plain =
        json(&lanework(&[&["profile"], &words(&run)[..], &["--json"]].concat()))[0].take();
    assert_eq!(of_program["launches"], 1);
    for of in [&mut of_program, &mut plain] {
        let object = of.as_object_mut().expect("a kernel");
        ["name", "launches"].iter().for_each(|member| drop(object.remove(*member)));
    }
    assert_eq!(of_program, plain, "counts, patterns and caches are those of the kernel alone");
    assert_eq!(plain["modeled_caches"]["l1_sectors"], 16);
    let table = |output: Output| {
        let shown = text(&output.stdout);
        let start = shown.find("  instructions ").unwrap_or_else(|| panic!("{shown}"));
        shown[start..].to_owned()
    };
    let of_program = table(under(&["exec", "--profile"], &words(&run)));
    assert_eq!(of_program, table(lanework(&[&["profile"], &words(&run)[..]].concat())));
}

/// `lanework check` makes a checked device itself: its launches are profiled and drawn, too.
#[test]
fn launches_that_the_program_checks_itself_are_profiled() {
    let (_folder, run) = sound();
    let of =
        |tool: &[&str]| lanework(&[tool, &["--", LANEWORK, "check"], &words(&run)[..]].concat());
    let profiled = json(&of(&["exec", "--profile", "--json"]));
    assert_eq!(profiled["kernels"][0]["counters"]["global_load"]["sectors"], 16);
    assert!(text(&of(&["look"]).stdout).contains("stride 8 B"));
}

#[cfg(unix)]
#[test]
fn launches_of_several_processes_are_put_together_and_a_killed_one_loses_nothing() {
    let (_folder, run) = sound();
    let both = format!(
        "{LANEWORK} run {} & {LANEWORK} run {} && wait && {LANEWORK} run {} && kill -9 $$",
        run.join(" "),
        NO_BARRIER.join(" "),
        run.join(" "),
    );
    let output = lanework(&["exec", "--json", "--", "sh", "-c", &both]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(found["program"]["processes"], 3);
    assert_eq!(found["program"]["launches"], 3);
    assert_eq!(found["program"]["exit_code"], 137, "as a shell says that it was killed");
    assert_eq!(found["reports"].as_array().map(Vec::len), Some(1));
    let output = lanework(&["exec", "--profile", "--json", "--", "sh", "-c", &both]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(137), "{output:?}");
    let kernels = found["kernels"].as_array().expect("kernels");
    let double = kernels.iter().find(|kernel| kernel["kernel"] == "double").expect("the kernel");
    assert_eq!((kernels.len(), &double["launches"]), (2, &2.into()), "launches are added up");
    assert_eq!(double["counters"]["global_load"]["requests"], 4);
}

#[test]
fn an_environment_variable_does_the_same() {
    let with = |tool: &str, run: &[&str]| {
        let mut command = Command::new(LANEWORK);
        command.arg("run").args(run).env("LANEWORK_TOOL", tool).current_dir(planted());
        command.output().expect("the command runs")
    };
    let output = with("check", &NO_BARRIER);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("error[race]: race in shared memory"), "{said}");
    assert!(said.contains("tile[threadIdx.x] = threadIdx.x; // SEEN\n"), "{said}");
    assert!(said.contains("error: 1 error in no_barrier"), "{said}");
    let (_folder, run) = sound();
    let output = with("check", &words(&run));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("double: nothing to report"), "{output:?}");
    let output = with("profile", &words(&run));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("2 requests, 16 sectors: 8.00 each"), "{output:?}");
}

#[test]
fn an_unknown_tool_is_refused() {
    let (_folder, run) = sound();
    let mut command = Command::new(LANEWORK);
    let output =
        command.arg("run").args(&run).env("LANEWORK_TOOL", "chekc").output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("LANEWORK_TOOL=chekc is not a tool"), "{output:?}");
}

#[test]
fn a_gpu_that_is_named_is_modeled_and_an_unknown_one_is_refused() {
    let (_folder, run) = sound();
    let tool = ["exec", "--profile", "--json", "--gpu", "rtx4090"];
    let profile = json(&under(&tool, &words(&run)));
    let occupancy = |profile: &Value| profile["kernels"][0]["resources"]["resident_blocks"].clone();
    assert_eq!(occupancy(&profile), 24, "blocks that a multiprocessor of an RTX 4090 holds");
    let of_h200 = json(&under(&tool[..3], &words(&run)));
    assert_eq!(occupancy(&of_h200), 32);
    let refused = under(&["exec", "--gpu", "h2000"], &words(&run));
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("no GPU is called `h2000`") && said.contains("RTX 4090"), "{said}");
}

#[test]
fn a_timeline_has_launches_and_copies() {
    let (folder, run) = sound();
    let file = folder.path().join("trace.json");
    let output = under(&["exec", "--trace", file.to_str().expect("UTF-8")], &words(&run));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let log: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON");
    let events = log["traceEvents"].as_array().expect("events");
    let named = |name: &str| events.iter().find(|event| event["name"] == name).expect("an event");
    assert_eq!(named("double")["args"]["global_sectors"], 32);
    assert_eq!(named("upload")["args"]["bytes"], 512);
    assert!(named("download")["ts"].as_u64() >= named("double")["ts"].as_u64());
}

#[test]
fn look_draws_a_kernel_of_a_program() {
    let (_folder, run) = sound();
    let drawn = |output: Output| {
        let shown = text(&output.stdout);
        let start = shown.find("global load of 4 B").unwrap_or_else(|| panic!("{output:?}"));
        shown[start..].to_owned()
    };
    let tool = ["look", "--kernel", "double", "--warp", "1"];
    let plain = drawn(lanework(&[&["look"], &words(&run)[..], &["--warp", "1"]].concat()));
    assert_eq!(drawn(under(&tool, &words(&run))), plain);
    assert!(plain.contains("stride 8 B"), "{plain}");
    let accesses = json(&under(&["look", "--json"], &words(&run)));
    assert_eq!((&accesses["kernel"], &accesses["warp"]), (&"double".into(), &0.into()));
    let none = under(&["look", "--kernel", "treble"], &words(&run));
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    let said = text(&none.stderr);
    assert!(said.contains("does not launch `treble`"), "{said}");
    assert!(said.contains("it launches: double"), "{said}");
    let line = under(&["look", "--line", "999"], &words(&run));
    assert_eq!(line.status.code(), Some(2), "{line:?}");
    assert!(
        text(&line.stderr).contains("line 999 accesses no global or shared memory"),
        "{line:?}"
    );
}

#[test]
fn inspect_shows_the_ptx_of_a_program() {
    let (_folder, run) = sound();
    let output = under(&["inspect", "--kernel", "double"], &words(&run));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = text(&output.stdout);
    assert!(shown.contains("entry double\n") && shown.contains("mul.wide.u32"), "{shown}");
    let all = json(&under(&["inspect", "--json"], &words(&run)));
    assert_eq!(all[0]["module"]["entries"][0]["name"], "double");
    assert_eq!(all[0]["ptx"], SOUND);
}

#[test]
fn a_program_may_be_given_without_a_separator() {
    let (_folder, run) = sound();
    let output = lanework(&[&["exec", "--profile", LANEWORK, "run"], &words(&run)[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("double"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_to_the_command_ends_the_program_and_the_report_is_written() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        // Under `nohup` every process inherits SIGHUP as ignored, and the command does not change that.
        if signal == "HUP" && hangup_is_ignored() {
            skip("a program that gets SIGHUP", "SIGHUP is ignored here, as under nohup");
            continue;
        }
        // `exec` makes `sleep` the shell's own process, which still runs after the launch.
        let program = format!(
            "{LANEWORK} run {} > /dev/null; echo launched; exec sleep 60",
            NO_BARRIER.join(" ")
        );
        let mut child = Command::new(LANEWORK)
            .args(["exec", "--json", "--", "sh", "-c", &program])
            .current_dir(planted())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        // With --json the program's output goes to standard error.
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while line.trim() != "launched" {
            line.clear();
            assert_ne!(errors.read_line(&mut line).expect("text"), 0, "the program ended early");
        }
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        std::thread::spawn(move || errors.read_to_string(&mut String::new()));
        let output = child.wait_with_output().expect("the command ends");
        let found = json(&output);
        assert_eq!(found["program"]["exit_code"], code, "{found}");
        assert_eq!(found["reports"].as_array().map(Vec::len), Some(1), "{found}");
    }
}

/// However a command ends, no process of its program stays.
#[cfg(target_os = "linux")]
#[test]
fn no_process_of_the_program_outlives_the_command() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let runs = |id: &str| {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // A process that ended stays as a zombie until its parent has waited for it.
        status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    };
    // The shell waits for a process of its own; when it is killed, that one is an orphan.
    let with_child = ["sh", "-c", "sleep 300 & echo $!; wait"];
    let alone = ["sh", "-c", "echo $$; exec sleep 300"];
    for (signal, program) in
        [("TERM", with_child), ("INT", with_child), ("KILL", alone), ("INT", alone)]
    {
        let mut child = Command::new(LANEWORK)
            .args(["exec", "--"])
            .args(program)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        let mut id = String::new();
        let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
        said.read_line(&mut id).expect("text");
        let id = id.trim();
        assert!(runs(id), "{signal}");
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        child.wait().expect("the command ends");
        let started = Instant::now();
        while runs(id) && started.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!runs(id), "{signal}: process {id} still runs");
    }
}

/// Whether this process ignores SIGHUP, by the lowest bit of the mask that Linux shows.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 1 != 0)
}

#[test]
fn a_check_without_a_grid_runs_one_block_of_a_kernel_without_block_indices() {
    let (_folder, run) = sound();
    let path = run[0].as_str();
    let check = |more: &[&str]| lanework(&[&["check", path], more].concat());
    let data = ["--arg", "rand:f32:1000"];
    let output = check(&[&["--block", "64"], &data[..]].concat());
    assert!(
        text(&output.stderr).contains("--grid 1: the kernel does not use blockIdx"),
        "{output:?}"
    );
    let refused = check(&data);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(text(&refused.stderr).contains("neither --grid nor --block is given"), "{refused:?}");
    let one = check(&[&["--grid", "1", "--block", "64"], &data[..]].concat());
    assert_eq!(one.status.code(), Some(0), "{one:?}");
    assert!(!text(&one.stderr).contains("--grid"), "{one:?}");
}

/// A file of numpy with elements of a type.
fn npy(path: &std::path::Path, descr: &str, bytes: &[u8], count: usize) {
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).expect("short").to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    std::fs::write(path, file).expect("written");
}

#[test]
fn arrays_of_another_type_are_refused_or_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, mangled) = (folder.path().join("plain.ptx"), folder.path().join("mangled.ptx"));
    std::fs::write(&plain, SOUND).expect("written");
    std::fs::write(&mangled, SOUND.replace("double(", "_Z6doublePf(")).expect("written");
    let array = folder.path().join("x.npy");
    npy(&array, "<f8", &[0; 512], 64);
    let argument = format!("in:{}", array.display());
    let check = |file: &std::path::Path| {
        lanework(&[
            "check",
            file.to_str().expect("UTF-8"),
            "--grid",
            "1",
            "--block",
            "64",
            "--arg",
            &argument,
        ])
    };
    let told = check(&plain);
    assert_eq!(told.status.code(), Some(0), "{told:?}");
    assert!(text(&told.stderr).contains("is passed as float64"), "{told:?}");
    let refused = check(&mangled);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(text(&refused.stderr).contains("is a pointer to float; the array"), "{refused:?}");
    npy(&array, "<f4", &[0; 512], 128);
    assert_eq!(check(&mangled).status.code(), Some(0));
}
