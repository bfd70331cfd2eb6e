//! PTX of nvcc 13.5 for `tests/data/scale.cu`: values by name with `-G`, lines and registers with `-lineinfo`.

use crate::common::expect;
use lanework_debug::commands::Console;
use lanework_debug::data::dwarf;
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;
use lanework_emulator::{Emulator, LaunchConfig, Options};
use lanework_ptx::Module;

const SOURCE: &str = include_str!("../data/scale.cu");

/// Runs a script on the kernel of a PTX text: `k(x, y, 40, {3, {0.5, 0.25}})`.
fn script(text: &str, commands: &str) -> String {
    let module = Module::parse(text).expect("PTX");
    let emulator = Emulator::new(Options::default());
    let program = emulator.load(&module).expect("loads");
    let x: Vec<u8> = (0..40).flat_map(|i| (i as f32 / 2.0).to_le_bytes()).collect();
    let arrays = ["x", "y"].map(|name| emulator.allocate(160, name).expect("memory"));
    emulator.write(arrays[0], &x).expect("memory");
    let pair = [&3i32.to_le_bytes()[..], &0.5f32.to_le_bytes(), &0.25f32.to_le_bytes()].concat();
    let [x, y] = arrays.map(u64::to_le_bytes);
    let arguments: [&[u8]; 4] = [&x, &y, &40i32.to_le_bytes(), &pair];
    let entry = module.entries().next().expect("a kernel").name.clone();
    let config = LaunchConfig::new(&entry, [2, 1, 1], [32, 1, 1]);
    let target = DebugTarget {
        emulator: &emulator,
        program: &program,
        config: &config,
        arguments: &arguments,
    };
    let names = dwarf::names(text, &entry);
    let mut session =
        Session::new(target, &module, names, SessionOptions::default()).expect("records");
    let source = |_: &str| Some(SOURCE.to_owned());
    let mut console = Console::new(&mut session, &source);
    let lines = commands.lines().map(str::trim).filter(|line| !line.is_empty());
    let replies = lines.map(|line| format!("> {line}\n{}\n", console.execute(line).text));
    replies.collect()
}

#[test]
fn device_debug_information_gives_values_in_registers_and_memory() {
    let output = script(
        include_str!("../data/debug.ptx"),
        "args
         print p.b[1]
         break 10 if i == 35 && j == 2
         continue
         locals
         print v
         print i + j
         print tile[3]
         print x[i]
         who wrote tile[3]
         lanes j
         step
         bt
         stepi 2
         print r
         finish
         next
         print s
         next
         print v
         goto end
         print y[35]",
    );
    expect(
        &output,
        &[
            "n = 40",
            "p = {a: 3, b: [0.5, 0.25]}",
            "p.b[1] = 0.25",
            "breakpoint 1: thread (3,0,0) of block (1,0,0)",
            "j = 2",
            "i = 35",
            "i + j = 37",
            "tile[3] = 17.5",
            "x[i] = 17.5",
            "by thread (3,0,0) of block (1,0,0), /src/scale.cu:8",
            "lane  3 # 2",
            "#0 square at /src/scale.cu:2",
            "> print r\nr = 104976.0",
            "> print s\ns = 104976.25",
            "> print v\nv = 210276.5",
            "> print y[35]\ny[35] = 210297.0",
        ],
    );
}

#[test]
fn line_information_gives_lines_and_registers() {
    let output = script(
        include_str!("../data/lines.ptx"),
        "break 7 if threadIdx.x == 4
         continue
         locals
         print n
         print (x as f32*)[4]
         registers
         next
         rnext
         print tile[0..2]",
    );
    expect(
        &output,
        &["scale.cu:7", "thread (4,0,0)", "no local variables are known here", "%r", "scale.cu:"],
    );
}
