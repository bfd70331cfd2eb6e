//! Asynchrony of sm_90, typed: mbarriers and pipelines, bulk and tensor copies, clusters, warp roles, ordered memory
//! accesses. The page `docs/src/en/hopper.md` shows each with its PTX.

pub(crate) mod bulk;
pub(crate) mod cache;
pub(crate) mod cluster;
pub(crate) mod mbarrier;
pub(crate) mod ordered;
pub(crate) mod part;
pub(crate) mod pipeline;
pub(crate) mod remote;
pub(crate) mod roles;
pub(crate) mod tensor;
pub(crate) mod tensor_map;
