//! The request of a ladder, from the options of the command line, with suggestions of known names for unknown ones.

pub mod subject;

use crate::args::{Arrays, Numbers, Problem, ProblemOptions};
use crate::npy;
use lanework::{Backend, Device};
use lanework_lab::{Case, ELEMENT_TYPES, ElementType, Family, Gpu, Rejection, Request, specs};
use lanework_ladders::{Ladder, RungInfo};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use std::path::Path;

/// The failure for `what`, a rejected result.
pub fn rejected(what: &str, why: &Rejection) -> Failure {
    Failure::Check(match why.kind() {
        Some(_) => format!("{what} is {why}"),
        None => why.to_string(),
    })
}

/// The family of the ladder called `name`.
///
/// # Errors
/// If no ladder has the name; names the nearest one.
pub fn find_family(name: &str) -> Result<Family, Failure> {
    let ladder = find_ladder(name)?;
    Ok(lanework_lab::family(ladder.name).expect("tested: every ladder has a family"))
}

/// The element types that a sweep was given, separated by commas.
///
/// # Errors
/// An unknown one, with the nearest name.
pub fn elements(numbers: &Numbers) -> Result<Vec<ElementType>, Failure> {
    numbers.element.iter().flat_map(|names| names.split(',')).map(find_element).collect()
}

/// The request without parameters and arrays.
///
/// # Errors
/// An unknown element type, with the nearest name.
pub fn request(numbers: &Numbers, backend: Backend) -> Result<Request, Failure> {
    let element = numbers.element.as_deref().map(find_element).transpose()?;
    Ok(Request { element, ..untyped_request(numbers, backend) })
}

/// The request without parameters, arrays and element type.
pub fn untyped_request(numbers: &Numbers, backend: Backend) -> Request {
    let Numbers { alpha, beta, seed, .. } = *numbers;
    let default = Request::new(backend);
    Request { alpha, beta, seed: seed.unwrap_or(default.seed), ..default }
}

/// Sets the parameters that were given.
pub fn with_parameters(request: Request, problem: &Problem<false>) -> Request {
    problem.0.iter().fold(request, |request, (name, values)| request.with(name, values[0]))
}

/// The request of a rung's options, with its arrays.
///
/// # Errors
/// An unknown element type, arrays that the ladder cannot work on, a seed that nothing uses.
pub fn request_of(
    options: &ProblemOptions,
    family: &Family,
    backend: Backend,
) -> Result<Request, Failure> {
    let mut request = with_parameters(request(&options.numbers, backend)?, &options.parameters);
    read_arrays(&mut request, &options.arrays, family)?;
    check_seed(&options.numbers, &request, family)?;
    Ok(request)
}

/// Reads the arrays that were given for a ladder of `family`; returns the name of the element type in their files.
///
/// # Errors
/// If one cannot be read, or the ladder does not support its contents.
pub fn read_arrays(
    request: &mut Request,
    arrays: &Arrays,
    family: &Family,
) -> Result<Option<String>, Failure> {
    let mut type_name = None;
    for (name, path) in arrays.given() {
        let (mut array, file_type) = npy::read(Path::new(path))?;
        if npy::is_complex(&file_type) && !family.moves {
            return Err(Failure::input(
                format_args!(
                    "{} holds complex numbers, which the ladder does not add",
                    path.display()
                ),
                "give real numbers: a.real, a.imag or abs(a)",
            ));
        }
        // numpy has no bfloat16: files hold its bits.
        if let Some(wanted) = request.element
            && (wanted.name, array.element.name) == ("bf16", "u16")
        {
            array.element = wanted;
        }
        request.arrays.insert(name, array);
        type_name = Some(file_type);
    }
    Ok(type_name)
}

/// Checks that a given seed has an effect.
///
/// # Errors
/// If every array of the ladder was given.
pub fn check_seed(numbers: &Numbers, request: &Request, family: &Family) -> Result<(), Failure> {
    // C is not read where beta is 0.
    let unread = |name: &str| name == "c" && request.beta.unwrap_or(0.0) == 0.0;
    let given = |name: &&str| request.arrays.contains_key(*name) || unread(name);
    match numbers.seed {
        Some(seed) if family.arrays.iter().all(given) => Err(Failure::input(
            format_args!("--seed {seed} is not used: no array is random"),
            "remove --seed, or omit the file of an array, which is then random",
        )),
        _ => Ok(()),
    }
}

/// The rungs of `rungs` in `wanted`, or all if that is empty, without skipped ones. A named rung
/// that is skipped is noted if others remain.
///
/// # Errors
/// If all are skipped: a command that runs nothing has found nothing.
pub fn runnable(
    rungs: &[RungInfo],
    wanted: &[&str],
    case: &dyn Case,
    device: &Device,
) -> Result<Vec<RungInfo>, Failure> {
    let chosen = rungs.iter().filter(|rung| wanted.is_empty() || wanted.contains(&rung.name));
    let (mut run, mut skipped) = (Vec::new(), Vec::new());
    for rung in chosen {
        match case.skips(rung.name, device) {
            None => run.push(*rung),
            Some(why) => skipped.push(format!("{} is skipped: {why}", rung.name)),
        }
    }
    match (run.is_empty(), skipped.first()) {
        (true, Some(first)) => Err(nothing_runs(first)),
        _ => {
            for why in skipped.iter().filter(|_| !wanted.is_empty()) {
                note(&format!("note: {why}"));
            }
            Ok(run)
        }
    }
}

/// The failure of a command whose rungs are all skipped, the first for this reason.
pub fn nothing_runs(why: &str) -> Failure {
    Failure::input(why, "choose another rung or other options; `lanework list` shows all rungs")
}

/// The ladder and the rungs that a command names: `ladder`, `ladder/rung`, and a list of rungs.
///
/// # Errors
/// If rungs are named in both ways.
pub fn ladder_and_rungs<'a>(
    target: &'a str,
    rungs: &'a [String],
) -> Result<(&'a str, Vec<&'a str>), Failure> {
    check_no_path(target)?;
    match target.split_once('/') {
        Some((_, rung)) if !rungs.is_empty() => Err(Failure::input(
            format_args!("{target} names the rung {rung}, and --rungs names others"),
            "name all rungs with --rungs, and only the ladder before it",
        )),
        Some((ladder, rung)) => Ok((ladder, vec![rung])),
        None => Ok((target, rungs.iter().map(String::as_str).collect())),
    }
}

/// The ladder called `name`.
///
/// # Errors
/// If the name is unknown; names the nearest one.
pub fn find_ladder(name: &str) -> Result<Ladder, Failure> {
    if name == lanework_ladders::multi_gpu::ladder().name {
        return Err(Failure::input(
            format_args!("the ladder {name} runs on several devices at once"),
            format!("climb it: `lanework climb {name} --gpus 2`"),
        ));
    }
    let ladders = lanework_ladders::ladders();
    if let Some((ladder, _)) = name.split_once('/')
        && ladders.iter().any(|known| known.name == ladder)
    {
        return Err(Failure::input(
            format_args!("`{name}` is a rung, but this command takes a whole ladder"),
            format_args!("write `{ladder}`"),
        ));
    }
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
    let near = nearest(name, names);
    let help = match near.as_slice() {
        [] => format!("available: {}", names.join(", ")),
        near => format!("did you mean {}? `lanework list` shows all", near.join(" or ")),
    };
    Failure::input(format_args!("no {kind} is called `{name}`"), help)
}

/// At most three of the names that are like `name`, the nearest first.
pub fn nearest<'a>(name: &str, names: &[&'a str]) -> Vec<&'a str> {
    let mut near: Vec<(&'a str, f64)> =
        names.iter().map(|&known| (known, strsim::jaro_winkler(name, known))).collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    near.iter().filter(|(_, likeness)| *likeness > 0.7).take(3).map(|(known, _)| *known).collect()
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
            format_args!("available: {}", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ladder_has_a_family() {
        for ladder in lanework_ladders::ladders() {
            assert!(lanework_lab::family(ladder.name).is_some(), "{}", ladder.name);
        }
    }

    #[test]
    fn a_rung_in_place_of_a_ladder_is_named() {
        let Err(Failure::Input(text)) = find_ladder("softmax/ring") else { panic!() };
        assert!(
            text.contains("takes a whole ladder") && text.contains("write `softmax`"),
            "{text}"
        );
    }

    #[test]
    fn a_typo_finds_its_name_and_nonsense_lists_all() {
        let Failure::Input(text) = unknown("rung", "paded", &["naive", "padded"]) else { panic!() };
        assert!(text.contains("did you mean padded?"), "{text}");
        let Failure::Input(text) = unknown("rung", "xyz", &["naive", "padded"]) else { panic!() };
        assert!(text.contains("available: naive, padded"), "{text}");
    }
}
