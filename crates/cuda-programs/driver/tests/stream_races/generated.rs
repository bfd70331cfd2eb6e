//! Random programs of two classes, half of them with one planted race: host accesses to page-locked memory of pending
//! copies, and kernels that launch kernels.

use crate::children::{FORGET, TAIL, launch_parent, parent};
use crate::gpu::*;

/// A random number generator (xorshift64*).
pub struct ProgramRandom(u64);

impl ProgramRandom {
    fn new(seed: u64) -> ProgramRandom {
        ProgramRandom(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

/// Makes the calls of a random program, with or without a defect.
type RandomCalls = fn(&mut ProgramRandom, bool);

/// The classes: name, program, and the beginnings of the defect's finding.
pub const CLASSES: &[(&str, RandomCalls, &[&str])] = &[
    ("host", host_accesses, &["race with the host"]),
    ("children", child_grids, &["race with a child grid", "race between child grids"]),
];

/// Runs the programs of some seeds of a class.
pub fn run(class: &str, seeds: std::ops::Range<u64>, defect: bool) {
    let (_, program, _) = CLASSES.iter().find(|of| of.0 == class).expect("a class");
    for seed in seeds {
        program(&mut ProgramRandom::new(seed), defect);
        synchronize_all();
    }
}

/// A page-locked buffer and the streams with copies to or from it that nothing has waited for.
struct Host {
    at: u64,
    /// The stream, by index, and whether a copy writes the buffer.
    pending: Option<(usize, bool)>,
}

/// Copies between page-locked and device memory of two streams, and uses of the page-locked memory: the host does
/// not wait for a copy, or for another stream's.
fn host_accesses(random: &mut ProgramRandom, defect: bool) {
    let gpu = Gpu::new();
    let streams = [non_blocking(), non_blocking()];
    let device = [buffer(), buffer()];
    let mut hosts: Vec<Host> = (0..3).map(|_| Host { at: pinned(), pending: None }).collect();
    let wait_for = |hosts: &mut [Host], stream: usize, random: &mut ProgramRandom| {
        match random.below(3) {
            0 => synchronize(streams[stream]),
            1 => {
                let event = event();
                record(event, streams[stream]);
                synchronize_event(event);
            }
            _ => {
                synchronize_all();
                hosts.iter_mut().for_each(|host| host.pending = None);
            }
        }
        let of = hosts.iter_mut().filter(|host| host.pending.is_some_and(|of| of.0 == stream));
        of.for_each(|host| host.pending = None);
    };
    let copy = |hosts: &mut [Host], host: usize, stream: usize, random: &mut ProgramRandom| {
        if let Some((of, _)) = hosts[host].pending
            && of != stream
        {
            wait_for(hosts, of, random);
        }
        let to_host = random.below(2) == 0;
        let (to, from) = match to_host {
            true => (hosts[host].at, device[stream]),
            false => (device[stream], hosts[host].at),
        };
        copy_async(to, from, streams[stream]);
        let before = hosts[host].pending.is_some_and(|of| of.1);
        hosts[host].pending = Some((stream, to_host || before));
    };
    let steps = 4 + random.below(12);
    let wrong = random.below(steps);
    for step in 0..steps {
        let (host, stream) = (random.below(3) as usize, random.below(2) as usize);
        let word = 4 * random.below(WORDS as u64);
        if defect && step == wrong {
            copy(&mut hosts, host, stream, random);
            match random.below(4) {
                0 => synchronize(streams[1 - stream]),
                1 => record(event(), streams[stream]),
                2 => gpu.fill(device[stream], streams[stream]),
                _ => {}
            }
            let written = hosts[host].pending.is_some_and(|of| of.1);
            match written && random.below(2) == 0 {
                true => look(hosts[host].at + word),
                false => change(hosts[host].at + word),
            }
            return;
        }
        match random.below(6) {
            0 | 1 => copy(&mut hosts, host, stream, random),
            2 => gpu.fill(device[stream], streams[stream]),
            3 => {
                if let Some((of, true)) = hosts[host].pending {
                    wait_for(&mut hosts, of, random);
                }
                look(hosts[host].at + word);
            }
            4 => {
                if let Some((of, _)) = hosts[host].pending {
                    wait_for(&mut hosts, of, random);
                }
                change(hosts[host].at + word);
            }
            _ => wait_for(&mut hosts, stream, random),
        }
    }
}

/// A parent of 64 threads writes 64 words, then its first thread launches children that change words, and writes a
/// word. The defect: no barrier between the words and a child of them, a late write to a child's words, two children
/// of the same words that nothing orders, or such children of two blocks.
fn child_grids(random: &mut ProgramRandom, defect: bool) {
    let named = [0x2000, 0x2001, 0x2002];
    let first = random.below(128);
    let kind = if defect { random.below(4) } else { 4 };
    let threads = 1 + random.below(32);
    // Words of the parent, from the second on.
    let inside = first + 1 + random.below(32);
    let apart = 512 + random.below(64);
    let one = [0, FORGET, named[0]][random.below(3) as usize];
    // The parent writes before the launches, behind a barrier, and after the launches.
    let (mut barrier, mut late, mut blocks) = (true, None, 1);
    let mut children = Vec::new();
    match kind {
        0 => {
            children.push((inside, threads, one));
            barrier = false;
        }
        1 => {
            children.push((inside, threads, one));
            late = Some(inside + random.below(threads));
        }
        2 => {
            let streams = [[FORGET, FORGET], [named[0], named[1]], [FORGET, named[2]]]
                [random.below(3) as usize];
            let shift = random.below(threads);
            children.extend([(apart, threads, streams[0]), (apart + shift, threads, streams[1])]);
        }
        3 => {
            children.push((apart, threads, [0, FORGET][random.below(2) as usize]));
            blocks = 2;
        }
        // Launches into one stream, at the end of the grid, or on words of their own.
        _ => match random.below(4) {
            0 => {
                let stream = [0, named[0]][random.below(2) as usize];
                children.extend((0..1 + random.below(3)).map(|_| (inside, threads, stream)));
            }
            1 => {
                children.push((inside, threads, TAIL));
                // The late write needs the barrier against the other threads, and the tail launch needs nothing.
                barrier = random.below(2) == 0;
                late = barrier.then_some(inside);
            }
            2 => {
                let streams = [one, FORGET, named[1]];
                let place = |at: u64| apart + 64 * at;
                children.extend((0..3).map(|at| (place(at), threads, streams[at as usize])));
                barrier = random.below(2) == 0;
                late = Some(900);
            }
            _ => {
                children.extend([(inside, threads, one), (inside, threads, TAIL)]);
                late = Some(apart);
            }
        },
    }
    // Blocks write words of their own.
    launch_parent(&parent(first, barrier, &children, late), filled(), blocks);
}
