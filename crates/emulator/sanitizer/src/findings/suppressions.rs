//! The suppression list: known findings in correct library code, matched by the source files of
//! instructions.
//!
//! The list is `suppressions.txt`. Lowering records for each instruction the chain of source files
//! that it was inlined through; this module matches the chain with the list.

use lanework_ptx_ir::kernel::Kernel;
use std::sync::LazyLock;

/// The findings that a line of the list suppresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionRule {
    /// Reads of partly initialized global memory.
    Padding,
    /// Reads of uninitialized shared or local memory, and uses of uninitialized registers.
    Unused,
    /// In global memory, a write after a read by another block.
    Reused,
}

impl SuppressionRule {
    const ALL: [(&'static str, SuppressionRule); 3] = [
        ("uninitialized-padding", SuppressionRule::Padding),
        ("uninitialized-unused", SuppressionRule::Unused),
        ("race-reused", SuppressionRule::Reused),
    ];
}

/// A line of the list.
struct Suppression {
    rule: SuppressionRule,
    /// Part of the path of the instruction's own file.
    file: &'static str,
    /// Part of the path of any file in the chain.
    within: &'static str,
}

static LIST: LazyLock<Vec<Suppression>> = LazyLock::new(|| {
    let lines = include_str!("suppressions.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(parsed).collect()
});

fn parsed(line: &'static str) -> Option<Suppression> {
    let mut fields = line.split(';').map(str::trim);
    let (name, file, within, _reason) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let (_, rule) = SuppressionRule::ALL.into_iter().find(|(known, _)| *known == name)?;
    Some(Suppression { rule, file, within })
}

/// The instructions of a kernel that the list covers.
pub struct SuppressedInstructions {
    /// A bit per rule, by instruction. Empty if no rule applies.
    rules: Vec<u8>,
}

impl SuppressedInstructions {
    /// Matches the kernel's instructions with the list.
    pub fn in_kernel(kernel: &Kernel) -> SuppressedInstructions {
        let mentions = |part: &str| kernel.files.iter().any(|file| file.contains(part));
        if !LIST.iter().any(|line| mentions(line.within)) {
            return SuppressedInstructions { rules: Vec::new() };
        }
        let mut known: (&[u32], u8) = (&[], 0);
        let of_chain = |chain: &[u32]| rules_of(chain.iter().map(|file| kernel.file(*file)));
        let rules = kernel.source_files.iter().map(|chain| {
            if known.0 != &**chain {
                known = (chain, of_chain(chain));
            }
            known.1
        });
        SuppressedInstructions { rules: rules.collect() }
    }

    /// Whether a rule covers an instruction.
    pub fn covers(&self, rule: SuppressionRule, instruction: u32) -> bool {
        self.rules.get(instruction as usize).is_some_and(|rules| rules >> rule as u8 & 1 != 0)
    }
}

/// The rules for a chain of files, innermost first.
fn rules_of<'a>(chain: impl Iterator<Item = &'a str> + Clone) -> u8 {
    let mut rules = 0;
    for line in LIST.iter() {
        let own = chain.clone().next().is_some_and(|file| file.contains(line.file));
        if own && chain.clone().any(|file| file.contains(line.within)) {
            rules |= 1 << line.rule as u8;
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_understood() {
        let text = include_str!("suppressions.txt");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines.count(), LIST.len());
    }

    #[test]
    fn a_header_of_the_toolkit_is_covered_when_inlined_into_cub() {
        let all = 0b111;
        let of = |chain: &[&'static str]| rules_of(chain.iter().copied());
        assert_eq!(of(&["/cuda/include/cuda_fp16.h", "/cuda/include/cub/agent.cuh", "a.cu"]), all);
        assert_eq!(of(&["/cuda/include/cuda_fp16.h", "a.cu"]), 0);
        assert_eq!(of(&["a.cu", "/cuda/include/thrust/for_each.h"]), 0);
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn suppressions_cover_library_checkouts_but_not_user_code() {
        let all = 0b111;
        let of = |chain: &[&'static str]| rules_of(chain.iter().copied());
        assert_eq!(of(&["/build/_deps/cccl-src/cub/cub/agent/agent_scan.cuh", "a.cu"]), all);
        assert_eq!(of(&["/cccl/thrust/thrust/system/cuda/detail/core/agent_launcher.h"]), all);
        let atomics = "/cccl/libcudacxx/include/cuda/std/__atomic/api/owned.h";
        assert_eq!(of(&[atomics, "/cccl/cub/cub/agent/single_pass_scan_operators.cuh"]), all);
        assert_eq!(of(&["/cccl/cub/test/catch2_test_block_scan.cu"]), 0);
        assert_eq!(of(&["/cccl/thrust/examples/sum.cu"]), 0);
    }
}
