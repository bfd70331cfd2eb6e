//! Special registers (PTX manual, "Special Registers"): those that are fixed while a thread runs.

use crate::kernel::*;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;

/// The ends and parts of reserved shared memory.
const RESERVED: &[&str] = &["begin", "end", "cap", "0", "1"];
/// Far beyond any block's shared memory.
const NO_RESERVED_SHARED: u64 = 0xffff_0000;

/// The value of a special register that is fixed while a thread runs.
pub fn special_register(lowering: &mut Lowering<'_>, name: &str) -> Option<Operand> {
    if name == "WARP_SZ" {
        return Some(Operand::Const(32));
    }
    // The driver's own registers. Those of cooperative launches are set; it sets no other.
    if let Some(n) = name.strip_prefix("%envreg").and_then(|n| n.parse::<u8>().ok()) {
        return match n {
            1 | 2 => {
                let register = lowering.special(Special::Environment(n), Width::Word);
                Some(Operand::Reg(register))
            }
            _ => (n < 32).then_some(Operand::Const(0)),
        };
    }
    // Shared memory that CUDA's own libraries use for groups larger than a warp. There is none: it
    // lies where every access faults.
    if name.strip_prefix("%reserved_smem_offset_").is_some_and(|which| RESERVED.contains(&which)) {
        return Some(Operand::Const(NO_RESERVED_SHARED));
    }
    let name = name.strip_prefix('%')?;
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let special = match name.split_once('.') {
        Some(("tid", rest)) => Special::Thread(axis(rest)?),
        Some(("ntid", rest)) => Special::BlockShape(axis(rest)?),
        Some(("ctaid", rest)) => Special::Block(axis(rest)?),
        Some(("nctaid", rest)) => Special::GridShape(axis(rest)?),
        Some(("clusterid", rest)) => Special::Cluster(axis(rest)?),
        Some(("nclusterid", rest)) => Special::Clusters(axis(rest)?),
        Some(("cluster_ctaid", rest)) => Special::ClusterBlock(axis(rest)?),
        Some(("cluster_nctaid", rest)) => Special::ClusterShape(axis(rest)?),
        Some(_) => return None,
        None => match name {
            "laneid" => Special::Lane,
            "warpid" => Special::Warp,
            "nwarpid" => Special::Warps,
            "smid" => Special::Multiprocessor,
            "nsmid" => Special::Multiprocessors,
            "gridid" => Special::Grid,
            "lanemask_eq" => Special::LaneMask(LaneMask::Equal),
            "lanemask_le" => Special::LaneMask(LaneMask::AtMost),
            "lanemask_lt" => Special::LaneMask(LaneMask::Below),
            "lanemask_ge" => Special::LaneMask(LaneMask::AtLeast),
            "lanemask_gt" => Special::LaneMask(LaneMask::Above),
            "dynamic_smem_size" => Special::DynamicShared,
            "total_smem_size" => Special::TotalShared,
            "cluster_ctarank" => Special::ClusterRank,
            "cluster_nctarank" => Special::ClusterBlocks,
            "is_explicit_cluster" => {
                let word = lowering.special(Special::ExplicitCluster, Width::Word);
                let truth = lowering.new_register(Width::Predicate);
                let opcode = Opcode::Alu(Alu::Logic(LogicOp::IsNonzero));
                lowering.emit(opcode, vec![Some(truth)], vec![Operand::Reg(word)], None);
                return Some(Operand::Reg(truth));
            }
            _ => return None,
        },
    };
    let width = if special == Special::Grid { Width::Wide } else { Width::Word };
    Some(Operand::Reg(lowering.special(special, width)))
}
