//! Checks arguments against the parameters that an entry declares.

use super::arguments::{Ready, parameters};
use lanework::PtxModule;
use lanework::ptx::Variable;
use lanework_terminal::failure::Failure;

/// Checks the arguments against the parameters of the entry: their number, and the kinds of scalars.
///
/// # Errors
/// If there are more or fewer than parameters, or one is an integer where a float is wanted, the like, or
/// memory where a number is.
pub fn check_arguments(module: &PtxModule, entry: &str, ready: &[Ready]) -> Result<(), Failure> {
    let Some(function) = module.module().entry(entry) else { return Ok(()) };
    let ready = parameters(ready);
    if function.params.len() == ready.len() {
        let mut pairs = function.params.iter().zip(ready).enumerate();
        return pairs.try_for_each(|(index, (param, argument))| {
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
