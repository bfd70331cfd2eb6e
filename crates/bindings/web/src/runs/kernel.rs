//! Runs one kernel with arguments that the user describes.

use crate::arguments::{Ready, prepare};
use crate::compiled::{CompiledSource, compiled, diagnostics_json, refused};
use crate::request::{KernelCall, RequestFailure, RunRequest};
use crate::watch::launching::Launching;
use crate::watch::measure::{Measuring, options};
use lanework_cuda_cpp::KernelSignature;
use lanework_emulator::{Emulator, Fault, LaunchConfig, Program};
use lanework_gpu_specs::specs;
use lanework_report::{Machine, ProfileRecord, machine};
use lanework_time::machine::GpuModel;
use serde_json::Value;
use std::sync::Arc;

/// A kernel with its device and its arguments.
pub struct Prepared {
    /// The device.
    pub emulator: Emulator,
    /// The loaded module.
    pub program: Arc<Program>,
    /// The kernel.
    pub signature: KernelSignature,
    /// Its arguments.
    pub arguments: Vec<Ready>,
}

/// Finds the kernel that a request names.
fn find<'a>(
    compiled: &'a CompiledSource,
    name: &str,
) -> Result<&'a KernelSignature, RequestFailure> {
    let kernels = &compiled.kernels;
    let found = match name {
        "" => kernels.first(),
        _ => kernels.iter().find(|kernel| kernel.entry == name || kernel.name == name),
    };
    found.ok_or_else(|| match kernels.is_empty() {
        true => RequestFailure::new(
            "the source has no kernel",
            "write a `__global__` function; a template needs an instantiation or a launch",
        ),
        false => {
            let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            RequestFailure::new(
                format!("there is no kernel `{name}`"),
                format!("kernels: {}", names.join(", ")),
            )
        }
    })
}

/// Compiles a source, loads it, and prepares the arguments of a kernel.
///
/// # Errors
/// If the source does not compile, or the call does not fit the kernel.
pub fn prepared(
    run: &RunRequest,
    call: &KernelCall,
    compiled: &CompiledSource,
) -> Result<Prepared, RequestFailure> {
    let signature = find(compiled, &call.entry)?.clone();
    if signature.parameters.len() != call.arguments.len() {
        let (takes, given) = (signature.parameters.len(), call.arguments.len());
        return Err(RequestFailure::new(
            format!("kernel `{}` takes {takes} arguments, {given} are given", signature.name),
            "fill in one field for each parameter",
        ));
    }
    let emulator = Emulator::new(options(run));
    let program = emulator.load_on_demand(&compiled.module);
    let program = program
        .map_err(|why| RequestFailure::new(why.to_string(), "change the code that it names"))?;
    let pairs = signature.parameters.iter().zip(&call.arguments);
    let arguments = pairs.map(|(parameter, text)| prepare(&emulator, parameter, text));
    let arguments = arguments.collect::<Result<Vec<Ready>, RequestFailure>>()?;
    Ok(Prepared { emulator, program, signature, arguments })
}

impl Prepared {
    fn config(&self, call: &KernelCall) -> LaunchConfig<'_> {
        LaunchConfig {
            dynamic_shared: call.shared,
            ..LaunchConfig::new(&self.signature.entry, call.grid, call.block)
        }
    }

    /// Launches the kernel.
    pub fn launch(&self, call: &KernelCall, measuring: &mut Measuring) {
        let config = self.config(call);
        let bytes: Vec<&[u8]> = self.arguments.iter().map(|ready| &ready.bytes[..]).collect();
        // `Measuring` keeps the fault for the answer.
        let _ = measuring.launch(&self.emulator, &self.program, &config, &bytes);
    }

    /// Does something with the launch that has no effect on memory.
    fn examine<T>(
        &self,
        call: &KernelCall,
        ptx: &str,
        what: impl FnOnce(&Launching<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let config = self.config(call);
        let arguments: Vec<&[u8]> = self.arguments.iter().map(|ready| &ready.bytes[..]).collect();
        what(&Launching {
            emulator: &self.emulator,
            program: &self.program,
            config: &config,
            arguments: &arguments,
            ptx,
        })
    }

    /// Counts the launch, without running it for its result; `None` if it stops.
    pub fn profile(&self, call: &KernelCall, ptx: &str) -> Option<ProfileRecord> {
        let gpu = specs().gpu("H200").map_or_else(Machine::h200, machine);
        self.examine(call, ptx, |launching| launching.profile(&gpu)).ok()
    }

    /// Predicts the time of the launch, without running it for its result.
    ///
    /// # Errors
    /// If the kernel stops, or the GPU is unknown.
    pub fn predict(
        &self,
        call: &KernelCall,
        ptx: &str,
        gpu: &str,
    ) -> Result<Value, RequestFailure> {
        let known = specs().gpu(gpu);
        let model = known.map(|gpu| GpuModel::named(&gpu.name)).ok_or_else(|| {
            RequestFailure::new(format!("the GPU `{gpu}` is not known"), "choose one of the table")
        })?;
        let predicted = self.examine(call, ptx, |launching| launching.predict(&model));
        predicted.map_err(|fault| RequestFailure::new(fault.message, fault.help))
    }
}

/// Runs a kernel. The answer has its output, its memory and all measurements.
///
/// # Errors
/// As [`prepared`].
pub fn run(run: &RunRequest, call: &KernelCall) -> Result<Value, RequestFailure> {
    let compiled = compiled(&run.source).map_err(|problems| refused(&problems))?;
    let prepared = prepared(run, call, &compiled)?;
    let mut measuring = Measuring::new(run, &compiled.ptx);
    prepared.launch(call, &mut measuring);
    let mut answer = measuring.json();
    let buffers = prepared.arguments.iter().filter_map(|ready| ready.memory.as_ref());
    answer["output"] = measuring.printed.clone().into();
    answer["buffers"] = buffers.map(|buffer| buffer.json(&prepared.emulator)).collect();
    answer["kernel"] = prepared.signature.name.clone().into();
    answer["diagnostics"] = diagnostics_json(&compiled.diagnostics);
    Ok(answer)
}
