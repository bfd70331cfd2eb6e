//! The machine that the figures belong to.

use std::fs;

/// Properties of this machine that determine the emulator's speed.
pub struct Machine {
    /// The processor's name.
    pub model: String,
    /// Cores usable by this process.
    pub cores: usize,
    /// The widest vectors that the emulator can use.
    pub simd: &'static str,
    /// The factor of the demands in Gli/s, which are stated for AVX-512.
    pub scale: f64,
    /// Load average of the last minute when the benchmark started; `None` if unknown.
    pub load: Option<f64>,
}

impl Machine {
    /// Detects the machine.
    pub fn describe() -> Machine {
        let (simd, scale) = simd();
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Machine {
            model: model
                .map_or(std::env::consts::ARCH, |name| name.trim_start_matches([' ', '\t', ':']))
                .to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            simd,
            scale,
            load: load.split(' ').next().and_then(|minute| minute.parse().ok()),
        }
    }

    /// The numbers of workers to measure: one, and two where there are two cores.
    pub fn workers(&self) -> impl Iterator<Item = usize> + use<> {
        1..=self.cores.min(2)
    }
}

#[cfg(target_arch = "x86_64")]
fn simd() -> (&'static str, f64) {
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
        ("AVX-512", 1.0)
    } else if is_x86_feature_detected!("avx2") {
        ("AVX2", 0.7)
    } else {
        ("SSE2", 0.7)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn simd() -> (&'static str, f64) {
    ("128-bit", 0.7)
}
