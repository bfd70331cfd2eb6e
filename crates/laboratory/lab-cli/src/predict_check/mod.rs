//! `lanework-lab predict-check`: compares predicted times with measured ones: of the ladders, which it predicts, and of
//! programs, whose predictions `scripts/time_programs.py` has stored.

mod ladders;
mod page;
mod pair;
mod plot;
mod stats;

use crate::args::PredictCheckArgs;
use lanework::time::machine::GpuModel;
use lanework_lab::specs;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json, write};
use pair::MeasuredPair;

/// Compares.
///
/// # Errors
/// If a stored result cannot be read, or the page cannot be written.
pub fn run(args: &PredictCheckArgs) -> Outcome {
    let gpu = specs().gpu(&args.gpu).ok_or_else(|| {
        Failure::input(
            format_args!("no GPU is called `{}`", args.gpu),
            "`lanework gpus` lists them",
        )
    })?;
    let model = GpuModel::new(gpu);
    let mut models = vec![("whole model", model.clone())];
    if args.ablation {
        models.extend(page::ablations(&model));
    }
    let mut pairs = vec![Vec::new(); models.len()];
    ladders::compare(args, &models, &mut pairs)?;
    let ablated: Vec<(&str, f64)> = models
        .iter()
        .zip(&pairs)
        .map(|((name, _), pairs)| (*name, stats::Summary::of(pairs).median))
        .collect();
    let mut all = std::mem::take(&mut pairs[0]);
    if let Some(path) = &args.programs {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::input(format_args!("{}: {error}", path.display()), "check the path")
        })?;
        let stored: Vec<MeasuredPair> = serde_json::from_str(&text).map_err(|error| {
            let help = "write it with scripts/time_programs.py";
            Failure::input(format_args!("{}: {error}", path.display()), help)
        })?;
        all.extend(stored.into_iter().filter(|pair| pair.name.contains(&args.only)));
    }
    if let Some(folder) = &args.output {
        write(&folder.join("time.md"), &page::text(&args.gpu, &all, &ablated))?;
        write(&folder.join("time/scatter.svg"), &plot::scatter(&all))?;
    }
    match args.json {
        true => print_json(&all),
        false => print(&page::summary(&all)),
    }
}
