//! The access patterns of the probes, and the PTX module of all probes.

use super::{MORE, PROBES, Probe, Space};
use std::fmt::Write;

/// An offset that disables its lane.
pub const OUT: u32 = u32::MAX;

/// The offsets that the lanes of a warp access.
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// Bytes from the start of memory, or [`OUT`].
    pub offsets: [u32; 32],
}

impl Pattern {
    /// The offsets from elements of `probe` by lane.
    fn new(probe: &Probe, name: String, element: &dyn Fn(u32) -> u32) -> Pattern {
        let reach = if probe.space == Space::Local { REACH_OF_LOCAL } else { REACH };
        let offsets = std::array::from_fn(|lane| match element(lane as u32) {
            OUT => OUT,
            element => element.wrapping_mul(probe.bytes) % reach,
        });
        Pattern { name, offsets }
    }
}

/// Range of a pattern's offsets, in bytes.
const REACH: u32 = 16_384;

/// Range of offsets in local memory, in bytes.
const REACH_OF_LOCAL: u32 = 512;

/// The next number of a random sequence that is the same on every machine.
fn draw(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

/// The plain patterns of `probe`.
pub fn patterns(probe: &Probe) -> Vec<Pattern> {
    let mut found = Vec::new();
    let mut add = |name: String, offset: &dyn Fn(u32) -> u32| {
        found.push(Pattern::new(probe, name, offset));
    };
    for stride in [0, 1, 2, 3, 8, 32, 33] {
        add(format!("stride {stride}"), &|lane| lane * stride);
    }
    if !probe.whole_warp {
        add("half warp".to_owned(), &|lane| if lane < 16 { lane } else { OUT });
        add("even lanes".to_owned(), &|lane| if lane % 2 == 0 { lane } else { OUT });
    }
    add("pairs".to_owned(), &|lane| lane / 2);
    add("pairs apart".to_owned(), &|lane| lane & !2);
    add("halves alike".to_owned(), &|lane| lane & 15);
    for (seed, below) in [(1, 64), (2, 128), (3, 512)] {
        let mut state = seed * 77 + probe.bytes;
        let drawn: Vec<u32> = (0..32).map(|_| draw(&mut state) % below).collect();
        add(format!("random {below}"), &|lane| drawn[lane as usize]);
    }
    found
}

/// Disabled lanes.
type Mask = (&'static str, fn(u32) -> bool);
const MASKS: [Mask; 12] = [
    ("", |_| true),
    ("", |_| true),
    ("", |_| true),
    (", lane 5", |lane| lane == 5),
    (", lanes 16-31", |lane| lane >= 16),
    (", odd lanes", |lane| lane % 2 == 1),
    (", every fourth lane", |lane| lane % 4 == 0),
    (", lanes 1-30", |lane| (1..31).contains(&lane)),
    (", lanes 8-15", |lane| lane / 8 == 1),
    (", lanes 4-19", |lane| (4..20).contains(&lane)),
    (", some lanes", |lane| 0x9e3b_51c7u32 >> lane & 1 == 1),
    (", few lanes", |lane| 0x0408_2111u32 >> lane & 1 == 1),
];

/// Elements by lane.
type Shape = (&'static str, fn(u32) -> u32);
const SHAPES: [Shape; 29] = [
    ("from 1", |lane| lane + 1),
    ("from 5", |lane| lane + 5),
    ("from 7, stride 2", |lane| 7 + 2 * lane),
    ("stride 4", |lane| 4 * lane),
    ("stride 5", |lane| 5 * lane),
    ("stride 6", |lane| 6 * lane),
    ("stride 7", |lane| 7 * lane),
    ("stride 9", |lane| 9 * lane),
    ("stride 12", |lane| 12 * lane),
    ("stride 16", |lane| 16 * lane),
    ("stride 17", |lane| 17 * lane),
    ("stride 31", |lane| 31 * lane),
    ("stride 65", |lane| 65 * lane),
    ("reversed", |lane| 31 - lane),
    ("fours", |lane| lane / 4),
    ("eights", |lane| lane / 8 * 3),
    ("four in turn", |lane| lane % 4),
    ("eight in turn, apart", |lane| lane % 8 * 9),
    ("columns of 8 rows", |lane| lane % 8 * 4 + lane / 8),
    ("columns of 8 rows, 36 apart", |lane| lane % 8 * 36 + lane / 8),
    ("4 rows of 8, 20 apart", |lane| lane / 8 * 20 + lane % 8),
    ("2 rows of 16, 33 apart", |lane| lane / 16 * 33 + lane % 16),
    ("crossed", |lane| lane ^ 5),
    ("swizzled column", |lane| lane * 32 + (lane ^ lane >> 2)),
    ("two alike, far apart", |lane| lane % 2 * 512),
    ("all but one alike", |lane| if lane == 9 { 40 } else { 3 }),
    ("pairs with the lane 16 on, scattered", |lane| lane % 16 * 77 % 97),
    ("squares", |lane| lane * lane),
    ("scattered", |lane| lane.wrapping_mul(0x9E37_79B1) >> 25),
];

/// A few of many patterns, different for each probe.
pub fn sweep(probe: &Probe, index: usize) -> Vec<Pattern> {
    let count = SHAPES.len() * MASKS.len();
    let all = (0..count).map(|k| (index * 61 + k * 37) % count);
    let fits = |at: &usize| !probe.whole_warp || MASKS[at % MASKS.len()].0.is_empty();
    let wanted = if probe.whole_warp { 6 } else { 8 };
    let drawn = all.filter(fits).take(wanted).map(|at| {
        let ((shape, element), (mask, active)) =
            (SHAPES[at / MASKS.len()], MASKS[at % MASKS.len()]);
        let element = |lane| if active(lane) { element(lane) } else { OUT };
        Pattern::new(probe, format!("{shape}{mask}"), &element)
    });
    let mut found: Vec<Pattern> = Vec::new();
    for pattern in drawn {
        if found.iter().all(|known| known.name != pattern.name) {
            found.push(pattern);
        }
    }
    let mut state = index as u32 * 977 + 5;
    let below = [8, 24, 64, 200, 1024][index % 5];
    let drawn: Vec<u32> = (0..32).map(|_| draw(&mut state) % below).collect();
    let some = draw(&mut state) << 8 | draw(&mut state);
    let kept = |lane: u32| probe.whole_warp || some >> lane & 1 == 1;
    found.push(Pattern::new(probe, format!("random {below}"), &|lane| drawn[lane as usize]));
    if !probe.whole_warp {
        let element = |lane: u32| if kept(lane) { drawn[lane as usize] / 2 } else { OUT };
        found.push(Pattern::new(probe, format!("random {}, some lanes", below / 2), &element));
    }
    found
}

/// Number of repetitions of a probe's instruction.
const REPEATS: u32 = 64;

/// Repetitions of an instruction whose addresses alternate between two: ptxas removes further loads, because they have
/// no effect.
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
    use super::super::{MORE, PROBES};
    use super::*;

    #[test]
    fn offsets_are_aligned_and_in_reach() {
        for (index, probe) in PROBES.iter().chain(MORE).enumerate() {
            for pattern in patterns(probe).into_iter().chain(sweep(probe, index)) {
                for offset in pattern.offsets.into_iter().filter(|&offset| offset != OUT) {
                    assert_eq!(offset % probe.bytes, 0, "{} {}", probe.name, pattern.name);
                    assert!(offset + probe.bytes <= REACH);
                }
                let all = pattern.offsets.iter().all(|&offset| offset != OUT);
                assert!(!probe.whole_warp || all, "{} {}", probe.name, pattern.name);
            }
        }
    }

    #[test]
    fn the_module_parses_and_the_emulator_runs_all_of_it() {
        let module = lanework::Device::emulator().load_ptx(&module()).expect("the probes load");
        assert!(module.refused().is_empty(), "{:?}", module.refused());
    }
}
