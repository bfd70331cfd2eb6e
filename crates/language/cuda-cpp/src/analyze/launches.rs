//! Instances of kernel templates that host code launches.

use super::Analyzer;

impl Analyzer {
    /// Looks through the bodies of host functions for launches.
    pub(super) fn find_launches(&mut self) {}
}
