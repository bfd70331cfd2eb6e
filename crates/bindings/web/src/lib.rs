//! The lab as a web page. In a browser, it compiles CUDA C++, runs kernels and whole programs on the emulator, and
//! reports the results.
//!
//! The page sends a JSON request to [`answer`] and receives JSON. Requests share no state except the last compiled
//! source. The book's page `web.md` describes the requests.
//!
//! | module | contents |
//! | --- | --- |
//! | `request`, `answer` | the requests and their answers |
//! | `compiled` | sources, their problems and their kernels |
//! | `arguments` | a kernel's arguments as a user writes them, and the memory after a launch |
//! | `runs` | runs one kernel, or a whole program by the interpreter of host code |
//! | `cuda` | CUDA's driver for whole programs |
//! | `watch` | watches every launch: checks, counters, pictures, predicted times |
//! | `lessons` | exercises and ladders, and checks of solutions |
//! | `exports` | the functions of the WebAssembly module |

mod answer;
mod arguments;
mod compiled;
mod cuda;
#[cfg(target_family = "wasm")]
mod exports;
mod lessons;
mod request;
mod runs;
mod watch;

pub use answer::answer;
