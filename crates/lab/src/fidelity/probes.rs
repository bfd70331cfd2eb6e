//! Probes: one warp that repeats one memory instruction on a pattern of addresses, so that what the
//! hardware counts for an access can be told from everything else.

use std::fmt::Write;

/// Times that a probe repeats its instruction.
const REPEATS: u32 = 64;
/// The same for loads of matrices: the addresses repeat after two, and ptxas, which knows that such a
/// load has no effect, makes no more.
const REPEATS_OF_LOADED_ROWS: u32 = 2;
/// An offset that keeps its lane out.
pub const OUT: u32 = u32::MAX;
/// Bytes of memory that the offsets of a pattern may reach.
const REACH: u32 = 16_384;

/// An instruction that is probed.
#[derive(Clone, Copy)]
pub struct Probe {
    /// The entry's name.
    pub name: &'static str,
    /// The instruction: `@` is the address, `#` the first of up to four words, `$` the same of 64
    /// bits.
    text: &'static str,
    /// Bytes that a lane accesses; offsets are multiples of it.
    pub bytes: u32,
    /// Where.
    space: Space,
    /// Lanes that give addresses: a matrix instruction needs them all.
    pub whole_warp: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Space {
    Shared,
    Global,
    Both,
}

const fn probe(name: &'static str, text: &'static str, bytes: u32, space: Space) -> Probe {
    Probe { name, text, bytes, space, whole_warp: false }
}

const fn rows(name: &'static str, text: &'static str) -> Probe {
    Probe { name, text, bytes: 16, space: Space::Shared, whole_warp: true }
}

/// Every instruction that is probed.
pub const PROBES: [Probe; 41] = [
    probe("shared_load_1", "ld.volatile.shared.u8 #0, [@]", 1, Space::Shared),
    probe("shared_load_2", "ld.volatile.shared.u16 #0, [@]", 2, Space::Shared),
    probe("shared_load_4", "ld.volatile.shared.u32 #0, [@]", 4, Space::Shared),
    probe("shared_load_v2", "ld.volatile.shared.v2.u32 {#0, #1}, [@]", 8, Space::Shared),
    probe("shared_load_v4", "ld.volatile.shared.v4.u32 {#0, #1, #2, #3}, [@]", 16, Space::Shared),
    probe("shared_store_1", "st.volatile.shared.u8 [@], #0", 1, Space::Shared),
    probe("shared_store_2", "st.volatile.shared.u16 [@], #0", 2, Space::Shared),
    probe("shared_store_4", "st.volatile.shared.u32 [@], #0", 4, Space::Shared),
    probe("shared_store_8", "st.volatile.shared.u64 [@], $0", 8, Space::Shared),
    probe("shared_store_v4", "st.volatile.shared.v4.u32 [@], {#0, #1, #2, #3}", 16, Space::Shared),
    rows("ldmatrix_x1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {#0}, [@]"),
    rows("ldmatrix_x2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {#0, #1}, [@]"),
    rows("ldmatrix_x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {#0, #1, #2, #3}, [@]"),
    rows(
        "ldmatrix_x4_trans",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {#0, #1, #2, #3}, [@]",
    ),
    rows("stmatrix_x1", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [@], {#0}"),
    rows("stmatrix_x2", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [@], {#0, #1}"),
    rows("stmatrix_x4", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [@], {#0, #1, #2, #3}"),
    probe("shared_atom_add_u32", "atom.shared.add.u32 #0, [@], #1", 4, Space::Shared),
    probe("shared_red_add_u32", "red.shared.add.u32 [@], #1", 4, Space::Shared),
    probe("shared_atom_max_s32", "atom.shared.max.s32 #0, [@], #1", 4, Space::Shared),
    probe("shared_atom_exch_b32", "atom.shared.exch.b32 #0, [@], #1", 4, Space::Shared),
    probe("shared_atom_cas_b32", "atom.shared.cas.b32 #0, [@], #1, #2", 4, Space::Shared),
    probe("shared_atom_cas_b64", "atom.shared.cas.b64 $0, [@], $1, $2", 8, Space::Shared),
    probe("shared_atom_add_f32", "atom.shared.add.f32 #0, [@], #1", 4, Space::Shared),
    probe("shared_atom_add_u64", "atom.shared.add.u64 $0, [@], $1", 8, Space::Shared),
    probe("global_load_1", "ld.volatile.global.u8 #0, [@]", 1, Space::Global),
    probe("global_load_2", "ld.volatile.global.u16 #0, [@]", 2, Space::Global),
    probe("global_load_4", "ld.volatile.global.u32 #0, [@]", 4, Space::Global),
    probe("global_load_v4", "ld.volatile.global.v4.u32 {#0, #1, #2, #3}, [@]", 16, Space::Global),
    probe("global_store_4", "st.volatile.global.u32 [@], #0", 4, Space::Global),
    probe("global_store_8", "st.volatile.global.u64 [@], $0", 8, Space::Global),
    probe("global_store_v4", "st.volatile.global.v4.u32 [@], {#0, #1, #2, #3}", 16, Space::Global),
    probe("global_atom_add_u32", "atom.global.add.u32 #0, [@], #1", 4, Space::Global),
    probe("global_red_add_u32", "red.global.add.u32 [@], #1", 4, Space::Global),
    probe("global_red_add_f32", "red.global.add.f32 [@], #1", 4, Space::Global),
    probe("global_atom_cas_b32", "atom.global.cas.b32 #0, [@], #1, #2", 4, Space::Global),
    probe("global_atom_add_u64", "atom.global.add.u64 $0, [@], $1", 8, Space::Global),
    probe("async_copy_4", "cp.async.ca.shared.global [@], [%], 4", 4, Space::Both),
    probe("async_copy_8", "cp.async.ca.shared.global [@], [%], 8", 8, Space::Both),
    probe("async_copy_16", "cp.async.ca.shared.global [@], [%], 16", 16, Space::Both),
    probe("async_copy_16_cg", "cp.async.cg.shared.global [@], [%], 16", 16, Space::Both),
];

/// The offsets that the lanes of a warp access.
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// Bytes from the start of memory, or [`OUT`].
    pub offsets: [u32; 32],
}

/// Next of a sequence of random numbers that is the same on every machine.
fn draw(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

/// The patterns that `probe` is tried on.
pub fn patterns(probe: &Probe) -> Vec<Pattern> {
    let bytes = probe.bytes;
    let mut found = Vec::new();
    let mut add = |name: String, offset: &dyn Fn(u32) -> u32| {
        let offsets = std::array::from_fn(|lane| match offset(lane as u32) {
            OUT => OUT,
            offset => offset * bytes % REACH,
        });
        found.push(Pattern { name, offsets });
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
        let mut state = seed * 77 + bytes;
        let drawn: Vec<u32> = (0..32).map(|_| draw(&mut state) % below).collect();
        add(format!("random {below}"), &|lane| drawn[lane as usize]);
    }
    found
}

/// The module of all probes. Each entry takes the 32 offsets, a buffer of 32 KB, and an output of 32
/// words. The address moves by 16 KB from one repetition to the next and back, which changes neither
/// bank nor place in a sector, so that no compiler can take the access out of the loop.
pub fn module() -> String {
    let mut text = String::from(".version 8.0\n.target sm_90\n.address_size 64\n");
    for probe in &PROBES {
        let repeats = match probe.text.starts_with("ldmatrix") {
            true => REPEATS_OF_LOADED_ROWS,
            false => REPEATS,
        };
        let pool = match probe.space {
            Space::Global => "",
            _ => ".shared .align 16 .b8 pool[32768];",
        };
        let shared = "mov.u32 %r9, pool; add.u32 %r10, %r9, %r1; cvt.u64.u32 %rd4, %r10;";
        let global = "add.u64 %rd5, %rd2, %rd3;";
        let (bases, address) = match probe.space {
            Space::Shared => (shared.to_owned(), "%r11"),
            Space::Global => (global.to_owned(), "%rd7"),
            Space::Both => (format!("{shared} {global}"), "%r11"),
        };
        let mut instruction = probe.text.replace("[%]", "[%rd7]").replace('@', address);
        for word in 0..4 {
            instruction = instruction.replace(&format!("#{word}"), &format!("%r2{word}"));
            instruction = instruction.replace(&format!("${word}"), &format!("%rd2{word}"));
        }
        let wait = match probe.space {
            Space::Both => "cp.async.wait_all;",
            _ => "",
        };
        let moves = match probe.space {
            Space::Shared => "add.u32 %r11, %r10, %r13;",
            Space::Global => "add.u64 %rd7, %rd5, %rd6;",
            Space::Both => "add.u32 %r11, %r10, %r13; add.u64 %rd7, %rd5, %rd6;",
        };
        let _ = write!(
            text,
            "
.visible .entry {}(.param .u64 offsets, .param .u64 data, .param .u64 out)
{{
    .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .pred %p<4>;
    {pool}
    ld.param.u64 %rd1, [offsets]; ld.param.u64 %rd2, [data]; ld.param.u64 %rd10, [out];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd8, %r2, 4;
    add.u64 %rd1, %rd1, %rd8; add.u64 %rd10, %rd10, %rd8;
    ld.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r1, 0xffffffff;
    @%p1 bra DONE;
    cvt.u64.u32 %rd3, %r1;
    {bases}
    mov.u32 %r20, %r2; add.u32 %r21, %r2, 1; add.u32 %r22, %r2, 2; mov.u32 %r23, 3;
    cvt.u64.u32 %rd20, %r2; cvt.u64.u32 %rd21, %r21; cvt.u64.u32 %rd22, %r22;
    mov.u32 %r3, 0; mov.u32 %r4, 0;
AGAIN:
    and.b32 %r12, %r3, 1; shl.b32 %r13, %r12, 14; cvt.u64.u32 %rd6, %r13;
    {moves}
    {instruction};
    {wait}
    cvt.u32.u64 %r24, %rd20; xor.b32 %r4, %r4, %r20; xor.b32 %r4, %r4, %r24;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, {repeats};
    @%p2 bra AGAIN;
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
    fn offsets_are_aligned_and_in_reach() {
        for probe in &PROBES {
            for pattern in patterns(probe) {
                for offset in pattern.offsets.into_iter().filter(|&offset| offset != OUT) {
                    assert_eq!(offset % probe.bytes, 0, "{} {}", probe.name, pattern.name);
                    assert!(offset + probe.bytes <= REACH);
                    assert!(!probe.whole_warp || offset != OUT);
                }
            }
        }
    }

    #[test]
    fn the_module_parses_and_the_emulator_runs_all_of_it() {
        let module = lanework::Device::emulator().load_ptx(&module()).expect("the probes load");
        assert!(module.refused().is_empty(), "{:?}", module.refused());
    }
}
