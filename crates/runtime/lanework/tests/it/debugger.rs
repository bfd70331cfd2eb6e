//! The debugger on Rust kernels: values by the names of the source, lines, types, calls, and planted bugs.

use lanework::Checks;
use lanework::emulator::{Emulator, LaunchConfig, Options};
use lanework::prelude::*;
use lanework_debug::commands::Console;
use lanework_debug::data::rust;
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;

const SOURCE: &str = include_str!("debugger.rs");

/// The line of this file that contains a text first.
fn line(text: &str) -> u32 {
    let at = SOURCE.lines().position(|line| line.contains(text));
    at.unwrap_or_else(|| panic!("no line has `{text}`")) as u32 + 1
}

/// Runs a script on a kernel's PTX for the debugger. The arguments are slices of words, then other values. `@text` in the
/// script is the line that contains the text.
fn script(
    ptx: &str,
    block: u32,
    (slices, values): (&[Vec<u32>], &[Vec<u8>]),
    commands: &str,
) -> String {
    let module = lanework::ptx::Module::parse(ptx).unwrap_or_else(|e| panic!("{e}\n{ptx}"));
    let emulator = Emulator::new(Options { checks: Some(Checks::default()), ..Options::default() });
    let program = emulator.load(&module).expect("loads");
    let mut arguments: Vec<Vec<u8>> = Vec::new();
    for (index, slice) in slices.iter().enumerate() {
        let bytes: Vec<u8> = slice.iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = format!("slice {index}");
        let address = emulator.allocate(bytes.len() as u64, &name).expect("memory");
        emulator.write(address, &bytes).expect("memory");
        arguments.push(address.to_le_bytes().to_vec());
        arguments.push((slice.len() as u64).to_le_bytes().to_vec());
    }
    arguments.extend_from_slice(values);
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let entry = module.entries().next().expect("a kernel").name.clone();
    let config = LaunchConfig::new(&entry, [1; 3], [block, 1, 1]);
    let target = DebugTarget {
        emulator: &emulator,
        program: &program,
        config: &config,
        arguments: &arguments,
    };
    let options = SessionOptions::default();
    let mut session = Session::new(target, &module, rust::names(ptx), options).expect("records");
    let sources = |_: &str| Some(SOURCE.to_owned());
    let mut console = Console::new(&mut session, &sources);
    let mut output = String::new();
    for command in commands.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let command = match command.split_once('@') {
            Some((head, rest)) => {
                let (text, tail) = rest.split_once('@').unwrap_or((rest, ""));
                format!("{head}{}{tail}", line(text))
            }
            None => command.to_owned(),
        };
        output += &format!("> {command}\n{}\n", console.execute(&command).text);
    }
    output
}

/// Checks that the output contains these texts in this order.
fn expect(output: &str, wanted: &[&str]) {
    println!("{output}");
    let mut rest = output;
    for text in wanted {
        let at = rest
            .find(text)
            .unwrap_or_else(|| panic!("`{text}` is missing after the earlier texts in\n{output}"));
        rest = &rest[at + 1..];
    }
}

#[device]
#[derive(Clone, Copy)]
struct Sample {
    low: u32,
    high: f32,
}

#[device]
fn scaled(value: u32, by: u32) -> u32 {
    let product = value * by; // the product
    product + 1
}

#[kernel]
fn names(x: &[u32], y: &mut [u32], n: u32, #[constant] factor: u32) {
    let tile = shared::<u32>([8, 9]);
    let t = thread_idx.x;
    let even = t % 2 == 0;
    let pair = Sample { low: t + 1, high: t as f32 * 0.5 };
    let (row, column) = (t / 8, t % 8);
    tile[[row % 8, column]] = x[t];
    sync_threads();
    let mut sum = 0;
    for i in 0..n {
        sum += x[i] * t; // in the loop
    }
    let mut best = [0, 0];
    #[unroll]
    for k in 0..2 {
        best[k] = x[t + k as u32] + 10; // unrolled
    }
    let more = scaled(sum, factor); // the call
    y[t] = more + best[1] + pair.low + even as u32; // the end
}

#[test]
fn values_of_a_rust_kernel_have_their_names_types_and_lines() {
    let device = Device::emulator();
    let words: Vec<u32> = (100..140).collect();
    let x = device.upload(&words).unwrap();
    let mut y = device.zeros::<u32>(40).unwrap();
    let ptx = names(&x, &mut y, 3, 7).grid(1).block(32).debug_text().unwrap();
    let output = script(
        &ptx,
        32,
        (&[words, vec![0; 40]], &[3u32.to_le_bytes().to_vec()]),
        "break @in the loop@ if t == 5 && i == 2
         continue
         locals
         args
         print x[i]
         print x.len()
         print tile[[0, 5]]
         print pair.high
         print even
         lanes i
         who wrote sum
         break @unrolled@
         continue
         print k
         continue
         print k
         break @the product@
         continue
         thread 5
         bt
         print value
         print by
         up
         print t
         print value
         down
         next
         print product
         finish
         break @the end@
         continue
         thread 5
         print best
         print more
         goto end
         print y[5]
         who wrote y[5]",
    );
    expect(
        &output,
        &[
            "breakpoint 1: thread (5,0,0)",
            "in names",
            "sum += x[i] * t; // in the loop",
            "i = 2\n",
            "sum = 1005\n",
            "row = 0\ncolumn = 5\n",
            "pair = {low: 6, high: 2.5}\n",
            "even = false\n",
            "t = 5\n",
            "factor = 7\n",
            "x = 0x",
            "x.len() = 40\n",
            "n = 3\n",
            "> print x[i]\nx[i] = 102\n",
            "x.len() = 40\n",
            "tile[[0, 5]] = 105\n",
            "pair.high = 2.5\n",
            "even = false\n",
            "lane  5 # 2",
            "sum: 500 -> 1005 by thread",
            "> print k\nk = 0\n",
            "> print k\nk = 1\n",
            "#0 scaled at",
            "#1 names at",
            "value = 1515\n",
            "by = 7\n",
            "#1 names at",
            "let more = scaled(sum, factor); // the call",
            "> print t\nt = 5\n",
            "`value` is not a name here",
            "#0 scaled at",
            "product = 10605\n",
            "best = [115, 116]\n",
            "more = 10606\n",
            "y[5] = 10728\n",
            "// the end",
        ],
    );
}

#[kernel]
fn reverse(x: &[u32], y: &mut [u32]) {
    let tile = shared::<u32>(64);
    let t = thread_idx.x;
    tile[t] = x[t];
    let from = 63 - t;
    y[t] = tile[from]; // reads too early
}

#[test]
fn a_race_in_a_rust_kernel_is_traced_to_its_line() {
    let device = Device::emulator();
    let words: Vec<u32> = (100..164).collect();
    let x = device.upload(&words).unwrap();
    let mut y = device.zeros::<u32>(64).unwrap();
    let ptx = reverse(&x, &mut y).grid(1).block(64).debug_text().unwrap();
    let output = script(
        &ptx,
        64,
        (&[words, vec![0; 64]], &[]),
        "findings
         goto end
         print y[0]
         who wrote y[0]
         break @reads too early@ if t == 0
         rcontinue
         print from
         print tile[from]
         who wrote tile[from]
         order reversed
         goto end
         print y[0]",
    );
    let cause = format!("debugger.rs:{}", line("// reads too early"));
    expect(
        &output,
        &[
            "race",
            "(not written yet)",
            "by thread (0,0,0) of block (0,0,0)",
            &cause,
            "breakpoint 1: thread (0,0,0)",
            "from = 63\n",
            "tile[from] = 3452816845 (not written yet)",
            "it is uninitialized",
            "> print y[0]\ny[0] = 163",
        ],
    );
}

#[test]
fn normal_staging_has_no_names_and_no_stores_to_the_frame() {
    let device = Device::emulator();
    let x = device.upload(&[1u32; 64]).unwrap();
    let mut y = device.zeros::<u32>(64).unwrap();
    let launch = reverse(&x, &mut y).grid(1).block(64);
    let text = launch.module().unwrap().to_string();
    assert!(!text.contains("named_values") && !text.contains("st.local"), "{text}");
    let debugged = launch.debug_text().unwrap();
    assert!(debugged.contains("// lanework-debug: local\tfrom\tu32\t"), "{debugged}");
}
