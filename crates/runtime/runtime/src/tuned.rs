//! Tuned choices: the kernel and parameters that were fastest for a class of problems on a GPU. `lanework tune` writes
//! them to a small file, in which programs look them up.
//!
//! The file has a line that names the format, then lines of fields separated by tabs. A writer takes an exclusive lock
//! on a file next to it, reads the file again, and replaces it by a rename. So a reader never sees a partial file, and
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

use crate::{Device, Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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

/// The fastest kernel, and its parameters.
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

    /// Adds a parameter.
    pub fn with(mut self, name: &str, value: u64) -> Choice {
        self.parameters.insert(name.replace([' ', '=', '\t', '\n', '\r'], "-"), value);
        self
    }
}

/// The first line of a file.
const FORMAT: &str = "lanework tuned 1";

/// The choices of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuned {
    choices: BTreeMap<Key, Choice>,
}

impl Tuned {
    /// The choices of a file; empty if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read or has another format.
    pub fn read(file: &Path) -> Result<Tuned> {
        match fs::read_to_string(file) {
            Ok(text) => Tuned::parse(&text).map_err(|why| refusal(file, &why)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Tuned::default()),
            Err(error) => Err(failure(file, &error)),
        }
    }

    /// The choice for `key`, if there is one.
    pub fn lookup(&self, key: &Key) -> Option<&Choice> {
        self.choices.get(key)
    }

    /// Every choice.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Choice)> {
        self.choices.iter()
    }

    /// Adds a choice to the file, which is created if missing. Safe to call from several processes concurrently.
    ///
    /// # Errors
    /// If the file cannot be written or has another format.
    pub fn record(file: &Path, key: &Key, choice: &Choice) -> Result<()> {
        Tuned::change(file, |choices| drop(choices.insert(key.clone(), choice.clone())))
    }

    /// Removes the choice for `key` from the file.
    ///
    /// # Errors
    /// If the file cannot be written or has another format.
    pub fn forget(file: &Path, key: &Key) -> Result<()> {
        Tuned::change(file, |choices| drop(choices.remove(key)))
    }

    fn change(file: &Path, change: impl FnOnce(&mut BTreeMap<Key, Choice>)) -> Result<()> {
        let failed = |error: std::io::Error| failure(file, &error);
        let beside = |suffix: &str| {
            let mut name = file.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        let lock = options.create(true).truncate(false).write(true).open(beside(".lock"));
        let lock = lock.map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut tuned = Tuned::read(file)?;
        change(&mut tuned.choices);
        // Only the holder of the lock writes this file. It overwrites a leftover of a killed process.
        let new = beside(".new");
        let mut written = File::create(&new).map_err(failed)?;
        written.write_all(tuned.text().as_bytes()).map_err(failed)?;
        written.sync_all().map_err(failed)?;
        fs::rename(&new, file).map_err(failed)
        // Dropping the file releases the lock.
    }

    fn text(&self) -> String {
        let line = |(key, choice): (&Key, &Choice)| {
            let parameters: String =
                choice.parameters.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            let Key { gpu, driver, version, operation, shape } = key;
            let kernel = &choice.kernel;
            format!("{gpu}\t{driver}\t{version}\t{operation}\t{shape}\t{kernel}{parameters}\n")
        };
        format!("{FORMAT}\n") + &self.choices.iter().map(line).collect::<String>()
    }

    fn parse(text: &str) -> Result<Tuned, String> {
        let mut lines = text.lines();
        match lines.next() {
            None => return Ok(Tuned::default()),
            Some(FORMAT) => {}
            Some(other) if other.starts_with("lanework tuned ") => {
                return Err("a newer version of Lanework wrote it".to_owned());
            }
            Some(_) => return Err("it has other contents".to_owned()),
        }
        let entry = |(number, line): (usize, &str)| {
            choice_of(line).ok_or_else(|| format!("line {} is damaged", number + 2))
        };
        Ok(Tuned { choices: lines.enumerate().map(entry).collect::<Result<_, String>>()? })
    }
}

/// A line of the file.
fn choice_of(line: &str) -> Option<(Key, Choice)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [gpu, driver, version, operation, shape, choice] = fields[..] else { return None };
    let mut words = choice.split(' ');
    let kernel = words.next().filter(|kernel| !kernel.is_empty())?.to_owned();
    let parameter = |word: &str| {
        let (name, value) = word.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let parameters = words.map(parameter).collect::<Option<_>>()?;
    let key = Key { version: version.to_owned(), ..Key::new(gpu, driver, operation, shape) };
    Some((key, Choice { kernel, parameters }))
}

fn failure(file: &Path, error: &std::io::Error) -> Error {
    Error::Request {
        why: format!("tuned choices: {}: {error}", file.display()),
        help: format!(
            "check the path and its permissions, or name another file by {TUNED_VARIABLE}"
        ),
    }
}

fn refusal(file: &Path, why: &str) -> Error {
    Error::Request {
        why: format!("{} is not a file of tuned choices: {why}; it is not changed", file.display()),
        help: format!("name another file by {TUNED_VARIABLE}, or move this one away"),
    }
}

/// The environment variable that names the file.
pub const TUNED_VARIABLE: &str = "LANEWORK_TUNED";

/// The user's folder for data of programs: `$XDG_DATA_HOME` or `~/.local/share`, on macOS `~/Library/Application
/// Support`, on Windows `%APPDATA%`. `None` if there is no home folder.
pub fn data_folder() -> Option<PathBuf> {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    if cfg!(windows) {
        absolute("APPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
    }
}

/// The file that [`TUNED_VARIABLE`] names, or `lanework/tuned.tsv` in [`data_folder`].
pub fn default_place() -> Option<PathBuf> {
    match std::env::var_os(TUNED_VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) => Some(name.into()),
        None => Some(data_folder()?.join("lanework").join("tuned.tsv")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_classes_depend_on_size_and_alignment() {
        assert_eq!(shape_class(&[("n", 1)], "u8"), "n 1-1/1, u8");
        assert_eq!(
            shape_class(&[("n", 1023), ("k", 1024)], "f32"),
            "n 512-1023/1, k 1024-2047/16, f32"
        );
        assert_eq!(shape_class(&[("n", 0)], "f32"), "n 0-0/16, f32");
    }

    /// A temporary folder for a test, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("lanework-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("a folder");
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(shape: &str) -> Key {
        Key::new("GPU", "1.2", "gemm", shape)
    }

    #[test]
    fn a_choice_holds_for_its_key_only() {
        let folder = Folder::new("tuned-key");
        let file = folder.0.join("deep/tuned.tsv");
        assert_eq!(Tuned::read(&file).expect("no file"), Tuned::default());
        let choice = Choice::new("tile-2d").with("tile", 8).with("block", 256);
        Tuned::record(&file, &key("a"), &choice).expect("recorded");
        Tuned::record(&file, &key("b"), &Choice::new("naive")).expect("recorded");
        let tuned = Tuned::read(&file).expect("read");
        assert_eq!(tuned.lookup(&key("a")), Some(&choice));
        assert_eq!(tuned.lookup(&key("b")), Some(&Choice::new("naive")));
        for other in [
            key("c"),
            Key { gpu: "other".to_owned(), ..key("a") },
            Key { driver: "1.3".to_owned(), ..key("a") },
            Key { version: "9.9".to_owned(), ..key("a") },
            Key { operation: "transpose".to_owned(), ..key("a") },
        ] {
            assert_eq!(tuned.lookup(&other), None, "{other:?}");
        }
        Tuned::forget(&file, &key("a")).expect("forgotten");
        assert_eq!(Tuned::read(&file).expect("read").iter().count(), 1);
    }

    #[test]
    fn names_cannot_break_the_file() {
        let folder = Folder::new("tuned-names");
        let file = folder.0.join("t");
        let key = Key::new("G\tP\nU", "d\r", "o", "s");
        let choice = Choice::new("two words\t").with("a=b c", 1);
        Tuned::record(&file, &key, &choice).expect("recorded");
        assert_eq!(Tuned::read(&file).expect("read").lookup(&key), Some(&choice));
    }

    #[test]
    fn concurrent_writers_lose_no_choices() {
        let folder = Folder::new("tuned-writers");
        let file = folder.0.join("t");
        // Each thread opens the files anew, so that they lock each other out as processes do.
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for number in 0..20 {
                        let key = key(&format!("{writer} {number}"));
                        Tuned::record(file, &key, &Choice::new("k")).expect("recorded");
                        assert!(Tuned::read(file).expect("whole").lookup(&key).is_some());
                    }
                });
            }
        });
        assert_eq!(Tuned::read(&file).expect("read").iter().count(), 160);
    }

    #[test]
    fn files_of_another_format_are_errors_and_stay_unchanged() {
        let folder = Folder::new("tuned-other");
        let file = folder.0.join("t");
        for (text, words) in [
            ("hello\n", "other contents"),
            ("lanework tuned 2\n", "newer version"),
            ("lanework tuned 1\na\tb\n", "line 2 is damaged"),
            ("lanework tuned 1\na\tb\tc\td\te\tk x=y\n", "line 2 is damaged"),
        ] {
            fs::write(&file, text).expect("written");
            let error = Tuned::read(&file).expect_err("refused").to_string();
            assert!(error.contains(words) && error.contains("help"), "{error}");
            assert!(Tuned::record(&file, &key("a"), &Choice::new("k")).is_err());
            assert_eq!(fs::read_to_string(&file).expect("read"), text);
        }
        let error = Tuned::read(&folder.0).expect_err("a folder").to_string();
        assert!(error.contains("tuned choices") && error.contains("help"), "{error}");
    }
}
