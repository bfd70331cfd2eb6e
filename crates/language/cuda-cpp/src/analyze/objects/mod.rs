//! Objects and the program around them: their ends, supplied member functions, virtual functions, exceptions, and host code.

mod exceptions;
mod host;
mod special;
mod virtuals;

use super::functions::{ImplicitMember, Signature, SignatureParameter, VirtualFunctions};
use super::{Analyzer, scopes};
