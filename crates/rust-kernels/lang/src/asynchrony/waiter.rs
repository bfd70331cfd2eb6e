//! Waits for the phases of an mbarrier: for that of an arrival, or for one after the other.

use super::arrival::Arrival;
use super::handle::handle;
use super::mbarrier::Mbarrier;
use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::current::{here, with};
use crate::operation::Operation;
use crate::value::{Register, Value};
use crate::var::Var;
use lanework_ptx::ScalarType;

/// A thread's position in the phases of an mbarrier: each [`wait`](Waiter::wait) waits for the next one.
#[derive(Debug)]
pub struct Waiter {
    barrier: Mbarrier,
    parity: Register,
}

handle!(Waiter);

impl Mbarrier {
    /// Waits until the phase of an arrival is complete (`mbarrier.try_wait`, repeated).
    #[track_caller]
    pub fn wait(self, arrival: Arrival) {
        here();
        self.same(&arrival);
        with(|b| {
            let scope = acquire(b);
            self.spin(b, "", arrival.state, ScalarType::B64, scope);
        });
    }

    /// Whether the phase of an arrival is complete (`mbarrier.test_wait`).
    #[track_caller]
    pub fn is_complete(self, arrival: Arrival) -> Var<bool> {
        here();
        self.same(&arrival);
        Var::new(with(|b| {
            let scope = acquire(b);
            let operands = vec![self.place.operand(b), b.operand(arrival.state, ScalarType::B64)];
            b.emit_to(
                &format!("mbarrier.test_wait{scope}.shared::cta.b64"),
                ScalarType::Pred,
                operands,
            )
        }))
    }

    /// Refuses the token of another barrier.
    fn same(self, arrival: &Arrival) {
        if arrival.symbol != self.symbol {
            with(|b| {
                let (mine, its) =
                    (b.symbols[self.symbol].clone(), b.symbols[arrival.symbol].clone());
                b.error(
                    format!("this waits at `{mine}` for an arrival at `{its}`"),
                    format!("wait at the barrier that was arrived at: `{its}.wait(..)`"),
                );
            });
        }
    }

    /// This thread's position before the barrier's first phase: its first `wait` waits for that phase.
    #[track_caller]
    pub fn waiter(self) -> Waiter {
        here();
        self.waiter_from(0)
    }

    /// A position at which the first `wait` returns at once, as if a phase before the first had completed: of the
    /// producer, which finds every stage empty.
    #[track_caller]
    pub fn waiter_past(self) -> Waiter {
        here();
        self.waiter_from(1)
    }

    fn waiter_from(self, parity: u64) -> Waiter {
        with(|b| {
            let register = b.register(ScalarType::U32, true);
            b.assign(register, Value::Constant(parity), ScalarType::U32);
            Waiter { barrier: self, parity: register }
        })
    }

    /// Waits for the phase of a parity; `near` where only this block arrives.
    pub(crate) fn wait_parity(self, b: &mut Builder, parity: Value, near: bool) {
        let scope = if near { "" } else { acquire(b) };
        self.spin(b, ".parity", parity, ScalarType::U32, scope);
    }

    fn spin(self, b: &mut Builder, by: &str, phase: Value, ty: ScalarType, scope: &str) {
        let operands = vec![self.place.operand(b), b.operand(phase, ty)];
        let head = b.label("wait");
        b.place_always(&head);
        let name = format!("mbarrier.try_wait{by}{scope}.shared::cta.b64");
        let done = b.emit_to(&name, ScalarType::Pred, operands);
        if let Value::Register(done) = done {
            b.wait_while(done, true, &head);
        }
    }
}

/// Waits of a kernel with clusters see what was done in any block of the cluster.
fn acquire(b: &Builder) -> &'static str {
    if b.cluster.is_some() { ".acquire.cluster" } else { "" }
}

impl Waiter {
    /// Waits until the next phase of the barrier is complete.
    #[track_caller]
    pub fn wait(self) {
        here();
        with(|b| {
            let parity = Value::Register(self.parity);
            self.barrier.wait_parity(b, parity, false);
            let other = binary(b, Operation::Xor, ScalarType::U32, parity, Value::Constant(1));
            b.assign(self.parity, other, ScalarType::U32);
        });
    }
}
