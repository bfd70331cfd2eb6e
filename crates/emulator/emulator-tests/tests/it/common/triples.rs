//! Compares one instruction with the host's result on triples of words, for varying, uniform and
//! affine operands.

use super::{START, kernel, random_words, run};

/// Number of threads.
pub const LANES: usize = 256;

/// Runs `text` on triples of words in `%r10`, `%r11` and `%r12`, and compares its result in `%r20` with
/// `expected`.
pub fn check(name: &str, text: &str, expected: impl Fn(u32, u32, u32) -> u32) {
    let body = |b: &str| {
        kernel(&format!(
            "{START}
            mul.wide.u32 %rd10, %r1, 12; add.s64 %rd11, %rd1, %rd10;
            ld.global.u32 %r10, [%rd11]; ld.global.u32 %r11, [%rd11+4]; ld.global.u32 %r12, [%rd11+8];
            {b} {text} st.global.u32 [%rd5], %r20; ret;"
        ))
    };
    let words = random_words(LANES * 3, name.len() as u64 * 7 + 1);
    for all_varying in [false, true] {
        let got = run(&body(""), all_varying, [2, 1, 1], [128, 1, 1], &words, LANES);
        let got = got.unwrap_or_else(|f| panic!("{name}: {f}")).words;
        for i in 0..LANES {
            let [a, b, c] = [words[3 * i], words[3 * i + 1], words[3 * i + 2]];
            let want = expected(a, b, c);
            assert_eq!(
                got[i], want,
                "{name}({a:#x}, {b:#x}, {c:#x}) = {:#x}, not {want:#x}",
                got[i]
            );
        }
        // Uniform first operand, affine second.
        let forms = "ld.global.u32 %r10, [%rd1+16]; mad.lo.s32 %r11, %r3, 3, 5; mov.u32 %r12, 7;";
        let got = run(&body(forms), all_varying, [2, 1, 1], [128, 1, 1], &words, LANES)
            .expect(name)
            .words;
        for (i, got) in got.iter().enumerate() {
            let (a, b) = (words[4], (i as u32 % 128) * 3 + 5);
            assert_eq!(*got, expected(a, b, 7), "{name} of a uniform {a:#x} and an affine {b:#x}");
        }
        let scalar =
            "ld.global.u32 %r10, [%rd1+16]; mov.u32 %r11, %ntid.x; mov.u32 %r12, %ctaid.x;";
        let got = run(&body(scalar), all_varying, [2, 1, 1], [128, 1, 1], &words, LANES)
            .expect(name)
            .words;
        for (i, got) in got.iter().enumerate() {
            assert_eq!(*got, expected(words[4], 128, i as u32 / 128), "{name} of uniform operands");
        }
    }
}
