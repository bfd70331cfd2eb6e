//! A kernel of a PTX or CUDA C++ file: its entry, its launch, and its arguments, which are checked against
//! the parameters that the entry declares.

mod argument;
mod launch;
pub mod source;
pub mod timing;

pub use launch::{Ready, arguments, emulator, given, launch, maps, upload};

use crate::args::KernelArgs;
use lanework::ptx::Variable;
use lanework::{Error, PtxModule};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use launch::parameters;

/// The entry to run: the one of this name, mangled or in C++, or the only one.
///
/// # Errors
/// If no entry has the name, or several do.
pub fn find_entry(module: &PtxModule, name: Option<&str>) -> Result<String, Failure> {
    module.find_entry(name).map_err(|error| match error {
        Error::Request { why, help } => Failure::input(why, help),
        other => other.into(),
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

/// Checks the arguments against the parameters of the entry: their number, and the kinds of scalars.
///
/// # Errors
/// If their number differs from the parameters', or if a kind does not match: an integer for a float or the
/// reverse, or memory for a number.
pub fn check_arguments(module: &PtxModule, entry: &str, ready: &[Ready]) -> Result<(), Failure> {
    let Some(function) = module.module().entry(entry) else { return Ok(()) };
    let ready = parameters(ready);
    if function.params.len() == ready.len() {
        let types = cpp_parameters(entry).unwrap_or_default();
        let mut pairs = function.params.iter().zip(ready).enumerate();
        return pairs.try_for_each(|(index, (param, argument))| {
            let wanted = types.get(index).and_then(Option::as_ref);
            array_type(wanted, argument, (index, entry))?;
            let Some(why) = mismatch(param, argument) else { return Ok(()) };
            Err(Failure::input(
                format_args!("argument {} of `{entry}`, `{}`, {why}", index + 1, param.name),
                "give the type that the kernel declares, or struct:PART,PART for a struct; `lanework inspect` lists its parameters",
            ))
        });
    }
    let wanted: Vec<String> =
        function.params.iter().map(|p| format!("{} ({} bytes)", p.name, p.size())).collect();
    let help = match wanted.as_slice() {
        [] => "the entry takes none".to_owned(),
        _ => format!(
            "give one --arg for each of {}, such as `--arg f32:2.0`, or `--arg zeros:f32:1000` for a \
             pointer; `lanework run k.ptx --help` lists the forms",
            wanted.join(", ")
        ),
    };
    Err(Failure::input(
        format_args!("`{entry}` has {} parameters; arguments given: {}", wanted.len(), ready.len()),
        help,
    ))
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

/// The type behind a pointer: its name in C++, the kinds of numpy that match it, and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pointee {
    name: &'static str,
    kinds: &'static str,
    bytes: usize,
}

/// The letters of plain types in mangled names (Itanium ABI, section 5.1.5.2).
const PLAIN: [(char, &str, &str, usize); 13] = [
    ('b', "bool", "bu", 1),
    ('c', "char", "iu", 1),
    ('a', "signed char", "iu", 1),
    ('h', "unsigned char", "iu", 1),
    ('s', "short", "iu", 2),
    ('t', "unsigned short", "iu", 2),
    ('i', "int", "iu", 4),
    ('j', "unsigned int", "iu", 4),
    ('l', "long", "iu", 8),
    ('m', "unsigned long", "iu", 8),
    ('x', "long long", "iu", 8),
    ('f', "float", "f", 4),
    ('d', "double", "f", 8),
];

/// The types behind the pointers that a mangled function takes, if they are plain types; `None` for
/// names that are not mangled, nested or of a template.
fn cpp_parameters(entry: &str) -> Option<Vec<Option<Pointee>>> {
    let rest = entry.strip_prefix("_Z")?;
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let length: usize = rest.get(..digits)?.parse().ok()?;
    let mut rest = rest.get(digits + length..)?;
    let mut all: Vec<Option<Pointee>> = Vec::new();
    // Substitutions: pointers and qualified types, in their order.
    let mut seen: Vec<Option<Pointee>> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (found, after) = one_parameter(rest, first, &mut seen)?;
        all.push(found);
        rest = after;
    }
    Some(all)
}

/// One parameter, and the text after it; `None` for unsupported types.
fn one_parameter<'t>(
    text: &'t str,
    first: char,
    seen: &mut Vec<Option<Pointee>>,
) -> Option<(Option<Pointee>, &'t str)> {
    if first == 'S' {
        let (index, rest) = text[1..].split_once('_')?;
        let index = if index.is_empty() { 0 } else { usize::from_str_radix(index, 36).ok()? + 1 };
        return Some((seen.get(index)?.clone(), rest));
    }
    let (pointers, mut rest) = match text.strip_prefix('P') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    rest = rest.trim_start_matches('r');
    let qualified = rest.strip_prefix('K');
    rest = qualified.unwrap_or(rest);
    if let Some(substitution) = rest.strip_prefix('S') {
        let (index, after) = substitution.split_once('_')?;
        let index = if index.is_empty() { 0 } else { usize::from_str_radix(index, 36).ok()? + 1 };
        let found = seen.get(index)?.clone();
        if pointers {
            seen.push(found.clone());
        }
        return Some((found.filter(|_| pointers), after));
    }
    let letter = rest.chars().next()?;
    let (_, name, kinds, bytes) = PLAIN.into_iter().find(|(plain, ..)| *plain == letter)?;
    let found = Pointee { name, kinds, bytes };
    if qualified.is_some() {
        seen.push(Some(found.clone()));
    }
    if pointers {
        seen.push(Some(found.clone()));
    }
    Some((pointers.then_some(found), &rest[1..]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_of_mangled_names_are_read() {
        let of = |entry| -> Option<Vec<&'static str>> {
            let names = cpp_parameters(entry)?.into_iter();
            Some(names.map(|found| found.map_or("", |found| found.name)).collect())
        };
        assert_eq!(of("_Z1kPKiiPfi"), Some(vec!["int", "", "float", ""]));
        assert_eq!(of("_Z5saxpyfPKfPfi"), Some(vec!["", "float", "float", ""]));
        assert_eq!(of("_Z3addPdS_S_i"), Some(vec!["double", "double", "double", ""]));
        assert_eq!(of("_Z3addPKdS0_Pdi"), Some(vec!["double", "double", "double", ""]));
        assert_eq!(of("kernel"), None);
        assert_eq!(of("_Z1kIfEvPT_i"), None);
        assert_eq!(of("_ZN2ns1kEPf"), None);
    }
}
