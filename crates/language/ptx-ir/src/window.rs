//! Where the state spaces lie in the generic address space (PTX manual, "Generic Addressing").

/// Generic addresses of shared memory start here.
pub const SHARED_WINDOW: u64 = 0x1_0000_0000;
/// Generic addresses of local memory start here.
pub const LOCAL_WINDOW: u64 = 0x2_0000_0000;
/// Generic addresses of kernel parameters start here.
pub const PARAMETER_WINDOW: u64 = 0x3_0000_0000;
/// Bytes of each window.
pub const WINDOW: u64 = 0x1_0000_0000;

/// The bit of a shared address above which stands one more than the rank of the block whose shared
/// memory it is in; 0 stands for the own block.
pub const RANK_SHIFT: u32 = 24;
/// The offset in the memory of a block.
pub const OFFSET_MASK: u64 = (1 << RANK_SHIFT) - 1;
