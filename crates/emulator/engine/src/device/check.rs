//! Checks before a kernel runs: its name, its arguments, and the device's limits.

use crate::assemble::code::Assembled;
use crate::device::launch::{Blocks, LaunchConfig, Limits, residency};
use crate::fault::{Fault, FaultKind, LoadError};
use crate::instructions::asynchrony::cluster::MOST_BLOCKS;
use crate::program::Program;
use lanework_ptx_ir::kernel::Kernel;
use std::sync::Arc;

/// The fault for an entry that the module lacks.
pub fn unknown(program: &Program, entry: &str) -> Fault {
    let names: Vec<&str> = program.entries().collect();
    let message = format!("the module has no kernel `{entry}`");
    Fault::before_launch(
        FaultKind::BadArguments,
        entry,
        message,
        format!(
            "its kernels are: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ),
    )
}

/// The kernel to launch.
pub fn kernel<'p>(program: &'p Program, entry: &str) -> Result<&'p Arc<Kernel>, Fault> {
    program.kernel(entry).ok_or_else(|| {
        let refused = program.refusal(entry);
        refused.map_or_else(|| unknown(program, entry), |error| refusal(entry, error))
    })
}

/// The fault for an entry that the emulator refused when the module was loaded.
fn refusal(entry: &str, error: &LoadError) -> Fault {
    let inner = if error.function.is_empty() || error.function == entry {
        String::new()
    } else {
        format!(" in `{}`, which it calls", error.function)
    };
    Fault {
        location: error.location.clone(),
        text_file: error.text_file.clone(),
        text_line: error.text_line,
        ..Fault::before_launch(
            FaultKind::Unsupported,
            entry,
            format!("{}{inner}", error.message),
            error.help.clone(),
        )
    }
}

/// Checks a launch against the kernel's directives and the device's limits.
pub fn limits(kernel: &Kernel, launch: &LaunchConfig<'_>, limits: &Limits) -> Result<(), Fault> {
    let refuse = |message: String, help: String| {
        Err(Fault::before_launch(FaultKind::LimitExceeded, &kernel.name, message, help))
    };
    let axes = ["x", "y", "z"];
    for (axis, name) in axes.iter().enumerate() {
        let (block, grid) = (launch.block[axis], launch.grid[axis]);
        if block == 0 || grid == 0 {
            let what = if block == 0 { "block" } else { "grid" };
            return refuse(
                format!("the {what} has size 0 in {name}"),
                "every axis of block and grid is at least 1".to_owned(),
            );
        }
        if block > limits.block[axis] {
            return refuse(
                format!("{block} threads in {name} exceed the limit of {}", limits.block[axis]),
                "use a smaller block and more blocks".to_owned(),
            );
        }
        if grid > limits.grid[axis] {
            return refuse(
                format!("{grid} blocks in {name} exceed the limit of {}", limits.grid[axis]),
                "put the longest axis in x, or let each thread do more".to_owned(),
            );
        }
    }
    let [x, y, z] = launch.block;
    let product =
        |[x, y, z]: [u32; 3]| u64::from(x).saturating_mul(y.into()).saturating_mul(z.into());
    if product(launch.grid) == u64::MAX {
        return refuse(
            "the grid has 2^64 blocks or more".to_owned(),
            "let each thread do more".to_owned(),
        );
    }
    let threads = product(launch.block);
    if threads > u64::from(limits.threads_per_block) {
        return refuse(
            format!(
                "{threads} threads per block ({x} x {y} x {z}) exceed the limit of {}",
                limits.threads_per_block
            ),
            format!("use a block of at most {} threads", limits.threads_per_block),
        );
    }
    if let Some([rx, ry, rz]) = kernel.required_block
        && launch.block != [rx, ry, rz]
    {
        return refuse(
            format!("a block of {x} x {y} x {z} threads; the kernel requires {rx} x {ry} x {rz}"),
            format!("launch it with a block of ({rx}, {ry}, {rz})"),
        );
    }
    if let Some(most) = kernel.max_threads
        && threads > u64::from(most)
    {
        return refuse(
            format!("{threads} threads per block; the kernel allows at most {most}"),
            format!("use a block of at most {most} threads, or compile it for more"),
        );
    }
    if kernel.declared_shared > limits.static_shared {
        return refuse(
            format!(
                "{} bytes of static shared memory exceed the limit of {}",
                kernel.declared_shared, limits.static_shared
            ),
            "use dynamic shared memory, or a smaller tile".to_owned(),
        );
    }
    let packed = kernel.declared_shared.next_multiple_of(16);
    let shared = u64::from(packed) + u64::from(launch.dynamic_shared);
    if shared > u64::from(limits.shared) {
        return refuse(
            format!(
                "{shared} bytes of shared memory per block exceed the limit of {}",
                limits.shared
            ),
            "use a smaller tile".to_owned(),
        );
    }
    if kernel.local_bytes > limits.local {
        return refuse(
            format!(
                "{} bytes of local memory per thread exceed the limit of {}",
                kernel.local_bytes, limits.local
            ),
            "use smaller arrays per thread".to_owned(),
        );
    }
    Ok(())
}

/// Checks the cluster of a launch against its kernel and its grid.
pub fn cluster(kernel: &Kernel, launch: &LaunchConfig<'_>) -> Result<(), Fault> {
    let refuse = |message: String, help: String| {
        Err(Fault::before_launch(FaultKind::LimitExceeded, &kernel.name, message, help))
    };
    let shown = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    if let (Some(asked), Some(required)) = (launch.cluster, kernel.required_cluster)
        && asked != required
    {
        return refuse(
            format!(
                "a cluster of {} blocks; the kernel requires {}",
                shown(asked),
                shown(required)
            ),
            "leave the cluster's shape to the kernel".to_owned(),
        );
    }
    let Some(cluster) = launch.cluster.or(kernel.required_cluster) else {
        if kernel.explicit_cluster {
            return refuse(
                "the kernel is declared `.explicitcluster` and the launch has no cluster"
                    .to_owned(),
                "give the launch the shape of a cluster".to_owned(),
            );
        }
        return Ok(());
    };
    let blocks = cluster.iter().fold(1u64, |all, blocks| all.saturating_mul((*blocks).into()));
    let most = kernel.max_cluster.map_or(MOST_BLOCKS, u64::from).min(MOST_BLOCKS);
    if blocks == 0 || blocks > most {
        return refuse(
            format!("a cluster of {} is {blocks} blocks; 1 to {most} are possible", shown(cluster)),
            "use a smaller cluster".to_owned(),
        );
    }
    if (0..3).any(|axis| !launch.grid[axis].is_multiple_of(cluster[axis])) {
        return refuse(
            format!(
                "a grid of {} blocks does not divide into clusters of {}",
                shown(launch.grid),
                shown(cluster)
            ),
            "make each axis of the grid a multiple of the cluster's".to_owned(),
        );
    }
    Ok(())
}

/// Checks that all blocks of a cooperative launch can be resident at the same time.
pub fn cooperative(
    assembled: &Assembled,
    launch: &LaunchConfig<'_>,
    limits: &Limits,
) -> Result<(), Fault> {
    let refuse = |message: String, help: String| {
        let name = &assembled.kernel.name;
        Err(Fault::before_launch(FaultKind::LimitExceeded, name, message, help))
    };
    let blocks: u64 = launch.grid.iter().map(|blocks| u64::from(*blocks)).product();
    if launch.blocks != Blocks::All {
        return refuse(
            "a cooperative launch runs all its blocks; it has no sample".to_owned(),
            "run the whole grid, or make the grid smaller".to_owned(),
        );
    }
    let residency = residency(assembled, launch, limits);
    if blocks > residency.blocks {
        return refuse(
            format!("a cooperative grid of {blocks} blocks is too large: {residency}"),
            format!("launch at most {} blocks, and let each do more", residency.blocks),
        );
    }
    Ok(())
}

/// Maximum bytes of registers that the host allocates for a block.
const MOST_REGISTERS: u64 = 1 << 30;

/// Checks that the block's registers fit the host's memory.
pub fn registers(kernel: &Kernel, launch: &LaunchConfig<'_>, bytes: usize) -> Result<(), Fault> {
    let threads: u64 = launch.block.iter().map(|b| u64::from(*b)).product();
    let needed = bytes as u64 * threads.div_ceil(32);
    if needed <= MOST_REGISTERS {
        return Ok(());
    }
    Err(Fault::before_launch(
        FaultKind::LimitExceeded,
        &kernel.name,
        format!("the block's registers need {needed} bytes, the emulator holds {MOST_REGISTERS}"),
        "unroll less, or use a smaller block",
    ))
}

/// The parameter buffer of the arguments.
pub fn parameters(kernel: &Kernel, arguments: &[&[u8]]) -> Result<Vec<u8>, Fault> {
    let refuse = |message: String| {
        let wanted: Vec<String> =
            kernel.parameters.iter().map(|p| format!("{} ({} bytes)", p.name, p.bytes)).collect();
        Err(Fault::before_launch(
            FaultKind::BadArguments,
            &kernel.name,
            message,
            format!("its parameters are: {}", wanted.join(", ")),
        ))
    };
    if arguments.len() != kernel.parameters.len() {
        return refuse(format!(
            "{} arguments for {} parameters",
            arguments.len(),
            kernel.parameters.len()
        ));
    }
    let mut buffer = vec![0; kernel.parameter_bytes as usize];
    let counted = |bytes: usize| format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" });
    for (i, (parameter, argument)) in kernel.parameters.iter().zip(arguments).enumerate() {
        let (given, wanted) = (argument.len(), parameter.bytes as usize);
        if given != wanted {
            let (given, wanted) = (counted(given), counted(wanted));
            return refuse(format!(
                "argument {} has {given}, and `{}` takes {wanted}",
                i + 1,
                parameter.name
            ));
        }
        let at = parameter.offset as usize;
        buffer[at..at + argument.len()].copy_from_slice(argument);
    }
    Ok(buffer)
}
