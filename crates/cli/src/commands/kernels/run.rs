//! `lanework run RUNG`: one rung on the user's own arrays.

use crate::args::{ProblemOptions, RunArgs};
use crate::npy::Output;
use crate::problem::suggest::{check_no_path, check_rung};
use crate::problem::{check_seed, find_family, read_arrays, rejected, request, with_parameters};
use lanework::Device;
use lanework_lab::{Accuracy, run_rung};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run in JSON.
#[derive(Serialize)]
struct RunJson<'a> {
    rung: &'a str,
    device: String,
    input: Option<&'a Vec<u64>>,
    inputs: BTreeMap<&'static str, &'a Vec<u64>>,
    output: &'a Vec<u64>,
    element: &'a str,
    verified: bool,
    accuracy: Accuracy,
}

/// Reads the arrays, runs the rung, compares with the host and writes the result.
///
/// # Errors
/// Unknown names, files that cannot be read or written, shapes that do not fit; and when the result
/// differs from the host's, in which case nothing is written.
pub fn run(args: &RunArgs) -> Outcome {
    check_no_path(&args.rung)?;
    let Some((ladder, rung)) = args.rung.split_once('/') else {
        return Err(Failure::input(
            format_args!("`{}` is neither a .ptx or .cu file nor a rung", args.rung),
            "give a file, or ladder/rung, such as transpose/padded; `lanework list` shows all",
        ));
    };
    let family = find_family(ladder)?;
    check_rung(&family.with_peer(), rung)?;
    let output = args.output.as_deref().map(Output::prepare).transpose()?;
    let device = Device::open(&args.on.device)?;
    let ProblemOptions { parameters, numbers, arrays } = &args.problem;
    let mut request = with_parameters(request(numbers, device.backend())?, parameters);
    let type_name = read_arrays(&mut request, arrays, &family)?;
    check_seed(numbers, &request, &family)?;
    family.check_used(&[rung], &request)?;
    let case = family.case(&request)?;
    if let Some(why) = case.skips(rung, &device) {
        return Err(Failure::input(why, "run another rung; `lanework list` shows all"));
    }
    let (result, accuracy) = {
        let progress = Progress::new("running");
        progress.say(&args.rung);
        run_rung(rung, case.as_ref(), &device)?.map_err(|why| rejected("the result", &why))?
    };
    if let Some(output) = output {
        let moved = request.arrays.values().any(|array| array.element == result.element);
        let name = type_name.filter(|_| moved);
        output.write(&result, name.as_deref())?;
    }
    let shape = |shape: &[u64]| match shape {
        [] => "a number".to_owned(),
        shape => shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
    };
    if args.json {
        let inputs: BTreeMap<_, _> =
            request.arrays.iter().map(|(name, array)| (*name, &array.shape)).collect();
        return print_json(&RunJson {
            rung: &args.rung,
            device: device.info().id,
            input: inputs.values().next().copied(),
            inputs,
            output: &result.shape,
            element: result.element.name,
            verified: true,
            accuracy,
        });
    }
    let extents: Vec<u64> = case.extents().iter().map(|(_, extent)| *extent).collect();
    let written = match &args.output {
        Some(path) => format!("written to {}", path.display()),
        None => "not written: give --output".to_owned(),
    };
    print(&format!(
        "{}: {} {} -> {}{} on {}, verified ({}), {written}\n",
        args.rung,
        shape(&extents),
        case.element(),
        shape(&result.shape),
        result.scalar().map(|value| format!(" {value}")).unwrap_or_default(),
        device.info().name,
        accuracy.short(),
    ))
}
