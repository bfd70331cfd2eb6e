//! `lanework-lab predict-check --traces`: predicts stored traces again, with the whole model or without one of its parts.

use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::stored;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{note, print_data};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Files of a folder in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::input(format_args!("{}: {error}", folder.display()), "name a folder with --traces")
    })?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

/// Predicts the traces in the subfolders of a folder, one per program, with each model. Prints one JSON line per trace.
///
/// # Errors
/// If a folder cannot be read.
pub fn run(folder: &Path, models: &[(&str, GpuModel)], listed: bool) -> Outcome {
    for program in entries(folder)?.iter().filter(|path| path.is_dir()) {
        for path in entries(program)? {
            let capability = models.first().map_or(90, |(_, model)| model.capability());
            let stored = match stored::read(&path, capability, listed) {
                Ok(stored) => stored,
                Err(error) => {
                    note(&format!("note: {} is left out: {error}", path.display()));
                    continue;
                }
            };
            let found: Vec<_> = models
                .iter()
                .map(|(name, model)| (name, predict(&stored.trace, model, Protocol::Flushed)))
                .collect();
            let Some((_, whole)) = found.first() else { continue };
            let parts: Map<String, Value> = found[1..]
                .iter()
                .map(|(name, one)| ((**name).to_owned(), one.time_ns.into()))
                .collect();
            let mut line = json!({
                "program": program.file_name().map(|name| name.to_string_lossy().into_owned()),
                "kernel": stored.entry,
                "grid": stored.grid,
                "block": stored.block,
                "without": parts,
            });
            if let (Some(to), Some(from)) = (line.as_object_mut(), whole.value().as_object()) {
                to.extend(from.clone());
            }
            print_data(&format!("{line}\n"))?;
        }
    }
    Ok(())
}
