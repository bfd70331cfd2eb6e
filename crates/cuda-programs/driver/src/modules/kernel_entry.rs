//! Properties of a module's kernel, computed once per module: parameters, directives and estimated resources.

use crate::devices;
use lanework::ptx::{Function, FunctionDirective};
use lanework::{PtxModule, Resources};

/// Properties of a kernel.
pub struct KernelEntry {
    /// Offset and size of each parameter in the parameter buffer.
    pub parameters: Vec<(usize, usize)>,
    /// Maximum threads per block allowed by the directives.
    pub max_threads: u32,
    /// Block shape required by the directives.
    pub required_block: Option<[u32; 3]>,
    /// Required cluster shape.
    pub cluster: Option<[u32; 3]>,
    pub resources: Resources,
    /// Whether blocks may wait in a loop for memory that others write.
    pub may_wait: bool,
}

impl KernelEntry {
    /// Finds an entry by name.
    pub fn find(code: &PtxModule, name: &str) -> Option<KernelEntry> {
        let entry = code.module().entry(name)?;
        let cluster = entry.directives.iter().find_map(|directive| match directive {
            FunctionDirective::RequiredCluster(cluster) => Some(*cluster),
            _ => None,
        });
        let required_block = entry.directives.iter().find_map(|directive| match directive {
            FunctionDirective::RequiredBlock(block) => Some(*block),
            _ => None,
        });
        let unknown = Resources { registers: 0, local_bytes: 0, estimated: true, static_shared: 0 };
        let mut resources = code.resources(name).unwrap_or(unknown);
        // Registers beyond the limit spill to local memory.
        let most = most_registers(entry);
        resources.local_bytes += 4 * resources.registers.saturating_sub(most);
        resources.registers = resources.registers.min(most);
        Some(KernelEntry {
            parameters: offsets(entry),
            max_threads: entry.max_threads().unwrap_or(devices::BLOCK),
            required_block,
            cluster,
            resources,
            may_wait: code.blocks_may_wait(name),
        })
    }

    /// Maximum threads per block, limited by directives and registers.
    pub fn most_threads(&self) -> u32 {
        let by_registers = 65_536 / self.resources.registers.max(1).next_multiple_of(8) / 32 * 32;
        self.max_threads.min(by_registers.max(32)).min(devices::BLOCK)
    }
}

/// Register limit that ptxas would use: `.maxnreg`, or what remains per thread with the directives' block size and
/// blocks per multiprocessor.
fn most_registers(entry: &Function) -> u32 {
    const REGISTERS: u32 = 65_536;
    let (mut most, mut blocks) = (255, 1);
    for directive in &entry.directives {
        match directive {
            FunctionDirective::MaxRegisters(limit) => most = most.min(*limit),
            FunctionDirective::MinBlocksPerSm(wanted) => blocks = (*wanted).max(1),
            _ => {}
        }
    }
    let Some(threads) = entry.max_threads() else { return most };
    let warps = threads.max(1).div_ceil(32).saturating_mul(blocks);
    // Warps allocate registers in units of 256, 8 per thread.
    most.min((REGISTERS / 256 / warps * 8).max(8))
}

/// Offset and size of each parameter.
fn offsets(entry: &Function) -> Vec<(usize, usize)> {
    let place = |end: &mut usize, parameter: &lanework::ptx::Variable| {
        let at = end.next_multiple_of(parameter.alignment().max(1) as usize);
        *end = at + parameter.size() as usize;
        Some((at, parameter.size() as usize))
    };
    entry.params.iter().scan(0, place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel with 250 live values.
    fn entry(directives: &str) -> KernelEntry {
        let all = |line: &dyn Fn(u32) -> String| (0..250).map(line).collect::<String>();
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {directives} {{\n\
             .reg .b32 %r<250>; .reg .b64 %d; ld.param.u64 %d, [p];\n{}{}ret;\n}}\n",
            all(&|i| format!("ld.global.b32 %r{i}, [%d+{}];\n", 4 * i)),
            all(&|i| format!("st.global.b32 [%d+{}], %r{i};\n", 4 * (249 - i))),
        );
        let code = lanework::Device::emulator().load_ptx(&text).expect("the module loads");
        KernelEntry::find(&code, "k").expect("the entry is there")
    }

    #[test]
    fn promised_threads_get_their_registers() {
        let free = entry("");
        assert!(
            free.resources.registers > 200 && free.most_threads() < 512,
            "{}",
            free.most_threads()
        );
        for (directives, registers, threads) in [
            (".reqntid 512", 128, 512),
            (".maxntid 1024", 64, 1024),
            (".reqntid 33, 3", 255, 99),
            (".maxntid 128 .minnctapersm 4", 128, 128),
            (".maxnreg 40", 40, 1024),
        ] {
            let entry = entry(directives);
            assert!(entry.resources.registers <= registers, "{directives}");
            assert_eq!(entry.most_threads(), threads, "{directives}");
        }
    }
}
