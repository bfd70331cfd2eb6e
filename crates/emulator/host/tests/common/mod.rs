//! Runs host programs for the tests.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};
use lanework_host::Process;

/// The output of a program.
pub fn output(source: &str) -> String {
    let compiled = compile_host(source, "program.cu", &CompileOptions::default(), &mut NoFiles);
    let host = compiled.unwrap_or_else(|failure| panic!("{}", failure.text));
    let mut process = Process::load(&host.module, &[], Box::new(())).expect("memory");
    process.keep_output();
    let code = process.main(&["program".to_owned()]).map_err(|fault| fault.message);
    assert_eq!(code, Ok(0));
    String::from_utf8_lossy(&process.take_output()).into_owned()
}
