//! The request of a ladder, from the options of the command line.

use crate::args::{Arrays, Numbers, Problem};
use crate::failure::Failure;
use crate::npy;
use crate::suggest::{find_element, find_ladder};
use lanework::Backend;
use lanework_lab::{Family, Request};
use std::path::Path;

/// The family of the ladder called `name`.
///
/// # Errors
/// When there is none, with the nearest name.
pub fn find_family(name: &str) -> Result<Family, Failure> {
    let ladder = find_ladder(name)?;
    Ok(lanework_lab::family(ladder.name).expect("tested: every ladder has a family"))
}

/// The request without parameters and arrays.
///
/// # Errors
/// An unknown element type, with the nearest name.
pub fn request(numbers: &Numbers, backend: Backend) -> Result<Request, Failure> {
    let element = numbers.element.as_deref().map(find_element).transpose()?;
    let Numbers { alpha, beta, seed, .. } = *numbers;
    let default = Request::new(backend);
    Ok(Request { element, alpha, beta, seed: seed.unwrap_or(default.seed), ..default })
}

/// Sets the parameters that were given.
pub fn with_parameters(request: Request, problem: &Problem<false>) -> Request {
    problem.0.iter().fold(request, |request, (name, values)| request.with(name, values[0]))
}

/// Reads the arrays that were given for a ladder of `family`; returns the name of the element type in their files.
///
/// # Errors
/// When one cannot be read, or holds what the ladder cannot work on.
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

/// Checks that there is something to draw for a seed that was given.
///
/// # Errors
/// When every array of the ladder was given.
pub fn check_seed(numbers: &Numbers, request: &Request, family: &Family) -> Result<(), Failure> {
    // C is not read where beta is 0.
    let unread = |name: &str| name == "c" && request.beta.unwrap_or(0.0) == 0.0;
    let given = |name: &&str| request.arrays.contains_key(*name) || unread(name);
    match numbers.seed {
        Some(seed) if family.arrays.iter().all(given) => Err(Failure::input(
            format_args!("--seed {seed} is not used: no array is random"),
            "remove --seed, or leave an array to be drawn",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_ladder_has_a_family() {
        for ladder in lanework_kernels::ladders() {
            assert!(lanework_lab::family(ladder.name).is_some(), "{}", ladder.name);
        }
    }
}
