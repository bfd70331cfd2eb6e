//! What `check`, `profile` and `look` do, whether on a kernel of a file or on a rung.

use super::values::positive;
use clap::Args;
use std::path::PathBuf;

/// The kinds of errors that the sanitizer reports, and where the report goes.
#[derive(Debug, Args)]
pub struct SanitizerOptions {
    /// Report only these kinds of errors, separated by commas: out-of-bounds, misaligned, use-after-free,
    /// leak, uninitialized, race, stream-race, pageable-copy, warp-synchronous, wgmma-registers, barrier-divergence, deadlock, inactive-lane, async-order.
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer")]
    pub only: Vec<String>,
    /// Leave out these kinds.
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer")]
    pub skip: Vec<String>,
    /// Also report memory that is still allocated at the end.
    #[arg(long, help_heading = "Sanitizer")]
    pub leaks: bool,
    /// Also write the findings to this file, as SARIF.
    #[arg(long, value_name = "FILE", help_heading = "Sanitizer")]
    pub sarif: Option<PathBuf>,
}

/// What a profile covers and how it is listed.
#[derive(Debug, Args)]
pub struct ProfileOptions {
    /// The GPU whose occupancy and caches are modelled; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// List by source line, or by PTX instruction.
    #[arg(long, value_name = "WHAT", default_value = "line", value_parser = ["line", "ptx"])]
    pub by: String,
    /// Count a sample of about N blocks, spread over the grid, instead of all blocks.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<u64>,
}

/// The line, block and warp that are drawn.
#[derive(Debug, Args)]
pub struct PictureOptions {
    /// The source line whose accesses are drawn [default: the line that costs most].
    #[arg(long, value_name = "N")]
    pub line: Option<u32>,
    /// The block, by linear index.
    #[arg(long, value_name = "N", default_value = "0")]
    pub block_index: u64,
    /// The warp of the block.
    #[arg(long, value_name = "N", default_value = "0")]
    pub warp: u32,
    /// Write the picture to this file as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}
