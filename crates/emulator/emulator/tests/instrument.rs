//! How anyone adds an instrument: here one that counts the stores of each line of source.

mod common;

use common::{START, device, kernel, load, upload};
use lanework_emulator::{Access, AccessKind, Instrument, LaunchConfig, Wants};
use std::collections::BTreeMap;

/// Counts stores: lanes that store, by the instruction's index in the kernel.
#[derive(Default)]
struct Stores(BTreeMap<u32, u32>);

impl Instrument for Stores {
    fn wants(&self) -> Wants {
        Wants::ACCESSES
    }
    fn fork(&self) -> Self {
        Stores::default()
    }
    fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(at, lanes)| *self.0.entry(at).or_default() += lanes);
    }
    fn access(&mut self, access: &Access<'_>) {
        if access.kind == AccessKind::Store {
            *self.0.entry(access.place.instruction).or_default() += access.mask.count_ones();
        }
    }
}

#[test]
fn an_instrument_counts_the_stores_of_each_line() {
    let text = kernel(&format!(
        "{START} .loc 1 7 1\n st.global.u32 [%rd5], %r1; st.global.u32 [%rd5], %r3;
         setp.lt.u32 %p1, %r3, 3;\n .loc 1 9 1\n @%p1 st.global.u32 [%rd5], %r5; ret;"
    ));
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let out = upload(&emulator, "out", &[0; 128]).to_le_bytes();
    let (launch, mut stores) = (LaunchConfig::new("k", [2, 1, 1], [64, 1, 1]), Stores::default());
    let arguments: [&[u8]; 3] = [&out, &out, &[0; 4]];
    emulator.launch(&program, &launch, &arguments, &mut stores).expect("runs");
    let mut lines = BTreeMap::<u32, u32>::new();
    for (instruction, lanes) in stores.0 {
        let line = program.location("k", instruction).map_or(0, |location| location.line);
        *lines.entry(line).or_default() += lanes;
    }
    assert_eq!(lines, BTreeMap::from([(7, 256), (9, 6)]));
}
