//! An observer sees which operations start, when they end, and which thread has waited for them.

use crate::common::{load, upload};
use crate::hopper::{emulators, wrong::text};
use lanework_emulator::{Asynchronous, LaunchConfig, Observer, Phase, Place, Space, Span};

#[derive(Default)]
struct Log(Vec<(u32, u32, Asynchronous)>);

impl Observer for Log {
    fn fork(&self) -> Self {
        Log::default()
    }
    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
    fn asynchronous(&mut self, place: Place, lane: u32, event: Asynchronous) {
        self.0.push((place.warp, lane, event));
    }
}

#[test]
fn a_copy_is_started_done_and_waited_for() {
    let text = text(
        "",
        "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1; bar.sync 0; @!%p1 bra over;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 64, [%r2];
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 64;
         again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra again;
         cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%r3], 64;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; over:",
    );
    for emulator in emulators() {
        let program = load(&emulator, &text).expect("loads");
        let out = upload(&emulator, "out", &[0; 128]);
        let mut log = Log::default();
        let launch = LaunchConfig::new("k", [1, 1, 1], [64, 1, 1]);
        emulator.launch(&program, &launch, &[&out.to_le_bytes()], &mut log).expect("runs");
        assert!(
            log.0.iter().all(|(warp, lane, _)| (*warp, *lane) == (0, 0)),
            "one thread does all"
        );
        let phase = Phase { rank: 0, offset: 0, parity: false };
        let shared = Span { space: Space::Shared, rank: 0, address: 128, bytes: 64 };
        let global = |address| Span { space: Space::Global, rank: 0, address, bytes: 64 };
        let (here, there) = (Some(shared), Some(global(out)));
        let events: Vec<Asynchronous> = log.0.into_iter().map(|(.., event)| event).collect();
        let expected = [
            Asynchronous::Started { copy: 1, from: there, to: here, phase: Some(phase) },
            Asynchronous::Arrived(phase),
            Asynchronous::Done { copy: 1 },
            Asynchronous::Waited(phase),
            Asynchronous::Started { copy: 2, from: here, to: Some(global(out + 64)), phase: None },
            Asynchronous::Committed,
            Asynchronous::Done { copy: 2 },
            Asynchronous::GroupsWaited { pending: 0 },
        ];
        assert_eq!(events, expected);
    }
}
