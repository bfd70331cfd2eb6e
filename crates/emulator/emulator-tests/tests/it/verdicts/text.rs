//! Writes the text of a kernel: lines, registers, memory, and the places where a defect can be planted.

use lanework_emulator::sanitize::ReportKind;
use std::collections::HashMap;
use std::fmt::Write;

/// The condition under which a defect has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A thread reaches the place.
    Thread,
    /// Two lanes of a warp reach it at the same time.
    Lanes,
    /// Two threads reach it.
    Threads,
    /// Two blocks reach it.
    Blocks,
    /// A lane reads another lane's value.
    Crosses,
    /// A warp reaches it with only some of its lanes.
    Partial,
    /// A warp has lanes on both sides of a branch there.
    Sides,
}

/// A possible defect of a piece.
#[derive(Clone, Debug)]
pub struct Chance {
    /// The piece.
    pub piece: usize,
    /// The defect.
    pub name: &'static str,
    pub need: Need,
}

/// The expected finding of a planted defect.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Expected kind: one of these.
    pub kinds: Vec<ReportKind>,
    /// Expected line: one of these; any line if empty.
    pub lines: Vec<usize>,
    /// Kinds of additional findings that the defect may cause.
    pub may: Vec<ReportKind>,
}

#[derive(Default)]
pub struct Text {
    lines: Vec<String>,
    declared: Vec<String>,
    registers: HashMap<&'static str, u32>,
    labels: u32,
    /// Bytes of scratch memory per block.
    pub scratch: u32,
    /// Possible defects, in order.
    pub chances: Vec<Chance>,
    /// Index of the planted defect.
    pub chosen: Option<usize>,
    pub expected: Expected,
    /// Lines that every thread of a block executes first.
    pub prologue: Vec<String>,
    /// Whether a block-wide barrier ends the prologue.
    pub prologue_barrier: bool,
    pub clusters: bool,
    /// Whether a piece needs sm_90.
    pub hopper: bool,
    /// Whether a piece needs tensor memory.
    pub tensor: bool,
    /// Whether values of threads affect branches or other lanes.
    pub decides: bool,
    /// Whether a barrier of all threads precedes the end. Then a thread that waits because of a defect has partners.
    pub holds: bool,
}

impl Text {
    /// Allocates a register of a kind: `p`, `r` or `rd`.
    pub fn register(&mut self, kind: &'static str) -> String {
        let next = self.registers.entry(kind).or_default();
        *next += 1;
        format!("%{kind}{next}")
    }

    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// Adds a line; returns its number in the body.
    pub fn line(&mut self, text: impl AsRef<str>) -> usize {
        self.lines.push(text.as_ref().to_owned());
        self.lines.len()
    }

    /// Writes a loop that waits for the phase with a parity; `form` has the semantics and scope, empty for the default.
    pub fn wait_for_phase(&mut self, form: &str, mbarrier: &str, parity: &str) {
        let (done, again) = (self.register("p"), self.label());
        self.line(format!("{again}:"));
        self.line(format!(
            "mbarrier.try_wait.parity{form}.shared::cta.b64 {done}, [{mbarrier}], {parity};"
        ));
        self.line(format!("@!{done} bra {again};"));
    }

    /// Allocates a variable in shared memory.
    pub fn shared(&mut self, bytes: u32) -> String {
        let name = format!("tile{}", self.declared.len());
        self.declared.push(format!(".shared .align 16 .b8 {name}[{bytes}];"));
        name
    }

    pub fn local(&mut self, bytes: u32) -> String {
        let name = format!("own{}", self.declared.len());
        self.declared.push(format!(".local .align 16 .b8 {name}[{bytes}];"));
        name
    }

    /// Allocates scratch memory in each block's part; returns its offset.
    pub fn take_scratch(&mut self, bytes: u32) -> u32 {
        let at = self.scratch.next_multiple_of(16);
        self.scratch = at + bytes;
        at
    }

    /// Adds a possible defect; returns whether to plant it here.
    pub fn plant(&mut self, piece: usize, name: &'static str, need: Need) -> bool {
        self.chances.push(Chance { piece, name, need });
        self.chosen == Some(self.chances.len() - 1)
    }

    /// Sets the expected finding of the planted defect.
    pub fn expect(&mut self, kinds: &[ReportKind], lines: &[usize], may: &[ReportKind]) {
        self.expected =
            Expected { kinds: kinds.to_vec(), lines: lines.to_vec(), may: may.to_vec() };
    }

    /// Distance between the scratch memories of consecutive blocks, in bytes.
    pub fn stride(&self) -> u32 {
        self.scratch.next_multiple_of(16)
    }

    /// Returns the whole module, in which `STRIDE` is the scratch memory's stride, and the number of lines before the body.
    pub fn finish(&self, cluster: u32) -> (String, usize) {
        let (version, target) = match (self.tensor, self.clusters || self.hopper) {
            (true, _) => ("8.8", "sm_100a"),
            (_, true) => ("8.1", "sm_90"),
            _ => ("8.1", "sm_80"),
        };
        let cluster = if self.clusters {
            format!(".reqnctapercluster {cluster}, 1, 1 ")
        } else {
            String::new()
        };
        let mut text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, \
             .param .u64 sums, .param .u64 scratch)\n{cluster}{{\n"
        );
        for (kind, count) in [("p", "pred"), ("r", "b32"), ("rd", "b64")] {
            let registers = self.registers.get(kind).copied().unwrap_or(0) + 1;
            let _ = writeln!(text, ".reg .{count} %{kind}<{registers}>;");
        }
        text.push_str(
            ".reg .b32 %tid, %cta, %lane, %warp, %gid, %v, %full; .reg .pred %true; .reg .b64 %in, %out, %sums, %scratch, %mine, %stride;\n",
        );
        self.declared.iter().for_each(|line| text.extend([line, "\n"]));
        text.push_str(
            "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %sums, [sums]; ld.param.u64 %scratch, [scratch];\n\
             mov.u32 %tid, %tid.x; mov.u32 %cta, %ctaid.x; and.b32 %lane, %tid, 31; shr.u32 %warp, %tid, 5;\n\
             mov.u32 %gid, %ntid.x; mad.lo.u32 %gid, %cta, %gid, %tid;\n\
             setp.eq.u32 %true, %tid, %tid; vote.sync.ballot.b32 %full, %true, -1;\n",
        );
        let stride = self.stride();
        let _ = writeln!(
            text,
            "mov.u64 %stride, {stride}; mul.wide.u32 %mine, %cta, {stride}; add.u64 %mine, %scratch, %mine;"
        );
        self.prologue.iter().for_each(|line| text.extend([line, "\n"]));
        if self.prologue_barrier {
            text.push_str("bar.sync 0;\n");
        }
        if self.clusters {
            text.push_str("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n");
        }
        let before = text.lines().count();
        let stride = stride.to_string();
        self.lines.iter().for_each(|line| text.extend([&line.replace("STRIDE", &stride), "\n"]));
        text.push_str("}\n");
        (text, before)
    }
}
