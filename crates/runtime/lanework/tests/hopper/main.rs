//! Asynchronous features of sm_90, on the emulator and on a GPU that supports them: mbarriers, bulk
//! copies, tiles of tensors, clusters. The kernels are the `.cu` files in this folder, compiled
//! by nvcc.

mod alone;
mod counted;
mod kernels;
mod tensors;

use lanework::emulator::Options;
use lanework::{Backend, Buffer, Device, Executed, PtxArg, PtxModule, PtxShape, Result, emulator};

/// A module on a device.
pub struct On {
    /// The device.
    pub device: Device,
    module: PtxModule,
}

/// The GPU, if it supports clusters, and emulators that must agree with it: the optimized engine, the
/// reference engine, a sanitized one, and other schedules.
fn devices(suite: &str) -> Vec<Device> {
    let mut devices = Device::for_tests(suite);
    devices.retain(|device| {
        let old = device.info().compute_capability < (9, 0);
        if device.backend() == Backend::Cuda && old {
            eprintln!("SKIPPED on a GPU: {suite}: it has no clusters");
        }
        device.backend() == Backend::Emulator || !old
    });
    let base = Options { max_instructions: Some(1 << 22), ..Options::default() };
    let slow = Options { all_varying: true, ..base.clone() };
    devices.push(Device::emulator_with(slow));
    devices.push(Device::emulator_with(base.clone()).sanitized());
    for seed in 1..4 {
        let schedule = emulator::Schedule::Seeded(seed);
        devices.push(Device::emulator_with(Options { schedule, ..base.clone() }));
    }
    devices
}

/// Runs a check on each device.
pub fn everywhere(suite: &str, text: &str, check: impl Fn(&On)) {
    for device in devices(suite) {
        check(&On::new(device, text));
    }
}

impl On {
    /// Loads a module.
    pub fn new(device: Device, text: &str) -> On {
        let module = device.load_ptx(text).unwrap_or_else(|e| panic!("loads: {e}"));
        assert!(module.refused().is_empty(), "{:#?}", module.refused());
        On { device, module }
    }

    /// Words on the device.
    pub fn upload(&self, words: &[u32]) -> Buffer<u8> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.upload(&bytes).expect("memory")
    }

    /// Words from the device.
    pub fn download(&self, buffer: &Buffer<u8>) -> Vec<u32> {
        let bytes = buffer.download().expect("finished");
        bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    /// Runs an entry.
    pub fn run(
        &self,
        (entry, shape): (&str, PtxShape),
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        // SAFETY: with the sizes that the tests pass, the kernels stay within their buffers.
        unsafe { self.module.launch(entry, shape, arguments) }
    }
}

/// A buffer's address as an argument.
pub fn pointer(buffer: &Buffer<u8>) -> PtxArg<'_> {
    PtxArg::Memory(buffer)
}

/// A word as an argument.
pub fn word<'a>(value: u32) -> PtxArg<'a> {
    PtxArg::Bytes(value.to_le_bytes().to_vec())
}

/// The next number of a pseudorandom sequence.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Random words.
pub fn random_words(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    (0..count).map(|_| next(&mut state) as u32).collect()
}
