//! The commands of a session, as text: for scripts, for the console of an editor, and for a terminal.

mod ask;
mod go;
mod launches;
mod show;
mod units;

use crate::code::CodeLine;
use crate::launches::{LaunchMove, ProgramState};
use crate::session::{Session, StopReason};
use lanework_emulator::Fault;
use std::collections::HashMap;

/// Returns the text of a source file, given its name in the kernel's module.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// Executes commands on a session.
pub struct Console<'s, 'a> {
    /// The session.
    pub session: &'s mut Session<'a>,
    sources: Sources<'s>,
    texts: HashMap<String, Option<Vec<String>>>,
    /// The program that makes the launch.
    program: Option<&'s mut ProgramState>,
}

/// The reply to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The text, without a line feed at its end.
    pub text: String,
    /// Whether the command succeeded, failed, or ends the session.
    pub status: ReplyStatus,
}

/// The status of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyStatus {
    /// The command was executed.
    Done,
    /// The command is invalid or has no result; the text is the reason.
    Failed,
    /// The session ends.
    Quit,
    /// The command goes to another launch of the program.
    Launch(LaunchMove),
}

/// The names of the commands, with their short forms.
const NAMES: &str = "step s next n finish out stepi si rstep rs rnext rn rfinish rout rstepi rsi continue c rcontinue rc \
    goto start end finding order help h break b watch breaks delete thread block where list l bt up down frame print p lanes \
    locals args shared registers regs warps barriers mbarriers mbarrier matrices matrix output who when findings launches \
    launch stats quit exit q";

/// Whether a line starts with the name of a command.
pub fn is_command(line: &str) -> bool {
    let name = line.split_whitespace().next();
    name.is_some_and(|name| NAMES.split_whitespace().any(|known| known == name))
}

/// The commands, for `help`.
const HELP: &str = "\
Move, forward or (with r) backward:
  step, next, finish, stepi      to the next line; over calls; to the caller; to the next instruction
  rstep, rnext, rfinish, rstepi  the same backward
     after each: thread (default), warp or block, and a count: next warp 3
  continue, rcontinue            to the next or the previous stop
  goto STEP | start | end        to a step of the recording
  launches, launch N             a program's launches; to the start of one
     at the end of a launch, continue goes on to the next one; at its start, rcontinue to the previous one
Stop:
  break 12 | k.cu:12 | function [if CONDITION]   when a warp arrives there, if it holds for one of its threads
  break instruction mma [if CONDITION]           before each instruction whose PTX name starts so
  break finding                  at each finding of the sanitizer
  watch x[3] [if CONDITION]      after a step that changed it
  breaks, delete N               list, remove
Select:
  thread X[,Y,Z], block X[,Y,Z]  the thread whose values are shown
Show:
  where, list, bt                the position, the source around it, the calls
  up, down, frame N              select a call: its line and its variables are shown
  print EXPRESSION               x[3], tile[0..8], sum * 2, threadIdx.x, %r5, (p as f32*)[0]
  lanes EXPRESSION               its value in each lane of the warp
  locals, args, shared, registers
  warps, barriers                the warps of the block and where their lanes are; who waits
  mbarriers, mbarrier EXPRESSION their phases, arrivals and bytes, of the block or of one
  matrices [A | B | C | D]       the matrices in the registers of this or the next tensor-core instruction
  output                         what the kernel has printed
Ask:
  who wrote EXPRESSION [COUNT]   the last writes before now, with the values before and after
  who read EXPRESSION [COUNT]    the last reads
  when left                      the last step of the thread, and where its warp is without it
  findings, finding N [other]    the sanitizer's findings; go to one, or to the other access of its race
Order:
  order normal | reversed | seed N   record the launch again in another order of blocks and warps
  stats                          the size of the recording
  quit";

impl<'s, 'a> Console<'s, 'a> {
    /// A console of a session.
    pub fn new(session: &'s mut Session<'a>, sources: Sources<'s>) -> Console<'s, 'a> {
        Console { session, sources, texts: HashMap::new(), program: None }
    }

    /// Executes a command. An empty line, or one that starts with `#`, does nothing.
    pub fn execute(&mut self, line: &str) -> Reply {
        let line = line.trim();
        if line == "quit" || line == "exit" || line == "q" {
            return Reply { text: String::new(), status: ReplyStatus::Quit };
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if let Some(reply) = self.leave(name, rest.trim()) {
            return reply;
        }
        match self.command(line) {
            Ok(text) => Reply { text, status: ReplyStatus::Done },
            Err(text) => Reply { text: format!("error: {text}"), status: ReplyStatus::Failed },
        }
    }

    fn command(&mut self, line: &str) -> Result<String, String> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(String::new());
        }
        if let Some(moved) = self.go(name, rest) {
            return moved;
        }
        match name {
            "help" | "h" => Ok(HELP.to_owned()),
            "break" | "b" => self.add_break_everywhere(rest),
            "watch" => self.add_watch(rest),
            "breaks" => Ok(self.list_breakpoints()),
            "delete" => self.delete(rest),
            "thread" => self.select_thread(rest),
            "block" => self.select_block(rest),
            "where" => Ok(self.position()),
            "list" | "l" => self.list(rest),
            "bt" => Ok(self.calls()),
            "up" => self.select_call(1),
            "down" => self.select_call(-1),
            "frame" => self.select_frame(rest),
            "print" | "p" => self.print(rest),
            "lanes" => self.lanes(rest),
            "locals" => Ok(self.locals()),
            "args" => Ok(self.arguments()),
            "shared" => Ok(self.shared()),
            "registers" | "regs" => self.registers(),
            "warps" => self.warps(),
            "barriers" => self.barriers(),
            "mbarriers" | "mbarrier" => self.mbarriers(rest),
            "matrices" | "matrix" => self.matrices(rest),
            "output" => Ok(self.output()),
            "who" => self.who(rest),
            "when" => self.when(rest),
            "findings" => self.findings(),
            "launches" | "launch" => self.list_launches(),
            "stats" => Ok(self.stats()),
            _ => Err(format!("`{name}` is not a command; `help` lists them")),
        }
    }

    /// The lines of a source file; `None` if its text is not available.
    pub fn source_text(&mut self, file: &str) -> Option<&[String]> {
        let sources = self.sources;
        let text = self.texts.entry(file.to_owned()).or_insert_with_key(|file| {
            sources(file).map(|text| text.lines().map(str::to_owned).collect())
        });
        text.as_deref()
    }

    /// A line of source.
    fn source_line(&mut self, line: CodeLine) -> Option<String> {
        let file = self.session.scope().code.file(line.file).to_owned();
        self.source_text(&file)?.get(line.line.checked_sub(1)? as usize).cloned()
    }

    /// The text of a source file, given its name in the kernel's module.
    pub fn whole_source(&self, file: &str) -> Option<String> {
        (self.sources)(file)
    }

    /// The current position, as text.
    pub fn position(&mut self) -> String {
        let session = &*self.session;
        let (step, steps) = (session.step(), session.timeline().steps());
        let why = match session.reason() {
            StopReason::Start => "start of the launch".to_owned(),
            StopReason::Moved => String::new(),
            StopReason::Stepped => String::new(),
            StopReason::Breakpoint(number) => format!("breakpoint {number}"),
            StopReason::ThreadEnds => "the thread ends here".to_owned(),
            StopReason::Fault => "fault".to_owned(),
            StopReason::End => {
                let launch = self.launch_text();
                return format!("{launch}step {step} of {steps}: the launch has ended");
            }
        };
        let why = if why.is_empty() { why } else { format!(", {why}") };
        let (launch, thread) = (self.launch_text(), self.thread_and_line());
        let mut text = format!("{launch}step {step} of {steps}{why}: {thread}");
        if let (StopReason::Fault, Some(fault)) =
            (session.reason(), &session.timeline().end().fault)
        {
            text.push_str(&format!("\n{fault}"));
        }
        let place = session.place();
        let line = session.scope().code.place(place.instruction).map(|place| place.line);
        if let Some((line, source)) = line.and_then(|line| Some((line, self.source_line(line)?))) {
            text.push_str(&format!("\n{:>5} | {source}", line.line));
        }
        text
    }

    /// The current thread and its line.
    fn thread_and_line(&self) -> String {
        let session = &*self.session;
        let place = session.place();
        let code = &session.scope().code;
        let function = code.shown_function(place.instruction);
        let function = lanework_ptx_ir::cpp_names::readable(&function);
        format!(
            "{}, {} in {function}",
            self.thread_text(place.block, place.thread),
            code.text(place.instruction)
        )
    }

    /// `thread (1,0,0) of block (0,0,0)`.
    fn thread_text(&self, block: u64, thread: u32) -> String {
        let scope = self.session.scope();
        let text = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let thread = crate::data::evaluate::coordinates(scope.block, thread.into());
        let block = crate::data::evaluate::coordinates(scope.grid, block);
        format!("thread {} of block {}", text(thread), text(block))
    }
}

/// Converts a replay's fault to a command's error.
fn replay_error(fault: Fault) -> String {
    fault.to_string()
}
