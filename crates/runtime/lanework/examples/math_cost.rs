//! Cost of the f32 elementary functions: executed PTX instructions per number on the emulator, minus those of
//! a copy kernel. Compares them with CUDA's library if the PTX of kernels such as `k_sin(x, y, out)` is
//! given: `cargo run --release -p lanework --example math_cost -- [cuda.ptx] [--write
//! ours.ptx]`

use lanework::emulator::Blocks;
use lanework::prelude::*;
use lanework::{PtxArg, PtxShape};

const COUNT: usize = 4096;

macro_rules! kernels {
    ($($name:ident |$a:ident, $b:ident| { $($value:tt)* } $low:literal $high:literal;)*) => {
        $(#[kernel]
        fn $name(x: &[f32], y: &[f32], out: &mut [f32]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            let $a = x[i];
            let $b = y[i];
            out[i] = $($value)*;
        })*

        fn main() -> lanework::Result<()> {
            let mut arguments = std::env::args().skip(1);
            let (mut cuda, mut write) = (None, None);
            while let Some(argument) = arguments.next() {
                match argument.as_str() {
                    "--write" => write = arguments.next(),
                    _ => cuda = Some(argument),
                }
            }
            let device = Device::emulator();
            let cuda = match cuda.map(std::fs::read_to_string) {
                Some(Ok(text)) => Some(device.load_ptx(&text)?),
                Some(Err(error)) => {
                    eprintln!("error: the PTX of CUDA's kernels: {error}");
                    std::process::exit(2);
                }
                None => None,
            };
            let mut ours = String::new();
            // Instructions of the first kernel, the copy.
            let mut copying: Vec<[f64; 2]> = Vec::new();
            println!("| function | arguments | instructions | CUDA's |\n|---|---|---|---|");
            $({
                let (low, high): (f32, f32) = ($low, $high);
                let values: Vec<f32> = (0..COUNT).map(|i| low + (high - low) * (i as f32 + 0.5) / COUNT as f32).collect();
                let second: Vec<f32> = (0..COUNT).map(|i| 0.5 + (i * 37 % COUNT) as f32 * 0.001).collect();
                let (x, y) = (device.upload(&values)?, device.upload(&second)?);
                let mut out = device.zeros::<f32>(COUNT)?;
                let launch = $name(&x, &y, &mut out).grid(COUNT as u32 / 256).block(256);
                let module = launch.module()?;
                let profile = launch.profile(&device)?;
                ours += &format!("{module}\n");
                let per = |profile: &lanework::Profile| profile.counters.lane_instructions as f64 / COUNT as f64;
                let theirs = match &cuda {
                    Some(module) => {
                        let bytes = |values: &[f32]| -> Vec<u8> {
                            values.iter().flat_map(|v| v.to_le_bytes()).collect()
                        };
                        let (a, b) = (device.upload(&bytes(&values))?, device.upload(&bytes(&second))?);
                        let c = device.zeros::<u8>(4 * COUNT)?;
                        let arguments = [PtxArg::Memory(&a), PtxArg::Memory(&b), PtxArg::Memory(&c)];
                        let shape = PtxShape::new(COUNT as u32 / 256, 256);
                        let entry = concat!("k_", stringify!($name));
                        per(&module.profile(entry, shape, &arguments, Blocks::All)?)
                    }
                    None => f64::NAN,
                };
                match copying.first() {
                    None => copying.push([per(&profile), theirs]),
                    Some([base, theirs_base]) => println!(
                        "| `{}` | {low} to {high} | {:.0} | {:.0} |",
                        stringify!($name), per(&profile) - base, theirs - theirs_base
                    ),
                }
            })*
            if let Some(path) = write {
                if let Err(error) = std::fs::write(&path, ours) {
                    eprintln!("error: {path}: {error}");
                    std::process::exit(2);
                }
            }
            Ok(())
        }
    };
}

kernels! {
    none |a, _b| { a } 0.0 1.0;
    exp |a, _b| { a.exp() } -10.0 10.0;
    exp2 |a, _b| { a.exp2() } -10.0 10.0;
    exp_m1 |a, _b| { a.exp_m1() } -2.0 2.0;
    ln |a, _b| { a.ln() } 0.1 10.0;
    log2 |a, _b| { a.log2() } 0.1 10.0;
    log10 |a, _b| { a.log10() } 0.1 10.0;
    ln_1p |a, _b| { a.ln_1p() } -0.5 2.0;
    sin |a, _b| { a.sin() } -10.0 10.0;
    cos |a, _b| { a.cos() } -10.0 10.0;
    tan |a, _b| { a.tan() } -10.0 10.0;
    asin |a, _b| { a.asin() } -1.0 1.0;
    acos |a, _b| { a.acos() } -1.0 1.0;
    atan |a, _b| { a.atan() } -4.0 4.0;
    sinh |a, _b| { a.sinh() } -4.0 4.0;
    cosh |a, _b| { a.cosh() } -4.0 4.0;
    tanh |a, _b| { a.tanh() } -2.0 2.0;
    asinh |a, _b| { a.asinh() } -4.0 4.0;
    acosh |a, _b| { a.acosh() } 1.0 8.0;
    atanh |a, _b| { a.atanh() } -1.0 1.0;
    cbrt |a, _b| { a.cbrt() } -10.0 10.0;
    erf |a, _b| { a.erf() } -3.0 3.0;
    erfc |a, _b| { a.erfc() } -2.0 6.0;
    powf |a, b| { a.powf(b) } 0.1 10.0;
    atan2 |a, b| { a.atan2(b) } -4.0 4.0;
    hypot |a, b| { a.hypot(b) } -4.0 4.0;
    rem |a, b| { a % b } 0.0 100.0;
}
