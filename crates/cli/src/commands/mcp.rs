//! `lanework mcp`: serves the commands to a language model.

use crate::args::McpArgs;
use lanework_mcp::Server;
use lanework_terminal::failure::{Failure, Outcome};
use std::time::Duration;

/// Serves one client until it closes standard input.
///
/// # Errors
/// If the folder does not exist, or the client does not speak the protocol.
pub fn run(args: &McpArgs) -> Outcome {
    if !args.folder.is_dir() {
        return Err(Failure::input(
            format_args!("{} is not a folder", args.folder.display()),
            "give the folder of the kernels: --folder FOLDER",
        ));
    }
    let program = std::env::current_exe().map_err(|error| {
        Failure::Input(format!("this program's own file is not known: {error}"))
    })?;
    let limit = Duration::from_secs(args.time_limit);
    let server = Server { program, folder: args.folder.clone(), limit };
    lanework_mcp::serve(server)
        .map_err(|error| Failure::Input(format!("the server ended: {error}")))
}
