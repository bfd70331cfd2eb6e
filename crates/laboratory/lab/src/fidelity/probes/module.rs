//! The PTX module of all probes.

use super::instructions::{MORE, PROBES, Space};
use std::fmt::Write;

/// Number of repetitions of a probe's instruction.
const REPEATS: u32 = 64;
/// The same if the addresses repeat after two: ptxas removes further loads, which it knows to have no effect.
const REPEATS_ALIKE: u32 = 2;

/// The memory of a probe, and how its address is computed and advanced.
struct Placing {
    pool: &'static str,
    base: String,
    moves: String,
    address: &'static str,
}

impl Space {
    fn placing(self) -> Placing {
        let pool = ".shared .align 16 .b8 pool[32768];";
        let base = "mov.u32 %r9, pool; add.u32 %r10, %r9, %r1; cvt.u64.u32 %rd4, %r10;";
        let moves = "add.u32 %r11, %r10, %r13;";
        let from = ("add.u64 %rd5, %rd2, %rd3;", "add.u64 %rd7, %rd5, %rd6;");
        let placing = |pool, base: &str, moves: &str, address| {
            let (base, moves) = (base.to_owned(), moves.to_owned());
            Placing { pool, base, moves, address }
        };
        match self {
            Space::Shared => placing(pool, base, moves, "%r11"),
            Space::Global => placing("", from.0, from.1, "%rd7"),
            Space::Both => {
                placing(pool, &format!("{base} {}", from.0), &format!("{moves} {}", from.1), "%r11")
            }
            Space::Generic => {
                let base = format!("{base} cvta.shared.u64 %rd5, %rd4;");
                placing(pool, &base, from.1, "%rd7")
            }
            Space::Local => placing(
                ".local .align 16 .b8 frame[1024];",
                // A word of the frame at an address unknown to the compiler is written first, and read after stores,
                // so that the compiler keeps every access.
                "mov.u32 %r9, frame; add.u32 %r10, %r9, %r1; shl.b32 %r15, %r2, 2;
    add.u32 %r15, %r15, %r9; st.local.u32 [%r15], %r2;",
                "shr.u32 %r14, %r13, 5; add.u32 %r11, %r10, %r14;",
                "%r11",
            ),
        }
    }
}

/// The module of all probes. Each entry takes the 32 offsets, a buffer of 32 KB, and an output of 32
/// words. The address moves by 16 KB (in local memory 512 bytes) from one repetition to the next and
/// back, which changes neither bank nor place in a sector, so that no compiler can take the access out
/// of the loop.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_90\n.address_size 64\n");
    for probe in PROBES.iter().chain(MORE) {
        let repeats = if probe.repeats_alike { REPEATS_ALIKE } else { REPEATS };
        let Placing { pool, base, moves, address } = probe.space.placing();
        let mut instruction = probe.text.replace("[%]", "[%rd7]").replace('@', address);
        for word in 0..4 {
            instruction = instruction.replace(&format!("#{word}"), &format!("%r2{word}"));
            instruction = instruction.replace(&format!("${word}"), &format!("%rd2{word}"));
            instruction = instruction.replace(&format!("!{word}"), &format!("%rs{word}"));
        }
        let wait = match probe.space {
            Space::Both => "cp.async.wait_all;",
            _ => "",
        };
        let last = match probe.space {
            Space::Local if probe.text.starts_with("st") => {
                "ld.local.u32 %r26, [%r15]; xor.b32 %r4, %r4, %r26;"
            }
            _ => "",
        };
        let _ = write!(
            text,
            "
.visible .entry {}(.param .u64 offsets, .param .u64 data, .param .u64 out)
{{
    .reg .b16 %rs<4>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<4>;
    {pool}
    ld.param.u64 %rd1, [offsets]; ld.param.u64 %rd2, [data]; ld.param.u64 %rd10, [out];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd8, %r2, 4;
    add.u64 %rd1, %rd1, %rd8; add.u64 %rd10, %rd10, %rd8;
    ld.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r1, 0xffffffff;
    @%p1 bra DONE;
    cvt.u64.u32 %rd3, %r1;
    {base}
    mov.u32 %r20, %r2; add.u32 %r21, %r2, 1; add.u32 %r22, %r2, 2; mov.u32 %r23, 3;
    cvt.u64.u32 %rd20, %r2; cvt.u64.u32 %rd21, %r21; cvt.u64.u32 %rd22, %r22;
    cvt.u16.u32 %rs0, %r2; cvt.u16.u32 %rs1, %r21; cvt.u16.u32 %rs2, %r22; mov.u16 %rs3, 3;
    mov.u32 %r3, 0; mov.u32 %r4, 0;
AGAIN:
    and.b32 %r12, %r3, 1; shl.b32 %r13, %r12, 14; cvt.u64.u32 %rd6, %r13;
    {moves}
    {instruction};
    {wait}
    xor.b64 %rd30, %rd20, %rd21; shr.u64 %rd31, %rd30, 32; xor.b64 %rd30, %rd30, %rd31;
    cvt.u32.u64 %r24, %rd30;
    xor.b32 %r4, %r4, %r20; xor.b32 %r4, %r4, %r21; xor.b32 %r4, %r4, %r22; xor.b32 %r4, %r4, %r23;
    xor.b16 %rs0, %rs0, %rs1; xor.b16 %rs0, %rs0, %rs2; xor.b16 %rs0, %rs0, %rs3;
    cvt.u32.u16 %r25, %rs0;
    xor.b32 %r4, %r4, %r24; xor.b32 %r4, %r4, %r25;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, {repeats};
    @%p2 bra AGAIN;
    {last}
    st.global.u32 [%rd10], %r4;
DONE:
    ret;
}}
",
            probe.name
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_parses_and_the_emulator_runs_all_of_it() {
        let module = lanework::Device::emulator().load_ptx(&module()).expect("the probes load");
        assert!(module.refused().is_empty(), "{:?}", module.refused());
    }
}
