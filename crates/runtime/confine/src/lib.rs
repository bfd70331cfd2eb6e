//! Confines a process to some folders before it handles untrusted source code.
//!
//! A compiler reads every file that an `#include` names, and prints lines of it in its messages. A confined process can
//! read only the folders of a [`Reach`], write only its folders for writing, and open no TCP connection. Linux enforces
//! that with Landlock, for the calling thread and every thread and process that it starts afterwards.

use std::path::{Path, PathBuf};

/// The folders and files that a confined process can use, each with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// For reading and executing.
    pub read: Vec<PathBuf>,
    /// For reading, writing and creating.
    pub write: Vec<PathBuf>,
}

/// Whether the system enforces the confinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It enforces all of it.
    Full,
    /// It enforces a part: an older Linux kernel does not restrict the network.
    Part,
    /// The system lacks the feature, so the process is not confined.
    None,
}

/// Folders of the system that hold programs, libraries and headers, and files that describe the processor.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/opt",
    "/sbin",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/usr",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/proc/cpuinfo",
    "/proc/meminfo",
];

/// Environment variables that name folders of compilers and libraries, or lists of them.
const FOLDERS: [&str; 6] = [
    "CONDA_PREFIX",
    "CUDA_HOME",
    "CUDA_PATH",
    "LD_LIBRARY_PATH",
    "LANEWORK_CUDA_INCLUDE",
    "VIRTUAL_ENV",
];

impl Reach {
    /// The system's programs, libraries and devices, the compilers that the environment names, and this program's
    /// folder.
    ///
    /// ```
    /// let reach = lanework_confine::Reach::of_system();
    /// assert!(reach.read.iter().all(|path| path.exists()));
    /// ```
    pub fn of_system() -> Reach {
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        for list in FOLDERS.iter().filter_map(std::env::var_os) {
            read.extend(std::env::split_paths(&list));
        }
        // The headers of `root/lib/libnvrtc.so.13` are in `root/include`.
        let library = std::env::var_os("LANEWORK_NVRTC").map(PathBuf::from);
        read.extend(library.iter().filter_map(|file| file.parent()?.parent().map(Path::to_owned)));
        read.extend(
            std::env::current_exe().iter().filter_map(|file| file.parent().map(Path::to_owned)),
        );
        let path = std::env::var_os("PATH").unwrap_or_default();
        read.extend(std::env::split_paths(&path).flat_map(|folder| of_programs(&folder)));
        let home = std::env::var_os("HOME").map(PathBuf::from);
        read.extend(home.map(|home| home.join(".local/lib")));
        read.retain(|path| path.is_absolute() && path.exists());
        read.sort();
        read.dedup();
        Reach { read, write: vec![PathBuf::from("/dev")] }
    }

    /// Adds a folder for reading.
    #[must_use]
    pub fn reading(mut self, folder: impl Into<PathBuf>) -> Reach {
        self.read.push(folder.into());
        self
    }

    /// Adds a folder for writing.
    #[must_use]
    pub fn writing(mut self, folder: impl Into<PathBuf>) -> Reach {
        self.write.push(folder.into());
        self
    }

    /// Permanently confines the calling thread, and every thread and process that it starts afterwards.
    ///
    /// # Errors
    /// The system's message if it has the feature but the call fails.
    ///
    /// ```
    /// use lanework_confine::{Confinement, Reach};
    ///
    /// let confined = std::thread::spawn(|| {
    ///     let confined = Reach::of_system().confine().expect("Landlock");
    ///     (confined, std::fs::read("/etc/passwd").is_err())
    /// });
    /// let (confined, refused) = confined.join().expect("no panic");
    /// assert_eq!(refused, confined != Confinement::None);
    /// ```
    pub fn confine(&self) -> Result<Confinement, String> {
        confine(self)
    }
}

/// A folder of programs, the toolkit of its `nvcc`, and the libraries of its Python, where pip installs NVRTC.
fn of_programs(folder: &Path) -> Vec<PathBuf> {
    let root = |program: &str| {
        folder.join(program).exists().then(|| folder.parent().map(Path::to_owned)).flatten()
    };
    let libraries = root("python3").map(|root| root.join("lib"));
    std::iter::once(folder.to_owned()).chain(root("nvcc")).chain(libraries).collect()
}

#[cfg(target_os = "linux")]
fn confine(reach: &Reach) -> Result<Confinement, String> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };
    let newest = ABI::V5;
    let restrict = || {
        Ruleset::default()
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .create()?
            .add_rules(path_beneath_rules(&reach.read, AccessFs::from_read(newest)))?
            .add_rules(path_beneath_rules(&reach.write, AccessFs::from_all(newest)))?
            .restrict_self()
    };
    let status = restrict().map_err(|error: landlock::RulesetError| error.to_string())?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Confinement::Full,
        RulesetStatus::PartiallyEnforced => Confinement::Part,
        RulesetStatus::NotEnforced => Confinement::None,
    })
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &Reach) -> Result<Confinement, String> {
    Ok(Confinement::None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Confines a thread that the test starts, so that other tests keep their files.
    fn confined<T: Send>(reach: &Reach, work: impl FnOnce() -> T + Send) -> Option<T> {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| match reach.confine().expect("the feature works") {
                Confinement::None => {
                    eprintln!("SKIPPED: this system has no Landlock");
                    None
                }
                _ => Some(work()),
            });
            thread.join().expect("no panic")
        })
    }

    #[test]
    fn a_confined_process_reads_and_writes_only_its_folders() {
        let [inside, outside] =
            [tempfile::tempdir(), tempfile::tempdir()].map(|folder| folder.expect("a folder"));
        let file = |folder: &tempfile::TempDir| folder.path().join("file");
        for folder in [&inside, &outside] {
            fs::write(file(folder), "text").expect("a file");
        }
        let only_read = Reach::of_system().reading(inside.path());
        let works = confined(&only_read, || {
            let read = fs::read(file(&inside)).is_ok();
            (read, fs::read(file(&outside)).is_ok(), fs::write(file(&inside), "").is_ok())
        });
        assert!(works.is_none_or(|works| works == (true, false, false)), "{works:?}");
        let writes = Reach::of_system().writing(inside.path());
        let works = confined(&writes, || {
            let made = fs::write(inside.path().join("new"), "").is_ok();
            (made, fs::write(file(&outside), "").is_ok())
        });
        assert!(works.is_none_or(|works| works == (true, false)), "{works:?}");
    }

    #[test]
    fn folders_of_compilers_and_pythons_are_readable() {
        let root = tempfile::tempdir().expect("a folder");
        let bin = root.path().join("bin");
        fs::create_dir(&bin).expect("a folder");
        assert_eq!(of_programs(&bin), std::slice::from_ref(&bin));
        fs::write(bin.join("python3"), "").expect("a file");
        assert_eq!(of_programs(&bin), [bin.clone(), root.path().join("lib")]);
        fs::write(bin.join("nvcc"), "").expect("a file");
        assert!(of_programs(&bin).contains(&root.path().to_owned()));
    }

    #[test]
    fn programs_that_a_confined_process_starts_are_confined() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("file"), "text").expect("a file");
        let works = confined(&Reach::of_system(), || {
            let read = |path: &Path| {
                let run = std::process::Command::new("cat").arg(path).output().expect("cat runs");
                run.status.success()
            };
            (read(Path::new("/proc/meminfo")), read(&outside.path().join("file")))
        });
        assert!(works.is_none_or(|works| works == (true, false)), "{works:?}");
    }

    #[test]
    fn a_confined_process_opens_no_connection() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address");
        let reach = Reach::of_system();
        let connected = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let confined = reach.confine().expect("the feature works");
                (confined, std::net::TcpStream::connect(address).is_ok())
            });
            thread.join().expect("no panic")
        });
        match connected {
            (Confinement::Full, connected) => assert!(!connected),
            (confined, _) => {
                eprintln!("SKIPPED: this system does not confine the network: {confined:?}")
            }
        }
    }
}
