//! A custom observer that counts the stores of each source line.
#![forbid(unsafe_code)]

use crate::common::{START, device, kernel, load, upload};
use lanework_emulator::{Access, AccessKind, LaunchConfig, Observer, Wants};
use std::collections::BTreeMap;

/// Counts the lanes that store, by the instruction's index in the kernel.
#[derive(Default)]
struct Stores(BTreeMap<u32, u32>);

impl Observer for Stores {
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

/// An observer that answers differently each time; the engine keeps the first answer.
struct Fickle(std::cell::Cell<bool>);

impl Observer for Fickle {
    fn wants(&self) -> Wants {
        match self.0.replace(true) {
            false => Wants::NOTHING,
            true => Wants::EVENTS | Wants::COUNTS | Wants::EDGES | Wants::SYNCHRONIZATION,
        }
    }
    fn fork(&self) -> Self {
        Fickle(std::cell::Cell::new(true))
    }
    fn merge(&mut self, _: Self) {}
}

#[test]
fn an_observers_wants_are_read_once() {
    let text = kernel(&format!("{START} bar.sync 0; st.global.u32 [%rd5], %r3; ret;"));
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let out = upload(&emulator, "out", &[0; 128]).to_le_bytes();
    let launch = LaunchConfig::new("k", [2, 1, 1], [64, 1, 1]);
    for _ in 0..2 {
        let mut fickle = Fickle(std::cell::Cell::new(false));
        emulator.launch(&program, &launch, &[&out, &out, &[0; 4]], &mut fickle).expect("runs");
    }
}

#[test]
fn the_host_reads_whole_words_while_workers_write_them() {
    let (blocks, reads) = if cfg!(miri) { (4, 20) } else { (20_000, 200_000) };
    let text = kernel(
        ".reg .b32 %r<3>; .reg .b64 %rd<2>;
         ld.param.u64 %rd1, [out]; mov.u32 %r1, 0x07070707; st.global.u32 [%rd1], %r1; ret;",
    );
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let out = upload(&emulator, "out", &[0; 64]);
    let address = out.to_le_bytes();
    let launch = LaunchConfig::new("k", [blocks, 1, 1], [32, 1, 1]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            emulator.run(&program, &launch, &[&address, &address, &[0; 4]]).expect("runs")
        });
        for _ in 0..reads {
            let mut bytes = [0; 256];
            emulator.memory().read(out, &mut bytes).expect("in bounds");
            assert!(bytes[..4] == [0; 4] || bytes[..4] == [7; 4], "{:x?}", &bytes[..4]);
            assert!(bytes[4..].iter().all(|&byte| byte == 0));
        }
    });
    let mut bytes = [0; 4];
    emulator.read(out, &mut bytes).expect("in bounds");
    assert_eq!(bytes, [7; 4]);
}
