//! Commands that show state: source, calls, values, lanes, warps, barriers.

use crate::code::CodeLine;
use crate::commands::Console;
use crate::data::evaluate::ThreadPlace;
use crate::data::parse::parse;
use lanework_engine::cluster_view::Progress;
use lanework_ptx_ir::cpp_names::readable;

/// Lines of source before and after the current one.
const AROUND: u32 = 5;

/// Message for a session without a stopped cluster.
pub(super) const NO_STATE: &str =
    "the launch has ended; go back with `rcontinue`, `rstep` or `goto`";

impl Console<'_, '_> {
    pub(super) fn list(&mut self, rest: &str) -> Result<String, String> {
        let around = match rest {
            "" => AROUND,
            _ => rest.parse().map_err(|_| format!("`{rest}` is not a number of lines"))?,
        };
        let place = self.session.place();
        // The start of a kernel has no lines: show those that follow.
        let here = self.session.scope().code.next_place(place.instruction);
        let here = here.ok_or("the current instruction has no line")?.line;
        let mut text = Vec::new();
        for line in here.line.saturating_sub(around).max(1)..=here.line.saturating_add(around) {
            let mark = if line == here.line { '>' } else { ' ' };
            if let Some(source) = self.source_line(CodeLine { line, ..here }) {
                text.push(format!("{mark}{line:>5} | {source}"));
            }
        }
        match text.is_empty() {
            true => Err(format!(
                "the text of {} is not available",
                self.session.scope().code.file(here.file)
            )),
            false => Ok(text.join("\n")),
        }
    }

    pub(super) fn calls(&mut self) -> String {
        let (block, thread) = self.session.focus();
        let place = self.session.place_of(block, thread);
        let (code, current) = (&self.session.scope().code, self.session.frame());
        let frames = code.frames(place.instruction).into_iter().enumerate();
        let frame = |(index, frame): (usize, crate::code::CallFrame)| {
            let line = frame.line.map_or("unknown line".to_owned(), |line| code.line_text(line));
            let function = match frame.function.is_empty() {
                true => "inlined function".into(),
                false => readable(&frame.function),
            };
            let mark = if current > 0 && index == current { " (selected)" } else { "" };
            format!("#{index} {function} at {line}{mark}")
        };
        frames.map(frame).collect::<Vec<_>>().join("\n")
    }

    /// `up` and `down`: selects a call further out, or further in.
    pub(super) fn select_call(&mut self, by: isize) -> Result<String, String> {
        let Some(frame) = self.session.frame().checked_add_signed(by) else {
            return Err("this is the innermost call; `up` goes to its caller".to_owned());
        };
        self.session.select_frame(frame).map_err(|_| "this is the outermost call".to_owned())?;
        Ok(self.call_text())
    }

    /// `frame N`.
    pub(super) fn select_frame(&mut self, rest: &str) -> Result<String, String> {
        let frame = rest.parse();
        let frame = frame.map_err(|_| format!("`{rest}` is not the number of a call: frame 1"))?;
        self.session.select_frame(frame)?;
        Ok(self.call_text())
    }

    /// The selected call and its line.
    fn call_text(&mut self) -> String {
        let (block, thread) = self.session.focus();
        let place = self.session.place_of(block, thread);
        let index = self.session.frame();
        let frame = self.session.scope().code.frames(place.instruction).into_iter().nth(index);
        let line = frame.and_then(|frame| frame.line);
        let calls = self.calls();
        let call = calls.lines().nth(index).unwrap_or_default().replace(" (selected)", "");
        match line.and_then(|line| Some((line, self.source_line(line)?))) {
            Some((line, source)) => format!("{call}\n{:>5} | {source}", line.line),
            None => call,
        }
    }

    pub(super) fn print(&mut self, rest: &str) -> Result<String, String> {
        if rest.is_empty() {
            return Err("an expression is missing: print x[3]".to_owned());
        }
        let value = self.session.evaluate(rest)?;
        Ok(format!("{rest} = {}", value.text()))
    }

    pub(super) fn lanes(&mut self, rest: &str) -> Result<String, String> {
        let expression = parse(rest)?;
        let (block, thread) = self.session.focus();
        let moment = self.session.moment().ok_or(NO_STATE)?;
        let warp = moment.block(block).and_then(|state| state.warp_of(thread));
        let warp = warp.ok_or("the thread's block is not in the stopped cluster")?;
        let first = thread / 32 * 32;
        let threads: u32 = self.session.scope().block.iter().product();
        let mut text = Vec::new();
        let mut errors: Vec<String> = Vec::new();
        for lane in 0..32.min(threads - first) {
            let (mark, shown) = match warp.lane(lane) {
                None => ('-', "exited".to_owned()),
                Some(at) => {
                    let at = (if at.executing { '#' } else { '.' }, at.instruction);
                    let place = ThreadPlace { block, thread: first + lane, instruction: at.1 };
                    let value = self.session.evaluate_for(&expression, place);
                    let shown = value.map(|value| value.text()).unwrap_or_else(|why| {
                        errors.push(why.clone());
                        why
                    });
                    (at.0, shown)
                }
            };
            text.push(format!("lane {lane:>2} {mark} {shown}"));
        }
        // An error of all lanes is one of the expression.
        let live = warp.lanes.iter().fold(0, |mask: u32, at| mask | at.mask).count_ones() as usize;
        if let Some(why) = errors.first()
            && errors.len() == live
            && errors.iter().all(|other| other == why)
        {
            return Err(why.clone());
        }
        Ok(text.join("\n"))
    }

    pub(super) fn locals(&mut self) -> String {
        let place = self.session.place();
        let scope = self.session.scope();
        let names: Vec<String> =
            scope.locals(place.instruction).iter().map(|of| of.name.clone()).collect();
        match names.is_empty() {
            true => "no local variables are known here; `registers` shows the PTX registers, and CUDA C++ that \
                     Lanework compiles (--compiler own) has its names"
                .to_owned(),
            false => self.named(&names),
        }
    }

    pub(super) fn arguments(&mut self) -> String {
        let names = self.session.scope().parameter_names();
        match names.is_empty() {
            true => "the kernel has no parameters".to_owned(),
            false => self.named(&names),
        }
    }

    pub(super) fn shared(&mut self) -> String {
        let names = self.session.scope().shared_names();
        match names.is_empty() {
            true => "the kernel has no arrays in shared memory".to_owned(),
            false => self.named(&names),
        }
    }

    /// One line per name, with its value or the reason why it has no value.
    fn named(&mut self, names: &[String]) -> String {
        let line = |name: &String| match self.session.evaluate(name) {
            Ok(value) => format!("{name} = {}", value.text()),
            Err(why) => format!("{name}: {why}"),
        };
        names.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn registers(&mut self) -> Result<String, String> {
        let place = self.session.place();
        self.session.moment().ok_or(NO_STATE)?;
        let scope = self.session.scope();
        let function = scope.code.function(place.instruction);
        // Show only registers that an instruction of the current function uses.
        let mut used: Vec<bool> = vec![false; scope.kernel.registers.len()];
        for inst in scope.kernel.insts.iter().filter(|i| scope.code.function(i.origin) == function)
        {
            inst.writes().chain(inst.reads()).for_each(|register| used[register as usize] = true);
        }
        let names = scope.register_names().into_iter();
        let names: Vec<String> = names
            .filter(|(name, register)| {
                used[*register as usize]
                    && scope.register(name, place.instruction) == Some(*register)
            })
            .map(|(name, _)| name.to_owned())
            .collect();
        Ok(self.named(&names))
    }

    pub(super) fn warps(&mut self) -> Result<String, String> {
        let (block, thread) = self.session.focus();
        let moment = self.session.moment().ok_or(NO_STATE)?;
        let state =
            moment.block(block).ok_or("the thread's block is not in the stopped cluster")?;
        let code = &self.session.scope().code;
        let threads: u32 = self.session.scope().block.iter().product();
        let mut text = vec!["# executing, . elsewhere, - exited".to_owned()];
        for (index, warp) in state.warps.iter().enumerate() {
            let number = index as u32;
            let mark = if number == thread / 32 { '>' } else { ' ' };
            let waits = match warp.progress {
                Progress::Ready => "ready",
                Progress::Polling => "polls",
                Progress::Blocked => "at a barrier",
                Progress::Done => "ended",
            };
            let exist = (threads - number * 32).min(32);
            let live = warp.lanes.iter().fold(0, |mask, at| mask | at.mask);
            let picture = |mask: u32| -> String {
                let lane = |lane: u32| match (mask >> lane & 1, live >> lane & 1) {
                    (1, _) => '#',
                    (_, 1) => '.',
                    _ => '-',
                };
                (0..exist).map(lane).collect()
            };
            if warp.lanes.is_empty() {
                text.push(format!("{mark}warp {index:>2} {:<32} {waits}", picture(0)));
            }
            for (path, at) in warp.lanes.iter().enumerate() {
                let line = code.text(at.instruction);
                let (own, waits) = match path {
                    0 => (format!("{mark}warp {index:>2}"), waits),
                    _ => (" ".repeat(8), "waits for the other lanes"),
                };
                text.push(format!("{own} {:<32} {waits}, {line}", picture(at.mask)));
            }
        }
        Ok(text.join("\n"))
    }

    pub(super) fn output(&mut self) -> String {
        let own = match self.session.moment() {
            Some(moment) => &moment.printed,
            None => &self.session.timeline().end().outcome.printed,
        };
        own.trim_end_matches('\n').to_owned()
    }

    pub(super) fn list_breakpoints(&mut self) -> String {
        let all = self.session.breakpoints().iter();
        let lines: Vec<String> = all.map(|one| format!("{}: {}", one.number, one.text)).collect();
        if lines.is_empty() { "no breakpoints".to_owned() } else { lines.join("\n") }
    }

    pub(super) fn stats(&mut self) -> String {
        let timeline = self.session.timeline();
        let [memory, snapshots] = timeline.bytes();
        format!(
            "{} steps of {} clusters; {memory} bytes of memory before the launch, {} snapshots of {snapshots} bytes",
            timeline.steps(),
            timeline.starts().len(),
            timeline.replay_starts().len() - 1
        )
    }
}
