//! Shared parts of the tests: devices, kernels from their bodies, copies of words to and from a device.
#![allow(dead_code)]

pub mod triples;

use lanework_emulator::{
    CountingObserver, Emulator, Fault, Instrument, LaunchConfig, LoadError, NullObserver, Options,
    Outcome, Program,
};
use lanework_ptx::Module;
use std::sync::Arc;

/// Creates a device; if `all_varying`, every register has 32 separate lanes.
pub fn device(all_varying: bool) -> Emulator {
    let max_instructions = Some(1 << 22);
    Emulator::new(Options { all_varying, max_instructions, verify: true, ..Options::default() })
}

/// Returns a module with one kernel `k(.u64 in, .u64 out, .u32 n)` that has this body.
pub fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"kernel.rs\"\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{{\n{body}\n}}\n"
    )
}

/// Parses and loads a module.
pub fn load(emulator: &Emulator, text: &str) -> Result<Arc<Program>, LoadError> {
    emulator.load(&Module::parse(text).expect("the text parses"))
}

/// Copies words to the device.
pub fn upload(emulator: &Emulator, name: &str, words: &[u32]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let address = emulator.allocate(bytes.len() as u64, name).expect("memory");
    emulator.write(address, &bytes).expect("in bounds");
    address
}

/// Copies words from the device.
pub fn download(emulator: &Emulator, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    emulator.read(address, &mut bytes).expect("in bounds");
    bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Result of a kernel run.
pub struct Run {
    /// The outcome.
    pub outcome: Outcome,
    /// The words written.
    pub words: Vec<u32>,
    /// The counters.
    pub counters: lanework_emulator::Counters,
}

/// Runs kernel `k` with these input words; returns `count` output words (0xCDCDCDCD where not written).
/// Runs it without and with counters, because these use different handlers.
pub fn run(
    text: &str,
    all_varying: bool,
    grid: [u32; 3],
    block: [u32; 3],
    input: &[u32],
    count: usize,
) -> Result<Run, Fault> {
    let mut observer = CountingObserver::default();
    let shape = (grid, block);
    let plain = once(text, all_varying, shape, input, count, &mut NullObserver);
    let counted = once(text, all_varying, shape, input, count, &mut observer);
    match (&plain, &counted) {
        (Ok((_, plain)), Ok((_, counted))) => {
            assert_eq!(plain, counted, "counting changes results")
        }
        (Err(plain), Err(counted)) => assert_eq!(plain.to_string(), counted.to_string()),
        (Ok(_), Err(fault)) => panic!("only counting faults: {fault}"),
        (Err(fault), Ok(_)) => panic!("only not counting faults: {fault}"),
    }
    counted.map(|(outcome, words)| {
        let counters = observer.total();
        assert_eq!(counters.warp_instructions, outcome.warp_instructions, "counts by instruction");
        assert_eq!(counters.lane_instructions, outcome.lane_instructions, "counts by instruction");
        Run { outcome, words, counters }
    })
}

fn once<I: Instrument>(
    text: &str,
    all_varying: bool,
    (grid, block): ([u32; 3], [u32; 3]),
    input: &[u32],
    count: usize,
    instrument: &mut I,
) -> Result<(Outcome, Vec<u32>), Fault> {
    let emulator = device(all_varying);
    let program = load(&emulator, text).unwrap_or_else(|e| panic!("loads: {e}"));
    let source = upload(&emulator, "in", input);
    let out = emulator.allocate(count as u64 * 4, "out").expect("memory");
    let launch = LaunchConfig { dynamic_shared: 1024, ..LaunchConfig::new("k", grid, block) };
    let arguments: [&[u8]; 3] =
        [&source.to_le_bytes(), &out.to_le_bytes(), &(input.len() as u32).to_le_bytes()];
    let outcome = emulator.launch(&program, &launch, &arguments, instrument)?;
    Ok((outcome, download(&emulator, out, count)))
}

/// Prologue of most bodies: `%rd1` is the input, `%rd2` the output, `%r1` the thread's index in the grid, `%r3` its
/// index in the block, and `%rd4` and `%rd5` the addresses of its input and output words.
pub const START: &str = "
    .reg .pred %p<40>; .reg .b16 %h<40>; .reg .b32 %r<80>; .reg .b64 %rd<80>; .reg .f32 %f<40>; .reg .f64 %d<40>;
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x;
    mad.lo.u32 %r1, %r4, %r5, %r3;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
";

/// Random words, including some special values.
pub fn random_words(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
    (0..count)
        .map(|_| {
            let word = next(&mut state);
            match word % 11 {
                0 => 0,
                1 => u32::MAX,
                2 => 0x8000_0000,
                3 => (word >> 8) & 31,
                4 => 1,
                _ => word,
            }
        })
        .collect()
}

/// Returns the next word of a random sequence.
pub fn next(state: &mut u64) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
}
