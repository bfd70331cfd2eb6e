//! Disk cache of PTX texts that passed all checks, so that other processes need not check them again, and of texts that
//! were made from others, such as compiled CUDA C++.
//!
//! A file holds the whole text and identifies the build of this library that wrote it. A lookup compares both byte for
//! byte, and so ignores torn or damaged files, files of other builds, and hash collisions. Writers rename files into
//! place. If the cache exceeds its size, it deletes the least recently used files. It ignores read and write errors;
//! the checks are then repeated.

use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// The variable that names the folder; `0` or `off` turn the cache off.
const VARIABLE: &str = "LANEWORK_CACHE_DIR";
/// The variable that sets the maximum size of the files in MiB.
const MOST_VARIABLE: &str = "LANEWORK_CACHE_MB";
const MOST: u64 = 256;
/// Shorter texts are checked in less than a millisecond.
const SHORTEST: usize = 16 << 10;
/// The recorded time of a file's last use is updated if it is older than this.
const NOTED: Duration = Duration::from_secs(24 * 3600);
/// A partial file older than this was left by an interrupted write.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of texts.
#[doc(hidden)]
pub struct DiskCache {
    folder: PathBuf,
    most: u64,
    /// The build of this library.
    build: String,
}

impl DiskCache {
    /// The user's cache, if there is one.
    pub fn of_user() -> Option<&'static DiskCache> {
        static CACHE: OnceLock<Option<DiskCache>> = OnceLock::new();
        let made = || {
            let most = std::env::var(MOST_VARIABLE).ok().and_then(|most| most.trim().parse().ok());
            DiskCache::in_folder(folder()?, most.unwrap_or(MOST).saturating_mul(1 << 20))
        };
        CACHE.get_or_init(made).as_ref()
    }

    /// A cache in a folder, of at most `most` bytes.
    pub fn in_folder(folder: PathBuf, most: u64) -> Option<DiskCache> {
        (most > 0).then_some(DiskCache { folder, most, build: build()? })
    }

    /// Whether a text is long enough to be cached.
    pub fn takes(&self, text: &str) -> bool {
        text.len() >= SHORTEST && text.len() as u64 <= self.most / 4
    }

    fn place(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:016x}.ptx"))
    }

    /// Whether this text passed the checks of this build.
    pub fn holds(&self, number: u64, text: &str) -> bool {
        let place = self.place(number);
        let whole = (self.build.len() + text.len()) as u64;
        let Ok(about) = fs::metadata(&place) else { return false };
        if !about.is_file() || about.len() != whole {
            return false;
        }
        let Ok(bytes) = fs::read(&place) else { return false };
        let same = bytes.strip_prefix(self.build.as_bytes()) == Some(text.as_bytes());
        if same && is_older(&about, NOTED) {
            let opened = fs::File::options().append(true).open(&place);
            let _ = opened.and_then(|file| file.set_modified(SystemTime::now()));
        }
        same
    }

    /// Stores a text that passed the checks of this build.
    pub fn keep(&self, number: u64, text: &str) {
        if !self.holds(number, text) {
            let _ = self.write(number, text);
            self.shrink();
        }
    }

    /// The text that [`DiskCache::record`] stored for this key.
    pub fn recall(&self, key: &str) -> Option<String> {
        let text = fs::read_to_string(self.place(number_of(key))).ok()?;
        let made =
            text.strip_prefix(&self.build)?.strip_prefix(&heading(key))?.strip_prefix(key)?;
        Some(made.to_owned())
    }

    /// Stores the text that was made from everything in `key`.
    pub fn record(&self, key: &str, made: &str) {
        let text = [&heading(key), key, made].concat();
        if text.len() as u64 <= self.most / 4 {
            let _ = self.write(number_of(key), &text);
            self.shrink();
        }
    }

    fn write(&self, number: u64, text: &str) -> std::io::Result<()> {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(&self.folder)?;
        let (process, written) = (std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
        let beside = self.folder.join(format!("{process}-{written}.part"));
        let whole = [self.build.as_bytes(), text.as_bytes()].concat();
        let moved =
            fs::write(&beside, whole).and_then(|()| fs::rename(&beside, self.place(number)));
        if moved.is_err() {
            let _ = fs::remove_file(&beside);
        }
        moved
    }

    /// Deletes the least recently used files while the cache is too large, and the leftovers of interrupted
    /// writes.
    fn shrink(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files = Vec::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            let Ok(about) = fs::metadata(&path) else { continue };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("ptx") => {
                    files.push((
                        about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                        about.len(),
                        path,
                    ));
                }
                Some("part") if is_older(&about, ABANDONED) => drop(fs::remove_file(path)),
                _ => {}
            }
        }
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, of_file, path) in files {
            if bytes <= self.most {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= of_file;
        }
    }
}

/// A line before a key, with its length, so that no other pair of key and text has the same bytes.
fn heading(key: &str) -> String {
    format!("made from {} bytes\n", key.len())
}

fn number_of(key: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

fn is_older(about: &fs::Metadata, age: Duration) -> bool {
    about.modified().is_ok_and(|at| at.elapsed().is_ok_and(|elapsed| elapsed > age))
}

/// The folder that the variable names, or `lanework` in the user's folder for caches.
fn folder() -> Option<PathBuf> {
    if let Some(said) = std::env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
        return (said != "0" && said != "off").then(|| said.into());
    }
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let caches = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(".cache")))
    };
    Some(caches?.join("lanework"))
}

/// A line for the file that this code is in: its version, size and time.
fn build() -> Option<String> {
    let about = fs::metadata(own_file()?).ok()?;
    let time = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some(format!("lanework {version} {} {}\n", about.len(), time.as_nanos()))
}

/// The library or program that holds this code.
fn own_file() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return std::env::current_exe().ok();
    }
    let here = own_file as fn() -> Option<PathBuf> as usize;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let [from, to] = [from, to].map(|end| usize::from_str_radix(end, 16).unwrap_or(0));
        (from..to).contains(&here).then(|| rest.find('/').map(|at| &rest[at..]))?
    })?;
    Some(Path::new(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str, most: u64) -> DiskCache {
        let folder = format!("lanework-cache-{name}-{}", std::process::id());
        DiskCache::in_folder(std::env::temp_dir().join(folder), most).expect("a build")
    }

    #[test]
    fn only_complete_files_of_this_build_are_used() {
        let cache = cache("whole", 1 << 20);
        let text = "x".repeat(20_000);
        assert!(!cache.holds(7, &text));
        cache.keep(7, &text);
        assert!(cache.holds(7, &text) && !cache.holds(8, &text));
        assert!(!cache.holds(7, &text.replace('x', "y")));
        let place = cache.place(7);
        let whole = fs::read(&place).expect("a file");
        let mut damaged = whole.clone();
        damaged[10_000] ^= 1;
        let older = [b"lanework 0.0.0 1 1\n", text.as_bytes()].concat();
        for wrong in [&whole[..whole.len() / 2], &damaged, &older, &[]] {
            fs::write(&place, wrong).expect("written");
            assert!(!cache.holds(7, &text));
        }
        cache.keep(7, &text);
        assert!(cache.holds(7, &text));
        let names = fs::read_dir(&cache.folder).expect("a folder").flatten();
        assert_eq!(
            names.map(|entry| entry.file_name()).collect::<Vec<_>>(),
            ["0000000000000007.ptx"]
        );
        fs::remove_dir_all(&cache.folder).expect("it was there");
    }

    #[test]
    fn a_made_text_is_found_by_its_whole_key() {
        let cache = cache("made", 1 << 20);
        assert_eq!(cache.recall("source"), None);
        cache.record("source", ".version 8.0");
        cache.record("sour", "ce.version 8.0");
        assert_eq!(cache.recall("source").as_deref(), Some(".version 8.0"));
        assert_eq!(cache.recall("sour").as_deref(), Some("ce.version 8.0"));
        // As after a hash collision: a file of another key in the place of this key's file is ignored.
        fs::rename(cache.place(number_of("sour")), cache.place(number_of("source")))
            .expect("moved");
        assert_eq!(cache.recall("source"), None);
        fs::remove_dir_all(&cache.folder).expect("it was there");
    }

    #[test]
    fn the_least_recently_used_files_are_deleted_first() {
        let cache = cache("size", 100_000);
        let text = "x".repeat(20_000);
        for number in 0..4 {
            cache.keep(number, &text);
            let file = fs::File::options().append(true).open(cache.place(number)).expect("a file");
            let age = Duration::from_secs(1000 - 100 * number);
            file.set_modified(SystemTime::now() - age).expect("a time");
        }
        cache.keep(4, &text);
        let held: Vec<bool> = (0..5).map(|number| cache.holds(number, &text)).collect();
        assert_eq!(held, [false, true, true, true, true]);
        assert!(!cache.takes("short") && !cache.takes(&"x".repeat(30_000)));
        fs::remove_dir_all(&cache.folder).expect("it was there");
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_ignored() {
        let place = std::env::temp_dir().join(format!("lanework-no-folder-{}", std::process::id()));
        fs::write(&place, "a file").expect("written");
        let cache = DiskCache::in_folder(place.join("below"), 1 << 20).expect("a build");
        let text = "x".repeat(20_000);
        cache.keep(1, &text);
        assert!(!cache.holds(1, &text));
        fs::remove_file(place).expect("it was there");
    }
}
