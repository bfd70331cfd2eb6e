//! GPUs of the table of specifications, by the names that users give.

use lanework_lab::{Gpu, specs};
use lanework_terminal::failure::Failure;

/// The GPU called `name`.
///
/// # Errors
/// Where the table has none of that name, with those that there are.
pub fn find_gpu(name: &str) -> Result<&'static Gpu, Failure> {
    specs().gpu(name).ok_or_else(|| {
        let known: Vec<&str> = specs().gpus.iter().map(|gpu| gpu.name.as_str()).collect();
        Failure::input(
            format_args!("no GPU is called `{name}`"),
            format_args!("there are: {}", known.join(", ")),
        )
    })
}
