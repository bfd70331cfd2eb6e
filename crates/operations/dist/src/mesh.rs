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
mod tests {
    use super::*;
    use lanework_ranks::link::Part;
    use lanework_ranks::signature::Reduction;

    fn call(kind: CallKind, sequence: u64, count: u64) -> Signature {
        Signature { sequence, kind, element: 7, count }
    }

    /// Announces a rank's call whose data takes another way, as with NCCL.
    fn announce(mesh: &mut Mesh, own: Signature) {
        for peer in mesh.others() {
            mesh.expect(peer, own);
            mesh.post(peer, own, Part::default()).expect("posted");
        }
    }

    /// The text of the error of a call that fails; stops the rank.
    fn failed(mesh: &mut Mesh, call: fn(&mut Mesh) -> Result<(), Fault>) -> String {
        let fault = call(mesh).expect_err("it fails");
        stop(mesh, fault).to_string()
    }

    #[test]
    fn calls_without_a_wait_are_compared_later() {
        let mut ranks = local(2, Duration::from_secs(60));
        for sequence in 0..3 {
            let reduce = call(CallKind::AllReduce(Reduction::Sum), sequence, 10);
            ranks.iter_mut().for_each(|mesh| announce(mesh, reduce));
            assert!(ranks.iter_mut().all(|mesh| mesh.compare().is_ok()));
        }
        announce(&mut ranks[0], call(CallKind::AllGather, 3, 10));
        assert!(ranks[0].compare().is_ok() && ranks[0].outstanding().count() == 1);
        announce(&mut ranks[1], call(CallKind::AllGather, 3, 11));
        let text = failed(&mut ranks[0], Mesh::compare);
        assert!(text.contains("rank 1 called all_gather of 11 f32 (call 4)"), "{text}");
        // Both ranks have stopped.
        assert!(ranks[1].agree().is_err() && ranks[0].agree().is_err());
    }

    #[test]
    fn a_wait_that_times_out_names_the_missing_ranks() {
        let mut ranks = local(3, Duration::from_millis(1));
        let reduce = call(CallKind::AllReduce(Reduction::Sum), 0, 10);
        announce(&mut ranks[0], reduce);
        announce(&mut ranks[2], reduce);
        ranks[0].compare().expect("nobody disagrees");
        let text = late(&ranks[0]).to_string();
        assert!(
            text.contains("all_reduce (sum) of 10 f32 (call 1): rank 1 of 3 has not arrived"),
            "{text}"
        );
        let text = failed(&mut ranks[0], Mesh::agree);
        assert!(text.contains("rank 1 of 3 has not arrived"), "{text}");
    }

    #[test]
    fn ranks_that_send_to_each_other_confirm_both_ways() {
        let mut ranks = local(2, Duration::from_secs(60));
        let (sent, received) = (call(CallKind::Message, 0, 5), call(CallKind::Receipt, 0, 5));
        for (rank, mesh) in ranks.iter_mut().enumerate() {
            let peer = 1 - rank;
            mesh.expect(peer, received);
            mesh.post(peer, sent, Part::default()).expect("posted");
            mesh.expect(peer, sent);
            mesh.post(peer, received, Part::default()).expect("posted");
        }
        for mesh in &mut ranks {
            mesh.agree().expect("both have called both");
            assert_eq!(mesh.outstanding().count(), 0);
        }
    }
}
