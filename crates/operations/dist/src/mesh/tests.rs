//! Tests of mismatched calls, time limits, and crossing messages.

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
