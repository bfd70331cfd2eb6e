//! This rank's links to its peers, and the conversion of their faults to NCCL's failures.

pub(crate) mod meeting;

use crate::status::{Failure, Status, failure};
use lanework_ranks::mesh::{Fault, FaultKind, LongWait, Settings};
use lanework_ranks::signature::{CallKind, Names};
use lanework_ranks::signature::{not_arrived, ranks, seconds};
use lanework_standin::line;
use std::time::Duration;

/// This rank's links to its peers.
pub type Mesh = lanework_ranks::mesh::Mesh<Failure>;

/// After this time, one message names the missing ranks.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long ranks wait for each other: 600 seconds, or `LANEWORK_NCCL_TIMEOUT`.
pub fn timeout() -> Duration {
    let told = std::env::var("LANEWORK_NCCL_TIMEOUT").ok();
    let seconds: Option<f64> = told.and_then(|text| text.trim().parse().ok());
    let seconds = seconds.filter(|seconds| (0.001..1e9).contains(seconds)).unwrap_or(600.0);
    Duration::from_secs_f64(seconds)
}

pub fn settings() -> Settings {
    // Collectives and messages are not ordered with each other.
    let lane = |kind| usize::from(kind == CallKind::Message);
    Settings { timeout: timeout(), lane, on_long_wait: Some((PATIENCE, tell)) }
}

fn tell(wait: &LongWait<'_>) {
    line(&format_args!(
        "NCCL's stand-in: rank {} waits for {} of {} in {} for {} now",
        wait.rank,
        ranks(wait.absent),
        wait.size,
        wait.own.words(Names::Nccl),
        seconds(wait.waited)
    ));
}

/// The failure of a call.
pub fn explain(mesh: &Mesh, fault: Fault) -> Failure {
    let (rank, size) = (fault.rank, fault.size);
    let call = fault.own.map(|own| own.words(Names::Nccl)).unwrap_or_default();
    let (status, why) = match fault.kind {
        FaultKind::Disagreement { from, theirs } => (
            Status::InvalidUsage,
            format!(
                "ranks disagree: rank {from} called {}, rank {rank} {call}; every rank must make the same calls in the same order, with the same counts, types and roots",
                theirs.words(Names::Nccl)
            ),
        ),
        FaultKind::Gone { from, why } => {
            (Status::Remote, format!("rank {from} left before {call} of rank {rank}: {why}"))
        }
        FaultKind::Missing { absent, waited } => (
            Status::Remote,
            format!(
                "{call}: {}, rank {rank} waited {}; every rank must make every call, those of one thread within \
                 ncclGroupStart and ncclGroupEnd; LANEWORK_NCCL_TIMEOUT (seconds) makes ranks wait longer",
                not_arrived(&absent, size),
                seconds(waited)
            ),
        ),
        FaultKind::Lengths => {
            (Status::Internal, format!("ranks sent parts of different lengths in {call}"))
        }
        FaultKind::Aborted => {
            (Status::InvalidUsage, format!("the communicator of rank {rank} was aborted"))
        }
        FaultKind::Stopped => {
            let (status, why) = match mesh.stopped() {
                Some(Failure { status, why }) => (*status, why.as_str()),
                None => (Status::Internal, "unknown"),
            };
            let why =
                format!("rank {rank} has stopped after an error: {why}; make a new communicator");
            (status, why)
        }
    };
    failure(status, why)
}

/// Stops this rank after a failure, and tells the others.
pub fn stop(mesh: &mut Mesh, failure: Failure) -> Failure {
    mesh.stop(failure.clone(), &failure.why);
    failure
}
