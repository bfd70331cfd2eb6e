//! What the driver's compiler may not move: it places instructions of a block of straight code as it likes, where nothing ties
//! them together.

use crate::compare::{Relation, relate};
use crate::current::{here, with};
use crate::frames::Line;
use crate::value::Value;
use crate::var::IntoVar;
use lanework_ptx::{Guard, Instruction, ScalarType};

/// The bits of -1: what no square is, whatever number or NaN is squared.
const NEVER: u64 = 0xbf80_0000;

/// Keeps what follows behind the computation of `x`, a number: a wait that does not depend on it, such as that for
/// asynchronous products, would else be moved in front of it, and the two would not overlap. Costs a product, a comparison and a guarded
/// `exit`, which no thread takes: it would if the square of `x` were -1.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[f32], out: &mut [f32]) {
///     let y = fast::exp2(x[0]);
///     scheduling_barrier(y); // computed before what follows
///     nanosleep(10);
///     out[0] = y;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[3.0f32])?;
/// # let mut out = device.zeros::<f32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [8.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn scheduling_barrier(x: impl IntoVar<f32>) {
    here();
    let x = x.into_var().value;
    with(|b| {
        if matches!(x, Value::Constant(_)) {
            return;
        }
        let word = ScalarType::U32;
        let float = ScalarType::F32;
        let square = b.pure("mul.rn.f32", float, &[(x, float), (x, float)]);
        let bits = b.pure("mov.b32", word, &[(square, float)]);
        let never = relate(b, Relation::Eq, word, bits, Value::Constant(NEVER));
        if let Value::Register(never) = never {
            // A guarded exit and no branch: products of warpgroups may be running, which threads must not diverge from.
            let mut exit = b.located(Instruction::new("exit", vec![]));
            exit.guard = Some(Guard { register: never.name(), negated: false });
            b.push(Line::Op { instruction: exit, dest: None, pure: false });
        }
    });
}
