//! The options of the commands on devices.

use super::values::{extent, positive, threads, up_to_32};
use clap::Args;
use lanework::Dim3;
use lanework_terminal::arguments::On;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct GpusArgs {
    /// A JSON file of more GPUs, in the schema of `lanework gpus --json`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct HelloArgs {
    /// Blocks, 1 to 32.
    #[arg(long, default_value = "5", value_parser = up_to_32, value_name = "N")]
    pub blocks: u32,
    /// Threads of a block, X by Y, each 1 to 32.
    #[arg(long, default_value = "2x2", value_parser = threads, value_name = "XxY")]
    pub threads: Dim3,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct StreamsArgs {
    /// Elements of 4 bytes [default: 2^26 on a GPU, 2^16 on the emulator].
    #[arg(long, value_name = "N", value_parser = extent)]
    pub size: Option<u64>,
    /// Chunks that the elements are divided into.
    #[arg(long, value_name = "N", default_value = "8", value_parser = positive)]
    pub chunks: u64,
    /// Streams that the chunks are distributed over.
    #[arg(long, value_name = "N", default_value = "3", value_parser = positive)]
    pub streams: u64,
    /// Multiply-adds on each element [default: 2000 on a GPU, 20 on the emulator].
    #[arg(long, value_name = "N")]
    pub steps: Option<u32>,
    /// Seed of the random elements.
    #[arg(long, default_value = "1", value_name = "N")]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}
