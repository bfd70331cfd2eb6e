//! A Model Context Protocol server, with which a language model or another client checks, profiles, draws and judges
//! CUDA kernels, and predicts their time.
//!
//! Every tool runs the `lanework` command with `--json` in a separate process and returns its output, so the command
//! and the tools always agree. `docs/json.md` describes the fields.

mod tools;

use lanework_confine::{Confinement, Reach};
use rmcp::ServiceExt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The program behind the tools, and its limits.
#[derive(Clone, Debug)]
pub struct Server {
    /// The `lanework` command.
    pub program: PathBuf,
    /// The folder whose files the tools can read. Paths are relative to it.
    pub folder: PathBuf,
    /// The longest time that one call may take.
    pub limit: Duration,
}

/// A server with its folder for temporary files.
#[derive(Clone, Debug)]
struct Session {
    server: Server,
    scratch: PathBuf,
}

/// Serves one client on standard input and output, until the input ends.
///
/// The process and the commands that it starts are confined: they read the folder of the server and the system's
/// programs and libraries, write only temporary files, and open no connection. If the system cannot confine a process,
/// a line on standard error says so.
///
/// # Errors
/// If the folder does not exist, the system refuses to confine the process, or the client does not speak the protocol.
pub fn serve(server: Server) -> io::Result<()> {
    std::env::set_current_dir(&server.folder)?;
    let here = std::env::current_dir()?;
    let scratch = tempfile::tempdir()?;
    let reach = Reach::of_system().reading(here).writing(scratch.path());
    match reach.confine().map_err(io::Error::other)? {
        Confinement::None => eprintln!(
            "lanework: this system cannot confine the server: an #include can read every file that you can read"
        ),
        Confinement::Full | Confinement::Part => {}
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let session = Session { server, scratch: scratch.path().to_owned() };
        let service = session.serve(rmcp::transport::stdio()).await.map_err(io::Error::other)?;
        service.waiting().await.map_err(io::Error::other)?;
        Ok(())
    })
}
