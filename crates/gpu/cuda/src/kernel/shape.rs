//! The shape of a launch and its limits; and the driver's description of a compiled kernel, which launches and
//! arguments must fit.

use crate::{CudaError, DeviceInfo};
use std::fmt;
use std::sync::Arc;

/// Maximum number of blocks in a portable cluster, which every GPU with clusters can run.
const PORTABLE_CLUSTER: u64 = 8;

/// Maximum number of blocks in a cluster.
const LARGEST_CLUSTER: u64 = 16;

/// Grid, block, dynamic shared memory and cluster of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, bytes.
    pub dynamic_shared: u32,
    /// Blocks per cluster in x, y, z; `None` leaves it to the kernel's `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// Whether all blocks must be resident at the same time, so that they may wait for each other.
    pub cooperative: bool,
    /// Whether the kernel may start before the previous kernel on the stream has ended; it waits with
    /// `griddepcontrol.wait`.
    pub programmatic: bool,
}

impl LaunchShape {
    /// A plain launch of `grid` blocks of `block` threads.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> LaunchShape {
        LaunchShape {
            grid,
            block,
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
            programmatic: false,
        }
    }

    /// With this many bytes of dynamic shared memory per block.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> LaunchShape {
        LaunchShape { dynamic_shared: bytes, ..self }
    }

    /// With blocks grouped into clusters.
    #[must_use]
    pub fn cluster(self, blocks: [u32; 3]) -> LaunchShape {
        LaunchShape { cluster: Some(blocks), ..self }
    }

    /// With all blocks resident at the same time.
    #[must_use]
    pub fn cooperative(self) -> LaunchShape {
        LaunchShape { cooperative: true, ..self }
    }

    /// Started early (programmatic stream serialization).
    #[must_use]
    pub fn programmatic(self) -> LaunchShape {
        LaunchShape { programmatic: true, ..self }
    }

    /// Threads per block.
    pub fn block_threads(&self) -> u64 {
        volume(self.block)
    }

    /// Whether the cluster exceeds the portable size.
    pub(crate) fn cluster_is_large(&self) -> bool {
        self.cluster.is_some_and(|cluster| volume(cluster) > PORTABLE_CLUSTER)
    }

    /// Rejects shapes that the GPU or the kernel cannot run.
    ///
    /// # Errors
    /// [`CudaError::Limit`] with the quantity, the limit and the remedy.
    pub fn check(&self, device: &DeviceInfo, function: &FunctionInfo) -> Result<(), CudaError> {
        let refuse = |what: &str, asked: String, limit: String, remedy: String| {
            Err(CudaError::Limit {
                kernel: (*function.name).into(),
                what: what.into(),
                asked: asked.into(),
                limit: limit.into(),
                remedy: remedy.into(),
            })
        };
        for (what, extent, limit) in
            [("grid", self.grid, device.max_grid), ("block", self.block, device.max_block)]
        {
            if extent.contains(&0) {
                let remedy =
                    "every extent is at least 1; skip the launch when there is nothing to do";
                return refuse(what, shown(extent), "at least 1x1x1".into(), remedy.into());
            }
            if (0..3).any(|axis| extent[axis] > limit[axis]) {
                let remedy =
                    format!("let each thread do more work, or use another axis of the {what}");
                return refuse(what, shown(extent), shown(limit), remedy);
            }
        }
        let threads = self.block_threads();
        if threads > u64::from(device.max_threads_per_block) {
            let asked = format!("{threads} ({})", shown(self.block));
            let remedy = "use smaller blocks and a larger grid".to_string();
            return refuse(
                "threads per block",
                asked,
                device.max_threads_per_block.to_string(),
                remedy,
            );
        }
        if threads > u64::from(function.max_threads) {
            let limit = format!("{} for this kernel", function.max_threads);
            let remedy = format!(
                "the kernel uses {} registers per thread and may declare .maxntid: use smaller blocks, or limit its registers",
                function.registers
            );
            return refuse("threads per block", threads.to_string(), limit, remedy);
        }
        let shared = u64::from(function.static_shared) + u64::from(self.dynamic_shared);
        if shared > u64::from(device.shared_per_block_optin) {
            let asked = format!(
                "{shared} bytes ({} static, {} dynamic)",
                function.static_shared, self.dynamic_shared
            );
            let limit = format!("{} bytes", device.shared_per_block_optin);
            return refuse(
                "shared memory per block",
                asked,
                limit,
                "use smaller tiles or fewer stages".into(),
            );
        }
        match self.cluster {
            Some(cluster) => self.check_cluster(cluster, device, function),
            None => Ok(()),
        }
    }

    fn check_cluster(
        &self,
        cluster: [u32; 3],
        device: &DeviceInfo,
        function: &FunctionInfo,
    ) -> Result<(), CudaError> {
        let (major, minor) = device.compute_capability;
        if major < 9 {
            return Err(CudaError::Unsupported {
                what: format!("a cluster launch of `{}` on sm_{major}{minor}", function.name),
                remedy: "clusters need sm_90 or later; launch without one".into(),
            });
        }
        let blocks = volume(cluster);
        let divides =
            (0..3).all(|axis| cluster[axis] > 0 && self.grid[axis].is_multiple_of(cluster[axis]));
        let (limit, remedy) = if blocks > LARGEST_CLUSTER {
            (format!("{LARGEST_CLUSTER} blocks"), "use a smaller cluster".to_string())
        } else if !divides {
            let grid = shown(self.grid);
            (
                format!("a divisor of the grid {grid} in each axis"),
                "round the grid up to whole clusters".into(),
            )
        } else {
            return Ok(());
        };
        Err(CudaError::Limit {
            kernel: (*function.name).into(),
            what: "cluster".into(),
            asked: format!("{} ({blocks} blocks)", shown(cluster)).into(),
            limit: limit.into(),
            remedy: remedy.into(),
        })
    }
}

fn volume(extent: [u32; 3]) -> u64 {
    // Saturating, because the product of three extents of 2^32 - 1 overflows.
    extent.iter().fold(1u64, |product, &extent| product.saturating_mul(u64::from(extent)))
}

fn shown([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

/// The driver's description of a compiled kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The kernel's name.
    pub name: Arc<str>,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spilled registers and local arrays.
    pub local_bytes: u32,
    /// Shared memory declared in the kernel, bytes per block.
    pub static_shared: u32,
    /// Constant memory declared in the module, bytes.
    pub constant_bytes: u32,
    /// Maximum threads per block of this kernel, which its registers and `.maxntid` limit.
    pub max_threads: u32,
    /// Architecture of the machine code, 90 for sm_90.
    pub binary_version: u32,
    /// PTX version it was compiled from, 80 for 8.0.
    pub ptx_version: u32,
    /// Size of each parameter in bytes; `None` if the driver (before CUDA 12.4) does not report it.
    pub parameters: Option<Vec<usize>>,
}

impl FunctionInfo {
    /// Rejects arguments that do not fit the parameters, if their sizes are known.
    pub(crate) fn check_arguments(&self, arguments: &[&[u8]]) -> Result<(), CudaError> {
        let Some(parameters) = &self.parameters else { return Ok(()) };
        let refuse =
            |what: String| Err(CudaError::Arguments { kernel: self.name.to_string(), what });
        if parameters.len() != arguments.len() {
            return refuse(format!(
                "it has {} parameters (of {parameters:?} bytes), {} arguments were given",
                parameters.len(),
                arguments.len()
            ));
        }
        for (index, (&parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            if parameter != argument.len() {
                return refuse(format!(
                    "parameter {index} has {parameter} bytes, the argument has {}",
                    argument.len()
                ));
            }
        }
        Ok(())
    }
}

impl fmt::Display for FunctionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} registers, {} bytes of local memory, {} bytes of shared memory, up to {} threads",
            self.name, self.registers, self.local_bytes, self.static_shared, self.max_threads
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200() -> DeviceInfo {
        DeviceInfo {
            index: 0,
            name: "test".into(),
            compute_capability: (9, 0),
            memory_bytes: 1 << 37,
            multiprocessors: 132,
            max_threads_per_block: 1024,
            max_threads_per_multiprocessor: 2048,
            max_blocks_per_multiprocessor: 32,
            max_block: [1024, 1024, 64],
            max_grid: [2147483647, 65535, 65535],
            shared_per_block: 49152,
            shared_per_block_optin: 232448,
            shared_per_multiprocessor: 233472,
            registers_per_block: 65536,
            registers_per_multiprocessor: 65536,
            warp_size: 32,
            clock_khz: 1980000,
            memory_clock_khz: 3201000,
            bus_width_bits: 6144,
            l2_bytes: 60 << 20,
            driver_version: (13, 0),
            driver_release: None,
            pci_bus_id: String::new(),
        }
    }

    fn kernel() -> FunctionInfo {
        FunctionInfo {
            name: "k".into(),
            registers: 128,
            local_bytes: 0,
            static_shared: 1024,
            constant_bytes: 0,
            max_threads: 512,
            binary_version: 90,
            ptx_version: 80,
            parameters: None,
        }
    }

    fn refusal(shape: LaunchShape) -> String {
        shape.check(&h200(), &kernel()).expect_err("the shape should be rejected").to_string()
    }

    #[test]
    fn shapes_within_the_limits_pass() {
        let plain = LaunchShape::new([7, 1, 1], [512, 1, 1]);
        for shape in [
            plain,
            plain.dynamic_shared(232448 - 1024),
            LaunchShape::new([8, 6, 1], [32, 4, 4]).cluster([2, 3, 1]),
            LaunchShape::new([16, 1, 1], [32, 1, 1]).cluster([16, 1, 1]),
        ] {
            assert!(shape.check(&h200(), &kernel()).is_ok(), "{shape:?}");
        }
    }

    #[test]
    fn each_limit_is_named_with_its_remedy() {
        let plain = LaunchShape::new([4, 1, 1], [32, 1, 1]);
        for (shape, expected) in [
            (LaunchShape::new([4, 0, 1], [32, 1, 1]), "grid is 4x0x1, the limit is at least 1x1x1"),
            (LaunchShape::new([1, 65536, 1], [32, 1, 1]), "grid is 1x65536x1"),
            (LaunchShape::new([1, 1, 1], [1, 1, 65]), "block is 1x1x65, the limit is 1024x1024x64"),
            (
                LaunchShape::new([1, 1, 1], [33, 33, 1]),
                "threads per block is 1089 (33x33x1), the limit is 1024",
            ),
            (LaunchShape::new([1, 1, 1], [513, 1, 1]), "the limit is 512 for this kernel"),
            (plain.dynamic_shared(232448), "233472 bytes (1024 static, 232448 dynamic)"),
            (
                plain.cluster([3, 1, 1]),
                "cluster is 3x1x1 (3 blocks), the limit is a divisor of the grid 4x1x1",
            ),
            (plain.cluster([0, 1, 1]), "cluster is 0x1x1"),
            (
                LaunchShape::new([32, 1, 1], [32, 1, 1]).cluster([32, 1, 1]),
                "the limit is 16 blocks",
            ),
        ] {
            let text = refusal(shape);
            assert!(text.contains(expected), "{text}\nlacks {expected}");
            assert!(text.contains("help: "), "{text}");
        }
    }

    #[test]
    fn clusters_need_hopper() {
        let ampere = DeviceInfo { compute_capability: (8, 0), ..h200() };
        let shape = LaunchShape::new([4, 1, 1], [32, 1, 1]).cluster([2, 1, 1]);
        let error = shape.check(&ampere, &kernel()).expect_err("sm_80 has no clusters");
        assert!(error.to_string().contains("sm_80"), "{error}");
    }

    #[test]
    fn arguments_must_fit_the_parameters() {
        let function = FunctionInfo {
            name: "k".into(),
            registers: 0,
            local_bytes: 0,
            static_shared: 0,
            constant_bytes: 0,
            max_threads: 1024,
            binary_version: 90,
            ptx_version: 80,
            parameters: Some(vec![8, 4]),
        };
        let (pointer, count) = (0u64.to_ne_bytes(), 7u32.to_ne_bytes());
        assert!(function.check_arguments(&[&pointer, &count]).is_ok());
        let missing = function.check_arguments(&[&pointer]).expect_err("one is missing");
        assert!(
            missing.to_string().contains("2 parameters (of [8, 4] bytes), 1 arguments"),
            "{missing}"
        );
        let swapped = function.check_arguments(&[&count, &pointer]).expect_err("sizes differ");
        assert!(
            swapped.to_string().contains("parameter 0 has 8 bytes, the argument has 4"),
            "{swapped}"
        );
        let unknown = FunctionInfo { parameters: None, ..function };
        assert!(unknown.check_arguments(&[]).is_ok());
    }
}
