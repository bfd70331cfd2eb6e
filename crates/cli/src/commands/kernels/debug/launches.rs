//! The launches of a program or of a rung: saved by its process, and debugged one at a time.

use super::console::{STUCK_AFTER, SourceFiles, editor_failure, names_of, script, session_options};
use super::talk::{Talk, check};
use crate::args::{DebugArgs, DebugOptions, Program, SourceOptions, of_child};
use crate::program::{Ended, run as run_program};
use lanework::Checks;
use lanework::emulator::saved::SavedMemory;
use lanework::emulator::{Emulator, Options};
use lanework::ptx::Module;
use lanework::tool::{Record, Saved};
use lanework_cuda_cpp::DebugNames;
use lanework_debug::adapter::Editor;
use lanework_debug::commands::Console;
use lanework_debug::launches::{LaunchMove, LaunchSummary, ProgramState};
use lanework_debug::session::Session;
use lanework_debug::timeline::DebugTarget;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::progress::Progress;
use std::path::PathBuf;

/// Debugs the launches of a program, from a launch on.
///
/// # Errors
/// As [`super::run_program`].
pub fn program(program: &Program, first: u64, options: &DebugOptions) -> Outcome {
    check(options)?;
    let script = script(options)?;
    if program.json || options.dap {
        lanework::print_on_stderr();
    }
    let json = program.json;
    // Standard output belongs to the editor's messages.
    let program = &Program { json: json || options.dap, ..program.clone() };
    let ended = run_program(program, "save", &[("LANEWORK_TOOL_SAVE", first.to_string())])?;
    let mut launches = SavedLaunches::of(&ended, program)?;
    launches.debug(options, script.as_deref(), json)
}

/// Debugs the launches of a rung, which a process of this command runs.
///
/// # Errors
/// As [`super::run`].
pub fn rung(args: &DebugArgs) -> Outcome {
    let mut command = vec![std::env::current_exe()?.into_os_string()];
    command.extend(of_child("debug", "run"));
    let source = SourceOptions::default();
    let child = Program { command, json: args.run.json, gpus: None, gpu: None, source };
    program(&child, args.launch, &args.options)
}

/// The saved launches of a program.
struct SavedLaunches {
    /// Each launch with the PTX of its module, and the launches of its process.
    launches: Vec<(Saved, Option<String>)>,
    /// The first launch of each process.
    processes: Vec<usize>,
    names: DebugNames,
    files: Vec<PathBuf>,
}

impl SavedLaunches {
    /// The launches that a program saved.
    fn of(ended: &Ended, program: &Program) -> Result<SavedLaunches, Failure> {
        let (mut launches, mut processes) = (Vec::new(), Vec::new());
        for process in &ended.processes {
            processes.push(launches.len());
            for record in process {
                let Record::Saved(saved) = record else { continue };
                let text = Ended::module(process, saved.module).map(str::to_owned);
                launches.push((Saved::clone(saved), text));
            }
        }
        if launches.is_empty() {
            ended.own()?;
            return Err(ended.without_kernel("no launch of the program could be saved"));
        }
        let files: Vec<PathBuf> = program.command.iter().map(PathBuf::from).collect();
        let names = match ended.interpreted {
            #[cfg(all(unix, feature = "host"))]
            true => crate::program::host::debug_names(&program.command, &program.source)?,
            _ => DebugNames::default(),
        };
        Ok(SavedLaunches { launches, processes, names, files })
    }

    /// Lists the launches.
    fn summaries(&self) -> Vec<LaunchSummary> {
        let one = |(saved, text): &(Saved, Option<String>)| LaunchSummary {
            kernel: saved.launch.entry.clone(),
            grid: saved.launch.grid,
            block: saved.launch.block,
            refused: match (saved.refused.as_str(), text) {
                ("", None) => "its module has no PTX".to_owned(),
                (why, _) => why.to_owned(),
            },
        };
        self.launches.iter().map(one).collect()
    }

    /// The memory of a launch.
    fn memory(&self, index: usize) -> Result<SavedMemory, Failure> {
        let start = self.processes.iter().rev().find(|start| **start <= index);
        let mut memory = SavedMemory::default();
        for (saved, _) in &self.launches[start.copied().unwrap_or(0)..=index] {
            if saved.refused.is_empty() {
                let applied = memory.apply(&saved.memory);
                applied.map_err(|why| Failure::input(why, "run the command again"))?;
            }
        }
        Ok(memory)
    }

    fn debug(&mut self, options: &DebugOptions, script: Option<&str>, json: bool) -> Outcome {
        let mut state = ProgramState::new(self.summaries());
        if let Some(LaunchSummary { refused, .. }) =
            state.launches.get(state.current).filter(|launch| !launch.refused.is_empty())
        {
            return Err(Failure::input(
                format_args!("no launch of the program can be debugged: {refused}"),
                "save fewer launches: --launch N begins with launch N",
            ));
        }
        let mut streams = options.dap.then(|| (std::io::stdin().lock(), std::io::stdout().lock()));
        let mut editor = streams.as_mut().map(|(input, output)| Editor::new(input, output));
        let mut talk = (!options.dap).then(|| Talk::new(options, script, json));
        let mut to = LaunchMove::To(state.current);
        let mut arrived = None;
        loop {
            let (saved, text) = &self.launches[state.current];
            let text = text.clone().unwrap_or_default();
            let module = Module::parse(&text).map_err(|e| Failure::Input(e.to_string()))?;
            let emulator = Emulator::new(Options {
                checks: Some(Checks::default()),
                workers: Some(1),
                max_instructions: Some(STUCK_AFTER),
                ..Options::default()
            });
            let memory = self.memory(state.current)?;
            let program = saved.launch.restore(&module, &memory, &emulator);
            let program = program
                .map_err(|why| Failure::input(why, "free memory of this machine, and retry"))?;
            drop(memory);
            let bytes: Vec<&[u8]> = saved.launch.arguments.iter().map(Vec::as_slice).collect();
            let config = saved.launch.config();
            let (emulator, program) = (&emulator, &*program);
            let target = DebugTarget { emulator, program, config: &config, arguments: &bytes };
            let text_name = format!("PTX of {}", saved.launch.entry);
            let sources = SourceFiles { text_name, text, files: self.files.clone() };
            let names = names_of(&self.names, &sources.text, config.entry);
            let session_options = session_options(options, &sources.text_name);
            let progress = Progress::new("recording");
            let session = Session::new(target, &module, names, session_options);
            drop(progress);
            let mut session = session.map_err(lanework::Error::from)?;
            let read = |name: &str| sources.read(name);
            let mut console = Console::of_program(&mut session, &read, &mut state);
            let next = match (&mut editor, &mut talk) {
                (Some(editor), _) => {
                    editor.serve(&mut console, arrived).map_err(|why| editor_failure(&why))?
                }
                (None, Some(talk)) => match console.arrive(to).map_err(lanework::Error::from)? {
                    true => talk.hold(&mut console)?,
                    false => Some(to),
                },
                (None, None) => None,
            };
            let next = next.and_then(|next| {
                to = next;
                state.target(next)
            });
            let Some(next) = next else {
                return talk.map_or(Ok(()), Talk::end);
            };
            arrived = Some(to);
            state.current = next;
        }
    }
}
