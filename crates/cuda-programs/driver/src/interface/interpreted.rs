//! Failing calls of interpreted host code: the call as in the source.

use crate::interface::call_sites::LAUNCH;
use crate::modules::function::Function;
use crate::state::{Handle, table};
use lanework::ptx::cpp_names::CppName;

/// The documented name of a function of the runtime's headers.
pub fn name_of(function: &str) -> &str {
    if function == LAUNCH { "cudaLaunchKernel" } else { function }
}

/// A call of the runtime as the source writes it; `given` has names and values of the driver's call.
pub fn call(runtime: &str, given: &[(&str, String)]) -> String {
    let value = |name: &str| {
        let found = given.iter().find(|(known, _)| *known == name);
        found.map_or("0", |(_, value)| value.as_str())
    };
    if runtime != LAUNCH {
        let list =
            given.iter().map(|(name, value)| format!("{}={value}", name.trim_start_matches('_')));
        return format!("{runtime}({})", list.collect::<Vec<_>>().join(", "));
    }
    let extents = |of: &str| {
        let [x, y, z] = ["x", "y", "z"].map(|axis| value(&format!("{of}_{axis}")));
        if (y, z) == ("1", "1") { x.to_owned() } else { format!("({x}, {y}, {z})") }
    };
    let (grid, block) = (extents("grid"), extents("block"));
    let more = match (value("dynamic_shared"), value("stream")) {
        ("0", "0") => String::new(),
        (shared, "0") => format!(", {shared}"),
        (shared, stream) => format!(", {shared}, {stream}"),
    };
    format!("{}<<<{grid}, {block}{more}>>>", kernel(value("function")))
}

/// The name of the kernel with a handle.
fn kernel(handle: &str) -> String {
    let number = Handle::from_str_radix(handle.trim_start_matches("0x"), 16).ok();
    let found = number.and_then(|number| table::<Function>().get(number).ok());
    let name = found.and_then(|function| {
        CppName::of(function.name())
            .map(|name| name.to_string())
            .or_else(|| Some(function.name().to_owned()))
    });
    name.unwrap_or_else(|| "kernel".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_read_as_in_the_source() {
        let given = [("_address", "0x10".to_owned())];
        assert_eq!(call("cudaFree", &given), "cudaFree(address=0x10)");
        let given = [
            ("function", "0x1"),
            ("grid_x", "4"),
            ("grid_y", "2"),
            ("grid_z", "1"),
            ("block_x", "2048"),
            ("block_y", "1"),
            ("block_z", "1"),
            ("dynamic_shared", "16"),
            ("stream", "0"),
        ];
        let given = given.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(call(LAUNCH, &given), "kernel<<<(4, 2, 1), 2048, 16>>>");
    }
}
