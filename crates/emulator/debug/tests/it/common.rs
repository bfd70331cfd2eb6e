//! Runs commands on a launch of CUDA C++.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_debug::commands::Console;
use lanework_debug::data::{cuda_cpp, dwarf};
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;
use lanework_emulator::sanitize::Checks;
use lanework_emulator::{Emulator, LaunchConfig, Options};
use lanework_ptx::Module;
use lanework_testing::expect_file;

/// A launch of the only kernel of a source.
pub struct TestLaunch<'a> {
    /// CUDA C++.
    pub source: &'a str,
    /// Blocks and threads.
    pub shape: (u32, u32),
    /// The arguments: arrays of words, then numbers.
    pub arrays: Vec<Vec<u32>>,
    pub numbers: Vec<u32>,
}

fn options_of() -> CompileOptions {
    CompileOptions { debug: true, ..CompileOptions::default() }
}

impl TestLaunch<'_> {
    /// Calls `run` with a session that is at the launch's first step.
    pub fn debug<R>(&self, options: SessionOptions, run: impl FnOnce(&mut Session<'_>) -> R) -> R {
        let compiled = compile(self.source, "k.cu", &options_of(), &mut NoFiles);
        let compiled = compiled.unwrap_or_else(|failure| panic!("{}", failure.text));
        let module = Module::parse(&compiled.text).expect("PTX");
        let checks = Some(Checks::default());
        let emulator = Emulator::new(Options { checks, ..Options::default() });
        let program = emulator.load(&module).expect("loads");
        let mut arguments: Vec<Vec<u8>> = Vec::new();
        for (index, array) in self.arrays.iter().enumerate() {
            let bytes: Vec<u8> = array.iter().flat_map(|word| word.to_le_bytes()).collect();
            let name = format!("array {index}");
            let address = emulator.allocate(bytes.len() as u64, &name).expect("memory");
            emulator.write(address, &bytes).expect("memory");
            arguments.push(address.to_le_bytes().to_vec());
        }
        arguments.extend(self.numbers.iter().map(|number| number.to_le_bytes().to_vec()));
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let entry = module.entries().next().expect("a kernel").name.clone();
        let (grid, block) = self.shape;
        let config = LaunchConfig::new(&entry, [grid, 1, 1], [block, 1, 1]);
        let target = DebugTarget {
            emulator: &emulator,
            program: &program,
            config: &config,
            arguments: &arguments,
        };
        let names = cuda_cpp::names(&compiled.names, &entry);
        let mut session = Session::new(target, &module, names, options).expect("records");
        run(&mut session)
    }

    /// The replies to the commands in `script`, one per line.
    pub fn script(&self, script: &str) -> String {
        self.debug(SessionOptions::default(), |session| {
            let source = |_: &str| Some(self.source.to_owned());
            replies(&mut Console::new(session, &source), script)
        })
    }
}

/// The replies to the commands in `script`, on the first kernel of a PTX text. Its arguments are arrays, then other values.
pub fn ptx_script(
    (text, source): (&str, &str),
    (grid, block): ([u32; 3], [u32; 3]),
    (arrays, values): (&[Vec<u8>], &[Vec<u8>]),
    script: &str,
) -> String {
    let arguments = |emulator: &Emulator| {
        let arrays = arrays.iter().map(|array| upload(emulator, array).to_le_bytes().to_vec());
        arrays.chain(values.iter().cloned()).collect()
    };
    launch_script((text, source), (grid, block), &arguments, script)
}

/// The address of an array with these bytes.
pub fn upload(emulator: &Emulator, bytes: &[u8]) -> u64 {
    let address = emulator.allocate(bytes.len() as u64, "array").expect("memory");
    emulator.write(address, bytes).expect("memory");
    address
}

/// As [`ptx_script`], with arguments that a function makes.
pub fn launch_script(
    (text, source): (&str, &str),
    (grid, block): ([u32; 3], [u32; 3]),
    arguments: &dyn Fn(&Emulator) -> Vec<Vec<u8>>,
    script: &str,
) -> String {
    let module = Module::parse(text).expect("PTX");
    let checks = Some(Checks::default());
    let emulator = Emulator::new(Options { checks, ..Options::default() });
    let program = emulator.load(&module).expect("loads");
    let arguments = arguments(&emulator);
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let entry = module.entries().next().expect("a kernel").name.clone();
    let config = LaunchConfig::new(&entry, grid, block);
    let target = DebugTarget {
        emulator: &emulator,
        program: &program,
        config: &config,
        arguments: &arguments,
    };
    let names = dwarf::names(text, &entry);
    let mut session =
        Session::new(target, &module, names, SessionOptions::default()).expect("records");
    let sources = |_: &str| Some(source.to_owned());
    replies(&mut Console::new(&mut session, &sources), script)
}

/// The replies to the commands in `script`, one per line.
fn replies(console: &mut Console<'_, '_>, script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let replies = lines.map(|line| format!("> {line}\n{}\n", console.execute(line).text));
    replies.collect()
}

/// Checks that the output contains these texts in this order.
pub fn expect(output: &str, wanted: &[&str]) {
    println!("{output}");
    let mut rest = output;
    for text in wanted {
        let at = rest
            .find(text)
            .unwrap_or_else(|| panic!("`{text}` is missing after the earlier texts in\n{output}"));
        rest = &rest[at + 1..];
    }
}

/// Runs a script and checks that its output contains these texts in this order.
pub fn traces(launch: &TestLaunch<'_>, script: &str, wanted: &[&str]) {
    expect(&launch.script(script), wanted);
}

/// The messages of an editor, each with its header. An empty text means no arguments.
pub fn requests(all: &[(&str, &str)]) -> String {
    let one = |(index, (command, arguments)): (usize, &(&str, &str))| {
        let arguments = if arguments.is_empty() { "{}" } else { arguments };
        let number = index + 1;
        let body = format!(
            r#"{{"seq":{number},"type":"request","command":"{command}","arguments":{arguments}}}"#
        );
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    all.iter().enumerate().map(one).collect()
}

/// The messages to an editor, each as JSON text.
pub fn messages(output: &[u8]) -> Vec<String> {
    let mut rest = std::str::from_utf8(output).expect("UTF-8");
    let mut messages = Vec::new();
    while let Some((header, after)) = rest.split_once("\r\n\r\n") {
        let length = header.strip_prefix("Content-Length: ").expect("header");
        let length: usize = length.parse().expect("a number");
        messages.push(after[..length].to_owned());
        rest = &after[length..];
    }
    messages
}

/// Compares the messages to an editor with those of a recorded session.
pub fn golden_session(name: &str, output: &[u8]) {
    let text: String = messages(output).into_iter().map(|message| message + "\n").collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sessions");
    expect_file(format!("{folder}/{name}.jsonl"), &text);
}
