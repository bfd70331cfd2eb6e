//! The breakpoints of an editor: requested once, set in each launch.

use super::state::{Adapter, Answer, SetBreakpoint, WantedBreakpoint, WantedPlace, event};
use crate::code::{CodeLine, CodeMap};
use crate::data::parse::parse;
use crate::session::breakpoints::BreakpointKind;
use serde_json::{Value, json};
use std::path::Path;

/// The file that an editor means by a path.
fn file_of(code: &CodeMap, path: &str) -> Option<u32> {
    let files = code.files();
    let exact = files.iter().position(|file| file == path);
    let ends = |file: &String| Path::new(path).ends_with(file) || Path::new(file).ends_with(path);
    exact.or_else(|| files.iter().position(ends)).map(|file| file as u32)
}

impl Adapter<'_, '_, '_> {
    /// `setBreakpoints`: replaces the breakpoints of a file.
    pub(super) fn set_breakpoints(&mut self, given: &Value) -> Answer {
        let path = given["source"]["path"].as_str().or(given["source"]["name"].as_str());
        let path = path.unwrap_or_default().to_owned();
        let from = self.options.lines_from;
        let wanted = given["breakpoints"].as_array().into_iter().flatten();
        let wanted = wanted.map(|one| {
            let line = one["line"].as_u64().unwrap_or(0) + 1 - from;
            (WantedPlace::Line(path.clone(), line as u32), condition_of(one))
        });
        let wanted: Vec<(WantedPlace, Option<String>)> = wanted.collect();
        self.replace(|place| matches!(place, WantedPlace::Line(of, _) if *of == path), wanted)
    }

    /// `setFunctionBreakpoints`: replaces the breakpoints of functions.
    pub(super) fn set_function_breakpoints(&mut self, given: &Value) -> Answer {
        let wanted = given["breakpoints"].as_array().into_iter().flatten();
        let wanted = wanted.map(|one| {
            let name = one["name"].as_str().unwrap_or_default().to_owned();
            (WantedPlace::Function(name), condition_of(one))
        });
        let wanted: Vec<(WantedPlace, Option<String>)> = wanted.collect();
        self.replace(|place| matches!(place, WantedPlace::Function(_)), wanted)
    }

    /// `setExceptionBreakpoints`: the only filter is `finding`.
    pub(super) fn set_exception_breakpoints(&mut self, given: &Value) -> Answer {
        let filters = given["filters"].as_array().into_iter().flatten();
        let findings = filters.filter_map(Value::as_str).any(|filter| filter == "finding");
        if findings && !self.options.wanted.findings {
            self.console.execute("break finding");
        }
        if !findings {
            let session = &mut *self.console.session;
            let all = session.breakpoints().iter();
            let steps = all.filter(|one| matches!(one.kind, BreakpointKind::Step(..)));
            let steps: Vec<u32> = steps.map(|one| one.number).collect();
            steps.into_iter().for_each(|number| {
                session.remove_breakpoint(number);
            });
        }
        self.options.wanted.findings = findings;
        Ok(json!({ "breakpoints": [] }))
    }

    /// Replaces the requested breakpoints of a kind.
    fn replace(
        &mut self,
        is_replaced: impl Fn(&WantedPlace) -> bool,
        wanted: Vec<(WantedPlace, Option<String>)>,
    ) -> Answer {
        let old = self.options.wanted.all.iter().filter(|one| is_replaced(&one.place));
        let old: Vec<u64> = old.map(|one| one.id).collect();
        let session = &mut *self.console.session;
        self.set.retain(|set| {
            let removed = old.contains(&set.id);
            if removed {
                session.remove_breakpoint(set.number);
            }
            !removed
        });
        self.options.wanted.all.retain(|one| !old.contains(&one.id));
        let mut made = Vec::new();
        for (place, condition) in wanted {
            self.options.wanted.last_id += 1;
            let id = self.options.wanted.last_id;
            let mut one = WantedBreakpoint { id, place, condition, verified: false };
            made.push(self.set_one(&mut one));
            self.options.wanted.all.push(one);
        }
        Ok(json!({ "breakpoints": made }))
    }

    /// Sets a requested breakpoint in this launch; returns the protocol's description of it.
    fn set_one(&mut self, wanted: &mut WantedBreakpoint) -> Value {
        let session = &mut *self.console.session;
        let code = &session.scope().code;
        let line = match &wanted.place {
            WantedPlace::Line(path, line) => file_of(code, path)
                .and_then(|file| code.line_with_code(CodeLine { file, line: *line }))
                .ok_or_else(|| "this kernel has no code here".to_owned()),
            WantedPlace::Function(name) => {
                code.first_line(name).ok_or_else(|| format!("this kernel has no function `{name}`"))
            }
        };
        let set =
            line.and_then(|line| Ok((line, wanted.condition.as_deref().map(parse).transpose()?)));
        wanted.verified = set.is_ok();
        let from = self.options.lines_from;
        match set {
            Ok((line, condition)) => {
                let text = match &wanted.condition {
                    Some(condition) => format!("{} if {condition}", code.line_text(line)),
                    None => code.line_text(line),
                };
                let number = session.add_breakpoint(BreakpointKind::Line(line), condition, text);
                self.set.push(SetBreakpoint { number, id: wanted.id });
                json!({ "id": wanted.id, "verified": true, "line": u64::from(line.line) + from - 1 })
            }
            Err(why) => {
                let mut made = json!({ "id": wanted.id, "verified": false, "message": why });
                if let WantedPlace::Line(_, line) = wanted.place {
                    made["line"] = Value::from(u64::from(line) + from - 1);
                }
                made
            }
        }
    }

    /// Sets all requested breakpoints in a launch at which the session arrived; adds an event for each that changes.
    pub(super) fn set_again(&mut self, events: &mut Vec<Value>) {
        let mut all = std::mem::take(&mut self.options.wanted.all);
        for one in &mut all {
            let before = one.verified;
            let breakpoint = self.set_one(one);
            if before != one.verified {
                let body = json!({ "reason": "changed", "breakpoint": breakpoint });
                events.push(event("breakpoint", body));
            }
        }
        self.options.wanted.all = all;
        if self.options.wanted.findings {
            self.console.execute("break finding");
        }
    }
}

fn condition_of(one: &Value) -> Option<String> {
    let condition = one["condition"].as_str().map(str::trim);
    condition.filter(|text| !text.is_empty()).map(str::to_owned)
}
