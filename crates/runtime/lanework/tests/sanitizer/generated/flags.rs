//! Classes of bugs in which threads pass data or signals through memory.

use super::KernelRandom;
use super::classes::{Generated, KernelText};
use lanework::ReportKind;

/// Passes data between blocks by a flag. Defect: the fence is missing or has too small a scope.
pub fn flags(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let fence = match (defect, random.below(2)) {
        (false, _) => Some("fence.acq_rel.gpu;"),
        (true, 0) => None,
        (true, _) => Some("fence.acq_rel.cta;"),
    };
    let fence_after = match (defect, random.below(3)) {
        (true, 0) => "",
        (true, 1) => "fence.acq_rel.cta;",
        _ => "fence.acq_rel.gpu;",
    };
    let at = 4 * (1 + random.below(100));
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra END;");
    body.add("setp.ne.u32 %p2, %r2, 0;");
    body.add("@%p2 bra READ;");
    body.noise(random);
    body.add(format!("st.global.u32 [%rd1+{at}], 7;"));
    body.noise(random);
    if let Some(fence) = fence {
        body.add(fence);
    }
    body.add(random.of(&[
        "st.relaxed.gpu.global.u32 [%rd1], 1;",
        "st.volatile.global.u32 [%rd1], 1;",
        "red.relaxed.gpu.global.add.u32 [%rd1], 1;",
        "atom.relaxed.gpu.global.exch.b32 %r30, [%rd1], 1;",
    ]));
    body.add("bra END;");
    body.add("READ:");
    body.add(random.of(&[
        "ld.relaxed.gpu.global.u32 %r31, [%rd1];",
        "ld.volatile.global.u32 %r31, [%rd1];",
        "atom.relaxed.gpu.global.add.u32 %r31, [%rd1], 0;",
    ]));
    body.add("setp.eq.u32 %p3, %r31, 0;");
    body.add("@%p3 bra READ;");
    body.add(fence_after);
    body.add(format!("ld.global.u32 %r32, [%rd1+{at}];"));
    body.add("st.global.u32 [%rd1+2048], %r32;");
    body.add("END:");
    body.finish("flags", [2, 32], defect.then_some(ReportKind::Race), true)
}

/// Atomics of all blocks. Defect: block scope.
pub fn scopes(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let scope = if defect { "cta" } else { "gpu" };
    let what = random.of(&["add.u32", "max.u32", "or.b32", "exch.b32"]);
    let at = 4 * random.below(64);
    body.noise(random);
    body.add(format!("atom.relaxed.{scope}.global.{what} %r30, [%rd1+{at}], %r4;"));
    body.noise(random);
    let blocks = 2 + random.below(6);
    body.finish("scopes", [blocks, 64], defect.then_some(ReportKind::Race), true)
}

/// Strong accesses of two blocks to one word. Defect: different sizes.
pub fn sizes(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let order = random.of(&["volatile", "relaxed.gpu"]);
    let wide = random.below(2) == 0;
    let (read, write) = match (defect, wide) {
        (true, true) => ("u64", "u32"),
        (true, false) => ("u32", "u64"),
        (false, true) => ("u64", "u64"),
        (false, false) => ("u32", "u32"),
    };
    let register = |ty| if ty == "u64" { "%rd9" } else { "%r9" };
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra END;");
    body.add("setp.ne.u32 %p2, %r2, 0;");
    body.add("@%p2 bra READ;");
    body.noise(random);
    body.add("mov.u32 %r9, 5;");
    body.add("mov.u64 %rd9, 5;");
    body.add(format!("st.{order}.global.{write} [%rd1], {};", register(write)));
    body.add("bra END;");
    body.add("READ:");
    body.add(format!("ld.{order}.global.{read} {}, [%rd1];", register(read)));
    body.add(format!("setp.eq.{read} %p3, {}, 0;", register(read)));
    body.add("@%p3 bra READ;");
    body.add("END:");
    body.finish("sizes", [2, 32], defect.then_some(ReportKind::Race), false)
}

/// A wait for a flag in shared memory, in a loop that counts or reads the clock. Defect: no thread sets the flag.
pub fn waits(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    body.add("mov.u32 %r20, 0;");
    body.add("mov.u32 %r21, 8;");
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra MADE;");
    body.add("st.volatile.shared.u32 [%r6], 0;");
    body.add("MADE:");
    body.add("bar.sync 0;");
    body.add("setp.ge.u32 %p2, %r1, 32;");
    body.add("@%p2 bra SET;");
    body.add("mov.u64 %rd20, %clock64;");
    body.add("WAIT:");
    match random.below(4) {
        0 => body.add("add.u32 %r20, %r20, 3;"),
        1 => {
            body.add("mov.u64 %rd21, %clock64;");
            body.add("sub.u64 %rd22, %rd21, %rd20;");
            body.add("setp.gt.u64 %p5, %rd22, 1152921504606846976;");
            body.add("@%p5 bra END;");
        }
        2 => {
            body.add("shl.b32 %r21, %r21, 1;");
            body.add("min.u32 %r21, %r21, 256;");
            body.add("nanosleep.u32 %r21;");
        }
        _ => body.noise(random),
    }
    body.add("ld.volatile.shared.u32 %r30, [%r6];");
    body.add("setp.eq.u32 %p3, %r30, 0;");
    body.add("@%p3 bra WAIT;");
    body.add("bra END;");
    body.add("SET:");
    if !defect {
        let rounds = 1 + random.below(30_000);
        body.add("mov.u32 %r25, 0;");
        body.add("WORK:");
        body.add("add.u32 %r25, %r25, 1;");
        body.add(format!("setp.lt.u32 %p6, %r25, {rounds};"));
        body.add("@%p6 bra WORK;");
        body.add("st.volatile.shared.u32 [%r6], 1;");
    }
    body.add("END:");
    body.add("st.global.u32 [%rd3], %r20;");
    body.finish("waits", [1, 64], defect.then_some(ReportKind::Deadlock), false)
}

/// Data passed between blocks by a flag that one thread reads for its block: it reads the flag without an
/// acquire, or its fence is too narrow.
pub fn acquires(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let at = 4 * (64 + random.below(100));
    body.add("mul.wide.u32 %rd5, %r1, 4;");
    body.add("add.u64 %rd6, %rd1, %rd5;");
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("setp.ne.u32 %p2, %r2, 0;");
    body.add("@%p2 bra READ;");
    body.noise(random);
    body.add(format!("st.global.u32 [%rd6+{at}], 7;"));
    body.add("bar.sync 0;");
    body.add("@%p1 bra END;");
    match random.below(3) {
        0 => body.add("st.release.gpu.global.u32 [%rd1], 1;"),
        1 => body.add("red.release.gpu.global.add.u32 [%rd1], 1;"),
        _ => {
            body.add("fence.acq_rel.gpu;");
            body.add("st.volatile.global.u32 [%rd1], 1;");
        }
    }
    body.add("bra END;");
    body.add("READ:");
    // One thread reads the flag, or all do.
    let alone = random.below(2) == 0;
    if alone {
        body.add("@%p1 bra SEEN;");
    }
    let (reads, fence) = match random.below(6) {
        0 if !defect => ("ld.acquire.gpu.global.u32 %r31, [%rd1];", ""),
        1 if !defect => ("atom.acq_rel.gpu.global.add.u32 %r31, [%rd1], 0;", ""),
        0 | 1 => ("ld.relaxed.gpu.global.u32 %r31, [%rd1];", "fence.acq_rel.gpu;"),
        2 => ("ld.volatile.global.u32 %r31, [%rd1];", "membar.gl;"),
        3 => ("ld.relaxed.gpu.global.u32 %r31, [%rd1];", "fence.sc.gpu;"),
        4 => ("ld.volatile.global.u32 %r31, [%rd1];", "fence.acq_rel.sys;"),
        _ => ("atom.relaxed.gpu.global.or.b32 %r31, [%rd1], 0;", "fence.acq_rel.gpu;"),
    };
    let narrow = random.below(2) == 0;
    let fence = match defect {
        true if narrow => "fence.acq_rel.cta;",
        true => "",
        false => fence,
    };
    body.add("WAIT:");
    body.add(reads);
    body.add("setp.eq.u32 %p3, %r31, 0;");
    body.add("@%p3 bra WAIT;");
    if !fence.is_empty() {
        body.add(fence);
    }
    body.add("SEEN:");
    if alone {
        body.add("bar.sync 0;");
    }
    body.noise(random);
    body.add(format!("ld.global.u32 %r32, [%rd6+{at}];"));
    body.add("st.global.u32 [%rd6+2048], %r32;");
    body.add("END:");
    let threads = 32 * (1 + random.below(2));
    body.finish("acquires", [2, threads], defect.then_some(ReportKind::Race), true)
}

/// A lock around an update of plain words, taken by one thread of each block or by every lane. Defect: the fence after
/// it is taken, the one before it is released, or both are missing or too narrow.
pub fn locks(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let at = 4 * (1 + random.below(100));
    let lacking = if defect { 1 + random.below(3) } else { 0 };
    let narrow = random.below(2) == 0;
    let fence = |side: u32| match (lacking & side != 0, narrow) {
        (false, _) => "fence.acq_rel.gpu;",
        (true, false) => "",
        (true, true) => "fence.acq_rel.cta;",
    };
    if random.below(2) == 0 {
        body.add("setp.ne.u32 %p1, %r1, 0;");
        body.add("@%p1 bra END;");
    }
    body.add("mov.u32 %r20, 0;");
    body.add("AGAIN:");
    body.add(random.of(&[
        "atom.global.cas.b32 %r21, [%rd1], 0, 1;",
        "atom.relaxed.gpu.global.exch.b32 %r21, [%rd1], 1;",
        "atom.relaxed.gpu.global.or.b32 %r21, [%rd1], 1;",
    ]));
    body.add("setp.ne.u32 %p2, %r21, 0;");
    body.add("@%p2 bra NEXT;");
    body.add(fence(1));
    for word in 0..1 + random.below(3) {
        body.noise(random);
        body.add(format!("ld.global.u32 %r22, [%rd1+{}];", at + 4 * word));
        body.add("add.u32 %r22, %r22, %r2;");
        body.add(format!("st.global.u32 [%rd1+{}], %r22;", at + 4 * word));
    }
    body.add(fence(2));
    body.add(random.of(&[
        "atom.global.exch.b32 %r23, [%rd1], 0;",
        "st.relaxed.gpu.global.u32 [%rd1], 0;",
        "st.volatile.global.u32 [%rd1], 0;",
        "red.relaxed.gpu.global.and.b32 [%rd1], 0;",
    ]));
    body.add("mov.u32 %r20, 1;");
    body.add("NEXT:");
    body.add("setp.eq.u32 %p3, %r20, 0;");
    body.add("@%p3 bra AGAIN;");
    body.add("END:");
    let blocks = 2 + random.below(4);
    body.finish("locks", [blocks, 32], defect.then_some(ReportKind::Race), true)
}

/// A slot that one thread fills and another empties, each of which waits for the other's signal: two warps with shared
/// memory, or two blocks. Defect: the first does not wait until the slot is empty, or the second signals too early.
pub fn slots(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let shared = random.below(2) == 0;
    let scope = random.of(&["gpu", if shared { "cta" } else { "gpu" }]);
    let (space, base) = if shared { ("shared", "%r6") } else { ("global", "%rd1") };
    let (rounds, unrolled) = (2 + random.below(4), random.below(2) == 0);
    let kind = if defect { random.below(2) } else { 2 };
    let word = 4 * (2 + random.below(64));
    // The filling thread is the first or the second.
    let first = random.below(2) == 0;
    if shared {
        body.add("setp.lt.u32 %p1, %r1, 2;");
        body.add("@%p1 st.shared.u32 [%r7], 0;");
        body.add("bar.sync 0;");
    }
    body.add("and.b32 %r10, %r1, 31;");
    body.add("setp.ne.u32 %p1, %r10, 0;");
    body.add("@%p1 bra END;");
    body.add(if shared { "shr.u32 %r11, %r1, 5;" } else { "mov.u32 %r11, %r2;" });
    body.add(format!("setp.ne.u32 %p2, %r11, {};", u32::from(!first)));
    body.add("mov.u32 %r20, 1;");
    body.add("@%p2 bra EMPTY;");
    let [waits, signals] = match random.below(3) {
        0 => [
            format!("ld.acquire.{scope}.{space}.u32 %r21, [AT];"),
            format!("st.release.{scope}.{space}.u32 [AT], %r20;"),
        ],
        1 => [
            format!("ld.volatile.{space}.u32 %r21, [AT];\nfence.acq_rel.{scope};"),
            format!("fence.acq_rel.{scope};\nst.volatile.{space}.u32 [AT], %r20;"),
        ],
        _ => [
            format!("atom.acquire.{scope}.{space}.or.b32 %r21, [AT], 0;"),
            format!("atom.release.{scope}.{space}.exch.b32 %r22, [AT], %r20;"),
        ],
    };
    let at = |text: &str, offset: u32| text.replace("AT", &format!("{base}+{offset}"));
    let copies = if unrolled { rounds } else { 1 };
    let side = |body: &mut KernelText, fills: bool, random: &mut KernelRandom| {
        let name = if fills { "F" } else { "E" };
        if !unrolled {
            body.add(format!("{name}LOOP:"));
        }
        for copy in 0..copies {
            let wait = |body: &mut KernelText, offset: u32, least: &str| {
                body.add(format!("{name}WAIT{copy}:"));
                body.add(at(&waits, offset));
                body.add(format!("setp.lt.u32 %p3, %r21, {least};"));
                body.add(format!("@%p3 bra {name}WAIT{copy};"));
            };
            if fills {
                if kind != 0 {
                    body.add("sub.u32 %r23, %r20, 1;");
                    wait(body, 4, "%r23");
                }
                body.add(format!("st.{space}.u32 [{base}+{word}], %r20;"));
                body.noise(random);
                body.add(at(&signals, 0));
            } else {
                wait(body, 0, "%r20");
                if kind == 1 {
                    body.add(at(&signals, 4));
                }
                body.noise(random);
                body.add(format!("ld.{space}.u32 %r24, [{base}+{word}];"));
                if kind != 1 {
                    body.add(at(&signals, 4));
                }
            }
            body.add("add.u32 %r20, %r20, 1;");
        }
        if !unrolled {
            body.add(format!("setp.le.u32 %p4, %r20, {rounds};"));
            body.add(format!("@%p4 bra {name}LOOP;"));
        }
    };
    side(&mut body, true, random);
    body.add("bra END;");
    body.add("EMPTY:");
    side(&mut body, false, random);
    body.add("END:");
    let shape = if shared { [1, 64] } else { [2, 32] };
    body.finish("slots", shape, defect.then_some(ReportKind::Race), false)
}

/// Data and its flag in one vector store of a block; another block polls the flag, and reads the data. Defect: a store for each
/// word, without a fence between data and flag.
pub fn vectors(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let words = random.of(&[2, 4]);
    let flag = random.below(words);
    let data = (flag + 1 + random.below(words - 1)) % words;
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra END;");
    body.add("setp.ne.u32 %p2, %r2, 0;");
    body.add("@%p2 bra READ;");
    for word in 0..words {
        body.add(format!("mov.u32 %r1{word}, {};", 1 + word));
    }
    body.noise(random);
    let list = (0..words).map(|word| format!("%r1{word}")).collect::<Vec<_>>().join(", ");
    if defect {
        for word in (0..words).filter(|word| *word != flag).chain([flag]) {
            body.add(format!("st.volatile.global.u32 [%rd1+{}], %r1{word};", 4 * word));
        }
    } else {
        body.add(format!("st.volatile.global.v{words}.u32 [%rd1], {{{list}}};"));
    }
    body.add("bra END;");
    body.add("READ:");
    body.add(format!("ld.volatile.global.u32 %r31, [%rd1+{}];", 4 * flag));
    body.add("setp.eq.u32 %p3, %r31, 0;");
    body.add("@%p3 bra READ;");
    body.noise(random);
    body.add(format!("ld.volatile.global.u32 %r32, [%rd1+{}];", 4 * data));
    body.add("st.global.u32 [%rd1+2048], %r32;");
    body.add("END:");
    body.finish("vectors", [2, 32], defect.then_some(ReportKind::Race), false)
}
