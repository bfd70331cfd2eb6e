//! Compiles and launches kernels. Converts Python numbers to the bytes of a parameter by its PTX type.

use crate::memory::{Array, Regions};
use crate::report::{self, Drawings};
use lanework_runtime::emulator::Blocks;
use lanework_runtime::ptx::{Module, ScalarType, Variable};
use lanework_runtime::report::{By, Extras, Machine};
use lanework_runtime::{Device, Error, NvrtcError, PtxArg, PtxModule, PtxShape};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use serde_json::{Value, json};
use std::sync::OnceLock;

pyo3::create_exception!(
    lanework,
    LaunchError,
    PyRuntimeError,
    "A launch that cannot be made, or a kernel that was stopped: what, where, the cause and the remedy."
);

pyo3::create_exception!(
    lanework,
    SourceError,
    PyValueError,
    "A source that is not PTX, or that NVRTC refuses, with the place."
);

/// Targets of CUDA C++, tried in this order.
const TARGETS: [&str; 2] = ["80", "90a"];
/// Maximum total size of arrays, in bytes, for which accesses are drawn.
const DRAWN: usize = 256 << 20;

fn error(error: &Error) -> PyErr {
    match error {
        Error::Ptx(_) => SourceError::new_err(error.to_string()),
        _ => LaunchError::new_err(error.to_string()),
    }
}

/// Compiles CUDA C++ to PTX with NVRTC.
#[pyfunction]
pub fn compile(py: Python<'_>, source: &str, name: &str) -> PyResult<String> {
    py.detach(|| {
        let mut refused = None;
        for target in TARGETS {
            let architecture = format!("--gpu-architecture=compute_{target}");
            match lanework_runtime::compile_cuda(source, name, &[&architecture, "-lineinfo"]) {
                Ok(ptx) => return Ok(ptx),
                Err(NvrtcError::Missing(why)) => {
                    return Err(SourceError::new_err(format!(
                        "{name} is CUDA C++, and there is no compiler for it: {why}\n  = help: pip install nvidia-cuda-nvrtc, \
                         or give PTX (nvcc -ptx)"
                    )));
                }
                Err(NvrtcError::Compile(why) | NvrtcError::Library(why)) => {
                    refused.get_or_insert(why);
                }
            }
        }
        Err(SourceError::new_err(format!(
            "NVRTC did not compile {name}:\n{}\n  = help: correct the source; NVRTC takes device code only, without host code",
            refused.unwrap_or_default().trim_end()
        )))
    })
}

/// Parameters, as names and types.
type Parameters = Vec<(String, String)>;

/// Lists the entries of a PTX text, each with the names and types of its parameters.
#[pyfunction]
pub fn entries(ptx: &str) -> PyResult<Vec<(String, Parameters)>> {
    let module = Module::parse(ptx).map_err(|problems| error(&Error::Ptx(Box::new(problems))))?;
    let kind = |parameter: &Variable| match parameter.dims.is_empty() {
        true => format!(".{}", parameter.ty.name()),
        false => format!(".{}[{}]", parameter.ty.name(), parameter.size()),
    };
    let parameters = |parameter: &Variable| (parameter.name.clone(), kind(parameter));
    Ok(module
        .entries()
        .map(|entry| (entry.name.clone(), entry.params.iter().map(parameters).collect()))
        .collect())
}

/// An argument in the form that the kernel receives.
enum Passed {
    Bytes(Vec<u8>),
    /// The address of the array with this index.
    Address(usize),
}

/// The arguments of an entry.
struct Arguments {
    given: Vec<Passed>,
    arrays: Vec<Array>,
}

impl Arguments {
    fn of(module: &Module, entry: &str, objects: &[Bound<'_, PyAny>]) -> PyResult<Arguments> {
        let Some(function) = module.entry(entry) else {
            return Err(LaunchError::new_err(format!("there is no entry {entry}")));
        };
        if function.params.len() != objects.len() {
            let names: Vec<String> = function
                .params
                .iter()
                .map(|parameter| format!("{} ({} bytes)", parameter.name, parameter.size()))
                .collect();
            return Err(PyTypeError::new_err(format!(
                "{} arguments for the {} parameters of {entry}: {}",
                objects.len(),
                names.len(),
                names.join(", ")
            )));
        }
        let mut arguments = Arguments { given: Vec::new(), arrays: Vec::new() };
        for (index, (parameter, object)) in function.params.iter().zip(objects).enumerate() {
            let name = format!("args[{index}]");
            let pointer =
                parameter.dims.is_empty() && parameter.size() == 8 && !parameter.ty.is_float();
            let given = if object.is_none() && pointer {
                Passed::Bytes(vec![0; 8])
            } else if is_number(object)? {
                Passed::Bytes(number_bytes(object, parameter, &name)?)
            } else {
                let array = Array::of(object, name)?;
                if pointer {
                    arguments.arrays.push(array);
                    Passed::Address(arguments.arrays.len() - 1)
                } else if array.bytes as u64 == parameter.size() {
                    // SAFETY: `array` holds its object, which keeps `bytes` bytes at `address` alive; this thread holds the
                    // GIL, so no Python code writes them.
                    let bytes = unsafe {
                        std::slice::from_raw_parts(array.address as *const u8, array.bytes)
                    };
                    Passed::Bytes(bytes.to_vec())
                } else {
                    return Err(PyTypeError::new_err(format!(
                        "{} has {} bytes, and parameter `{}` takes a value of {}",
                        array.name,
                        array.bytes,
                        parameter.name,
                        parameter.size()
                    )));
                }
            };
            arguments.given.push(given);
        }
        Ok(arguments)
    }
}

/// The emulator of this process, either the plain or the checked one.
fn device(checked: bool) -> Device {
    static CHECKED: OnceLock<Device> = OnceLock::new();
    match checked {
        false => Device::emulator(),
        true => CHECKED.get_or_init(|| Device::emulator().sanitized()).clone(),
    }
}

/// The results of a launch: findings, counters, drawings.
struct LaunchReport {
    findings: Vec<Value>,
    stopped: Option<String>,
    counters: Value,
    uncounted: Option<String>,
    seen: Drawings,
    read_only: Vec<String>,
}

/// Launches an entry on arrays and numbers; returns the results as JSON.
#[pyfunction]
#[pyo3(signature = (ptx, entry, grid, block, arguments, shared, cluster, cooperative, check, draw))]
#[allow(clippy::too_many_arguments, reason = "the package gives them by name to its users")]
pub fn launch(
    py: Python<'_>,
    ptx: &str,
    entry: Option<&str>,
    grid: (u32, u32, u32),
    block: (u32, u32, u32),
    arguments: Vec<Bound<'_, PyAny>>,
    shared: u32,
    cluster: Option<(u32, u32, u32)>,
    cooperative: bool,
    check: bool,
    draw: bool,
) -> PyResult<String> {
    let plain = py.detach(|| device(false).load_ptx(ptx)).map_err(|e| error(&e))?;
    let entry = plain.find_entry(entry).map_err(|e| error(&e))?;
    let arguments = Arguments::of(plain.module(), &entry, &arguments)?;
    let shape = PtxShape {
        grid: grid.into(),
        block: block.into(),
        dynamic_shared: shared,
        cluster: cluster.map(Into::into),
        cooperative,
    };
    let told = py.detach(|| run(&plain, ptx, &entry, shape, &arguments, check, draw));
    let told = told.map_err(|e| error(&e))?;
    if !told.read_only.is_empty() {
        return Err(LaunchError::new_err(format!(
            "{entry} writes to {}, which is read-only: the array was not changed; pass a writable array",
            told.read_only.join(", ")
        )));
    }
    let record = json!({
        "entry": entry,
        "checked": check,
        "findings": told.findings,
        "stopped": told.stopped,
        "counters": told.counters,
        "uncounted": told.uncounted,
        "pictures": told.seen.drawings,
        "notes": told.seen.notes,
    });
    Ok(record.to_string())
}

fn run(
    plain: &PtxModule,
    text: &str,
    entry: &str,
    shape: PtxShape,
    arguments: &Arguments,
    check: bool,
    draw: bool,
) -> lanework_runtime::Result<LaunchReport> {
    let arrays: Vec<&Array> = arguments.arrays.iter().collect();
    let regions = Regions::of(&arrays);
    let values = |copies: &crate::memory::Copies| -> Vec<PtxArg<'static>> {
        let value = |given: &Passed| match given {
            Passed::Bytes(bytes) => PtxArg::Bytes(bytes.clone()),
            Passed::Address(index) => {
                let address = regions.address(copies, arrays[*index]);
                PtxArg::Bytes(address.to_le_bytes().to_vec())
            }
        };
        arguments.given.iter().map(value).collect()
    };
    let mut told = LaunchReport {
        findings: Vec::new(),
        stopped: None,
        counters: Value::Null,
        uncounted: None,
        seen: Drawings::default(),
        read_only: Vec::new(),
    };
    let counted = regions.upload(&device(false))?;
    match plain.profile(entry, shape, &values(&counted), Blocks::All) {
        Ok(profile) => {
            let record = lanework_runtime::report::record(
                &profile.counted(),
                Extras::default(),
                By::Source,
                &Machine::h200(),
            );
            let bytes: usize = arrays.iter().map(|array| array.bytes).sum();
            if draw && bytes <= DRAWN {
                let copies = regions.upload(&device(false))?;
                let memory = (&regions, &copies, arrays.as_slice());
                told.seen =
                    report::draw(plain, entry, shape, &values(&copies), &record, memory, text)?;
            }
            told.counters = serde_json::to_value(&record).unwrap_or_default();
        }
        Err(error) if check && error.is_kernel_fault() => told.uncounted = Some(error.to_string()),
        Err(error) => return Err(error),
    }
    if !check {
        told.read_only = regions.download(&counted, &arrays)?;
        return Ok(told);
    }
    let device = device(true);
    let module = device.load_ptx(text)?;
    let copies = regions.upload(&device)?;
    // SAFETY: the emulator checks every access.
    match unsafe { module.launch(entry, shape, &values(&copies)) } {
        Ok(_) => {}
        Err(Error::Sanitizer(reports)) => {
            told.findings = reports.found.iter().map(report::findings_json).collect();
            told.stopped = reports.stopped.map(|fault| fault.to_string());
        }
        Err(error) if error.is_kernel_fault() => told.stopped = Some(error.to_string()),
        Err(error) => return Err(error),
    }
    told.read_only = regions.download(&copies, &arrays)?;
    Ok(told)
}

/// Whether an object is a number rather than an array.
fn is_number(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyBool>()
        || object.is_instance_of::<PyComplex>()
    {
        return Ok(true);
    }
    let modules = object.py().import("sys")?.getattr("modules")?;
    let numpy = modules.call_method1("get", ("numpy",))?;
    if numpy.is_none() {
        return Ok(false);
    }
    object.is_instance(&numpy.getattr("generic")?)
}

/// Converts a number to the bytes of a parameter.
///
/// # Errors
/// If the parameter has another kind of type, or is too small.
fn number_bytes(object: &Bound<'_, PyAny>, parameter: &Variable, name: &str) -> PyResult<Vec<u8>> {
    let size = parameter.size() as usize;
    if !parameter.dims.is_empty() || parameter.vector != 1 {
        return of_structure(object, size, name);
    }
    if parameter.ty.is_float() {
        let value: f64 = object.extract().map_err(|_| wrong(object, parameter, name))?;
        return Ok(match parameter.ty {
            ScalarType::F32 => (value as f32).to_le_bytes().to_vec(),
            ScalarType::F64 => value.to_le_bytes().to_vec(),
            _ => return Err(wrong(object, parameter, name)),
        });
    }
    // A parameter of untyped bits may hold a float.
    let bits = matches!(parameter.ty, ScalarType::B32 | ScalarType::B64);
    if bits && object.is_instance_of::<PyFloat>() {
        let value: f64 = object.extract()?;
        return Ok(if size == 4 {
            (value as f32).to_le_bytes().to_vec()
        } else {
            value.to_le_bytes().to_vec()
        });
    }
    let index = object.call_method0("__index__").map_err(|_| wrong(object, parameter, name))?;
    let value: i128 = index.extract().map_err(|_| wrong(object, parameter, name))?;
    // Compilers declare `int` as `.u32`, so negative numbers are valid, too.
    let bits = 8 * size as u32;
    let fits = bits < 127 && value >= -(1i128 << (bits - 1)) && value < 1i128 << bits;
    match fits {
        true => Ok(value.to_le_bytes()[..size].to_vec()),
        false => Err(PyOverflowError::new_err(format!(
            "{name} is {value}, and parameter `{}` is a .{} of {size} bytes",
            parameter.name,
            parameter.ty.name()
        ))),
    }
}

/// The bytes of a number for a structure: a complex number, or a NumPy scalar of its size (half precision, records).
fn of_structure(object: &Bound<'_, PyAny>, size: usize, name: &str) -> PyResult<Vec<u8>> {
    if object.is_instance_of::<PyComplex>() && (size == 8 || size == 16) {
        let parts = [object.getattr("real")?.extract::<f64>()?, object.getattr("imag")?.extract()?];
        return Ok(match size {
            8 => parts.iter().flat_map(|part| (*part as f32).to_le_bytes()).collect(),
            _ => parts.iter().flat_map(|part| part.to_le_bytes()).collect(),
        });
    }
    let bytes: Option<Vec<u8>> =
        object.call_method0("tobytes").ok().and_then(|bytes| bytes.extract().ok());
    match bytes {
        Some(bytes) if bytes.len() == size => Ok(bytes),
        _ => Err(PyTypeError::new_err(format!(
            "{name} is for a structure of {size} bytes: pass as many bytes, a ctypes.Structure, or a NumPy scalar of that size"
        ))),
    }
}

fn wrong(object: &Bound<'_, PyAny>, parameter: &Variable, name: &str) -> PyErr {
    let kind = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!(
        "{name} is a {kind}, and parameter `{}` is a .{} of {} bytes",
        parameter.name,
        parameter.ty.name(),
        parameter.size()
    ))
}
