//! Classes of bugs in what memory holds: values, structures, the heap, local and reserved memory.

use super::KernelRandom;
use super::classes::{Generated, KernelText};
use lanework::ReportKind;

/// Two blocks write the same value. Defect: one of them writes another value first.
pub fn values(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let value = 1 + random.below(100);
    let order = random.of(&["relaxed.gpu.", "volatile."]);
    let plain_last = random.below(2) == 0;
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra END;");
    body.add("setp.ne.u32 %p2, %r2, 0;");
    body.add("@%p2 bra LAST;");
    body.noise(random);
    let first = if defect { value + 1 } else { value };
    let (one, other) = if plain_last { (order, "") } else { ("", order) };
    body.add(format!("st.{one}global.u32 [%rd1], {first};"));
    if !plain_last {
        body.add("bar.warp.sync 1;");
    }
    body.add("LAST:");
    body.add(format!("st.{other}global.u32 [%rd1], {value};"));
    body.add("END:");
    body.finish("values", [2, 32], defect.then_some(ReportKind::Race), false)
}

/// Two blocks leave the same value in a word. Defect: one of them writes another value there first.
pub fn rewrites(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let (value, word) = (1 + random.below(1000), 4 * random.below(64));
    let writer = random.below(2);
    body.add("setp.ne.u32 %p1, %r1, 0;");
    body.add("@%p1 bra END;");
    body.noise(random);
    body.add(format!("setp.ne.u32 %p2, %r2, {writer};"));
    body.add(format!("mov.u32 %r10, {};", value + 1 + random.below(9)));
    body.add(format!("mov.u32 %r11, {value};"));
    // A separate word if the kernel is correct.
    let first = if defect { word } else { 2048 + word };
    body.add(format!("@!%p2 st.global.u32 [%rd1+{first}], %r10;"));
    body.noise(random);
    if random.below(2) == 0 {
        body.add(format!("@!%p2 st.global.u32 [%rd1+{word}], %r11;"));
        body.add(format!("@%p2 st.global.u32 [%rd1+{word}], %r11;"));
    } else {
        body.add(format!("st.global.u32 [%rd1+{word}], %r11;"));
    }
    body.add("END:");
    body.finish("rewrites", [2, 32], defect.then_some(ReportKind::Race), false)
}

/// Copies structures with padding through shared memory. Defect: a field was never written, or the result uses padding.
pub fn copies(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let mut types: Vec<&str> = (0..4).map(|_| random.of(&["u32", "u16", "u8"])).collect();
    let padded = types.iter().position(|ty| *ty != "u32");
    let lost = random.below(4) as usize;
    // A structure aligned to 16 bytes may end with whole words of padding.
    let words = if random.below(3) == 0 { lost + 1 } else { 4 };
    types.truncate(words);
    let padded = padded.filter(|at| *at < words);
    let decides = defect && padded.is_some() && random.below(2) == 0;
    body.add("mov.u16 %h1, 5;");
    body.add("shl.b32 %r10, %r1, 4;");
    body.add("add.u32 %r11, %r6, %r10;");
    body.add("xor.b32 %r12, %r10, 16;");
    body.add("add.u32 %r13, %r6, %r12;");
    for (i, ty) in types.iter().enumerate() {
        let from = if *ty == "u32" { "%r1" } else { "%h1" };
        if !defect || decides || i != lost {
            body.add(format!("st.shared.{ty} [%r11+{}], {from};", 4 * i));
        }
    }
    body.noise(random);
    body.add("bar.sync 0;");
    if words < 4 || random.below(2) == 0 {
        body.add("ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r13];");
        body.add("st.shared.v4.u32 [%r11+2048], {%r20, %r21, %r22, %r23};");
    } else {
        for i in 0..4 {
            body.add(format!("ld.shared.u32 %r2{i}, [%r13+{}];", 4 * i));
        }
        for i in 0..4 {
            body.add(format!("st.shared.u32 [%r11+{}], %r2{i};", 2048 + 4 * i));
        }
    }
    body.add("mov.u32 %r30, 0;");
    for (i, ty) in types.iter().enumerate() {
        let ty = if decides && Some(i) == padded { "u32" } else { ty };
        let to = if ty == "u32" { "%r31" } else { "%h2" };
        body.add(format!("ld.shared.{ty} {to}, [%r11+{}];", 2048 + 4 * i));
        if ty != "u32" {
            body.add("cvt.u32.u16 %r31, %h2;");
        }
        body.add("add.u32 %r30, %r30, %r31;");
    }
    body.add("st.global.u32 [%rd3], %r30;");
    body.finish("copies", [1, 64], defect.then_some(ReportKind::Uninitialized), false)
}

/// Copies structures through shared memory by pieces of one, two and eight bytes, padding included. Defect: a field was
/// never written, or the result uses padding.
pub fn pieces(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    // Bytes of data in each aligned 8 bytes.
    let mut data: Vec<u32> = (0..1 + random.below(3)).map(|_| random.of(&[1, 2, 8])).collect();
    let padded = random.below(data.len() as u32) as usize;
    data[padded] = data[padded].min(2);
    let lost = random.below(data.len() as u32) as usize;
    let decides = defect && random.below(2) == 0;
    let type_of = |bytes: u32| match bytes {
        1 => "u8",
        2 => "u16",
        _ => "u64",
    };
    body.add("mov.u16 %h1, 5;");
    body.add("mov.u64 %rd9, 7;");
    body.add("shl.b32 %r10, %r1, 5;");
    body.add("add.u32 %r11, %r6, %r10;");
    body.add("xor.b32 %r12, %r10, 32;");
    body.add("add.u32 %r13, %r6, %r12;");
    for (i, bytes) in data.iter().enumerate() {
        let from = if *bytes == 8 { "%rd9" } else { "%h1" };
        if !defect || decides || i != lost {
            body.add(format!("st.shared.{} [%r11+{}], {from};", type_of(*bytes), 8 * i));
        }
    }
    body.noise(random);
    body.add("bar.sync 0;");
    let mut next = 8;
    for (i, bytes) in data.iter().enumerate() {
        let word = 8 * i as u32;
        if *bytes == 8 {
            body.add(format!("ld.shared.u64 %rd2{i}, [%r13+{word}];"));
            body.add(format!("st.shared.u64 [%r11+{}], %rd2{i};", 2048 + word));
            continue;
        }
        let ty = type_of(*bytes);
        body.add(format!("ld.shared.{ty} %h{next}, [%r13+{word}];"));
        body.add(format!("st.shared.{ty} [%r11+{}], %h{next};", 2048 + word));
        next += 1;
        let mut at = *bytes;
        while at < 8 {
            let pair = at % 2 == 0 && random.below(4) > 0;
            let (one, other) = (next, next + 1);
            let (ty, list) = match pair {
                true => ("v2.u8", format!("{{%h{one}, %h{other}}}")),
                false => ("u8", format!("%h{one}")),
            };
            body.add(format!("ld.shared.{ty} {list}, [%r13+{}];", word + at));
            body.add(format!("st.shared.{ty} [%r11+{}], {list};", 2048 + word + at));
            let taken = 1 + u32::from(pair);
            (at, next) = (at + taken, next + taken);
        }
    }
    body.add("mov.u32 %r30, 0;");
    let used = data.iter().enumerate().map(|(i, bytes)| (8 * i as u32, *bytes));
    let padding = (8 * padded as u32 + data[padded] + random.below(8 - data[padded]), 1);
    for (at, bytes) in used.chain(decides.then_some(padding)) {
        let to = if bytes == 8 { "%rd8" } else { "%h2" };
        body.add(format!("ld.shared.{} {to}, [%r11+{}];", type_of(bytes), 2048 + at));
        body.add(if bytes == 8 { "cvt.u32.u64 %r31, %rd8;" } else { "cvt.u32.u16 %r31, %h2;" });
        body.add("add.u32 %r30, %r30, %r31;");
    }
    body.add("st.global.u32 [%rd3], %r30;");
    body.finish("pieces", [1, 64], defect.then_some(ReportKind::Uninitialized), false)
}

/// Blocks of the device heap, which later calls return again. Defect: an access past a block, a
/// read of a word that was never written, an access after `free`, or a second `free`.
pub fn heap(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    body.0 = format!(
        ".version 8.3\n.target sm_90a\n.address_size 64\n.extern .func (.param .b64 r) malloc (.param .b64 n);\n\
         .extern .func free (.param .b64 p);\n{}",
        body.0.split_once(".address_size 64\n").expect("a header").1
    );
    let words = 4 * (1 + random.below(16));
    let rounds = 1 + random.below(3);
    let kind = if defect { random.below(4) } else { 4 };
    let lost = random.below(words);
    body.add("mov.u32 %r20, 0;");
    body.add("L:");
    body.add(format!("{{ .param .b64 n; st.param.b64 [n], {};", 4 * words));
    body.add(".param .b64 r; call.uni (r), malloc, (n);");
    body.add("ld.param.b64 %rd10, [r]; }");
    body.add("mov.u32 %r21, 0;");
    body.add("W:");
    body.add("mul.wide.u32 %rd11, %r21, 4;");
    body.add("add.u64 %rd11, %rd10, %rd11;");
    if kind == 0 {
        body.add(format!("setp.ne.u32 %p1, %r21, {lost};"));
        body.add("@%p1 st.u32 [%rd11], %r4;");
    } else {
        body.add("st.u32 [%rd11], %r4;");
    }
    body.add("add.u32 %r21, %r21, 1;");
    body.add(format!("setp.lt.u32 %p2, %r21, {words};"));
    body.add("@%p2 bra W;");
    body.noise(random);
    let read = match kind {
        0 => lost,
        1 => words,
        _ => random.below(words),
    };
    if kind != 2 {
        body.add(format!("ld.u32 %r22, [%rd10+{}];", 4 * read));
    }
    let free = "{ .param .b64 p; st.param.b64 [p], %rd10; call.uni free, (p); }";
    body.add(free);
    match kind {
        2 => body.add(format!("ld.u32 %r22, [%rd10+{}];", 4 * read)),
        3 => body.add(free),
        _ => {}
    }
    body.add("st.global.u32 [%rd3], %r22;");
    body.add("add.u32 %r20, %r20, 1;");
    body.add(format!("setp.lt.u32 %p3, %r20, {rounds};"));
    body.add("@%p3 bra L;");
    let found = [
        ReportKind::Uninitialized,
        ReportKind::OutOfBounds,
        ReportKind::UseAfterFree,
        ReportKind::UseAfterFree,
    ];
    let found = found.get(kind as usize).copied();
    body.finish("heap", [1 + random.below(3), 32 * (1 + random.below(2))], found, false)
}

/// An array in local memory, by local or generic addresses. Defect: an index past its end, or a word that was never
/// written.
pub fn locals(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let words = 3 + random.below(30);
    let generic = random.below(2) == 0;
    let overrun = defect && random.below(2) == 0;
    let lost = if defect && !overrun { random.below(words) } else { words };
    let space = if generic { "" } else { ".local" };
    body.add(format!(".local .align 4 .b8 depot[{}];", 4 * words));
    body.add("mov.u64 %rd10, depot;");
    if generic {
        body.add("cvta.local.u64 %rd10, %rd10;");
    }
    for word in (0..words).filter(|word| *word != lost) {
        body.add(format!("st{space}.u32 [%rd10+{}], %r4;", 4 * word));
    }
    body.noise(random);
    // Every word is read by some lane: there are more lanes than words.
    let limit = if overrun { words + 1 + random.below(4) } else { words };
    body.add(format!("rem.u32 %r20, %r1, {limit};"));
    body.add("mul.wide.u32 %rd11, %r20, 4;");
    body.add("add.u64 %rd11, %rd10, %rd11;");
    if overrun && random.below(2) == 0 {
        body.add(format!("st{space}.u32 [%rd11], %r4;"));
    } else {
        body.add(format!("ld{space}.u32 %r21, [%rd11];"));
        body.add("add.u32 %r21, %r21, 1;");
        body.add("st.global.u32 [%rd3], %r21;");
    }
    let kind = if overrun { ReportKind::OutOfBounds } else { ReportKind::Uninitialized };
    body.finish("locals", [1, 64], defect.then_some(kind), false)
}

/// Tiles of several warps, which cooperative groups synchronize by a word of the memory reserved for CUDA's libraries.
/// Defect: a barrier is missing, also at the end of a loop, or threads read the data of another tile.
pub fn tiles(random: &mut KernelRandom, defect: bool) -> Generated {
    let mut body = KernelText::new();
    let warps = random.of(&[2, 4]);
    let threads = 32 * warps * (2 + random.below(2));
    let rounds = 1 + random.below(3);
    // 0: another tile's data, 1: the barrier in the loop, 2: the one at its end, 3: nothing.
    let missing = if defect { random.below(if rounds > 1 { 3 } else { 2 }) } else { 3 };
    let partner = if missing == 0 { 32 * warps } else { 32 * (1 + random.below(warps - 1)) };
    body.add("mov.u32 %r10, %reserved_smem_offset_1;");
    body.add("shr.u32 %r11, %r1, 5;");
    body.add("and.b32 %r12, %r1, 31;");
    body.add("setp.ne.u32 %p1, %r12, 0;");
    body.add("mov.u32 %r13, 1;");
    body.add("shl.b32 %r13, %r13, %r11;");
    body.add("not.b32 %r14, %r13;");
    body.add("@!%p1 red.and.release.cta.shared.b32 [%r10], %r14;");
    body.add("barrier.sync 0;");
    body.add(format!("mov.u32 %r15, {};", (1u32 << warps) - 1));
    body.add(format!("and.b32 %r16, %r11, {};", !(warps - 1)));
    body.add("shl.b32 %r15, %r15, %r16;");
    let barrier = |body: &mut KernelText, name: &str| {
        body.add("bar.warp.sync 0xffffffff;");
        body.add(format!("@%p1 bra {name}END;"));
        body.add("atom.or.acq_rel.cta.shared.b32 %r20, [%r10], %r13;");
        body.add("or.b32 %r21, %r20, %r13;");
        body.add("and.b32 %r22, %r21, %r15;");
        body.add("setp.ne.u32 %p3, %r22, %r15;");
        body.add(format!("@%p3 bra {name}WAIT;"));
        body.add("not.b32 %r23, %r15;");
        body.add("red.and.relaxed.cta.shared.b32 [%r10], %r23;");
        body.add(format!("bra {name}END;"));
        body.add(format!("{name}WAIT:"));
        body.add("ld.acquire.cta.shared.u32 %r24, [%r10];");
        body.add("and.b32 %r25, %r24, %r13;");
        body.add("setp.ne.u32 %p4, %r25, 0;");
        body.add(format!("@%p4 bra {name}WAIT;"));
        body.add(format!("{name}END:"));
        body.add("bar.warp.sync 0xffffffff;");
    };
    body.add("mov.u32 %r30, 0;");
    body.add("L:");
    body.add("add.u32 %r31, %r1, %r30;");
    body.add("st.shared.u32 [%r7], %r31;");
    body.noise(random);
    if missing != 1 {
        barrier(&mut body, "A");
    }
    body.add(format!("add.u32 %r32, %r1, {partner};"));
    if missing != 0 {
        body.add(format!("xor.b32 %r32, %r1, {partner};"));
    }
    body.add("rem.u32 %r32, %r32, %r3;");
    body.add("shl.b32 %r32, %r32, 2;");
    body.add("add.u32 %r32, %r6, %r32;");
    body.add("ld.shared.u32 %r33, [%r32];");
    body.add("st.global.u32 [%rd3], %r33;");
    if missing != 2 {
        barrier(&mut body, "B");
    }
    body.add("add.u32 %r30, %r30, 1;");
    body.add(format!("setp.lt.u32 %p5, %r30, {rounds};"));
    body.add("@%p5 bra L;");
    body.finish("tiles", [1, threads], defect.then_some(ReportKind::Race), false)
}
