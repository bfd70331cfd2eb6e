//! `lanework profile`: the cost of every line of a kernel, with reasons.

use crate::args::{ProfileArgs, ProfileKernelArgs, ProfileOptions};
use crate::problem::find_gpu;
use crate::problem::subject::{Each, RungSelection, each_rung, entry_of_file, partial_run};
use crate::tables::predicted_line;
use lanework::emulator::Blocks;
use lanework::report::{By, ProfileRecord, Sources, profile_blocks};
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework_lab::{Subject, profile};
use lanework_terminal::failure::Outcome;
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{laid, readable};
use serde_json::Value;

/// Profiles the rungs of a ladder.
///
/// # Errors
/// Unknown names, problems that do not fit, rungs that are wrong.
pub fn run(args: &ProfileArgs) -> Outcome {
    let asked = RungSelection { target: &args.ladder, rungs: &args.rungs, problem: &args.problem };
    all(&args.options, args.options.sample, args.json, &mut |each| each_rung(&asked, each))
}

/// Profiles an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, a kernel that faults.
pub fn run_kernel(args: &ProfileKernelArgs) -> Outcome {
    if args.kernel.json {
        lanework::print_on_stderr();
    }
    let sample = args.options.sample.or(args.blocks);
    all(&args.options, sample, args.kernel.json, &mut |each| {
        entry_of_file(&args.kernel, sample.is_some(), each)
    })
}

/// Profiles each kernel of `subjects`, and shows the profile.
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
    let mut records: Vec<(String, ProfileRecord, Option<Value>)> = Vec::new();
    subjects(&mut |name: &str, subject: &mut dyn Subject, sources: &Sources| {
        let record = {
            let progress = Progress::new("profiling");
            progress.say(name);
            let record = profile(subject, blocks, by, gpu);
            match sample {
                Some(_) => record.map_err(partial_run)?,
                None => record?,
            }
        };
        let trace = subject.time_trace(Effort::for_model(&model));
        let predicted = trace.ok().map(|trace| predict(&trace, &model, Protocol::Flushed).value());
        if !json {
            print(&laid(&profile_blocks(name, &record, sources, readable())))?;
            // The heading above names the file.
            let kernel = name.split(" of ").next().unwrap_or(name);
            predicted.iter().try_for_each(|found| print(&predicted_line(kernel, found)))?;
        }
        records.push((name.to_owned(), record, predicted));
        Ok(())
    })?;
    if json {
        let named: Vec<_> = records
            .iter()
            .map(|(name, record, predicted)| {
                let mut value = serde_json::json!({ "name": name, "predicted": predicted });
                let profile = serde_json::to_value(record).unwrap_or_default();
                if let (Some(to), Some(from)) = (value.as_object_mut(), profile.as_object()) {
                    to.extend(from.clone());
                }
                value
            })
            .collect();
        print_json(&named)?;
    }
    Ok(())
}
