//! Commands that move (step, continue, go to a step, change the order), and commands that set stops.

use crate::commands::{Console, replay_error};
use crate::data::parse::parse;
use crate::session::StopReason;
use crate::session::breakpoints::BreakpointKind;
use crate::session::findings::linear;
use crate::session::stepping::{StepKind, StepUnit};
use lanework_emulator::Schedule;

/// The kind of a step, and whether the step goes backward.
fn step_kind(name: &str) -> Option<(StepKind, bool)> {
    let forward = |name: &str| {
        Some(match name {
            "step" | "s" => StepKind::Into,
            "next" | "n" => StepKind::Over,
            "finish" | "out" => StepKind::Out,
            "stepi" | "si" => StepKind::Instruction,
            _ => return None,
        })
    };
    match forward(name) {
        Some(kind) => Some((kind, false)),
        None => Some((forward(name.strip_prefix('r')?)?, true)),
    }
}

/// Maximum number of findings that get a breakpoint.
const MOST_FINDINGS: usize = 16;

/// Splits `x[1] if a > 2` into the place and the condition.
pub(super) fn with_condition(text: &str) -> (&str, Option<&str>) {
    match text.split_once(" if ") {
        Some((place, condition)) => (place.trim(), Some(condition)),
        None => (text, None),
    }
}

impl Console<'_, '_> {
    /// Executes a command that moves; `None` for other commands.
    pub(super) fn go(&mut self, name: &str, rest: &str) -> Option<Result<String, String>> {
        if let Some((kind, back)) = step_kind(name) {
            return Some(self.steps(kind, back, rest));
        }
        Some(match name {
            "continue" | "c" => self.go_on(false),
            "rcontinue" | "rc" => self.go_on(true),
            "goto" => self.go_to(rest),
            "finding" => self.go_to_finding(rest),
            "order" => self.order(rest),
            _ => return None,
        })
    }

    fn steps(&mut self, kind: StepKind, back: bool, rest: &str) -> Result<String, String> {
        let (mut unit, mut count) = (StepUnit::Thread, 1u64);
        for word in rest.split_whitespace() {
            match (word, word.parse()) {
                ("thread", _) => unit = StepUnit::Thread,
                ("warp", _) => unit = StepUnit::Warp,
                ("block", _) => unit = StepUnit::Block,
                (_, Ok(number)) => count = number,
                _ => return Err(format!("`{word}` is neither thread, warp, block nor a count")),
            }
        }
        for _ in 0..count {
            let before = self.session.step();
            self.session.take_step(kind, unit, back).map_err(replay_error)?;
            if self.session.step() == before || *self.session.reason() != StopReason::Stepped {
                break;
            }
        }
        Ok(self.position())
    }

    fn go_on(&mut self, back: bool) -> Result<String, String> {
        let error = self.session.go_on(back).map_err(replay_error)?;
        let position = self.position();
        Ok(error.map_or(position.clone(), |error| format!("{position}\n{error}")))
    }

    fn go_to(&mut self, to: &str) -> Result<String, String> {
        let step = match to {
            "start" => 0,
            "end" => u64::MAX,
            _ => to
                .parse()
                .map_err(|_| format!("`{to}` is not a step: give a number, `start` or `end`"))?,
        };
        let reason = if step == 0 { StopReason::Start } else { StopReason::Moved };
        self.session.go_to(step, reason).map_err(replay_error)?;
        Ok(self.position())
    }

    fn go_to_finding(&mut self, rest: &str) -> Result<String, String> {
        let mut words = rest.split_whitespace();
        let number: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let other = words.next() == Some("other");
        let count = self.session.findings().map_err(replay_error)?.len();
        let Some(index) = number.checked_sub(1).filter(|index| *index < count) else {
            return Err(format!("there is no finding `{rest}`; `findings` lists {count}"));
        };
        let found = self.session.step_of_finding(index, other).map_err(replay_error)?;
        let Some((step, (block, thread))) = found else {
            return Err(self.finding_without_step(index));
        };
        self.session.go_to(step, StopReason::Moved).map_err(replay_error)?;
        self.session.select(block, thread)?;
        Ok(self.position())
    }

    /// Why no step of the recording is that of a finding.
    fn finding_without_step(&mut self, index: usize) -> String {
        let (number, steps) = (index + 1, self.session.timeline().steps());
        let failed = self.session.timeline().end().fault.is_some();
        let reports = self.session.findings().unwrap_or_default();
        let place = reports.get(index).map(|report| {
            let line = report.location.as_ref().map_or(String::new(), |at| format!(", {at}"));
            (report.block, report.thread, line)
        });
        let Some(([x, y, z], [i, j, k], line)) = place else { return String::new() };
        let place = format!("thread ({i},{j},{k}) of block ({x},{y},{z}){line}");
        match failed {
            true => format!(
                "the launch failed at step {steps}, before finding {number}, which the check met as it went on: {place}"
            ),
            false => format!(
                "no step of the recording matches finding {number} ({place}): the checked run took another path"
            ),
        }
    }

    fn order(&mut self, rest: &str) -> Result<String, String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let schedule = match words[..] {
            ["normal"] => Schedule::InOrder,
            ["reversed"] => Schedule::Reversed,
            ["seed", seed] => {
                Schedule::Seeded(seed.parse().map_err(|_| format!("`{seed}` is not a number"))?)
            }
            _ => return Err("give `order normal`, `order reversed` or `order seed 7`".to_owned()),
        };
        self.session.set_order(schedule).map_err(replay_error)?;
        Ok(self.position())
    }

    pub(super) fn add_break(&mut self, rest: &str) -> Result<String, String> {
        if rest == "finding" {
            return self.break_at_findings();
        }
        let (place, condition) = with_condition(rest);
        if place.is_empty() {
            return Err("a place is missing: break 12, break k.cu:12 or break function".to_owned());
        }
        let condition = condition.map(parse).transpose()?;
        if let Some(name) = place.strip_prefix("instruction ") {
            let name = name.trim().to_owned();
            if !self.session.scope().code.has_instruction(&name) {
                return Err(format!("no instruction of the kernel has a PTX name like `{name}`"));
            }
            let kind = BreakpointKind::Instruction(name.clone());
            let number = self.session.add_breakpoint(kind, condition, rest.to_owned());
            return Ok(format!("breakpoint {number}: instructions {name}"));
        }
        let line = self.session.find_line(place)?;
        let kind = BreakpointKind::Line(line);
        let number = self.session.add_breakpoint(kind, condition, rest.to_owned());
        Ok(format!("breakpoint {number}: {}", self.session.scope().code.line_text(line)))
    }

    /// A breakpoint at each finding of the sanitizer.
    fn break_at_findings(&mut self) -> Result<String, String> {
        let findings = self.session.findings().map_err(replay_error)?;
        let texts: Vec<String> = findings.iter().map(|report| report.message.clone()).collect();
        if texts.is_empty() {
            return Ok("the sanitizer found nothing".to_owned());
        }
        let mut made = Vec::new();
        for (index, text) in texts.into_iter().take(MOST_FINDINGS).enumerate() {
            let text = format!("finding {}: {text}", index + 1);
            let made_one = self.session.break_at_finding(index, text.clone());
            if let Some(number) = made_one.map_err(replay_error)? {
                made.push(format!("breakpoint {number}: {text}"));
            }
        }
        let step = self.session.step();
        self.session.go_to(step, StopReason::Moved).map_err(replay_error)?;
        if made.is_empty() {
            return Err(self.finding_without_step(0));
        }
        Ok(made.join("\n"))
    }

    pub(super) fn add_watch(&mut self, rest: &str) -> Result<String, String> {
        let (place, condition) = with_condition(rest);
        let (watched, ty) = self.session.watched(place)?;
        let condition = condition.map(parse).transpose()?;
        let kind = BreakpointKind::Change(watched);
        let number = self.session.add_breakpoint(kind, condition, format!("watch {rest}"));
        let [space, bytes] = [watched.place.space.name().to_owned(), watched.bytes.to_string()];
        Ok(format!(
            "breakpoint {number}: changes of {place} ({ty}, {bytes} bytes of {space} memory)"
        ))
    }

    pub(super) fn delete(&mut self, rest: &str) -> Result<String, String> {
        let number = rest.parse().map_err(|_| format!("`{rest}` is not a breakpoint's number"))?;
        let all = self.session.breakpoints();
        let text = all.iter().find(|one| one.number == number).map(|one| one.text.clone());
        text.iter().for_each(|text| self.forget_break(text));
        match self.session.remove_breakpoint(number) {
            true => Ok(format!("removed breakpoint {number}")),
            false => Err(format!("there is no breakpoint {number}; `breaks` lists them")),
        }
    }

    pub(super) fn select_thread(&mut self, rest: &str) -> Result<String, String> {
        let shape = self.session.scope().block;
        let thread = coordinates_of(rest, shape, "thread")?;
        let (block, _) = self.session.focus();
        self.session.select(block, thread as u32)?;
        Ok(self.thread_and_line())
    }

    pub(super) fn select_block(&mut self, rest: &str) -> Result<String, String> {
        let block = coordinates_of(rest, self.session.scope().grid, "block")?;
        self.session.select(block, 0)?;
        Ok(self.thread_and_line())
    }
}

/// The linear index of `X`, `X,Y` or `X,Y,Z`.
fn coordinates_of(text: &str, shape: [u32; 3], what: &str) -> Result<u64, String> {
    let inside = text.trim().trim_start_matches('(').trim_end_matches(')');
    let numbers: Result<Vec<u32>, _> = inside.split(',').map(|word| word.trim().parse()).collect();
    let wrong = || format!("`{text}` is not a {what}: give X, X,Y or X,Y,Z");
    let numbers = numbers.map_err(|_| wrong())?;
    if numbers.is_empty() || numbers.len() > 3 {
        return Err(wrong());
    }
    let mut at = [0; 3];
    at[..numbers.len()].copy_from_slice(&numbers);
    if at.iter().zip(shape).any(|(at, extent)| *at >= extent) {
        let [x, y, z] = shape;
        return Err(format!("there is no {what} {text}; the shape is {x}x{y}x{z}"));
    }
    Ok(linear(shape, at))
}
