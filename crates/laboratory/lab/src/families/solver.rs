//! The solver of a case: a rung or the vendor's library (cuBLAS).

use lanework::{Cublas, Device, Result};
use lanework_ladders::{Rung, RungInfo};

/// Name of the peer in every ladder that has one.
pub(super) const CUBLAS: &str = "cublas";

/// A rung for the problem `P`, or cuBLAS.
pub(super) enum Solver<P> {
    Rung(Rung<P>),
    Cublas(Cublas),
}

/// cuBLAS as a rung of `experiment`, with the description `source`.
pub(super) const fn cublas(experiment: &'static str, source: &'static str) -> RungInfo {
    RungInfo { name: CUBLAS, experiment, source }
}

impl<P> Solver<P> {
    /// The solver called `name`: a rung of `rungs` or the peer.
    ///
    /// # Errors
    /// If cuBLAS is requested but not installed.
    ///
    /// # Panics
    /// If no rung has this name.
    pub(super) fn named(name: &str, rungs: Vec<Rung<P>>, device: &Device) -> Result<Self> {
        if name == CUBLAS {
            return Ok(Solver::Cublas(Cublas::open(device)?));
        }
        let known = rungs.into_iter().find(|known| known.info.name == name);
        Ok(Solver::Rung(known.expect("a rung of the ladder")))
    }
}
