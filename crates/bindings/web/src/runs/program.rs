//! Runs a whole program: host code in the interpreter, kernels on the emulator.

use crate::compiled::{NAME, compiled, diagnostics_json, host_code, refused};
use crate::cuda::{Cuda, FUNCTIONS, keep_calls};
use crate::request::{RequestFailure, RunRequest};
use crate::watch::measure::Measuring;
use lanework_emulator::sanitize::readable_name;
use lanework_host::{HostFault, HostWatch, Process};
use serde_json::{Value, json};

/// Runs the program. The answer has its output, its exit code and all measurements.
///
/// # Errors
/// If it does not compile or has no `main`.
pub fn run(run: &RunRequest) -> Result<Value, RequestFailure> {
    let compiled = compiled(&run.source).map_err(|problems| refused(&problems))?;
    if !compiled.has_main {
        return Err(RequestFailure::new(
            "the source has no `main`",
            "choose a kernel and its arguments, or write a `main` that launches it",
        ));
    }
    let host = host_code(&run.source).map_err(|problems| refused(&problems))?;
    let measuring = Measuring::new(run, &compiled.ptx);
    let cuda = Cuda::new(run, compiled.module.clone(), measuring);
    let process = Process::load(&host.module, FUNCTIONS, Box::new(cuda));
    let mut process =
        process.map_err(|why| RequestFailure::new(why, "close other pages, or reload this one"))?;
    process.keep_output();
    process.watch(HostWatch {
        at: keep_calls,
        guards: |_| false,
        any_guard: || false,
        functions: None,
    });
    let arguments: Vec<String> =
        std::iter::once("./program".to_owned()).chain(run.arguments.iter().cloned()).collect();
    let ended = process.main(&arguments);
    let output = process.take_output();
    let Some(cuda) = process.environment.downcast_mut::<Cuda>() else {
        return Err(RequestFailure::new("the program's state is lost", "report this error"));
    };
    cuda.output.extend_from_slice(&output);
    let mut answer = cuda.measuring.json();
    answer["output"] = String::from_utf8_lossy(&cuda.output).into_owned().into();
    answer["exit"] = match &ended {
        Ok(code) => json!(code & 255),
        Err(_) => json!(134),
    };
    answer["host_fault"] = ended.err().as_ref().map_or(Value::Null, host_fault_json);
    answer["diagnostics"] = diagnostics_json(&compiled.diagnostics);
    Ok(answer)
}

/// A fault of host code as JSON, with its line in the source.
fn host_fault_json(fault: &HostFault) -> Value {
    let place = fault.places.iter().find(|(_, file, line)| file == NAME && *line > 0);
    json!({
        "message": fault.message,
        "help": fault.help,
        "line": place.map_or(0, |(.., line)| *line),
        "function": place.map_or(String::new(), |(name, ..)| readable_name(name).into_owned()),
    })
}
