//! The initialisation of a kernel's mbarriers, before its first line: thread 0 of the block initialises all of them, and
//! the block's threads (the cluster's, where the kernel has one) wait for it. So no barrier can be used too early. And what
//! can only be judged when all of a kernel is known: the registers that its roles want.

use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::frames::Line;
use crate::operation::Operation;
use crate::value::Value;
use lanework_abi::StageError;
use lanework_ptx::{Operand, ScalarType};

/// Most barriers of a kernel that are initialised.
const MOST: u32 = 128;

/// The instructions that initialise every barrier; none where there is none.
pub(crate) fn setup_barriers(b: &mut Builder) -> Vec<Line> {
    let barriers = std::mem::take(&mut b.barriers);
    if barriers.is_empty() {
        return Vec::new();
    }
    b.dead = false;
    let word = ScalarType::U32;
    let linear = match b.block {
        Some([_, 1, 1]) => Value::Special("%tid.x"),
        _ => {
            let rows =
                binary(b, Operation::Or, word, Value::Special("%tid.y"), Value::Special("%tid.z"));
            binary(b, Operation::Or, word, Value::Special("%tid.x"), rows)
        }
    };
    let other = relate(b, Relation::Ne, word, linear, Value::Constant(0));
    let ready = b.label("barriers_ready");
    if let Value::Register(predicate) = other {
        b.jump_if(predicate, false, &ready);
    }
    let total: u32 = barriers.iter().map(|barrier| barrier.number).sum();
    if total > MOST {
        b.error(
            format!("the kernel has {total} mbarriers, more than {MOST}"),
            "share barriers between stages, or use fewer stages",
        );
    }
    for barrier in barriers {
        b.set_location(barrier.position);
        let name = b.symbols[barrier.symbol].clone();
        for i in 0..barrier.number.min(MOST) {
            let place = Operand::address(name.clone(), 8 * i64::from(i));
            let arrivals = b.operand(barrier.arrivals, word);
            b.emit("mbarrier.init.shared::cta.b64", vec![place, arrivals]);
        }
    }
    b.emit("fence.mbarrier_init.release.cluster", vec![]);
    b.place(&ready);
    if b.cluster.is_some() {
        b.emit("barrier.cluster.arrive.release.aligned", vec![]);
        b.emit("barrier.cluster.wait.acquire.aligned", vec![]);
    } else {
        b.emit("bar.sync", vec![Operand::integer(0)]);
    }
    b.dead = true;
    std::mem::take(&mut b.lines)
}

/// Refuses roles that together want more registers than the block is launched with: their threads would wait for ever.
pub(crate) fn check_registers(b: &mut Builder) {
    let (Some(have), Some(last)) = (b.max_registers, b.moved_registers.last().cloned()) else {
        return;
    };
    let mut roles: Vec<(u32, u32, u32)> = Vec::new();
    for moved in &b.moved_registers {
        roles.retain(|(first, ..)| *first != moved.first);
        roles.push((moved.first, moved.warps, moved.count));
    }
    let beyond = roles.iter().map(|(first, warps, _)| first + warps).max().unwrap_or_default();
    let warps = b.block.map_or(beyond, |block| block.iter().product::<u32>().div_ceil(32));
    let moved: u32 = roles.iter().map(|(_, warps, _)| warps).sum();
    let wanted: u32 = roles.iter().map(|(_, warps, count)| warps * count).sum();
    let wanted = wanted + warps.saturating_sub(moved) * have;
    if wanted > warps * have {
        let (file, line, column) = last.source;
        let message = format!(
            "the roles want {wanted} registers per lane in all, the block's {warps} warps have {}",
            warps * have
        );
        let help = "take fewer, let other roles give more, or raise `max_registers`".to_owned();
        b.errors.push(StageError { message, help, file, line, column });
    }
}
