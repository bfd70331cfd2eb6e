//! Why the image of a module is not loaded.

use crate::devices::model::model;
use crate::status::Status;
use std::fmt;

/// Why an image is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It holds machine code for these architectures and no PTX.
    MachineCode(Vec<u32>),
    /// Its oldest PTX is for this architecture, which is newer than the GPU that was named.
    Newer(u32),
    /// It is none of the kinds of image.
    Unknown,
    /// An entry cannot be read.
    Damaged(&'static str),
}

impl Refused {
    /// What a GPU's driver answers.
    pub fn status(&self) -> Status {
        match self {
            Refused::MachineCode(_) | Refused::Newer(_) => Status::NoBinaryForGpu,
            Refused::Unknown | Refused::Damaged(_) => Status::InvalidImage,
        }
    }
}

/// Why a target is refused that the GPU that was named does not run, and what to do.
pub fn newer(target: &str) -> [String; 2] {
    let (gpu, own) = (&model().gpu.name, model().architecture());
    [
        format!(
            "the module's PTX is for {target}, which the emulated {gpu} (sm_{own}) does not run"
        ),
        format!(
            "compile for it (`nvcc -arch=sm_{own}`), or name another GPU by `--gpu` (LANEWORK_GPU)"
        ),
    ]
}

/// ` for sm_80, sm_90`, or nothing where none is known.
pub fn for_architectures(sms: &[u32]) -> String {
    let names: Vec<String> = sms.iter().map(|sm| format!("sm_{sm}")).collect();
    if names.is_empty() { String::new() } else { format!(" for {}", names.join(", ")) }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::MachineCode(sms) => write!(
                f,
                "the module holds machine code{} and no PTX, which is what the emulator runs\n  = help: compile with PTX, as \
                 `nvcc -gencode arch=compute_90,code=compute_90` or `-arch=sm_90` do",
                for_architectures(sms)
            ),
            Refused::Newer(sm) => f.write_str(&newer(&format!("sm_{sm}")).join("\n  = help: ")),
            Refused::Unknown => {
                f.write_str("the image of the module is neither PTX nor a fatbin\n  = help: pass PTX text, or what nvcc writes with `-fatbin`")
            }
            Refused::Damaged(what) => write!(f, "the module's fatbin cannot be read: {what}\n  = help: compile it again"),
        }
    }
}
