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
    Ok(Request { element, alpha, beta, seed, ..Request::new(backend) })
}

/// Sets the parameters that were given.
pub fn with_parameters(request: Request, problem: &Problem<false>) -> Request {
    problem.0.iter().fold(request, |request, (name, values)| request.with(name, values[0]))
}

/// Reads the arrays that were given; returns the name of the element type in their files.
///
/// # Errors
/// When one cannot be read.
pub fn read_arrays(request: &mut Request, arrays: &Arrays) -> Result<Option<String>, Failure> {
    let mut type_name = None;
    for (name, path) in arrays.given() {
        let (array, file_type) = npy::read(Path::new(path))?;
        request.arrays.insert(name, array);
        type_name = Some(file_type);
    }
    Ok(type_name)
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
