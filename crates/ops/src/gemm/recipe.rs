//! How a family of kernels answers: with what makes its launches.

use crate::workspace::Scratch;
use lanework::{Prepared, Result};

/// What makes the launches of a problem once the workspace is reserved.
pub(crate) type Recipe<'a> = Box<dyn FnOnce(&Scratch) -> Result<Vec<Prepared<'a>>> + 'a>;
