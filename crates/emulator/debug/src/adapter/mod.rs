//! The Debug Adapter Protocol, by which editors drive a session: <https://microsoft.github.io/debug-adapter-protocol>.
//!
//! The launch is already recorded when an editor connects; its `launch` request only says where to stop. A program has
//! several launches: `continue` goes from one to the next, and the connection lasts over all of them ([`Editor`]).
//!
//! The threads of the protocol are the warps of the stopped cluster's blocks, because a launch has too many threads for a
//! list. A warp shows the stack of the selected thread if it contains that thread, else of its first live lane. The
//! editor's console takes the commands of [`Console`], such as `thread 5`.

mod breakpoints;
mod requests;
mod state;
mod threads;
mod values;
mod wire;

use crate::commands::{Console, Sources};
use crate::launches::LaunchMove;
use crate::session::Session;
use serde_json::Value;
use state::{Adapter, EditorOptions, Wanted};
use std::io::{self, BufRead, Write};
use wire::{read_message, write_message};

/// The connection with an editor.
pub struct Editor<'io> {
    input: &'io mut dyn BufRead,
    output: &'io mut dyn Write,
    sequence: u64,
    options: EditorOptions,
}

impl<'io> Editor<'io> {
    /// The connection of an editor that has not sent a request yet.
    pub fn new(input: &'io mut dyn BufRead, output: &'io mut dyn Write) -> Editor<'io> {
        let options = EditorOptions {
            stops_on_entry: true,
            stops_at_end: true,
            lines_from: 1,
            wanted: Wanted::default(),
            done: false,
        };
        Editor { input, output, sequence: 0, options }
    }

    /// Serves the editor until it leaves the launch, disconnects, or the input ends. `arrived` is the move that led to this
    /// launch. Returns the move to another launch.
    ///
    /// # Errors
    /// If the input violates the protocol, or the output cannot be written.
    pub fn serve(
        &mut self,
        console: &mut Console<'_, '_>,
        arrived: Option<LaunchMove>,
    ) -> io::Result<Option<LaunchMove>> {
        let mut adapter = Adapter::new(console, &mut self.options);
        let mut messages = match arrived {
            Some(to) => adapter.arrive(to),
            None => Vec::new(),
        };
        loop {
            for message in &mut messages {
                self.sequence += 1;
                message["seq"] = Value::from(self.sequence);
                write_message(self.output, message)?;
            }
            if let Some(to) = adapter.leaves() {
                return Ok(Some(to));
            }
            if adapter.is_done() {
                return Ok(None);
            }
            let Some(request) = read_message(self.input)? else { return Ok(None) };
            messages = adapter.answer(&request);
        }
    }
}

/// Serves an editor that debugs one launch, until it disconnects or the input ends.
///
/// # Errors
/// If the input violates the protocol, or the output cannot be written.
pub fn serve(
    session: &mut Session<'_>,
    sources: Sources<'_>,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut console = Console::new(session, sources);
    Editor::new(input, output).serve(&mut console, None).map(|_| ())
}
