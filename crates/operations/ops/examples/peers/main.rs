//! Compares our operations with CUB, cuBLAS, cuBLASLt and the driver's copy on this library's target shapes, alternately in one
//! process, with every result verified before and after timing. Attention is compared with figures from other processes (see
//! `attention.rs`).
//!
//! ```text
//! scripts/peers.sh                      # compiles the peers, with nvcc
//! cargo run --release -p lanework-ops --example peers -- --peers target/libpeers.so
//! ```

mod attention;
mod contest;
mod library;
mod memory;
mod numbers;
mod products;
mod row;
mod table;

use contest::Arena;
use lanework::{Device, Result};
use row::Outcome;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

const HELP: &str = "\
Compares our kernels with CUB, cuBLAS, cuBLASLt and the driver's copy on a GPU, interleaved.

Usage: peers --peers FILE [OPTIONS] [WORD..]

  WORD..              Only problems whose group is the word, or whose title holds it
  --peers FILE        The library that scripts/peers.sh compiles
  --time-limit S      Longest sampling of one problem, in seconds [default: 0.5]
  --device NAME       The GPU [default: cuda:0]
  --quick             Fewer shapes
  --verify            Verify only
  --json FILE         Writes a line of JSON for each problem

Examples:
  peers --peers target/libpeers.so sum transpose
  peers --peers target/libpeers.so --time-limit 2 --json peers.jsonl
";

struct Options {
    peers: PathBuf,
    limit: f64,
    device: String,
    quick: bool,
    verify: bool,
    json: Option<PathBuf>,
    only: Vec<String>,
}

fn parse() -> Result<Option<Options>, String> {
    let mut options = Options {
        peers: PathBuf::new(),
        limit: 0.5,
        device: "cuda:0".to_owned(),
        quick: false,
        verify: false,
        json: None,
        only: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--peers" => options.peers = value()?.into(),
            "--time-limit" => {
                options.limit =
                    value()?.parse().map_err(|_| "--time-limit needs seconds".to_owned())?
            }
            "--device" => options.device = value()?,
            "--quick" => options.quick = true,
            "--verify" => options.verify = true,
            "--json" => options.json = Some(value()?.into()),
            other if other.starts_with('-') => return Err(format!("unknown option {other}")),
            other => options.only.push(other.to_owned()),
        }
    }
    if options.peers.as_os_str().is_empty() {
        return Err("without --peers there is nothing to compare with".to_owned());
    }
    if !(options.limit > 0.0 && options.limit <= 3600.0) {
        return Err("--time-limit needs seconds between 0 and 3600".to_owned());
    }
    Ok(Some(options))
}

fn run(options: Options) -> Result<bool, Box<dyn std::error::Error>> {
    let device = Device::open(&options.device)?;
    let peers = Rc::new(library::Peers::open(&options.peers, &device)?);
    let info = device.info();
    println!("{}, driver {}; {}", info.name, info.driver, peers.versions()?);
    let create = |path: &PathBuf| {
        std::fs::File::create(path).map_err(|why| format!("cannot write {}: {why}", path.display()))
    };
    let json = options.json.as_ref().map(create).transpose()?;
    let mut arena = Arena {
        device,
        peers,
        limit: Duration::from_secs_f64(options.limit),
        only: options.only,
        untimed: options.verify,
        rows: Vec::new(),
        json,
    };
    memory::all(&mut arena, options.quick);
    products::all(&mut arena, options.quick);
    attention::all(&mut arena, options.quick);
    let lines: Vec<String> = arena.rows.iter().map(table::line).collect();
    println!("{}\n\n{}", lines.join("\n"), table::summary(&arena.rows));
    Ok(!arena.rows.iter().any(|row| matches!(row.outcome, Outcome::Failed(_))))
}

fn main() -> ExitCode {
    match parse() {
        Ok(None) => print!("{HELP}"),
        Ok(Some(options)) => match run(options) {
            Ok(true) => {}
            Ok(false) => return ExitCode::FAILURE,
            Err(why) => {
                eprintln!("error: {why}");
                return ExitCode::FAILURE;
            }
        },
        Err(why) => {
            eprintln!("error: {why}\n  = help: `--help` lists the options");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
