//! A kernel of a PTX or CUDA C++ file: its entry, its launch, and its arguments, which are checked against
//! the parameters that the entry declares.

mod argument;
mod cached;
mod grid;
mod launch;
mod layout;
mod mangled;
mod operands;
mod signature;
pub mod source;
pub mod timing;
#[cfg(all(unix, feature = "host"))]
mod units;

pub use grid::{FileKernel, shape};
pub use launch::{
    Launched, Ready, arguments, emulator, emulator_options, given, launch, maps, upload,
};
pub use signature::{KernelParameter, Signature, Takes};

use crate::args::KernelArgs;
use lanework::ptx::Variable;
use lanework::ptx::cpp_names::readable;
use lanework::{Error, PtxModule};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use launch::parameters;
use mangled::{Pointee, cpp_parameters};

/// The entry to run: the one of this name, mangled or in C++, or the only one.
///
/// # Errors
/// If no entry has the name, or several do.
pub fn find_entry(module: &PtxModule, name: Option<&str>) -> Result<String, Failure> {
    let first = module.module().entries().next().filter(|_| name.is_none());
    module.find_entry(name).map_err(|error| match (error, first) {
        (Error::Request { why, help }, Some(first)) => {
            let line = operands::own_command_line(&["--entry", &readable(&first.name)]);
            Failure::input(why, format_args!("{help}; such as: {line}"))
        }
        (Error::Request { why, help }, None) => Failure::input(why, help),
        (other, _) => other.into(),
    })
}

/// Refuses an option that only `run` on the emulator has.
///
/// # Errors
/// If it was given.
pub fn no_fidelity(args: &KernelArgs) -> Result<(), Failure> {
    match args.fidelity {
        true => Err(Failure::input(
            "--fidelity is not used here",
            "`lanework run` with the same arguments and --fidelity lists the forms",
        )),
        false => Ok(()),
    }
}

/// The signature of an entry of the files.
pub fn signature(module: &PtxModule, entry: &str, args: &KernelArgs) -> Signature {
    Signature::of(module.module(), entry, args.files())
}

/// Checks the kinds of the arguments against the parameters of the entry.
///
/// # Errors
/// If a kind does not match: an integer for a float or the reverse, or memory for a number.
pub fn check_arguments(
    module: &PtxModule,
    signature: &Signature,
    ready: &[Ready],
) -> Result<(), Failure> {
    let mangled = &signature.entry;
    let Some(function) = module.module().entry(mangled) else { return Ok(()) };
    let ready = parameters(ready);
    let types = cpp_parameters(mangled).unwrap_or_default();
    let entry = &readable(mangled);
    let name = |index: usize| signature.parameters.get(index).map_or("", |one| one.name.as_str());
    function.params.iter().zip(ready).enumerate().try_for_each(|(index, (param, argument))| {
        let wanted = types.get(index).and_then(Option::as_ref);
        array_type(wanted, argument, (index, entry))?;
        element_kind(signature.parameters.get(index), argument, (index, entry))?;
        let Some(why) = mismatch(param, argument) else { return Ok(()) };
        Err(Failure::input(
            format_args!(
                "argument {} of `{entry}`, `{}`, {why}\n  kernel: {signature}",
                index + 1,
                name(index)
            ),
            "give a number without a type, which takes the parameter's; or struct:PART,PART for a struct",
        ))
    })
}

/// Compares the element type of a file's array with the type behind the pointer, which a mangled entry names. PTX
/// itself does not name it: a note then states the assumption, for types that are easily confused.
fn array_type(
    wanted: Option<&Pointee>,
    argument: &Ready,
    (index, entry): (usize, &str),
) -> Result<(), Failure> {
    let Ready::Memory { type_name: Some(stored), array, map: None, .. } = argument else {
        return Ok(());
    };
    let kind = stored.chars().nth(1).unwrap_or('?');
    let bytes = array.element.bytes;
    let number = index + 1;
    match wanted {
        Some(Pointee { name, kinds, bytes: wanted }) => {
            if kinds.contains(kind) && *wanted == bytes {
                return Ok(());
            }
            Err(Failure::input(
                format_args!(
                    "argument {number} of `{entry}` is a pointer to {name}; the array of the file has elements of {}",
                    in_words(kind, bytes)
                ),
                "save the array in the type of the kernel, such as a.astype(np.float32)",
            ))
        }
        None if kind == 'b' || kind == 'c' || kind == 'f' && bytes == 8 => {
            note(&format!(
                "note: argument {number} of `{entry}` is passed as {}: PTX does not say which type the kernel reads",
                in_words(kind, bytes)
            ));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Compares an array's elements with the type behind the pointer, where the source or the mangled entry names it: an
/// array of larger elements would hide accesses out of bounds, and integers would be read as floats. Bytes are memory of
/// any type.
fn element_kind(
    parameter: Option<&KernelParameter>,
    argument: &Ready,
    (index, entry): (usize, &str),
) -> Result<(), Failure> {
    let Some(Takes::Memory(Some((wanted, _)), _)) = parameter.map(|parameter| parameter.takes)
    else {
        return Ok(());
    };
    let Ready::Memory { array, map: None, .. } = argument else { return Ok(()) };
    let (number, given) = (index + 1, &array.element);
    let is_integer = |name: &str| name.starts_with(['i', 'u']);
    let alike = given.bytes == wanted.bytes && is_integer(given.name) == is_integer(wanted.name);
    if alike || given.bytes == 1 {
        return Ok(());
    }
    Err(Failure::input(
        format_args!(
            "argument {number} of `{entry}` is memory of {}; the array has elements of {}",
            wanted.name, given.name
        ),
        "leave the type out, such as in zeros:1000, or save the file in the type of the kernel",
    ))
}

/// A numpy type in words.
fn in_words(kind: char, bytes: usize) -> String {
    match kind {
        'f' => format!("float{}", 8 * bytes),
        'c' => format!("complex{}", 8 * bytes),
        'b' => "bool".to_owned(),
        'u' => format!("uint{}", 8 * bytes),
        _ => format!("int{}", 8 * bytes),
    }
}

/// Why an argument is not a value of a parameter. Parameters of bits (`.b32`) take any number of their size.
fn mismatch(param: &Variable, argument: &Ready) -> Option<String> {
    let (declared, bytes) = (param.ty.name(), param.size());
    let is_float = |name: &str| name.starts_with(['f', 'b']) && name.contains('f');
    match argument {
        Ready::Scalar(element, given) => {
            let contrary = match declared.chars().next() {
                Some('f') => !is_float(element.name),
                Some('u' | 's') => is_float(element.name),
                _ => false,
            };
            let fits = given.len() as u64 == bytes;
            match param.dims.is_empty() {
                true => (contrary || !fits)
                    .then(|| format!("is a .{declared}; {} was given", element.name)),
                // Arrays of bytes are structs.
                false => (!fits)
                    .then(|| format!("is a struct of {bytes} bytes; {} was given", element.name)),
            }
        }
        Ready::Struct(given) => {
            let size = given.size;
            (size != bytes).then(|| {
                format!("is a .{declared} of {bytes} bytes; a struct of {size} bytes was given")
            })
        }
        Ready::Memory { map: None, .. } => {
            (bytes != 8).then(|| format!("is a .{declared} of {bytes} bytes; an array was given"))
        }
        _ => None,
    }
}
