//! A program's launches: saved with their memory, restored, and debugged one after the other.

use crate::common::{expect, golden_session, requests};
use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_debug::adapter::Editor;
use lanework_debug::commands::{Console, ReplyStatus};
use lanework_debug::data::cuda_cpp;
use lanework_debug::launches::{LaunchMove, LaunchSummary, ProgramState};
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;
use lanework_emulator::saved::{MemorySaver, SavedAllocation, SavedLaunch, SavedMemory};
use lanework_emulator::{Emulator, LaunchConfig, Options};
use lanework_ptx::Module;

const SOURCE: &str = "\
__device__ unsigned total = 5;
__constant__ unsigned factor = 3;
__global__ void add(unsigned* x, unsigned n) {
    unsigned i = threadIdx.x;
    x[i] += n;
    if (i == 0)
        total += n;
}
__global__ void scale(unsigned** of) {
    unsigned i = threadIdx.x;
    unsigned* x = of[0];
    x[i] *= factor;
}
";

/// Saves the launches of a program: `add`, `scale` by a pointer in memory, `add` again.
fn saved() -> (String, Vec<(SavedLaunch, Vec<SavedAllocation>)>) {
    let options = CompileOptions { debug: true, ..CompileOptions::default() };
    let compiled = compile(SOURCE, "k.cu", &options, &mut NoFiles).expect("compiles");
    let module = Module::parse(&compiled.text).expect("PTX");
    let emulator = Emulator::on_host_memory(Options::default());
    let program = emulator.load(&module).expect("loads");
    let x = emulator.allocate(40 * 4, "x").expect("memory");
    emulator.fill(x, 0, 160).expect("memory");
    let of = emulator.allocate(8, "of").expect("memory");
    emulator.write(of, &x.to_le_bytes()).expect("memory");
    let names: Vec<String> = module.entries().map(|entry| entry.name.clone()).collect();
    let entry = |name: &str| names.iter().find(|of| of.contains(name)).expect("the kernel");
    let (x, of) = (x.to_le_bytes(), of.to_le_bytes());
    let launches: [(&str, Vec<&[u8]>); 3] = [
        (entry("add"), vec![&x, &[2, 0, 0, 0]]),
        (entry("scale"), vec![&of]),
        (entry("add"), vec![&x, &[1, 0, 0, 0]]),
    ];
    let mut saver = MemorySaver::default();
    let mut all = Vec::new();
    for (entry, arguments) in launches {
        let config = LaunchConfig::new(entry, [1; 3], [40, 1, 1]);
        let launch = SavedLaunch::of(&program, &config, &arguments);
        all.push((launch, saver.save(&emulator.memory()).expect("readable")));
        emulator.run(&program, &config, &arguments).expect("runs");
    }
    (compiled.text, all)
}

/// Opens one launch after the other: calls `serve` with the console and with the move that led to the launch. Goes where
/// `serve` says.
fn each_launch(
    serve: &mut dyn FnMut(&mut Console<'_, '_>, Option<LaunchMove>) -> Option<LaunchMove>,
) {
    let (text, all) = saved();
    let module = Module::parse(&text).expect("PTX");
    let options = CompileOptions { debug: true, ..CompileOptions::default() };
    let names = compile(SOURCE, "k.cu", &options, &mut NoFiles).expect("compiles").names;
    let summary = |(launch, _): &(SavedLaunch, Vec<SavedAllocation>)| LaunchSummary {
        kernel: launch.entry.clone(),
        grid: launch.grid,
        block: launch.block,
        refused: String::new(),
    };
    let mut state = ProgramState::new(all.iter().map(summary).collect());
    let mut arrived = None;
    loop {
        let mut memory = SavedMemory::default();
        all[..=state.current].iter().for_each(|(_, saved)| memory.apply(saved).expect("whole"));
        let launch = &all[state.current].0;
        let emulator = Emulator::new(Options::default());
        let program = launch.restore(&module, &memory, &emulator).expect("restores");
        let config = launch.config();
        let arguments: Vec<&[u8]> = launch.arguments.iter().map(Vec::as_slice).collect();
        let target = DebugTarget {
            emulator: &emulator,
            program: &program,
            config: &config,
            arguments: &arguments,
        };
        let names = cuda_cpp::names(&names, &launch.entry);
        let mut session =
            Session::new(target, &module, names, SessionOptions::default()).expect("records");
        let sources = |_: &str| Some(SOURCE.to_owned());
        let mut console = Console::of_program(&mut session, &sources, &mut state);
        let Some(to) = serve(&mut console, arrived) else { return };
        arrived = Some(to);
        state.current = state.target(to).expect("a launch");
    }
}

/// Runs a script across the launches.
fn script(commands: &str) -> String {
    let mut commands = commands.lines().map(str::trim);
    let mut output = String::new();
    each_launch(&mut |console, arrived| {
        let to = arrived.unwrap_or(LaunchMove::To(0));
        if !console.arrive(to).expect("replays") {
            return Some(to);
        }
        output += &format!("{}\n", console.position());
        for line in commands.by_ref() {
            let reply = console.execute(line);
            output += &format!("> {line}\n{}\n", reply.text);
            if let ReplyStatus::Launch(next) = reply.status {
                return Some(next);
            }
        }
        None
    });
    output
}

#[test]
fn an_editor_s_session_of_a_program_is_as_recorded() {
    let input = requests(&[
        ("initialize", r#"{"adapterID":"lanework"}"#),
        ("launch", r#"{"stopOnEntry":false,"stopAtEnd":false}"#),
        (
            "setBreakpoints",
            r#"{"source":{"path":"/src/k.cu"},"breakpoints":[{"line":5,"condition":"i == 3"}]}"#,
        ),
        ("setFunctionBreakpoints", r#"{"breakpoints":[{"name":"scale"}]}"#),
        ("configurationDone", ""),
        ("stackTrace", r#"{"threadId":1}"#),
        ("evaluate", r#"{"expression":"x[i]","frameId":1,"context":"watch"}"#),
        ("continue", r#"{"threadId":1}"#),
        ("continue", r#"{"threadId":1}"#),
        ("continue", r#"{"threadId":1}"#),
        ("evaluate", r#"{"expression":"launches","context":"repl"}"#),
        ("evaluate", r#"{"expression":"x[i]","context":"watch"}"#),
        ("reverseContinue", r#"{"threadId":1}"#),
        ("evaluate", r#"{"expression":"launch 3","context":"repl"}"#),
        ("continue", r#"{"threadId":1}"#),
        ("continue", r#"{"threadId":1}"#),
        ("disconnect", ""),
    ]);
    let (mut input, mut output) = (input.as_bytes(), Vec::new());
    let mut editor = Editor::new(&mut input, &mut output);
    each_launch(&mut |console, arrived| editor.serve(console, arrived).expect("serves"));
    golden_session("program", &output);
}

#[test]
fn each_launch_sees_the_memory_that_the_earlier_ones_left() {
    let output = script(
        "print x[3]
         print total
         launches
         launch 3
         print x[3]
         print total
         goto end
         print x[3]
         print total
         launch 2
         print factor
         print of[0][3]
         goto end
         print of[0][3]
         launch 4",
    );
    expect(
        &output,
        &[
            "launch 1 of 3, step 0",
            "x[3] = 0",
            "total = 5",
            ">   1: add",
            "   2: scale",
            "launch 3 of 3, step 0",
            "x[3] = 6",
            "total = 7",
            "x[3] = 7",
            "total = 8",
            "launch 2 of 3",
            "factor = 3",
            "of[0][3] = 2",
            "of[0][3] = 6",
            "error: give a launch from 1 to 3",
        ],
    );
}

#[test]
fn a_run_continues_in_the_next_launch_and_back_in_the_previous_one() {
    let output = script(
        "continue
         continue
         continue
         rcontinue
         goto start
         rcontinue
         rcontinue
         break 12 if i == 35
         goto end
         continue
         print i
         continue
         continue
         launches",
    );
    expect(
        &output,
        &[
            "launch 1 of 3, step 0",
            "> continue\nlaunch 1 of 3, step 44 of 44: the launch has ended",
            "> continue\n\nlaunch 2 of 3, step 0",
            "> continue\nlaunch 2 of 3, step 36 of 36: the launch has ended",
            "> rcontinue\nlaunch 2 of 3, step 0",
            "> rcontinue\n\nlaunch 1 of 3, step 44 of 44: the launch has ended",
            "> rcontinue\nlaunch 1 of 3, step 0",
            "the breakpoint applies to the other launches",
            "breakpoint 1: thread (35,0,0) of block (0,0,0), k.cu:12",
            "i = 35",
            "> continue\nlaunch 2 of 3, step 36 of 36: the launch has ended",
            "> continue\n\nlaunch 3 of 3, step 44 of 44: the launch has ended",
            ">   3: add",
        ],
    );
}
