//! Random kernels: compares the fast engine, with uniform and affine registers and fused operations, with
//! the plain one, in which every register has 32 lanes. All written words and all counters must agree.

use crate::common::{START, kernel, next, random_words, run};
use std::fmt::Write;

/// Random programs use registers `%r20` to `%r35` and `%rd20` to `%rd27`.
const WORDS: u32 = 16;

struct Program {
    text: String,
    state: u64,
    labels: u32,
    budget: u32,
}

impl Program {
    fn draw(&mut self, below: u32) -> u32 {
        next(&mut self.state) % below
    }

    fn word(&mut self) -> String {
        match self.draw(12) {
            0 => "%r3".to_owned(),
            1 => "%r4".to_owned(),
            2 => format!("{}", self.draw(70)),
            3 => format!("{}", next(&mut self.state) as i32),
            _ => format!("%r{}", 20 + self.draw(WORDS)),
        }
    }

    fn any(&mut self) -> String {
        format!("%r{}", 20 + self.draw(WORDS))
    }

    fn compute(&mut self) {
        const BINARY: [&str; 16] = [
            "add.s32",
            "sub.s32",
            "mul.lo.s32",
            "and.b32",
            "or.b32",
            "xor.b32",
            "min.s32",
            "max.u32",
            "shl.b32",
            "shr.u32",
            "shr.s32",
            "div.u32",
            "rem.s32",
            "mul.hi.u32",
            "add.s32",
            "add.s32",
        ];
        let (d, a, b, c) = (self.any(), self.word(), self.word(), self.word());
        let p = self.draw(8);
        let line = match self.draw(14) {
            0 => format!("mad.lo.s32 {d}, {a}, {b}, {c};"),
            1 => format!("setp.lt.s32 %p{p}, {a}, {b};"),
            2 => format!("setp.ne.u32 %p{p}, {a}, {b};"),
            3 => format!("selp.b32 {d}, {a}, {b}, %p{p};"),
            4 => format!("mov.u32 {d}, {a};"),
            5 => format!("@%p{p} add.s32 {d}, {a}, {b};"),
            6 => {
                let (w, v) = (20 + self.draw(8), 20 + self.draw(8));
                let sign = if self.draw(2) == 0 { "s32" } else { "u32" };
                match self.draw(5) {
                    0 => format!("mul.wide.{sign} %rd{w}, {a}, {b};"),
                    1 => format!("add.s64 %rd{w}, %rd{v}, %rd{};", 20 + self.draw(8)),
                    2 => format!("cvt.s64.s32 %rd{w}, {};", self.any()),
                    3 => format!("mad.wide.u32 %rd{w}, {a}, {b}, %rd{v};"),
                    _ => format!("cvt.u32.u64 {d}, %rd{v};"),
                }
            }
            7 => {
                // A load from a random place in the input.
                let i = self.any();
                format!(
                    "and.b32 %r60, {i}, 255; mul.wide.u32 %rd60, %r60, 4; add.s64 %rd61, %rd1, %rd60; ld.global.u32 {d}, [%rd61];"
                )
            }
            8 => {
                // A load with a fixed access pattern of the lanes.
                let step = [0, 4, 8, 12, 128][self.draw(5) as usize];
                let by = self.draw(4) * 4;
                format!(
                    "and.b32 %r60, %r3, 15; mul.lo.u32 %r61, %r60, {step}; and.b32 %r61, %r61, 511; cvt.u64.u32 %rd60, %r61; add.s64 %rd61, %rd1, %rd60; ld.global.u32 {d}, [%rd61+{by}];"
                )
            }
            9 => format!(
                "shl.b32 %r62, %r3, 2; add.s32 %r62, %r62, {}; st.shared.u32 [%r62], {a}; ld.shared.u32 {d}, [%r62];",
                self.draw(64) * 4
            ),
            _ => {
                let op = BINARY[self.draw(16) as usize];
                format!("{op} {d}, {a}, {b};")
            }
        };
        let _ = writeln!(self.text, "    {line}");
    }

    fn block(&mut self, depth: u32) {
        let statements = 2 + self.draw(5);
        for _ in 0..statements {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let kind = if depth < 4 { self.draw(10) } else { 9 };
            match kind {
                0 | 1 => self.branch(depth),
                2 => self.repeat(depth),
                _ => self.compute(),
            }
        }
    }

    fn branch(&mut self, depth: u32) {
        self.labels += 1;
        let (label, p) = (self.labels, self.draw(8));
        let not = if self.draw(2) == 0 { "!" } else { "" };
        let _ = writeln!(self.text, "    @{not}%p{p} bra ELSE{label};");
        self.block(depth + 1);
        if self.draw(8) == 0 {
            let q = self.draw(8);
            let _ = writeln!(self.text, "    @%p{q} bra FINISH;");
        }
        let _ = writeln!(self.text, "    bra.uni END{label};\nELSE{label}:");
        if self.draw(2) == 0 {
            self.block(depth + 1);
        }
        let _ = writeln!(self.text, "END{label}:");
    }

    /// Writes a loop whose trip count may differ between lanes; some loops exit early.
    fn repeat(&mut self, depth: u32) {
        self.labels += 1;
        let (label, count) = (self.labels, 40 + depth);
        let bound = match self.draw(3) {
            0 => format!("mov.u32 %r{}, {};", count + 10, 1 + self.draw(6)),
            1 => format!("and.b32 %r{}, %r3, {};", count + 10, 1 + self.draw(6)),
            _ => format!("and.b32 %r{}, {}, 5;", count + 10, self.any()),
        };
        let _ = writeln!(self.text, "    {bound}\n    mov.u32 %r{count}, 0;\nLOOP{label}:");
        self.block(depth + 1);
        if self.draw(2) == 0 {
            let p = self.draw(8);
            let _ = writeln!(self.text, "    @%p{p} bra BREAK{label};");
        }
        let _ = writeln!(self.text, "    add.s32 %r{count}, %r{count}, 1;");
        let _ =
            writeln!(self.text, "    setp.lt.u32 %p{}, %r{count}, %r{};", 20 + depth, count + 10);
        let _ = writeln!(self.text, "    @%p{} bra LOOP{label};\nBREAK{label}:", 20 + depth);
    }
}

fn program(seed: u64) -> String {
    let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut program = Program { text: String::new(), state, labels: 0, budget: 60 };
    for r in 0..WORDS {
        let from = match r % 4 {
            0 => format!("mov.u32 %r{}, {r};", 20 + r),
            1 => format!("add.u32 %r{}, %r3, {r};", 20 + r),
            2 => format!("ld.global.u32 %r{}, [%rd4+{}];", 20 + r, r),
            _ => format!("mad.lo.u32 %r{}, %r4, 3, %r1;", 20 + r),
        };
        let from = from
            .replace("+2]", "]")
            .replace("+6]", "+4]")
            .replace("+10]", "+8]")
            .replace("+14]", "+12]");
        let _ = writeln!(program.text, "    {from}");
    }
    for r in 0..8 {
        let _ = writeln!(program.text, "    mul.wide.u32 %rd{}, %r{}, 4;", 20 + r, 20 + r);
        let _ = writeln!(program.text, "    setp.lt.u32 %p{r}, %r{}, {};", 20 + 2 * r, 8 + 5 * r);
    }
    program.block(0);
    let _ = writeln!(
        program.text,
        "FINISH:\n    mul.lo.u32 %r70, %r1, 96; cvt.u64.u32 %rd70, %r70; add.s64 %rd71, %rd2, %rd70;"
    );
    for r in 0..WORDS {
        let _ = writeln!(program.text, "    st.global.u32 [%rd71+{}], %r{};", 4 * r, 20 + r);
    }
    for r in 0..4 {
        let _ = writeln!(program.text, "    st.global.u64 [%rd71+{}], %rd{};", 64 + 8 * r, 20 + r);
    }
    let dynamic = ".extern .shared .align 16 .b8 dynamic[];\n.visible .entry";
    kernel(&format!("{START}{}    ret;", program.text)).replacen(".visible .entry", dynamic, 1)
}

#[test]
fn random_kernels_agree_with_the_plain_engine() {
    let count: u64 =
        std::env::var("LANEWORK_DIFFERENTIAL").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let shapes = [
        [32, 1, 1],
        [64, 1, 1],
        [16, 4, 1],
        [8, 8, 1],
        [33, 1, 1],
        [32, 2, 1],
        [4, 4, 4],
        [1, 40, 1],
    ];
    let mut faults = 0;
    for seed in 0..count {
        let text = program(seed);
        let shape = shapes[seed as usize % shapes.len()];
        let threads: u32 = shape.iter().product::<u32>() * 2;
        let input = random_words(1024, seed);
        // In a two-dimensional block, threads with the same `%tid.x` share words.
        let words = threads as usize * 24;
        let fast = run(&text, false, [2, 1, 1], shape, &input, words);
        let plain = run(&text, true, [2, 1, 1], shape, &input, words);
        match (fast, plain) {
            (Ok(fast), Ok(plain)) => {
                if let Some(i) = (0..words).find(|i| fast.words[*i] != plain.words[*i]) {
                    panic!(
                        "seed {seed}, word {i}: {:#x} is not {:#x}\n{text}",
                        fast.words[i], plain.words[i]
                    );
                }
                assert_eq!(fast.outcome, plain.outcome, "seed {seed}\n{text}");
                assert_eq!(fast.counters, plain.counters, "seed {seed}\n{text}");
            }
            (Err(fast), Err(plain)) => {
                assert_eq!(fast, plain, "seed {seed}\n{text}");
                faults += 1;
            }
            (fast, plain) => panic!(
                "seed {seed}: {:?} against {:?}\n{text}",
                fast.map(|r| r.outcome),
                plain.map(|r| r.outcome)
            ),
        }
    }
    assert!(faults * 4 < count, "{faults} of {count} kernels fault: the test has lost its bite");
}
