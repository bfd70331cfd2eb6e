//! Objects and the program around them: their ends, supplied member functions, virtual functions, exceptions, launches, and host code.

mod allocation;
mod children;
mod exceptions;
mod host;
mod special;
mod virtuals;

use super::functions::{ImplicitMember, Signature, SignatureParameter, VirtualFunctions};
use super::{Analyzer, scopes};
