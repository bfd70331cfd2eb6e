//! Tuned choices: which kernel and parameters were found fastest for a class of problems on a GPU, in a small file that
//! programs look up and `lanework tune` writes.
//!
//! The file has a line that names the format, then lines of fields separated by tabs. A writer takes an exclusive lock on
//! a file next to it, reads the file again, and replaces it by a rename. So a reader never sees a partial file, and
//! concurrent writers lose no choices. A choice holds for one GPU, driver and version of this library; another version
//! does not find it, so stale choices need no cleanup.
//!
//! ```
//! use lanework::tuned::{Choice, Key, TUNED_VARIABLE, Tuned, data_folder, default_place, shape_class};
//!
//! # let folder = std::env::temp_dir().join(format!("lanework-tuned-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).expect("a folder");
//! # let file = folder.join("tuned.tsv");
//! let class = shape_class(&[("rows", 5000), ("cols", 4096)], "f32");
//! assert_eq!(class, "rows 4096-8191/4, cols 4096-8191/16, f32");
//! let key = Key::new("NVIDIA H200", "580.65", "transpose", &class);
//! let choice = Choice::new("padded").with("block", 16);
//! Tuned::record(&file, &key, &choice)?;
//! let tuned = Tuned::read(&file)?;
//! assert_eq!(tuned.lookup(&key), Some(&choice));
//! assert_eq!(tuned.iter().count(), 1);
//! Tuned::forget(&file, &key)?;
//!
//! // For this device, in the file that programs use: what the variable names, or one among the user's data.
//! let key = Key::of(&lanework::Device::best(), "transpose", &class);
//! assert!(Tuned::read(&file)?.lookup(&key).is_none());
//! println!("{TUNED_VARIABLE} or {:?}: {:?}", data_folder(), default_place());
//! # std::fs::remove_dir_all(&folder).expect("removed");
//! # Ok::<(), lanework::Error>(())
//! ```

mod file;
mod place;

use crate::Device;
use std::collections::BTreeMap;

pub use file::Tuned;
pub use place::{TUNED_VARIABLE, data_folder, default_place};

/// The device, library version and problem class that a choice applies to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Product name of the GPU.
    pub gpu: String,
    /// Version of its driver.
    pub driver: String,
    /// Version of this library, whose kernels were timed.
    pub version: String,
    /// The operation, such as the name of a ladder.
    pub operation: String,
    /// The class of problems; see [`shape_class`].
    pub shape: String,
}

/// The kernel that was found fastest, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name of the kernel, such as a rung.
    pub kernel: String,
    /// Its parameters, by name.
    pub parameters: BTreeMap<String, u64>,
}

/// The class of a problem: the element type, and for each extent the largest power of two not above it and the largest
/// of 16, 4 and 1 that divides it, because vector accesses depend on that.
pub fn shape_class(extents: &[(&str, u64)], element: &str) -> String {
    let of = |&(name, extent): &(&str, u64)| {
        let low = extent.checked_ilog2().map_or(0, |log| 1u64 << log);
        let high = low.saturating_mul(2).saturating_sub(1);
        let divisor = [16, 4, 1].into_iter().find(|by| extent.is_multiple_of(*by)).unwrap_or(1);
        format!("{name} {low}-{high}/{divisor}, ")
    };
    extents.iter().map(of).collect::<String>() + element
}

impl Key {
    /// A key of this version of the library.
    pub fn new(gpu: &str, driver: &str, operation: &str, shape: &str) -> Key {
        // Tabs and line ends separate fields and lines.
        let field = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        Key {
            gpu: field(gpu),
            driver: field(driver),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            operation: field(operation),
            shape: field(shape),
        }
    }

    /// The key of a problem on `device`.
    pub fn of(device: &Device, operation: &str, shape: &str) -> Key {
        let info = device.info();
        Key::new(&info.name, &info.driver, operation, shape)
    }
}

impl Choice {
    /// A kernel without parameters.
    pub fn new(kernel: &str) -> Choice {
        let kernel = kernel.replace(char::is_whitespace, "-");
        Choice { kernel, parameters: BTreeMap::new() }
    }

    /// The same with a parameter.
    pub fn with(mut self, name: &str, value: u64) -> Choice {
        self.parameters.insert(name.replace([' ', '=', '\t', '\n', '\r'], "-"), value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_matters_of_a_shape() {
        assert_eq!(shape_class(&[("n", 1)], "u8"), "n 1-1/1, u8");
        assert_eq!(
            shape_class(&[("n", 1023), ("k", 1024)], "f32"),
            "n 512-1023/1, k 1024-2047/16, f32"
        );
        assert_eq!(shape_class(&[("n", 0)], "f32"), "n 0-0/16, f32");
    }
}
