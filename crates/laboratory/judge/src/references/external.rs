//! References that are not formulas: a kernel, run on its own emulator, or a program that reads and writes `.npy`
//! files. Both run before a candidate is loaded.

use crate::element::Element;
use crate::problems::problem::{Argument, Problem};
use crate::references::approx::Approx;
use crate::references::expected::{Expected, Right};
use crate::references::npy;
use crate::task::{Launch, Role, Task};
use crate::workers::process::{Bounds, Ended, run};
use lanework_runtime::emulator::{Blocks, Emulator, LaunchConfig, Options};
use lanework_runtime::ptx::Module;
use std::process::Command;

/// Memory limit of a program, and the limit of its output.
const MEMORY: u64 = 16 << 30;
const OUTPUT: u64 = 1 << 20;

/// The expected results from a kernel.
///
/// # Errors
/// Why the kernel fails.
pub fn of_kernel(
    task: &Task,
    problem: &Problem,
    (module, entry, launch): (&Module, &str, &Launch),
) -> Result<Vec<Expected>, String> {
    let options = Options { time_limit: Some(task.limits.launch), ..Options::default() };
    let emulator = Emulator::new(options);
    let program = emulator.load(module).map_err(|error| error.to_string())?;
    let mut addresses = Vec::new();
    for (parameter, argument) in task.parameters.iter().zip(&problem.arguments) {
        let address = match argument {
            Argument::Scalar { .. } => 0,
            Argument::Array { before, .. } => {
                let bytes = argument.bytes().max(1);
                let address =
                    emulator.allocate(bytes, &parameter.name).map_err(|error| error.to_string())?;
                emulator.write(address, before).map_err(|error| error.to_string())?;
                address
            }
        };
        addresses.push(address);
    }
    let arguments: Vec<Vec<u8>> = problem
        .arguments
        .iter()
        .zip(&addresses)
        .map(|(argument, address)| match argument {
            Argument::Scalar { bytes, .. } => bytes.clone(),
            Argument::Array { .. } => address.to_le_bytes().to_vec(),
        })
        .collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let shape = launch.shape(&problem.extents).map_err(|error| error.to_string())?;
    let config = LaunchConfig {
        entry,
        grid: shape.grid.to_array(),
        block: shape.block.to_array(),
        dynamic_shared: shape.dynamic_shared,
        blocks: Blocks::All,
        cluster: shape.cluster.map(lanework_runtime::Dim3::to_array),
        cooperative: shape.cooperative,
    };
    emulator.run(&program, &config, &arguments).map_err(|fault| fault.to_string())?;
    let mut expected = Vec::new();
    for (output, argument) in outputs(problem) {
        let mut bytes = vec![0; argument.bytes() as usize];
        emulator.read(addresses[output], &mut bytes).map_err(|error| error.to_string())?;
        let right = right_of(task.parameters[output].element, &bytes);
        expected.push(Expected { output, at: None, right });
    }
    Ok(expected)
}

/// The expected results from a program.
///
/// # Errors
/// Why the program fails.
pub fn of_command(
    task: &Task,
    problem: &Problem,
    command: &[String],
) -> Result<Vec<Expected>, String> {
    let [program, arguments @ ..] = command else { return Err("the command is empty".to_owned()) };
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let file = |name: &str| folder.path().join(format!("{name}.npy"));
    let mut scalars = serde_json::Map::new();
    for (parameter, argument) in task.parameters.iter().zip(&problem.arguments) {
        match argument {
            Argument::Scalar { value, .. } => {
                scalars.insert(parameter.name.clone(), (*value).into());
            }
            Argument::Array { role: Role::In | Role::InOut, element, shape, before } => {
                let bytes = npy::write(*element, shape, before);
                std::fs::write(file(&parameter.name), bytes).map_err(|error| error.to_string())?;
            }
            Argument::Array { .. } => {}
        }
    }
    let about = serde_json::json!({ "extents": problem.extents, "scalars": scalars });
    std::fs::write(folder.path().join("problem.json"), about.to_string())
        .map_err(|error| error.to_string())?;
    let base = std::path::absolute(&task.folder).map_err(|error| error.to_string())?;
    let bounds = Bounds { time: task.limits.launch, memory: MEMORY, output: OUTPUT };
    let mut started = Command::new(program);
    started.args(arguments).env("LANEWORK_PROBLEM", folder.path());
    let ended = run(&mut started, &base, Vec::new(), bounds)
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    match ended {
        Ended::Itself(true, ..) => {}
        Ended::Itself(false, _, said) => {
            return Err(format!("`{program}` failed:\n{}", said.trim_end()));
        }
        Ended::TooLong => {
            return Err(format!("`{program}` ran for more than {:?}", task.limits.launch));
        }
        Ended::TooLarge => {
            return Err(format!("`{program}` used more than {MEMORY} bytes of memory"));
        }
    }
    let mut expected = Vec::new();
    for (output, argument) in outputs(problem) {
        let name = format!("{}.out.npy", task.parameters[output].name);
        let bytes = std::fs::read(folder.path().join(&name))
            .map_err(|error| format!("`{program}` did not write {name}: {error}"))?;
        let (element, shape, data) = npy::read(&bytes).map_err(|why| format!("{name}: {why}"))?;
        let Argument::Array { shape: wanted, .. } = argument else { continue };
        if shape != *wanted {
            return Err(format!("{name} has the shape {shape:?}, `{wanted:?}` was expected"));
        }
        let is_float = task.parameters[output].element.is_float();
        if is_float != element.is_float() {
            return Err(format!("{name} holds {}, which does not fit the output", element.name()));
        }
        expected.push(Expected { output, at: None, right: right_of(element, data) });
    }
    Ok(expected)
}

fn outputs(problem: &Problem) -> impl Iterator<Item = (usize, &Argument)> {
    let is_output = |argument: &Argument| {
        matches!(argument, Argument::Array { role: Role::Out | Role::InOut, .. })
    };
    problem.arguments.iter().enumerate().filter(move |(_, argument)| is_output(argument))
}

fn right_of(element: Element, bytes: &[u8]) -> Right {
    match element.is_float() {
        true => Right::Numbers(element.read_all(bytes).into_iter().map(Approx::exact).collect()),
        false => {
            let chunks = bytes.chunks_exact(element.bytes());
            Right::Integers(chunks.map(|one| element.read_integer(one)).collect())
        }
    }
}
