//! `lanework-lab book`: writes the documentation's generated pages.

mod exercises;
mod fidelity;
mod pages;
mod pictures;
mod stored;
mod words;

use crate::args::BookArgs;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::print;
use lanework_terminal::progress::Progress;

/// Writes every generated page, or with `--check` lists the pages that are out of date.
///
/// # Errors
/// If a page cannot be written; with `--check`, when one is out of date.
pub fn run(args: &BookArgs) -> Outcome {
    let pages = {
        let _progress = Progress::new("climbing every ladder");
        let mut all = pages::pages(&args.results)?;
        all.extend(fidelity::pages()?);
        all
    };
    let mut stale = Vec::new();
    for (path, text) in &pages {
        let place = args.output.join(path);
        let unwritable = |error: std::io::Error| {
            let help = "choose a folder that you may write to";
            Failure::input(format_args!("{} cannot be written: {error}", place.display()), help)
        };
        if std::fs::read_to_string(&place).is_ok_and(|there| there == *text) {
            continue;
        }
        stale.push(path.as_str());
        if !args.check {
            let folder = place.parent().unwrap_or(&args.output);
            std::fs::create_dir_all(folder).map_err(unwritable)?;
            std::fs::write(&place, text).map_err(unwritable)?;
        }
    }
    match (args.check, stale.is_empty()) {
        (true, false) => Err(Failure::Check(format!(
            "{} pages are out of date: {}\n  = help: run `lanework-lab book`",
            stale.len(),
            stale.join(", ")
        ))),
        _ => print(&format!("{} pages, {} of them changed\n", pages.len(), stale.len())),
    }
}
