//! Products and sums without a rounding modifier: compares the emulator's results for random kernels with ptxas's machine
//! code, which the test interprets. Needs ptxas and nvdisasm (`PTXAS=.../bin/ptxas`, or on the `PATH`); without them,
//! prints a note and skips.
//!
//! Within a basic block, the emulator fuses as ptxas does in every kernel. Across blocks it sometimes differs, because
//! ptxas first moves and duplicates sums and products into the blocks that use them. The test prints the rate.

mod generate;
mod machine;

use crate::common::{device, download, load, upload};
use generate::{Class, Random, entry};
use lanework_emulator::{LaunchConfig, NullObserver};
use machine::Compiler;
use std::io::Write;

/// Number of kernels per class, and per module.
const KERNELS: usize = 240;
const PER_MODULE: usize = 40;
/// Numbers of words that a kernel reads and writes, and their addresses in the interpreter's memory.
const READ: usize = 16;
const WRITTEN: usize = 320;
const OUT: usize = 1 << 12;

const PLAIN: Class = Class {
    name: "sums and products",
    ty: "f32",
    length: 9,
    dense: false,
    mixed: false,
    blocks: false,
};
const CLASSES: [Class; 6] = [
    PLAIN,
    Class { name: "products of several uses", length: 12, dense: true, ..PLAIN },
    Class { name: "mixed modifiers", length: 14, mixed: true, ..PLAIN },
    Class { name: "f64", ty: "f64", length: 12, dense: true, ..PLAIN },
    Class { name: "blocks", length: 12, dense: true, blocks: true, ..PLAIN },
    Class { name: "blocks, mixed", length: 14, mixed: true, blocks: true, ..PLAIN },
];

fn words(random: &mut Random, wide: bool) -> Vec<u32> {
    let mut words: Vec<u32> = Vec::new();
    while words.len() < READ {
        let value = 1.0 + random.below(1 << 30) as f64 / f64::from(1 << 30);
        if wide {
            let bits = (value + random.below(1 << 20) as f64 * 2f64.powi(-51)).to_bits();
            words.extend([bits as u32, (bits >> 32) as u32]);
        } else {
            words.push((value as f32).to_bits());
        }
    }
    words
}

#[test]
fn random_kernels_give_the_bits_of_ptxas() {
    let Some(compiler) = Compiler::installed() else {
        let missing = "SKIPPED: products and sums against ptxas: no ptxas with nvdisasm beside it was \
                       found; install the CUDA toolkit or set PTXAS=.../bin/ptxas";
        writeln!(std::io::stderr(), "{missing}").expect("stderr");
        return;
    };
    let (mut complaints, mut crossing) = (Vec::new(), Vec::new());
    for (number, class) in CLASSES.into_iter().enumerate() {
        let mut random = Random(number as u64 + 1);
        let (mut same, mut unknown) = (0, Vec::new());
        for _ in 0..KERNELS / PER_MODULE {
            let entries: Vec<String> =
                (0..PER_MODULE).map(|i| entry(&format!("k{i}"), class, &mut random)).collect();
            let head = ".version 8.0\n.target sm_90a\n.address_size 64\n";
            let text = format!("{head}{}", entries.concat());
            let codes = compiler.compile(&text);
            let emulator = device(false);
            let program = load(&emulator, &text).unwrap_or_else(|e| panic!("loads: {e}"));
            for (i, kernel) in entries.iter().enumerate() {
                let input = words(&mut random, class.ty == "f64");
                let n = random.below(16) as u32;
                let source = upload(&emulator, "in", &input);
                let out = upload(&emulator, "out", &[0; WRITTEN]);
                let name = format!("k{i}");
                let launch = LaunchConfig::new(&name, [1; 3], [1; 3]);
                let arguments: [&[u8]; 3] =
                    [&source.to_le_bytes(), &out.to_le_bytes(), &n.to_le_bytes()];
                emulator
                    .launch(&program, &launch, &arguments, &mut NullObserver)
                    .unwrap_or_else(|e| panic!("runs: {e}"));
                let emulated = download(&emulator, out, WRITTEN);

                let mut memory = [&input[..], &vec![0; OUT / 4 + WRITTEN - READ]].concat();
                let parameters =
                    [&0u64.to_le_bytes()[..], &(OUT as u64).to_le_bytes(), &n.to_le_bytes()]
                        .concat();
                match codes[&name].run(&parameters, &mut memory) {
                    Err(why) => unknown.push(why),
                    Ok(()) if memory[OUT / 4..] == emulated[..] => same += 1,
                    Ok(()) => {
                        let listing = codes[&name].listing();
                        let complaint = format!("{}, n = {n}:\n{kernel}\n{listing}\n", class.name);
                        if class.blocks { &mut crossing } else { &mut complaints }.push(complaint);
                    }
                }
            }
        }
        let compared = KERNELS - unknown.len();
        let line = format!("{}: {same} of {compared} kernels give the bits of ptxas", class.name);
        writeln!(std::io::stderr(), "{line}").expect("stderr");
        assert!(unknown.len() * 50 <= KERNELS, "{} not understood: {unknown:#?}", unknown.len());
    }
    let blocks = CLASSES.iter().filter(|class| class.blocks).count() * KERNELS;
    if crossing.len() * 10 > blocks {
        complaints.append(&mut crossing);
    }
    let shown = complaints.iter().take(8).cloned().collect::<String>();
    assert!(complaints.is_empty(), "{} kernels differ, among them\n{shown}", complaints.len());
}
