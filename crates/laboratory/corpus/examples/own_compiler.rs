//! Compiles the corpus with Lanework's own compiler and compares results and warp instructions with nvcc's PTX.

use lanework_corpus::{Case, OnEmulator, Outputs, all, run_each, variants};
use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_runtime::Device;
use std::collections::HashMap;

/// Runs a case; returns its outputs and its warp instructions.
fn count(text: &str, case: &Case) -> Result<(Outputs, u64), String> {
    let device = Device::emulator();
    let module = device.load_ptx(text).map_err(|why| why.to_string())?;
    let mut instructions = 0;
    let outputs = run_each(&device, case, &mut |launch, shape, arguments| {
        // SAFETY: the emulator checks every access.
        let executed = unsafe { module.launch(launch.entry, shape, arguments) }?;
        instructions += executed.map_or(0, |executed| executed.warp_instructions);
        Ok(())
    });
    outputs.map(|outputs| (outputs, instructions)).map_err(|why| why.to_string())
}

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cuda");
    let modules = variants();
    let mut compiled: HashMap<&str, Result<String, String>> = HashMap::new();
    let mut ratios = Vec::new();
    let (mut equal, mut right, mut wrong, mut skipped) = (0, 0, 0, 0);
    for case in all().iter().filter(|case| matches!(case.on_emulator, OnEmulator::Runs)) {
        let own = compiled.entry(case.unit).or_insert_with(|| {
            let path = format!("{folder}/{}.cu", case.unit);
            let source = std::fs::read_to_string(&path).map_err(|why| why.to_string())?;
            let options =
                CompileOptions { architecture: 90, specific: true, ..CompileOptions::default() };
            compile(&source, &path, &options, &mut NoFiles)
                .map(|ptx| ptx.text)
                .map_err(|why| why.text)
        });
        let Ok(own) = own else {
            skipped += 1;
            continue;
        };
        let made = count(own, case);
        let reference = modules
            .iter()
            .filter(|module| {
                module.unit == case.unit && !module.debug && module.file.matches('.').count() == 2
            })
            .find_map(|module| count(module.text, case).ok());
        match made {
            Err(why) => {
                wrong += 1;
                println!(
                    "FAILS {} {}: {}",
                    case.unit,
                    case.name,
                    why.lines().take(3).collect::<Vec<_>>().join(" | ")
                );
            }
            Ok((outputs, instructions)) => {
                let mut problem = None;
                for (name, check) in &case.checks {
                    let at = case.buffers.iter().position(|(known, _)| known == name);
                    if let Some(at) = at
                        && let Err(why) = check(&outputs[at])
                    {
                        problem = Some(format!("{name}: {why}"));
                    }
                }
                if let Some(problem) = problem {
                    wrong += 1;
                    println!(
                        "WRONG {} {}: {}",
                        case.unit,
                        case.name,
                        problem.lines().next().unwrap_or("")
                    );
                    continue;
                }
                right += 1;
                if let Some((expected, known)) = reference {
                    let same = expected == outputs;
                    equal += usize::from(same);
                    let ratio = instructions as f64 / known.max(1) as f64;
                    ratios.push(ratio);
                    println!(
                        "{} {} {}: {ratio:.2}",
                        if same { "same" } else { "close" },
                        case.unit,
                        case.name
                    );
                }
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios.get((ratios.len() as f64 * part) as usize).copied().unwrap_or(0.0);
    println!("right {right}, bit-equal {equal}, wrong {wrong}, unit not compiled {skipped}");
    println!("warp instructions to nvcc's: median {:.2}, p90 {:.2}", at(0.5), at(0.9));
}
