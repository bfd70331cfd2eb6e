//! This rank's links to its peers, and their faults as errors.

use lanework::Error;
use lanework_ranks::mesh::{Fault, FaultKind, Settings};
use lanework_ranks::signature::{CallKind, Names, Signature};
use lanework_ranks::words::{not_arrived, seconds};
use std::time::Duration;

/// This rank's links to its peers. The text of an error stops it.
pub(crate) type Mesh = lanework_ranks::mesh::Mesh<String>;

/// Settings of a rank with this time limit: receipts are apart from collectives and messages, which are in order with each other.
pub(crate) fn settings(timeout: Duration) -> Settings {
    let lane = |kind| usize::from(kind == CallKind::Receipt);
    Settings { timeout, lane, on_long_wait: None }
}

/// The links of all ranks of one process.
pub(crate) fn local(size: usize, timeout: Duration) -> Vec<Mesh> {
    Mesh::local(size, settings(timeout)).into_iter().map(|(mesh, _)| mesh).collect()
}

/// Stops this rank after a fault, and tells the others.
pub(crate) fn stop(mesh: &mut Mesh, fault: Fault) -> Error {
    let error = explain(mesh, fault);
    stop_by(mesh, error)
}

/// Stops this rank after an error, and tells the others, so that they do not wait.
pub(crate) fn stop_by(mesh: &mut Mesh, error: Error) -> Error {
    let why = error.to_string();
    let why = why.lines().next().unwrap_or_default().to_owned();
    mesh.stop(why.clone(), &why);
    error
}

fn words(call: &Signature) -> String {
    call.words(Names::Rust)
}

/// The error of a fault.
fn explain(mesh: &Mesh, fault: Fault) -> Error {
    let (rank, size) = (fault.rank, fault.size);
    let own = fault.own.as_ref().map(words).unwrap_or_default();
    let (why, help) = match fault.kind {
        FaultKind::Disagreement { from, theirs } => (
            format!(
                "ranks disagree: rank {from} called {}, rank {rank} (this one) {own}",
                words(&theirs)
            ),
            "every rank must make the same calls in the same order, with the same counts and types"
                .to_owned(),
        ),
        FaultKind::Gone { from, why } => (
            format!("rank {from} left before {own} of rank {rank}: {why}"),
            format!("see the error of rank {from}; every rank must make every call"),
        ),
        FaultKind::Missing { absent, waited } => (
            format!("{own}: {}, rank {rank} waited {}", not_arrived(&absent, size), seconds(waited)),
            "every rank must make every call; `timeout` or LANEWORK_DIST_TIMEOUT (seconds) makes ranks wait longer"
                .to_owned(),
        ),
        FaultKind::Lengths => (
            "a rank sent data whose length does not match its call".to_owned(),
            "build every rank from the same version of this library".to_owned(),
        ),
        FaultKind::Stopped | FaultKind::Aborted => {
            let why = mesh.stopped().map_or("it was aborted", String::as_str);
            (
                format!("rank {rank} has stopped after an error: {why}"),
                "make a new communicator".to_owned(),
            )
        }
    };
    Error::Communication { why, help }
}

/// The error of a wait for the device that took too long: names the peers that have not made their calls, if any.
pub(crate) fn late(mesh: &Mesh) -> Error {
    let waited = mesh.settings.timeout;
    let Some((_, own)) = mesh.outstanding().next() else {
        return Error::Communication {
            why: format!("rank {} waited {} for its device; every rank has made its calls", mesh.rank, seconds(waited)),
            help: "a kernel may hang, or the network may have failed; NCCL_DEBUG=WARN makes NCCL print more".to_owned(),
        };
    };
    let absent = mesh.outstanding().map(|(peer, _)| peer).collect();
    explain(mesh, mesh.fault(Some(own), FaultKind::Missing { absent, waited }))
}

#[cfg(test)]
mod tests;
