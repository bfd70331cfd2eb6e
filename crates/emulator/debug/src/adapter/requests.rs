//! The requests of an editor, and the replies and events that answer them.

use super::state::{Adapter, Answer, event, output};
use crate::commands::{ReplyStatus, is_command};
use crate::launches::LaunchMove;
use crate::session::stepping::{StepKind, StepUnit};
use crate::session::{Session, StopReason};
use lanework_emulator::Fault;
use serde_json::{Value, json};

/// The answer to requests that would change the recorded launch.
const READ_ONLY: &str = "the debugger shows a recording, which cannot be changed: correct the source or the arguments, \
     and start again";

impl<'a> Adapter<'_, '_, 'a> {
    /// Whether the editor has disconnected.
    pub(super) fn is_done(&self) -> bool {
        self.options.done
    }

    /// The move to another launch, once.
    pub(super) fn leaves(&mut self) -> Option<LaunchMove> {
        self.leaves.take()
    }

    /// The events of the arrival at this launch.
    pub(super) fn arrive(&mut self, to: LaunchMove) -> Vec<Value> {
        let mut events = Vec::new();
        self.set_again(&mut events);
        match self.console.arrive_with(to, self.options.wanted.any()) {
            Ok(true) => self.stopped(&mut events),
            Ok(false) => self.leaves = Some(to),
            Err(why) => events.push(output("stderr", &why.to_string())),
        }
        if let Some(error) = self.console.arrival_error() {
            events.push(output("stderr", &error));
        }
        events
    }

    /// The reply to a request, and the events after it.
    pub(super) fn answer(&mut self, request: &Value) -> Vec<Value> {
        let command = request["command"].as_str().unwrap_or_default().to_owned();
        let mut events = Vec::new();
        let answer = self.request(&command, &request["arguments"], &mut events);
        let (success, body, message) = match answer {
            Ok(body) => (true, body, Value::Null),
            Err(message) => {
                let error = json!({ "id": 1, "format": message, "showUser": true });
                (false, json!({ "error": error }), message.into())
            }
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
                self.options.lines_from =
                    u64::from(given["linesStartAt1"].as_bool() != Some(false));
                events.push(event("initialized", Value::Null));
                Ok(capabilities())
            }
            "launch" | "attach" => {
                self.options.stops_on_entry = given["stopOnEntry"].as_bool().unwrap_or(true);
                self.options.stops_at_end = given["stopAtEnd"].as_bool().unwrap_or(true);
                Ok(Value::Null)
            }
            "setBreakpoints" => self.set_breakpoints(given),
            "setFunctionBreakpoints" => self.set_function_breakpoints(given),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(given),
            "configurationDone" => {
                match self.options.stops_on_entry {
                    true => self.stopped(events),
                    false => self.start(events)?,
                }
                Ok(Value::Null)
            }
            "threads" => Ok(self.threads()),
            "stackTrace" => self.stack(given),
            "scopes" => self.scopes(given),
            "variables" => self.variables(given),
            "evaluate" => self.evaluate(given, events),
            "source" => self.source(given),
            "setVariable" | "setExpression" => Err(READ_ONLY.to_owned()),
            "continue" => self.go_on(false, events),
            "reverseContinue" => self.go_on(true, events),
            "next" => self.step(given, StepKind::Over, false, events),
            "stepIn" => self.step(given, StepKind::Into, false, events),
            "stepOut" => self.step(given, StepKind::Out, false, events),
            "stepBack" => self.step(given, StepKind::Over, true, events),
            "restart" => {
                self.session().go_to(0, StopReason::Start).map_err(fault)?;
                self.stopped(events);
                Ok(Value::Null)
            }
            "exceptionInfo" => self.exception(),
            "pause" => Ok(Value::Null),
            "terminate" => {
                events.push(event("terminated", Value::Null));
                Ok(Value::Null)
            }
            "disconnect" => {
                self.options.done = true;
                Ok(Value::Null)
            }
            _ => Err(format!("the debugger does not support `{command}`")),
        }
    }

    pub(super) fn session(&mut self) -> &mut Session<'a> {
        self.console.session
    }

    /// The events of a stop. The end of the last launch is also a stop, unless the editor does not want it.
    pub(super) fn stopped(&mut self, events: &mut Vec<Value>) {
        self.expandable.clear();
        self.frames.clear();
        let reason = self.session().reason().clone();
        let position = self.console.position();
        events.push(output("console", &position));
        let last = reason == StopReason::End && !self.console.has_later_launch();
        if last && !self.options.stops_at_end {
            events.push(event("exited", json!({ "exitCode": 0 })));
            events.push(event("terminated", Value::Null));
            return;
        }
        let name = match reason {
            StopReason::Start => "entry",
            StopReason::Breakpoint(_) => "breakpoint",
            StopReason::Fault => "exception",
            StopReason::Moved | StopReason::End => "pause",
            StopReason::Stepped | StopReason::ThreadEnds => "step",
        };
        let description = position.lines().next().unwrap_or_default();
        let (block, thread) = self.session().focus();
        let mut body = json!({
            "reason": name, "description": description, "text": description,
            "threadId": self.thread_id(block, thread / 32), "allThreadsStopped": true,
        });
        if let StopReason::Breakpoint(number) = reason {
            let hit = self.set.iter().filter(|set| set.number == number).map(|set| set.id);
            body["hitBreakpointIds"] = hit.collect::<Vec<_>>().into();
        }
        events.push(event("stopped", body));
    }

    /// Whether a search may go on in another launch.
    fn searches(&self) -> bool {
        self.options.wanted.any() || self.console.has_breakpoints()
    }

    /// Runs from the start to the first stop.
    fn start(&mut self, events: &mut Vec<Value>) -> Result<(), String> {
        let error = self.session().go_to_first_stop().map_err(fault)?;
        events.extend(error.map(|error| output("stderr", &error)));
        let ended = *self.session().reason() == StopReason::End;
        match ended && self.searches() && self.console.has_later_launch() {
            true => self.leaves = Some(LaunchMove::Forward),
            false => self.stopped(events),
        }
        Ok(())
    }

    fn go_on(&mut self, back: bool, events: &mut Vec<Value>) -> Answer {
        let answer = Ok(json!({ "allThreadsContinued": true }));
        let command = if back { "rcontinue" } else { "continue" };
        // At the end or the start of a launch, the next one.
        if let Some(ReplyStatus::Launch(to)) = self.console.leaves_for(command) {
            self.leaves = Some(to);
            return answer;
        }
        let before = self.session().step();
        let error = self.session().go_on(back).map_err(fault)?;
        events.extend(error.map(|error| output("stderr", &error)));
        let reason = self.session().reason().clone();
        let over = matches!(reason, StopReason::End) || back && reason == StopReason::Start;
        if over
            && self.searches()
            && let Some(ReplyStatus::Launch(to)) = self.console.leaves_for(command)
        {
            self.leaves = Some(to);
            return answer;
        }
        let ended = reason == StopReason::End && self.session().step() == before;
        match ended {
            // The user continues at the end: nothing is left.
            true => events.extend([
                event("exited", json!({ "exitCode": 0 })),
                event("terminated", Value::Null),
            ]),
            false => self.stopped(events),
        }
        answer
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
        let (block, thread) = self.thread_of(given)?;
        self.session().select(block, thread)?;
        self.session().take_step(kind, StepUnit::Thread, back).map_err(fault)?;
        self.stopped(events);
        Ok(Value::Null)
    }

    /// `exceptionInfo`: the fault that ended the launch.
    fn exception(&mut self) -> Answer {
        let text = self.console.position();
        match self.session().timeline().end().fault {
            Some(_) => Ok(json!({
                "exceptionId": "fault", "description": text, "breakMode": "always",
            })),
            None => Err("the launch has no fault".to_owned()),
        }
    }

    /// Executes a command of the console; `None` if it is not a command.
    pub(super) fn command(&mut self, line: &str, events: &mut Vec<Value>) -> Option<Answer> {
        let before = (self.session().step(), self.session().focus(), self.session().frame());
        if !is_command(line) {
            return None;
        }
        let reply = self.console.execute(line);
        if let ReplyStatus::Launch(to) = reply.status {
            self.leaves = Some(to);
        } else if (self.session().step(), self.session().focus(), self.session().frame()) != before
        {
            self.stopped(events);
        }
        Some(Ok(json!({ "result": reply.text, "variablesReference": 0 })))
    }
}

fn fault(fault: Fault) -> String {
    fault.to_string()
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsFunctionBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsSetVariable": false,
        "supportsSetExpression": false,
        "exceptionBreakpointFilters": [
            { "filter": "finding", "label": "Findings of the sanitizer", "default": false },
        ],
    })
}
