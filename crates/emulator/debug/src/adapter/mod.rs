//! The Debug Adapter Protocol, by which editors drive a session: <https://microsoft.github.io/debug-adapter-protocol>.
//!
//! The launch is already recorded when an editor connects; its `launch` request only says whether to stop at the start.
//! The threads of the protocol are the warps of the current block, because a launch has too many threads for a list. A
//! warp shows the stack of the selected thread if it contains that thread, else of its first live lane. The editor's
//! console takes the commands of [`Console`](crate::commands::Console).

mod requests;
mod wire;

use crate::commands::Sources;
use crate::session::Session;
use requests::Adapter;
use std::io::{self, BufRead, Write};
use wire::{read_message, write_message};

/// Serves one editor until it disconnects or the input ends.
///
/// # Errors
/// If the input violates the protocol, or the output cannot be written.
pub fn serve(
    session: &mut Session<'_>,
    sources: Sources<'_>,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut adapter = Adapter::new(session, sources);
    let mut sequence = 0;
    while let Some(request) = read_message(input)? {
        for mut message in adapter.answer(&request) {
            sequence += 1;
            message["seq"] = sequence.into();
            write_message(output, &message)?;
        }
        if adapter.is_done() {
            break;
        }
    }
    Ok(())
}
