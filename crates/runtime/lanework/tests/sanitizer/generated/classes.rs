//! The classes of bugs: each generates a correct kernel, or the same kernel with one defect.

use super::KernelRandom;
use super::flags::{acquires, flags, locks, scopes, sizes, slots, vectors, waits};
use super::memory::{copies, heap, locals, pieces, rewrites, tiles, values};
use lanework::ReportKind;

/// A kernel `k` with one argument: a buffer of 4096 bytes, all zeros.
pub struct Generated {
    /// The class.
    pub name: &'static str,
    /// PTX.
    pub text: String,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// The finding of its defect.
    pub defect: Option<ReportKind>,
    /// Whether the help of the finding names a change that the test can make.
    pub repairable: bool,
}

/// All classes.
pub const CLASSES: &[fn(&mut KernelRandom, bool) -> Generated] = &[
    barriers,
    flags,
    scopes,
    counters,
    bytes,
    sizes,
    waits,
    values,
    copies,
    products,
    shuffles,
    registers,
    rewrites,
    accumulators,
    sides,
    acquires,
    locks,
    heap,
    locals,
    tiles,
    pieces,
    slots,
    vectors,
];

const HEADER: &str = ".version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 data) {
.reg .pred %p<16>;
.reg .b16 %h<64>;
.reg .b32 %r<64>;
.reg .b64 %rd<32>;
.reg .f32 %f<32>;
.shared .align 128 .b8 s[4096];
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [data];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
shl.b32 %r5, %r1, 2;
mov.u32 %r6, s;
add.u32 %r7, %r6, %r5;
mul.wide.u32 %rd2, %r4, 4;
add.u64 %rd3, %rd1, %rd2;
";

/// The text of a kernel, one instruction per line.
pub struct KernelText(pub String);

impl KernelText {
    pub fn new() -> KernelText {
        KernelText(HEADER.to_owned())
    }

    pub fn add(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// Appends arithmetic without effect.
    pub fn noise(&mut self, random: &mut KernelRandom) {
        for _ in 0..random.below(4) {
            let (a, b) = (40 + random.below(6), 40 + random.below(6));
            let what = random.of(&["add.u32", "xor.b32", "mul.lo.u32", "max.u32"]);
            self.add(format!("mov.u32 %r{a}, {};", random.below(1000)));
            self.add(format!("mov.u32 %r{b}, %r1;"));
            self.add(format!("{what} %r46, %r{a}, %r{b};"));
        }
    }

    pub fn finish(
        mut self,
        name: &'static str,
        [blocks, threads]: [u32; 2],
        defect: Option<ReportKind>,
        repairable: bool,
    ) -> Generated {
        self.add("ret;\n}");
        Generated { name, text: self.0, blocks, threads, defect, repairable }
    }
}

/// Passes data through shared memory. Defect: a barrier is missing.
fn barriers(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let lanes = random.below(3) == 0;
    let threads = 64 * (1 + random.below(4));
    let barrier = if lanes { "bar.warp.sync 0xffffffff;" } else { "bar.sync 0;" };
    let partner = if lanes { 1 + random.below(31) } else { 32 + random.below(32) };
    let rounds = random.of(&[1, 1, 3]);
    // The missing barrier: the first one, or the one at the end of a loop.
    let missing = if defect { random.below(if rounds > 1 { 2 } else { 1 }) } else { 2 };
    body.add("mov.u32 %r20, 0;");
    body.add("L:");
    body.noise(random);
    body.add("add.u32 %r21, %r1, %r20;");
    body.add("st.shared.u32 [%r7], %r21;");
    body.noise(random);
    if missing != 0 {
        body.add(barrier);
    }
    body.add(format!("xor.b32 %r22, %r5, {};", 4 * partner));
    body.add("add.u32 %r23, %r6, %r22;");
    body.add("ld.shared.u32 %r24, [%r23];");
    body.add("st.global.u32 [%rd3], %r24;");
    body.noise(random);
    if missing != 1 {
        body.add(barrier);
    }
    body.add("add.u32 %r20, %r20, 1;");
    body.add(format!("setp.lt.u32 %p1, %r20, {rounds};"));
    body.add("@%p1 bra L;");
    // The loop's other barrier hides neither race; both have the same kind.
    body.finish("barriers", [1, threads], defect.then_some(ReportKind::Race), true)
}

/// A counter of all threads. Defect: a non-atomic update.
fn counters(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let at = 4 * random.below(64);
    body.noise(random);
    if defect {
        body.add(format!("ld.global.u32 %r30, [%rd1+{at}];"));
        body.add("add.u32 %r31, %r30, 1;");
        body.noise(random);
        body.add(format!("st.global.u32 [%rd1+{at}], %r31;"));
    } else {
        body.add(format!("red.global.add.u32 [%rd1+{at}], 1;"));
    }
    let shape = [1 + random.below(4), 32 * (2 + random.below(4))];
    body.finish("counters", shape, defect.then_some(ReportKind::Race), true)
}

/// Bulk copies of one phase. Defect: fewer bytes are announced than copied.
fn bytes(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let copies = 1 + random.below(3);
    let size = 16 * (1 + random.below(16));
    let lacking = if defect { 16 * (1 + random.below(copies * size / 16)) } else { 0 };
    let announced = copies * size - lacking;
    body.add("mov.u32 %r8, bar;");
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra READY;");
    body.add("mbarrier.init.shared.b64 [%r8], 1;");
    body.add("READY:");
    body.add("bar.sync 0;");
    body.add("@%p1 bra WAIT;");
    body.add(format!("mbarrier.arrive.expect_tx.shared.b64 _, [%r8], {announced};"));
    for copy in 0..copies {
        body.add(format!("add.u32 %r9, %r6, {};", copy * 1024));
        body.add(format!("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1], {size}, [%r8];"));
    }
    body.add("WAIT:");
    body.add("mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0;");
    body.add("@!%p2 bra WAIT;");
    body.add("ld.shared.u32 %r30, [%r6];");
    body.add("st.global.u32 [%rd3+1024], %r30;");
    body.finish("bytes", [1, 64], defect.then_some(ReportKind::AsyncOrder), true)
}

/// A matrix product. Defect: an accumulator was never written.
fn products(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let lost = random.below(4);
    for i in 0..4 {
        if !defect || i != lost {
            body.add(format!("mov.f32 %f{i}, 0f{:08x};", 0x3f80_0000 + i));
        }
    }
    body.noise(random);
    body.add("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r1, %r2}, {%r1}, {%f0, %f1, %f2, %f3};");
    let times = random.below(3);
    for _ in 0..times {
        body.add("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r1, %r2}, {%r1}, {%f4, %f5, %f6, %f7};");
    }
    for i in 0..4 {
        body.add(format!("st.global.f32 [%rd3+{}], %f{};", 512 * i, 4 + i));
    }
    body.finish("products", [1, 32], defect.then_some(ReportKind::Uninitialized), false)
}

/// A shuffle of a whole warp. Defect: only some lanes reach it, and the others wait at a barrier.
fn shuffles(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let limit = 33 + random.below(30);
    body.add(format!("setp.ge.u32 %p1, %r1, {limit};"));
    body.add("mov.u32 %r20, 0;");
    if defect {
        body.add("@%p1 bra JOIN;");
    }
    body.noise(random);
    body.add("mov.u32 %r20, %r1;");
    let mode = random.of(&["down", "bfly"]);
    for step in [16, 8, 4, 2, 1] {
        body.add(format!("shfl.sync.{mode}.b32 %r21, %r20, {step}, 31, 0xffffffff;"));
        body.add("add.u32 %r20, %r20, %r21;");
    }
    body.add("JOIN:");
    body.add("bar.sync 0;");
    body.add("st.global.u32 [%rd3], %r20;");
    body.finish("shuffles", [1, 64], defect.then_some(ReportKind::InactiveLane), false)
}

/// `setmaxnreg` of a warpgroup. Defect: not all of its warps execute it.
fn registers(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let groups = 1 + random.below(3);
    body.add("shr.u32 %r10, %r1, 5;");
    body.noise(random);
    let warps = match defect {
        true => 4 * random.below(groups) + 1 + random.below(3),
        false => 4 * (1 + random.below(groups)),
    };
    body.add(format!("setp.lt.u32 %p1, %r10, {warps};"));
    body.add("@!%p1 bra END;");
    body.add(format!("setmaxnreg.dec.sync.aligned.u32 {};", 24 + 8 * random.below(4)));
    body.add("END:");
    body.noise(random);
    let defect = defect.then_some(ReportKind::BarrierDivergence);
    body.finish("registers", [1, 128 * groups], defect, false)
}

/// The product of a warpgroup. Defect: its predicate adds accumulators that were never written.
fn accumulators(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let lost = random.below(4);
    body.add("mov.u32 %r20, 0x3c003c00;");
    body.add("mov.b16 %h1, 0x3c00;");
    body.add("shl.b32 %r10, %r1, 4;");
    body.add("add.u32 %r10, %r6, %r10;");
    body.add("st.shared.v4.u32 [%r10], {%r20, %r20, %r20, %r20};");
    body.add("shl.b32 %r11, %r1, 1;");
    body.add("add.u32 %r11, %r6, %r11;");
    body.add("st.shared.b16 [%r11+2048], %h1;");
    body.add("fence.proxy.async.shared::cta;");
    body.add("bar.sync 0;");
    body.noise(random);
    // The first product may ignore the accumulators.
    let ignores = random.below(2) == 0;
    for i in 0..4 {
        if !(ignores || defect && i == lost) {
            body.add(format!("mov.f32 %f{i}, 0f3f800000;"));
        }
    }
    body.add("shr.u32 %r12, %r6, 4;");
    body.add("cvt.u64.u32 %rd5, %r12;");
    body.add("or.b64 %rd7, %rd5, 68720001024;");
    body.add("add.u64 %rd8, %rd7, 128;");
    let first = u32::from(!ignores || defect);
    for adds in std::iter::once(first).chain((0..random.below(3)).map(|_| 1)) {
        body.add(format!("mov.u32 %r13, {adds};"));
        body.add("setp.ne.u32 %p2, %r13, 0;");
        body.add("wgmma.fence.sync.aligned;");
        body.add("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd7, %rd8, %p2, 1, 1, 0, 0;");
        body.add("wgmma.commit_group.sync.aligned;");
        body.add("wgmma.wait_group.sync.aligned 0;");
    }
    for i in 0..4 {
        body.add(format!("st.global.f32 [%rd3+{}], %f{i};", 512 * i));
    }
    body.finish("accumulators", [1, 128], defect.then_some(ReportKind::Uninitialized), false)
}

/// A barrier on one side of a branch. In a correct kernel the warp's other lanes exit; with the defect they continue
/// after the branch. Either side may come first.
fn sides(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let lanes = 1 + random.below(31);
    body.add("and.b32 %r10, %r1, 31;");
    body.add("mov.u32 %r11, 0;");
    body.add(format!("setp.lt.u32 %p1, %r10, {lanes};"));
    let mut barrier = KernelText(String::new());
    barrier.noise(random);
    barrier.add("bar.sync 0;");
    barrier.add("st.global.u32 [%rd3], %r11;");
    let mut other = KernelText(String::new());
    other.noise(random);
    other.add("st.global.u32 [%rd3+2048], %r10;");
    let (taken, fall) = if random.below(2) == 0 { (barrier, other) } else { (other, barrier) };
    body.add("@%p1 bra TAKEN;");
    body.0.push_str(&fall.0);
    body.add("bra END;");
    body.add("TAKEN:");
    body.0.push_str(&taken.0);
    body.add("END:");
    if defect {
        body.add("st.global.u32 [%rd3+1024], %r11;");
    }
    body.finish("sides", [1, 64], defect.then_some(ReportKind::BarrierDivergence), false)
}
