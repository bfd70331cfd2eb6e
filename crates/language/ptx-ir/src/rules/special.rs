//! Special registers (PTX manual, "Special Registers"): those that are constant while a thread runs, and clocks.

use crate::kernel::*;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::WarpOp;
use lanework_ptx::SpecialName::*;
use lanework_ptx::{NamedSpecial, SpecialShape};

/// Bytes of shared memory that the system reserves in each block from sm_80 on.
const RESERVED_BYTES: u64 = 1024;

/// Whether a name is a special register with four elements.
pub fn is_vector(name: &str) -> bool {
    NamedSpecial::from_name(name).is_some_and(|found| found.elements() > 1)
}

/// For the name of a clock or timer: whether it is the upper word, and the width.
pub fn clock(name: &str) -> Option<(bool, Width)> {
    Some(match NamedSpecial::from_name(name)?.register {
        Clock | GlobaltimerLo => (false, Width::Word),
        ClockHi | GlobaltimerHi => (true, Width::Word),
        Clock64 | Globaltimer => (false, Width::Wide),
        _ => return None,
    })
}

/// The value of a special register.
pub fn special_register(lowering: &mut Lowering<'_>, name: &str) -> Option<Operand> {
    if name == "WARP_SZ" {
        return Some(Operand::Const(32));
    }
    if let Some((high, width)) = clock(name) {
        let now = lowering.new_register(width);
        let opcode = Opcode::Warp(WarpOp::Clock { high });
        lowering.emit(opcode, vec![Some(now)], Vec::new(), None);
        return Some(Operand::Reg(now));
    }
    let (base, field) = name.split_once('.').unwrap_or((name, ""));
    let NamedSpecial { register, number, shape, .. } = NamedSpecial::from_name(base)?;
    let axis = match (shape, field) {
        (SpecialShape::Vector, "x") => 0,
        (SpecialShape::Vector, "y") => 1,
        (SpecialShape::Vector, "z") => 2,
        (SpecialShape::Vector, "w") => return Some(Operand::Const(0)),
        (SpecialShape::Vector, _) => return None,
        (_, "") => 0,
        _ => return None,
    };
    let special = match register {
        Tid => SpecialRegister::Thread(axis),
        Ntid => SpecialRegister::BlockShape(axis),
        Ctaid => SpecialRegister::Block(axis),
        Nctaid => SpecialRegister::GridShape(axis),
        Clusterid => SpecialRegister::Cluster(axis),
        Nclusterid => SpecialRegister::Clusters(axis),
        ClusterCtaid => SpecialRegister::ClusterBlock(axis),
        ClusterNctaid => SpecialRegister::ClusterShape(axis),
        Laneid => SpecialRegister::Lane,
        Warpid => SpecialRegister::Warp,
        Nwarpid => SpecialRegister::Warps,
        Smid => SpecialRegister::Multiprocessor,
        Nsmid => SpecialRegister::Multiprocessors,
        Gridid => SpecialRegister::Grid,
        LanemaskEq => SpecialRegister::LaneMask(LaneMask::Equal),
        LanemaskLe => SpecialRegister::LaneMask(LaneMask::AtMost),
        LanemaskLt => SpecialRegister::LaneMask(LaneMask::Below),
        LanemaskGe => SpecialRegister::LaneMask(LaneMask::AtLeast),
        LanemaskGt => SpecialRegister::LaneMask(LaneMask::Above),
        DynamicSmemSize => SpecialRegister::DynamicShared,
        TotalSmemSize => SpecialRegister::TotalShared,
        ClusterCtarank => SpecialRegister::ClusterRank,
        ClusterNctarank => SpecialRegister::ClusterBlocks,
        // Registers that the driver sets: only the registers of cooperative launches.
        Envreg if matches!(number, 1 | 2) => SpecialRegister::Environment(number),
        // Hardware counters are not set up, and no graph is executing.
        Envreg | Pm | Pm64 | CurrentGraphExec => return Some(Operand::Const(0)),
        // Shared memory reserved for CUDA's libraries, which cooperative groups use for tiles larger than a warp.
        ReservedSmemBegin | ReservedSmemOffset => {
            return Some(Operand::Const(u64::from(lowering.reserved_shared())));
        }
        ReservedSmemEnd | ReservedSmemCap => {
            return Some(Operand::Const(u64::from(lowering.reserved_shared()) + RESERVED_BYTES));
        }
        AggrSmemSize => {
            let total = Operand::Reg(lowering.special(SpecialRegister::TotalShared, Width::Word));
            let sum = lowering.new_register(Width::Word);
            let add = Opcode::Alu(Alu::Integer(IntegerOp::Add(Integer::U32)));
            let src = vec![total, Operand::Const(RESERVED_BYTES)];
            lowering.emit(add, vec![Some(sum)], src, None);
            return Some(Operand::Reg(sum));
        }
        IsExplicitCluster => {
            let word = lowering.special(SpecialRegister::ExplicitCluster, Width::Word);
            let truth = lowering.new_register(Width::Predicate);
            let opcode = Opcode::Alu(Alu::Logic(LogicOp::IsNonzero));
            lowering.emit(opcode, vec![Some(truth)], vec![Operand::Reg(word)], None);
            return Some(Operand::Reg(truth));
        }
        Clock | ClockHi | Clock64 | Globaltimer | GlobaltimerLo | GlobaltimerHi => return None,
    };
    let width = if special == SpecialRegister::Grid { Width::Wide } else { Width::Word };
    Some(Operand::Reg(lowering.special(special, width)))
}
