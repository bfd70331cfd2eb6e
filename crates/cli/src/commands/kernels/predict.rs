//! `lanework predict`: the time of a kernel on a GPU without one, explained by line.

use crate::args::{KernelArgs, PredictArgs, PredictKernelArgs, PredictOptions};
use crate::findings::sources;
use crate::problem::find_gpu;
use crate::problem::subject::{Each, RungSelection, each_trial, entry_of_file, of_second};
use crate::tables;
use lanework::Error;
use lanework::report::Sources;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Prediction, Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework_lab::Subject;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use serde_json::{Value, json};

/// A kernel's prediction with its name.
struct Named {
    name: String,
    found: Prediction,
}

/// Predicts the rungs of a ladder, or compares two.
///
/// # Errors
/// Unknown names, problems that do not fit, a kernel that faults.
pub fn run(args: &PredictArgs) -> Outcome {
    let mut found = Vec::new();
    if let Some(file) = &args.compare
        && (file.ends_with(".cu") || file.ends_with(".ptx"))
    {
        return Err(Failure::input(
            format_args!("`{file}` is a file, but `{}` is not", args.ladder),
            "compare two files or two rungs; files: lanework predict A.cu --compare B.cu, with --grid, --block and the arguments",
        ));
    }
    for target in [&args.ladder].into_iter().chain(&args.compare) {
        let asked = RungSelection { target, rungs: &args.rungs, problem: &args.problem };
        rungs(&asked, &args.options, &mut found)?;
    }
    if args.compare.is_none() {
        return show(&found, &sources(), args.json);
    }
    let [first, second] = &found[..] else {
        return Err(Failure::input(
            format_args!("--compare names {} kernels", found.len()),
            "name two rungs, each as ladder/rung",
        ));
    };
    compare(first, second, args.json)
}

/// Predicts an entry of a file, or compares two files.
///
/// # Errors
/// Invalid PTX, arguments that do not match, a kernel that faults.
pub fn run_kernel(args: &PredictKernelArgs) -> Outcome {
    if args.kernel.json {
        lanework::print_on_stderr();
    }
    let (model, protocol) = asked(&args.options)?;
    let second = |file: &str| args.second.of(&args.kernel, file);
    let other = args.kernel.compare.as_deref().map(second).transpose()?;
    let compares = other.is_some();
    let first = KernelArgs { compare: None, ..args.kernel.clone() };
    let mut all = Vec::new();
    for kernel in [first].into_iter().chain(other) {
        let each: Each<'_> = &mut |name: &str, subject: &mut dyn Subject, sources: &Sources| {
            let trace = subject.time_trace(Effort::for_model(&model))?;
            let found = predict(&trace, &model, protocol);
            all.push(Named { name: name.to_owned(), found });
            if compares { Ok(()) } else { show(&all, sources, kernel.json) }
        };
        let outcome = entry_of_file(&kernel, true, each);
        match kernel.is_second {
            true => of_second(&kernel.names(), outcome)?,
            false => outcome?,
        }
    }
    match &all[..] {
        [first, second] => compare(first, second, args.kernel.json),
        _ => Ok(()),
    }
}

fn asked(options: &PredictOptions) -> Result<(GpuModel, Protocol), Failure> {
    let protocol = if options.warm { Protocol::Warm } else { Protocol::Flushed };
    Ok((GpuModel::new(find_gpu(&options.gpu)?), protocol))
}

/// Predicts each kernel of the rungs.
fn rungs(
    selection: &RungSelection<'_>,
    options: &PredictOptions,
    found: &mut Vec<Named>,
) -> Outcome {
    let (model, protocol) = asked(options)?;
    each_trial(selection, &mut |name, trial| {
        let traces =
            match trial.job().and_then(|mut job| job.time_traces(Effort::for_model(&model))) {
                Err(Error::Unsupported { .. }) => Vec::new(),
                traces => traces?,
            };
        for trace in &traces {
            let name = match traces.len() {
                1 => name.to_owned(),
                _ => format!("{name}: {}", trace.kernel.name),
            };
            found.push(Named { name, found: predict(trace, &model, protocol) });
        }
        Ok(())
    })
}

fn show(found: &[Named], sources: &Sources, json: bool) -> Outcome {
    if json {
        let value = |one: &Named| {
            let mut value = json!({ "name": one.name });
            if let (Some(to), Some(from)) = (value.as_object_mut(), one.found.value().as_object()) {
                to.extend(from.clone());
            }
            value
        };
        return print_json(&found.iter().map(value).collect::<Vec<Value>>());
    }
    found
        .iter()
        .try_for_each(|one| print(&tables::describe_prediction(&one.name, &one.found, sources)))
}

fn compare(first: &Named, second: &Named, json: bool) -> Outcome {
    let ratio = first.found.time_ns / second.found.time_ns;
    let decides = first.found.differs_from(&second.found);
    if json {
        return print_json(&json!({
            "first": first.name,
            "second": second.name,
            "first_ns": first.found.time_ns,
            "second_ns": second.found.time_ns,
            "speedup": ratio,
            "decided": decides,
        }));
    }
    print(&tables::predicted_line(&first.name, &first.found.value()))?;
    print(&tables::predicted_line(&second.name, &second.found.value()))?;
    print(&match (decides, ratio > 1.0) {
        (false, _) => "predicted: the interval does not decide which is faster\n".to_owned(),
        (true, true) => format!("predicted: {} is {ratio:.2}x faster\n", second.name),
        (true, false) => format!("predicted: {} is {:.2}x faster\n", first.name, 1.0 / ratio),
    })
}
