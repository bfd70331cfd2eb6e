//! `lanework gpus`: the table of known GPUs.

use crate::args::GpusArgs;
use lanework_lab::{Specs, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::read_text;
use lanework_terminal::output::{print, print_json};
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use std::borrow::Cow;
use std::path::Path;

/// Shows the table of GPUs and of the limits of their multiprocessors.
///
/// # Errors
/// If the user's file cannot be read or is not such a table.
pub fn run(args: &GpusArgs) -> Outcome {
    let specs = with_file(args.file.as_deref())?;
    if args.json {
        return print_json(specs.as_ref());
    }
    let mut gpus = Table::new([
        Column::name("GPU"),
        Column::number("capability").short("cap."),
        Column::number("SMs"),
        Column::number("MHz"),
        Column::number("memory"),
        Column::number("GB/s"),
        Column::number("L2 MiB"),
        Column::number("FP32"),
        Column::number("TF32"),
        Column::number("BF16"),
    ]);
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| rate.to_string());
    for gpu in &specs.gpus {
        gpus.row([
            gpu.name.clone(),
            gpu.compute_capability.clone(),
            gpu.multiprocessors.to_string(),
            gpu.clock_mhz.to_string(),
            format!("{} GB", gpu.memory_gb),
            gpu.bandwidth_gb_s.to_string(),
            gpu.l2_mb.to_string(),
            gpu.fp32_tflops.to_string(),
            rate(gpu.tf32_tflops),
            rate(gpu.bf16_tflops),
        ]);
    }
    let mut limits = Table::new([
        Column::name("capability"),
        Column::number("FP32 FMA/clock"),
        Column::number("threads"),
        Column::number("blocks"),
        Column::number("registers"),
        Column::number("shared bytes"),
        Column::number("per block"),
    ]);
    for arch in &specs.architectures {
        limits.row([
            arch.compute_capability.clone(),
            arch.fp32_per_sm.to_string(),
            arch.threads_per_sm.to_string(),
            arch.blocks_per_sm.to_string(),
            arch.registers_per_sm.to_string(),
            arch.shared_per_sm.to_string(),
            arch.shared_per_block.to_string(),
        ]);
    }
    let mut text = shown(&gpus);
    text.push_str(&prose("Rates in TFLOP/s, dense; TF32 and BF16 on tensor cores."));
    text.push_str(&format!("\nLimits of a multiprocessor\n{}\nSources\n", shown(&limits)));
    for gpu in &specs.gpus {
        text.push_str(&listed("  ", &format!("{}: {}", gpu.name, gpu.source)));
    }
    print(&text)
}

/// The table, extended by the user's file if there is one.
///
/// # Errors
/// If the file cannot be read or is not such a table.
pub fn with_file(file: Option<&Path>) -> Result<Cow<'static, Specs>, Failure> {
    let Some(path) = file else { return Ok(Cow::Borrowed(specs())) };
    let name = path.display();
    let help = "write it like the output of `lanework gpus --json`";
    let text = read_text(path, help)?;
    let extended = specs().extended(&text).map_err(|why| {
        Failure::input(format_args!("{name} is not a table of GPUs: {why}"), help)
    })?;
    Ok(Cow::Owned(extended))
}
