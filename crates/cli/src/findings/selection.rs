//! The findings that the user asked for: by kind, and of a program also by kernel.

use crate::findings::Finding;
use crate::problem::nearest;
use crate::program::Ended;
use lanework::ReportKind;
use lanework::emulator::sanitize::readable_name;
use lanework::ptx::cpp_names::is_called;
use lanework_terminal::failure::{Failure, Outcome};

/// SelectedNames given to `--only` or `--skip`.
#[derive(Default)]
struct SelectedNames {
    kinds: Vec<ReportKind>,
    /// Kernels: names, or patterns with `*`.
    kernels: Vec<String>,
}

impl SelectedNames {
    fn of(names: &[String]) -> SelectedNames {
        let mut found = SelectedNames::default();
        for name in names.iter().filter(|name| !name.is_empty()) {
            match ReportKind::named(name) {
                Some(kind) => found.kinds.push(kind),
                None => found.kernels.push(name.clone()),
            }
        }
        found
    }

    fn kernel(&self, kernel: &str) -> bool {
        self.kernels.iter().any(|name| is_named(kernel, name))
    }
}

/// The selected findings of a program.
pub struct Selection {
    only: SelectedNames,
    skip: SelectedNames,
}

impl Selection {
    /// The findings that `--only` and `--skip` select; each takes kinds of errors and names of kernels.
    pub fn of(only: &[String], skip: &[String]) -> Selection {
        Selection { only: SelectedNames::of(only), skip: SelectedNames::of(skip) }
    }

    /// Whether the user asks for a kind that is not checked by default.
    pub fn asks_for(&self, kind: ReportKind) -> bool {
        self.only.kinds.contains(&kind)
    }

    /// Whether findings of a kernel are reported.
    pub fn has_kernel(&self, kernel: &str) -> bool {
        (self.only.kernels.is_empty() || self.only.kernel(kernel)) && !self.skip.kernel(kernel)
    }

    /// Whether a finding is reported. Findings that belong to no kernel are selected by their kind alone.
    pub fn has(&self, finding: &Finding) -> bool {
        let kind = finding.report.kind;
        (self.only.kinds.is_empty() || self.only.kinds.contains(&kind))
            && !self.skip.kinds.contains(&kind)
            && (finding.target.is_empty() || self.has_kernel(&finding.target))
    }

    /// Checks that each name is a kind, or a kernel that the program launched. A pattern may fit no kernel.
    ///
    /// # Errors
    /// If a name is neither; names the nearest one.
    pub fn check(&self, program: &Ended) -> Outcome {
        let launched = program.kernels();
        let names = self.only.kernels.iter().chain(&self.skip.kernels);
        let mut exact = names.filter(|name| !name.contains('*'));
        let unknown = exact.find(|name| !launched.iter().any(|kernel| is_named(kernel, name)));
        let Some(name) = unknown else { return Ok(()) };
        let kernels: Vec<String> =
            launched.iter().map(|kernel| readable_name(kernel).into_owned()).collect();
        let known = ReportKind::ALL.map(ReportKind::name);
        let near: Vec<&str> = known.into_iter().chain(kernels.iter().map(String::as_str)).collect();
        let launched = match kernels.as_slice() {
            [] => "no kernel".to_owned(),
            kernels => kernels.join(", "),
        };
        let help = match nearest(name, &near).as_slice() {
            [] => format!("it launched {launched}; `lanework explain` lists the kinds"),
            near => format!("did you mean {}? The program launched {launched}", near.join(" or ")),
        };
        let what = format_args!("`{name}` is neither a kind of error nor a kernel of the program");
        Err(Failure::input(what, help))
    }
}

/// Whether `name`, which may contain `*` for any text, denotes a kernel: its entry, its C++ name, or the last part of it.
fn is_named(kernel: &str, name: &str) -> bool {
    if !name.contains('*') {
        return is_called(kernel, name);
    }
    let shown = readable_name(kernel);
    let path = shown.split(['<', '(']).next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default();
    [kernel, &shown, path, last].iter().any(|text| fits(text, name))
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn fits(text: &str, pattern: &str) -> bool {
    let (first, rest) = match pattern.split_once('*') {
        Some(parts) => parts,
        None => return text == pattern,
    };
    let Some(text) = text.strip_prefix(first) else { return false };
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.any(|at| fits(&text[at..], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_by_names_and_patterns() {
        let mangled = "_ZN3lib6reduceIfEEvPT_i";
        for name in ["reduce", "red*", "lib::reduce", "*duce", "lib::*", "_ZN3lib*", "*"] {
            assert!(is_named(mangled, name), "{name}");
        }
        for name in ["reduc", "duce*", "scan", "scan*", ""] {
            assert!(!is_named(mangled, name), "{name}");
        }
    }
}
