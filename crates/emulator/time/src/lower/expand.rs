//! The machine operations of one typed instruction. An instruction may become a sequence, of the same length as in the
//! output of ptxas 13 for sm_90.

use crate::lower::fold::{Fate, Folded};
use crate::lower::{MachineOperation, MemoryClass, Queue, Unit};
use lanework_ptx_ir::kernel::{
    Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Scope, SyncAnnotation, Width,
};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use lanework_ptx_ir::opcode::convert::ConvertOp;
use lanework_ptx_ir::opcode::float::{
    Approximation, DoubleOp, FloatType, HalfFunction, HalfOp, SingleOp, Unary,
};
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp, IntegerSize, ProductOp};
use lanework_ptx_ir::opcode::logic::{CompareOp, LogicOp};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::memory::WarpOp;

/// A sequence, as units with the number of operations on each.
type UnitSequence = &'static [(Unit, u8)];

/// Appends the operations of an instruction.
pub fn expand(
    kernel: &Kernel,
    folded: &Folded,
    at: usize,
    run: u32,
    found: &mut Vec<MachineOperation>,
) {
    let inst = &kernel.insts[at];
    let simple = |unit| MachineOperation {
        unit,
        run,
        reads: Vec::new(),
        writes: Vec::new(),
        words: 0,
        chained: false,
        order: MemoryClass::Anything,
        queue: None,
    };
    let mut operations: Vec<MachineOperation> = match folded.fates[at] {
        Fate::Free => vec![simple(Unit::Free)],
        Fate::WideMultiplyAdd => match scales_unsigned(kernel, folded, inst) {
            true => vec![simple(Unit::Alu), simple(Unit::Alu)],
            false => vec![simple(Unit::ImadWide)],
        },
        Fate::MultiplyAdd => vec![simple(Unit::Imad)],
        Fate::Fused => vec![simple(fused(inst))],
        Fate::Stays => match &inst.opcode {
            Opcode::Alu(alu) => {
                let of = |parts: UnitSequence| {
                    let each = parts.iter().flat_map(|&(unit, n)| (0..n).map(move |_| unit));
                    each.map(simple).collect()
                };
                of(alu_sequence(*alu, inst))
            }
            opcode => other(opcode, &simple),
        },
    };
    let last = operations.len() - 1;
    for (i, operation) in operations.iter_mut().enumerate() {
        if i == 0 {
            operation.reads = inst.reads().collect();
            if inst.guard.is_some() {
                operation.reads.extend(inst.writes());
            }
        } else {
            operation.chained = true;
        }
        if i == last {
            operation.writes = inst.writes().collect();
            let words = operation.writes.iter().map(|&register| {
                match kernel.registers[register as usize].width {
                    Width::Predicate => 0,
                    Width::Word => 1,
                    Width::Wide => 2,
                }
            });
            operation.words = words.sum();
        }
    }
    found.append(&mut operations);
}

/// Whether a 64-bit address is a base plus an unsigned index times a power of two, which becomes LEA and LEA.HI.X.
fn scales_unsigned(kernel: &Kernel, folded: &Folded, inst: &Inst) -> bool {
    inst.src.iter().take(2).any(|operand| {
        let Some(at) = operand.register().and_then(|r| folded.definition[r as usize]) else {
            return false;
        };
        let before = &kernel.insts[at as usize];
        let power = matches!(before.src.get(1), Some(Operand::Const(by)) if by.is_power_of_two());
        power
            && matches!(
                before.opcode,
                Opcode::Alu(Alu::Product(ProductOp::MulWide { signed: false, .. }))
            )
    })
}

fn fused(inst: &Inst) -> Unit {
    match inst.opcode {
        Opcode::Alu(Alu::Logic(_)) => Unit::Alu,
        _ => Unit::Add,
    }
}

fn is_wide(ty: Integer) -> bool {
    matches!(ty, Integer::U64 | Integer::S64)
}

fn alu_sequence(alu: Alu, inst: &Inst) -> UnitSequence {
    use Unit::{Add, Double, Fma, Half, Imad, ImadWide, Predicate, Special};
    const ALU: Unit = Unit::Alu;
    match alu {
        Alu::Integer(op) => match op {
            IntegerOp::Add(ty) | IntegerOp::Sub(ty) if is_wide(ty) => &[(Add, 2)],
            IntegerOp::Add(_) | IntegerOp::Sub(_) => &[(Add, 1)],
            IntegerOp::Div(ty) | IntegerOp::Rem(ty) if divides_by_power(inst) => {
                match is_wide(ty) {
                    true => &[(ALU, 4)],
                    false => &[(ALU, 3)],
                }
            }
            IntegerOp::Div(ty) | IntegerOp::Rem(ty)
                if matches!(inst.src.get(1), Some(Operand::Const(_))) =>
            {
                match is_wide(ty) {
                    true => &[(ImadWide, 6), (ALU, 4)],
                    false => &[(Imad, 2), (ALU, 2)],
                }
            }
            IntegerOp::Div(ty) | IntegerOp::Rem(ty) => match is_wide(ty) {
                true => &[(Special, 3), (ImadWide, 12), (Imad, 20), (ALU, 36)],
                false => &[(Special, 2), (Imad, 7), (ALU, 10)],
            },
            IntegerOp::Min(ty) | IntegerOp::Max(ty) if is_wide(ty) => &[(ALU, 4)],
            IntegerOp::SumOfDifference(_) => &[(ALU, 1)],
            _ => &[(ALU, 1)],
        },
        Alu::Product(op) => match op {
            ProductOp::Mul(ty) | ProductOp::Mad(ty) if is_wide(ty) => &[(ImadWide, 1), (Imad, 2)],
            ProductOp::MulHigh { size: IntegerSize::Wide, .. }
            | ProductOp::MadHigh { size: IntegerSize::Wide, .. } => &[(ImadWide, 4), (Add, 3)],
            ProductOp::MadWide { signed: false, word: true } if matches!(inst.src.get(1), Some(Operand::Const(by)) if by.is_power_of_two()) => {
                &[(ALU, 2)]
            }
            ProductOp::MulWide { word: true, .. }
            | ProductOp::MadWide { word: true, .. }
            | ProductOp::MulHigh { .. }
            | ProductOp::MadHigh { .. } => &[(ImadWide, 1)],
            _ => &[(Imad, 1)],
        },
        Alu::Single(op) => match op {
            SingleOp::Div { division, .. } => match division {
                lanework_ptx_ir::opcode::float::Division::Rounded => {
                    &[(Special, 1), (Predicate, 1), (Fma, 6), (ALU, 1)]
                }
                _ => &[(Special, 1), (Fma, 2)],
            },
            SingleOp::Unary { function: Unary::Sqrt, .. } => {
                &[(Special, 1), (ALU, 2), (Fma, 5), (Predicate, 1)]
            }
            SingleOp::Unary { function: Unary::Rcp, .. } => {
                &[(ALU, 2), (Special, 1), (Fma, 2), (Predicate, 1)]
            }
            SingleOp::Unary { .. } => &[(Unit::Free, 1)],
            SingleOp::Approximate { function, ftz } => match (function, ftz) {
                (Approximation::Sin | Approximation::Cos, _) => &[(Fma, 1), (Special, 1)],
                (Approximation::Tanh, _) | (_, true) => &[(Special, 1)],
                (_, false) => &[(Predicate, 1), (Fma, 1), (Special, 1), (Fma, 1)],
            },
            SingleOp::MinMax { .. } | SingleOp::CopySign | SingleOp::Test(_) => &[(ALU, 1)],
            _ => &[(Fma, 1)],
        },
        Alu::Directed(op) if op.double => &[(Double, 1)],
        Alu::Directed(_) => &[(Fma, 1)],
        Alu::Double(op) => match op {
            DoubleOp::Add
            | DoubleOp::Sub
            | DoubleOp::Mul
            | DoubleOp::Fma
            | DoubleOp::FmaNegated(_) => &[(Double, 1)],
            DoubleOp::Div => &[(Special, 1), (Double, 8), (ALU, 5), (Predicate, 1)],
            DoubleOp::Sqrt | DoubleOp::Rsqrt => {
                &[(Special, 1), (Double, 8), (ALU, 5), (Predicate, 1)]
            }
            DoubleOp::Rcp => &[(Special, 1), (Double, 5), (ALU, 3)],
            DoubleOp::RcpApproximate | DoubleOp::RsqrtApproximate => &[(Special, 1)],
            DoubleOp::Min | DoubleOp::Max => &[(Double, 1), (ALU, 3)],
            DoubleOp::Abs | DoubleOp::Neg => &[(Unit::Free, 1)],
            DoubleOp::CopySign | DoubleOp::Test(_) | DoubleOp::Saturate => &[(ALU, 2)],
        },
        Alu::Half(HalfOp::Any(HalfFunction::Ex2 | HalfFunction::Tanh, _)) => &[(Special, 1)],
        Alu::Half(_) => &[(Half, 1)],
        Alu::Compare(op) => match op {
            CompareOp::Integer(_, ty) if is_wide(ty) => &[(Predicate, 2)],
            CompareOp::Float(_, FloatType::F64) => &[(Double, 1)],
            CompareOp::Integer(..) | CompareOp::Float(..) => &[(Predicate, 1)],
            CompareOp::Select { wide: true } => &[(ALU, 2)],
            _ => &[(ALU, 1)],
        },
        Alu::Convert(op) => match op {
            ConvertOp::ExtendToWide(_) | ConvertOp::ExtendToWord(_) | ConvertOp::ExtendToHalf => {
                &[(ALU, 1)]
            }
            // Conversions to a float run on the integer pipe, those to an integer on the special-function unit.
            ConvertOp::WordToFloat { double: false, .. } => &[(ALU, 1)],
            ConvertOp::SingleToWord { .. } | ConvertOp::RoundSingle(_) => &[(Unit::Convert, 1)],
            ConvertOp::WordToFloat { .. }
            | ConvertOp::WideToFloat { .. }
            | ConvertOp::DoubleToInteger { .. }
            | ConvertOp::DoubleToHalf { .. }
            | ConvertOp::RoundDouble(_) => &[(Special, 1)],
            ConvertOp::Float { from: FloatType::F64, .. }
            | ConvertOp::Float { to: FloatType::F64, .. }
            | ConvertOp::Widen(lanework_ptx_ir::opcode::convert::WidenFrom::Single { .. }) => {
                &[(Special, 1)]
            }
            _ => &[(ALU, 1)],
        },
        Alu::SmallFloat(_) => &[(Special, 1)],
        Alu::Logic(op) => match op {
            LogicOp::And(Width::Predicate)
            | LogicOp::Or(Width::Predicate)
            | LogicOp::Xor(Width::Predicate) => &[(Predicate, 1)],
            LogicOp::IsZero(_) | LogicOp::IsNonzero | LogicOp::Equal | LogicOp::WideDiffer => {
                &[(Predicate, 1)]
            }
            LogicOp::And(Width::Wide)
            | LogicOp::Or(Width::Wide)
            | LogicOp::Xor(Width::Wide)
            | LogicOp::Not(Width::Wide) => &[(ALU, 2)],
            LogicOp::ShiftLeft(IntegerSize::Wide)
            | LogicOp::ShiftRight { size: IntegerSize::Wide, .. } => {
                match matches!(inst.src.get(1), Some(Operand::Const(_))) {
                    true => &[(ALU, 2)],
                    false => &[(ALU, 4)],
                }
            }
            LogicOp::CountOnes { .. }
            | LogicOp::LeadingZeros { .. }
            | LogicOp::Reverse { .. }
            | LogicOp::FindHighest { .. } => &[(Special, 1)],
            LogicOp::FieldExtract { .. } | LogicOp::FieldInsert { .. } => &[(ALU, 2)],
            _ => &[(ALU, 1)],
        },
        Alu::Carry(op) if op.wide => &[(Add, 2)],
        Alu::Carry(_) => &[(Add, 1)],
        Alu::Move(_) => &[(ALU, 1)],
        Alu::Video(_) => &[(ALU, 2)],
        Alu::Address(_) | Alu::CanonicalNan => &[(Unit::Free, 1)],
        Alu::PendingCount => &[(ALU, 1)],
    }
}

fn divides_by_power(inst: &Inst) -> bool {
    matches!(inst.src.get(1), Some(Operand::Const(by)) if by.is_power_of_two())
}

fn space_number(space: MemorySpace) -> u8 {
    match space {
        MemorySpace::Generic | MemorySpace::Global => 0,
        MemorySpace::Constant => 1,
        MemorySpace::Shared => 2,
        MemorySpace::Local => 3,
        MemorySpace::Parameter => 4,
    }
}

fn other(opcode: &Opcode, simple: &dyn Fn(Unit) -> MachineOperation) -> Vec<MachineOperation> {
    let one = |unit, order| vec![MachineOperation { order, ..simple(unit) }];
    match opcode {
        Opcode::Memory(op) => {
            let space = space_number(op.space);
            let order = match op.kind {
                _ if op.volatile || op.order.strong.is_some() => MemoryClass::Wall,
                MemoryKind::Load => MemoryClass::Load(space),
                MemoryKind::Store | MemoryKind::Atomic(_) => MemoryClass::Store(space),
            };
            one(Unit::Memory, order)
        }
        Opcode::Warp(op) => match op {
            WarpOp::Clock { .. } => one(Unit::Nop, MemoryClass::Wall),
            WarpOp::ActiveMask | WarpOp::Elect => one(Unit::Alu, MemoryClass::Anything),
            WarpOp::Vote { .. } => one(Unit::Predicate, MemoryClass::Anything),
            WarpOp::Match { .. } => {
                let mut all = one(Unit::Shuffle, MemoryClass::Anything);
                // Assumes that the values of all lanes differ: 64 cycles. It takes fewer if some agree.
                all.extend((0..31).map(|_| simple(Unit::Shuffle)));
                all
            }
            WarpOp::Reduce(_) => vec![simple(Unit::Shuffle), simple(Unit::Shuffle)],
            WarpOp::Shuffle(_) => one(Unit::Shuffle, MemoryClass::Anything),
            WarpOp::Print | WarpOp::Malloc | WarpOp::Free => one(Unit::Fence, MemoryClass::Wall),
        },
        Opcode::Branch(_) => one(Unit::Branch, MemoryClass::Wall),
        Opcode::Exit
        | Opcode::Return
        | Opcode::Trap
        | Opcode::StackOverflow
        | Opcode::AssertFail => one(Unit::Exit, MemoryClass::Wall),
        Opcode::Barrier { .. } => one(Unit::Sync, MemoryClass::Wall),
        Opcode::AsyncCopy { .. } => vec![MachineOperation {
            order: MemoryClass::Store(2),
            queue: Some(Queue::Copies),
            ..simple(Unit::Memory)
        }],
        Opcode::Async(op) => match op {
            AsyncOp::Mbarrier(..) | AsyncOp::ClusterArrive { .. } | AsyncOp::ClusterWait { .. } => {
                one(Unit::Sync, MemoryClass::Wall)
            }
            AsyncOp::Copy(_) | AsyncOp::Tensor(_) | AsyncOp::Store { .. } => {
                vec![MachineOperation {
                    order: MemoryClass::Wall,
                    queue: Some(Queue::Bulk),
                    ..simple(Unit::Memory)
                }]
            }
            AsyncOp::Commit => one(Unit::Commit(Queue::Bulk), MemoryClass::Wall),
            AsyncOp::WaitGroup { pending, .. } => {
                one(Unit::Wait(Queue::Bulk, *pending), MemoryClass::Wall)
            }
            AsyncOp::ProductCommit => one(Unit::Commit(Queue::Products), MemoryClass::Wall),
            AsyncOp::ProductWait => one(Unit::Wait(Queue::Products, 0), MemoryClass::Wall),
            AsyncOp::Registers { .. } | AsyncOp::Tmem(_) => one(Unit::Nop, MemoryClass::Wall),
        },
        Opcode::Matrix(op) => match op {
            MatrixOp::Rows { store: false, .. } | MatrixOp::Tile { store: false, .. } => {
                one(Unit::Memory, MemoryClass::Load(2))
            }
            MatrixOp::Rows { .. } | MatrixOp::Tile { .. } => {
                one(Unit::Memory, MemoryClass::Store(2))
            }
            MatrixOp::Transpose => one(Unit::Shuffle, MemoryClass::Anything),
            MatrixOp::Multiply(op) => {
                // The cost relative to an m16n8k16 with 16-bit floats.
                let work = op.shape.m * op.shape.n * op.shape.k;
                let bits = op.a.bits().max(op.b.bits());
                let scale = match bits {
                    // On an H200, m8n8k4 takes 16.2 cycles, and m16n8k8 with four times the work 32.4.
                    64 if op.shape.m == 8 => 19.0,
                    64 => 10.0,
                    32 => 2.0,
                    16 => 1.0,
                    8 => 0.5,
                    4 => 0.25,
                    _ => 0.0625,
                };
                let units = work as f64 / 2048.0 * scale;
                one(Unit::Mma((units * 64.0) as u32), MemoryClass::Anything)
            }
            MatrixOp::Group(op) => {
                let operations = 2 * 64 * op.n * op.k / 4;
                let scale = op.a.bits().max(op.b.bits()) as f64 / 16.0;
                let units = operations as f64 * scale / 1024.0;
                one(Unit::Wgmma(units as u32), MemoryClass::Wall)
            }
        },
        Opcode::Texture(_) => one(Unit::Memory, MemoryClass::Load(0)),
        Opcode::Converge(_) => one(Unit::Nop, MemoryClass::Wall),
        Opcode::Annotation(note) => match note {
            SyncAnnotation::Fence(Scope::Device | Scope::System) => {
                one(Unit::Fence, MemoryClass::Wall)
            }
            SyncAnnotation::Commit => one(Unit::Commit(Queue::Copies), MemoryClass::Wall),
            SyncAnnotation::Wait(pending) => {
                one(Unit::Wait(Queue::Copies, *pending), MemoryClass::Wall)
            }
            SyncAnnotation::ProductCommit => one(Unit::Commit(Queue::Products), MemoryClass::Wall),
            SyncAnnotation::ProductWait(pending) => {
                one(Unit::Wait(Queue::Products, *pending), MemoryClass::Wall)
            }
            SyncAnnotation::Members | SyncAnnotation::Shuffle(_) => {
                one(Unit::Free, MemoryClass::Anything)
            }
            SyncAnnotation::WarpSync => one(Unit::Nop, MemoryClass::Wall),
            _ => one(Unit::Nop, MemoryClass::Wall),
        },
        Opcode::Nothing | Opcode::Alu(_) => vec![simple(Unit::Free)],
    }
}
