//! The state of an editor's connection, and of its view of one launch.

use crate::commands::Console;
use crate::data::evaluate::ThreadPlace;
use crate::data::parse::Expression;
use crate::launches::LaunchMove;
use serde_json::{Value, json};

/// Requests of an editor that hold for all launches.
#[derive(Debug)]
pub(super) struct EditorOptions {
    pub(super) stops_on_entry: bool,
    /// Whether the end of the last launch is a stop, so that the editor can still go back.
    pub(super) stops_at_end: bool,
    /// Whether lines and columns count from 1, as they do here, or from 0.
    pub(super) lines_from: u64,
    pub(super) wanted: Wanted,
    /// Whether the editor has disconnected.
    pub(super) done: bool,
}

/// The breakpoints that an editor has requested.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) all: Vec<WantedBreakpoint>,
    pub(super) last_id: u64,
    /// Whether to stop at the sanitizer's findings.
    pub(super) findings: bool,
}

impl Wanted {
    /// Whether there is a breakpoint.
    pub(super) fn any(&self) -> bool {
        !self.all.is_empty() || self.findings
    }
}

/// One requested breakpoint.
#[derive(Clone, Debug)]
pub(super) struct WantedBreakpoint {
    pub(super) id: u64,
    pub(super) place: WantedPlace,
    pub(super) condition: Option<String>,
    /// Whether the current launch has code there.
    pub(super) verified: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WantedPlace {
    /// A line of a file.
    Line(String, u32),
    /// A function.
    Function(String),
}

/// A breakpoint of the session, and the requested one that it implements.
pub(super) struct SetBreakpoint {
    pub(super) number: u32,
    pub(super) id: u64,
}

/// A call whose values an editor may ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownFrame {
    /// The thread, and an instruction of the call.
    pub(super) place: ThreadPlace,
}

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Locals,
    Arguments,
    Shared,
    Registers,
}

/// A scope or a value that an editor may expand, by its number, until the session moves.
#[derive(Clone, Debug)]
pub(super) enum Expandable {
    Scope(ScopeKind, ThreadPlace),
    Value(Expression, ThreadPlace),
}

/// Answers the requests of one editor, about one launch.
pub(super) struct Adapter<'e, 's, 'a> {
    pub(super) console: &'e mut Console<'s, 'a>,
    pub(super) options: &'e mut EditorOptions,
    /// The breakpoints of this launch.
    pub(super) set: Vec<SetBreakpoint>,
    /// Values and frames that an editor may ask for, by their numbers. Cleared when the session moves.
    pub(super) expandable: Vec<Expandable>,
    pub(super) frames: Vec<ShownFrame>,
    pub(super) leaves: Option<LaunchMove>,
}

/// The result of a request: the body of its reply, or the message of its failure.
pub(super) type Answer = Result<Value, String>;

impl<'e, 's, 'a> Adapter<'e, 's, 'a> {
    pub(super) fn new(
        console: &'e mut Console<'s, 'a>,
        options: &'e mut EditorOptions,
    ) -> Adapter<'e, 's, 'a> {
        let (set, expandable, frames) = (Vec::new(), Vec::new(), Vec::new());
        Adapter { console, options, set, expandable, frames, leaves: None }
    }
}

pub(super) fn event(name: &str, body: Value) -> Value {
    match body {
        Value::Null => json!({ "type": "event", "event": name }),
        body => json!({ "type": "event", "event": name, "body": body }),
    }
}

pub(super) fn output(category: &str, text: &str) -> Value {
    event("output", json!({ "category": category, "output": format!("{text}\n") }))
}
