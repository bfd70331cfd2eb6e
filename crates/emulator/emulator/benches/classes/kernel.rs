//! The kernel of a row, and the three ways to run it.

use crate::clock::Moment;
use crate::rows::ClassRow;
use lanework_emulator::sanitize::Checks;
use lanework_emulator::{CountingObserver, Emulator, LaunchConfig, NullObserver, Options, Program};
use lanework_ptx::Module;
use std::sync::Arc;

/// Repetitions of a row's body per iteration of the loop.
const UNROLLED: u32 = 16;
/// Blocks and threads per block.
const SHAPE: [u32; 2] = [4, 128];
/// Bytes of each buffer.
const BYTES: u64 = 1 << 16;

/// How a kernel is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Not at all.
    Plain,
    /// By a profiler's counters.
    Counted,
    /// Every access checked.
    Checked,
}

/// The kernel around a body. Registers: `x y z` floats, `u v w` words that vary over lanes, `w1` a divisor, `h` a half,
/// `d e` doubles, `l m` 64-bit words, `p q` predicates, `r` a predicate of three lanes in four; addresses of global and shared memory (`g`, `s`): `l` side by
/// side, `s` scattered, `q` 16 bytes per lane, `o` one for all lanes, `h` halves; `lo` one of local memory.
const FRAME: &str = "
.version 8.6
.target sm_90a
.address_size 64
.entry row(.param .u64 out, .param .u64 in, .param .u64 res, .param .u32 n)
{
.reg .pred p, q, r, again; .reg .b16 h; .reg .f32 x, y, z, t1, t2, t3, m<32>;
.reg .b32 u, v, w, w1, tid, i, n_, c, sl, ss, sm, sq, so, lo; .reg .f64 d, e;
.reg .b64 l, m, a, in_, gl, gs, gq, go, gh, gb, gd, ga, da, db;
.shared .align 128 .b8 tile[4096];
.local .align 16 .b8 own[64];
mov.u32 tid, %tid.x;
mov.u32 c, %ctaid.x;
ld.param.u64 in_, [in];
ld.param.u32 n_, [n];
mad.wide.u32 a, tid, 4, in_;
ld.global.f32 x, [a];
ld.global.f32 y, [a+512];
ld.global.u32 u, [a+1024];
ld.global.u32 v, [a+1536];
ld.global.u32 w, [a+2048];
or.b32 w1, w, 1;
cvt.u16.u32 h, u;
cvt.f64.f32 d, x;
cvt.f64.f32 e, y;
mov.b64 l, {u, v};
mov.b64 m, {v, u};
setp.lt.f32 q, x, y;
and.b32 i, tid, 3; setp.ne.u32 r, i, 0;
mov.f32 z, 0f00000000; mov.f32 t1, z; mov.f32 t2, z; mov.f32 t3, z;
mov.u32 so, tile;
mov.u32 lo, own;
st.local.v4.f32 [lo], {x, y, x, y};
shl.b32 sl, tid, 2; add.u32 sl, sl, so;
and.b32 sm, tid, 127; shl.b32 sm, sm, 2; add.u32 sm, sm, so;
shl.b32 sq, tid, 4; add.u32 sq, sq, so;
shl.b32 ss, w, 2; add.u32 ss, ss, so;
ld.param.u64 go, [out];
mad.wide.u32 gl, c, 512, go; mad.wide.u32 gs, w, 4, gl; mad.wide.u32 gl, tid, 4, gl;
mad.wide.u32 gq, c, 2048, go; mad.wide.u32 gq, tid, 16, gq;
mad.wide.u32 gh, c, 256, go; mad.wide.u32 gh, tid, 2, gh;
mad.wide.u32 gd, c, 1024, go; mad.wide.u32 ga, w, 8, gd; mad.wide.u32 gd, tid, 8, gd;
mad.wide.u32 gb, c, 128, go; cvt.u64.u32 db, tid; add.u64 gb, gb, db;
mov.f32 m0, x; ZERO
st.shared.v4.f32 [sq], {x, y, x, y};
cvt.u64.u32 da, so; shr.u64 da, da, 4; or.b64 da, da, 0x1000080000; mov.b64 db, da;
mov.u32 i, 0;
bar.sync 0;
LOOP:
BODY
add.u32 i, i, 1;
setp.lt.u32 again, i, n_;
@again bra LOOP;
add.f32 x, x, z; add.f32 x, x, m0; add.f32 x, x, m1; add.f32 x, x, t1;
cvt.rn.f32.f64 z, d; add.f32 x, x, z;
cvt.u32.u64 v, l; add.u32 u, u, v; cvt.u32.u16 v, h; add.u32 u, u, v;
ld.param.u64 a, [res];
mad.wide.u32 a, c, 1024, a;
mad.wide.u32 a, tid, 8, a;
st.global.f32 [a], x; st.global.u32 [a+4], u;
ret;
}
";

/// A row's kernel on one emulated device.
pub struct MeasuredKernel {
    emulator: Emulator,
    program: Arc<Program>,
    buffers: [u64; 3],
    /// Warp instructions of the row per iteration of the loop.
    per_iteration: f64,
}

impl MeasuredKernel {
    /// Sets the row up for a mode.
    pub fn new(row: &ClassRow, mode: Mode) -> Result<MeasuredKernel, String> {
        let body: String = (0..UNROLLED)
            .map(|i| row.body.replace('#', &i.to_string()))
            .collect::<Vec<_>>()
            .join("\n");
        let zero: String = (1..32).map(|i| format!("mov.f32 m{i}, m0; ")).collect();
        let module = Module::parse(&FRAME.replace("BODY", &body).replace("ZERO", &zero))
            .map_err(|error| error.to_string())?;
        let checks = (mode == Mode::Checked).then(Checks::default);
        let emulator = Emulator::new(Options { workers: Some(1), checks, ..Options::default() });
        let program = emulator.load(&module).map_err(|error| error.to_string())?;
        let mut buffers = [0; 3];
        for (buffer, name) in buffers.iter_mut().zip(["out", "in", "res"]) {
            *buffer = emulator.allocate(BYTES, name).map_err(|error| error.to_string())?;
            emulator.write(*buffer, &vec![0; BYTES as usize]).map_err(|error| error.to_string())?;
        }
        let mut input = Vec::new();
        for array in 0..5u32 {
            for i in 0..SHAPE[1] {
                let float = |low: f32| (low + i as f32 / 200.0).to_bits();
                // A permutation of all threads, not only within each warp.
                let word = match array {
                    0 => float(0.5),
                    1 => float(1.25),
                    2 => 0x3c00_3800 + i * 0x0001_0003,
                    3 => 0x3a00_3e00 + i * 0x0003_0001,
                    _ => i * 37 % SHAPE[1],
                };
                input.extend(word.to_le_bytes());
            }
        }
        emulator.write(buffers[1], &input).map_err(|error| error.to_string())?;
        Ok(MeasuredKernel {
            emulator,
            program,
            buffers,
            per_iteration: f64::from(SHAPE[0] * SHAPE[1] / 32 * UNROLLED * row.count),
        })
    }

    /// Runs the loop a number of times. Returns the time per warp instruction of the row in ns.
    pub fn run(&self, mode: Mode, iterations: u32) -> Result<f64, String> {
        let launch = LaunchConfig::new("row", [SHAPE[0], 1, 1], [SHAPE[1], 1, 1]);
        let [out, input, res] = self.buffers.map(u64::to_le_bytes);
        let count = iterations.to_le_bytes();
        let arguments: [&[u8]; 4] = [&out, &input, &res, &count];
        let (emulator, program) = (&self.emulator, &self.program);
        let text = |fault: lanework_emulator::Fault| fault.to_string();
        let start = Moment::now();
        match mode {
            Mode::Plain => {
                emulator.launch(program, &launch, &arguments, &mut NullObserver).map_err(text)?;
            }
            Mode::Counted => {
                let mut observer = CountingObserver::default();
                emulator.launch(program, &launch, &arguments, &mut observer).map_err(text)?;
            }
            Mode::Checked => {
                let checked = emulator.check(program, &launch, &arguments).map_err(text)?;
                if let Some(report) = checked.reports.first() {
                    return Err(format!("a finding: {}", report.message));
                }
                if let Some(fault) = checked.fault {
                    return Err(fault.to_string());
                }
            }
        }
        Ok(start.elapsed() / (self.per_iteration * f64::from(iterations)))
    }
}
