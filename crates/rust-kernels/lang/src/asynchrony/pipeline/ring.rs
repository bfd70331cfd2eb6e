//! A thread's position in a ring of stages: the next stage, and the parity of its barrier's phase.

use crate::arithmetic::binary;
use crate::asynchrony::mbarrier::{Mbarrier, Mbarriers};
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::current::with;
use crate::operation::Operation;
use crate::value::{Index, Register, Value};
use crate::var::{Read, Var};
use lanework_ptx::ScalarType;

/// The next stage and the parity to wait for, in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// The barriers that are waited at.
    waits: Mbarriers,
    stage: Register,
    parity: Register,
    stages: u32,
    near: bool,
}

impl Ring {
    /// At stage 0, whose barrier among `waits` is first waited for at this parity.
    pub(super) fn new(waits: Mbarriers, stages: u32, parity: u64, near: bool) -> Ring {
        with(|b| {
            let mut register = |value| {
                let register = b.register(ScalarType::U32, true);
                b.assign(register, Value::Constant(value), ScalarType::U32);
                register
            };
            Ring { waits, stage: register(0), parity: register(parity), stages, near }
        })
    }

    /// The number of stages.
    pub(super) fn stages(self) -> u32 {
        self.stages
    }

    /// Waits for the next stage, and moves on; returns the stage.
    pub(super) fn next(self) -> Var<u32> {
        let stage = Var::<u32>::new(Value::Register(self.stage)).copy();
        with(|b| {
            let index = Index { value: stage.value, ty: ScalarType::U32 };
            let barrier = self.waits.element(b, Some(index));
            barrier.wait_parity(b, Value::Register(self.parity), self.near);
            self.advance(b, stage.value);
        });
        stage
    }

    /// Moves on by so many stages.
    pub(super) fn skip(self, b: &mut Builder, by: Value) {
        let (ty, stages) = (ScalarType::U32, Value::Constant(self.stages.into()));
        let ahead = binary(b, Operation::Add, ty, Value::Register(self.stage), by);
        let rounds = binary(b, Operation::Div, ty, ahead, stages);
        let stage = binary(b, Operation::Rem, ty, ahead, stages);
        let flip = binary(b, Operation::And, ty, rounds, Value::Constant(1));
        let parity = binary(b, Operation::Xor, ty, Value::Register(self.parity), flip);
        b.assign(self.stage, stage, ty);
        b.assign(self.parity, parity, ty);
    }

    /// The stage after `stage`; behind the last one, the first, in the next phase.
    fn advance(self, b: &mut Builder, stage: Value) {
        let (word, one) = (ScalarType::U32, Value::Constant(1));
        let next = binary(b, Operation::Add, word, stage, one);
        let last = relate(b, Relation::Eq, word, next, Value::Constant(self.stages.into()));
        let select = |b: &mut Builder, yes, no| {
            b.pure("selp.b32", word, &[(yes, word), (no, word), (last, ScalarType::Pred)])
        };
        let wrapped = select(b, Value::Constant(0), next);
        let flip = select(b, one, Value::Constant(0));
        let parity = binary(b, Operation::Xor, word, Value::Register(self.parity), flip);
        b.assign(self.stage, wrapped, word);
        b.assign(self.parity, parity, word);
    }

    /// The stage `by` stages before this one.
    pub(super) fn before(self, by: u32) -> Var<u32> {
        Var::new(with(|b| {
            let (word, back) = (ScalarType::U32, u64::from(by % self.stages));
            // Without a division: the stage is below the number of stages.
            let stage = Value::Register(self.stage);
            let minus = binary(b, Operation::Sub, word, stage, Value::Constant(back));
            let around = Value::Constant(u64::from(self.stages) - back);
            let plus = binary(b, Operation::Add, word, stage, around);
            let inside = relate(b, Relation::Ge, word, stage, Value::Constant(back));
            let inputs = [(minus, word), (plus, word), (inside, ScalarType::Pred)];
            b.pure("selp.b32", word, &inputs)
        }))
    }
}

/// The barrier of a stage.
pub(super) fn element(barriers: Mbarriers, stage: Var<u32>) -> Mbarrier {
    with(|b| barriers.element(b, Some(Index { value: stage.value, ty: ScalarType::U32 })))
}
