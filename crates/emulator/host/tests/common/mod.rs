//! Runs host programs for the tests, interpreted and as machine code.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};
use lanework_host::{External, HostExecution, HostFault, Process};

/// The output of a program, and its end.
type Ended = (String, Result<i32, HostFault>);

/// Runs a program in every way, with these library functions and arguments. All ways must agree; returns the output and
/// the end.
pub fn run(
    source: &str,
    more: &[&[(&'static str, External)]],
    arguments: &[&str],
) -> (String, Result<i32, HostFault>) {
    let options = CompileOptions::default();
    let compiled = compile_host(source, "program.cu", &options, &mut NoFiles);
    let host = compiled.unwrap_or_else(|failure| panic!("{}", failure.text));
    let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    let run = |how: HostExecution| -> Ended {
        let mut process = Process::load(&host.module, more, Box::new(())).expect("memory");
        process.execute(how);
        process.keep_output();
        let ended = process.main(&arguments);
        (String::from_utf8_lossy(&process.take_output()).into_owned(), ended)
    };
    let expected = run(HostExecution::Interpreted);
    let later = HostExecution::CompiledAfter(200);
    for how in [HostExecution::Automatic, HostExecution::Compiled, later] {
        let found = run(how);
        let told = |ended: &Ended| without_numbers(&format!("{:?}", ended.1));
        assert_eq!(found.0, expected.0, "{how:?}");
        assert_eq!(told(&found), told(&expected), "{how:?}");
        let lines = |ended: &Ended| ended.1.as_ref().err().map(|fault| fault.places.clone());
        assert_eq!(lines(&found), lines(&expected), "{how:?}");
    }
    expected
}

/// The text without its numbers and addresses, which differ from run to run: memory is at another place each time.
/// A hexadecimal number loses its letters too.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut kept: String = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
    }
    kept.replace(char::is_numeric, "")
}

/// The output of a program that ends with code 0.
#[allow(dead_code, reason = "not every test uses it")]
pub fn output(source: &str) -> String {
    let (text, ended) = run(source, &[], &["program"]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    text
}
