//! Warp roles: which warps of a block do what, registers moved between them, and one lane elected of a warp.

use super::handle::handle;
use super::named::{NamedBarrier, named_barrier};
use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::current::{here, with};
use crate::frames::Line;
use crate::memory::Extent;
use crate::operation::Operation;
use crate::pending::MovedRegisters;
use crate::value::Value;
use crate::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Some adjacent warps of a block that do one thing; see [`warp_roles`].
#[derive(Debug)]
pub struct Role {
    first: u32,
    warps: u32,
}

handle!(Role);

/// Divides a block's warps among roles, in order: `warp_roles([4, 1])` are warps 0 to 3 and warp 4.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 96)]
/// fn example(out: &mut [u32]) {
///     let [adders, writer] = warp_roles([2, 1]);
///     let sum = shared::<u32>(1);
///     if writer.active() && writer.thread() == 0 {
///         sum[0] = 0;
///     }
///     sync_threads();
///     if adders.active() {
///         atomic_add(&mut sum[0], adders.thread());
///     }
///     sync_threads();
///     if writer.active() && writer.thread() == 0 {
///         out[0] = sum[0];
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(1)?;
/// # example(&mut out).grid(1).block(96).launch(&device)?;
/// assert_eq!(out.download()?, [63 * 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn warp_roles<W: Extent, const N: usize>(warps: [W; N]) -> [Role; N] {
    here();
    let mut first = 0;
    let roles = warps.map(|warps| {
        let warps = warps.extent().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let role = Role { first, warps };
        first += warps;
        role
    });
    with(|b| {
        if roles.iter().any(|role| role.warps == 0) || first > 32 {
            b.error(
                "roles have 1 to 32 warps in all, and none has none",
                "a block has at most 1024 threads, 32 warps",
            );
        }
        if let Some(block) = b.block
            && block.iter().product::<u32>() != 32 * first
        {
            let threads: u32 = block.iter().product();
            b.error(
                format!("the roles have {first} warps, the block has {threads} threads"),
                format!("write `block = {}`, or give every warp a role", 32 * first),
            );
        }
    });
    roles
}

/// The thread's number in its block.
fn linear(b: &mut Builder) -> Value {
    let word = ScalarType::U32;
    let x = Value::Special("%tid.x");
    if let Some([_, 1, 1]) = b.block {
        return x;
    }
    let row = binary(b, Operation::Mul, word, Value::Special("%tid.z"), Value::Special("%ntid.y"));
    let row = binary(b, Operation::Add, word, row, Value::Special("%tid.y"));
    let row = binary(b, Operation::Mul, word, row, Value::Special("%ntid.x"));
    binary(b, Operation::Add, word, row, x)
}

impl Role {
    /// Whether this thread has the role.
    #[track_caller]
    pub fn active(self) -> Var<bool> {
        here();
        let thread = self.thread();
        Var::new(with(|b| {
            let threads = Value::Constant((32 * self.warps).into());
            relate(b, Relation::Lt, ScalarType::U32, thread.value, threads)
        }))
    }

    /// The thread's number among those of the role; beyond their number for a thread of another role.
    #[track_caller]
    pub fn thread(self) -> Var<u32> {
        here();
        Var::new(with(|b| {
            let thread = linear(b);
            let first = Value::Constant((32 * self.first).into());
            binary(b, Operation::Sub, ScalarType::U32, thread, first)
        }))
    }

    /// The threads of the role.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 96)]
    /// fn example(out: &mut [u32]) {
    ///     let [adders, _] = warp_roles([2, 1]);
    ///     if adders.active() {
    ///         // These 64 threads meet; the last warp does not.
    ///         let all = adders.barrier();
    ///         all.sync();
    ///         out[adders.thread()] = adders.threads() + all.threads();
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<u32>(64)?;
    /// # example(&mut out).grid(1).block(96).launch(&device)?;
    /// assert_eq!(out.download()?, [128; 64]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn threads(self) -> u32 {
        32 * self.warps
    }

    /// A barrier of the role's threads alone.
    #[track_caller]
    pub fn barrier(self) -> NamedBarrier {
        named_barrier(self.threads())
    }

    /// Leaves the role's threads this many registers each and gives the others back (`setmaxnreg.dec`): 24 to 256, a
    /// multiple of 8. The role is whole warpgroups, warps 4n to 4n + 3; only its threads may call it. The kernel says by
    /// `max_registers` how many each thread is launched with.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 256, max_registers = 104)]
    /// fn example(out: &mut [u32]) {
    ///     let [load, math] = warp_roles([4, 4]); // 2 x 104 registers = 40 + 168
    ///     if load.active() {
    ///         load.give_registers(40);
    ///     }
    ///     if math.active() {
    ///         math.take_registers(168);
    ///         out[math.thread()] = 1;
    ///     }
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(128)?;
    /// # example(&mut out).grid(1).block(256).launch(&device)?;
    /// assert_eq!(out.download()?, [1; 128]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn give_registers(self, keep: u32) {
        here();
        self.registers("dec", keep);
    }

    /// Gives the role's threads this many registers each, when others have given them back (`setmaxnreg.inc`).
    #[track_caller]
    pub fn take_registers(self, have: u32) {
        here();
        self.registers("inc", have);
    }

    fn registers(self, way: &str, count: u32) {
        with(|b| {
            if !self.first.is_multiple_of(4) || !self.warps.is_multiple_of(4) {
                b.error(
                    format!(
                        "warps {} to {} are not whole warpgroups",
                        self.first,
                        self.first + self.warps.max(1) - 1
                    ),
                    "registers move between groups of four warps, which start at a multiple of 4: make the role that large",
                );
            }
            if !(24..=256).contains(&count) || !count.is_multiple_of(8) {
                b.error(
                    format!("a thread cannot be left with {count} registers"),
                    "use 24 to 256, a multiple of 8",
                );
            }
            match b.max_registers {
                None => b.error(
                    "registers move, and the kernel does not say how many it is launched with",
                    "write `#[kernel(block = .., max_registers = R)]`: the block is launched with R registers \
                     per thread, which its roles divide anew; without it a GPU waits for registers that are not there",
                ),
                Some(have) if !have.is_multiple_of(8) => b.error(
                    format!("the kernel is launched with {have} registers per thread"),
                    "registers are counted by eights: write a multiple of 8 for `max_registers`",
                ),
                Some(have) if way == "dec" && count > have => b.error(
                    format!("a thread is launched with {have} registers and cannot keep {count}"),
                    format!("keep at most {have}, or raise `max_registers`"),
                ),
                Some(have) if way == "inc" && count < have => b.error(
                    format!("a thread is launched with {have} registers and cannot take {count} in all"),
                    format!("take at least {have}, or give registers back by `give_registers`"),
                ),
                Some(_) => {}
            }
            let (first, warps, source) = (self.first, self.warps, b.source());
            b.moved_registers.push(MovedRegisters { first, warps, count, source });
            b.emit(&format!("setmaxnreg.{way}.sync.aligned.u32"), vec![Operand::integer(count)]);
        });
    }
}

/// Whether this lane is the one that was elected of the lanes in `mask`, all of which call it (`elect.sync`): one lane starts
/// a copy while the others go on.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     if elect_sync(FULL_MASK) {
///         atomic_add(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(1)?;
/// # example(&mut out).grid(1).block(128).launch(&device)?;
/// assert_eq!(out.download()?, [4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn elect_sync(mask: impl IntoVar<u32>) -> Var<bool> {
    here();
    let mask = mask.into_var().value;
    Var::new(with(|b| {
        let elected = b.register(ScalarType::Pred, false);
        let pair = Operand::Pair(Box::new("_".into()), Box::new(Operand::Name(elected.name())));
        let operands = vec![pair, b.operand(mask, ScalarType::U32)];
        let instruction = b.located(lanework_ptx::Instruction::new("elect.sync", operands));
        b.push(Line::Op { instruction, dest: None, pure: false });
        Value::Register(elected)
    }))
}
