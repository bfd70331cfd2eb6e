//! The generators: pseudorandom and quasirandom sequences.

pub(crate) mod mrg32k3a;
pub(crate) mod mt19937;
pub(crate) mod mtgp32;
pub(crate) mod philox;
pub(crate) mod sobol;
pub(crate) mod xorwow;
