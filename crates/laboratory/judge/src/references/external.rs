//! References that are not formulas: a kernel, run on its own emulator, or a program that reads and writes `.npy` files
//! (version 1.0, little-endian, C order). Both run before a candidate is loaded.

use crate::problems::problem::{Argument, Problem};
use crate::references::approx::Approx;
use crate::references::expected::{Expected, Right};
use crate::task::{ELEMENTS, Element, Launch, Role, Task};
use crate::workers::{Bounds, Ended, run};
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
                let bytes = write(*element, shape, before);
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
        let (element, shape, data) = read(&bytes).map_err(|why| format!("{name}: {why}"))?;
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

/// The bytes of a file. NumPy has no bf16, so it becomes f32.
pub fn write(element: Element, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let (kind, data) = match element {
        Element::Bf16 => {
            let mut wide = Vec::new();
            element.read_all(bytes).iter().for_each(|value| Element::F32.put(*value, &mut wide));
            ("<f4", wide)
        }
        _ => (code(element), bytes.to_vec()),
    };
    let mut header = format!(
        "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}",
        extents.trim_end()
    );
    // The data start at a multiple of 64.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn code(element: Element) -> &'static str {
    match element {
        Element::F32 | Element::Bf16 => "<f4",
        Element::F64 => "<f8",
        Element::F16 => "<f2",
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::U32 => "<u4",
        Element::I32 => "<i4",
        Element::U64 => "<u8",
        Element::I64 => "<i8",
        // No task has the others; numpy's void has no numbers.
        _ => "|V1",
    }
}

/// An array of a file: its element type, its shape and its bytes.
pub type Read<'a> = (Element, Vec<u64>, &'a [u8]);

/// Reads a file.
///
/// # Errors
/// Why the file is not supported.
pub fn read(file: &[u8]) -> Result<Read<'_>, String> {
    let fail = |why: &str| Err(why.to_owned());
    let Some(rest) = file.strip_prefix(b"\x93NUMPY") else { return fail("it is not a .npy file") };
    let (start, length) = match rest {
        [1, _, a, b, ..] => (10, u16::from_le_bytes([*a, *b]) as usize),
        [2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        _ => return fail("its version is unknown"),
    };
    let Some(header) = file.get(start..start + length) else {
        return fail("its header is cut off");
    };
    let header = String::from_utf8_lossy(header);
    let after = |name: &str| {
        header.split(name).nth(1).unwrap_or_default().trim_start_matches([' ', ':', '\''])
    };
    let kind: String = after("'descr'").chars().take_while(|c| *c != '\'').collect();
    let Some(element) =
        ELEMENTS.into_iter().find(|one| code(*one) == kind && *one != Element::Bf16)
    else {
        return Err(format!("its elements are `{kind}`, which is not one of the types known here"));
    };
    if after("'fortran_order'").starts_with("True") {
        return fail("it is in Fortran order; write np.ascontiguousarray(x)");
    }
    let shape = after("'shape'").trim_start_matches('(');
    let shape = shape.split(')').next().unwrap_or_default().split(',').map(str::trim);
    let shape: Result<Vec<u64>, _> = shape.filter(|one| !one.is_empty()).map(str::parse).collect();
    let Ok(shape) = shape else { return fail("its shape is not understood") };
    let data = &file[start + length..];
    let count = shape.iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
    match count.and_then(|count| count.checked_mul(element.bytes() as u64)) {
        Some(bytes) if bytes == data.len() as u64 => Ok((element, shape, data)),
        _ => fail("its number of bytes does not match its shape"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_written() {
        let bytes: Vec<u8> = (0..24).collect();
        for (element, shape) in
            [(Element::F32, vec![2, 3]), (Element::F64, vec![3]), (Element::U8, vec![24])]
        {
            let file = write(element, &shape, &bytes);
            assert_eq!(read(&file), Ok((element, shape, &bytes[..])));
            assert!(read(&file[..file.len() - 1]).is_err());
        }
        assert!(read(b"nothing").is_err());
        let empty = write(Element::F32, &[0], &[]);
        assert_eq!(read(&empty), Ok((Element::F32, vec![0], &[][..])));
    }
}
