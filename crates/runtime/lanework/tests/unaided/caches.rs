//! Counts the misses of caches with N lines each: LRU, FIFO and clock; one thread per set of the cache.
use lanework::prelude::*;

#[device]
trait Cache {
    fn new() -> Self;
    /// Whether the page was there.
    fn touch(&mut self, page: u32) -> bool;
}

#[device]
#[derive(Clone, Copy)]
struct Lru<const N: usize> {
    pages: [Option<u32>; N],
}

#[device]
impl<const N: usize> Cache for Lru<N> {
    fn new() -> Self {
        Lru { pages: [None; N] }
    }

    fn touch(&mut self, page: u32) -> bool {
        let at = self.pages.iter().position(|p| *p == Some(page));
        self.pages[..=at.unwrap_or(N - 1)].rotate_right(1);
        self.pages[0] = Some(page);
        at.is_some()
    }
}

#[device]
#[derive(Clone, Copy)]
struct Fifo<const N: usize> {
    pages: [u32; N],
    next: usize,
    len: usize,
}

#[device]
impl<const N: usize> Cache for Fifo<N> {
    fn new() -> Self {
        Self { pages: [0; N], next: 0, len: 0 }
    }

    fn touch(&mut self, page: u32) -> bool {
        if self.pages[..self.len].contains(&page) {
            return true;
        }
        self.pages[self.next] = page;
        self.next = (self.next + 1) % N;
        self.len = N.min(self.len + 1);
        false
    }
}

#[device]
#[derive(Clone, Copy, Default)]
struct CacheLine {
    page: u32,
    valid: bool,
    used: bool,
}

#[device]
#[derive(Clone, Copy)]
struct Clock<const N: usize> {
    lines: [CacheLine; N],
    hand: usize,
}

#[device]
impl<const N: usize> Cache for Clock<N> {
    fn new() -> Self {
        Self { lines: [CacheLine::default(); N], hand: 0 }
    }

    fn touch(&mut self, page: u32) -> bool {
        for line in &mut self.lines {
            if line.valid && line.page == page {
                line.used = true;
                return true;
            }
        }
        loop {
            let line = &mut self.lines[self.hand];
            self.hand = (self.hand + 1) % N;
            if !line.used {
                *line = CacheLine { page, valid: true, used: true };
                break false;
            }
            line.used = false;
        }
    }
}

#[kernel]
fn misses<C: Cache>(trace: &[u32], sets: u32, out: &mut [u32]) {
    let set = block_idx.x * block_dim.x + thread_idx.x;
    if set >= sets {
        return;
    }
    let mut cache = C::new();
    let count = trace
        .iter()
        .copied()
        .filter(|page| page % sets == set)
        .filter(|&page| !cache.touch(page))
        .count();
    out[set] = count as u32;
}

fn lru_reference(trace: &[u32], sets: u32, set: u32, n: usize) -> u32 {
    let mut list = std::collections::VecDeque::new();
    let mut misses = 0;
    for page in trace.iter().filter(|p| *p % sets == set) {
        if let Some(at) = list.iter().position(|p| p == page) {
            list.remove(at);
        } else {
            misses += 1;
            list.truncate(n - 1);
        }
        list.push_front(*page);
    }
    misses
}

fn fifo_reference(trace: &[u32], sets: u32, set: u32, n: usize) -> u32 {
    let mut list = std::collections::VecDeque::new();
    let mut misses = 0;
    for page in trace.iter().filter(|p| *p % sets == set) {
        if !list.contains(page) {
            misses += 1;
            list.truncate(n - 1);
            list.push_front(*page);
        }
    }
    misses
}

fn clock_reference(trace: &[u32], sets: u32, set: u32, n: usize) -> u32 {
    let mut lines: Vec<Option<(u32, bool)>> = vec![None; n];
    let (mut hand, mut misses) = (0, 0);
    for page in trace.iter().filter(|p| *p % sets == set) {
        if let Some(line) = lines.iter_mut().flatten().find(|l| l.0 == *page) {
            line.1 = true;
            continue;
        }
        misses += 1;
        while let Some((_, used @ true)) = &mut lines[hand] {
            *used = false;
            hand = (hand + 1) % n;
        }
        lines[hand] = Some((*page, true));
        hand = (hand + 1) % n;
    }
    misses
}

#[test]
fn caches() -> lanework::Result<()> {
    let mut state = 1u32;
    let trace: Vec<u32> = (0..2000)
        .map(|i| {
            state = state.wrapping_mul(1103515245).wrapping_add(12345);
            (state >> 20) % if i % 3 == 0 { 40 } else { 200 }
        })
        .collect();
    let device = Device::emulator().sanitized();
    let on_trace = device.upload(&trace)?;
    let sets = 20;
    let mut out = device.zeros::<u32>(20)?;
    misses::<Lru<4>>(&on_trace, sets, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(
        out.download()?,
        (0..sets).map(|s| lru_reference(&trace, sets, s, 4)).collect::<Vec<_>>()
    );
    misses::<Fifo<3>>(&on_trace, sets, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(
        out.download()?,
        (0..sets).map(|s| fifo_reference(&trace, sets, s, 3)).collect::<Vec<_>>()
    );
    misses::<Clock<5>>(&on_trace, sets, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(
        out.download()?,
        (0..sets).map(|s| clock_reference(&trace, sets, s, 5)).collect::<Vec<_>>()
    );
    Ok(())
}
