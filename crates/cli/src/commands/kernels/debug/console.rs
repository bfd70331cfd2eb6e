//! The conversation with the debugger: commands that are typed or read from a script, and replies as text or JSON.

use crate::args::DebugOptions;
use crate::findings::sources;
use lanework_cuda_cpp::DebugNames;
use lanework_debug::adapter::serve;
use lanework_debug::commands::{Console, Reply, ReplyStatus};
use lanework_debug::data::scope::SourceNames;
use lanework_debug::data::{cuda_cpp, dwarf, rust};
use lanework_debug::launches::LaunchMove;
use lanework_debug::session::{Session, SessionOptions};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print_data, print_json, read_text};
use serde::Serialize;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

/// Instructions of one warp after which a kernel counts as an endless loop.
pub const STUCK_AFTER: u64 = 200_000_000;

/// The text of the script, if there is one.
///
/// # Errors
/// If the file cannot be read.
pub fn script(options: &DebugOptions) -> Result<Option<String>, Failure> {
    let help = "give a file of the debugger's commands, one a line";
    options.script.as_deref().map(|path| read_text(path, help)).transpose()
}

/// The names in a kernel: of Lanework's compiler, of the kernel language, or of the PTX text's debug information.
pub fn names_of(names: &DebugNames, text: &str, entry: &str) -> SourceNames {
    let own = cuda_cpp::names(names, entry);
    let has_names =
        |names: &SourceNames| !names.parameters.is_empty() || !names.variables.is_empty();
    if has_names(&own) {
        return own;
    }
    let staged = rust::names(text);
    if has_names(&staged) { staged } else { dwarf::names(text, entry) }
}

/// The options of a session.
pub fn session_options(options: &DebugOptions, text_name: &str) -> SessionOptions {
    SessionOptions {
        schedule: options.order,
        budget: options.snapshots.saturating_mul(1 << 20),
        text_name: text_name.to_owned(),
    }
}

/// The texts that source lines are shown from.
pub struct SourceFiles {
    /// The name of the PTX text.
    pub text_name: String,
    /// The PTX text.
    pub text: String,
    /// The files of the command line.
    pub files: Vec<PathBuf>,
}

impl SourceFiles {
    /// The text of a file; rungs are built into this program.
    pub fn read(&self, name: &str) -> Option<String> {
        if name == self.text_name {
            return Some(self.text.clone());
        }
        let beside = self.files.iter().filter_map(|file| Some(file.parent()?.join(name)));
        let path = std::iter::once(PathBuf::from(name)).chain(beside).find(|path| path.is_file());
        let Some(path) = path else { return sources().read(name) };
        let bytes = std::fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A command and its reply, in JSON.
#[derive(Serialize)]
struct ReplyJson {
    command: String,
    /// The launch of the program after the command, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<usize>,
    /// Whether the command was executed; if not, the text says why.
    done: bool,
    text: String,
    /// The step after the command.
    step: u64,
    /// The current block and thread, by their linear indices.
    block: u64,
    thread: u32,
    /// The line of the thread's next instruction.
    file: Option<String>,
    line: Option<u32>,
}

/// A session in JSON.
#[derive(Serialize)]
struct SessionJson {
    /// Steps of the recorded launch; of a program's last one.
    steps: u64,
    replies: Vec<ReplyJson>,
}

/// Serves an editor on standard input and output.
pub fn serve_editor(session: &mut Session<'_>, sources: &SourceFiles) -> Outcome {
    let read = |name: &str| sources.read(name);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve(session, &read, &mut input, &mut output).map_err(|why| editor_failure(&why))
}

/// The failure of a conversation with an editor.
pub fn editor_failure(why: &std::io::Error) -> Failure {
    Failure::input(
        format_args!("the editor's messages cannot be read: {why}"),
        "start `lanework debug FILE --dap` from an editor that speaks the Debug Adapter Protocol",
    )
}

/// A conversation, which may go on in several launches.
pub struct Conversation<'s> {
    lines: Box<dyn Iterator<Item = std::io::Result<String>> + 's>,
    typed: bool,
    json: bool,
    replies: Vec<ReplyJson>,
    failed: u64,
    steps: u64,
    /// The command that led to the current launch, whose reply is its stop.
    led: Option<String>,
}

impl<'s> Conversation<'s> {
    /// Commands of a script, or those that are typed.
    pub fn new(script: Option<&'s str>, json: bool) -> Conversation<'s> {
        let lines: Box<dyn Iterator<Item = std::io::Result<String>> + 's> = match script {
            Some(script) => Box::new(script.lines().map(|line| Ok(line.to_owned()))),
            None => Box::new(std::io::stdin().lock().lines()),
        };
        let typed = script.is_none() && std::io::stdin().is_terminal();
        Conversation { lines, typed, json, replies: Vec::new(), failed: 0, steps: 0, led: None }
    }

    /// Executes commands until the end, or until one leaves the launch; returns where to.
    ///
    /// # Errors
    /// If the input cannot be read, or the output cannot be written.
    pub fn hold(&mut self, console: &mut Console<'_, '_>) -> Result<Option<LaunchMove>, Failure> {
        self.steps = console.session.timeline().steps();
        let mut position = console.position();
        if let Some(error) = console.arrival_error() {
            position.push_str(&format!("\n{error}"));
        }
        match self.led.take() {
            Some(line) => self.reply(console, line, ReplyStatus::Done, position)?,
            None if self.json => {}
            None => print_data(&format!("{position}\n"))?,
        }
        loop {
            if self.typed {
                print_data("(lanework) ")?;
            }
            let Some(line) = self.lines.next().transpose()? else { return Ok(None) };
            let line = line.trim();
            let Reply { text, status } = console.execute(line);
            match status {
                ReplyStatus::Quit => return Ok(None),
                ReplyStatus::Launch(to) => {
                    self.led = Some(line.to_owned());
                    return Ok(Some(to));
                }
                ReplyStatus::Done | ReplyStatus::Failed => {}
            }
            self.failed += u64::from(status == ReplyStatus::Failed);
            if !line.is_empty() && !line.starts_with('#') {
                self.reply(console, line.to_owned(), status, text)?;
            }
        }
    }

    fn reply(
        &mut self,
        console: &Console<'_, '_>,
        command: String,
        status: ReplyStatus,
        text: String,
    ) -> Result<(), Failure> {
        if !self.json {
            let typed = if self.typed { String::new() } else { format!("> {command}\n") };
            return print_data(&format!("{typed}{text}\n"));
        }
        let session = &*console.session;
        let place = session.place();
        let code = &session.scope().code;
        let at = code.place(place.instruction).map(|place| place.line);
        self.replies.push(ReplyJson {
            command,
            launch: console.launch(),
            done: status == ReplyStatus::Done,
            text,
            step: session.step(),
            block: place.block,
            thread: place.thread,
            file: at.map(|at| code.file(at.file).to_owned()),
            line: at.map(|at| at.line),
        });
        Ok(())
    }

    /// Ends the conversation.
    ///
    /// # Errors
    /// If commands of a script failed.
    pub fn end(self) -> Outcome {
        if self.json {
            print_json(&SessionJson { steps: self.steps, replies: self.replies })?;
        }
        match self.failed {
            _ if self.typed => Ok(()),
            0 => Ok(()),
            failed => Err(Failure::input(
                format_args!("{failed} of the debugger's commands failed"),
                "correct them; `help` lists the commands",
            )),
        }
    }
}
