//! Warp roles: a division of a block's warps by task, registers reallocated between roles, and the election of one
//! lane of a warp.
//!
//! Also named barriers: barriers 1 to 15 of the block, for some of its warps (PTX manual, "barrier").

use crate::asynchrony::mbarrier::word;
use crate::asynchrony::part::handle;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::frames::{Line, MovedRegisters};
use crate::emit::value::Value;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::{Extent, IndexValue};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Adjacent warps of a block with one task; see [`warp_roles`].
#[derive(Debug)]
pub struct Role {
    first: u32,
    warps: u32,
}

handle!(Role);

/// Divides a block's warps among roles, in order: `warp_roles([4, 1])` returns a role of warps 0 to 3 and one of warp
/// 4.
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
                "roles have 1 to 32 warps in total, and each has at least one",
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

    /// The thread's number in the role. A thread of another role gets a number that is not below the role's number of
    /// threads.
    #[track_caller]
    pub fn thread(self) -> Var<u32> {
        here();
        Var::new(with(|b| {
            let thread = linear(b);
            let first = Value::Constant((32 * self.first).into());
            binary(b, Operation::Sub, ScalarType::U32, thread, first)
        }))
    }

    /// The number of threads of the role.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 96)]
    /// fn example(out: &mut [u32]) {
    ///     let [adders, _] = warp_roles([2, 1]);
    ///     if adders.active() {
    ///         // These 64 threads synchronize; the last warp does not take part.
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

    /// A barrier of only the role's threads.
    #[track_caller]
    pub fn barrier(self) -> NamedBarrier {
        named_barrier(self.threads())
    }

    /// Reduces the registers of each of the role's threads to `keep` and releases the others (`setmaxnreg.dec`): 24 to
    /// 256, a multiple of 8. The role consists of whole warpgroups (warps 4n to 4n + 3), and only its threads may call
    /// this. The kernel's `max_registers` sets the number that each thread is launched with.
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

    /// Raises the registers of each of the role's threads to `have`, once other warps have released them
    /// (`setmaxnreg.inc`).
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
                    "registers move, but the kernel does not declare how many it is launched with",
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

/// Whether this lane is the elected one of the lanes in `mask` (`elect.sync`), for example to start a copy. All of these lanes must
/// call it.
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

/// A barrier of some warps of the block. Each named barrier of a kernel has a separate number.
///
/// ```
/// # use lanework::prelude::*;
/// /// The first two warps exchange a value; the third does not wait.
/// #[kernel(block = 96)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(64);
///     let pair = named_barrier(64);
///     if thread_idx.x < 64 {
///         values[thread_idx.x] = thread_idx.x;
///         pair.sync();
///         out[thread_idx.x] = values[63 - thread_idx.x];
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(1).block(96).launch(&device)?;
/// assert_eq!(out.download()?[..2], [63, 62]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct NamedBarrier {
    number: Value,
    threads: u32,
}

/// Named barriers, each of as many threads: `barriers.at(group)`.
#[derive(Debug)]
pub struct NamedBarriers {
    first: u32,
    number: u32,
    threads: u32,
}

handle!(NamedBarrier);
handle!(NamedBarriers);

/// Numbers of named barriers; `sync_threads` uses 0.
const MOST: u32 = 15;

/// A barrier that completes when `threads` threads (a multiple of 32) have arrived; see [`NamedBarrier`].
#[track_caller]
pub fn named_barrier(threads: impl Extent) -> NamedBarrier {
    here();
    let NamedBarriers { first, threads, .. } = NamedBarriers::declare(1, threads.extent());
    NamedBarrier { number: Value::Constant(first.into()), threads }
}

/// `number` barriers, each of which completes when `threads` threads have arrived.
///
/// ```
/// # use lanework::prelude::*;
/// /// Each of two warpgroups waits for its own threads.
/// #[kernel(block = 256)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(256);
///     let groups = named_barriers(2, 128);
///     let t = thread_idx.x;
///     values[t] = t;
///     groups.at(t / 128).sync();
///     out[t] = values[t ^ 127];
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(256)?;
/// # example(&mut out).grid(1).block(256).launch(&device)?;
/// assert_eq!(out.download()?[128], 255);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn named_barriers(number: impl Extent, threads: impl Extent) -> NamedBarriers {
    here();
    let number = number.extent().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    NamedBarriers::declare(number, threads.extent())
}

impl NamedBarriers {
    fn declare(number: u32, threads: Option<usize>) -> NamedBarriers {
        let threads = threads.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        with(|b| {
            if threads == 0 || !threads.is_multiple_of(32) || threads > 1024 {
                b.error(
                    format!("{threads} threads cannot meet at a named barrier"),
                    "only whole warps can: give a multiple of 32 up to 1024",
                );
            }
            let first = b.named_barriers + 1;
            b.named_barriers = b.named_barriers.saturating_add(number);
            if number == 0 || b.named_barriers > MOST {
                b.error(
                    "the kernel has more than 15 named barriers, or an empty array of them",
                    "a block has 16, of which `sync_threads` takes one: use a barrier for several things, or an mbarrier",
                );
            }
            NamedBarriers { first: first.min(MOST), number, threads }
        })
    }

    /// The barrier at an index. Any index past the last barrier selects the last one.
    #[track_caller]
    pub fn at(self, index: impl IndexValue) -> NamedBarrier {
        here();
        let index = index.parts();
        with(|b| {
            let ty = ScalarType::U32;
            let index = word(b, index);
            let last = Value::Constant(self.number.saturating_sub(1).into());
            let index = binary(b, Operation::Min, ty, index, last);
            let number = binary(b, Operation::Add, ty, index, Value::Constant(self.first.into()));
            NamedBarrier { number, threads: self.threads }
        })
    }
}

impl NamedBarrier {
    /// Arrives and waits for the other threads, whose earlier memory accesses are visible afterwards (`bar.sync`).
    #[track_caller]
    pub fn sync(self) {
        here();
        self.emit("bar.sync");
    }

    /// Arrives without waiting (`bar.arrive`): a producer that does not wait for its consumers.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 64)]
    /// fn example(out: &mut [u32]) {
    ///     let values = shared::<u32>(32);
    ///     let written = named_barrier(64);
    ///     if thread_idx.x < 32 {
    ///         values[thread_idx.x] = 7;
    ///         written.arrive();
    ///     } else {
    ///         written.sync();
    ///         out[thread_idx.x - 32] = values[63 - thread_idx.x];
    ///     }
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example(&mut out).grid(1).block(64).launch(&device)?;
    /// assert_eq!(out.download()?, [7; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn arrive(self) {
        here();
        self.emit("bar.arrive");
    }

    /// The number of threads that it synchronizes.
    pub fn threads(self) -> u32 {
        self.threads
    }

    fn emit(self, name: &str) {
        with(|b| {
            let number = b.operand(self.number, ScalarType::U32);
            b.emit(name, vec![number, Operand::integer(self.threads)]);
        });
    }
}
