//! Special registers (PTX manual, "Special Registers"): those that are constant while a thread runs, and clocks.

use crate::kernel::*;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::WarpOp;

/// The ends and parts of reserved shared memory.
const RESERVED: &[&str] = &["begin", "end", "cap", "0", "1"];

/// Bytes of shared memory that the system reserves in each block from sm_80 on.
const RESERVED_BYTES: u64 = 1024;
/// Vector registers: three elements, and a fourth that is 0.
const VECTORS: &[&str] = &[
    "tid",
    "ntid",
    "ctaid",
    "nctaid",
    "clusterid",
    "nclusterid",
    "cluster_ctaid",
    "cluster_nctaid",
];

/// Whether a name is a special register with four elements.
pub fn is_vector(name: &str) -> bool {
    name.strip_prefix('%').is_some_and(|name| VECTORS.contains(&name))
}

/// `pm0` to `pm7`, and their forms of 64 bits.
fn is_counter(name: &str) -> bool {
    let number = name.strip_prefix("pm").map(|rest| rest.strip_suffix("_64").unwrap_or(rest));
    number.is_some_and(|n| n.len() == 1 && n.parse::<u8>().is_ok_and(|n| n < 8))
}

/// For the name of a clock or timer: whether it is the upper word, and the width.
pub fn clock(name: &str) -> Option<(bool, Width)> {
    Some(match name {
        "%clock" | "%globaltimer_lo" => (false, Width::Word),
        "%clock_hi" | "%globaltimer_hi" => (true, Width::Word),
        "%clock64" | "%globaltimer" => (false, Width::Wide),
        _ => return None,
    })
}

/// The value of a special register.
pub fn special_register(lowering: &mut Lowering<'_>, name: &str) -> Option<Operand> {
    if name == "WARP_SZ" {
        return Some(Operand::Const(32));
    }
    // Registers that the driver sets: only the registers of cooperative launches.
    if let Some(n) = name.strip_prefix("%envreg").and_then(|n| n.parse::<u8>().ok()) {
        return match n {
            1 | 2 => {
                let register = lowering.special(SpecialRegister::Environment(n), Width::Word);
                Some(Operand::Reg(register))
            }
            _ => (n < 32).then_some(Operand::Const(0)),
        };
    }
    // Shared memory reserved for CUDA's libraries, which cooperative groups use for tiles larger than a warp.
    if let Some(which) = name.strip_prefix("%reserved_smem_offset_") {
        let start = RESERVED.contains(&which).then(|| lowering.reserved_shared())?;
        let end = if matches!(which, "end" | "cap") { RESERVED_BYTES } else { 0 };
        return Some(Operand::Const(u64::from(start) + end));
    }
    if let Some((high, width)) = clock(name) {
        let now = lowering.new_register(width);
        let opcode = Opcode::Warp(WarpOp::Clock { high });
        lowering.emit(opcode, vec![Some(now)], Vec::new(), None);
        return Some(Operand::Reg(now));
    }
    let name = name.strip_prefix('%')?;
    // Hardware counters are not set up, and no graph is executing.
    if is_counter(name) || name == "current_graph_exec" {
        return Some(Operand::Const(0));
    }
    // The fourth element of a vector is 0.
    if name.strip_suffix(".w").is_some_and(|base| VECTORS.contains(&base)) {
        return Some(Operand::Const(0));
    }
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let special = match name.split_once('.') {
        Some(("tid", rest)) => SpecialRegister::Thread(axis(rest)?),
        Some(("ntid", rest)) => SpecialRegister::BlockShape(axis(rest)?),
        Some(("ctaid", rest)) => SpecialRegister::Block(axis(rest)?),
        Some(("nctaid", rest)) => SpecialRegister::GridShape(axis(rest)?),
        Some(("clusterid", rest)) => SpecialRegister::Cluster(axis(rest)?),
        Some(("nclusterid", rest)) => SpecialRegister::Clusters(axis(rest)?),
        Some(("cluster_ctaid", rest)) => SpecialRegister::ClusterBlock(axis(rest)?),
        Some(("cluster_nctaid", rest)) => SpecialRegister::ClusterShape(axis(rest)?),
        Some(_) => return None,
        None => match name {
            "laneid" => SpecialRegister::Lane,
            "warpid" => SpecialRegister::Warp,
            "nwarpid" => SpecialRegister::Warps,
            "smid" => SpecialRegister::Multiprocessor,
            "nsmid" => SpecialRegister::Multiprocessors,
            "gridid" => SpecialRegister::Grid,
            "lanemask_eq" => SpecialRegister::LaneMask(LaneMask::Equal),
            "lanemask_le" => SpecialRegister::LaneMask(LaneMask::AtMost),
            "lanemask_lt" => SpecialRegister::LaneMask(LaneMask::Below),
            "lanemask_ge" => SpecialRegister::LaneMask(LaneMask::AtLeast),
            "lanemask_gt" => SpecialRegister::LaneMask(LaneMask::Above),
            "dynamic_smem_size" => SpecialRegister::DynamicShared,
            "total_smem_size" => SpecialRegister::TotalShared,
            "aggr_smem_size" => {
                let total =
                    Operand::Reg(lowering.special(SpecialRegister::TotalShared, Width::Word));
                let sum = lowering.new_register(Width::Word);
                let unsigned = Integer::from_type(lanework_ptx::ScalarType::U32)?;
                let add = Opcode::Alu(Alu::Integer(IntegerOp::Add(unsigned)));
                let src = vec![total, Operand::Const(RESERVED_BYTES)];
                lowering.emit(add, vec![Some(sum)], src, None);
                return Some(Operand::Reg(sum));
            }
            "cluster_ctarank" => SpecialRegister::ClusterRank,
            "cluster_nctarank" => SpecialRegister::ClusterBlocks,
            "is_explicit_cluster" => {
                let word = lowering.special(SpecialRegister::ExplicitCluster, Width::Word);
                let truth = lowering.new_register(Width::Predicate);
                let opcode = Opcode::Alu(Alu::Logic(LogicOp::IsNonzero));
                lowering.emit(opcode, vec![Some(truth)], vec![Operand::Reg(word)], None);
                return Some(Operand::Reg(truth));
            }
            _ => return None,
        },
    };
    let width = if special == SpecialRegister::Grid { Width::Wide } else { Width::Word };
    Some(Operand::Reg(lowering.special(special, width)))
}
