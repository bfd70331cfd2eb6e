//! The lab as a web page: compiles CUDA C++, runs kernels and whole programs on the emulator, and reports what happened, all in a
//! browser.
//!
//! The page sends a request as JSON and receives JSON: [`answer`]. A request starts from nothing and leaves nothing behind, except
//! the last compiled source. The page `web.md` of the book describes the requests.
//!
//! | module | contents |
//! | --- | --- |
//! | `request`, `answer` | the requests and their answers |
//! | `compiled` | sources, their problems and their kernels |
//! | `arguments` | arguments of a kernel as a user writes them, and the memory after a launch |
//! | `runs` | runs one kernel, or a whole program by the interpreter of host code |
//! | `cuda` | CUDA's driver for whole programs |
//! | `watch` | watches every launch: checks, counters, pictures, predicted times |
//! | `lessons` | exercises that check themselves |
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
