//! The subject of a measurement: everything in a record that does not come from the samples, with its
//! provenance and the sampling protocol.

use lanework_runtime::Device;
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// A device, as records name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Product name.
    pub name: String,
    /// `emulator` or `cuda`.
    pub backend: String,
    /// Driver version.
    pub driver: String,
    /// The GPU's UUID; `None` without the driver's monitoring library.
    #[serde(default)]
    pub uuid: Option<String>,
    /// As `major.minor`.
    #[serde(default)]
    pub compute_capability: String,
    /// Streaming multiprocessors.
    #[serde(default)]
    pub multiprocessors: u32,
}

/// The timed kernel or function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectRecord {
    /// Its kind.
    pub kind: SubjectKind,
    /// Name of the rung, the kernel or the library function.
    pub name: String,
    /// The ladder of a rung or of its peer.
    pub ladder: Option<String>,
    /// The file of a user's kernel, as given.
    pub file: Option<String>,
    /// FNV-1a of the PTX text in 16 hexadecimal digits; `None` for a vendor's library.
    pub ptx_hash: Option<String>,
}

/// Kinds of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A rung of a ladder.
    Rung,
    /// A user's kernel, from a file or a crate.
    Kernel,
    /// An operation of the library.
    Operation,
    /// A vendor's library, the peer of a ladder.
    Peer,
}

impl DeviceRecord {
    /// The record of a device.
    pub fn of(device: &Device) -> Self {
        let info = device.info();
        let (major, minor) = info.compute_capability;
        DeviceRecord {
            name: info.name,
            backend: info.backend.name().to_owned(),
            driver: info.driver,
            uuid: device.monitor().ok().and_then(|monitor| monitor.uuid()),
            compute_capability: format!("{major}.{minor}"),
            multiprocessors: info.multiprocessors,
        }
    }
}

impl SubjectRecord {
    /// `ladder/name`, or only the name.
    pub fn title(&self) -> String {
        match &self.ladder {
            Some(ladder) => format!("{ladder}/{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Now, as `2026-11-22T16:20:00Z`.
pub fn utc_now() -> String {
    // A clock before 1970 is as wrong as 1970.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    rfc3339(seconds)
}

/// Seconds since 1970-01-01 as `2026-11-22T16:20:00Z` (RFC 3339).
///
/// The civil date is computed from days since 1970-01-01 over eras of 400 years, whose years begin in March, so that the
/// leap day is the last of its year (Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
pub fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March: 0 is March, 11 is February of the next year.
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The hash of a PTX text in 16 hexadecimal digits: 64-bit FNV-1a (Fowler, Noll, Vo), which any tool can compute.
pub fn ptx_hash(ptx: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", ptx.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The commit of the current folder's checkout, with a `+` when tracked files have changes; `None` outside a checkout
/// or without git. Determined once per process.
pub fn revision() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
        Some(if changes.is_empty() { commit } else { commit + "+" })
    };
    FOUND.get_or_init(find).clone()
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// State of the cache when a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// Nothing of use.
    Cold,
    /// The data of the previous run: every launch uses the same buffers.
    Hot,
}

/// Why sampling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The median's interval was narrow enough.
    Settled,
    /// The time limit.
    TimeLimit,
}

/// How a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// Events before and after one launch.
    Events,
    /// Events around a graph of this many launches.
    Graph(u32),
}

/// How the cache was brought into its state before a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reset {
    /// Not at all: every launch uses the same buffers.
    None,
    /// Launches rotate over this many copies of the problem, together at least twice the L2 cache.
    Rotation {
        /// Copies of the problem.
        copies: u32,
    },
    /// Before each launch a buffer of this many bytes, at least twice the L2 cache, is overwritten.
    Flush {
        /// Bytes written.
        bytes: u64,
    },
}

impl Cache {
    /// `cold` or `hot`.
    pub fn name(self) -> &'static str {
        match self {
            Cache::Cold => "cold",
            Cache::Hot => "hot",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(rfc3339(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(rfc3339(1_795_363_200), "2026-11-22T16:00:00Z");
    }

    #[test]
    fn hashes_are_those_of_the_published_vectors() {
        assert_eq!(ptx_hash(""), "cbf29ce484222325");
        assert_eq!(ptx_hash("foobar"), "85944171f73967e8");
    }
}
