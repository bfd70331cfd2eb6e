//! Suggestions of known names for unknown ones.

use lanework_lab::{ELEMENT_TYPES, ElementType, Gpu, specs};
use lanework_ladders::Ladder;
use lanework_terminal::failure::Failure;
use std::path::Path;

/// The ladder called `name`.
///
/// # Errors
/// If the name is unknown; names the nearest one.
pub fn find_ladder(name: &str) -> Result<Ladder, Failure> {
    if name == lanework_ladders::multi_gpu::ladder().name {
        return Err(Failure::input(
            format_args!("the ladder {name} runs on several devices at once"),
            format!("it is climbed: `lanework climb {name} --gpus 2`"),
        ));
    }
    let ladders = lanework_ladders::ladders();
    let names: Vec<&str> = ladders.iter().map(|ladder| ladder.name).collect();
    let unknown = unknown("ladder", name, &names);
    ladders.into_iter().find(|ladder| ladder.name == name).ok_or(unknown)
}

/// Checks that `target` may name a ladder or a rung, and is not a file.
///
/// # Errors
/// If it is a path to a file of another kind, or to a program.
pub fn check_no_path(target: &str) -> Result<(), Failure> {
    let starts = ["/", "~", "."].iter().any(|start| target.starts_with(start));
    let ladder = target.split('/').next().unwrap_or_default();
    let known = lanework_ladders::ladders().iter().any(|known| known.name == ladder);
    if !starts && (known || !(target.contains('.') || Path::new(target).exists())) {
        return Ok(());
    }
    Err(Failure::input(
        format_args!("`{target}` is neither a .ptx or .cu file nor a ladder"),
        "the file of a kernel ends in .ptx or .cu; a program runs by `lanework exec --check -- PROGRAM`",
    ))
}

/// Checks that `ladder` has a rung called `name`.
///
/// # Errors
/// If the rung is unknown; names the nearest ones.
pub fn check_rung(ladder: &Ladder, name: &str) -> Result<(), Failure> {
    let names: Vec<&str> = ladder.rungs.iter().map(|rung| rung.name).collect();
    if names.contains(&name) { Ok(()) } else { Err(unknown("rung", name, &names)) }
}

/// The element type called `name`.
///
/// # Errors
/// If the name is unknown; names the nearest one.
pub fn find_element(name: &str) -> Result<ElementType, Failure> {
    let names = ELEMENT_TYPES.map(|element| element.name);
    let unknown = unknown("element type", name, &names);
    ElementType::named(name).ok_or(unknown)
}

/// The failure for a name that is not in `names`.
fn unknown(kind: &str, name: &str, names: &[&str]) -> Failure {
    let mut near: Vec<(&str, f64)> =
        names.iter().map(|&known| (known, strsim::jaro_winkler(name, known))).collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    let near: Vec<&str> = near
        .iter()
        .filter(|(_, likeness)| *likeness > 0.7)
        .take(3)
        .map(|(known, _)| *known)
        .collect();
    let help = match near.as_slice() {
        [] => format!("there are: {}", names.join(", ")),
        near => format!("did you mean {}? `lanework list` shows all", near.join(" or ")),
    };
    Failure::input(format_args!("no {kind} is called `{name}`"), help)
}

/// The GPU called `name`.
///
/// # Errors
/// If the name is unknown; lists the known names.
pub fn find_gpu(name: &str) -> Result<&'static Gpu, Failure> {
    specs().gpu(name).ok_or_else(|| {
        let known: Vec<&str> = specs().gpus.iter().map(|gpu| gpu.name.as_str()).collect();
        Failure::input(
            format_args!("no GPU is called `{name}`"),
            format_args!("there are: {}", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_nonsense_lists_all() {
        let Failure::Input(text) = unknown("rung", "paded", &["naive", "padded"]) else { panic!() };
        assert!(text.contains("did you mean padded?"), "{text}");
        let Failure::Input(text) = unknown("rung", "xyz", &["naive", "padded"]) else { panic!() };
        assert!(text.contains("there are: naive, padded"), "{text}");
    }
}
