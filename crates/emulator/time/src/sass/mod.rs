//! Machine code (SASS), if available: the registers of a kernel, from the cubin that a program
//! contains or that ptxas generates, and the machine instructions of each PTX line, from nvdisasm's
//! listing. It is read, never executed.
//!
//! | module | contents |
//! | --- | --- |
//! | [`bounds`] | the limit that a kernel's directives set to its registers |
//! | [`cubin`] | registers of the kernels in a cubin |
//! | [`listing`] | nvdisasm's listing of a kernel: instructions, their PTX lines, loops |
//! | [`tools`] | runs ptxas and nvdisasm |

pub mod bounds;
pub mod cubin;
pub mod listing;
pub mod tools;

pub use listing::MachineCode;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Registers by kernel, from cubins. If kernels share a name, the last one wins.
static OF_CUBINS: LazyLock<Mutex<HashMap<String, u32>>> = LazyLock::new(Mutex::default);

/// The machine code from the tools, by text, kernel and compute capability.
static ASSEMBLED: LazyLock<Mutex<HashMap<u64, MachineCode>>> = LazyLock::new(Mutex::default);

/// Records the register counts of the kernels in a cubin.
pub fn learn_from_cubin(code: &[u8]) {
    let found = cubin::registers(code);
    OF_CUBINS.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
}

/// Maximum elapsed time of ptxas and nvdisasm together; [`tools`] limits the CPU time of each.
const LONGEST: Duration = Duration::from_secs(20);

/// The machine code of a kernel, which ptxas and nvdisasm generate in the background.
pub struct Assembling {
    kernel: String,
    register_limit: Option<u32>,
    key: u64,
    started: Instant,
    unwanted: Arc<AtomicBool>,
    running: Option<JoinHandle<Option<MachineCode>>>,
    known: MachineCode,
}

/// Starts to generate the machine code of a kernel of a module for a compute capability (90 for sm_90), unless it is known. Needs
/// ptxas and nvdisasm.
pub fn start_assembling(text: &str, kernel: &str, capability: u32) -> Assembling {
    let mut hasher = DefaultHasher::new();
    (text, kernel, capability).hash(&mut hasher);
    let key = hasher.finish();
    let known = ASSEMBLED.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    let unwanted = Arc::new(AtomicBool::new(false));
    // WebAssembly has neither threads nor other programs.
    let can_run = !cfg!(target_family = "wasm");
    let running = (known.is_none() && can_run).then(|| {
        let (text, kernel, unwanted) = (text.to_owned(), kernel.to_owned(), unwanted.clone());
        std::thread::spawn(move || tools::assemble(&text, &kernel, capability, &unwanted))
    });
    let register_limit = bounds::register_limit(text, kernel);
    let (kernel, started) = (kernel.to_owned(), Instant::now());
    Assembling {
        kernel,
        register_limit,
        key,
        started,
        unwanted,
        running,
        known: known.unwrap_or_default(),
    }
}

impl Assembling {
    /// The machine code of ptxas and nvdisasm. If they take too long, only the number of registers in a cubin is known.
    pub fn finish(self) -> MachineCode {
        let mut code = self.known;
        if let Some(running) = self.running {
            while !running.is_finished() && self.started.elapsed() < LONGEST {
                std::thread::sleep(Duration::from_millis(2));
            }
            self.unwanted.store(true, Ordering::Relaxed);
            code = running.join().ok().flatten().unwrap_or_default();
            let mut assembled = ASSEMBLED.lock().unwrap_or_else(PoisonError::into_inner);
            assembled.insert(self.key, code.clone());
        }
        if code.registers.is_none() {
            let of_cubins = OF_CUBINS.lock().unwrap_or_else(PoisonError::into_inner);
            code.registers = of_cubins.get(&self.kernel).copied();
        }
        code.register_limit = self.register_limit;
        code
    }
}
