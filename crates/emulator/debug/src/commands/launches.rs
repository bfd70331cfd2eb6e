//! Programs: commands that list the launches and move from one to another.
//!
//! A session has one launch. A command that leaves it replies with [`ReplyStatus::Launch`]; the caller then opens the
//! session of the other launch, and [`Console::arrive`] takes it to its stop.

use crate::commands::{Console, Reply, ReplyStatus, Sources};
use crate::launches::{LaunchMove, LaunchSummary, ProgramState};
use crate::session::{Session, StopReason};
use lanework_emulator::Fault;
use lanework_ptx_ir::cpp_names::readable;

impl<'s, 'a> Console<'s, 'a> {
    /// A console of the current launch of a program.
    pub fn of_program(
        session: &'s mut Session<'a>,
        sources: Sources<'s>,
        program: &'s mut ProgramState,
    ) -> Console<'s, 'a> {
        Console { program: Some(program), ..Console::new(session, sources) }
    }

    /// Sets the program's breakpoints in the session, and takes it to the stop that a move to its launch means. Returns
    /// false if that stop is in yet another launch.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn arrive(&mut self, to: LaunchMove) -> Result<bool, Fault> {
        self.arrive_with(to, false)
    }

    /// As [`Console::arrive`]; `stops` says whether the program has breakpoints that the console does not know.
    ///
    /// # Errors
    /// As [`Console::arrive`].
    pub fn arrive_with(&mut self, to: LaunchMove, stops: bool) -> Result<bool, Fault> {
        let program = self.program.as_deref();
        let all = program.map(|program| program.breakpoints.clone()).unwrap_or_default();
        let is_last = program.is_none_or(|program| program.target(to).is_none());
        for text in &all {
            // Another kernel has the line.
            let _ = self.add_break(text);
        }
        let error = match to {
            LaunchMove::To(_) => return Ok(true),
            LaunchMove::Forward if all.is_empty() && !stops => return Ok(true),
            LaunchMove::Forward => self.session.go_to_first_stop()?,
            LaunchMove::Backward => {
                self.session.go_to(u64::MAX, StopReason::End)?;
                if all.is_empty() && !stops {
                    return Ok(true);
                }
                self.session.go_on(true)?
            }
        };
        if let Some(program) = self.program.as_deref_mut() {
            program.error = error;
        }
        let found = matches!(self.session.reason(), StopReason::Breakpoint(_));
        Ok(found || is_last)
    }

    /// The reply to a command that leaves the launch; `None` for other commands.
    pub(super) fn leave(&self, name: &str, rest: &str) -> Option<Reply> {
        let program = self.program.as_deref()?;
        let ended = matches!(self.session.reason(), StopReason::End | StopReason::Fault);
        let to = match name {
            "continue" | "c" if ended => LaunchMove::Forward,
            "rcontinue" | "rc" if self.session.step() == 0 => LaunchMove::Backward,
            "launch" => match rest.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                Some(index) if index < program.launches.len() => LaunchMove::To(index),
                _ => {
                    let count = program.launches.len();
                    let text = format!("error: give a launch from 1 to {count}: launch 1");
                    return Some(Reply { text, status: ReplyStatus::Failed });
                }
            },
            _ => return None,
        };
        if let (LaunchMove::To(index), None) = (to, program.target(to)) {
            let why = &program.launches[index].refused;
            let text = format!("error: launch {} is not saved: {why}", index + 1);
            return Some(Reply { text, status: ReplyStatus::Failed });
        }
        program.target(to)?;
        Some(Reply { text: String::new(), status: ReplyStatus::Launch(to) })
    }

    /// Whether a command leaves the launch: the move to another launch, or an error.
    pub(crate) fn leaves_for(&self, command: &str) -> Option<ReplyStatus> {
        self.leave(command, "").map(|reply| reply.status)
    }

    /// Whether a later launch of the program can be debugged.
    pub(crate) fn has_later_launch(&self) -> bool {
        let program = self.program.as_deref();
        program.is_some_and(|program| program.target(LaunchMove::Forward).is_some())
    }

    /// Whether there are breakpoints, in this launch or for all of the program.
    pub(crate) fn has_breakpoints(&self) -> bool {
        let of_program = self.program.as_deref().is_some_and(|one| !one.breakpoints.is_empty());
        of_program || !self.session.breakpoints().is_empty()
    }

    pub(super) fn list_launches(&self) -> Result<String, String> {
        let program = self.program.as_deref();
        let program = program.ok_or("only a program has several launches; this is a kernel")?;
        let line = |(index, launch): (usize, &LaunchSummary)| {
            let mark = if index == program.current { '>' } else { ' ' };
            let shape = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
            let refused = match launch.refused.as_str() {
                "" => String::new(),
                why => format!(", not saved: {why}"),
            };
            let (kernel, grid, block) =
                (readable(&launch.kernel), shape(launch.grid), shape(launch.block));
            format!("{mark}{:>4}: {kernel}, grid {grid}, block {block}{refused}", index + 1)
        };
        Ok(program.launches.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// The current launch of the program, from 1; `None` for a kernel.
    pub fn launch(&self) -> Option<usize> {
        Some(self.program.as_deref()?.current + 1)
    }

    /// `launch 2 of 5, `; empty for a kernel.
    pub(super) fn launch_text(&self) -> String {
        match self.program.as_deref() {
            Some(program) => {
                format!("launch {} of {}, ", program.current + 1, program.launches.len())
            }
            None => String::new(),
        }
    }

    /// The error of the breakpoint at which the session arrived from another launch, once.
    pub fn arrival_error(&mut self) -> Option<String> {
        self.program.as_deref_mut()?.error.take()
    }

    /// As [`Console::add_break`]; in a program, the breakpoint applies to all launches.
    pub(super) fn add_break_everywhere(&mut self, rest: &str) -> Result<String, String> {
        let added = self.add_break(rest);
        let Some(program) = self.program.as_deref_mut() else {
            return added;
        };
        let (place, condition) = super::go::with_condition(rest);
        let pending = !place.is_empty()
            && program.launches.len() > 1
            && condition.map(crate::data::parse::parse).is_none_or(|parsed| parsed.is_ok());
        match added {
            Ok(text) => {
                program.breakpoints.push(rest.to_owned());
                Ok(text)
            }
            Err(why) if pending => {
                program.breakpoints.push(rest.to_owned());
                Ok(format!("{why}; the breakpoint applies to the other launches"))
            }
            Err(why) => Err(why),
        }
    }

    /// Removes the text of a breakpoint from those of all launches.
    pub(super) fn forget_break(&mut self, text: &str) {
        if let Some(program) = self.program.as_deref_mut() {
            let finding = text.starts_with("finding ");
            program.breakpoints.retain(|known| known != text && !(finding && known == "finding"));
        }
    }
}
