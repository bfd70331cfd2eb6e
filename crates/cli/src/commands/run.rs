//! `lanework run`: one rung on the user's own matrix.

use crate::Outcome;
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::npy::{self, NpyMatrix, Output};
use crate::output::{Spinner, print, print_json};
use crate::suggest::{check_rung, find_ladder};
use lanework::Device;
use lanework_lab::{Matrix, transpose_bytes};
use serde::Serialize;

/// A run in JSON.
#[derive(Serialize)]
struct RunJson<'a> {
    rung: &'a str,
    device: String,
    input: [u32; 2],
    output: [u32; 2],
    element: &'a str,
    verified: bool,
}

/// Reads the matrix, runs the rung, compares with the host and writes the result.
///
/// # Errors
/// Unknown names, files that cannot be read or written, shapes that do not fit; and when the result
/// is not the host's, in which case nothing is written.
pub fn run(args: &RunArgs) -> Outcome {
    let Some((ladder, rung)) = args.rung.split_once('/') else {
        return Err(Failure::input(
            format_args!("`{}` names no rung", args.rung),
            "give ladder/rung, such as transpose/padded; `lanework list` shows all",
        ));
    };
    check_rung(&find_ladder(ladder)?, rung)?;
    let output = Output::prepare(&args.output)?;
    let input = npy::read(&args.input)?;
    let device = Device::open(&args.on.device)?;
    let bytes = {
        let spinner = Spinner::new("running");
        spinner.say(&args.rung);
        let matrix = Matrix { rows: input.rows, cols: input.cols, block: args.block };
        transpose_bytes(rung, &device, &input.bytes, input.element_size, matrix)?
            .map_err(|mismatch| Failure::Check(format!("the result is wrong: {mismatch}")))?
    };
    let result = NpyMatrix { rows: input.cols, cols: input.rows, bytes, ..input };
    output.write(&result)?;
    let NpyMatrix { rows, cols, element, .. } = &result;
    let device = device.info();
    if args.json {
        return print_json(&RunJson {
            rung: &args.rung,
            device: device.id,
            input: [*cols, *rows],
            output: [*rows, *cols],
            element,
            verified: true,
        });
    }
    print(&format!(
        "{}: {cols}x{rows} {element} -> {rows}x{cols} on {}, verified bit-exactly, written to {}\n",
        args.rung,
        device.name,
        args.output.display()
    ))
}
