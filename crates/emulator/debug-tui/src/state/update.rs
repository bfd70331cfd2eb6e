//! Keys change the state and move the session.

use crate::state::facts::KeyEffect;
use crate::state::keys::{Action, action};
use crate::state::prompt::{Edited, Prompt};
use crate::state::{App, KeyMode, Pane};
use crossterm::event::{KeyCode, KeyEvent};
use lanework_debug::commands::{Console, ReplyStatus};
use lanework_debug::session::StopReason;
use lanework_debug::session::breakpoints::BreakpointKind;
use lanework_debug::session::stepping::StepUnit;

impl App {
    /// Acts on a key.
    pub fn press(&mut self, key: KeyEvent, console: &mut Console<'_, '_>) -> KeyEffect {
        let outcome = self.react(key, console);
        if outcome == KeyEffect::Stay {
            // A search that was interrupted left the memory of another step.
            let now = (console.session.step(), console.session.focus());
            self.interrupted("", now, console);
        }
        outcome
    }

    fn react(&mut self, key: KeyEvent, console: &mut Console<'_, '_>) -> KeyEffect {
        match &mut self.mode {
            KeyMode::Help => {
                self.mode = KeyMode::Keys;
                KeyEffect::Stay
            }
            KeyMode::Prompt(prompt) => match prompt.edit(key, &self.typed) {
                Edited::Open => KeyEffect::Stay,
                Edited::Cancelled => {
                    self.mode = KeyMode::Keys;
                    KeyEffect::Stay
                }
                Edited::Done(line) => {
                    self.mode = KeyMode::Keys;
                    self.typed(line.trim(), console)
                }
            },
            KeyMode::Keys => {
                self.status = None;
                let action = action(self, key);
                // At the start of the source, Escape lets the cursor follow the thread again.
                if key.code == KeyCode::Esc && action == Action::Ignored {
                    self.cursor = None;
                }
                self.act(action, console)
            }
        }
    }

    /// Executes a typed line: a command of the prompt, or a choice of this interface.
    fn typed(&mut self, line: &str, console: &mut Console<'_, '_>) -> KeyEffect {
        if line.is_empty() {
            return KeyEffect::Stay;
        }
        if self.typed.last().is_none_or(|last| last != line) {
            self.typed.push(line.to_owned());
        }
        self.status = None;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (name, rest.trim()) {
            ("memory", of) if !of.is_empty() => {
                self.choose_memory(of.to_owned());
                KeyEffect::Stay
            }
            ("lanes", of) if !of.is_empty() => {
                self.lanes = Some(of.to_owned());
                KeyEffect::Stay
            }
            ("findings", "") => self.act(Action::Findings, console),
            ("list", "") => {
                self.cursor = None;
                self.focus(Pane::Source);
                KeyEffect::Stay
            }
            _ => self.run(line, true, console),
        }
    }

    pub(super) fn choose_memory(&mut self, of: String) {
        (self.memory, self.element, self.note) = (Some(of), 0, None);
        self.tab = Pane::Memory;
    }

    /// Executes a command; a typed one shows its reply.
    pub(super) fn run(
        &mut self,
        line: &str,
        typed: bool,
        console: &mut Console<'_, '_>,
    ) -> KeyEffect {
        let before = (console.session.step(), console.session.focus());
        let reply = console.execute(line);
        if self.interrupted(line, before, console) {
            return KeyEffect::Stay;
        }
        match reply.status {
            ReplyStatus::Quit => return KeyEffect::Quit,
            ReplyStatus::Launch(to) => return KeyEffect::Leave(to),
            ReplyStatus::Failed => self.fail(&reply.text),
            ReplyStatus::Done => {}
        }
        self.log(&format!("> {line}\n{}", reply.text));
        let moved = before != (console.session.step(), console.session.focus());
        if moved {
            (self.cursor, self.aim) = (None, None);
        }
        let name = line.split_whitespace().next().unwrap_or_default();
        if typed && (!moved || reply.status == ReplyStatus::Failed) {
            self.tab = Pane::Replies;
        }
        if matches!(name, "order") {
            self.findings = None;
        }
        if matches!(name, "break" | "b" | "watch" | "delete" | "order") {
            self.refresh_marks(console);
        }
        self.show_fault(console);
        KeyEffect::Stay
    }

    /// After an interrupted command: a run forward stops where it was, and other commands have no effect. Returns whether
    /// there was an interrupt.
    fn interrupted(
        &mut self,
        line: &str,
        (step, focus): (u64, (u64, u32)),
        console: &mut Console<'_, '_>,
    ) -> bool {
        let control = std::sync::Arc::clone(console.session.timeline().control());
        let reached = control.step();
        if !control.take_interrupt() {
            return false;
        }
        let runs = matches!(line, "continue" | "c");
        let to = if runs { reached.max(step) } else { step };
        match console.session.go_to(to, StopReason::Moved) {
            Ok(()) => self.status = Some(self.info(&format!("interrupted; this is step {to}"))),
            Err(why) => self.fail(&why.to_string()),
        }
        if to == step {
            // The thread was selected before.
            let _ = console.session.select(focus.0, focus.1);
        }
        true
    }

    fn act(&mut self, action: Action, console: &mut Console<'_, '_>) -> KeyEffect {
        match action {
            Action::Run(command) => return self.run(&command, false, console),
            Action::Step(name) => {
                let unit = match self.unit {
                    StepUnit::Thread => "thread",
                    StepUnit::Warp => "warp",
                    StepUnit::Block => "block",
                };
                return self.run(&format!("{name} {unit}"), false, console);
            }
            Action::Quit => return KeyEffect::Quit,
            Action::Enter => return self.enter(console),
            Action::Other => {
                let found = self.findings.as_ref().is_some_and(|all| self.finding < all.len());
                if found {
                    let command = format!("finding {} other", self.finding + 1);
                    return self.run(&command, false, console);
                }
                self.fail("no finding is selected; f checks the launch");
            }
            Action::GoToWriter => match self.note.as_ref().and_then(|note| note.step) {
                Some(step) => return self.run(&format!("goto {step}"), false, console),
                None => self.fail("w asks who wrote the selected element"),
            },
            Action::Mark(forward) => {
                let now = console.session.step();
                let mut steps = self.marks.iter().map(|mark| mark.step);
                let to = match forward {
                    true => steps.find(|step| *step > now),
                    false => steps.rfind(|step| *step < now),
                };
                match to {
                    Some(step) => return self.run(&format!("goto {step}"), false, console),
                    None => self.fail("no mark in this direction; b sets a breakpoint"),
                }
            }
            Action::ToggleBreakpoint => return self.toggle_breakpoint(console),
            Action::Condition => match self.line() {
                Some((file, line)) => {
                    self.mode = KeyMode::Prompt(Prompt::with(&format!("break {file}:{line} if ")));
                }
                None => self.fail("the source is not available"),
            },
            Action::Prompt(text) => self.mode = KeyMode::Prompt(Prompt::with(&text)),
            Action::ChooseMemory => self.mode = KeyMode::Prompt(Prompt::with("memory ")),
            Action::ChooseLanes => self.mode = KeyMode::Prompt(Prompt::with("lanes ")),
            Action::Focus(pane) => self.focus(pane),
            Action::NextPane(forward) => {
                let all: Vec<Pane> = Pane::ALL
                    .into_iter()
                    .filter(|pane| !pane.is_tab() || *pane == self.tab)
                    .collect();
                let at = all.iter().position(|pane| *pane == self.pane).unwrap_or(0);
                let step = if forward { 1 } else { all.len() - 1 };
                self.focus(all[(at + step) % all.len()]);
            }
            Action::Move(x, y) => self.move_by(x, y, console),
            Action::Page(pages) => self.page(pages, console),
            Action::Edge(last) => self.edge(last, console),
            Action::Unit => {
                self.unit = match self.unit {
                    StepUnit::Thread => StepUnit::Warp,
                    StepUnit::Warp => StepUnit::Block,
                    StepUnit::Block => StepUnit::Thread,
                };
            }
            Action::Who(reads) => self.who(reads, console),
            Action::Findings => {
                self.focus(Pane::Findings);
                self.check(console);
            }
            Action::Warp(forward) => self.select_warp(forward, console),
            Action::Block(forward) => self.select_block(forward, console),
            Action::Help => self.mode = KeyMode::Help,
            Action::Ignored => {}
        }
        KeyEffect::Stay
    }

    fn who(&mut self, reads: bool, console: &mut Console<'_, '_>) {
        let of = match self.pane {
            Pane::Variables => self.names.get(self.variable).cloned(),
            _ => self.selected.clone(),
        };
        match of {
            Some(of) => self.ask_who(of, reads, console),
            None => self.fail("no element is selected; m chooses an array"),
        }
    }

    /// The line of the source's cursor.
    fn line(&self) -> Option<(String, u32)> {
        self.cursor.clone().or_else(|| self.shown.clone())
    }

    fn toggle_breakpoint(&mut self, console: &mut Console<'_, '_>) -> KeyEffect {
        let Some((file, line)) = self.line() else {
            self.fail("the source is not available");
            return KeyEffect::Stay;
        };
        let code = &console.session.scope().code;
        let on_line = |kind: &BreakpointKind| match kind {
            BreakpointKind::Line(at) => at.line == line && code.file(at.file) == file,
            BreakpointKind::Change(_)
            | BreakpointKind::Step(..)
            | BreakpointKind::Instruction(_) => false,
        };
        let known = console.session.breakpoints().iter().find(|one| on_line(&one.kind));
        let command = match known.map(|one| one.number) {
            Some(number) => format!("delete {number}"),
            None => format!("break {file}:{line}"),
        };
        let cursor = self.cursor.clone();
        let outcome = self.run(&command, false, console);
        self.cursor = cursor;
        if self.status.is_none() {
            // The answer names the line of the next code.
            let answer = self.replies.last().cloned().unwrap_or_default();
            self.status = Some(self.info(&answer));
        }
        outcome
    }
}
