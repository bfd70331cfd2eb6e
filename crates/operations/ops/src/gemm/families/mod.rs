//! The kernel families of matrix products. Each one checks which problems it supports and makes their launches.

pub(crate) mod double;
pub(crate) mod ffma;
pub(crate) mod halved;
pub(crate) mod hopper;
pub(crate) mod mma;
pub(crate) mod skinny;
pub(crate) mod split;
pub(crate) mod tile;
