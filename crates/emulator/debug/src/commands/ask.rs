//! Commands that ask about the past: which threads wrote or read memory, when a thread left, what the sanitizer found.

use crate::commands::{Console, replay_error};
use crate::data::types::{DataType, text};
use crate::session::StopReason;
use crate::session::breakpoints::Watched;
use crate::session::history::{HistoryEntry, HistoryKind};
use lanework_engine::event::Space;

/// Default number of listed accesses.
const SHOWN: usize = 1;

/// Maximum number of threads listed per access.
const MOST_THREADS: usize = 4;

impl Console<'_, '_> {
    pub(super) fn who(&mut self, rest: &str) -> Result<String, String> {
        let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let kind = match verb {
            "wrote" => HistoryKind::Writes,
            "read" => HistoryKind::Reads,
            _ => return Err("ask `who wrote x[3]` or `who read x[3]`".to_owned()),
        };
        let rest = rest.trim();
        // `who wrote x[3] 5`: a count after the expression.
        let counted = rest.rsplit_once(char::is_whitespace);
        let counted = counted.and_then(|(of, count)| Some((of.trim(), count.parse().ok()?)));
        let counted = counted.filter(|(of, _)| crate::data::parse::parse(of).is_ok());
        let (of, count) = counted.unwrap_or((rest, SHOWN));
        let (watched, ty) = self.watched_before_end(of)?;
        let entries = self.session.history(watched, kind, count).map_err(replay_error)?;
        if entries.is_empty() {
            let (verb, did) = match kind {
                HistoryKind::Writes => match watched.place.space {
                    Space::Shared | Space::Local => ("wrote", "it is uninitialized"),
                    _ => ("wrote", "it holds its value from before the launch"),
                },
                HistoryKind::Reads => ("read", "only later steps do, if any"),
            };
            return Ok(format!("no step before step {} {verb} {of}: {did}", self.session.step()));
        }
        let lines: Vec<String> =
            entries.iter().map(|entry| self.entry(of, &ty, kind, entry)).collect();
        Ok(lines.join("\n"))
    }

    /// The bytes that an expression names. The end of a launch has no shared or local memory; there, the expression means
    /// that of the last step.
    fn watched_before_end(&mut self, of: &str) -> Result<(Watched, DataType), String> {
        let first = self.session.watched(of);
        let steps = self.session.timeline().steps();
        if first.is_ok() || self.session.moment().is_some() || steps == 0 {
            return first;
        }
        let (block, thread) = self.session.focus();
        self.session.go_to(steps - 1, StopReason::Moved).map_err(replay_error)?;
        let same = self.session.select(block, thread).and_then(|()| self.session.watched(of));
        self.session.go_to(u64::MAX, StopReason::End).map_err(replay_error)?;
        self.session.select(block, thread)?;
        same
    }

    fn entry(
        &mut self,
        of: &str,
        ty: &DataType,
        kind: HistoryKind,
        entry: &HistoryEntry,
    ) -> String {
        let value = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().map_or("unknown".to_owned(), |bytes| text(ty, bytes))
        };
        let Some(place) = entry.place else {
            return format!(
                "step {}: an asynchronous operation had changed {of}: {} -> {}",
                entry.step,
                value(&entry.before),
                value(&entry.after)
            );
        };
        let code = &self.session.scope().code;
        let line = code.place(place.instruction).map(|place| place.line);
        let (at, name) = (code.text(place.instruction), code.name(place.instruction).to_owned());
        let mut threads: Vec<String> = entry.threads[..entry.threads.len().min(MOST_THREADS)]
            .iter()
            .map(|thread| self.thread_text(place.block, *thread))
            .collect();
        if entry.threads.len() > MOST_THREADS {
            threads.push(format!("{} more threads", entry.threads.len() - MOST_THREADS));
        }
        let values = match kind {
            HistoryKind::Writes => {
                format!("{of}: {} -> {}", value(&entry.before), value(&entry.after))
            }
            HistoryKind::Reads => format!("{of} was {}", value(&entry.before)),
        };
        let head =
            format!("step {}: {values} by {}, {at} ({name})", entry.step, threads.join(", "));
        match line.and_then(|line| Some((line, self.source_line(line)?))) {
            Some((line, source)) => format!("{head}\n{:>5} | {source}", line.line),
            None => head,
        }
    }

    pub(super) fn when(&mut self, rest: &str) -> Result<String, String> {
        if rest != "left" {
            return Err("ask `when left`".to_owned());
        }
        let (block, thread) = self.session.focus();
        let who = self.thread_text(block, thread);
        let found = self.session.last_step().map_err(replay_error)?;
        let Some((step, place)) = found.last else {
            return Ok(format!(
                "{who} has not executed a step before step {}",
                self.session.step()
            ));
        };
        let code = &self.session.scope().code;
        let line = code.place(place.instruction).map(|place| place.line);
        let at = code.text(place.instruction);
        let then = match (found.exited, found.without) {
            (true, _) => "it exited there".to_owned(),
            (false, Some((step, place))) => format!(
                "since step {step} its warp executes {} without it",
                code.text(place.instruction)
            ),
            (false, None) => "it is still with its warp".to_owned(),
        };
        let head = format!("{who}: its last step was step {step}, {at}; {then}");
        Ok(match line.and_then(|line| Some((line, self.source_line(line)?))) {
            Some((line, source)) => format!("{head}\n{:>5} | {source}", line.line),
            None => head,
        })
    }

    pub(super) fn findings(&mut self) -> Result<String, String> {
        let findings = self.session.findings().map_err(replay_error)?;
        if findings.is_empty() {
            return Ok(match self.program {
                Some(_) => "the sanitizer found nothing in this launch".to_owned(),
                None => "the sanitizer found nothing".to_owned(),
            });
        }
        let line = |(index, report): (usize, &lanework_emulator::sanitize::Report)| {
            // Code of a built-in header has no place of its own.
            let place = report.location.as_ref().or(report.callers.first());
            let place = place.map_or(String::new(), |at| format!(" at {at}"));
            format!("{}: {}{place}", index + 1, report.message)
        };
        Ok(findings.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))
    }
}
