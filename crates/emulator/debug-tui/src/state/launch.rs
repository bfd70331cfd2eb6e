//! The interface's knowledge about the current launch: findings, marks on the timeline, the last answer about a writer.

use crate::state::facts::{FindingLine, Mark, MarkKind, WriterNote};
use crate::state::{App, Pane, SeenValues, StatusText};
use lanework_debug::commands::{Console, ReplyStatus};
use lanework_debug::session::StopReason;

/// Launches of at most this many steps are searched for all stops whenever a breakpoint changes.
const SEARCHED: u64 = 1_000_000;
/// Maximum number of stops on the timeline.
const MOST_STOPS: usize = 4096;
/// Maximum number of findings whose steps are searched.
const MOST_FINDINGS: usize = 32;

impl App {
    /// Begins with a launch: forgets what belongs to the last one.
    pub fn arrive(&mut self, console: &mut Console<'_, '_>) {
        self.findings = None;
        self.note = None;
        self.cursor = None;
        self.seen = SeenValues::default();
        self.refresh_marks(console);
        let position = console.position();
        self.log(&position);
        let error = console.arrival_error();
        self.status = error.map(|text| StatusText { text, is_error: true });
        self.show_fault(console);
    }

    /// Shows the replies if the launch stopped at a fault, whose text is there.
    pub(super) fn show_fault(&mut self, console: &Console<'_, '_>) {
        if *console.session.reason() == StopReason::Fault {
            self.tab = Pane::Replies;
        }
    }

    /// Searches the launch for the stops of the breakpoints, and marks them with the findings.
    pub(super) fn refresh_marks(&mut self, console: &mut Console<'_, '_>) {
        let findings = self.findings.iter().flatten().filter_map(|one| one.step);
        let kind = MarkKind::Finding;
        self.marks = findings.map(|step| Mark { step, kind }).collect();
        if console.session.timeline().steps() <= SEARCHED {
            // A search that fails leaves no marks; the command that follows reports the failure.
            let stops = console.session.stop_marks(MOST_STOPS).unwrap_or_default();
            let kind = MarkKind::Stop;
            self.marks.extend(stops.into_iter().map(|stop| Mark { step: stop.step, kind }));
        }
        self.marks.sort_unstable();
        self.marks.dedup();
    }

    /// Checks the launch, once.
    pub(super) fn check(&mut self, console: &mut Console<'_, '_>) {
        if self.findings.is_some() {
            return;
        }
        let reports = match console.session.findings() {
            Ok(reports) => reports.to_vec(),
            Err(why) => return self.fail(&why.to_string()),
        };
        let mut found = Vec::new();
        for (index, report) in reports.iter().enumerate() {
            let step = match index < MOST_FINDINGS {
                true => console.session.step_of_finding(index, false),
                false => Ok(None),
            };
            if console.session.timeline().control().is_interrupted() {
                return;
            }
            found.push(FindingLine {
                text: report.message.clone(),
                place: report.location.as_ref().map(|at| (at.file.to_string(), at.line)),
                step: step.ok().flatten().map(|(step, _)| step),
            });
        }
        // The searches replayed other steps.
        let (step, reason) = (console.session.step(), console.session.reason().clone());
        let focus = console.session.focus();
        if let Err(why) = console.session.go_to(step, reason) {
            return self.fail(&why.to_string());
        }
        // The thread was selected before.
        let _ = console.session.select(focus.0, focus.1);
        self.status = found.is_empty().then(|| self.info("the sanitizer found nothing"));
        (self.findings, self.finding) = (Some(found), 0);
        self.refresh_marks(console);
    }

    /// Asks which access to an expression was the last one.
    pub(super) fn ask_who(&mut self, of: String, reads: bool, console: &mut Console<'_, '_>) {
        let verb = if reads { "read" } else { "wrote" };
        let command = format!("who {verb} {of}");
        let reply = console.execute(&command);
        self.log(&format!("> {command}\n{}", reply.text));
        if reply.status == ReplyStatus::Failed {
            return self.fail(&reply.text);
        }
        let step = reply.text.strip_prefix("step ").and_then(|rest| rest.split(':').next());
        let step = step.and_then(|step| step.parse().ok());
        let asked = console.session.step();
        self.note = Some(WriterNote { of, asked, text: reply.text, step });
        self.status = step.map(|step| self.info(&format!("g goes to step {step}")));
        if !self.pane.is_tab() || self.pane == Pane::Output {
            self.tab = Pane::Memory;
        }
    }

    /// A message for the status row.
    pub(super) fn info(&self, text: &str) -> StatusText {
        StatusText { text: self.say(text), is_error: false }
    }

    /// Shows an error.
    pub(super) fn fail(&mut self, text: &str) {
        let text = text.lines().next().unwrap_or_default().to_owned();
        self.status = Some(StatusText { text: self.say(&text), is_error: true });
    }
}
