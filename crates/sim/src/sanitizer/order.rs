//! What orders accesses: barriers, warp synchronisation, releases and acquires. Never the order in
//! which the emulator happened to run them.
//!
//! Each warp counts epochs; whatever orders ends one. For every warp of the cluster (of the block, where
//! there are none) a warp knows up to which epoch that warp's accesses lie before its own. Callers
//! number warps within the block whose turn it is ([`Order::enter`]), the books in the cluster. Lanes of one warp are ordered by program
//! order, and among each other by `bar.warp.sync` and barriers only: that lanes run in lockstep is no
//! promise; a lock that two of them hold in turn orders all. Between blocks only releases count: a
//! fence followed by a strong write or atomic, or one that says `.release`. Whoever reads its result
//! with a strong read or atomic comes after; a fence on the reading side is not insisted on, for the
//! CUDA manuals' own examples leave it out.

use lanework_ptx_ir::kernel::Scope;
use std::collections::HashMap;

/// An access in 64 bits: who, where in the program, and how.
pub type Tag = u64;
/// Where in a tag its lane is.
pub const LANE: u32 = 20;
/// The bits of a tag that are its lane.
pub const LANES: Tag = 31 << LANE;
/// The bits of a tag that name a thread and its segment.
const THREAD: Tag = 0xffff_ffff << 32 | LANES;
/// A strong access with at least block scope.
pub const STRONG: Tag = 1 << 25;
/// A strong access whose scope is wider than the block.
pub const WIDE_SCOPE: Tag = 1 << 26;
/// An asynchronous copy that nobody has waited for.
pub const ASYNC: Tag = 1 << 27;
/// Among reads: one that wrote, too (an atomic before the last).
pub const WROTE: Tag = 1 << 28;
/// A `.volatile` access to data, see [`lanework_ptx_ir::kernel::Order`].
pub const DATA: Tag = 1 << 29;

/// Whether two tags are of one thread, with nothing in between that orders.
#[inline(always)]
pub fn own(a: Tag, b: Tag) -> bool {
    (a ^ b) & THREAD == 0
}

/// The segment of a tag.
#[inline(always)]
pub fn segment(tag: Tag) -> u32 {
    (tag >> 32) as u32
}

/// The lane of a tag.
#[inline(always)]
pub fn lane(tag: Tag) -> u32 {
    (tag >> LANE) as u32 & 31
}

/// The instruction of a tag.
pub fn instruction(tag: Tag) -> u32 {
    tag as u32 & ((1 << LANE) - 1)
}

/// A tag; the lane is added to it by [`with_lane`].
pub fn tag(segment: u32, instruction: u32) -> Tag {
    u64::from(segment) << 32 | u64::from(instruction & ((1 << LANE) - 1))
}

/// The tag of one lane.
#[inline(always)]
pub fn with_lane(tag: Tag, lane: u32) -> Tag {
    tag | u64::from(lane) << LANE
}

/// Groups of asynchronous copies that count as warps of their own. After these come the products of
/// each warpgroup.
pub const AGENTS: usize = 16;

/// A stretch of one warp's run between two things that order.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Linear index of the block.
    pub block: u64,
    /// The warp in it that acted.
    pub warp: u32,
    /// Its place in the books: another one for asynchronous copies, which count as warps of their own.
    slot: u32,
    cluster: u32,
    epoch: u32,
}

/// How what a segment holds lies to what a warp does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it comes before.
    Before,
    /// Nothing orders the two.
    Beside,
    /// It is of the same warp: what each lane did comes before what that lane does, and before nothing
    /// else.
    ByLane,
    /// The same, but that lanes have synchronised in parts.
    ByPairs,
}

/// What was last found out of a segment: tags of neighbours are often of the same. Good for as long as
/// nothing orders anything.
pub struct Memo {
    segment: u32,
    verdict: Verdict,
}

impl Memo {
    /// Nothing is known yet.
    pub const NONE: Memo = Memo { segment: 0, verdict: Verdict::Before };

    /// [`Order::verdict_of`].
    #[inline(always)]
    pub fn of(&mut self, order: &mut Order, tag: Tag, base: u32, warp: u32) -> Verdict {
        let of = segment(tag);
        if of != self.segment {
            *self = Memo { segment: of, verdict: order.verdict_of(tag, base, warp) };
        }
        self.verdict
    }
}

/// What a release makes known: what its warp knew of its block, and what was known before.
struct Node {
    cluster: u32,
    seen: Box<[u32]>,
    parents: [u32; 2],
}

/// No node.
const NONE: u32 = 0;
/// Nodes looked at before a search gives up and takes accesses to be ordered.
const SEARCH: usize = 1 << 14;

/// Where released values lie: in shared memory or not, and the address. That in shared memory says
/// whose, too.
type Flag = (bool, u64);

/// The order of accesses in the cluster that runs, and what is known of others.
pub struct Order {
    /// Warps, those that stand for asynchronous copies included.
    warps: usize,
    /// Warps of all blocks.
    real: usize,
    /// Warps of a block.
    per_block: usize,
    /// The first warp of the block whose turn it is.
    first: usize,
    /// Counts clusters.
    cluster: u32,
    /// What each warp knew at its last fence between proxies.
    fenced: Vec<u32>,
    block: u64,
    now: Vec<u32>,
    /// By warp and warp: epochs below are before.
    seen: Vec<u32>,
    /// By warp: below this epoch, all lanes are before all lanes.
    together: Vec<u32>,
    /// The same by pairs of lanes, where warps synchronise in parts.
    pairs: Vec<Option<Box<[[u32; 32]; 32]>>>,
    current: Vec<u32>,
    segments: Vec<Segment>,
    base: u32,
    ended: Vec<bool>,
    /// By block and barrier.
    gathered: Vec<Gathered>,
    /// At the cluster's barrier, by the parity of its generation.
    met: [Gathered; 2],
    nodes: Vec<Node>,
    /// What each warp knows of other blocks.
    knows: Vec<u32>,
    /// The last fence of each warp.
    fences: Vec<Option<(u32, Scope)>>,
    released: HashMap<Flag, (u32, Scope)>,
    stamps: Vec<u32>,
    stamp: u32,
}

/// What has come together at a barrier.
#[derive(Clone, Default)]
struct Gathered {
    seen: Vec<u32>,
    knows: u32,
}

impl Order {
    /// For clusters of this many blocks of this many warps.
    pub fn new(per_block: usize, blocks: usize) -> Order {
        let real = per_block * blocks;
        let warps = real + AGENTS + blocks * per_block.div_ceil(4);
        let nobody = Segment { block: u64::MAX, warp: 0, slot: 0, cluster: 0, epoch: 0 };
        let no_node = Node { cluster: 0, seen: Box::default(), parents: [NONE; 2] };
        Order {
            warps,
            real,
            per_block,
            first: 0,
            cluster: 0,
            fenced: vec![0; warps * warps],
            block: 0,
            now: vec![1; warps],
            seen: vec![0; warps * warps],
            together: vec![0; warps],
            pairs: vec![None; warps],
            current: vec![0; warps],
            segments: vec![nobody],
            base: 1,
            ended: vec![false; warps],
            gathered: vec![Gathered::default(); 16 * blocks],
            met: Default::default(),
            nodes: vec![no_node],
            knows: vec![NONE; warps],
            fences: vec![None; warps],
            released: HashMap::new(),
            stamps: Vec::new(),
            stamp: 0,
        }
    }

    /// A cluster starts, of which this block is the first.
    pub fn start(&mut self, block: u64) {
        self.cluster += 1;
        self.enter(0, block);
        self.now.fill(1);
        self.seen.fill(0);
        self.fenced.fill(0);
        self.together.fill(0);
        self.pairs.fill(None);
        self.current.fill(0);
        self.base = self.segments.len() as u32;
        self.ended.fill(false);
        self.gathered.fill(Gathered::default());
        self.met.fill(Gathered::default());
        self.knows.fill(NONE);
        self.fences.fill(None);
        self.released.retain(|(shared, _), _| !shared);
    }

    /// It is the turn of the block of this rank, with this linear index.
    pub fn enter(&mut self, rank: usize, block: u64) {
        (self.first, self.block) = (rank * self.per_block, block);
    }

    /// The place in the books of a warp of the block whose turn it is.
    #[inline(always)]
    fn slot(&self, w: usize) -> usize {
        self.first + w
    }

    /// The first segment of this cluster: tags of earlier ones are of others.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The segment that a warp is in.
    #[inline(always)]
    pub fn segment_of(&mut self, warp: u32) -> u32 {
        let w = self.slot(warp as usize);
        if self.current[w] == 0 {
            self.current[w] = self.segments.len() as u32;
            self.push(w, (self.block, warp));
        }
        self.current[w]
    }

    fn push(&mut self, slot: usize, (block, warp): (u64, u32)) {
        let (epoch, cluster) = (self.now[slot], self.cluster);
        self.segments.push(Segment { block, warp, slot: slot as u32, cluster, epoch });
    }

    /// Who made a tag.
    pub fn who(&self, tag: Tag) -> Segment {
        self.segments[segment(tag) as usize]
    }

    /// Whether what a segment holds comes before what a warp does now.
    #[inline(always)]
    pub fn verdict(&mut self, segment: u32, warp: u32) -> Verdict {
        let s = &self.segments[segment as usize];
        let w = self.slot(warp as usize);
        if s.cluster != self.cluster {
            let s = *s;
            let known = self.knows[w] != NONE && self.knows_of(w, s);
            return if known { Verdict::Before } else { Verdict::Beside };
        }
        let known = s.epoch < self.seen[w * self.warps + s.slot as usize];
        if s.slot as usize != w {
            return if known { Verdict::Before } else { Verdict::Beside };
        }
        // That a warp knows of itself: a lane released it and one took it up, such as at a lock that
        // both held.
        match &self.pairs[w] {
            _ if known || s.epoch < self.together[w] => Verdict::Before,
            None => Verdict::ByLane,
            Some(_) => Verdict::ByPairs,
        }
    }

    /// The verdict on the segment of a tag; those of segments before `base` are of the past.
    #[inline(always)]
    pub fn verdict_of(&mut self, tag: Tag, base: u32, warp: u32) -> Verdict {
        if segment(tag) < base { Verdict::Before } else { self.verdict(segment(tag), warp) }
    }

    /// Whether the access of a tag comes before what a lane does now.
    #[inline(always)]
    pub fn before(&mut self, tag: Tag, warp: u32, of_lane: u32) -> bool {
        match self.verdict(segment(tag), warp) {
            Verdict::Before => true,
            Verdict::Beside => false,
            Verdict::ByLane | Verdict::ByPairs => {
                let (from, to) = (lane(tag) as usize, of_lane as usize);
                let epoch = self.segments[segment(tag) as usize].epoch;
                let pairs = self.pairs[self.slot(warp as usize)].as_ref();
                from == to || pairs.is_some_and(|pairs| epoch < pairs[from][to])
            }
        }
    }

    #[cold]
    fn knows_of(&mut self, slot: usize, s: Segment) -> bool {
        let root = self.knows[slot];
        self.stamp += 1;
        self.stamps.resize(self.nodes.len(), 0);
        let mut work = vec![root];
        for _ in 0..SEARCH {
            let Some(at) = work.pop() else { return false };
            if at == NONE
                || std::mem::replace(&mut self.stamps[at as usize], self.stamp) == self.stamp
            {
                continue;
            }
            let node = &self.nodes[at as usize];
            let seen = node.seen.get(s.slot as usize);
            if node.cluster == s.cluster && seen.is_some_and(|seen| s.epoch < *seen) {
                return true;
            }
            work.extend(node.parents);
        }
        true
    }

    /// Ends a warp's epoch: what it does from now on is told apart from what it did.
    fn advance(&mut self, slot: usize) {
        self.now[slot] += 1;
        self.current[slot] = 0;
    }

    /// Whether a tag is of an asynchronous copy that has been waited for by somebody.
    pub fn of_agent(&self, tag: Tag) -> bool {
        self.who(tag).slot as usize >= self.real
    }

    /// The segment of an agent's copies that a warp of a block started.
    pub fn agent_segment(&mut self, agent: usize, by: (u64, u32)) -> u32 {
        self.push(self.real + agent, by);
        self.segments.len() as u32 - 1
    }

    /// The agent of the products of a warpgroup.
    pub fn product_agent(&self, w: usize) -> usize {
        let block = self.first / self.per_block.max(1);
        AGENTS + block * self.per_block.div_ceil(4) + w / 4
    }

    /// What an agent has done until now, as a row; it then begins another epoch.
    pub fn agent_row(&mut self, agent: usize) -> Vec<u32> {
        let w = self.real + agent;
        let mut row = vec![0; self.warps];
        row[w] = self.now[w] + 1;
        self.now[w] += 1;
        row
    }

    /// What a warp knows and did until now, to be handed over; it then begins another epoch.
    pub fn hand_over(&mut self, w: usize) -> Vec<u32> {
        let w = self.slot(w);
        let row = self.row(w);
        self.advance(w);
        row
    }

    /// A warp learns what was handed over.
    pub fn take_over(&mut self, w: usize, row: &[u32]) {
        let w = self.slot(w);
        self.take(w, row);
    }

    fn take(&mut self, w: usize, row: &[u32]) {
        let mine = &mut self.seen[w * self.warps..(w + 1) * self.warps];
        mine.iter_mut().zip(row).for_each(|(a, b)| *a = (*a).max(*b));
        // Lanes that handed over come before those of their own warp, too.
        self.together[w] = self.together[w].max(row.get(w).copied().unwrap_or(0));
    }

    /// A warp runs a fence between the generic and the asynchronous proxy.
    pub fn proxy_fence(&mut self, w: usize) {
        let w = self.slot(w);
        let row = self.row(w);
        self.fenced[w * self.warps..(w + 1) * self.warps].copy_from_slice(&row);
        self.advance(w);
    }

    /// Whether a write of this block was fenced, by its own warp or by the one that goes on with it.
    pub fn proxy_fenced(&self, tag: Tag, by: usize) -> bool {
        let s = self.who(tag);
        let (v, known) =
            (s.slot as usize, |w: usize| self.fenced[w * self.warps + s.slot as usize]);
        v >= self.real || s.epoch < known(v) || s.epoch < known(self.slot(by))
    }

    /// The members of a warp synchronise.
    pub fn warp_sync(&mut self, w: usize, members: u32, live: u32) {
        let w = self.slot(w);
        self.advance(w);
        let now = self.now[w];
        if members & live == live {
            self.together[w] = now;
            return;
        }
        let pairs = self.pairs[w].get_or_insert_with(|| Box::new([[0; 32]; 32]));
        for a in (0..32).filter(|a| members >> a & 1 != 0) {
            for b in (0..32).filter(|b| members >> b & 1 != 0) {
                pairs[a][b] = now;
            }
        }
    }

    /// A warp has ended.
    pub fn end(&mut self, w: usize) {
        let w = self.slot(w);
        self.ended[w] = true;
    }

    /// What a warp knows, with what it did itself until now.
    fn row(&self, w: usize) -> Vec<u32> {
        let mut row = self.seen[w * self.warps..(w + 1) * self.warps].to_vec();
        row[w] = self.now[w] + 1;
        row
    }

    /// The books of a barrier of the block whose turn it is.
    fn barrier(&mut self, number: usize) -> usize {
        self.first / self.per_block.max(1) * 16 + (number & 15)
    }

    /// A warp arrives at a barrier.
    pub fn arrive(&mut self, w: usize, number: usize) {
        let (w, number) = (self.slot(w), self.barrier(number));
        let mut gathered = std::mem::take(&mut self.gathered[number]);
        self.gather(&mut gathered, w);
        self.gathered[number] = gathered;
        self.advance(w);
        self.together[w] = self.now[w];
    }

    /// What a warp knows comes together with what others do.
    fn gather(&mut self, gathered: &mut Gathered, slot: usize) {
        join(&mut gathered.seen, &self.seen[slot * self.warps..(slot + 1) * self.warps]);
        let own = &mut gathered.seen[slot];
        *own = (*own).max(self.now[slot] + 1);
        gathered.knows = self.both(gathered.knows, self.knows[slot]);
    }

    /// A warp goes on with what has come together.
    fn go(&mut self, slot: usize, gathered: &Gathered) {
        for (seen, new) in self.seen[slot * self.warps..].iter_mut().zip(&gathered.seen) {
            *seen = (*seen).max(*new);
        }
        self.knows[slot] = self.both(self.knows[slot], gathered.knows);
    }

    /// A barrier lets these warps go; `whole` when it waited for all threads.
    pub fn complete(&mut self, number: usize, released: &[usize], whole: bool) {
        let number = self.barrier(number);
        let mut gathered = std::mem::take(&mut self.gathered[number]);
        if whole {
            let own = self.first..self.first + self.per_block;
            for w in own.filter(|w| self.ended[*w]) {
                join(&mut gathered.seen, &self.row(w));
            }
        }
        for &w in released {
            self.go(self.slot(w), &gathered);
        }
        // Its room is kept for those who come next.
        gathered.seen.clear();
        gathered.knows = NONE;
        self.gathered[number] = gathered;
    }

    /// A warp arrives at the cluster's barrier, in a generation of it.
    pub fn cluster_arrive(&mut self, w: usize, generation: u32) {
        let (w, g) = (self.slot(w), generation as usize & 1);
        let mut gathered = std::mem::take(&mut self.met[g]);
        self.gather(&mut gathered, w);
        self.met[g] = gathered;
        self.advance(w);
        self.together[w] = self.now[w];
    }

    /// All have arrived at the cluster's barrier, in this generation: those that have ended, too.
    pub fn cluster_met(&mut self, generation: u32) {
        let g = generation as usize & 1;
        let mut gathered = std::mem::take(&mut self.met[g]);
        for w in (0..self.real).filter(|w| self.ended[*w]) {
            join(&mut gathered.seen, &self.row(w));
        }
        self.met[g] = gathered;
        self.met[1 - g] = Gathered::default();
    }

    /// The cluster's barrier lets a warp go that arrived in this generation.
    pub fn cluster_go(&mut self, w: usize, generation: u32) {
        let (w, g) = (self.slot(w), generation as usize & 1);
        let gathered = std::mem::take(&mut self.met[g]);
        self.go(w, &gathered);
        self.met[g] = gathered;
    }

    /// Who made a tag, as a number.
    pub fn place_of(&self, tag: Tag) -> u32 {
        self.who(tag).slot
    }

    /// Whether some warp of the block of a rank came after the access of a tag.
    pub fn known_to(&self, tag: Tag, rank: usize) -> bool {
        let s = self.who(tag);
        let mut own = rank * self.per_block..(rank + 1) * self.per_block;
        own.any(|w| s.epoch < self.seen[w * self.warps + s.slot as usize])
    }

    /// A node that knows what two know.
    fn both(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (a, NONE) => a,
            (NONE, b) => b,
            (a, b) if a == b => a,
            (a, b) => self.node(0, Box::default(), [a, b]),
        }
    }

    fn node(&mut self, cluster: u32, seen: Box<[u32]>, parents: [u32; 2]) -> u32 {
        self.nodes.push(Node { cluster, seen, parents });
        self.nodes.len() as u32 - 1
    }

    /// A warp's knowledge as of now, to be released.
    fn snapshot(&mut self, w: usize) -> u32 {
        let seen = self.row(w).into_boxed_slice();
        let node = self.node(self.cluster, seen, [self.knows[w], NONE]);
        self.advance(w);
        node
    }

    /// A warp runs a fence.
    pub fn fence(&mut self, w: usize, scope: Scope) {
        let w = self.slot(w);
        let node = self.snapshot(w);
        self.fences[w] = Some((node, scope));
    }

    /// A warp reads a flag with a strong read or an atomic.
    pub fn acquire(&mut self, w: usize, flag: (bool, u64)) {
        let Some(&(node, scope)) = self.released.get(&flag) else { return };
        self.learn(self.slot(w), node, scope);
    }

    fn learn(&mut self, w: usize, node: u32, scope: Scope) {
        if node == NONE || self.knows[w] == node {
            return;
        }
        // What the warps of this cluster released is taken over directly.
        let mut work = vec![node];
        let mut near = 0;
        while let Some(at) = work.pop() {
            near += 1;
            if at == NONE || near > 64 {
                continue;
            }
            let found = &self.nodes[at as usize];
            if found.cluster == self.cluster {
                let row = &mut self.seen[w * self.warps..(w + 1) * self.warps];
                row.iter_mut().zip(&found.seen).for_each(|(a, b)| *a = (*a).max(*b));
            }
            work.extend(found.parents);
        }
        if scope > Scope::Block {
            self.knows[w] = self.both(self.knows[w], node);
        }
    }

    /// A warp writes a flag with a strong write, or with an atomic.
    pub fn release(&mut self, w: usize, flag: (bool, u64), explicit: Option<Scope>, atomic: bool) {
        let w = self.slot(w);
        let mine = match (explicit, self.fences[w]) {
            (Some(scope), _) => Some((self.snapshot(w), scope)),
            (None, fence) => fence,
        };
        let before = self.released.get(&flag).copied();
        let entry = match (mine, before, atomic) {
            (Some((new, scope)), Some((old, wide)), true) => {
                Some((self.both(old, new), scope.max(wide)))
            }
            (Some(new), _, _) => Some(new),
            // An atomic goes on with what was released before it.
            (None, old, true) => old,
            (None, _, false) => None,
        };
        match entry {
            Some(entry) => self.released.insert(flag, entry),
            None => self.released.remove(&flag),
        };
    }
}

/// Adds what another row knows.
pub fn join(to: &mut Vec<u32>, row: &[u32]) {
    if to.is_empty() {
        to.extend_from_slice(row);
    } else {
        to.iter_mut().zip(row).for_each(|(a, b)| *a = (*a).max(*b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(order: &mut Order, warp: u32, at_lane: u32) -> Tag {
        with_lane(tag(order.segment_of(warp), 7), at_lane)
    }

    #[test]
    fn a_barrier_orders_warps_that_came_to_it() {
        let mut order = Order::new(3, 1);
        order.start(0);
        let a = write(&mut order, 0, 3);
        assert!(!order.before(a, 1, 0));
        order.arrive(0, 1);
        order.arrive(1, 1);
        order.complete(1, &[0, 1], false);
        assert!(order.before(a, 1, 0) && !order.before(a, 2, 0));
        let b = write(&mut order, 0, 3);
        assert!(!order.before(b, 1, 0) && order.before(b, 0, 3) && !order.before(b, 0, 4));
    }

    #[test]
    fn lanes_are_ordered_by_a_sync_that_has_both() {
        let mut order = Order::new(1, 1);
        order.start(0);
        let a = write(&mut order, 0, 1);
        assert!(!order.before(a, 0, 2));
        order.warp_sync(0, 0b0110, u32::MAX);
        assert!(order.before(a, 0, 2) && !order.before(a, 0, 3));
        order.warp_sync(0, u32::MAX, 0xf);
        assert!(order.before(a, 0, 3));
    }

    #[test]
    fn a_fence_and_an_atomic_order_blocks() {
        let mut order = Order::new(1, 1);
        order.start(0);
        let early = write(&mut order, 0, 0);
        order.release(0, (false, 64), None, true);
        order.fence(0, Scope::Device);
        let late = write(&mut order, 0, 0);
        order.release(0, (false, 64), None, true);
        order.start(1);
        assert!(!order.before(early, 0, 0));
        order.acquire(0, (false, 64));
        assert!(order.before(early, 0, 0) && !order.before(late, 0, 0));
    }

    #[test]
    fn a_lock_orders_the_lanes_of_a_warp() {
        let mut order = Order::new(1, 1);
        order.start(0);
        let held = write(&mut order, 0, 3);
        order.fence(0, Scope::Device);
        order.release(0, (false, 64), None, true);
        let after = write(&mut order, 0, 3);
        assert!(!order.before(held, 0, 4));
        order.acquire(0, (false, 64));
        assert!(order.before(held, 0, 4) && !order.before(after, 0, 4));
    }

    #[test]
    fn a_fence_of_the_block_does_not_reach_others() {
        let mut order = Order::new(2, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        order.fence(0, Scope::Block);
        order.release(0, (true, 0), None, false);
        order.acquire(1, (true, 0));
        assert!(order.before(a, 1, 5));
        order.release(0, (false, 0), None, false);
        order.start(1);
        order.acquire(0, (false, 0));
        assert!(!order.before(a, 0, 0));
    }
}
