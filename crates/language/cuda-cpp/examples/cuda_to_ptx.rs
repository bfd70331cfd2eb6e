//! Compiles a CUDA C++ file and prints its PTX: `cargo run --example cuda_to_ptx kernel.cu 80`.

use lanework_cuda_cpp::{CompileOptions, Loader, compile};
use std::path::Path;

struct Files;

impl Loader for Files {
    fn load(&mut self, name: &str, from: &str) -> Option<(String, String)> {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.display().to_string(), text))
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("the file");
    let target = arguments.next().unwrap_or_else(|| "80".to_owned());
    let architecture = target.trim_end_matches('a').parse().expect("a number such as 80 or 90a");
    let options = CompileOptions {
        architecture,
        specific: target.ends_with('a'),
        ..CompileOptions::default()
    };
    let source = std::fs::read_to_string(&file).expect("a readable file");
    match compile(&source, &file, &options, &mut Files) {
        Ok(compiled) => {
            eprint!("{}", compiled.warnings);
            print!("{}", compiled.text);
        }
        Err(failure) => {
            eprint!("{}", failure.text);
            std::process::exit(if failure.unsupported { 2 } else { 1 });
        }
    }
}
