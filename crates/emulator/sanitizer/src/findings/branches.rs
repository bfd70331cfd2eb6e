//! The branch that decides which lanes of a warp reach an instruction.
//!
//! *Algorithm.* Control dependence (Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in
//! Optimization", 1987): a block depends on a branch if it is on the path of post-dominators from one of the branch's
//! successors to the branch's own post-dominator. Branches whose condition is the same in all lanes, such as those of most
//! loops, decide nothing; then the branches that they depend on count.

use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::uniformity::Uniformity;
use lanework_ptx_ir::kernel::{Kernel, Opcode};
use lanework_ptx_ir::types::UniformityClass;
use std::path::Path;

/// `line 7 of kernel.cu`, or the line in the PTX text; `None` for an unknown instruction.
pub fn line_of(kernel: &Kernel, instruction: u32) -> Option<String> {
    let origin = kernel.origins.get(instruction as usize)?;
    Some(match &origin.location {
        Some(at) => {
            let name = Path::new(&at.file).file_name().and_then(|name| name.to_str());
            format!("line {} of {}", at.line, name.unwrap_or(&at.file))
        }
        None => format!("line {} of the PTX text", origin.text_line),
    })
}

/// The innermost branch whose condition may differ between lanes and that decides whether a thread reaches an instruction,
/// for a block of this shape.
pub fn deciding_branch(kernel: &Kernel, instruction: u32, shape: [u32; 3]) -> Option<u32> {
    let at = kernel.insts.iter().position(|inst| inst.origin == instruction)?;
    let analyses = Analyses::new(kernel);
    let uniformity = Uniformity::analyze(kernel, &analyses, shape);
    let (flow, after) = (&analyses.cfg, &analyses.ipdom);
    let mut seen = vec![false; flow.blocks.len()];
    let mut open = vec![flow.block_of(at)];
    let mut found = None;
    while let Some(block) = open.pop() {
        for branch in (0..flow.blocks.len()).filter(|branch| flow.successors(*branch).len() > 1) {
            let decides = flow.successors(branch).iter().any(|next| {
                let path = std::iter::successors(Some(*next), |block| after[*block]);
                path.take_while(|block| Some(*block) != after[branch])
                    .take(flow.blocks.len())
                    .any(|on_path| on_path == block)
            });
            if !decides || std::mem::replace(&mut seen[branch], true) {
                continue;
            }
            let last = &kernel.insts[flow.blocks[branch].end - 1];
            let varies = |(register, _)| uniformity.class(register) > UniformityClass::Uniform;
            match matches!(last.opcode, Opcode::Branch(..)) && last.guard.is_some_and(varies) {
                true => found = found.max(Some((branch, last.origin))),
                false => open.push(branch),
            }
        }
    }
    found.map(|(_, branch)| branch)
}
