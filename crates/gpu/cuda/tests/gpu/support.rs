//! Helpers of the tests: the GPU, or a visible reason to skip; kernels; and buffers of words.

use std::io::Write;

use lanework_cuda::{CudaError, Gpu, GpuFunction};

pub const BASIC: &str = include_str!("ptx/basic.ptx");
pub const FAULTS: &str = include_str!("ptx/faults.ptx");
pub const HOPPER: &str = include_str!("ptx/hopper.ptx");

/// The first GPU. Otherwise prints why the test is skipped, and returns `None`.
pub fn gpu(test: &str) -> Option<Gpu> {
    match Gpu::open(0) {
        Ok(gpu) => Some(gpu),
        Err(CudaError::Unavailable { why }) => {
            skip(test, &why);
            None
        }
        Err(other) => panic!("GPU 0 did not open: {other}"),
    }
}

/// The first GPU, if it has sm_90 features.
pub fn hopper(test: &str) -> Option<Gpu> {
    let gpu = gpu(test)?;
    let (major, minor) = gpu.info().compute_capability;
    if major < 9 {
        skip(test, &format!("it needs sm_90, this GPU is sm_{major}{minor}"));
        return None;
    }
    Some(gpu)
}

/// Prints that a test is skipped, bypassing the test harness, which hides the output of passing tests.
pub fn skip(test: &str, why: &str) {
    assert!(
        std::env::var_os("LANEWORK_REQUIRE_GPU").is_none(),
        "{test} cannot run, and LANEWORK_REQUIRE_GPU is set: {why}"
    );
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

/// A kernel of one of the texts above.
pub fn kernel(gpu: &Gpu, ptx: &str, name: &str) -> GpuFunction {
    gpu.load(ptx, "test kernels")
        .and_then(|module| module.function(name))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A GPU buffer of words, freed when dropped.
pub struct Words {
    pub gpu: Gpu,
    pub address: u64,
    pub count: usize,
}

impl Words {
    pub fn new(gpu: &Gpu, values: &[u32]) -> Words {
        let address = gpu.allocate(values.len() * 4).unwrap_or_else(|error| panic!("{error}"));
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        gpu.write(address, &bytes).unwrap_or_else(|error| panic!("{error}"));
        Words { gpu: gpu.clone(), address, count: values.len() }
    }

    pub fn get(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.count * 4];
        self.gpu.read(self.address, &mut bytes).unwrap_or_else(|error| panic!("{error}"));
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    }

    pub fn argument(&self) -> [u8; 8] {
        self.address.to_ne_bytes()
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let _ = self.gpu.free(self.address);
    }
}
