//! The requests of an editor, and the replies and events that answer them.

use crate::code::CodeLine;
use crate::commands::{Console, Sources};
use crate::data::evaluate::{EvaluatedValue as Found, ThreadPlace};
use crate::data::parse::{Expression, parse};
use crate::data::types::{DataType, NumericValue, text};
use crate::session::breakpoints::BreakpointKind;
use crate::session::stepping::{StepKind, StepUnit};
use crate::session::{Session, StopReason};
use lanework_emulator::Fault;
use lanework_ptx_ir::cpp_names::readable;
use serde_json::{Value, json};

/// Maximum number of array elements in one reply.
const MOST_ELEMENTS: u64 = 1000;

/// The numbers of the scopes. Expanded values have the numbers after these.
const SCOPES: [&str; 4] = ["Locals", "Arguments", "Shared memory", "Registers"];

/// Answers the requests of one editor.
pub(super) struct Adapter<'s, 'a> {
    console: Console<'s, 'a>,
    /// Values that an editor may expand, in the order of their numbers. Cleared when the session moves.
    expandable: Vec<Expression>,
    stops_on_entry: bool,
    done: bool,
}

/// The result of a request: the body of its reply, or the message of its failure.
type Answer = Result<Value, String>;

impl<'s, 'a> Adapter<'s, 'a> {
    pub(super) fn new(session: &'s mut Session<'a>, sources: Sources<'s>) -> Adapter<'s, 'a> {
        let console = Console::new(session, sources);
        Adapter { console, expandable: Vec::new(), stops_on_entry: true, done: false }
    }

    /// Whether the editor has disconnected.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// The reply to a request, and the events after it.
    pub(super) fn answer(&mut self, request: &Value) -> Vec<Value> {
        let command = request["command"].as_str().unwrap_or_default().to_owned();
        let mut events = Vec::new();
        let answer = self.request(&command, &request["arguments"], &mut events);
        let (success, body, message) = match answer {
            Ok(body) => (true, body, Value::Null),
            Err(message) => (false, Value::Null, message.into()),
        };
        let mut reply = json!({
            "type": "response", "request_seq": request["seq"], "command": command, "success": success,
        });
        if !body.is_null() {
            reply["body"] = body;
        }
        if !message.is_null() {
            reply["message"] = message;
        }
        events.insert(0, reply);
        events
    }

    fn request(&mut self, command: &str, given: &Value, events: &mut Vec<Value>) -> Answer {
        match command {
            "initialize" => {
                events.push(event("initialized", Value::Null));
                Ok(capabilities())
            }
            "launch" | "attach" => {
                self.stops_on_entry = given["stopOnEntry"].as_bool().unwrap_or(true);
                Ok(Value::Null)
            }
            "setBreakpoints" => self.set_breakpoints(given),
            "setFunctionBreakpoints" | "setExceptionBreakpoints" => {
                Ok(json!({ "breakpoints": [] }))
            }
            "configurationDone" => {
                if !self.stops_on_entry {
                    self.session().go_on(false).map_err(fault)?;
                }
                self.stopped(events);
                Ok(Value::Null)
            }
            "threads" => Ok(self.threads()),
            "stackTrace" => self.stack(given),
            "scopes" => Ok(self.scopes()),
            "variables" => self.variables(given),
            "evaluate" => self.evaluate(given, events),
            "source" => Err("the source is not available".to_owned()),
            "continue" => self.go_on(false, events),
            "reverseContinue" => self.go_on(true, events),
            "next" => self.step(given, StepKind::Over, false, events),
            "stepIn" => self.step(given, StepKind::Into, false, events),
            "stepOut" => self.step(given, StepKind::Out, false, events),
            "stepBack" => self.step(given, StepKind::Over, true, events),
            "pause" => Ok(Value::Null),
            "disconnect" | "terminate" => {
                self.done = true;
                events.push(event("terminated", Value::Null));
                Ok(Value::Null)
            }
            _ => Err(format!("the debugger does not support `{command}`")),
        }
    }

    fn session(&mut self) -> &mut Session<'a> {
        self.console.session
    }

    /// The event for a stop. The end of the launch is also a stop, so that the editor can still go back.
    fn stopped(&mut self, events: &mut Vec<Value>) {
        self.expandable.clear();
        let reason = match self.session().reason() {
            StopReason::Start => "entry",
            StopReason::Breakpoint(_) => "breakpoint",
            StopReason::Fault => "exception",
            StopReason::Moved | StopReason::End => "pause",
            StopReason::Stepped | StopReason::ThreadEnds => "step",
        };
        let position = self.console.position();
        let description = position.lines().next().unwrap_or_default().to_owned();
        let (_, thread) = self.session().focus();
        events.push(event(
            "output",
            json!({ "category": "console", "output": format!("{position}\n") }),
        ));
        events.push(event(
            "stopped",
            json!({
                "reason": reason, "description": description, "text": description,
                "threadId": thread / 32 + 1, "allThreadsStopped": true,
            }),
        ));
    }

    fn go_on(&mut self, back: bool, events: &mut Vec<Value>) -> Answer {
        let error = self.session().go_on(back).map_err(fault)?;
        if let Some(error) = error {
            let output = json!({ "category": "stderr", "output": format!("{error}\n") });
            events.push(event("output", output));
        }
        self.stopped(events);
        Ok(json!({ "allThreadsContinued": true }))
    }

    fn step(
        &mut self,
        given: &Value,
        kind: StepKind,
        back: bool,
        events: &mut Vec<Value>,
    ) -> Answer {
        let kind = match given["granularity"].as_str() {
            Some("instruction") => StepKind::Instruction,
            _ => kind,
        };
        self.select(given)?;
        self.session().take_step(kind, StepUnit::Thread, back).map_err(fault)?;
        self.stopped(events);
        Ok(Value::Null)
    }

    /// Selects the warp that a request names, unless the selected thread is in it.
    fn select(&mut self, given: &Value) -> Result<(), String> {
        let (block, thread) = self.session().focus();
        let Some(warp) = given["threadId"].as_u64().and_then(|id| id.checked_sub(1)) else {
            return Ok(());
        };
        if warp == u64::from(thread / 32) {
            return Ok(());
        }
        let live = self.live_thread(block, warp as u32);
        self.session().select(block, live)
    }

    /// The first live thread of a warp.
    fn live_thread(&mut self, block: u64, warp: u32) -> u32 {
        let state = self.session().moment().and_then(|moment| moment.block(block));
        let lanes = state.and_then(|state| state.warps.get(warp as usize)?.lanes.first());
        warp * 32 + lanes.map_or(0, |at| at.mask.trailing_zeros() % 32)
    }

    fn set_breakpoints(&mut self, given: &Value) -> Answer {
        let path = given["source"]["path"].as_str().unwrap_or_default().to_owned();
        let session = self.session();
        let code = &session.scope().code;
        let files: Vec<&String> = code.files().iter().collect();
        let file = files.iter().position(|file| {
            **file == path
                || std::path::Path::new(&path).ends_with(file.as_str())
                || file.ends_with(&path)
        });
        // The request replaces all breakpoints of the file.
        let old: Vec<u32> = session
            .breakpoints()
            .iter()
            .filter(|one| match one.kind {
                BreakpointKind::Line(line) => Some(line.file as usize) == file,
                BreakpointKind::Change(_)
                | BreakpointKind::Step(..)
                | BreakpointKind::Instruction(_) => false,
            })
            .map(|one| one.number)
            .collect();
        old.into_iter().for_each(|number| {
            session.remove_breakpoint(number);
        });
        let mut made = Vec::new();
        for wanted in given["breakpoints"].as_array().into_iter().flatten() {
            let number = wanted["line"].as_u64().unwrap_or(0) as u32;
            let line = file.and_then(|file| {
                let line = CodeLine { file: file as u32, line: number };
                session.scope().code.line_with_code(line)
            });
            let Some(line) = line else {
                let message = "the kernel has no code here";
                made.push(json!({ "verified": false, "line": number, "message": message }));
                continue;
            };
            let condition = wanted["condition"].as_str().filter(|text| !text.trim().is_empty());
            match condition.map(parse).transpose() {
                Ok(condition) => {
                    let text = session.scope().code.line_text(line);
                    let kind = BreakpointKind::Line(line);
                    let id = session.add_breakpoint(kind, condition, text);
                    made.push(json!({ "id": id, "verified": true, "line": line.line }));
                }
                Err(why) => {
                    made.push(json!({ "verified": false, "line": number, "message": why }));
                }
            }
        }
        Ok(json!({ "breakpoints": made }))
    }

    fn threads(&mut self) -> Value {
        let (block, thread) = self.session().focus();
        let scope = self.session().scope();
        let [x, y, z] = crate::data::evaluate::coordinates(scope.grid, block);
        let threads: u32 = scope.block.iter().product();
        let name = |warp: u32| {
            let mark = if warp == thread / 32 { " (selected)" } else { "" };
            json!({ "id": warp + 1, "name": format!("block ({x},{y},{z}), warp {warp}{mark}") })
        };
        json!({ "threads": (0..threads.div_ceil(32)).map(name).collect::<Vec<_>>() })
    }

    fn stack(&mut self, given: &Value) -> Answer {
        self.select(given)?;
        let session = &*self.console.session;
        let code = &session.scope().code;
        let frames = code.frames(session.place().instruction);
        let count = frames.len();
        let frame = |(index, frame): (usize, crate::code::CallFrame)| {
            let name = match frame.function.is_empty() {
                true => "inlined function".into(),
                false => readable(&frame.function).into_owned(),
            };
            let line = frame.line.map_or(0, |line| line.line);
            let mut made = json!({ "id": index + 1, "name": name, "line": line, "column": 0 });
            if let Some(line) = frame.line {
                let path = code.file(line.file);
                let file = std::path::Path::new(path).file_name();
                let file = file.map(|name| name.to_string_lossy().into_owned());
                let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
                made["source"] = json!({ "name": file, "path": whole.display().to_string() });
            }
            made
        };
        let frames: Vec<Value> = frames.into_iter().enumerate().map(frame).collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": count }))
    }

    fn scopes(&mut self) -> Value {
        let scope = |(index, name): (usize, &&str)| {
            let expensive = *name == "Registers";
            json!({ "name": name, "variablesReference": index + 1, "expensive": expensive })
        };
        json!({ "scopes": SCOPES.iter().enumerate().map(scope).collect::<Vec<_>>() })
    }

    fn variables(&mut self, given: &Value) -> Answer {
        let reference = given["variablesReference"].as_u64().unwrap_or(0) as usize;
        let place = self.session().place();
        let scope = std::sync::Arc::clone(self.session().scope());
        let names: Vec<String> = match reference {
            1 => scope.locals(place.instruction).iter().map(|of| of.name.clone()).collect(),
            2 => scope.parameter_names(),
            3 => scope.shared_names(),
            4 => scope.register_names().iter().map(|(name, _)| (*name).to_owned()).collect(),
            _ => {
                let index = reference.checked_sub(SCOPES.len() + 1);
                let of = index.and_then(|index| self.expandable.get(index)).cloned();
                return self.expand(&of.ok_or("the value is from an earlier stop")?, place);
            }
        };
        let mut found = Vec::new();
        for name in names {
            let expression = parse(&name)?;
            match self.session().evaluate_for(&expression, place) {
                Ok(value) => found.push(self.variable(name, expression, &value)),
                // Omit registers of other functions: they have no value here.
                Err(_) if reference == 4 => {}
                Err(why) => {
                    found.push(json!({ "name": name, "value": why, "variablesReference": 0 }));
                }
            }
        }
        Ok(json!({ "variables": found }))
    }

    /// A value with its name; arrays and structures can be expanded.
    fn variable(&mut self, name: String, expression: Expression, value: &Found) -> Value {
        let expands = matches!(value.ty, DataType::Array(..) | DataType::Record(_));
        let reference = match expands {
            true => {
                self.expandable.push(expression);
                SCOPES.len() + self.expandable.len()
            }
            false => 0,
        };
        json!({
            "name": name, "value": value.text(), "type": value.ty.to_string(),
            "variablesReference": reference,
        })
    }

    /// The elements of an array, or the members of a structure.
    fn expand(&mut self, of: &Expression, place: ThreadPlace) -> Answer {
        let value = self.session().evaluate_for(of, place)?;
        let base = || Box::new(of.clone());
        let parts: Vec<(String, Expression)> = match &value.ty {
            DataType::Array(_, count) => (0..(*count).min(MOST_ELEMENTS))
                .map(|index| {
                    let at = Box::new(Expression::Literal(NumericValue::Integer(index.into())));
                    (format!("[{index}]"), Expression::Index(base(), at))
                })
                .collect(),
            DataType::Record(record) => {
                let member =
                    |name: &String| (name.clone(), Expression::Member(base(), name.clone()));
                record.fields.iter().map(|field| member(&field.name)).collect()
            }
            ty => {
                return Err(format!(
                    "a value of type {ty} has no parts: {}",
                    text(ty, &value.bytes)
                ));
            }
        };
        let mut found = Vec::new();
        for (name, expression) in parts {
            let value = self.session().evaluate_for(&expression, place)?;
            found.push(self.variable(name, expression, &value));
        }
        Ok(json!({ "variables": found }))
    }

    fn evaluate(&mut self, given: &Value, events: &mut Vec<Value>) -> Answer {
        let asked = given["expression"].as_str().unwrap_or_default().to_owned();
        let place = self.session().place();
        let value = parse(&asked).and_then(|expression| {
            let value = self.session().evaluate_for(&expression, place)?;
            Ok(self.variable(String::new(), expression, &value))
        });
        match (value, given["context"].as_str()) {
            (Ok(found), _) => Ok(json!({
                "result": found["value"], "type": found["type"],
                "variablesReference": found["variablesReference"],
            })),
            (Err(_), Some("repl")) => {
                let (step, focus) = (self.session().step(), self.session().focus());
                let reply = self.console.execute(&asked);
                if (self.session().step(), self.session().focus()) != (step, focus) {
                    self.stopped(events);
                }
                Ok(json!({ "result": reply.text, "variablesReference": 0 }))
            }
            (Err(why), _) => Err(why),
        }
    }
}

fn event(name: &str, body: Value) -> Value {
    match body {
        Value::Null => json!({ "type": "event", "event": name }),
        body => json!({ "type": "event", "event": name, "body": body }),
    }
}

fn fault(fault: Fault) -> String {
    fault.to_string()
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsTerminateRequest": true,
    })
}
