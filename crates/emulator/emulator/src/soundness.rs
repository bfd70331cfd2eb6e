//! Programs without unsafe code must not reach code that the engine trusts. Each pair below differs in the line that
//! must not compile.
//!
//! An instrument, which supplies pointers or handlers, is an unsafe trait; an observer is a safe trait:
//!
//! ```
//! #![forbid(unsafe_code)]
//! use lanework_emulator::{Access, Observer};
//! struct Watches;
//! impl Observer for Watches {
//!     fn fork(&self) -> Self { Watches }
//!     fn merge(&mut self, _: Self) {}
//!     fn access(&mut self, _: &Access<'_>) {}
//! }
//! ```
//! ```compile_fail,E0200
//! #![forbid(unsafe_code)]
//! use lanework_emulator::{Access, Instrument};
//! struct Watches;
//! impl Instrument for Watches {
//!     fn fork(&self) -> Self { Watches }
//!     fn merge(&mut self, _: Self) {}
//!     fn access(&mut self, _: &Access<'_>) {}
//! }
//! ```
//!
//! An observer cannot excuse an invalid access or supply handlers:
//!
//! ```compile_fail,E0407
//! #![forbid(unsafe_code)]
//! use lanework_emulator::Observer;
//! use lanework_engine::fault::RawFault;
//! use lanework_engine::instrument::ScratchBytes;
//! struct Excuses;
//! impl Observer for Excuses {
//!     fn fork(&self) -> Self { Excuses }
//!     fn merge(&mut self, _: Self) {}
//!     fn invalid_access(&mut self, _: u32, _: u32, fault: RawFault) -> Result<ScratchBytes, RawFault> { Err(fault) }
//! }
//! ```
//! ```compile_fail,E0407
//! #![forbid(unsafe_code)]
//! use lanework_emulator::Observer;
//! use lanework_engine::handler::Tiers;
//! struct Jumps;
//! impl Observer for Jumps {
//!     fn fork(&self) -> Self { Jumps }
//!     fn merge(&mut self, _: Self) {}
//!     fn access_operation() -> Tiers { unreachable!() }
//! }
//! ```
//!
//! Only unsafe code can make scratch bytes from a pointer:
//!
//! ```compile_fail,E0133
//! use lanework_engine::instrument::ScratchBytes;
//! let _ = ScratchBytes::new(0xdead_0000 as *mut u8);
//! ```
//!
//! Only unsafe code can make handlers, and not from plain functions:
//!
//! ```compile_fail,E0423
//! use lanework_engine::handler::Tiers;
//! use lanework_engine::machine::{Op, Warp};
//! fn evil(_: &Op, _: &mut Warp) -> *const Op { 0xdead_0000 as *const Op }
//! let _ = Tiers([evil as _; 3]);
//! ```
//! ```compile_fail,E0200
//! use lanework_engine::handler::Body;
//! use lanework_engine::machine::{Op, Warp};
//! struct Evil;
//! impl Body for Evil {
//!     unsafe fn run(_: &Op, _: &mut Warp) -> *const Op { 0xdead_0000 as *const Op }
//! }
//! ```
//!
//! Only the scheduler makes warps:
//!
//! ```compile_fail,E0624
//! let _ = lanework_engine::machine::Warp::new(0);
//! ```
