//! Shape and arguments of a PTX kernel's launch.

use crate::{Buffer, Dim3, DynTensorMap};
use lanework_emulator::{Blocks, LaunchConfig};

/// An argument of a PTX kernel.
///
/// See [`PtxModule`](super::PtxModule) for an example.
pub enum PtxArg<'a> {
    /// The bytes of a parameter, little-endian.
    Bytes(Vec<u8>),
    /// The address of a buffer, as 8 bytes.
    Memory(&'a Buffer<u8>),
    /// A tensor map, as 128 bytes.
    Map(&'a DynTensorMap<'a>),
}

/// The shape of a launch of a PTX kernel.
///
/// See [`PtxModule`](super::PtxModule) for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtxShape {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Blocks of a cluster; `None` leaves it to the kernel.
    pub cluster: Option<Dim3>,
    /// Whether all blocks are resident at the same time, so that they may wait for each other.
    pub cooperative: bool,
}

impl PtxShape {
    /// A grid of blocks, without dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> PtxShape {
        PtxShape {
            grid: grid.into(),
            block: block.into(),
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
        }
    }

    /// With this many bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(self, bytes: u32) -> PtxShape {
        PtxShape { dynamic_shared: bytes, ..self }
    }

    /// With blocks grouped into clusters (sm_90).
    #[must_use]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> PtxShape {
        PtxShape { cluster: Some(blocks.into()), ..self }
    }

    /// As a cooperative launch (`cudaLaunchCooperativeKernel`): all blocks are resident at the same time,
    /// and `grid.sync()` of cooperative groups works.
    #[must_use]
    pub fn cooperative(self) -> PtxShape {
        PtxShape { cooperative: true, ..self }
    }

    pub(super) fn config<'a>(&self, entry: &'a str, blocks: Blocks) -> LaunchConfig<'a> {
        let PtxShape { grid, block, dynamic_shared, cluster, cooperative } = *self;
        LaunchConfig {
            entry,
            grid: grid.to_array(),
            block: block.to_array(),
            dynamic_shared,
            blocks,
            cluster: cluster.map(Dim3::to_array),
            cooperative,
        }
    }
}

impl PtxArg<'_> {
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            PtxArg::Bytes(bytes) => bytes.clone(),
            PtxArg::Memory(buffer) => buffer.address().to_le_bytes().to_vec(),
            PtxArg::Map(map) => map.as_bytes().to_vec(),
        }
    }
}
