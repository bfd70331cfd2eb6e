//! What the findings of a check amount to, in one line.

use lanework_emulator::sanitize::{Level, Report};

/// The last lines of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Which kernels were checked: the name of one, or how many there are.
    pub kernels: String,
    /// How many errors there are; empty where there is none.
    pub errors: String,
    /// How many warnings there are; empty where there is none.
    pub warnings: String,
}

/// The verdict on kernels of these names.
pub fn verdict<'a>(
    names: &[String],
    found: impl IntoIterator<Item = &'a Report> + Clone,
) -> Verdict {
    let kernels = match names {
        // Copies and fills alone.
        [] => "the program".to_owned(),
        [only] => only.clone(),
        names => format!("{} kernels", names.len()),
    };
    let words = |level: Level| {
        let of_level = found.clone().into_iter().filter(|one| one.kind.info().level == level);
        let (all, times) = of_level.fold((0, 0), |(all, times), one| (all + 1, times + one.count));
        match all {
            0 => String::new(),
            1 if times == 1 => format!("1 {} in {kernels}, once", level.name()),
            1 => format!("1 {} in {kernels}, {times} times", level.name()),
            many => format!("{many} {}s in {kernels}, {times} times in all", level.name()),
        }
    };
    let (errors, warnings) = (words(Level::Error), words(Level::Warning));
    Verdict { kernels, errors, warnings }
}
