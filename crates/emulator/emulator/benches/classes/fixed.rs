//! Fixed costs, and the gain of more workers.

use lanework_emulator::{Emulator, LaunchConfig, NullObserver, Options, Program};
use lanework_ptx::Module;
use std::sync::Arc;
use std::time::Instant;

/// An empty kernel, a histogram in global memory, and a kernel with a long loop of arithmetic.
const KERNELS: &str = "
.version 8.6
.target sm_80
.address_size 64
.entry empty() { ret; }
.entry histogram(.param .u64 data, .param .u64 bins, .param .u32 n)
{
.reg .pred p; .reg .b32 i, n_, step, t, v; .reg .b64 a, b, d;
ld.param.u64 d, [data]; ld.param.u64 b, [bins]; ld.param.u32 n_, [n];
mov.u32 i, %ctaid.x; mov.u32 step, %ntid.x; mov.u32 t, %tid.x;
mad.lo.u32 i, i, step, t; mov.u32 t, %nctaid.x; mul.lo.u32 step, step, t;
LOOP: mad.wide.u32 a, i, 4, d; ld.global.u32 v, [a]; and.b32 v, v, 255;
mad.wide.u32 a, v, 4, b; red.global.add.u32 [a], 1;
add.u32 i, i, step; setp.lt.u32 p, i, n_; @p bra LOOP; ret;
}
.entry private_histogram(.param .u64 data, .param .u64 bins, .param .u32 n)
{
.reg .pred p; .reg .b32 i, n_, step, t, v, s; .reg .b64 a, b, d; .shared .align 4 .b8 counts[1024];
ld.param.u64 d, [data]; ld.param.u64 b, [bins]; ld.param.u32 n_, [n];
mov.u32 i, %ctaid.x; mov.u32 step, %ntid.x; mov.u32 t, %tid.x;
mad.lo.u32 i, i, step, t; mov.u32 v, %nctaid.x; mul.lo.u32 step, step, v;
mov.u32 s, counts; shl.b32 v, t, 2; add.u32 v, v, s; st.shared.u32 [v], 0; bar.sync 0;
LOOP: mad.wide.u32 a, i, 4, d; ld.global.u32 v, [a]; and.b32 v, v, 255;
shl.b32 v, v, 2; add.u32 v, v, s; red.shared.add.u32 [v], 1;
add.u32 i, i, step; setp.lt.u32 p, i, n_; @p bra LOOP;
bar.sync 0; shl.b32 v, t, 2; add.u32 v, v, s; ld.shared.u32 v, [v];
mad.wide.u32 a, t, 4, b; red.global.add.u32 [a], v; ret;
}
.entry arithmetic(.param .u64 data, .param .u64 bins, .param .u32 n)
{
.reg .pred p; .reg .b32 i, t; .reg .f32 x; .reg .b64 a;
mov.u32 t, %tid.x; cvt.rn.f32.u32 x, t; mov.u32 i, 0;
LOOP: fma.rn.f32 x, x, x, x; fma.rn.f32 x, x, x, x; fma.rn.f32 x, x, x, x; fma.rn.f32 x, x, x, x;
add.u32 i, i, 1; setp.lt.u32 p, i, 250; @p bra LOOP;
ld.param.u64 a, [bins]; mad.wide.u32 a, t, 4, a; setp.eq.f32 p, x, 0f3F800000; @p st.global.f32 [a], x; ret;
}
";

/// Words of the histograms' data.
const WORDS: u32 = 1 << 20;

struct MeasuredDevice {
    emulator: Emulator,
    program: Arc<Program>,
    arguments: [Vec<u8>; 3],
}

impl MeasuredDevice {
    fn new(workers: usize) -> Result<MeasuredDevice, String> {
        let module = Module::parse(KERNELS).map_err(|error| error.to_string())?;
        let emulator = Emulator::new(Options { workers: Some(workers), ..Options::default() });
        let program = emulator.load(&module).map_err(|error| error.to_string())?;
        let data = emulator.allocate(u64::from(WORDS) * 4, "data").map_err(|e| e.to_string())?;
        let bins = emulator.allocate(1024, "bins").map_err(|e| e.to_string())?;
        let words: Vec<u8> =
            (0..WORDS).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 11).to_le_bytes()).collect();
        emulator.write(data, &words).map_err(|e| e.to_string())?;
        let arguments = [
            data.to_le_bytes().to_vec(),
            bins.to_le_bytes().to_vec(),
            WORDS.to_le_bytes().to_vec(),
        ];
        Ok(MeasuredDevice { emulator, program, arguments })
    }

    /// The least time of some launches in ns.
    fn time(&self, kernel: &str, blocks: u32, threads: u32) -> Result<f64, String> {
        let launch = LaunchConfig::new(kernel, [blocks, 1, 1], [threads, 1, 1]);
        let arguments: Vec<&[u8]> = self.arguments.iter().map(Vec::as_slice).collect();
        let arguments = if kernel == "empty" { &[] } else { &arguments[..] };
        let mut best = f64::INFINITY;
        for _ in 0..9 {
            let start = Instant::now();
            self.emulator
                .launch(&self.program, &launch, arguments, &mut NullObserver)
                .map_err(|fault| fault.to_string())?;
            best = best.min(start.elapsed().as_secs_f64() * 1e9);
        }
        Ok(best)
    }
}

/// Measures a figure.
type Figure = fn() -> Result<String, String>;

/// Names and values of the selected figures.
pub fn figures(selected: impl Fn(&str) -> bool) -> Vec<(&'static str, String)> {
    let all: [(&str, Figure); 5] = [
        ("launch", launch),
        ("block", block),
        ("workers, FMA", || scaling("arithmetic")),
        ("workers, histogram", || scaling("histogram")),
        ("workers, shared memory", || scaling("private_histogram")),
    ];
    let selected = all.into_iter().filter(|(name, _)| selected(name));
    selected.map(|(name, figure)| (name, figure().unwrap_or_else(|why| why))).collect()
}

/// The least time of the histogram in global memory by some workers, in ns.
#[cfg(feature = "ablation")]
pub fn histogram(workers: usize) -> Result<f64, String> {
    MeasuredDevice::new(workers)?.time("histogram", 1024, 256)
}

fn launch() -> Result<String, String> {
    Ok(format!(
        "{:.2} us per launch, target 10",
        MeasuredDevice::new(2)?.time("empty", 1, 128)? / 1e3
    ))
}

fn block() -> Result<String, String> {
    let device = MeasuredDevice::new(1)?;
    let (few, many) = (device.time("empty", 1000, 128)?, device.time("empty", 11_000, 128)?);
    Ok(format!("{:.3} us per block of 128 threads, target 1", (many - few) / 1e7))
}

/// Speed with 2, 4 and 8 workers (at most one per core), relative to one worker.
fn scaling(kernel: &str) -> Result<String, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let one = MeasuredDevice::new(1)?.time(kernel, 1024, 256)?;
    let mut figure = format!("1 worker {:.2} ms", one / 1e6);
    for workers in [2, 4, 8].into_iter().filter(|workers| *workers <= cores) {
        let time = MeasuredDevice::new(workers)?.time(kernel, 1024, 256)?;
        figure += &format!(", {workers} workers {:.2} times as fast", one / time);
    }
    Ok(figure + "; target 1.8 with 2, 6 with 8")
}
