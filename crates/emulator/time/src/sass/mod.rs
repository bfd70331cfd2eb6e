//! Machine code (SASS), if available: the registers of a kernel, from the cubin that a program
//! brings or that ptxas makes, and the machine instructions of each PTX line, from nvdisasm's
//! listing. It is read, never executed.
//!
//! | module | contents |
//! | --- | --- |
//! | [`cubin`] | registers of the kernels in a cubin |
//! | [`listing`] | nvdisasm's listing of a kernel: instructions, their PTX lines, loops |
//! | [`tools`] | runs ptxas and nvdisasm |

pub mod cubin;
pub mod listing;
pub mod tools;

pub use listing::MachineCode;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Registers by kernel, from cubins. Of kernels with one name, the last one counts.
static OF_CUBINS: LazyLock<Mutex<HashMap<String, u32>>> = LazyLock::new(Mutex::default);

/// The machine code from the tools, by text, kernel and compute capability.
static ASSEMBLED: LazyLock<Mutex<HashMap<u64, MachineCode>>> = LazyLock::new(Mutex::default);

/// Learns the registers of the kernels in a cubin.
pub fn learn_from_cubin(code: &[u8]) {
    let found = cubin::registers(code);
    OF_CUBINS.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
}

/// The machine code of a kernel of a module for a compute capability (90 for sm_90). It comes from
/// ptxas and nvdisasm, if they are installed. Without ptxas, at most the number of registers is
/// known, from a cubin.
pub fn machine_code(text: &str, kernel: &str, capability: u32) -> MachineCode {
    let mut hasher = DefaultHasher::new();
    (text, kernel, capability).hash(&mut hasher);
    let key = hasher.finish();
    let known = ASSEMBLED.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    let mut code = known.unwrap_or_else(|| {
        let code = tools::assemble(text, kernel, capability).unwrap_or_default();
        let mut assembled = ASSEMBLED.lock().unwrap_or_else(PoisonError::into_inner);
        assembled.insert(key, code.clone());
        code
    });
    if code.registers.is_none() {
        code.registers =
            OF_CUBINS.lock().unwrap_or_else(PoisonError::into_inner).get(kernel).copied();
    }
    code
}
