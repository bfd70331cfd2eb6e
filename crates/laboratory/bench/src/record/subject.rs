//! What is timed, and where.

use lanework_runtime::Device;
use serde::{Deserialize, Serialize};

/// A device, as records name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Product name.
    pub name: String,
    /// `emulator` or `cuda`.
    pub backend: String,
    /// Driver version.
    pub driver: String,
    /// The GPU's own identifier; `None` where the driver's monitoring library is not.
    #[serde(default)]
    pub uuid: Option<String>,
    /// As `major.minor`.
    #[serde(default)]
    pub compute_capability: String,
    /// Streaming multiprocessors.
    #[serde(default)]
    pub multiprocessors: u32,
}

/// What was timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectRecord {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its name: of the rung, of the kernel, of the library's function.
    pub name: String,
    /// The ladder of a rung, or of the peer beside it.
    pub ladder: Option<String>,
    /// The file of an own kernel, as it was given.
    pub file: Option<String>,
    /// FNV-1a of the PTX text in 16 hexadecimal digits; `None` for a vendor's library.
    pub ptx_hash: Option<String>,
}

/// The kinds of what can be timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A rung of a ladder.
    Rung,
    /// An own kernel: of a file, or of the user's crate.
    Kernel,
    /// An operation of the library.
    Operation,
    /// A vendor's library, beside a ladder.
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
    /// `ladder/name`, or the name alone.
    pub fn title(&self) -> String {
        match &self.ladder {
            Some(ladder) => format!("{ladder}/{}", self.name),
            None => self.name.clone(),
        }
    }
}
