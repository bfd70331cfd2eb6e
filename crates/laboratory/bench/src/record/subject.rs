//! The timed subject and the device.

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
