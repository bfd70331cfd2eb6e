//! Samples of the instruction table: validation accepts each at the version and target that it needs. With `PTXAS` set,
//! that ptxas accepts them, too.

use lanework_ptx::{Instruction, Modifier, Module, Opcode, Specific};
use std::collections::BTreeMap;
use std::fmt::Write;

const REGISTERS: &str = ".reg .pred %p<4>; .reg .b8 %b<4>; .reg .b16 %h<16>; .reg .b32 %r<130>; .reg .b64 %l<20>; \
                         .reg .b128 %x<4>;";

fn entry(number: usize, sample: &Instruction) -> String {
    format!(".visible .entry k{number}() {{ {REGISTERS} {sample}; ret; }}\n")
}

fn samples() -> impl Iterator<Item = Instruction> {
    Opcode::ALL.iter().copied().flat_map(Instruction::samples)
}

/// The sample as a module of its own, with the version and the target that it needs.
fn module(sample: &Instruction) -> Module {
    let text = format!(".version 8.3\n.target sm_90\n.address_size 64\n{}", entry(0, sample));
    let mut module = Module::parse(&text).unwrap_or_else(|error| panic!("{sample}: {error}"));
    module.set_lowest_requirements();
    module
}

#[test]
fn validation_accepts_every_sample() {
    let mut wrong = Vec::new();
    for sample in samples() {
        if let Err(problems) = module(&sample).validate() {
            wrong.push(format!("{sample}: {problems}"));
        }
    }
    assert!(samples().count() > 6_000);
    assert!(wrong.is_empty(), "{} samples:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn ptxas_accepts_every_sample() {
    let Ok(ptxas) = std::env::var("PTXAS") else {
        return lanework_testing::skip("samples against ptxas", "PTXAS is not set");
    };
    // Parameters of a function have no addresses in registers.
    let checked = samples().filter(|sample| !sample.has(Modifier::ParamFunc));
    let mut targets: BTreeMap<String, (String, Vec<Instruction>)> = BTreeMap::new();
    for sample in checked {
        let (version, architecture, specific) = module(&sample).lowest_requirements();
        let target = match specific {
            _ if architecture <= 90 => "sm_90a".to_owned(),
            Specific::Architecture => format!("sm_{architecture}a"),
            _ => format!("sm_{architecture}"),
        };
        let (newest, samples) = targets.entry(target).or_default();
        *newest = version.to_string().max(std::mem::take(newest));
        samples.push(sample);
    }
    assert!(targets.len() > 2);
    for (target, (version, samples)) in targets {
        let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n");
        for (number, sample) in samples.iter().enumerate() {
            let _ = write!(text, "{}", entry(number, sample));
        }
        // An error that ptxas must report: it then stops before it generates code, which takes long.
        let refused = Instruction::new("cvt.sat.u32.u32", vec!["%r0".into(), "%r1".into()]);
        let _ = write!(text, "{}", entry(samples.len(), &refused));
        let name = format!("lanework-samples-{}-{target}.ptx", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a file");
        let mut command = std::process::Command::new(&ptxas);
        let output = command.arg(format!("-arch={target}")).args(["-O0", "-o", "/dev/null"]);
        let output = output.arg(&path).output().expect("ptxas runs");
        std::fs::remove_file(&path).expect("the file is removed");
        // Line 4 is the first sample's.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let wrong = said.lines().filter(|line| line.contains("error") || line.contains("fatal"));
        let sample = |line: &str| {
            let number: usize = line.split("line ").nth(1)?.split(';').next()?.parse().ok()?;
            samples.get(number.checked_sub(4)?).map(ToString::to_string)
        };
        let wrong: Vec<String> =
            wrong.map(|line| format!("{}: {line}", sample(line).unwrap_or_default())).collect();
        let planted = wrong.iter().any(|line| line.contains("'.sat'"));
        // The second line says that ptxas stopped.
        assert!(planted && wrong.len() <= 2, "{target}:\n{}\n{said}", wrong.join("\n"));
    }
}
