//! `lanework profile`: the cost of every line of a kernel, with reasons.

use crate::args::{ProfileArgs, ProfileKernelArgs, ProfileOptions};
use crate::problem::find_gpu;
use crate::problem::subject::{
    Each, RungSelection, each_rung, entry_of_file, of_second, partial_run,
};
use crate::tables::{limits, predicted_line};
use lanework::emulator::Blocks;
use lanework::report::{By, ProfileRecord, Sources, profile_blocks};
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Prediction, Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework_lab::{Subject, machine, profile};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{laid, readable};

/// Profiles the rungs of a ladder, or compares two.
///
/// # Errors
/// Unknown names, problems that do not fit, rungs that are wrong.
pub fn run(args: &ProfileArgs) -> Outcome {
    let other = args.options.against.as_deref();
    if let Some(file) = other.filter(|other| other.ends_with(".cu") || other.ends_with(".ptx")) {
        return Err(Failure::input(
            format_args!("`{file}` is a file, but `{}` is not", args.ladder),
            "compare two files or two rungs, such as transpose/padded --against transpose/unpadded",
        ));
    }
    all(&args.options, args.options.sample, args.json, &mut |each| {
        for target in [args.ladder.as_str()].into_iter().chain(other) {
            each_rung(&RungSelection { target, rungs: &args.rungs, problem: &args.problem }, each)?;
        }
        Ok(())
    })
}

/// Profiles an entry of a file, or compares two files.
///
/// # Errors
/// Invalid PTX, arguments that do not match, a kernel that faults.
pub fn run_kernel(args: &ProfileKernelArgs) -> Outcome {
    if args.kernel.json {
        lanework::print_on_stderr();
    }
    let sample = args.options.sample.or(args.blocks);
    all(&args.options, sample, args.kernel.json, &mut |each| {
        entry_of_file(&args.kernel, sample.is_some(), each)?;
        match &args.options.against {
            Some(file) => {
                let second = args.second.of(&args.kernel, file)?;
                of_second(file, entry_of_file(&second, sample.is_some(), each))
            }
            None => Ok(()),
        }
    })
}

/// A profile with its name and the predicted time.
struct Profiled {
    name: String,
    record: ProfileRecord,
    /// The text of each line, for a comparison.
    texts: Vec<String>,
    predicted: Option<Prediction>,
}

/// Profiles each kernel of `subjects`, and shows the profiles, or compares two.
fn all(
    how: &ProfileOptions,
    sample: Option<u64>,
    json: bool,
    subjects: &mut dyn FnMut(Each<'_>) -> Outcome,
) -> Outcome {
    let gpu = find_gpu(&how.gpu)?;
    let by = if how.by == "ptx" { By::Ptx } else { By::Source };
    let blocks = sample.map_or(Blocks::All, |count| Blocks::Sample { count });
    let model = GpuModel::new(gpu);
    let mut found: Vec<Profiled> = Vec::new();
    subjects(&mut |name: &str, subject: &mut dyn Subject, sources: &Sources| {
        let mut record = {
            let progress = Progress::new("profiling");
            progress.say(name);
            let record = profile(subject, blocks, by, gpu);
            match sample {
                Some(_) => record.map_err(partial_run)?,
                None => record?,
            }
        };
        let trace = subject.time_trace(Effort::for_model(&model));
        let predicted = trace.ok().map(|trace| predict(&trace, &model, Protocol::Flushed));
        if let Some(found) = &predicted {
            // One estimate of the registers: profile and predict state the same occupancy.
            let (registers, estimated) = found.registers;
            machine(gpu).assign_registers(&mut record.resources, registers, estimated);
        }
        let texts = how.against.as_ref().map(|_| limits::texts(&record, sources));
        let texts = texts.unwrap_or_default();
        let one = Profiled { name: name.to_owned(), record, texts, predicted };
        if json {
            found.push(one);
            return Ok(());
        }
        if how.against.is_none() {
            print(&laid(&profile_blocks(name, &one.record, sources, readable())))?;
        }
        one.limits(&model, how.against.is_none())?;
        if let (Some(_), Some(other)) = (&how.against, found.first()) {
            print(&limits::against(&other.listing(), &one.listing()))?;
        }
        found.push(one);
        Ok(())
    })?;
    if how.against.is_some() && found.len() != 2 {
        return Err(Failure::input(
            format_args!("--against compares two kernels, not {}", found.len()),
            "name two rungs, each as ladder/rung, that launch one kernel each",
        ));
    }
    if json {
        let value = |one: &Profiled| {
            let predicted = one.predicted.as_ref().map(Prediction::value);
            let mut value = serde_json::json!({ "name": one.name, "predicted": predicted });
            let profile = serde_json::to_value(&one.record).unwrap_or_default();
            if let (Some(to), Some(from)) = (value.as_object_mut(), profile.as_object()) {
                to.extend(from.clone());
            }
            value
        };
        print_json(&found.iter().map(value).collect::<Vec<_>>())?;
    }
    Ok(())
}

impl Profiled {
    fn listing(&self) -> limits::Listing<'_> {
        limits::Listing { name: &self.name, record: &self.record, texts: &self.texts }
    }

    /// Prints the predicted time; with `full`, also its limits.
    fn limits(&self, model: &GpuModel, full: bool) -> Outcome {
        let Some(predicted) = &self.predicted else { return Ok(()) };
        // The heading above names the file.
        let kernel = if full { self.name.split(" of ").next() } else { None };
        let predicted = predicted.value();
        print(&predicted_line(kernel.unwrap_or(&self.name), &predicted))?;
        match full {
            true => print(&limits::describe(&predicted, &self.record, &model.gpu)),
            false => Ok(()),
        }
    }
}
