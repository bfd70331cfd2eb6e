//! Random programs, half of them with one planted defect: host accesses to page-locked and managed memory of pending copies
//! and kernels, kernels that launch kernels, stream-ordered allocations, and calls that need more stack than its limit.

use crate::children::{FORGET, TAIL, launch_parent, parent};
use crate::common::{kernel, launch};
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
    ("frees", stream_ordered, &["use before allocation", "use after free"]),
    ("stacks", deep_calls, &["check incomplete: deep: stack overflow"]),
];

/// Runs the programs of some seeds of a class.
pub fn run(class: &str, seeds: std::ops::Range<u64>, defect: bool) {
    let (_, program, _) = CLASSES.iter().find(|of| of.0 == class).expect("a class");
    for seed in seeds {
        program(&mut ProgramRandom::new(seed), defect);
        // A stack overflow leaves the context unusable.
        if class != "stacks" || !defect {
            synchronize_all();
        }
    }
}

/// A managed or page-locked buffer and the streams with copies to or from it that nothing has waited for.
struct Host {
    at: u64,
    /// The stream, by index, and whether a copy writes the buffer.
    pending: Option<(usize, bool)>,
}

/// Copies between host and device memory in two streams, by calls and by kernels, and host accesses to that memory. The
/// defect: before an access, the host does not wait for a copy, or waits for the wrong stream.
fn host_accesses(random: &mut ProgramRandom, defect: bool) {
    let gpu = Gpu::new();
    let streams = [non_blocking(), non_blocking()];
    let device = [buffer(), buffer()];
    let mut hosts: Vec<Host> = (0..3)
        .map(|at| Host { at: if at == 0 { managed() } else { pinned() }, pending: None })
        .collect();
    // Page-locked memory counts as written, managed memory does not.
    (0..WORDS as u64).for_each(|word| change(hosts[0].at + 4 * word));
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
        match random.below(3) {
            0 => gpu.copy(to, from, streams[stream]),
            _ => copy_async(to, from, streams[stream]),
        }
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

/// A parent of 64 threads writes 64 words. Its first thread then launches children that change
/// words, and writes one more word. The defect is one of these: no barrier between the parent's
/// words and a child that changes them; a late write to a word of a child; two unordered children
/// that change the same words; the same with one child from each of two blocks.
fn child_grids(random: &mut ProgramRandom, defect: bool) {
    let named = [0x2000, 0x2001, 0x2002];
    let first = random.below(128);
    let kind = if defect { random.below(4) } else { 4 };
    let threads = 1 + random.below(32);
    // Words of the parent, from the second on.
    let inside = first + 1 + random.below(32);
    let apart = 512 + random.below(64);
    let one = [0, FORGET, named[0]][random.below(3) as usize];
    // Whether a barrier separates the parent's writes from its launches, the word that it writes
    // after them, and the number of blocks.
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
        // A correct kernel: its launches are in one stream, at the end of the grid, or on separate
        // words.
        _ => match random.below(4) {
            0 => {
                let stream = [0, named[0]][random.below(2) as usize];
                children.extend((0..1 + random.below(3)).map(|_| (inside, threads, stream)));
            }
            1 => {
                children.push((inside, threads, TAIL));
                // The late write is to a word of another thread, so it needs the barrier. The tail
                // launch needs none.
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

/// Stream-ordered allocations that two streams use, one after the other. The defect: nothing orders a use in the other
/// stream after the allocation or before the free.
fn stream_ordered(random: &mut ProgramRandom, defect: bool) {
    let gpu = Gpu::new();
    let (one, other) = two();
    let steps = 1 + random.below(6);
    let wrong = random.below(steps);
    for step in 0..steps {
        let (own, also) = if random.below(2) == 0 { (one, other) } else { (other, one) };
        let x = allocate_async(own);
        let before = defect && step == wrong && random.below(2) == 0;
        // This write by the parent stream would race with a use that comes too early, as a second
        // finding.
        if random.below(2) == 0 && !before {
            gpu.fill(x, own);
        }
        if defect && step == wrong {
            if !before {
                after(own, also);
            }
            gpu.fill(x, also);
            match random.below(3) {
                // The use comes too early, and the free is in order.
                _ if before => {
                    after(also, own);
                    free_async(x, own);
                }
                0 => {
                    record(event(), also);
                    free_async(x, own);
                }
                1 => {
                    synchronize(own);
                    free_async(x, own);
                }
                _ => free(x),
            }
            return;
        }
        match random.below(4) {
            0 => free_async(x, own),
            1 => {
                after(own, also);
                gpu.fill(x, also);
                match random.below(2) {
                    0 => after(also, own),
                    _ => synchronize(also),
                }
                free_async(x, own);
            }
            2 => {
                after(own, also);
                gpu.fill(x, also);
                free_async(x, also);
            }
            _ => {
                synchronize(own);
                gpu.fill(x, also);
                synchronize_all();
                free(x);
            }
        }
    }
}

/// A recursive function below the stack's limit, which the program may have raised. The defect: calls that are too deep.
fn deep_calls(random: &mut ProgramRandom, defect: bool) {
    let x = filled();
    let limit = 1024 << random.below(6);
    // 1024 bytes are the default.
    if limit > 1024 || random.below(2) == 0 {
        good(call!("cuCtxSetLimit"(0 => u32, limit as usize => usize)));
    }
    let frame = 16 * (1 + random.below(limit / 64));
    let depth = match defect {
        true => 2 * limit / frame + random.below(8),
        false => random.below(limit / (2 * (frame + 64)) + 1),
    };
    let text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n
.func (.param .b32 out) deeper(.param .b32 n) {{
    .local .align 16 .b8 frame[{frame}];
    .reg .b32 %r<4>; .reg .b64 %l; .reg .pred %p;
    ld.param.u32 %r1, [n];
    mov.u64 %l, frame;
    st.local.u32 [%l], %r1;
    setp.eq.u32 %p, %r1, 0;
    @%p bra DONE;
    sub.u32 %r2, %r1, 1;
    {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), deeper, (a); ld.param.b32 %r2, [b]; }}
DONE:
    ld.local.u32 %r3, [%l];
    st.param.b32 [out], %r3;
    ret;
}}
.visible .entry deep(.param .u64 p, .param .u64 depth) {{
    .reg .b32 %r<3>; .reg .b64 %a;
    ld.param.u64 %a, [p];
    ld.param.u32 %r1, [depth];
    {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), deeper, (a); ld.param.b32 %r2, [b]; }}
    st.global.u32 [%a], %r2;
    ret;
}}\0"
    );
    let code = launch(kernel(&text, "deep"), 1, &[x, depth]);
    assert_eq!(code != 0, defect, "{depth} calls of {frame} bytes, {limit} of stack");
}
