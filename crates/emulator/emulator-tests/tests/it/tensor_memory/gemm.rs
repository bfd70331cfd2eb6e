//! A matrix product as in tutorials: tiles in shared memory in a canonical layout, `tcgen05.mma`, a commit, a wait,
//! `tcgen05.ld`. This file computes layouts and products from the manual's formulas, independently of the emulator.

use crate::common::{device, download, load, upload};
use lanework_emulator::sanitize::Report;
use lanework_emulator::{Fault, LaunchConfig, NullObserver};
use std::sync::atomic::{AtomicU32, Ordering};

/// Layout of a tile in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Number of the swizzle in the descriptor.
    pub number: u64,
    /// Bytes per row of the swizzle pattern.
    pub width: usize,
    /// Whether M or N is contiguous, rather than K.
    pub across: bool,
}

impl Layout {
    /// All layouts of K-major matrices.
    pub const BY_K: [Layout; 4] = [
        Layout { number: 0, width: 16, across: false },
        Layout { number: 6, width: 32, across: false },
        Layout { number: 4, width: 64, across: false },
        Layout { number: 2, width: 128, across: false },
    ];
    /// All layouts of transposed matrices with 8-bit and 16-bit elements.
    pub const ACROSS: [Layout; 4] = [
        Layout { number: 0, width: 16, across: true },
        Layout { number: 6, width: 32, across: true },
        Layout { number: 4, width: 64, across: true },
        Layout { number: 2, width: 128, across: true },
    ];
    /// The only layout of transposed tf32 matrices.
    pub const BY_32: Layout = Layout { number: 1, width: 128, across: true };

    /// The byte to which the swizzle maps `at`: `Swizzle<B, 4, 3>`, or `Swizzle<2, 5, 2>`.
    fn swizzled(self, at: usize) -> usize {
        match self.number {
            0 => at,
            6 => at ^ (at >> 3 & 0x10),
            4 => at ^ (at >> 3 & 0x30),
            2 => at ^ (at >> 3 & 0x70),
            _ => at ^ (at >> 2 & 0x60),
        }
    }

    /// Leading and stride offsets of a tile of `rows` rows with `bytes` bytes along K and elements of `element` bytes.
    fn offsets(self, rows: usize, bytes: usize, element: usize) -> (usize, usize) {
        let k = bytes / element;
        match (self.across, self.number) {
            // Core matrices have 8 rows of 16 bytes and follow each other along M or N first.
            (false, 0) => (rows * 16, 128),
            (false, _) => (16, 8 * self.width),
            // Core matrices have 16 bytes along M or N, and eight elements along K.
            (true, 0) => (rows * element / 16 * 128, 128),
            // Patterns follow each other along K first.
            (true, number) => {
                let deep = if number == 1 { 4 } else { 8 };
                (k.div_ceil(deep) * deep * self.width, deep * self.width)
            }
        }
    }

    /// Bytes from the start of such a tile to where the next one may begin.
    fn size(self, rows: usize, bytes: usize, element: usize) -> usize {
        let size = match self.across {
            false => rows.next_multiple_of(8) * bytes.next_multiple_of(self.width),
            true => {
                let k = bytes / element;
                (rows * element).next_multiple_of(self.width) * k.next_multiple_of(8)
            }
        };
        size.next_multiple_of(1024)
    }

    /// The offset of element `k` along K of row `row`.
    fn place(self, rows: usize, bytes: usize, element: usize, (row, k): (usize, usize)) -> usize {
        let (leading, stride) = self.offsets(rows, bytes, element);
        let t = 16 / element;
        if self.across {
            let deep = if self.number == 1 { 4 } else { 8 };
            let chunks = self.width / 16;
            let (within, chunk) = (row % t * element, row / t);
            let at = match self.number {
                0 => chunk * stride + k / 8 * leading + k % 8 * 16,
                _ => {
                    chunk % chunks * 16
                        + chunk / chunks * leading
                        + k % deep * self.width
                        + k / deep * stride
                }
            };
            return self.swizzled(at + within);
        }
        let (within, chunk) = (k % t * element, k / t);
        let at = match self.number {
            0 => row % 8 * 16 + row / 8 * stride + chunk * leading,
            _ => {
                // Wider tiles have several patterns side by side.
                let chunks = self.width / 16;
                row % 8 * self.width
                    + row / 8 * stride
                    + chunk % chunks * 16
                    + chunk / chunks * rows * self.width
            }
        };
        self.swizzled(at + within)
    }

    /// The descriptor of a step along K, without the tile's address; it includes the step's offset in the tile.
    fn descriptor(self, rows: usize, all: usize, step: (usize, usize), element: usize) -> u64 {
        let (leading, stride) = self.offsets(rows, all, element);
        let (number, bytes) = step;
        let start = if self.across {
            self.place(rows, all, element, (0, number * bytes / element))
        } else {
            let (chunk, chunks) = (number * bytes / 16, self.width / 16);
            match self.number {
                0 => chunk * leading,
                _ => chunk % chunks * 16 + chunk / chunks * rows * self.width,
            }
        };
        // A K-major step starts inside of a row of the pattern, and its start address is not swizzled.
        let start = if self.across { self.swizzled(start) } else { start };
        (start as u64) >> 4
            | (leading as u64 >> 4) << 16
            | (stride as u64 >> 4) << 32
            | 1 << 46
            | self.number << 61
    }
}

/// A product to test.
#[derive(Clone)]
pub struct Gemm {
    /// `.kind::...`, with the qualifiers after it.
    pub kind: &'static str,
    /// Number of rows of D.
    pub m: usize,
    /// Number of columns of D.
    pub n: usize,
    /// Number of instructions along K.
    pub steps: usize,
    /// Elements along K per instruction.
    pub k: usize,
    /// Bytes per element in shared memory.
    pub element: usize,
    /// The layout of A; `None` if it is in tensor memory.
    pub a: Option<Layout>,
    /// The layout of B.
    pub b: Layout,
    /// Bits of the instruction descriptor, except shape and majorness.
    pub types: u32,
    /// Whether the instruction has `.ws`.
    pub stationary: bool,
    /// Operands between the instruction descriptor and the predicate, and after the predicate.
    pub extra: (String, String),
    /// Increment of the instruction descriptor per step.
    pub step_bits: u32,
    /// Length of B's rows relative to A's: 2 if A is sparse.
    pub longer: usize,
    /// Code that thread 0 runs before the products.
    pub before: String,
    /// Data after the tiles in shared memory.
    pub appended: Vec<u8>,
}

impl Gemm {
    /// Creates a product of a kind with K-major matrices and a 128-byte swizzle.
    pub fn new(kind: &'static str, [m, n, steps]: [usize; 3], element: usize, types: u32) -> Gemm {
        let wide = Layout::BY_K[3];
        Gemm {
            kind,
            m,
            n,
            steps,
            k: 32 / element,
            element,
            a: Some(wide),
            b: wide,
            types,
            stationary: false,
            extra: (String::new(), String::new()),
            step_bits: 0,
            longer: 1,
            before: String::new(),
            appended: Vec::new(),
        }
    }

    /// Bytes along K for all steps.
    fn bytes(&self) -> usize {
        self.steps * self.k * self.element
    }

    /// The bytes of a tile in shared memory, given the bits of element `k` of row `row`.
    pub fn tile(
        &self,
        layout: Layout,
        (rows, bytes): (usize, usize),
        bits: impl Fn(usize, usize) -> u32,
    ) -> Vec<u8> {
        let mut image = vec![0; layout.size(rows, bytes, self.element)];
        for row in 0..rows {
            for k in 0..bytes / self.element {
                let at = layout.place(rows, bytes, self.element, (row, k));
                let word = bits(row, k).to_le_bytes();
                image[at..at + self.element].copy_from_slice(&word[..self.element]);
            }
        }
        image
    }

    /// Offset of the appended data in shared memory.
    pub fn appended_at(&self) -> usize {
        let bytes = self.bytes();
        let of_a = self.a.map_or(128 * bytes, |a| a.size(self.m, bytes, self.element));
        of_a + self.b.size(self.n, self.longer * bytes, self.element)
    }

    /// The instruction descriptor.
    pub fn descriptor(&self) -> u32 {
        let across = |layout: Option<Layout>| u32::from(layout.is_some_and(|l| l.across));
        self.types
            | across(self.a) << 15
            | across(Some(self.b)) << 16
            | (self.n as u32 / 8) << 17
            | (self.m as u32 / 16) << 24
    }

    /// Number of tensor memory columns for D.
    pub fn columns(&self) -> usize {
        match (self.stationary, self.m) {
            (true, 64) => self.n / 2,
            (true, 32) => self.n / 4,
            _ => self.n,
        }
    }

    /// The kernel's text. Its input is the image of shared memory. If A is in tensor memory, the threads store it there,
    /// from the data after the tile of B.
    pub fn text(&self) -> String {
        let (bytes, n) = (self.bytes(), self.n);
        let of_a = self.a.map_or(0, |layout| layout.size(self.m, bytes, self.element));
        let of_b = self.b.size(n, bytes * self.longer, self.element);
        let rows_of_a = if self.a.is_none() { 128 * bytes } else { 0 };
        let image = of_a + of_b + rows_of_a + self.appended.len();
        let columns = self.columns();
        let a_columns = bytes / 4;
        let all = (columns + a_columns + 64).next_power_of_two().clamp(32, 512);
        let mut issue = String::new();
        for step in 0..self.steps {
            let size = self.k * self.element;
            let of = |layout: Layout, rows, longer| {
                layout.descriptor(rows, longer * bytes, (step, longer * size), self.element)
            };
            let a = match self.a {
                Some(layout) => {
                    issue += &format!(
                        "mov.b64 %rd5, {:#x}; add.u64 %rd5, %rd5, %rd4;\n",
                        of(layout, self.m, 1)
                    );
                    "%rd5".to_owned()
                }
                None => format!("[%r10+{}]", columns + step * size / 4),
            };
            issue += &format!(
                "mov.b64 %rd6, {:#x}; add.u64 %rd6, %rd6, %rd4;
                 tcgen05.mma{}.cta_group::1.{} [%r10], {a}, %rd6, %r11{}, %p4{};
                 setp.eq.u32 %p4, %r11, %r11; add.u32 %r11, %r11, {};\n",
                of(self.b, n, self.longer) + (of_a as u64 >> 4),
                if self.stationary { ".ws" } else { "" },
                self.kind,
                self.extra.0,
                self.extra.1,
                self.step_bits,
            );
        }
        let mut fill_a = String::new();
        for column in 0..if self.a.is_none() { a_columns } else { 0 } {
            fill_a += &format!(
                "mad.lo.u32 %r20, %r1, {bytes}, {}; add.u32 %r20, %r20, %r3; ld.shared.u32 %r21, [%r20];
                 tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12+{}], {{%r21}};\n",
                of_a + of_b + 4 * column,
                columns + column
            );
        }
        let mut store = String::new();
        for column in (0..columns).step_by(4) {
            store += &format!(
                "tcgen05.ld.sync.aligned.32x32b.x4.b32 {{%r30, %r31, %r32, %r33}}, [%r12+{column}];
                 tcgen05.wait::ld.sync.aligned;
                 st.global.v4.u32 [%rd7+{}], {{%r30, %r31, %r32, %r33}};\n",
                4 * column
            );
        }
        format!(
            ".version 8.8\n.target sm_100a\n.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>;
.shared .align 1024 .b8 tile[{image}];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 base;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r3, tile; mov.u32 %r4, %r1;
FILL: setp.ge.u32 %p1, %r4, {words}; @%p1 bra FILLED;
mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r5, [%rd3];
shl.b32 %r6, %r4, 2; add.u32 %r6, %r6, %r3; st.shared.u32 [%r6], %r5;
add.u32 %r4, %r4, 128; bra FILL;
FILLED: setp.ne.u32 %p2, %r2, 0; @%p2 bra ALLOCATED;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], {all};
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
ALLOCATED: setp.ne.u32 %p3, %r1, 0; @%p3 bra READY;
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
READY: fence.proxy.async.shared::cta;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
ld.shared.u32 %r10, [base]; shl.b32 %r12, %r2, 21; add.u32 %r12, %r12, %r10;
{fill_a}
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
@%p3 bra ISSUED;
cvt.u64.u32 %rd4, %r3; shr.u64 %rd4, %rd4, 4; mov.b32 %r11, {descriptor:#x};
setp.ne.u32 %p4, %r3, %r3;
{before}
{issue}
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
ISSUED:
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0; @!%p5 bra WAIT;
tcgen05.fence::after_thread_sync;
mad.wide.u32 %rd7, %r1, {pitch}, %rd2;
{store}
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
@%p2 bra DONE;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, {all};
DONE: ret;
}}
",
            words = image / 4,
            descriptor = self.descriptor(),
            before = self.before,
            pitch = 4 * columns,
        )
    }

    /// The image of shared memory, given the elements by row and index along K.
    pub fn image(
        &self,
        a: impl Fn(usize, usize) -> u32,
        b: impl Fn(usize, usize) -> u32,
    ) -> Vec<u32> {
        let mut image = Vec::new();
        if let Some(layout) = self.a {
            image = self.tile(layout, (self.m, self.bytes()), &a);
        }
        image.extend(self.tile(self.b, (self.n, self.bytes() * self.longer), b));
        if self.a.is_none() {
            // A in tensor memory, lane by lane, with rows in the same lanes as D's.
            for lane in 0..128 {
                let row = self.row_of(lane);
                for k in 0..self.bytes() / self.element {
                    let bits = row.map_or(0, |row| a(row, k)).to_le_bytes();
                    image.extend(&bits[..self.element]);
                }
            }
        }
        image.extend(&self.appended);
        image.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    /// The row of D and of A in a lane of tensor memory.
    fn row_of(&self, lane: usize) -> Option<usize> {
        match (self.m, self.stationary) {
            (64, false) => (lane % 32 < 16).then_some(lane / 32 * 16 + lane % 32),
            (64, true) => Some(lane % 64),
            (32, _) => Some(lane % 32),
            _ => Some(lane),
        }
    }

    /// The elements of D, row by row, given the lanes of tensor memory.
    pub fn result(&self, words: &[u32]) -> Vec<u32> {
        let columns = self.columns();
        let mut d = vec![0; self.m * self.n];
        for lane in 0..128 {
            let Some(row) = self.row_of(lane) else { continue };
            let first = match (self.m, self.stationary) {
                (64, true) => lane / 64 * columns,
                (32, true) => lane / 32 * columns,
                _ => 0,
            };
            for column in 0..columns {
                d[row * self.n + first + column] = words[lane * columns + column];
            }
        }
        d
    }

    /// Runs the kernel; returns the words of D, row by row.
    pub fn run(
        &self,
        a: impl Fn(usize, usize) -> u32,
        b: impl Fn(usize, usize) -> u32,
    ) -> Result<Vec<u32>, Fault> {
        run_text(&self.text(), &self.image(a, b), 128 * self.columns()).map(|w| self.result(&w))
    }
}

/// Runs a kernel of one block of 128 threads.
pub fn run_text(text: &str, input: &[u32], count: usize) -> Result<Vec<u32>, Fault> {
    let emulator = device(false);
    let program = load(&emulator, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let input = upload(&emulator, "in", input);
    let out = emulator.allocate(4 * count as u64, "out").expect("memory");
    let launch = LaunchConfig::new("k", [1; 3], [128, 1, 1]);
    let arguments: [&[u8]; 2] = [&input.to_le_bytes(), &out.to_le_bytes()];
    emulator.launch(&program, &launch, &arguments, &mut NullObserver)?;
    ptxas_accepts(text);
    Ok(download(&emulator, out, count))
}

/// Checks a kernel of one block of 128 threads.
pub fn check_text(text: &str, input: &[u32], count: usize) -> Vec<Report> {
    let emulator = device(false);
    let program = load(&emulator, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let input = upload(&emulator, "in", input);
    let out = emulator.allocate(4 * count as u64, "out").expect("memory");
    let launch = LaunchConfig::new("k", [1; 3], [128, 1, 1]);
    let arguments: [&[u8]; 2] = [&input.to_le_bytes(), &out.to_le_bytes()];
    emulator.check(&program, &launch, &arguments).expect("it runs").reports
}

/// A pseudorandom number, by a hash of both arguments.
pub fn draw(a: usize, b: usize) -> u32 {
    let mut x = (a as u32).wrapping_mul(0x9e37_79b9) ^ (b as u32).wrapping_mul(0x85eb_ca6b);
    x ^= x >> 15;
    x = x.wrapping_mul(0x2c1b_3c6d);
    x ^ x >> 13
}

/// Checks that ptxas, if installed, accepts the text.
pub fn ptxas_accepts(text: &str) {
    let Ok(ptxas) = std::env::var("PTXAS") else {
        eprintln!("skipped: set PTXAS to compare the test's kernels with ptxas");
        return;
    };
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let file = std::env::temp_dir().join(format!("lanework-tcgen05-{}-{}.ptx", number.0, number.1));
    std::fs::write(&file, text).expect("a file");
    let mut command = std::process::Command::new(ptxas);
    let target = if text.contains("sm_103a") { "-arch=sm_103a" } else { "-arch=sm_100a" };
    let output = command.arg(target).arg(&file).args(["-o", "/dev/null"]).output();
    let output = output.expect("ptxas runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(&file).expect("the file is removed");
}
