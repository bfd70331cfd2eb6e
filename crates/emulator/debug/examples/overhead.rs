//! Measures the debugger: the time of a recording and of a replay relative to a plain run, and the memory of the
//! recording. `cargo run --release -p lanework-debug --example overhead`

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_debug::data::scope::SourceNames;
use lanework_debug::session::stepping::{StepKind, StepUnit};
use lanework_debug::session::{BUDGET, Session, SessionOptions, StopReason};
use lanework_debug::timeline::{DebugTarget, Timeline};
use lanework_emulator::{Emulator, LaunchConfig, Options, Schedule};
use lanework_ptx::Module;
use std::time::Instant;

/// Kernels of the ladders in CUDA C++: a name, the source, blocks and threads.
const KERNELS: [(&str, &str, [u32; 2], [u32; 2]); 3] = [
    (
        "transpose",
        "__global__ void k(const float* x, float* y, int n) {
            __shared__ float tile[32][33];
            int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32;
            for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = x[(j + r) * n + i];
            __syncthreads();
            i = blockIdx.y * 32 + threadIdx.x, j = blockIdx.x * 32;
            for (int r = threadIdx.y; r < 32; r += 8) y[(j + r) * n + i] = tile[threadIdx.x][r];
        }",
        [32, 32],
        [32, 8],
    ),
    (
        "sgemm",
        "__global__ void k(const float* x, float* y, int n) {
            __shared__ float a[16][16], b[16][16];
            int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
            float sum = 0;
            for (int t = 0; t < n; t += 16) {
                a[threadIdx.y][threadIdx.x] = x[row * n + t + threadIdx.x];
                b[threadIdx.y][threadIdx.x] = x[(t + threadIdx.y) * n + col];
                __syncthreads();
                for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
                __syncthreads();
            }
            y[row * n + col] = sum;
        }",
        [32, 16],
        [16, 16],
    ),
    (
        "sum-squares",
        "__global__ void k(const float* x, float* y, int n) {
            __shared__ float part[256];
            float sum = 0;
            for (int r = 0; r < 8; r++)
                for (int i = blockIdx.x * 256 + threadIdx.x; i < n * n; i += 256 * 64) sum += x[i] * x[i];
            part[threadIdx.x] = sum;
            for (int by = 128; by > 0; by /= 2) {
                __syncthreads();
                if (threadIdx.x < by) part[threadIdx.x] += part[threadIdx.x + by];
            }
            if (threadIdx.x == 0) y[blockIdx.x] = part[0];
        }",
        [64, 1],
        [256, 1],
    ),
];

/// Elements of a row.
const SIZE: u32 = 1024;

/// The fastest of three runs, in milliseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "kernel           steps   run ms  record ms  ratio  to the middle ms  next ms  memory MB  snapshots MB"
    );
    for (name, source, grid, block) in KERNELS {
        let compiled = compile(source, "k.cu", &CompileOptions::default(), &mut NoFiles);
        let compiled = compiled.map_err(|failure| failure.text)?;
        let module = Module::parse(&compiled.text).map_err(|problems| problems.to_string())?;
        let emulator = Emulator::new(Options { workers: Some(1), ..Options::default() });
        let program = emulator.load(&module)?;
        let bytes = u64::from(SIZE) * u64::from(SIZE) * 4;
        let arrays = [emulator.allocate(bytes, "x")?, emulator.allocate(bytes, "y")?];
        // Each float is 0.0115, so that kernels change the memory that they write.
        emulator.fill(arrays[0], 0x3c, bytes)?;
        emulator.fill(arrays[1], 0, bytes)?;
        let arguments =
            [&arrays[0].to_le_bytes()[..], &arrays[1].to_le_bytes(), &SIZE.to_le_bytes()];
        let entry = module.entries().next().ok_or("no kernel")?.name.clone();
        let config = LaunchConfig::new(&entry, [grid[0], grid[1], 1], [block[0], block[1], 1]);
        let run = best(|| drop(emulator.run(&program, &config, &arguments)));
        emulator.fill(arrays[1], 0, bytes)?;
        let target = DebugTarget {
            emulator: &emulator,
            program: &program,
            config: &config,
            arguments: &arguments,
        };
        let record = best(|| {
            let recorded = Timeline::record(target, Schedule::InOrder, BUDGET);
            let _ = recorded.map(|timeline| timeline.restore());
        });
        let options = SessionOptions { budget: BUDGET, ..SessionOptions::default() };
        let mut session = Session::new(target, &module, SourceNames::default(), options)?;
        let steps = session.timeline().steps();
        let middle = best(|| drop(session.go_to(steps / 2, StopReason::Moved)));
        let step = best(|| {
            let _ = session.go_to(steps / 2, StopReason::Moved);
            let _ = session.take_step(StepKind::Over, StepUnit::Thread, false);
        });
        let step = step - middle;
        let [memory, snapshots] = session.timeline().bytes().map(|bytes| bytes as f64 / 1e6);
        let ratio = record / run;
        println!(
            "{name:<12} {steps:>9} {run:>8.1} {record:>10.1} {ratio:>6.2} {middle:>17.1} {step:>8.1} {memory:>10.1} {snapshots:>13.1}"
        );
    }
    Ok(())
}
